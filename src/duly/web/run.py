"""Run: what is it doing, or why did it end so?"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from duly.errors import DulyError
from duly.service.executors.views import state_word
from duly.service.overview.views import NodeView
from duly.service.runs.views import AttemptView, RunDetail, printing
from duly.service.schedules.allowed import NOTHING, Allowed
from duly.web import about, charts, words
from duly.web.run_lead import lead_of
from duly.web.run_output import prints, tail_of
from duly.web.run_words import plain_text, run_line
from duly.web.site import Site
from duly.web.viewer import Viewer

_ORIGINS = {"schedule": "by the schedule", "manual": "by hand", "backfill": "for a past time", "clock": "by the clock"}
_ATTEMPT = {"lost": "dead"}


def make_run(site: Site) -> APIRouter:
    """Make the routes of one run."""
    router = site.router()

    @router.get("/runs/{run_id}")
    async def run(request: Request, run_id: str, attempt: int | None = None, target: str | None = None) -> Response:
        viewer = site.viewer(request)
        detail = await site.services.runs.get(viewer.caller, run_id)
        allowed = await site.services.allowed.of(viewer.caller, [detail.run.schedule_id])
        chosen, place = _chosen(detail, attempt, target)
        output = await tail_of(site, viewer, detail, chosen, place)
        return await site.render(
            request,
            "run.html",
            detail=detail,
            run=detail.run,
            line=run_line(detail.run, viewer),
            title=_title(detail, viewer),
            pill=_pill(detail),
            life=_life(detail, viewer),
            output=output,
            prints=prints(detail) and not detail.hidden,
            chosen=chosen,
            place=place,
            pinned="target" if target is not None else "attempt" if attempt is not None else "",
            places=[each.target for each in detail.outputs if each.attempt == chosen],
            facts=_facts(detail, viewer),
            node=await _node(site, viewer, detail),
            bars=charts.durations(_bars(detail, viewer), detail.usually_seconds) if detail.durations else None,
            earlier=await _neighbour(site, viewer, detail.previous_id),
            later=await _neighbour(site, viewer, detail.next_id),
            allowed=allowed.get(detail.run.schedule_id, NOTHING),
            is_over=detail.run.finished_at is not None,
            result=plain_text(detail.run.result),
            lead=lead_of(detail, output, viewer),
            waits=_waits(detail, viewer),
            begun_elsewhere=detail.run.handover.begun_at if detail.run.handover else None,
            may=_may(detail, allowed.get(detail.run.schedule_id, NOTHING)),
        )

    @router.post("/runs/{run_id}/again")
    async def again(request: Request, run_id: str) -> Response:
        done = await site.services.actions.run_again(site.caller(request), run_id)
        fresh = getattr(done.view, "id", None)
        return site.done(request, done, back=f"/runs/{run_id}", go=f"/runs/{fresh}" if fresh else None)

    @router.post("/runs/{run_id}/stop")
    async def stop(request: Request, run_id: str) -> Response:
        done = await site.services.actions.cancel_run(site.caller(request), run_id)
        return site.done(request, done, back=f"/runs/{run_id}")

    return router


def _chosen(detail: RunDetail, attempt: int | None, target: str | None) -> tuple[int, str]:
    """Choose the attempt and the target whose output is shown: the latest, and the one that prints."""
    number = attempt or (detail.attempts[-1].number if detail.attempts else max(detail.run.attempt, 1))
    return number, printing(detail.outputs, number) if target is None else target


def _title(detail: RunDetail, viewer: Viewer) -> str:
    return f"{detail.run.name}, {words.moment(detail.run.fire_at, viewer.now, viewer.zone)}"


def _pill(detail: RunDetail) -> tuple[str, str]:
    run = detail.run
    if detail.reminder_status is not None and run.status in ("pending", "succeeded"):
        return detail.reminder_status, words.status_words(detail.reminder_status).capitalize()
    elsewhere = None if run.finished_at else state_word(run.handover)
    word = (elsewhere or words.status_words(run.status)).capitalize()
    if run.status == "running" and detail.cancel_requested:
        return run.status, "Asked to stop"
    if run.attempt > 1 or (run.status == "running" and (detail.max_attempts or 1) > 1):
        of = f" of {detail.max_attempts}" if (detail.max_attempts or 0) >= run.attempt else ""  # fewer since then
        return run.status, f"{word}, attempt {max(run.attempt, 1)}{of}"
    return run.status, word


def _life(detail: RunDetail, viewer: Viewer) -> Any:
    """Draw the life line; None for a run that was never begun."""
    parts: list[charts.LifePart] = []
    before: AttemptView | None = None
    number = len(detail.attempts)
    for each in detail.attempts:
        if each.started_at is None:
            continue
        if before is not None and before.ended_at is not None and each.started_at > before.ended_at:
            waited = words.took((each.started_at - before.ended_at).total_seconds())
            parts.append(
                charts.LifePart(kind="wait", start=before.ended_at, end=each.started_at, title=f"waited {waited}")
            )
        parts.append(_attempt_part(each, detail, viewer, number))
        before = each
    if not parts:
        return None
    is_running = detail.run.status == "running"
    if is_running and detail.expected_end is not None and detail.expected_end > viewer.now:
        parts.append(charts.LifePart(kind="expected", start=viewer.now, end=detail.expected_end))
    due = detail.run.due_at
    if detail.run.status == "pending" and before is not None and before.ended_at and due > before.ended_at:
        parts.append(charts.LifePart(kind="wait", start=before.ended_at, end=due, title="waits for the next attempt"))
    return charts.life_line(parts, viewer.now if detail.run.finished_at is None else None, viewer.zone)


def _attempt_part(each: AttemptView, detail: RunDetail, viewer: Viewer, number: int) -> charts.LifePart:
    assert each.started_at is not None  # noqa: S101  others have no place on the line
    end = each.ended_at or viewer.now
    took = words.took((end - each.started_at).total_seconds())
    word = {"running": "is running"}.get(each.status, each.status)
    of = f" of {detail.max_attempts}" if each.status == "running" and (detail.max_attempts or 1) > 1 else ""
    named = f"Attempt {each.number}{of} {word}" if number > 1 or of else word.capitalize()
    more = (each.error or "").partition("\n")[0][:90]
    if each.status == "running" and detail.usually_seconds is not None:
        ends = each.started_at + timedelta(seconds=detail.usually_seconds)
        about_then = f", so about {words.clock(ends, viewer.zone, seconds=True)}" if ends > viewer.now else ""
        more = f"usually {words.took(detail.usually_seconds)}{about_then}"
    kind = words.shape(_ATTEMPT.get(each.status, each.status))
    return charts.LifePart(
        kind=kind, start=each.started_at, end=end, title=named, short=f"{each.number}.", took=took, detail=more
    )


def _facts(detail: RunDetail, viewer: Viewer) -> dict[str, object]:
    run = detail.run
    first = next((each.started_at for each in detail.attempts if each.started_at), run.started_at)
    late = (first - run.fire_at).total_seconds() if first else None
    return {
        "due": run.fire_at,
        "due_clock": words.clock(run.fire_at, viewer.zone, seconds=True),
        "started": f"started {words.took(late)} later" if late is not None and late >= 0 else "",
        "origin": _ORIGINS.get(run.origin, run.origin),
        "session": next((each.session_id for each in detail.targets if each.session_id), None),
        "resume": next((each.resume_command for each in detail.targets if each.resume_command), None),
        "done": sum(each.status not in ("running", "pending") for each in detail.targets),
    }


async def _node(site: Site, viewer: Viewer, detail: RunDetail) -> tuple[str, NodeView | None] | None:
    """Give the id of the node of the latest attempt, and the node while it lives; only admins see nodes."""
    node_id = detail.owner or next((each.node_id for each in reversed(detail.attempts) if each.node_id), None)
    if node_id is None or not viewer.is_admin:
        return None
    living = await site.services.overview.nodes(viewer.caller)
    return node_id, next((each for each in living if each.id == node_id), None)


def _bars(detail: RunDetail, viewer: Viewer) -> list[charts.DurationBar]:
    bars = [
        charts.DurationBar(
            run_id=each.run_id,
            status=each.status,
            seconds=each.seconds,
            tip=f"{words.status_words(each.status)}, {words.took(each.seconds)}",
            current=each.run_id == detail.run.id,
        )
        for each in detail.durations
    ]
    started = detail.run.started_at
    if detail.run.status == "running" and started is not None:
        seconds = (viewer.now - started).total_seconds()
        tip = f"running for {words.took(seconds)}"
        bars.append(charts.DurationBar(run_id=detail.run.id, status="running", seconds=seconds, tip=tip, current=True))
    return bars[-30:]


async def _neighbour(site: Site, viewer: Viewer, run_id: str | None) -> tuple[str, str] | None:
    """Give the address and the time of the run before or after."""
    if run_id is None:
        return None
    try:
        run = await site.services.schedules.run_get(viewer.caller, run_id)
    except DulyError:
        return None
    at = run.fire_at
    near = viewer.zone.localize(at).date() == viewer.zone.localize(viewer.now).date()
    return f"/runs/{run_id}", words.clock(at, viewer.zone) if near else words.moment(at, viewer.now, viewer.zone)


def _waits(detail: RunDetail, viewer: Viewer) -> str:
    """Say what a run of an agent waits for, or what an executor does with it; empty if neither."""
    run = detail.run
    elsewhere = about.elsewhere(run, viewer.now, viewer.zone)
    said = elsewhere or (run.reason if run.status == "pending" and detail.kind == "agent" else None)
    return "" if said is None else words.with_local_times(said[:1].upper() + said[1:], viewer.now, viewer.zone)


def _may(detail: RunDetail, allowed: Allowed) -> dict[str, bool]:
    is_over = detail.run.finished_at is not None
    answer = detail.takes_answer and allowed.change
    stop = not is_over and allowed.change and not detail.cancel_requested and not answer
    return {"again": is_over and allowed.fire, "stop": stop, "answer": answer}
