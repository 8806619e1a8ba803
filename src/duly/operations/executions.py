"""What workers ask and report about the runs that were handed over to them. They show the token of their message."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

from duly.operations.ask import Group, WorkerAsk, post
from duly.operations.parameters import Param, RunPath
from duly.ports.executors import ReportedLine
from duly.ports.run_history import LineKind
from duly.service.executions.keeping import MOST_LINES
from duly.service.executions.views import LeaveView, TakenView
from duly.service.schedules.values import storable

if TYPE_CHECKING:
    from duly.service.executions.executions import Worker
    from duly.service.services import Services

NumberPath = Annotated[int, Param(words="Number of the handover within the run", least=1, most=10**9 - 1)]
NewStart = Annotated[
    str,
    Param(
        words="A text of your own, new for each start of the message: a process asks once more",
        shortest=1,
        longest=200,
    ),
]
Host = Annotated[str, Param(words="Which process it is, for people", shortest=1, longest=200)]
_LENGTH = Param(shortest=1, longest=200)
After = Annotated[
    Annotated[str, _LENGTH] | None,
    Param(words="The start that had leave and gives up its place for this one, as when Celery retries a task"),
]
Start = Annotated[
    Annotated[str, _LENGTH] | None,
    Param(words="The start that has leave; left out by a service that answered 202"),
]
Lines = Annotated[Sequence[Mapping[str, Any]], Param(model="LineBody", longest=MOST_LINES)]
Before = Annotated[
    int | None,
    Param(words="How many lines were sent before these: repeated ones are not kept twice", least=0, most=2**53),
]


@dataclass(frozen=True, slots=True)
class BeginExecution(WorkerAsk[LeaveView]):
    """Ask for leave to begin, before anything is carried out.

    Leave is given to one start of the message; asking again for the same start is answered as before. A refusal (409)
    names its reason in `refusal`, and says what to do.
    """

    run: RunPath
    number: NumberPath
    _: KW_ONLY
    start: NewStart
    worker: Host
    after: After = None

    async def carry_out(self, services: Services, worker: Worker) -> LeaveView:
        return await services.executions.begin(
            worker, start=storable(self.start, "start"), host=storable(self.worker, "worker"), after=self.after
        )


@dataclass(frozen=True, slots=True)
class BeatExecution(WorkerAsk[TakenView]):
    """Give a sign of life, with progress and output. With the refusal `over` the work should stop: the run is over.

    Without a sign of life for `lease_seconds` the attempt counts as lost.
    """

    run: RunPath
    number: NumberPath
    _: KW_ONLY
    start: Start = None
    lines: Lines = ()
    lines_before: Before = None
    progress: Annotated[Any, Param(words="How far it is: any JSON, shown on the page of the run")] = None

    async def carry_out(self, services: Services, worker: Worker) -> TakenView:
        return await services.executions.beat(
            worker,
            start=_storable(self.start),
            progress=self.progress,
            lines=_lines(self.lines),
            before=self.lines_before,
        )


@dataclass(frozen=True, slots=True)
class EndExecution(WorkerAsk[TakenView]):
    """Report the outcome. The first one counts; the same report again is answered the same."""

    run: RunPath
    number: NumberPath
    _: KW_ONLY
    start: Start = None
    lines: Lines = ()
    lines_before: Before = None
    state: Literal["succeeded", "failed"]
    result: Annotated[Any, Param(words="Any JSON; of more than 262144 characters only a description is kept")] = None
    error: Annotated[str | None, Param(words="Why it failed: the first 4000 characters are kept")] = None
    traceback: Annotated[str | None, Param(words="Where: the last 4000 characters are kept")] = None

    async def carry_out(self, services: Services, worker: Worker) -> TakenView:
        return await services.executions.end(
            worker,
            start=_storable(self.start),
            state=self.state,
            result=self.result,
            error=self.error,
            traceback=self.traceback,
            lines=_lines(self.lines),
            before=self.lines_before,
        )


def _storable(start: str | None) -> str | None:
    return None if start is None else storable(start, "start")


def _lines(lines: Sequence[Mapping[str, Any]]) -> list[ReportedLine]:
    return [ReportedLine(kind=LineKind(each.get("kind", "text")), text=each["text"]) for each in lines]


EXECUTIONS = Group(
    "executions",
    "For workers that carry out what was handed over to them. The bearer token is the one in the message they got; "
    "tokens of duly are not for these.",
    (
        post(
            BeginExecution,
            "/executions/{run}/{number}/begin",
            faults=(404, 409),
            body="BeginBody",
            about_body="Who would begin.",
            examples=({"start": "6fd1c1b4a51d", "worker": "celery@build-7"},),
        ),
        post(
            BeatExecution,
            "/executions/{run}/{number}/beat",
            faults=(404, 409),
            body="BeatBody",
            about_body="A sign of life.",
            examples=({"start": "6fd1c1b4a51d", "progress": {"done": 40, "of": 100}},),
        ),
        post(
            EndExecution,
            "/executions/{run}/{number}/end",
            faults=(404, 409),
            body="EndBody",
            about_body="How it ended.",
            examples=({"start": "6fd1c1b4a51d", "state": "succeeded", "result": {"rows": 1200}},),
        ),
    ),
)
