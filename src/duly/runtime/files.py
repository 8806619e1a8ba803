"""Small files that only their owner can read, and what to say when a file cannot be written."""

from __future__ import annotations

import errno
import os
import secrets
import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from duly import private_files
from duly.errors import DulyError

if TYPE_CHECKING:
    from duly.engine.health import Health


def secret_file(path: Path, make: Callable[[], str]) -> str:
    """The content of such a file; made when it is not there. Of several who make it at once, one wins for all."""
    known = read_secret(path)
    if known is not None:
        return known
    content = make()
    with naming(path):
        _write_once(path, content)
    return read_secret(path) or ""


def read_secret(path: Path) -> str | None:
    """The content of such a file; None when it is not there. Refused when it is a link, or another user's."""
    try:
        descriptor = private_files.open_own(path, os.O_RDONLY)
    except FileNotFoundError:
        return None
    except private_files.PlantedFileError as error:
        raise DulyError(f"cannot use {path}: {error.strerror}") from error
    with os.fdopen(descriptor, encoding="utf-8") as file:
        return file.read().strip()


THE_DIRECTORY = "the data directory"
"""What health calls it: strangers may ask for health, and a path tells them the name of a user."""


def open_folder(folder: Path, name: str | None = None) -> str | None:
    """What other users may do in a folder, and what to run against it; None when it is closed to them."""
    may = private_files.others_may(folder)
    if may is None:
        return None
    danger = "could replace the files of duly" if may == "write" else "can see which files are there"
    shown = name or shlex.quote(str(folder))
    return f"other users of this machine {danger}: they may {may} in {shown}. Run: chmod 700 {shown}"


def blame_open_folder(health: Health, folder: Path) -> None:
    """Tell of an open folder. One that others can write needs attention; one that they can look into is mentioned."""
    from duly.engine.health import Light

    if (told := open_folder(folder, THE_DIRECTORY)) is not None:
        health.blame(Light.YELLOW if private_files.others_may(folder) == "write" else health.light, told)


def replace_secret_file(path: Path, content: str) -> None:
    """Write such a file anew, whatever is there: whoever reads it finds the old content or the new, never half."""
    with naming(path):
        private_files.make_folder(path.parent)
        draft = _draft(path, content)
        try:
            draft.replace(path)
        finally:
            draft.unlink(missing_ok=True)


def _write_once(path: Path, content: str) -> None:
    draft = _draft(path, content)
    try:
        with suppress(FileExistsError):
            os.link(draft, path)  # whole or not at all, and never over another's
    finally:
        draft.unlink()


def _draft(path: Path, content: str) -> Path:
    """A file beside the one that is meant, which only its owner can read."""
    draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, private_files.FILE)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        os.fchmod(descriptor, private_files.FILE)
        file.write(f"{content}\n")
    return draft


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Say which file cannot be written, why, and what to do: the error of the operating system often does not."""
    try:
        yield
    except OSError as error:
        cure = _CURES.get(error.errno or 0, "see to that")
        raise DulyError(
            f"cannot write {path}: {error.strerror}; {cure}, or name another directory with --data-dir"
        ) from error


_NO_SPACE = "free some space on that disk"
_NO_PERMISSION = "let this user write there"
_CURES = {
    errno.ENOSPC: _NO_SPACE,
    errno.EDQUOT: _NO_SPACE,
    errno.EROFS: _NO_PERMISSION,
    errno.EACCES: _NO_PERMISSION,
    errno.EPERM: _NO_PERMISSION,
}
