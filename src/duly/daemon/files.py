"""Small files that only their owner can read, and what to say when a file cannot be written."""

from __future__ import annotations

import errno
import os
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from duly.errors import DulyError


def secret_file(path: Path, make: Callable[[], str]) -> str:
    """The content of such a file; made when it is not there. Of several who make it at once, one wins for all."""
    with suppress(FileNotFoundError):
        return path.read_text(encoding="utf-8").strip()
    content = make()
    with naming(path):
        _write_once(path, content)
        return path.read_text(encoding="utf-8").strip()


def replace_secret_file(path: Path, content: str) -> None:
    """Write such a file anew, whatever is there: whoever reads it finds the old content or the new, never half."""
    with naming(path):
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
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
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
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
