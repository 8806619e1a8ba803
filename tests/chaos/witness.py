"""What handlers did, and what was done to processes: lines in files of their own, on the disk before anything goes on.

Times are monotonic, which all processes of a machine share.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

SUFFIX = ".witness"
STALL = "stall"


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A handler began (`enter`), came to its end (`exit`) or did not (`left`); or its process stood still (`stall`)."""

    what: str
    process: str
    at: float
    key: str = ""
    name: str = ""
    nonce: str = ""
    """Different for every call of a handler; what it returns, so that the store tells whose outcome it accepted."""
    attempt: int = 0
    fence: int = 0
    held: float = 0.0
    """How many seconds it stood still."""


class Witness:
    """Writes for one process; any thread may."""

    def __init__(self, folder: Path, process: str) -> None:
        self._path = folder / f"{process}{SUFFIX}"
        self._process = process

    def note(self, what: str, **facts: Any) -> None:
        append(self._path, asdict(Entry(what=what, process=self._process, at=time.monotonic(), **facts)))

    @contextmanager
    def watching(self, *, key: str, name: str, attempt: int, fence: int) -> Iterator[str]:
        """Around the body of a handler; gives its nonce."""
        nonce = os.urandom(8).hex()
        facts: dict[str, Any] = {"key": key, "name": name, "nonce": nonce, "attempt": attempt, "fence": fence}
        self.note("enter", **facts)
        try:
            yield nonce
        except BaseException:
            self.note("left", **facts)
            raise
        self.note("exit", **facts)


def testimony(folder: Path) -> list[Entry]:
    """What all witnesses of a folder say, in order of time."""
    lines = [line for file in folder.glob(f"*{SUFFIX}") for line in lines_of(file)]
    return sorted((Entry(**line) for line in lines), key=lambda entry: entry.at)


def append(file: Path, facts: dict[str, Any]) -> None:
    """Add a line, and have it on the disk when this returns."""
    line = os.open(file, os.O_CREAT | os.O_APPEND | os.O_WRONLY, 0o644)
    try:
        os.write(line, json.dumps(facts).encode() + b"\n")
        os.fsync(line)
    finally:
        os.close(line)


def lines_of(file: Path) -> list[dict[str, Any]]:
    """The complete lines of a file to which a process may still be adding; none when there is no such file."""
    if not file.exists():
        return []
    return [json.loads(line) for line in file.read_text(encoding="utf-8").split("\n")[:-1]]
