"""Files and folders that only their owner can read or write, with any umask."""

from __future__ import annotations

import errno
import os
import shlex
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
    """Make a folder and its missing parents. An existing folder stays as it is."""
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
            each.chmod(FOLDER)  # the umask may have removed the owner's own rights


def make_file(path: Path) -> bool:
    """Make an empty file; false when the path exists already, which stays as it is."""
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
    """Remove the rights of other users from an own file; say whether there were any.

    A file of another user, or on a disk without permissions, stays as it is.
    """
    with suppress(OSError):
        found = path.stat()
        is_ours = stat.S_ISREG(found.st_mode) and found.st_uid == os.geteuid()
        if is_ours and found.st_mode & _OTHERS:
            path.chmod(stat.S_IMODE(found.st_mode) & ~_OTHERS)
            return True
    return False


def open_own(path: Path, flags: int) -> int:
    """Open an own file, and refuse a symbolic link, a second name of another file, and another user's file.

    The rights of other users are removed. Raises `FileNotFoundError` when there is none, unless `flags` create it.
    """
    try:
        descriptor = os.open(path, flags | _NO_LINKS | os.O_CLOEXEC | os.O_NONBLOCK, FILE)
    except OSError as error:
        if path.is_symlink():
            reason = "it is a symbolic link, which duly does not follow; remove it"
            raise PlantedFileError(errno.ELOOP, reason) from error
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
    """Say whether the second name of a file is, or was a moment ago, the draft that duly makes it from."""
    for draft in path.parent.glob(f".{path.name}.*"):
        with suppress(FileNotFoundError):
            if os.path.samestat(draft.lstat(), found):
                return True
    return path.lstat().st_nlink == 1


def foreign_hand(path: Path, *, is_named: bool = True) -> str | None:
    """Give the reason why other users could have written a file, or a file in a folder; None if they could not.

    In a folder like /tmp others cannot replace a file of ours, so it may hold one that is named itself.
    """
    try:
        found = path.stat()
    except OSError:
        return None
    if found.st_uid not in (os.geteuid(), 0):
        return f"belongs to user {found.st_uid}"
    if not is_named and found.st_mode & stat.S_ISVTX:
        return None
    group = found.st_mode & stat.S_IWGRP and not _is_own_group(found.st_gid)
    if not group and not found.st_mode & stat.S_IWOTH:
        return None
    return f"can be written by other users (run: chmod go-w {shlex.quote(str(path))})"


def _is_own_group(gid: int) -> bool:
    """Whether a group has only this user, as many systems make one for each: then its rights are the user's."""
    import grp  # late: few files are open to their group
    import pwd

    try:
        user = pwd.getpwuid(os.geteuid())
        group = grp.getgrgid(gid)
    except KeyError:
        return False
    return gid == user.pw_gid and group.gr_name == user.pw_name and not set(group.gr_mem) - {user.pw_name}


def others_may(folder: Path) -> str | None:
    """Give what other users may do in a folder: `write`, `read`, or None."""
    try:
        found = folder.stat()
    except OSError:
        return None
    if found.st_uid not in (os.geteuid(), 0) or found.st_mode & _OTHERS_WRITE:
        return "write"
    return "read" if found.st_mode & _OTHERS else None
