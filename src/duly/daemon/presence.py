"""One daemon per data directory, and a way to find it."""

from __future__ import annotations

import fcntl
import json
import os
from pathlib import Path
from typing import Any

from duly.errors import DulyError

_NAME = "daemon.lock"


class Presence:
    """A lock that is held as long as the process lives; the file says where the daemon listens."""

    def __init__(self, data_dir: Path) -> None:
        self._path = data_dir / _NAME
        self._descriptor: int | None = None

    def claim(self, url: str) -> None:
        """Be the daemon of this directory, or say who is."""
        descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(descriptor)
            where = (found(self._path.parent) or {}).get("url", "another address")
            raise DulyError(
                f"a daemon already runs on {self._path.parent}, at {where}: stop it first, or give this one --data-dir"
            ) from None
        os.ftruncate(descriptor, 0)
        os.write(descriptor, json.dumps({"pid": os.getpid(), "url": url}).encode())
        self._descriptor = descriptor

    def release(self) -> None:
        if self._descriptor is not None:
            os.ftruncate(self._descriptor, 0)
            os.close(self._descriptor)
            self._descriptor = None


def found(data_dir: Path) -> dict[str, Any] | None:
    """The daemon that runs on a directory: its `pid` and `url`; None when there is none."""
    try:
        descriptor = os.open(data_dir / _NAME, os.O_RDONLY)
    except OSError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        text = os.read(descriptor, 4096)
    else:
        return None  # nobody holds it
    finally:
        os.close(descriptor)
    try:
        facts: dict[str, Any] = json.loads(text)
    except ValueError:
        return {}
    return facts
