"""The processes of a run: found by variables in their environment, and ended.

duly ends every process that it spawns. These functions find the processes that are left when that went wrong: when a
guardian was killed, or a whole duly.
"""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from duly.agents.assignment import target_name
from duly.clock import Clock
from duly.ports.targets import TargetRun, Targets
from duly.processes import pid_space, pid_started

RUN = "DULY_RUN_ID"
TARGET = "DULY_TARGET"
OWNER = "DULY_OWNER"
"""Pid and start time of the duly that spawned the process: it shows whether a process is an orphan."""
_CHECK_EVERY = 0.02  # seconds
_CHECKS = 250
_LEFT_BEHIND = "duly ended while it ran; its process is gone"


@dataclass(frozen=True, slots=True)
class RunProcess:
    """A process of a run; with `started` it is not confused with a later process of the same pid."""

    pid: int
    started: str
    owner: str

    @property
    def is_alive(self) -> bool:
        return pid_started(self.pid) == self.started

    @property
    def is_orphan(self) -> bool:
        """Whether the duly that spawned it has ended."""
        return is_gone(self.owner)


def owner() -> str:
    """Return the pid and start time of this process, for the environment of processes that it spawns."""
    return f"{os.getpid()}:{pid_started(os.getpid())}"


def is_gone(owner: str) -> bool:
    """Tell whether the process that `owner()` described has ended."""
    pid, _, started = owner.partition(":")
    return not pid.isdigit() or pid_started(int(pid)) != started


def processes_of(run_id: str, target: str | None) -> list[RunProcess]:
    """Return every living process that was spawned for a run at a target; empty on systems without /proc.

    A child inherits the environment, so processes that left the process group are found as well. Gates have no target.
    """
    found = []
    for pid in _all_pids():
        variables = _environment(pid)
        if (variables.get(RUN), variables.get(TARGET)) == (run_id, target) and (started := pid_started(pid)):
            found.append(RunProcess(pid, started, variables.get(OWNER, "")))
    return found


async def end(processes: Iterable[RunProcess], clock: Clock) -> None:
    """Kill processes, and wait until they are gone; a pid that belongs to another process by now is not touched."""
    alive = list(processes)
    for _ in range(_CHECKS):
        alive = [process for process in alive if process.is_alive]
        if not alive:
            return
        for process in alive:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(process.pid, signal.SIGKILL)
        await clock.sleep(_CHECK_EVERY)


def _all_pids() -> list[int]:
    with suppress(OSError):
        return [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]
    return []


def _environment(pid: int) -> dict[str, str]:
    """Return the environment with which a process was started; empty if this user may not read it."""
    try:
        text = Path(f"/proc/{pid}/environ").read_bytes().decode("utf-8", "replace")
    except OSError:
        return {}
    return dict(entry.split("=", 1) for entry in text.split("\0") if "=" in entry)


async def reap(targets: Targets, clock: Clock, among: Collection[TargetRun] | None = None) -> list[TargetRun]:
    """End the processes that an earlier duly of this machine left running; return the targets that were closed.

    Call it before work begins. Processes of a duly that is alive are left alone, and so are records of another machine
    or container, or of this one before its last boot.
    """
    unfinished = await targets.unfinished() if among is None else among
    reaped = []
    for each in unfinished:
        if each.status != "running" or each.boot_id != pid_space():
            continue
        processes = await asyncio.to_thread(processes_of, each.run_id, target_name(each))
        if any(not process.is_orphan for process in processes) or (not processes and _has_guardian(each)):
            continue
        await end(processes, clock)
        reaped.append(await _close(targets, clock, each))
    return reaped


async def close_all(targets: Targets, clock: Clock, earlier: Sequence[TargetRun]) -> None:
    """End earlier attempts of a run and record that, because other runs wait for the sessions they held.

    Two runs that were lost at the same session, each on a machine that is gone, would wait for each other forever.
    """
    left = [each for each in earlier if each.status == "running"]
    await reap(targets, clock, [each for each in left if each.pid is not None])
    for each in left:
        await _close(targets, clock, each)


async def _close(targets: Targets, clock: Clock, left: TargetRun) -> TargetRun:
    gone = replace(left, status="failed", error=_LEFT_BEHIND, pid=None, finished_at=clock.now())
    await targets.record_target(gone)
    return gone


def _has_guardian(left: TargetRun) -> bool:
    """Tell whether the guardian of a target lives: it ends the tool itself, where no environment can be read."""
    return left.pid is not None and left.pid_started is not None and pid_started(left.pid) == left.pid_started
