"""Backups: one archive of a whole store, made while others write, checked, and put back.

`archive` is the file, the same for both databases; `of_sqlite` and `of_postgres` fill it and read it. All of it works
in the caller's thread and takes as long as the store is large: an event loop gives it a thread of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from duly.stores import is_server
from duly.stores.backup.archive import Backup, check, naming, read, workroom

if TYPE_CHECKING:
    from datetime import datetime

Telling = Callable[[str], None]
"""Called with how far it is, in words; what it raises ends the work, and nothing is left of it."""

__all__ = ["Backup", "Telling", "check", "make", "read", "restore"]


def make(url: str, file: Path, now: datetime, heard: Telling) -> Backup:
    """Write a backup of the store at a URL into a new file. It is there whole, or not at all."""
    from duly.stores.backup.writing import new_archive

    with naming(file), workroom(file) as room, new_archive(file, room) as archive:
        if is_server(url):
            from duly.stores.backup import of_postgres

            of_postgres.write(url, archive, heard)
        else:
            from duly.stores.backup import of_sqlite

            of_sqlite.write(_path(url), archive, room, heard)
        return archive.finish(now, heard)


def restore(url: str, file: Path, heard: Telling, *, force: bool = False) -> tuple[Backup, Path | None]:
    """Put a backup in place of the store at a URL, after every byte of it was checked.

    Gives the backup, and where the store that was there before is kept. A store that has schedules is replaced only by
    `force`. If anything goes wrong, the store that was there stays.
    """
    backup = read(file)
    kept = None
    if is_server(url):
        from duly.stores.backup import of_postgres

        backup.must_be("postgres", "the store is PostgreSQL")
        check(file, heard)
        of_postgres.restore(url, backup, heard, force=force)
    else:
        from duly.stores.backup import of_sqlite

        backup.must_be("sqlite", "the store is a file of SQLite")
        kept = of_sqlite.restore(_path(url), backup, heard, force=force)
    return backup, kept


def _path(url: str) -> Path:
    return Path(url.removeprefix("sqlite:///")).expanduser()
