"""Runs: each time a schedule fires is one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, replace
from typing import TYPE_CHECKING, Annotated

from duly.operations.ask import Ask, Group, get, post
from duly.operations.parameters import Param, RunPath, Text, asked_by_name
from duly.service.limits import LONGEST, LONGEST_OTHER
from duly.service.runs.views import OutputChunk, RunDetail
from duly.service.schedules.fields import ScheduleView
from duly.service.schedules.run_views import RunView
from duly.service.schedules.waking import WakeWish, inside_run

if TYPE_CHECKING:
    from duly.service.access.scopes import Caller
    from duly.service.services import Services

Attempt = Annotated[int | None, Param(words="Number of the attempt", least=1, most=10**6)]
Offset = Annotated[int, Param(words="Where to begin, in bytes", least=0, most=10**12)]
Bytes = Annotated[int, Param(words="At most so many bytes", least=1, most=10**6)]
Note = Annotated[str | None, Param(words="What to say to the session then", longest=LONGEST["prompt"])]
Minutes = Annotated[int | None, Param(words="From now", least=1)]
Session = Annotated[str | None, Param(words="The session, where it belongs to no run", longest=200)]
Target = Annotated[str | None, Param(words="Where it began: project or project/workspace", longest=500)]
Spawner = Annotated[str | None, Param(words="Default: that of the run, or the default one", longest=200)]


@dataclass(frozen=True, slots=True)
class GetRun(Ask[RunDetail]):
    """Show everything about a run: its result, attempts, targets, prompt, deliveries, answers, and what was printed."""

    run: RunPath

    async def carry_out(self, services: Services, caller: Caller) -> RunDetail:
        return await services.runs.get(caller, self.run)


@dataclass(frozen=True, slots=True)
class GetOutput(Ask[OutputChunk]):
    """Show a part of what an attempt printed, from an offset on; while the run goes on, more comes at `next_offset`.

    Without `attempt` it is the latest, and without `target` the one that prints, the gate last: the answer says which
    these are, and `offset` counts in that output. `target` is one of `outputs` of the run.
    """

    run: RunPath
    _: KW_ONLY
    attempt: Attempt = None
    target: Text = None
    offset: Offset = 0
    limit: Bytes = 65536

    async def carry_out(self, services: Services, caller: Caller) -> OutputChunk:
        return await services.runs.output(
            caller, self.run, attempt=self.attempt, target=self.target, offset=self.offset, limit=self.limit
        )


@dataclass(frozen=True, slots=True)
class CancelRun(Ask[RunView]):
    """Cancel a run that has not started; ask a running one to stop."""

    run: RunPath

    async def carry_out(self, services: Services, caller: Caller) -> RunView:
        return await services.use_cases.run_cancel(caller, self.run)


@dataclass(frozen=True, slots=True)
class RunAgain(Ask[RunView]):
    """Run the schedule of a run that has ended once more, now."""

    run: RunPath

    async def carry_out(self, services: Services, caller: Caller) -> RunView:
        done = await services.actions.run_again(caller, self.run)
        assert isinstance(done.view, RunView)  # noqa: S101  it has made one
        return done.view


@dataclass(frozen=True, slots=True)
class WakeMe(Ask[ScheduleView]):
    """Continue the session of an agent later, with a note: a schedule that fires once.

    Say which session with `run_id`, or with `session` and `target`.
    """

    _: KW_ONLY
    note: Note = None
    minutes: Minutes = None
    when: Annotated[str | None, Param(words='Words instead: "tomorrow at 9"', longest=LONGEST_OTHER)] = None
    run_id: Annotated[str | None, Param(words="The run whose session goes on", longest=200)] = None
    session: Session = None
    target: Target = None
    spawner: Spawner = None

    def inside(self, environ: Mapping[str, str]) -> WakeMe:
        """Add what the environment of an agent says about the run that it carries out, if no session is named."""
        if self.run_id is not None or self.session is not None:
            return self
        around = inside_run(environ)
        return replace(self, run_id=around.run_id, target=self.target or around.target)

    async def carry_out(self, services: Services, caller: Caller) -> ScheduleView:
        return await services.wake_ups.wake_me(caller, WakeWish(**asked_by_name(self)))


RUNS = Group(
    "runs",
    "Each time a schedule fires is a run.",
    (
        get(GetRun, "/runs/{run}"),
        get(GetOutput, "/runs/{run}/output"),
        post(CancelRun, "/runs/{run}/cancel"),
    ),
)
AGAIN = post(RunAgain, "/runs/{run}/again", status=201, headers=("Location",), once=True)
WAKING = post(
    WakeMe,
    "/wake-ups",
    status=201,
    faults=(404,),
    once=True,
    body="WakeBody",
    about_body="When a session goes on, and with which note.",
    examples=({"minutes": 20, "note": "look at the build", "run_id": "run_01a1…"},),
)
