"""The attempts of a run, as its page lists them: here, or by the workers of an executor."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from duly.model.handover import Handover, HandoverState
from duly.model.run import Run, Status
from duly.ports.run_history import AttemptRecord
from duly.service.executors.views import seconds_between
from duly.service.runs.views import AttemptView


def attempts_of(
    run: Run, recorded: Sequence[AttemptRecord], handovers: Sequence[Handover], *, hidden: bool
) -> list[AttemptView]:
    """List the attempts of a run: those on record, and the one that the run itself tells about.

    The engine that takes the outcome of a handover does so within a moment: what counts is when its worker was at it.
    """
    found = [(each.fence, _recorded(each, hidden=hidden)) for each in recorded]
    is_known = run.status is Status.RUNNING or (run.status.final and run.started_at is not None)
    last = recorded[-1] if recorded else None
    is_recorded = last is not None and last.started_at == run.started_at and run.status is not Status.RUNNING
    if is_known and not is_recorded:
        found.append((run.fence, _latest(run, hidden=hidden)))
    left = list(handovers)
    timed = [_timed(view, _taken(left, fence)) for fence, view in found]
    if left and left[-1].state is HandoverState.BEGUN and run.status is Status.PENDING:
        timed.append(_timed(AttemptView(number=run.attempt + 1, status=str(Status.RUNNING)), left[-1]))
    return [
        replace(each, waited_seconds=seconds_between(before.ended_at if before else None, each.started_at))
        for before, each in zip([None, *timed], timed, strict=False)
    ]


def latest_attempt(run: Run, handover: Handover | None) -> int:
    """Number the latest attempt, whose output is shown: a run that waits for its worker has not counted it yet."""
    is_elsewhere = handover is not None and handover.state is HandoverState.BEGUN and run.status is Status.PENDING
    return run.attempt + 1 if is_elsewhere else max(run.attempt, 1)


def _recorded(each: AttemptRecord, *, hidden: bool) -> AttemptView:
    return AttemptView(
        number=each.attempt,
        status=each.status,
        started_at=each.started_at,
        ended_at=each.ended_at,
        node_id=each.node_id,
        error=None if hidden and each.status == "failed" else each.error,
    )


def _latest(run: Run, *, hidden: bool) -> AttemptView:
    return AttemptView(
        number=max(run.attempt, 1),
        status=str(run.status),
        started_at=run.started_at,
        ended_at=run.finished_at,
        node_id=run.owner,
        error=None if hidden else run.error,
    )


def _taken(left: list[Handover], fence: int) -> Handover | None:
    """Take out the handover whose outcome the attempt with this fence took: the first that had ended by then."""
    for each in left:
        if each.ended_fence is not None and each.ended_fence <= fence:
            left.remove(each)
            return each
    return None


def _timed(view: AttemptView, handover: Handover | None) -> AttemptView:
    """Give an attempt the times of its worker, if one has begun it."""
    if handover is None or handover.begun_at is None:
        return view
    started: datetime = handover.begun_at
    return replace(view, started_at=started, ended_at=handover.ended_at)
