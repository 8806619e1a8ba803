"""Backups of a SQLite file: a copy of the database as it was at one moment.

The connection that is read from stays in one transaction: so it sees one moment, and what others write meanwhile does
not begin the copy anew. No writer waits for it: who reads a file with a log does not keep others from writing. The log
only grows until the copy ends.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import apsw

from duly import private_files
from duly.errors import BackupError
from duly.stores.backup.archive import PIECE, Backup, naming, pieces, sync, workroom
from duly.stores.sqlite.file import StoreFile
from duly.stores.sqlite.schema import version_of

if TYPE_CHECKING:
    from duly.stores.backup import Telling
    from duly.stores.backup.writing import NewArchive

MEMBER = "store.db"
_PAGES = 2000  # in one step: 8 MB, a few milliseconds
_STEPS = 1_000_000  # of SQLite's machine, between two words about the progress: some milliseconds
_TABLES = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name"


def write(store: Path, archive: NewArchive, room: Path, heard: Telling) -> None:
    """Copy a store into an archive; `room` is a folder that has room for a copy."""
    if not store.exists():
        raise BackupError(store, "is not there, so there is nothing to back up: store in duly.toml, or --data-dir")
    copy = room / MEMBER
    private_files.make_file(copy)
    _copy(store, copy, heard)
    archive.store = "sqlite"
    with _looking(copy, heard) as connection:
        archive.schema = version_of(connection)
        if not archive.schema:
            raise BackupError(store, "is no store of duly: it has no schema_version")
        if (fault := _fault_of(connection)) is not None:
            raise BackupError(store, f"is damaged ({fault}), and so would be its backup: keep the one from before")
        archive.tables = _count(connection)
    heard("writing the archive …")
    done = 0
    size = copy.stat().st_size
    with archive.member(MEMBER) as add, copy.open("rb") as source:
        while piece := source.read(PIECE):
            add(piece)
            done += len(piece)
            heard(f"wrote {done >> 20:,} of {size >> 20:,} MB")
    copy.unlink()


def _copy(store: Path, copy: Path, heard: Telling) -> None:
    file = StoreFile(store, create=False)
    source = file.connect()
    try:
        target = apsw.Connection(str(copy))
        try:
            for setting in ("journal_mode = OFF", "synchronous = OFF"):  # it counts only when the archive is whole
                target.execute(f"PRAGMA {setting}")
            source.execute("BEGIN")
            source.execute("SELECT 1 FROM sqlite_schema").get  # noqa: B018  the moment that is seen begins with a read
            with target.backup("main", source, "main") as backup:
                while not backup.done:
                    backup.step(_PAGES)
                    gone = backup.page_count - backup.remaining
                    heard(f"copied {gone:,} of {backup.page_count:,} pages")
            source.execute("COMMIT")
        finally:
            target.close()
        file.verify(source)
    except apsw.FullError as error:
        raise BackupError(
            copy.parent.parent, "has no room for a copy of the store: free some space on that disk"
        ) from error
    except apsw.Error as error:
        raise BackupError(
            store, f"cannot be copied into {copy.parent.parent} ({error}): see that both disks are well and have room"
        ) from error
    finally:
        with suppress(apsw.Error):
            if source.in_transaction:
                source.execute("ROLLBACK")
        file.let_go(source)
        file.close()


def restore(store: Path, backup: Backup, heard: Telling, *, force: bool) -> Path | None:
    """Put a backup in place of a file; give where the file that was there is kept."""
    with naming(store):
        private_files.make_folder(store.parent)
        if store.is_symlink():
            store = store.resolve()
        _refuse_full(store, force=force)
        with workroom(store) as room:
            copy = room / MEMBER
            private_files.make_file(copy)
            with copy.open("r+b") as into:
                for piece in pieces(backup, MEMBER, heard):
                    into.write(piece)
            _refuse_unlike(copy, backup, heard)
            sync(copy)
            kept = _set_aside(store)
            copy.replace(store)
            sync(store.parent)
    return kept


def _refuse_unlike(copy: Path, backup: Backup, heard: Telling) -> None:
    try:
        with _looking(copy, heard) as connection:
            fault = _fault_of(connection)
            if fault is None and (version_of(connection), _count(connection)) != (backup.schema, backup.tables):
                fault = "its tables are not those of its manifest"
    except apsw.Error as error:
        fault = str(error)
    if fault is not None:
        raise BackupError(backup.file, f"is damaged: {fault}; take another backup")


def _refuse_full(store: Path, *, force: bool) -> None:
    """Refuse to replace a store that has schedules, or a file that cannot be read."""
    if force or not store.exists() or not store.stat().st_size:
        return
    cure = "--force puts the backup in its place, and keeps what is there now beside it"
    try:
        with _looking(store) as connection:
            schedules = connection.execute("SELECT count(*) FROM schedules").get
    except apsw.Error as error:
        raise BackupError(store, f"cannot be read ({error}), so it may hold schedules: {cure}") from error
    if schedules:
        raise BackupError(store, f"holds {schedules:,} schedules: {cure}")


def _set_aside(store: Path) -> Path | None:
    """Keep the file that is there under another name, with all that its log holds; its own name is free of a log."""
    log, index = (store.with_name(f"{store.name}{end}") for end in ("-wal", "-shm"))
    if not store.exists():
        log.unlink(missing_ok=True)  # SQLite would apply it to the backup
        return None
    can_be_read = False
    with suppress(apsw.Error), _looking(store) as connection:
        can_be_read = connection.execute("PRAGMA schema_version").get is not None
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    if can_be_read and log.exists():  # the last one to close a file removes its log
        raise BackupError(store, "is used by another process of duly: stop every one of them first")
    kept = _free_name(store)
    kept.hardlink_to(store)
    if log.exists():  # of a damaged store: SQLite would apply it to the backup
        log.replace(kept.with_name(f"{kept.name}-wal"))
    index.unlink(missing_ok=True)
    return kept


def _free_name(store: Path) -> Path:
    number = 1
    while (kept := store.with_name(f"{store.name}.before-restore{'' if number == 1 else f'-{number}'}")).exists():
        number += 1
    return kept


@contextmanager
def _looking(path: Path, heard: Telling | None = None) -> Iterator[apsw.Connection]:
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
    if heard is not None:  # what takes long can be stopped
        connection.set_progress_handler(lambda: heard("checking the copy …") is not None, _STEPS)
    try:
        connection.set_busy_timeout(5000)
        yield connection
    finally:
        connection.close()


def _fault_of(connection: apsw.Connection) -> str | None:
    found = connection.execute("PRAGMA quick_check(1)").get
    return None if found == "ok" else str(found)


def _count(connection: apsw.Connection) -> dict[str, int]:
    names = [str(name) for (name,) in connection.execute(_TABLES)]
    return {name: int(connection.execute(f'SELECT count(*) FROM "{name}"').get) for name in names}  # noqa: S608  ours
