"""Writing the archive of a backup: beside the file, and in its place only when it is whole and on the disk."""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict
from datetime import datetime
from pathlib import Path

from duly import private_files
from duly._version import __version__
from duly.errors import BackupError
from duly.stores.backup.archive import FORMAT, MANIFEST, Backup, Member, check, sync
from duly.zones import iso

_QUICK = 1  # the level of compression: others take several times as long for a tenth less


class NewArchive:
    """An archive that is being written."""

    def __init__(self, file: Path, draft: Path) -> None:
        self._file = file
        self._draft = draft
        private_files.make_file(draft)
        self._zip = zipfile.ZipFile(draft, "w", zipfile.ZIP_DEFLATED, compresslevel=_QUICK)
        self._members: dict[str, Member] = {}
        self.store = ""
        self.schema = 0
        self.tables: dict[str, int] = {}
        self.columns: dict[str, tuple[str, ...]] = {}
        self.counters: dict[str, int] = {}

    @contextmanager
    def member(self, name: str) -> Iterator[Callable[[bytes], object]]:
        """Write a member in the block."""
        digest = hashlib.sha256()
        size = 0
        with self._zip.open(name, "w", force_zip64=True) as into:

            def write(piece: bytes) -> None:
                nonlocal size
                digest.update(piece)
                size += len(piece)
                into.write(piece)

            yield write
        self._members[name] = Member(size=size, sha256=digest.hexdigest())

    def finish(self, now: datetime, heard: Callable[[str], None]) -> Backup:
        """Add the manifest, see that it is all on the disk and can be read, and put the file in place."""
        backup = Backup(
            file=self._draft,
            store=self.store,
            schema=self.schema,
            duly=__version__,
            made_at=iso(now),
            tables=self.tables,
            members=self._members,
            columns=self.columns,
            counters=self.counters,
        )
        manifest = {"format": FORMAT, **{name: each for name, each in asdict(backup).items() if name != "file"}}
        with self._zip.open(MANIFEST, "w") as into:
            into.write(json.dumps(manifest, indent=1).encode())
        self._zip.close()
        sync(self._draft)
        check(self._draft, heard)
        _refuse_existing(self._file)
        self._draft.replace(self._file)
        sync(self._file.parent)
        return Backup(**{name: getattr(backup, name) for name in Backup.__slots__ if name != "file"}, file=self._file)

    def close(self) -> None:
        """Close what may not be whole: its folder is removed with it."""
        with suppress(OSError, ValueError):  # the disk may be full; the first error is the one to report
            self._zip.close()


@contextmanager
def new_archive(file: Path, room: Path) -> Iterator[NewArchive]:
    """Write an archive in the block; `finish` puts it in place."""
    _refuse_existing(file)
    archive = NewArchive(file, room / "backup")
    try:
        yield archive
    finally:
        archive.close()


def _refuse_existing(file: Path) -> None:
    if file.exists() or file.is_symlink():
        raise BackupError(file, "exists already, and a backup overwrites nothing: name another file, or remove it")
