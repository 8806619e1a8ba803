"""A process that forks workers: it has everything imported, so that a new worker costs milliseconds.

The tests use `WorkerForker`. The other side is this module run as a program: it reads one JSON command per line on its
standard input, and answers each on its standard output. Children are signalled and waited for over there, by their
parent, so that a process id is never mistaken for another's. When the tests are gone, so are the children.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import random
import signal
import subprocess
import sys
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any, cast

import duly.stores.postgres.store
import duly.stores.sqlite.store  # noqa: F401  both, so that children need not load them
from duly.jobs.guardian import die_with
from tests.integration.engine_support import worker
from tests.integration.engine_support.worker import Orders

ROOT = Path(__file__).parents[3]


class WorkerForker:
    """Starts, signals and asks after workers."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", __spec__.name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=ROOT,
            text=True,
            bufsize=1,
        )

    def start(self, orders: Orders) -> int:
        """A fresh worker; gives its pid."""
        return cast("int", self._ask("start", asdict(orders)))

    def signal(self, pid: int, number: int) -> None:
        """Send a signal, if it is still there."""
        self._ask("signal", [pid, number])

    def exit_code(self, pid: int) -> int | None:
        """How it ended, negative for a signal; None while it lives."""
        return cast("int | None", self._ask("exit_code", pid))

    def close(self) -> None:
        if self._process.stdin is not None and self._process.stdout is not None:
            self._process.stdin.close()
            self._process.wait()
            self._process.stdout.close()

    def _ask(self, command: str, value: object) -> object:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps([command, value]) + "\n")
        return json.loads(self._process.stdout.readline())


@cache
def forker() -> WorkerForker:
    """Return the forker of this test process."""
    from tests.leaks import lasting  # late: the other side has no use for pytest

    with lasting():
        made = WorkerForker()
    atexit.register(made.close)
    return made


class _Children:
    """The other side."""

    def __init__(self) -> None:
        self._codes: dict[int, int | None] = {}

    def start(self, orders: dict[str, Any]) -> int:
        told, parent = Orders(**orders), os.getpid()
        pid = os.fork()
        if pid == 0:
            die_with(parent)
            _become(told)
            worker.main(told)
            sys.exit(0)
        self._codes[pid] = None
        return pid

    def signal(self, given: list[int]) -> None:
        pid, number = given
        if self.exit_code(pid) is None:
            os.kill(pid, number)
            if number == signal.SIGKILL:
                self._codes[pid] = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])

    def exit_code(self, pid: int) -> int | None:
        if self._codes[pid] is None:
            ended, status = os.waitpid(pid, os.WNOHANG)
            if ended:
                self._codes[pid] = os.waitstatus_to_exitcode(status)
        return self._codes[pid]

    def end(self) -> None:
        for pid in self._codes:
            self.signal([pid, signal.SIGKILL])


def _become(orders: Orders) -> None:
    """Turn a fork of the forker into a worker."""
    os.setsid()
    with contextlib.suppress(OSError):
        os.close(sys.stdin.fileno())
    os.open(os.devnull, os.O_RDONLY)
    log = os.open(orders.path(".log"), os.O_CREAT | os.O_APPEND | os.O_WRONLY, 0o644)
    os.dup2(log, 1)
    os.dup2(log, 2)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    random.seed()


def _serve() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    children = _Children()
    for command in iter(sys.stdin.readline, ""):
        name, value = json.loads(command)
        answer = getattr(children, name)(value)
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()
    children.end()


if __name__ == "__main__":
    _serve()
