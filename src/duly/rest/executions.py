"""What workers ask and report about the runs that were handed over to them. They show the token of their message."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal

from fastapi import Depends, Path
from pydantic import BeforeValidator, ConfigDict, Field
from starlette.requests import Request

from duly.ports.executors import ReportedLine
from duly.ports.run_history import LineKind
from duly.rest.answers import WORKER
from duly.rest.inputs import RequestBody, RunPath, whole
from duly.rest.operations import Operations
from duly.service.executions.executions import Worker, unknown_handover
from duly.service.executions.keeping import MOST_LINES
from duly.service.executions.views import LeaveView, TakenView
from duly.service.schedules.values import storable
from duly.service.services import Services

executions = Operations(
    "executions",
    "For workers that carry out what was handed over to them. The bearer token is the one in the message they got; "
    "tokens of duly are not for these.",
)

NumberPath = Annotated[
    int, Field(ge=1, le=10**9 - 1), BeforeValidator(whole), Path(description="Number of the handover within the run")
]
Start = Annotated[str, Field(min_length=1, max_length=200)]


@dataclass(frozen=True, slots=True)
class AskedByWorker:
    """A request of a worker."""

    services: Services
    worker: Worker

    def header(self, _name: str) -> None:
        """Workers send no headers that count."""


async def _asked(request: Request, run: RunPath, number: NumberPath) -> AskedByWorker:
    worker: Worker | None = request.scope.get(WORKER)
    if worker is None or worker.key != (run, number):
        raise unknown_handover()
    return AskedByWorker(services=request.app.state.services, worker=worker)


ByWorker = Annotated[AskedByWorker, Depends(_asked)]


class BeginBody(RequestBody):
    """Who would begin."""

    model_config = ConfigDict(
        extra="forbid",
        strict=True,
        json_schema_extra={"examples": [{"start": "6fd1c1b4a51d", "worker": "celery@build-7"}]},
    )
    start: Start = Field(description="A text of your own, new for each start of the message: a process asks once more")
    worker: str = Field(min_length=1, max_length=200, description="Which process it is, for people")
    after: Start | None = Field(
        None, description="The start that had leave and gives up its place for this one, as when Celery retries a task"
    )


class LineBody(RequestBody):
    """A line of output."""

    kind: Literal[tuple(str(each) for each in LineKind)] = "text"  # type: ignore[valid-type]
    text: str


class OutputBody(RequestBody):
    """What was printed since the last report."""

    start: Start | None = Field(None, description="The start that has leave; left out by a service that answered 202")
    lines: list[LineBody] = Field(default=[], max_length=MOST_LINES)
    lines_before: int | None = Field(
        None, ge=0, le=2**53, description="How many lines were sent before these: repeated ones are not kept twice"
    )


class BeatBody(OutputBody):
    """A sign of life."""

    model_config = ConfigDict(
        extra="forbid",
        strict=True,
        json_schema_extra={"examples": [{"start": "6fd1c1b4a51d", "progress": {"done": 40, "of": 100}}]},
    )
    progress: Any = Field(None, description="How far it is: any JSON, shown on the page of the run")


class EndBody(OutputBody):
    """How it ended."""

    model_config = ConfigDict(
        extra="forbid",
        strict=True,
        json_schema_extra={"examples": [{"start": "6fd1c1b4a51d", "state": "succeeded", "result": {"rows": 1200}}]},
    )
    state: Literal["succeeded", "failed"]
    result: Any = Field(None, description="Any JSON; of more than 262144 characters only a description is kept")
    error: str | None = Field(None, description="Why it failed: the first 4000 characters are kept")
    traceback: str | None = Field(None, description="Where: the last 4000 characters are kept")


@executions.post("/executions/{run}/{number}/begin", LeaveView, faults=(404, 409))
async def begin_execution(by: ByWorker, body: BeginBody) -> object:
    """Ask for leave to begin, before anything is carried out.

    Leave is given to one start of the message; asking again for the same start is answered as before. A refusal (409)
    names its reason in `refusal`, and says what to do.
    """
    return await by.services.executions.begin(
        by.worker, start=storable(body.start, "start"), host=storable(body.worker, "worker"), after=body.after
    )


@executions.post("/executions/{run}/{number}/beat", TakenView, faults=(404, 409))
async def beat_execution(by: ByWorker, body: BeatBody) -> object:
    """Give a sign of life, with progress and output. With the refusal `over` the work should stop: the run is over.

    Without a sign of life for `lease_seconds` the attempt counts as lost.
    """
    return await by.services.executions.beat(
        by.worker, start=_start(body), progress=body.progress, lines=_lines(body), before=body.lines_before
    )


@executions.post("/executions/{run}/{number}/end", TakenView, faults=(404, 409))
async def end_execution(by: ByWorker, body: EndBody) -> object:
    """Report the outcome. The first one counts; the same report again is answered the same."""
    return await by.services.executions.end(
        by.worker,
        start=_start(body),
        state=body.state,
        result=body.result,
        error=body.error,
        traceback=body.traceback,
        lines=_lines(body),
        before=body.lines_before,
    )


def _start(body: OutputBody) -> str | None:
    return None if body.start is None else storable(body.start, "start")


def _lines(body: OutputBody) -> list[ReportedLine]:
    return [ReportedLine(kind=LineKind(each.kind), text=each.text) for each in body.lines]
