"""One daemon per data directory, and a way to find it."""

from __future__ import annotations

import fcntl
import json
import logging
import os
from pathlib import Path
from typing import Any

from duly import private_files
from duly.clock import Clock
from duly.errors import ConfigError, DulyError
from duly.ports.store import Store
from duly.runtime.files import naming

_NAME = "daemon.lock"
_TRIES, _BLINK = 5, 0.05
_LOOK_EVERY = 5.0
_log = logging.getLogger("duly")


class Presence:
    """A lock that is held as long as the process lives.

    The file says where the daemon listens, on which store it works, and which configuration file it goes by.
    """

    def __init__(self, data_dir: Path) -> None:
        self._path = data_dir / _NAME
        self._descriptor: int | None = None
        self._facts: dict[str, Any] = {}

    async def claim(
        self, url: str, store: str, clock: Clock, config: Path | None = None, *, needs_trust: bool = False
    ) -> None:
        """Be the daemon of this directory, or say who is."""
        for _ in range(_TRIES):
            if (descriptor := self._try_to_lock()) is not None:
                break
            await clock.sleep(_BLINK)  # somebody may only be looking
        else:
            raise self._taken(found(self._path.parent) or {})
        self._descriptor = descriptor
        self._facts = {"pid": os.getpid(), "url": url, "store": store, "needs_trust": needs_trust}
        self.goes_by(config)

    def _try_to_lock(self) -> int | None:
        """A lock on the file that the path leads to; None when another process holds it.

        A file that is deleted between opening and locking is one that no other daemon would look at.
        """
        while True:
            with naming(self._path):
                descriptor = private_files.open_own(self._path, os.O_RDWR | os.O_CREAT)
            if not _lock(descriptor, fcntl.LOCK_EX):
                os.close(descriptor)
                return None
            if self._leads_to(descriptor):
                return descriptor
            os.close(descriptor)

    def _leads_to(self, descriptor: int) -> bool:
        try:
            return os.path.samestat(os.fstat(descriptor), self._path.lstat())
        except FileNotFoundError:
            return False

    async def keep(self, clock: Clock) -> None:
        """Look now and then whether the file is still there: without it a second daemon would start, and no command
        would find this one. Never ends by itself.
        """
        told = ""
        while True:
            await clock.sleep(_LOOK_EVERY)
            fault = self.look_after()
            if fault not in ("", told):
                _log.error("%s", fault)
            told = fault

    def look_after(self) -> str:
        """Put a lock file back that was deleted; what keeps us from it, or nothing."""
        if self._descriptor is None or self._leads_to(self._descriptor):
            return ""
        try:
            descriptor = self._try_to_lock()
        except DulyError as error:
            return str(error)
        if descriptor is None:
            where = (found(self._path.parent) or {}).get("url", "another address")
            return (
                f"{self._path} was deleted, and a second daemon has taken its place, at {where}: stop one of the two. "
                f"Never delete this file while a daemon runs"
            )
        old, self._descriptor = self._descriptor, descriptor
        os.close(old)
        self._write_facts()
        _log.warning("%s was deleted while this daemon held it; it is back. Never delete it", self._path)
        return ""

    def goes_by(self, config: Path | None) -> None:
        """Say which configuration file holds now."""
        if self._descriptor is None:
            return
        self._facts["config"] = None if config is None else str(config)
        self._write_facts()

    def _write_facts(self) -> None:
        if self._descriptor is None:
            return
        text = json.dumps(self._facts).encode()
        with naming(self._path):
            os.pwrite(self._descriptor, text, 0)
            os.ftruncate(self._descriptor, len(text))

    def refuse_second(self) -> None:
        """Say who is the daemon of this directory, if there is one."""
        if (there := found(self._path.parent)) is not None:
            raise self._taken(there)

    def _taken(self, there: dict[str, Any]) -> DulyError:
        where = there.get("url", "another address")
        return DulyError(
            f"a daemon already runs on {self._path.parent}, at {where}: stop it first, or give this one --data-dir"
        )

    def release(self) -> None:
        if self._descriptor is not None:
            os.ftruncate(self._descriptor, 0)
            os.close(self._descriptor)
            self._descriptor = None


def found(data_dir: Path) -> dict[str, Any] | None:
    """The daemon that runs on a directory: what its file says; None when there is none."""
    try:
        descriptor = os.open(data_dir / _NAME, os.O_RDONLY)
    except OSError:
        return None
    try:
        if _lock(descriptor, fcntl.LOCK_SH):
            return None  # nobody holds it
        text = os.read(descriptor, 16_384)
    finally:
        os.close(descriptor)
    try:
        facts: dict[str, Any] = json.loads(text)
    except ValueError:
        return {}
    return facts


def _lock(descriptor: int, kind: int) -> bool:
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


async def served_by_daemon(data_dir: Path, store: Store) -> frozenset[str] | None:
    """What the running daemon of a data directory serves; None without one. Refused when it works on another store."""
    daemon = found(data_dir)
    if daemon is None:
        return None
    if daemon.get("store", store.url) != store.url:
        raise ConfigError(
            "store",
            f"is {store.url} here, but the daemon of {data_dir} works on {daemon['store']}: "
            f"restart it, and it takes up the new store",
        )
    serving = await store.serving()
    return frozenset().union(*serving.values()) if serving else None
