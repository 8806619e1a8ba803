"""Files and folders that only their owner can read or write, whatever the umask."""

from __future__ import annotations

import errno
import os
import stat
from contextlib import suppress
from pathlib import Path

FILE = 0o600
FOLDER = 0o700
_OTHERS = 0o077
_OTHERS_WRITE = 0o022
_NO_LINKS = getattr(os, "O_NOFOLLOW", 0)


class PlantedFileError(OSError):
    """A file that duly does not use: it is a link, or belongs to another user."""


def make_folder(path: Path) -> None:
    """Make a folder, and those above it that are missing. One that is there stays as it is."""
    missing = []
    for each in (path, *path.parents):
        if each.is_dir():
            break
        missing.append(each)
    for each in reversed(missing):
        try:
            each.mkdir(mode=FOLDER)
        except FileExistsError:
            if not each.is_dir():
                raise
        else:
            each.chmod(FOLDER)  # the umask may have taken more than it should


def make_file(path: Path) -> bool:
    """Make an empty file; false when something is there already, which is left as it is."""
    try:
        descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR | _NO_LINKS, FILE)
    except FileExistsError:
        return False
    try:
        os.fchmod(descriptor, FILE)
    finally:
        os.close(descriptor)
    return True


def tighten(path: Path) -> bool:
    """Take away what others may do with a file of ours; whether that was anything.

    A file that belongs to another user, or lies on a disk without permissions, stays as it is.
    """
    with suppress(OSError):
        found = path.stat()
        is_ours = stat.S_ISREG(found.st_mode) and found.st_uid == os.geteuid()
        if is_ours and found.st_mode & _OTHERS:
            path.chmod(stat.S_IMODE(found.st_mode) & ~_OTHERS)
            return True
    return False


def open_own(path: Path, flags: int) -> int:
    """Open a file that only we may have made: no symbolic link, no second name of another file, not another user's.

    What others may do with it is taken away. `FileNotFoundError` when there is none, unless `flags` make it.
    """
    try:
        descriptor = os.open(path, flags | _NO_LINKS | os.O_CLOEXEC | os.O_NONBLOCK, FILE)
    except OSError as error:
        if path.is_symlink():
            told = "it is a symbolic link, which duly does not follow; remove it"
            raise PlantedFileError(errno.ELOOP, told) from error
        raise
    try:
        found = os.fstat(descriptor)
        _refuse_planted(path, found)
        if found.st_mode & _OTHERS:
            os.fchmod(descriptor, FILE)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def _refuse_planted(path: Path, found: os.stat_result) -> None:
    if not stat.S_ISREG(found.st_mode):
        raise PlantedFileError(errno.EINVAL, "it is not a file; remove it")
    if found.st_uid != os.geteuid():
        raise PlantedFileError(errno.EPERM, f"it belongs to user {found.st_uid}; remove it, or chown it")
    if found.st_nlink > 1 and not _is_own_draft(path, found):
        raise PlantedFileError(errno.EMLINK, "it is a second name of another file (a hard link); remove it")


def _is_own_draft(path: Path, found: os.stat_result) -> bool:
    """Whether the other name of a file is the draft that it was just made from, or was, and is gone by now."""
    for draft in path.parent.glob(f".{path.name}.*"):
        with suppress(FileNotFoundError):
            if os.path.samestat(draft.lstat(), found):
                return True
    return path.lstat().st_nlink == 1


def others_may(folder: Path) -> str | None:
    """What other users may do in a folder: `write`, `read`, or None."""
    try:
        found = folder.stat()
    except OSError:
        return None
    if found.st_uid not in (os.geteuid(), 0) or found.st_mode & _OTHERS_WRITE:
        return "write"
    return "read" if found.st_mode & _OTHERS else None
