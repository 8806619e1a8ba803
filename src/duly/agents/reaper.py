"""What a duly that was killed left behind, found by what was written down about it, and ended."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence
from dataclasses import replace

from duly.agents.family import end, members
from duly.clock import Clock
from duly.ports.targets import TargetRun, Targets
from duly.processes import pid_space, pid_started

_LEFT_BEHIND = "duly ended while it ran; its process is gone"


async def reap(targets: Targets, clock: Clock, among: Collection[TargetRun] | None = None) -> list[TargetRun]:
    """End what earlier processes of this machine left running; gives the targets that were concerned.

    Call it before work begins. What belongs to a duly that is alive is left alone, and so is everything that another
    machine or container, or this one before its last boot, has written down.
    """
    unfinished = await targets.unfinished() if among is None else among
    reaped = []
    for each in unfinished:
        if each.status != "running" or each.boot_id != pid_space():
            continue
        name = "/".join(filter(None, (each.project_id, each.workspace_id)))
        family = await asyncio.to_thread(members, each.run_id, name)
        if any(not member.is_orphan for member in family) or (not family and _goes_on(each)):
            continue
        await end(family, clock)
        reaped.append(await _close(targets, clock, each))
    return reaped


async def close_all(targets: Targets, clock: Clock, earlier: Sequence[TargetRun]) -> None:
    """Let nothing of earlier attempts of a run go on, and say so: others wait for the sessions they were at.

    Two runs that were both lost at the same session, each on a machine that is gone, would wait for each other.
    """
    left = [each for each in earlier if each.status == "running"]
    await reap(targets, clock, [each for each in left if each.pid is not None])
    for each in left:
        await _close(targets, clock, each)


async def _close(targets: Targets, clock: Clock, left: TargetRun) -> TargetRun:
    gone = replace(left, status="failed", error=_LEFT_BEHIND, pid=None, finished_at=clock.now())
    await targets.record_target(gone)
    return gone


def _goes_on(left: TargetRun) -> bool:
    """Whether its guardian lives although no environment can be read: then it sees to its end itself."""
    return left.pid is not None and left.pid_started is not None and pid_started(left.pid) == left.pid_started
