"""Secret files: small files that only their owner can read, and errors that name the file and the cure."""

from __future__ import annotations

import errno
import os
import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from duly import private_files
from duly.errors import ConfigError, DulyError

if TYPE_CHECKING:
    from duly.engine.health import Health


LOCAL_TOKEN = "local.token"  # noqa: S105  a file name
"""The file of the local user's token in a data directory."""


def make_data_dir(folder: Path) -> None:
    """Make the data directory, if it is not there."""
    try:
        private_files.make_folder(folder)
    except OSError as error:
        reason = f"cannot make the directory {folder}: {error.strerror}. Name another with --data-dir"
        raise ConfigError("data_dir", reason) from error


def secret_file(path: Path, make: Callable[[], str]) -> str:
    """Give the content of a secret file, which `make` gives if there is none.

    If several processes make it at once, the first one's content counts for all.
    """
    known = read_secret(path)
    if known is not None:
        return known
    content = make()
    with naming(path):
        _write_once(path, content)
    return read_secret(path) or ""


def read_secret(path: Path) -> str | None:
    """Give the content of a secret file; None when there is none. Raises when it is a link or another user's."""
    try:
        descriptor = private_files.open_own(path, os.O_RDONLY)
    except FileNotFoundError:
        return None
    except private_files.PlantedFileError as error:
        raise DulyError(f"cannot use {path}: {error.strerror}") from error
    # A damaged file must not end the process: what is no UTF-8 is no valid secret, and its reader says so.
    with os.fdopen(descriptor, encoding="utf-8", errors="replace") as file:
        return file.read().strip()


THE_DIRECTORY = "the data directory"
"""Stands for its path in health: strangers may ask for health, and a path often has the name of a user in it."""


def open_folder(folder: Path, name: str | None = None) -> str | None:
    """Warn of a folder that other users may read or write, with the command that closes it; None if it is closed."""
    may = private_files.others_may(folder)
    if may is None:
        return None
    danger = "could replace the files of duly" if may == "write" else "can see which files are there"
    shown = name or shlex.quote(str(folder))
    return f"other users of this machine {danger}: they may {may} in {shown}. Run: chmod 700 {shown}"


def blame_open_folder(health: Health, folder: Path) -> None:
    """Make the health yellow if others may write in a folder. That they may list it is logged at the start, no more."""
    from duly.engine.health import Light

    if private_files.others_may(folder) == "write":
        warning = open_folder(folder, THE_DIRECTORY)
        health.blame(Light.YELLOW, "other users of this machine reach the files of duly", warning, for_admins=True)


def replace_secret_file(path: Path, content: str) -> None:
    """Replace the content of a secret file. A reader finds the old content or the new one, never a part."""
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
            os.link(draft, path)  # atomic, and unlike a rename it does not replace an existing file
    finally:
        draft.unlink()


def _draft(path: Path, content: str) -> Path:
    """Write a temporary file beside the meant one, readable only by its owner."""
    import secrets  # late: a command that only looks writes no file

    draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, private_files.FILE)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        os.fchmod(descriptor, private_files.FILE)
        file.write(f"{content}\n")
    return draft


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Turn an `OSError` of the block into a `DulyError` with the file, the reason and the cure."""
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
