"""One daemon per data directory, and a way to find it."""

from __future__ import annotations

import fcntl
import json
import os
from pathlib import Path
from typing import Any

from duly.clock import Clock
from duly.daemon.files import naming
from duly.errors import ConfigError, DulyError
from duly.ports.store import Store

_NAME = "daemon.lock"
_TRIES, _BLINK = 5, 0.05


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
        with naming(self._path):
            descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
        for _ in range(_TRIES):
            if _lock(descriptor, fcntl.LOCK_EX):
                break
            await clock.sleep(_BLINK)  # somebody may only be looking
        else:
            os.close(descriptor)
            raise self._taken(found(self._path.parent) or {})
        self._descriptor = descriptor
        self._facts = {"pid": os.getpid(), "url": url, "store": store, "needs_trust": needs_trust}
        self.goes_by(config)

    def goes_by(self, config: Path | None) -> None:
        """Say which configuration file holds now."""
        if self._descriptor is None:
            return
        self._facts["config"] = None if config is None else str(config)
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
