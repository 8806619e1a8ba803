"""Backups of the store of a process: into a file that is named, or into the folder of `[backup]`, which keeps the last.

The work is done in a thread: a store that is large keeps no caller and no fire waiting.
"""

from __future__ import annotations

import asyncio
import re
import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from duly import private_files
from duly.errors import AccessDeniedError, BackupError, ConflictError, DulyError, NotFoundError
from duly.model.events import STORE_BACKED_UP, STORE_BACKUP_FAILED, Event

if TYPE_CHECKING:
    from duly.clock import Clock
    from duly.config.backup import BackupSettings
    from duly.config.settings import Settings
    from duly.service.access.scopes import Caller
    from duly.stores.backup import Backup, Telling

T = TypeVar("T")
ANSWERED_AFTER = 5.0
"""Seconds after which a caller elsewhere hears that a backup is being made."""
_NAME = re.compile(r"duly-(\d{8}T\d{6}Z)\.backup")
_WRITTEN = "%Y%m%dT%H%M%SZ"


@dataclass(frozen=True, slots=True, kw_only=True)
class BackupView:
    """A backup: where it is, what it holds, and which duly made it."""

    file: str
    """Its path, on the machine that made it."""
    made_at: str
    """When it was begun: it holds the store as it was then."""
    duly: str
    """The version of duly that made it."""
    store: str
    """The database: sqlite or postgres."""
    schema_version: int
    schedules: int
    runs: int
    rows: int
    """Rows of all tables."""
    size: int
    """Bytes of the file."""

    def __str__(self) -> str:
        holds = ", ".join(
            f"{n:,} {what}{'' if n == 1 else 's'}" for n, what in ((self.schedules, "schedule"), (self.runs, "run"))
        )
        return (
            f"{self.file}: {holds}, {self.size / 1e6:,.1f} MB, made {self.made_at} by duly {self.duly} ({self.store})"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class BackupMade:
    """A backup that was asked for: what was made, or that it goes on."""

    folder: str
    """Where it is, or will be, on the machine that makes it."""
    backup: BackupView | None = None
    """None while it is being made."""
    goes_on: bool = False
    """Whether it is being made, after this answer."""


def view_of(backup: Backup) -> BackupView:
    """Show a backup."""
    return BackupView(
        file=str(backup.file),
        made_at=backup.made_at,
        duly=backup.duly,
        store=backup.store,
        schema_version=backup.schema,
        schedules=backup.tables.get("schedules", 0),
        runs=backup.tables.get("runs", 0),
        rows=backup.rows,
        size=backup.size,
    )


def _unheard(_text: str) -> None: ...


class Backups:
    """Makes backups, one at a time."""

    def __init__(
        self, url: Callable[[], str], settings: Callable[[], Settings], clock: Clock, tell: Callable[[Event], None]
    ) -> None:
        """`url` gives the address of the store, with its password; `tell` hears how those into the folder end."""
        self._url = url
        self._settings = settings
        self._clock = clock
        self._tell = tell
        self._busy = False
        self._under_way = set[asyncio.Task[BackupView]]()
        self.fault: str | None = None
        """Why the last one into the folder failed; None when it did not."""

    async def begin(self, caller: Caller) -> BackupMade:
        """Make a backup for a caller elsewhere, who does not wait for minutes: after some seconds it goes on alone."""
        wanted = self._wanted(caller)
        task = asyncio.get_running_loop().create_task(self.make_in_folder(wanted))
        task.add_done_callback(lambda ended: ended.cancelled() or ended.exception())  # a failure is an event, and red
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)
        done, _ = await asyncio.wait({task}, timeout=ANSWERED_AFTER)
        return BackupMade(folder=str(wanted.folder), backup=task.result() if done else None, goes_on=not done)

    async def make(self, caller: Caller) -> BackupView:
        """Make a backup now, in the folder of `[backup]`. For admins."""
        return await self.make_in_folder(self._wanted(caller))

    async def stop(self) -> None:
        """End what is under way; nothing is left of it."""
        for task in tuple(self._under_way):
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    def _wanted(self, caller: Caller) -> BackupSettings:
        """Give where a caller may have a backup made."""
        if not caller.scope.is_admin or caller.scope.read_only:
            raise AccessDeniedError("cannot make a backup: access denied, it is for admins")
        wanted = self._settings().backup
        if wanted is None:
            raise NotFoundError(
                'there is no folder for backups: name it in duly.toml, [backup] folder = "…", or name a file on the '
                "machine of the store: duly backup FILE"
            )
        return wanted

    async def make_in_folder(self, wanted: BackupSettings) -> BackupView:
        """Make a backup in a folder, and remove the oldest that are more than it keeps."""
        if self._busy:
            raise ConflictError("a backup is being made already: wait until it has ended")
        self._busy = True
        began = self._clock.monotonic()
        try:
            made = await self._written_into(wanted)
        except ConflictError:
            raise
        except DulyError as error:
            self.fault = str(error)
            self._tell(Event(STORE_BACKUP_FAILED, self._clock.now(), data={"error": self.fault}))
            raise
        finally:
            self._busy = False
        self.fault = None
        seconds = round(self._clock.monotonic() - began, 3)
        said = {"file": made.file, "size": made.size, "seconds": seconds}
        self._tell(Event(STORE_BACKED_UP, self._clock.now(), data=said))
        return made

    async def _written_into(self, wanted: BackupSettings) -> BackupView:
        import shutil

        folder = wanted.folder
        try:
            private_files.make_folder(folder)
            for rest in folder.glob(".duly-*.backup.*"):  # of a process that was killed
                shutil.rmtree(rest, ignore_errors=True)
            name = f"duly-{self._clock.now().astimezone(UTC):{_WRITTEN}}.backup"
            if (folder / name).exists():
                raise ConflictError(f"{name} was made this very second: it is in {folder}")
            made = await self.write(folder / name)
            for old in kept_in(folder)[: -wanted.keep]:
                old.unlink(missing_ok=True)
        except OSError as error:
            raise BackupError(folder, f"cannot be used: {error.strerror}; name another folder in [backup]") from error
        return made

    async def write(self, file: Path, heard: Telling = _unheard) -> BackupView:
        """Write a backup into a new file."""
        from duly.stores import backup as stores  # late: most commands that load this only look

        return await in_thread(
            lambda hear: view_of(stores.make(self._url(), file, self._clock.now(), hear)),
            heard,
        )

    async def restore(
        self, file: Path, heard: Telling = _unheard, *, force: bool = False
    ) -> tuple[BackupView, Path | None]:
        """Put a backup in place of the store, which no process may use; give where the one before is kept."""
        from duly.stores import backup as stores

        backup, kept = await in_thread(lambda hear: stores.restore(self._url(), file, hear, force=force), heard)
        return view_of(backup), kept


async def verify(file: Path, heard: Telling = _unheard) -> BackupView:
    """Read every byte of a backup, and compare it with its checksums."""
    from duly.stores import backup as stores

    return view_of(await in_thread(lambda hear: stores.check(file, hear), heard))


async def in_thread(work: Callable[[Telling], T], heard: Telling) -> T:
    """Work in a thread. When the caller is cancelled, the work ends at the next word it says."""
    ended = threading.Event()

    def hear(text: str) -> None:
        if ended.is_set():
            raise BackupError("the backup", "was not made: the process that made it was asked to stop")
        heard(text)

    task = asyncio.get_running_loop().create_task(asyncio.to_thread(work, hear))
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        ended.set()
        await asyncio.gather(task, return_exceptions=True)
        raise


def kept_in(folder: Path) -> list[Path]:
    """Give the backups of a folder, the oldest first; other files are nothing of ours."""
    return sorted(each for each in folder.glob("duly-*.backup") if _NAME.fullmatch(each.name))


def newest_in(folder: Path) -> datetime | None:
    """Give when the newest backup of a folder was begun."""
    kept = kept_in(folder)
    found = _NAME.fullmatch(kept[-1].name) if kept else None
    return None if found is None else datetime.strptime(found[1], _WRITTEN).replace(tzinfo=UTC)
