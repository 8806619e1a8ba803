"""The processes of a campaign, and what is done to them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

from tests.chaos.checker import FAULTS
from tests.chaos.witness import append
from tests.integration.engine_support.proxy import Proxy

ROOT = Path(__file__).parents[2]
SECRET = "CHAOS_WEBHOOK_SECRET"  # noqa: S105  the name of a variable
WORKER_LEASE, DAEMON_LEASE = 6.0, 15.0
LONGEST_STOP = 90.0
"""Seconds after which a process that was asked to stop counts as one that does not: several times its grace time."""
_DIE_WITH_PARENT = """
import ctypes, runpy, signal, sys
ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG: a campaign that is killed leaves nothing behind
runpy.run_module(sys.argv.pop(1), run_name="__main__", alter_sys=True)
"""


class Diary:
    """Writes down what was done to whom."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / FAULTS
        self.counts: dict[str, int] = {}

    def note(self, what: str, begin: float, end: float | None = None, process: str = "") -> None:
        self.counts[what] = self.counts.get(what, 0) + 1
        append(self._file, {"what": what, "begin": begin, "end": begin if end is None else end, "process": process})


@dataclass(eq=False)
class ProcessSlot:
    """One slot of the fleet: a worker or a daemon, which is started again whenever it has ended."""

    name: str
    is_daemon: bool
    store: str
    folder: Path
    diary: Diary
    proxy: Proxy | None
    lives: int = 0
    child: subprocess.Popen[bytes] | None = field(default=None)
    frozen_at: float | None = None
    silent_at: float | None = None
    asked_at: float | None = None
    broken_stops: list[str] = field(default_factory=list)
    seen_at: float = 0.0
    """When it was last seen to live."""

    @property
    def process(self) -> str:
        """The name of its present life."""
        return f"{self.name}-{self.lives}"

    @property
    def lease(self) -> float:
        return DAEMON_LEASE if self.is_daemon else WORKER_LEASE

    @property
    def is_troubled(self) -> bool:
        return self.frozen_at is not None or self.silent_at is not None or self.asked_at is not None

    def start(self) -> None:
        self.lives += 1
        self.seen_at = time.monotonic()
        with (self.folder / f"{self.process}.log").open("wb") as log:
            self.child = subprocess.Popen(
                [sys.executable, "-c", _DIE_WITH_PARENT, *self.words],
                cwd=ROOT,
                env={**os.environ, "PYTHONUNBUFFERED": "1", **self.environment},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,  # a Ctrl-C is for the campaign, which then ends them
            )

    @property
    def words(self) -> tuple[str, ...]:
        """The module it runs, and its arguments."""
        if self.is_daemon:
            return ("duly", "up", "--port", "0", "--data-dir", str(self.folder / self.name))
        return ("tests.chaos.worker", self.store, str(self.folder), self.process, str(WORKER_LEASE))

    @property
    def environment(self) -> dict[str, str]:
        """What it is given besides that of the campaign."""
        return {SECRET: "a secret of the receiver"}

    # what is done to it

    def kill(self) -> None:
        if self.child is None:
            return
        code = self.child.poll()
        if code is not None:  # by itself, since it was last looked at: whoever reads the diary must know that
            self._ended(code)
            return
        killed_at = time.monotonic()
        self.child.kill()
        self.child.wait()
        self._end_freeze()
        self.diary.note("kill", killed_at, time.monotonic(), self.process)
        self.child = self.asked_at = None

    def freeze(self) -> None:
        if self._signal(signal.SIGSTOP):
            self.frozen_at = time.monotonic()

    def thaw(self) -> None:
        self._end_freeze()
        self._signal(signal.SIGCONT)

    def _end_freeze(self) -> None:
        if self.frozen_at is not None:
            self.diary.note("freeze", self.frozen_at, time.monotonic(), self.process)
            self.frozen_at = None

    def ask_to_stop(self) -> None:
        if self._signal(signal.SIGTERM):
            self.asked_at = time.monotonic()

    def cut_off(self, *, answers_only: bool) -> None:
        if self.proxy is not None:
            self.silent_at = time.monotonic()
            self.proxy.fall_silent(answers_only=answers_only)

    def connect_again(self, *, reset: bool = False) -> None:
        if self.proxy is not None and self.silent_at is not None:
            if reset:
                self.proxy.cut_all()
            self.proxy.speak()
            self.diary.note("partition", self.silent_at, time.monotonic(), self.process)
            self.silent_at = None

    def _signal(self, number: int) -> bool:
        if self.child is None or self.child.poll() is not None:
            return False
        self.child.send_signal(number)
        return True

    # what became of it

    def look(self) -> None:
        """Notice that it has ended, or that it does not end although it was asked to."""
        if self.child is None:
            return
        code = self.child.poll()
        if code is not None:
            self._ended(code)
            return
        self.seen_at = time.monotonic()
        if self.asked_at is not None and time.monotonic() - self.asked_at > LONGEST_STOP:
            self.broken_stops.append(f"{self.process} did not stop within {LONGEST_STOP:g} s")
            self.kill()

    def _ended(self, code: int) -> None:
        now = time.monotonic()
        if self.asked_at is not None:
            self.diary.note("stop", self.asked_at, now, self.process)
            if code not in (0, -signal.SIGTERM):  # it may not have listened to signals yet
                self.broken_stops.append(f"{self.process} was asked to stop and ended with {code}")
        else:
            # it could not start while the store was away, or a run ended it
            self.diary.note("vanished", self.seen_at, now, self.process)
        self._end_freeze()
        self.child = self.asked_at = None
