"""How a SQLite file is opened, and whether its path still leads to the file that was opened.

SQLite goes on writing into a file that was deleted, replaced or overwritten under it, and does not notice: what is
committed there is lost. So every connection is made here, and a caller that has committed something asks `verify`
before it answers. That costs three calls of `stat` and one read of a hundred bytes.

A file that is overwritten in place, as `cp` does it, keeps its inode. Two numbers in its header give it away: the
stamp that each checkpoint of ours raises (see `checkpoints`) and the number of changes of the schema. Neither ever
gets smaller, and neither is ever ahead of what a connection reads through the log.
"""

from __future__ import annotations

import itertools
import os
import threading
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import apsw

from duly import private_files
from duly.errors import StoreReplacedError, StoreUnavailableError
from duly.stores.sqlite.schema import version_of
from duly.stores.sqlite.write_lock import patient

if TYPE_CHECKING:
    from duly.model.audit import ChainEnd
    from duly.model.events import Event

Inode: TypeAlias = tuple[int, int]
_PUT_BACK = (
    "Put a copy in its place, and this process goes on with it by itself; without one, a restart begins with an "
    "empty store"
)
_HEADER = 100
_MAGIC = b"SQLite format 3\0"
_SCHEMA = slice(40, 44)
_STAMP = slice(60, 64)

_PATIENCE = 5.0  # seconds
_BETWEEN_TRIES = 0.01  # seconds
_STATEMENTS = 250  # kept prepared: those for many rows come in several sizes
_ROOM = 64 * 1024  # bytes without which not even the index of the log can be made
_FULL = "the disk of {folder} is full: free some space there"
_NOT_ALLOWED = "this user has to be allowed to read and write the file and the directory {folder}"
_DAMAGED = "put a copy from before in its place, or move it away to start afresh"
_CURES = (
    (apsw.FullError, _FULL),
    (apsw.CantOpenError, _NOT_ALLOWED),
    (apsw.ReadOnlyError, _NOT_ALLOWED),
    (apsw.CorruptError, _DAMAGED),
    (apsw.NotADBError, _DAMAGED),
)

_counting = threading.Lock()
_connections: Counter[Inode] = Counter()
"""How many connections this process has to each file: SQLite shares the state of a log among them."""


class StoreConnection(apsw.Connection):
    """A connection that keeps the events written in its transaction for the listeners."""

    written: list[Event]
    deferred: list[tuple[Event, str]] | None = None
    """Where several callers share a transaction: events, with the texts of their data, that its end will write."""
    chain_end: ChainEnd | None = None
    """Where this connection left the chain of the audit; others may have gone on since."""


def connect(path: Path, patience: float | None = None, *, create: bool = True) -> StoreConnection:
    """Open a connection with the settings of duly; `create` makes a missing file.

    It waits so many seconds for a lock that others hold.
    """
    flags = apsw.SQLITE_OPEN_READWRITE | (apsw.SQLITE_OPEN_CREATE if create else 0)
    connection: StoreConnection | None = None
    try:
        if create:  # SQLite would make it readable for all; the log and its index get the mode of the file
            private_files.make_file(path)
        connection = StoreConnection(str(path), flags=flags, statementcachesize=_STATEMENTS)
        connection.written = []
        # A prepared statement keeps its plan. SQLite would make another one for nearly every value that is bound to it,
        # which takes several times as long as most statements of duly.
        connection.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)
        wait = patient(_PATIENCE if patience is None else patience)
        connection.set_busy_handler(wait)
        if create or version_of(connection):  # otherwise it is not a store of duly, and must not be changed
            connection.set_busy_handler(None)
            _use_wal(connection)
            connection.set_busy_handler(wait)
        for setting in ("synchronous = FULL", "foreign_keys = ON", "wal_autocheckpoint = 0"):
            connection.execute(f"PRAGMA {setting}")
        # SQLite's own lower() knows ASCII only.
        connection.create_scalar_function("lower_case", lambda *texts: str(texts[0]).lower(), 1, deterministic=True)
    except (apsw.Error, OSError) as error:
        if connection is not None:
            connection.close()
        raise unavailable(path, error) from error
    return connection


def _use_wal(connection: apsw.Connection) -> None:
    """Switch a file that does not use a write-ahead log yet; a reader must not wait for a writer over that.

    Of processes that open a new file at once only one can switch it; SQLite does not let the others wait for it, so
    each try fails at once.
    """
    for _ in range(int(_PATIENCE / _BETWEEN_TRIES)):
        try:
            _switch_to_wal(connection)
        except apsw.BusyError:
            time.sleep(_BETWEEN_TRIES)
        else:
            return
    _switch_to_wal(connection)


def _switch_to_wal(connection: apsw.Connection) -> None:
    if connection.execute("PRAGMA journal_mode").get != "wal":
        connection.execute("PRAGMA journal_mode = WAL")


def unavailable(path: Path, error: Exception) -> StoreUnavailableError:
    """Turn an error of the driver or the operating system into the one that the engine waits out."""
    cure = _FULL if _is_full(path.parent) else next((cure for kind, cure in _CURES if isinstance(error, kind)), "")
    said = f"cannot use {path}: {type(error).__name__}: {error}"
    return StoreUnavailableError(f"{said}; {cure.format(folder=path.parent)}" if cure else said)


def _is_full(folder: Path) -> bool:
    """Tell whether a disk is full. SQLite reports that in several ways, some of which sound like other faults."""
    try:
        disk = os.statvfs(folder)
    except OSError:
        return False
    return disk.f_bavail * disk.f_frsize < _ROOM or (disk.f_files > 0 and disk.f_favail == 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class FileChange:
    """How the file at the path has changed since it was opened."""

    what: str
    cure: str
    into_file: bool
    """Whether the content of our log still belongs into the file that we have open."""
    saved: Path | None = None
    """Where a copy of the file is saved, if its content would be lost otherwise."""
    own_log: bool = False
    """Whether the log at the path is ours: SQLite must not apply it to the file that is there now."""


class StoreFile:
    """A database file with its log and the index of its log. Usable from any thread."""

    def __init__(self, path: Path, *, create: bool = True) -> None:
        self.path = path
        self._create = create
        self._lock = threading.Lock()
        self._inodes: dict[Path, Inode | None] = {}
        self._places: tuple[tuple[str, Inode | None], ...] = ()
        """The same with the paths as texts: every commit looks there."""
        self._header = b""
        self._raw: apsw.VFSFile | None = None
        self.change: FileChange | None = None
        """How it has changed; after that it is never used again."""

    @property
    def inode(self) -> Inode | None:
        return self._inodes.get(self.path)

    # connections

    def connect(self, patience: float | None = None) -> StoreConnection:
        """Open a connection to this file; the first one, opened before any thread starts, decides which file it is."""
        if self._inodes:
            self._refuse_if(self._find_moved())  # before SQLite applies the log that is there to the wrong file
        connection = connect(self.path, patience, create=False) if self._inodes else self._first()
        with _counting:
            _connections[self.inode or (0, 0)] += 1
        try:
            self.verify(connection)
        except BaseException:
            self.let_go(connection)
            raise
        return connection

    def let_go(self, connection: apsw.Connection) -> None:
        """Close a connection. If the file was replaced, nothing is written into it, and no log is removed."""
        try:
            if self.look(connection) is not None:
                connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
            connection.close()
        finally:
            with _counting:
                _connections[self.inode or (0, 0)] -= 1

    def close(self) -> None:
        """Close the file itself, after the last connection."""
        with self._lock:
            raw, self._raw = self._raw, None
            if raw is not None:
                raw.xClose()

    def _first(self) -> StoreConnection:
        before = inode_of(self.path)
        connection = connect(self.path, create=self._create)
        try:
            self._remember(connection)
            for each in self._inodes:
                private_files.tighten(each)  # made by an older duly, or by other hands
        except BaseException as error:
            connection.close()
            if isinstance(error, apsw.Error):
                raise unavailable(self.path, error) from error
            raise
        if before is not None and before != self.inode:
            connection.close()
            raise StoreUnavailableError(f"cannot use {self.path}: it was replaced while it was opened; try again")
        return connection

    def _remember(self, connection: apsw.Connection) -> None:
        """Remember the file that the first connection has opened."""
        _ = connection.execute("PRAGMA schema_version").get  # opens the log
        # Through SQLite's own layer: closing a file that was opened in another way would end all locks of SQLite.
        flags = [apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_MAIN_DB, 0]
        self._raw = apsw.VFSFile("", str(self.path), flags)
        self._header = self._read_header()
        self._inodes = {each: inode_of(each) for each in (self.path, *_log_of(self.path))}
        self._places = tuple((str(each), inode) for each, inode in self._inodes.items())

    # noticing a replaced file

    def verify(self, connection: apsw.Connection) -> None:
        """Raise an error if the path leads to another file by now, or to none. Not inside a transaction."""
        self._refuse_if(self.look(connection))

    def _refuse_if(self, change: FileChange | None) -> None:
        if change is not None:
            raise self.replaced()

    def replaced(self) -> StoreReplacedError:
        """Make the error for a caller after the file was replaced."""
        reason = "it was replaced" if self.change is None else f"{self.change.what}. {self.change.cure}"
        return StoreReplacedError(f"cannot use {self.path}: {reason}")

    def look(self, connection: apsw.Connection) -> FileChange | None:
        """Return how the file has changed; None when it is the one that was opened."""
        with self._lock:
            if self.change is None:
                self.change = self._moved() or self._overwritten(connection)
            return self.change

    def _find_moved(self) -> FileChange | None:
        with self._lock:
            self.change = self.change or self._moved()
            return self.change

    def _moved(self) -> FileChange | None:
        for name, inode in self._places:
            if _inode_at(name) != inode:
                path = Path(name)
                return self._moved_database() if path == self.path else self._lost_log(path)
        return None

    def _moved_database(self) -> FileChange:
        own_log = any(inode_of(each) == self._inodes[each] for each in _log_of(self.path))
        if inode_of(self.path) is None:
            return FileChange(
                what="it was deleted or moved away while this process used it",
                cure=_PUT_BACK,
                into_file=True,
                saved=_free_name(self.path),
                own_log=own_log,
            )
        return FileChange(
            what="it was replaced by another file while this process used it",
            cure="this process goes on with the file that is there now by itself",
            into_file=True,
            own_log=own_log,
        )

    def _lost_log(self, path: Path) -> FileChange:
        return FileChange(
            what=f"{path.name} was deleted or replaced while this process used it",
            cure="this process writes what it held into the database and goes on by itself; never remove that file "
            "while duly runs",
            into_file=all(inode_of(each) in (None, self._inodes[each]) for each in _log_of(self.path)),
        )

    def _overwritten(self, connection: apsw.Connection) -> FileChange | None:
        if self._raw is None:
            return None
        try:
            header = self._read_header()
            if header == self._header:
                return None
            ours = header.startswith(_MAGIC) and all(
                _number(self._header, part) <= _number(header, part) <= int(connection.execute(f"PRAGMA {name}").get)
                for name, part in (("schema_version", _SCHEMA), ("user_version", _STAMP))
            )
        except apsw.Error:
            return None  # the work itself meets the same error, and reports it
        if ours:
            self._header = header  # a checkpoint
            return None
        return FileChange(
            what="another program wrote over it while this process used it",
            cure="this process goes on with what is there now by itself",
            into_file=False,
            own_log=any(inode_of(each) == self._inodes[each] for each in _log_of(self.path)),
        )

    def _read_header(self) -> bytes:
        return b"" if self._raw is None else self._raw.xRead(_HEADER, 0)

    def sync(self) -> None:
        """Wait until the disk has all that was written into the database itself; not while it is closed."""
        if self._raw is not None:
            self._raw.xSync(apsw.SQLITE_SYNC_NORMAL)

    # leaving a replaced file

    def rescue(self, connection: apsw.Connection) -> None:
        """Save what was committed, as far as possible; call it before the last `let_go`."""
        change = self.look(connection)
        if change is None:
            return
        with suppress(apsw.Error, OSError):
            if change.into_file:
                connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
            if change.saved is not None:
                _copy(connection, change.saved)
                cure = f"what it held is in {change.saved}: mv {change.saved} {self.path} puts it back"
                self.change = replace(change, cure=f"{cure}. {_PUT_BACK}")

    def remove_own_log(self) -> None:
        """Remove our log from beside a file that it does not belong to: SQLite would apply it to that file."""
        if self.change is not None and self.change.own_log:
            for path in _log_of(self.path):
                if inode_of(path) == self._inodes[path]:
                    path.unlink(missing_ok=True)


def is_in_use(inode: Inode) -> bool:
    """Tell whether this process still has connections to a file."""
    with _counting:
        return _connections[inode] > 0


def inode_of(path: Path) -> Inode | None:
    """Return which file a path leads to; None when there is none."""
    return _inode_at(str(path))


def _inode_at(path: str) -> Inode | None:
    try:
        found = os.stat(path)  # noqa: PTH116  a Path of its own for each look would cost more than the look
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _free_name(path: Path) -> Path:
    names = (path.with_name(f"{path.name}.saved{'' if count == 1 else f'-{count}'}") for count in itertools.count(1))
    return next(name for name in names if not name.exists())


def _copy(connection: apsw.Connection, into: Path) -> None:
    if not private_files.make_file(into):
        raise FileExistsError(into)
    copy = apsw.Connection(str(into))
    try:
        with copy.backup("main", connection, "main") as backup:
            backup.step()
    except apsw.Error:
        into.unlink()
        raise
    finally:
        copy.close()


def _number(header: bytes, part: slice) -> int:
    return int.from_bytes(header[part], "big")


def _log_of(path: Path) -> tuple[Path, Path]:
    return path.with_name(f"{path.name}-wal"), path.with_name(f"{path.name}-shm")
