"""The lock file of a data directory: one daemon per directory, and how other processes find it."""

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
from duly.runtime.secret_files import naming

_NAME = "daemon.lock"
_TRIES = 5
_PAUSE = 0.05
_LOOK_EVERY = 5.0
_log = logging.getLogger("duly")


class DaemonLock:
    """A lock that a daemon holds as long as it lives.

    The file says where the daemon listens, which store it uses, and which configuration file.
    """

    def __init__(self, data_dir: Path) -> None:
        self._path = data_dir / _NAME
        self._descriptor: int | None = None
        self._facts: dict[str, Any] = {}

    async def claim(
        self,
        url: str,
        store: str,
        clock: Clock,
        config: Path | None = None,
        *,
        needs_trust: bool = False,
        starting_since: str | None = None,
    ) -> None:
        """Take the lock, or raise with the address of the daemon that has it."""
        for _ in range(_TRIES):
            if (descriptor := self._try_to_lock()) is not None:
                break
            await clock.sleep(_PAUSE)  # `find_daemon` of another process holds the lock for a moment
        else:
            raise self._taken(find_daemon(self._path.parent) or {})
        self._descriptor = descriptor
        self._facts = {"pid": os.getpid(), "url": url, "store": store, "needs_trust": needs_trust}
        self._facts["starting_since"] = starting_since
        self.goes_by(config)

    def _try_to_lock(self) -> int | None:
        """Lock the file at the path; None when another process holds the lock.

        Tried again if the file was deleted between opening and locking: other daemons would lock a new file.
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
        """Look every few seconds whether the file is still there, until cancelled.

        Without it a second daemon would start, and no command would find this one.
        """
        logged = ""
        while True:
            await clock.sleep(_LOOK_EVERY)
            fault = self.restore()
            if fault not in ("", logged):
                _log.error("%s", fault)
            logged = fault

    def restore(self) -> str:
        """Put a lock file back that was deleted. Gives the reason if that is impossible, otherwise an empty text."""
        if self._descriptor is None or self._leads_to(self._descriptor):
            return ""
        try:
            descriptor = self._try_to_lock()
        except DulyError as error:
            return str(error)
        if descriptor is None:
            where = (find_daemon(self._path.parent) or {}).get("url", "another address")
            return (
                f"{self._path} was deleted, and a second daemon has taken its place, at {where}: stop one of the two. "
                f"Never delete this file while a daemon runs"
            )
        os.close(self._descriptor)  # after the new lock is held: there is no moment without one
        self._descriptor = descriptor
        self._write_facts()
        _log.warning("%s was deleted while this daemon held it; it is back. Never delete it", self._path)
        return ""

    def goes_by(self, config: Path | None) -> None:
        """Write into the file which configuration file the daemon uses now."""
        if self._descriptor is None:
            return
        self._facts["config"] = None if config is None else str(config)
        self._write_facts()

    def is_ready(self) -> None:
        """Write into the file that the daemon does not start any more, but serves."""
        self._facts["starting_since"] = None
        self._write_facts()

    def _write_facts(self) -> None:
        if self._descriptor is None:
            return
        text = json.dumps(self._facts).encode()
        with naming(self._path):
            os.pwrite(self._descriptor, text, 0)
            os.ftruncate(self._descriptor, len(text))

    def refuse_second(self) -> None:
        """Raise with its address if another daemon runs on this directory."""
        if (there := find_daemon(self._path.parent)) is not None:
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


def find_daemon(data_dir: Path) -> dict[str, Any] | None:
    """Give the content of the lock file of the daemon that runs on a directory; None when no daemon does."""
    try:
        descriptor = os.open(data_dir / _NAME, os.O_RDONLY)
    except OSError:
        return None
    try:
        if _lock(descriptor, fcntl.LOCK_SH):
            return None  # no process holds it
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
    """Give the handlers that the daemon of a directory serves; None without one. Raise if it uses another store."""
    daemon = find_daemon(data_dir)
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
