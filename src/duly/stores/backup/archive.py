"""The file of a backup: a ZIP archive with a manifest that has the size and the SHA-256 of everything else in it.

    manifest.json           what it is: see `Backup`
    store.db                of SQLite: the whole database
    tables/NAME.copy        of PostgreSQL: one file for each table, as COPY writes text

It is read and written in pieces: nothing of it is ever in memory as a whole.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from duly._version import __version__
from duly.errors import BackupError
from duly.stores.queries import newest_migration

FORMAT = 1
MANIFEST = "manifest.json"
PIECE = 1 << 18  # bytes
_LARGEST_MANIFEST = 1 << 20  # bytes
_WHOLE = zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError
_ANOTHER = "take another backup"
_CURES = {
    errno.ENOSPC: "free some space on that disk",
    errno.EDQUOT: "free some space on that disk",
    errno.EFBIG: "let this user write files that large",
    errno.ENOENT: "make its folder first",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """One file of the archive."""

    size: int
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Backup:
    """What a backup is and holds: its manifest, and where it lies."""

    file: Path
    store: str
    """`sqlite` or `postgres`."""
    schema: int
    """The version of the schema: the number of its last migration."""
    duly: str
    """The version of duly that made it."""
    made_at: str
    tables: Mapping[str, int]
    """How many rows each table has."""
    members: Mapping[str, Member]
    columns: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Of PostgreSQL: the columns of each table, in order."""
    counters: Mapping[str, int] = field(default_factory=dict)
    """Of PostgreSQL: the last number that each `table.column` gave."""

    @property
    def rows(self) -> int:
        return sum(self.tables.values())

    @property
    def size(self) -> int:
        """The size of the file in bytes."""
        return self.file.stat().st_size

    def must_be(self, store: str, where: str) -> None:
        """Refuse a backup of the other database."""
        if self.store != store:
            raise BackupError(
                self.file,
                f"holds a store of {_NAMES[self.store]}, and {where}: set store in duly.toml, or take a backup of the "
                f"same kind",
            )


_NAMES = {"sqlite": "SQLite", "postgres": "PostgreSQL"}


def read(file: Path) -> Backup:
    """Read the manifest of a backup; refuse what is none, what is cut, and what a newer duly made."""
    with opened(file) as archive:
        try:
            entry = archive.getinfo(MANIFEST)
        except KeyError:
            raise BackupError(file, f"is no backup of duly: it has no {MANIFEST}") from None
        if entry.file_size > _LARGEST_MANIFEST:
            raise BackupError(file, f"is no backup of duly: its {MANIFEST} is too large")
        try:
            return _understood(file, json.loads(archive.read(entry)))
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise BackupError(file, f"is no backup of duly, or damaged: its {MANIFEST} cannot be read") from error


def _understood(file: Path, found: dict[str, Any]) -> Backup:
    form = int(found["format"])
    store = str(found["store"])
    schema = int(found["schema"])
    made_by = str(found["duly"])
    if form > FORMAT or schema > (known := newest_migration(store) if store in _NAMES else 0):
        what = f"format {form}, and this duly ({__version__}) knows {FORMAT}"
        if form <= FORMAT:
            what = f"schema version {schema}, and this duly ({__version__}) knows {known}"
        raise BackupError(file, f"was made by a newer duly ({made_by}): it has {what}. Upgrade duly")
    return Backup(
        file=file,
        store=store,
        schema=schema,
        duly=made_by,
        made_at=str(found["made_at"]),
        tables={str(name): int(rows) for name, rows in found["tables"].items()},
        members={
            str(name): Member(size=int(each["size"]), sha256=str(each["sha256"]))
            for name, each in found["members"].items()
        },
        columns={str(name): tuple(map(str, each)) for name, each in found["columns"].items()},
        counters={str(name): int(last) for name, last in found["counters"].items()},
    )


def check(file: Path, heard: Callable[[str], None]) -> Backup:
    """Read every byte of a backup, and compare it with the manifest."""
    backup = read(file)
    for name in backup.members:
        for _ in pieces(backup, name, heard):
            pass
    return backup


def pieces(backup: Backup, name: str, heard: Callable[[str], None]) -> Iterator[bytes]:
    """Give the content of a member piece by piece; raise at its end if it is not what was written."""
    expected = backup.members.get(name)
    if expected is None:
        raise BackupError(backup.file, f"is damaged: its manifest does not name {name}; {_ANOTHER}")
    digest = hashlib.sha256()
    size = 0
    with opened(backup.file) as archive:
        try:
            source = archive.open(name)
        except KeyError:
            raise BackupError(backup.file, f"is damaged: {name} is missing from it; {_ANOTHER}") from None
        with source:
            while piece := source.read(PIECE):
                digest.update(piece)
                size += len(piece)
                if size > expected.size:
                    break
                heard(f"read {size >> 20:,} of {expected.size >> 20:,} MB of {name}")
                yield piece
    if size != expected.size or digest.hexdigest() != expected.sha256:
        raise BackupError(backup.file, f"is damaged: the checksum of {name} is not that of its manifest; {_ANOTHER}")


@contextmanager
def opened(file: Path) -> Iterator[zipfile.ZipFile]:
    """Open an archive to read it; what is wrong with it has its sentence."""
    try:
        begins = file.open("rb")
    except OSError as error:
        raise BackupError(file, f"cannot be read: {error.strerror}") from error
    with begins:
        is_archive = begins.read(2) == b"PK"
    try:
        with zipfile.ZipFile(file) as archive:
            yield archive
    except _WHOLE as error:
        if not is_archive:
            raise BackupError(file, "is no backup of duly: it is not an archive that duly backup made") from error
        raise BackupError(file, f"is cut or damaged ({error}); {_ANOTHER}") from error


@contextmanager
def naming(file: Path) -> Iterator[None]:
    """Turn an `OSError` of the block into the error about a file that cannot be written."""
    try:
        yield
    except OSError as error:
        cure = _CURES.get(error.errno or 0, "name another with a folder that this user may write")
        raise BackupError(file, f"cannot be written: {error.strerror or error}; {cure}") from error


@contextmanager
def workroom(file: Path) -> Iterator[Path]:
    """Give a folder of our own beside a file, on the same disk; nothing of it is left after the block."""
    with tempfile.TemporaryDirectory(prefix=f".{file.name}.", dir=file.parent, ignore_cleanup_errors=True) as room:
        yield Path(room)


def sync(path: Path) -> None:
    """Wait until the disk has a file, or the names in a folder."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
