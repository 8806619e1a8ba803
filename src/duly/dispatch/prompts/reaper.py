"""What a duly that was killed left behind, found by what was written down about it, and ended."""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from dataclasses import replace

from duly.clock import Clock
from duly.dispatch.prompts.family import end, members
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
        gone = replace(each, status="failed", error=_LEFT_BEHIND, pid=None, finished_at=clock.now())
        await targets.record_target(gone)
        reaped.append(gone)
    return reaped


def _goes_on(left: TargetRun) -> bool:
    """Whether its guardian lives although no environment can be read: then it sees to its end itself."""
    return left.pid is not None and left.pid_started is not None and pid_started(left.pid) == left.pid_started
