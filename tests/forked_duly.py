"""`duly` as a process of its own, forked from one that has everything imported: a daemon starts in a tenth of the time.

It has its own environment, working directory, streams and arguments, is killed like any other, and its `main` does all
that it does for a user. That `python -m duly` and the console script lead there is shown by the tests that start them:
`tests/integration/test_console_script.py`, `tests/security` and those of MCP over standard input.

The other side is this module run as a program: it is given words and streams over a socket, and forks. It is the parent
of the processes, so it is asked how they ended.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import importlib
import json
import os
import random
import select
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import IO, Any, cast

ROOT = Path(__file__).parents[1]
_MAIN = "duly.__main__"
_IMPORTED = (
    _MAIN,
    "duly.cli.app",
    "duly.server.http",
    "duly.server.mcp_app",
    "duly.rest.api",
    "duly.stores.sqlite.store",
    "duly.stores.postgres.store",
)
_SIZE = 1 << 20
_PIPE = subprocess.PIPE


class ForkedDuly:
    """What `subprocess.Popen` would be for it."""

    def __init__(
        self,
        words: Sequence[str],
        *,
        env: Mapping[str, str],
        cwd: Path,
        stdout: int | IO[Any],
        stderr: int | IO[Any],
    ) -> None:
        self.args = [*words]
        self.returncode: int | None = None
        self.stdout: IO[str] | None = None
        streams = {"stdout": stdout, "stderr": stderr}
        with contextlib.ExitStack() as passed:
            if stdout == _PIPE:
                ours, theirs = os.pipe()
                self.stdout = open(ours, encoding="utf-8")  # noqa: SIM115, PTH123  the caller closes it, as that of Popen
                passed.callback(os.close, theirs)
                streams["stdout"] = theirs
            numbers = [each if isinstance(each, int) else each.fileno() for each in streams.values()]
            if stderr == subprocess.STDOUT:
                numbers[1] = numbers[0]
            self.pid = _forker().start({"words": self.args, "env": dict(env), "cwd": str(cwd)}, numbers)

    def poll(self) -> int | None:
        """Tell how it ended; None while it runs."""
        if self.returncode is None:
            self.returncode = _forker().ask({"ended": self.pid})
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Wait until it has ended; gives how, negative for a signal."""
        if self.poll() is None:
            number = os.pidfd_open(self.pid)
            try:
                ready, _, _ = select.select([number], [], [], timeout)
            finally:
                os.close(number)
            if not ready:
                raise subprocess.TimeoutExpired(self.args, timeout or 0)
        code = self.poll()
        assert code is not None
        return code

    def send_signal(self, number: int) -> None:
        """Send a signal, if it still runs."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


def run(words: Sequence[str], *, env: Mapping[str, str], cwd: Path, timeout: float) -> subprocess.CompletedProcess[str]:
    """Run a command to its end; gives its exit code and what it wrote."""
    with tempfile.TemporaryFile("w+", encoding="utf-8") as out, tempfile.TemporaryFile("w+", encoding="utf-8") as err:
        process = ForkedDuly(words, env=env, cwd=cwd, stdout=out, stderr=err)
        try:
            code = process.wait(timeout)
        finally:
            process.kill()
            process.wait()
        out.seek(0)
        err.seek(0)
        return subprocess.CompletedProcess([*words], code, out.read(), err.read())


class _Forker:
    """This side of the socket."""

    def __init__(self) -> None:
        self._socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            command = [sys.executable, "-m", __spec__.name, str(theirs.fileno())]
            self._process = subprocess.Popen(command, cwd=ROOT, pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL)

    def start(self, orders: dict[str, Any], streams: Sequence[int]) -> int:
        socket.send_fds(self._socket, [json.dumps(orders).encode()], streams)
        return int(self._answer())

    def ask(self, question: dict[str, Any]) -> int | None:
        self._socket.send(json.dumps(question).encode())
        return cast("int | None", self._answer())

    def _answer(self) -> Any:
        return json.loads(self._socket.recv(_SIZE))

    def close(self) -> None:
        self._socket.close()
        self._process.wait()


@cache
def _forker() -> _Forker:
    from tests.leaks import lasting  # late: the other side has no use for pytest

    with lasting():
        made = _Forker()
    atexit.register(made.close)
    return made


class _Children:
    """The other side."""

    def __init__(self, asking: socket.socket) -> None:
        self._asking = asking
        self._codes: dict[int, int | None] = {}

    def serve(self) -> dict[str, Any] | None:
        """Answer until the tests are gone; a child returns with its orders."""
        while True:
            message, streams, _, _ = socket.recv_fds(self._asking, _SIZE, 2)
            if not message:
                return None
            question = json.loads(message)
            if "ended" in question:
                answer = self._ended(question["ended"])
            else:
                answer = os.fork()
                if answer == 0:
                    self._asking.close()
                    return {**question, "streams": streams}
                self._codes[answer] = None
            for stream in streams:
                os.close(stream)
            self._asking.send(json.dumps(answer).encode())

    def end(self) -> None:
        """Leave no process behind."""
        for pid in self._codes:
            if self._ended(pid) is None:
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)

    def _ended(self, pid: int) -> int | None:
        if self._codes[pid] is None:
            ended, status = os.waitpid(pid, os.WNOHANG)
            if ended:
                self._codes[pid] = os.waitstatus_to_exitcode(status)
        return self._codes[pid]


def _become(orders: dict[str, Any]) -> None:
    """Turn a fork into what `python -m duly` begins as."""
    for number, stream in enumerate(orders["streams"], start=1):
        os.dup2(stream, number)
    for stream in orders["streams"]:
        os.close(stream)
    at_once = "PYTHONUNBUFFERED" in orders["env"]
    sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115  open until the process ends
    sys.stdout.reconfigure(write_through=at_once)
    sys.stderr = open(2, "w", encoding="utf-8", errors="backslashreplace", buffering=1, closefd=False)  # noqa: SIM115  as above
    os.chdir(orders["cwd"])
    os.environ.clear()
    os.environ.update(orders["env"])
    time.tzset()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    random.seed()
    main = sys.modules[_MAIN]
    sys.argv = [str(main.__file__), *orders["words"]]
    del sys.path[0]  # the folder of the tests


def _serve(number: int) -> int:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for name in _IMPORTED:
        importlib.import_module(name)
    gc.collect()
    gc.freeze()  # the pages stay shared
    children = _Children(socket.socket(fileno=number))
    orders = children.serve()
    if orders is None:
        children.end()
        return 0
    _become(orders)
    return int(sys.modules[_MAIN].main())


if __name__ == "__main__":
    sys.exit(_serve(int(sys.argv[1])))
