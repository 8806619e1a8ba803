"""The witness: what handlers did, written to a file of its own before and after, and forced to the disk.

It knows nothing of the store, so that the two can be held against each other.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from duly.engine.context import Context

SUFFIX = ".witness"


@dataclass(frozen=True, slots=True)
class Entry:
    """A handler began (`enter`), came to its end (`exit`) or did not (`left`)."""

    what: str
    key: str
    run_id: str
    name: str
    attempt: int
    fence: int
    pid: int
    at: float
    """Monotonic time, which all processes of a machine share."""


class Witness:
    """Writes for one process; any thread may."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def note(self, what: str, run: Context) -> None:
        entry = Entry(what, run.key, run.id, run.name, run.attempt, run.run.fence, os.getpid(), time.monotonic())
        file = os.open(self._path, os.O_CREAT | os.O_APPEND | os.O_WRONLY, 0o644)
        try:
            os.write(file, json.dumps(asdict(entry)).encode() + b"\n")
            os.fdatasync(file)
        finally:
            os.close(file)

    @contextmanager
    def watching(self, run: Context) -> Iterator[dict[str, int]]:
        """Around the body of a handler; gives what the handler should return."""
        self.note("enter", run)
        try:
            yield {"attempt": run.attempt, "fence": run.run.fence, "pid": os.getpid()}
        except BaseException:
            self.note("left", run)
            raise
        self.note("exit", run)


def testimony(folder: Path) -> list[Entry]:
    """What all witnesses of a folder say, in order of time."""
    lines = [line for path in folder.glob(f"*{SUFFIX}") for line in read_lines(path)]
    return sorted((Entry(**json.loads(line)) for line in lines), key=lambda entry: entry.at)


def read_lines(path: Path) -> list[str]:
    """The complete lines of a file that another process may still be writing."""
    return path.read_text(encoding="utf-8").split("\n")[:-1] if path.exists() else []
