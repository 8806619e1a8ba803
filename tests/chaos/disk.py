"""Disks that misbehave, as SQLite sees them: one that fails a write, and one that loses power.

Each is a layer between SQLite and the real files, for every connection of this process that is opened while it is in
place. The shared memory of the log is not touched: it is gone after a loss of power anyway.
"""

from __future__ import annotations

import itertools
import sys
import threading
from abc import abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, TypeVar

import apsw

SECTOR = 512
_numbers = itertools.count()
D = TypeVar("D", bound="Disk")


class Disk(apsw.VFS):
    """Hears of everything that is done to files."""

    def __init__(self) -> None:
        self.name = f"disk{next(_numbers)}"
        super().__init__(self.name, "unix", True)

    def xOpen(self, name: str | apsw.URIFilename | None, flags: list[int]) -> apsw.VFSFile:  # noqa: N802
        path = name.filename() if isinstance(name, apsw.URIFilename) else name
        return _File(self, path or "", name, flags)

    def xDelete(self, filename: str, syncdir: bool) -> None:  # noqa: N802
        self.delete(filename)
        super().xDelete(filename, syncdir)

    @abstractmethod
    def write(self, path: str, data: bytes, offset: int) -> None: ...

    @abstractmethod
    def truncate(self, path: str, size: int) -> None: ...

    @abstractmethod
    def sync(self, path: str) -> None: ...

    @abstractmethod
    def delete(self, path: str) -> None: ...


class _File(apsw.VFSFile):
    def __init__(self, disk: Disk, path: str, name: Any, flags: list[int]) -> None:
        self._disk = disk
        self._path = path
        super().__init__("unix", name, flags)

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802
        self._disk.write(self._path, bytes(data), offset)
        super().xWrite(data, offset)

    def xTruncate(self, newsize: int) -> None:  # noqa: N802
        self._disk.truncate(self._path, newsize)
        super().xTruncate(newsize)

    def xSync(self, flags: int) -> None:  # noqa: N802
        self._disk.sync(self._path)
        super().xSync(flags)


@contextmanager
def in_place(disk: D) -> Iterator[D]:
    """Connections that are opened in the block are on this disk."""
    before = sys.unraisablehook

    def hear(fault: sys.UnraisableHookArgs) -> None:
        # SQLite does not pass on every fault: when a connection is closed, it leaves the log for the next one.
        if not isinstance(fault.exc_value, MadeToFailError):
            before(fault)

    sys.unraisablehook = hear
    try:
        yield disk
    finally:
        disk.unregister()
        sys.unraisablehook = before


class MadeToFailError(apsw.IOError):
    """An operation that failed because a test wanted it to."""


class FailingDisk(Disk):
    """Fails one operation out of a kind, and does all others."""

    def __init__(self) -> None:
        super().__init__()
        self._kind = ""
        self._left = 0
        self.failed = 0
        """How often it has failed."""

    def fail(self, kind: str, number: int) -> None:
        """Fail the operation of a kind (`write`, `sync`, `truncate`) that comes after so many others of it."""
        self._kind, self._left = kind, number + 1

    def write(self, path: str, data: bytes, offset: int) -> None:  # noqa: ARG002
        self._perhaps_fail("write", apsw.SQLITE_IOERR_WRITE)

    def truncate(self, path: str, size: int) -> None:  # noqa: ARG002
        self._perhaps_fail("truncate", apsw.SQLITE_IOERR_TRUNCATE)

    def sync(self, path: str) -> None:  # noqa: ARG002
        self._perhaps_fail("sync", apsw.SQLITE_IOERR_FSYNC)

    def delete(self, path: str) -> None:
        pass

    def _perhaps_fail(self, kind: str, code: int) -> None:
        if kind != self._kind or self._left <= 0:
            return
        self._left -= 1
        if self._left == 0:
            self.failed += 1
            error = MadeToFailError(f"this {kind} was made to fail")
            error.extendedresult = code  # type: ignore[attr-defined]
            raise error


@dataclass(slots=True)
class _Remembered:
    """What a file holds for certain, and what was done to it since it was last synced."""

    certain: bytearray = field(default_factory=bytearray)
    pending: list[tuple[int, bytes | None]] = field(default_factory=list)
    """Writes at an offset; without data, the file was cut off there."""

    def after_power_loss(self, chance: Random) -> bytes:
        """What is found afterwards: of what was not synced, any part, also of a single write."""
        image = bytearray(self.certain)
        keep = chance.choice((0.0, 0.5, 0.9, 1.0))
        for offset, data in self.pending:
            if data is None:
                if chance.random() < keep:
                    _cut(image, offset)
                continue
            for start in range(0, len(data), SECTOR):
                if chance.random() < keep:
                    _put(image, offset + start, data[start : start + SECTOR])
        return bytes(image)

    def settle(self) -> None:
        for offset, data in self.pending:
            if data is None:
                _cut(self.certain, offset)
            else:
                _put(self.certain, offset, data)
        self.pending = []


class PoweredDisk(Disk):
    """Remembers what has not been synced. Before each operation `cut` says whether to look at what would be left.

    Any thread may use it; it looks between two operations.
    """

    def __init__(self, chance: Random, cut: Callable[[], bool], found: Callable[[dict[str, bytes]], None]) -> None:
        super().__init__()
        self._chance = chance
        self._cut = cut
        self._found = found
        self._files: dict[str, _Remembered] = {}
        self._lock = threading.RLock()

    def write(self, path: str, data: bytes, offset: int) -> None:
        with self._lock:
            self._perhaps_cut()
            self._file(path).pending.append((offset, data))

    def truncate(self, path: str, size: int) -> None:
        with self._lock:
            self._perhaps_cut()
            self._file(path).pending.append((size, None))

    def sync(self, path: str) -> None:
        with self._lock:
            self._perhaps_cut()
            self._file(path).settle()

    def delete(self, path: str) -> None:
        with self._lock:
            self._perhaps_cut()
            self._files.pop(path, None)

    def look(self) -> dict[str, bytes]:
        """What each file would hold if power was lost now; by name."""
        with self._lock:
            return {Path(path).name: each.after_power_loss(self._chance) for path, each in self._files.items()}

    def _perhaps_cut(self) -> None:
        if self._cut():
            self._found(self.look())

    def _file(self, path: str) -> _Remembered:
        return self._files.setdefault(path, _Remembered())


def _put(image: bytearray, offset: int, data: bytes) -> None:
    if len(image) < offset:
        image.extend(bytes(offset - len(image)))
    image[offset : offset + len(data)] = data


def _cut(image: bytearray, size: int) -> None:
    del image[size:]
