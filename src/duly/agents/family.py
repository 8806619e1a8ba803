"""Processes that were spawned for a run, found by what stands in their environment, and ended."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from duly.clock import Clock
from duly.processes import pid_started

RUN = "DULY_RUN_ID"
TARGET = "DULY_TARGET"
OWNER = "DULY_OWNER"
"""Pid and start of the process that spawned it: whoever finds an orphan can tell that it is one."""
_LOOK_EVERY = 0.02
_PATIENCE = 250  # looks


@dataclass(frozen=True, slots=True)
class Member:
    """A process; `started` tells it from another one that has its number later."""

    pid: int
    started: str
    owner: str

    @property
    def is_alive(self) -> bool:
        return pid_started(self.pid) == self.started

    @property
    def is_orphan(self) -> bool:
        """Whether the duly that spawned it is gone."""
        return is_gone(self.owner)


def owner() -> str:
    """This process, as the ones it spawns are told."""
    return f"{os.getpid()}:{pid_started(os.getpid())}"


def is_gone(owner: str) -> bool:
    """Whether the process that said so of itself has ended."""
    pid, _, started = owner.partition(":")
    return not pid.isdigit() or pid_started(int(pid)) != started


def members(run_id: str, target: str | None) -> list[Member]:
    """Every living process that was spawned for a run at a target, however far it went; where the system tells.

    Gates run for no target.
    """
    found = []
    for pid in _all_pids():
        variables = _environment(pid)
        if (variables.get(RUN), variables.get(TARGET)) == (run_id, target) and (started := pid_started(pid)):
            found.append(Member(pid, started, variables.get(OWNER, "")))
    return found


async def end(family: Iterable[Member], clock: Clock) -> None:
    """Kill them, and wait until they are gone; a number that means another process by now is not touched."""
    alive = list(family)
    for _ in range(_PATIENCE):
        alive = [member for member in alive if member.is_alive]
        if not alive:
            return
        for member in alive:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(member.pid, signal.SIGKILL)
        await clock.sleep(_LOOK_EVERY)


def _all_pids() -> list[int]:
    with suppress(OSError):
        return [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]
    return []


def _environment(pid: int) -> dict[str, str]:
    """What a process was started with, if it is ours to read."""
    try:
        text = Path(f"/proc/{pid}/environ").read_bytes().decode("utf-8", "replace")
    except OSError:
        return {}
    return dict(entry.split("=", 1) for entry in text.split("\0") if "=" in entry)
