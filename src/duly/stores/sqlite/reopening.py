"""Opening the file of a store, and opening it again when the path leads to another file than before.

When a file was replaced, nothing that was read from it is valid: every connection is closed, the listeners are called,
and once another file is there, and no process writes to it any more, that one is opened. A missing file is never made
anew.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, TypeVar

import apsw

from duly import private_files
from duly.clock import Clock
from duly.errors import StoreNotOpenError, StoreReplacedError, StoreUnavailableError
from duly.stores.sqlite.executor import Announce, InlineExecutor, SqliteExecutor, ThreadedExecutor, Work
from duly.stores.sqlite.file import StoreFile, inode_of, is_in_use, unavailable
from duly.stores.sqlite.schema import identity_of, is_current, migrate, version_of

T = TypeVar("T")
_UNTOUCHED = 1.0  # seconds for which a file that was put in place must not have changed: then no copy is under way
_LOOK_EVERY = 0.25  # seconds between looks for changes by other processes
_log = logging.getLogger("duly")


class _Signature(NamedTuple):
    """Values of a file of which some change with every write."""

    device: int
    inode: int
    size: int
    changed: int


class ReopeningExecutor(SqliteExecutor):
    """Passes work to another executor while that one has the file which the path leads to."""

    def __init__(self, path: Path, clock: Clock, announce: Announce, *, inline: bool) -> None:
        super().__init__(path)
        self._clock = clock
        self._announce = announce
        self.inline = inline
        self.executor: InlineExecutor | ThreadedExecutor | None = None
        self.file: StoreFile | None = None
        self.on_replaced: list[Callable[[str], None]] = []
        self._left: StoreFile | None = None
        """The file that was closed because it was replaced."""
        self._seen: tuple[_Signature | None, float] = (None, 0.0)
        self._identity = 0
        """The identity of the store that this process works with; 0 before it was opened."""
        self._alone = asyncio.Lock()

    async def open(self, *, create: bool) -> None:
        """Open the file and bring its schema up to date; without `create` it has to be a store already."""
        try:
            if create:
                private_files.make_folder(self._path.parent)
        except OSError as error:
            raise unavailable(self._path, error) from error
        if not create:
            self._refuse_to_make_one()
        file = StoreFile(self._path, create=create)
        try:
            executor = (InlineExecutor if self.inline else ThreadedExecutor)(file, self._clock, self._announce)
        except BaseException:
            file.close()
            raise
        try:
            await self._prepare(executor, create=create)
            await self._recognise(executor)
        except BaseException:
            await executor.close()
            raise
        self.file = file
        self.executor = executor
        self._left = None

    async def _recognise(self, executor: InlineExecutor | ThreadedExecutor) -> None:
        """Refuse a store that is not a copy of the one this process worked with, such as a new, empty one."""
        found = await executor.read(identity_of)
        if self._identity and found and found != self._identity:
            raise StoreUnavailableError(
                f"cannot use {self._path}: it is another store than the one this process worked with. Put a copy of "
                f"that one there{self._or_saved()}, or restart this process to work with this one"
            )
        self._identity = found

    def _or_saved(self) -> str:
        """Name the copy that was saved when the file went missing, if there is one."""
        saved = sorted(self._path.parent.glob(f"{self._path.name}.saved*"))
        return f" (such as {saved[-1].name} beside it)" if saved else ""

    def _refuse_to_make_one(self) -> None:
        found = _signature(self._path)
        if found is None:
            cure = f"put a copy of it back{self._or_saved()}"
            raise StoreUnavailableError(f"cannot use {self._path}: there is no such file; {cure}")
        if found.size == 0:  # SQLite would make a database of it
            raise self._no_store()

    def _no_store(self) -> StoreUnavailableError:
        return StoreUnavailableError(f"cannot use {self._path}: it is not a store of duly; put a copy of one there")

    async def _prepare(self, executor: InlineExecutor | ThreadedExecutor, *, create: bool) -> None:
        if await executor.read(lambda connection: is_current(connection, self._path)):
            return
        if not create and await executor.read(version_of) == 0:
            raise self._no_store()
        executor.writer.checkpoints.want_all()  # from there on its header tells the file from every copy: see `file`
        await executor.write(lambda connection: migrate(connection, self._path))

    async def write(self, work: Work[T], *, durable: bool = True) -> T:
        executor = self.executor or await self._reopened()
        try:
            return await executor.write(work, durable=durable)
        except StoreReplacedError as error:
            raise await self._about(error) from error

    async def read(self, work: Work[T]) -> T:
        executor = self.executor or await self._reopened()
        try:
            return await executor.read(work)
        except StoreReplacedError as error:
            raise await self._about(error) from error

    async def close(self) -> None:
        async with self._alone:  # a file that is being closed has its threads until that is done
            executor = self.executor
            file = self.file
            self.executor = None
            self.file = None
            self._left = None
            if executor is None or file is None:
                return
            await executor.close()
            if file.change is not None:  # since the last call
                file.remove_own_log()
                _log.error("%s", file.replaced())

    # when the file was replaced

    async def _about(self, error: StoreReplacedError) -> StoreReplacedError:
        """Close the file; returns the error for the caller, which says where the content of the file is."""
        left = await self.notice()
        return error if left is None else left.replaced()

    async def notice(self) -> StoreFile | None:
        """Close the file if it was replaced, and call the listeners; returns the file that was closed."""
        # Shielded: a caller that is cancelled must not leave it half done.
        return await asyncio.shield(asyncio.ensure_future(self._close_replaced()))

    async def _close_replaced(self) -> StoreFile | None:
        async with self._alone:
            executor = self.executor
            file = self.file
            if executor is None or file is None or file.change is None:
                return self._left
            self.executor = None
            self.file = None
            self._left = file
            self._seen = (None, 0.0)
            await executor.close()
            file.remove_own_log()
        message = str(file.replaced())
        for callback in self.on_replaced:
            callback(message)
        if not self.on_replaced:
            _log.error("%s", message)
        return file

    async def _reopened(self) -> SqliteExecutor:
        async with self._alone:
            if self.executor is None:
                await self._reopen()
            if self.executor is None:
                raise StoreNotOpenError(str(self._path))
            return self.executor

    async def _reopen(self) -> None:
        if (left := self._left) is None:
            return
        now = self._clock.monotonic()
        found = _signature(self._path)
        if found is None:
            raise left.replaced()
        if found != self._seen[0]:
            self._seen = (found, now)
        inode = inode_of(self._path)
        if now - self._seen[1] < _UNTOUCHED or (inode is not None and inode == left.inode and is_in_use(inode)):
            raise left.replaced()
        await self.open(create=False)
        _log.warning("%s was opened again: work goes on with what is in it now", self._path)


def _signature(path: Path) -> _Signature | None:
    """Read the signature of a file; None when there is no file."""
    try:
        found = os.stat(path)  # noqa: PTH116
    except OSError:
        return None
    return _Signature(device=found.st_dev, inode=found.st_ino, size=found.st_size, changed=found.st_mtime_ns)


class FileWatcher:
    """Watches the file for writes of other processes, on a connection of its own."""

    def __init__(self, keeper: ReopeningExecutor) -> None:
        self._keeper = keeper
        self.callbacks: list[Callable[[], None]] = []
        self._task: asyncio.Task[None] | None = None
        self._file: StoreFile | None = None
        self._connection: apsw.Connection | None = None
        self._seen: int | None = None

    def add(self, callback: Callable[[], None]) -> None:
        """Call back when another process has written something."""
        self.callbacks.append(callback)
        if self._task is None and not self._keeper.inline:
            self._task = asyncio.get_running_loop().create_task(self._watch(), name="duly-sqlite-watch")

    async def stop(self) -> None:
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def _watch(self) -> None:
        try:
            while True:
                try:
                    self._look()
                except StoreReplacedError:
                    self._disconnect()
                    await self._keeper.notice()
                except (apsw.Error, StoreUnavailableError):
                    pass  # the engine meets the same error, and reports it
                await asyncio.sleep(_LOOK_EVERY)
        finally:
            self._disconnect()

    def _look(self) -> None:
        """Read the counter that SQLite moves when another process writes; it costs microseconds.

        The first look calls the listeners in any case: it cannot see what was written since they were added.
        """
        if self._file is not self._keeper.file:
            self._disconnect()
            self._file = self._keeper.file
        if self._file is None:
            return
        if self._connection is None:
            self._connection = self._file.connect()
        self._file.verify(self._connection)
        now = self._connection.execute("PRAGMA data_version").get
        if now != self._seen:
            self._seen = now
            for callback in self.callbacks:
                callback()

    def _disconnect(self) -> None:
        if self._connection is not None and self._file is not None:
            self._file.let_go(self._connection)
        self._connection = None
        self._file = None
        self._seen = None
