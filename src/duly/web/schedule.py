"""Schedule: how has it been, what will it do, who changed it?"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from duly.errors import NotFoundError
from duly.model.codec import Json
from duly.service.access.audit_trail import AuditView
from duly.service.overview.figure_views import ScheduleFigures
from duly.service.schedules.allowed import NOTHING
from duly.service.schedules.fields import ScheduleView, spread_of
from duly.service.schedules.off import off_words
from duly.service.schedules.putting_back import is_change
from duly.web import about, charts, words
from duly.web.journal import ChangedField, differences
from duly.web.run_words import open_reminders, run_line
from duly.web.schedules import coming, row_of
from duly.web.site import Site
from duly.web.viewer import Viewer
from duly.zones import Zone

_RUNS = 20
_CHANGES = 10
_LONGEST_NUMBER = 20
_OVERLAPS = {
    "skip": "If it still runs when the next one is due, the new one is skipped, on the record.",
    "queue": "If it still runs when the next one is due, the new one waits in line, up to {limit}.",
    "parallel": "If it still runs when the next one is due, the new one runs beside it{most}.",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeLine:
    """An entry of the audit about one schedule."""

    seq: int
    at: datetime
    who: str
    door: str
    what: str
    changes: list[ChangedField]
    may_put_back: bool


def make_schedule(site: Site) -> APIRouter:
    """Make the routes of one schedule."""
    router = site.router()

    @router.get("/schedules/{schedule_id}")
    async def schedule(request: Request, schedule_id: str) -> Response:
        viewer = site.viewer(request)
        try:
            view = await site.services.schedules.schedule_get(viewer.caller, schedule_id)
        except NotFoundError:
            if (gone := await gone_page(site, request, schedule_id)) is None:
                raise
            return gone
        figures = (await site.services.overview.figures(viewer.caller, [view.id])).get(view.id)
        figures = figures or ScheduleFigures(outcomes=[])
        allowed = (await site.services.allowed.of(viewer.caller, [view.id])).get(view.id, NOTHING)
        runs, older = await site.services.overview.runs(viewer.caller, schedule=view.id, limit=_RUNS)
        asked = await open_reminders(site, viewer.caller, runs)
        return await site.render(
            request,
            "schedule.html",
            view=view,
            row=row_of(view, figures, allowed, viewer),
            fires=await coming(site, request, view, 5),
            figures=figures,
            sentence=sentence_of(view, figures, viewer),
            bars=charts.durations(_bars(figures, viewer), figures.median_seconds) if figures.outcomes else None,
            runs=[run_line(run, viewer, asked.get(run.id)) for run in runs],
            older=older,
            rules=rules_of(view),
            facts=_facts(view),
            changes=await _changes(site, viewer, view.id, put_back=allowed.edit),
            since=viewer.now - timedelta(days=1),
        )

    @router.post("/schedules/{schedule_id}/put-back")
    async def put_back(request: Request, schedule_id: str) -> Response:
        form = await request.form()
        seq = str(form.get("seq") or "0")
        number = int(seq) if seq.isdecimal() and len(seq) < _LONGEST_NUMBER else 0
        done = await site.services.actions.put_back(site.caller(request), schedule_id, number)
        return site.done(request, done, back=f"/schedules/{schedule_id}")

    @router.post("/schedules/{schedule_id}/backfill")
    async def backfill(request: Request, schedule_id: str) -> Response:
        """Fire for past times; asked for the number first, it says how many runs it would make, and does nothing."""
        form = await request.form()
        zone = site.viewer(request).zone
        start = _local(str(form.get("start") or ""), zone)
        end = _local(str(form.get("end") or ""), zone)
        dry_run = form.get("count") is not None
        done = await site.services.actions.backfill(site.caller(request), schedule_id, start, end, dry_run=dry_run)
        return site.done(request, done, back=f"/schedules/{schedule_id}")

    return router


def _local(text: str, zone: Zone) -> datetime | str:
    """Read a time of a form in the viewer's zone; what cannot be read goes on as text, and is refused with a reason."""
    try:
        naive = datetime.fromisoformat(text)
    except ValueError:
        return text
    return zone.first_instant(naive) if naive.tzinfo is None else naive


async def gone_page(site: Site, request: Request, schedule_id: str) -> Response | None:
    """Show what a deleted schedule was, when and by whom it was removed, and how it comes back."""
    viewer = site.viewer(request)
    try:
        row = await site.services.schedules.find.row(viewer.caller, schedule_id, deleted=True)
    except NotFoundError:
        return None
    changes = await _changes(site, viewer, row.id, put_back=False)
    removed = next((each for each in changes if each.what == "deleted"), None)
    return await site.render(
        request, "schedule_gone.html", status=404, row=row, removed=removed, deleted_at=row.deleted_at
    )


def sentence_of(view: ScheduleView, figures: ScheduleFigures, viewer: Viewer) -> str:
    """Answer how it has been and what comes, in one or two sentences."""
    at = view.next_run_at if view.enabled else None
    if view.quarantine:
        first = "It cannot be read, so it does not run."
    elif view.resting:
        first = f"It rests: {view.resting}. It goes on by itself when that is back."
    elif at is not None:
        first = f"It runs next {words.moment(at, viewer.now, viewer.zone)}, {words.relative(at, viewer.now)}."
    else:
        first = "Nothing more is to come." if view.enabled else off_words(view.disabled_by).sentence
    if not figures.outcomes:
        return f"It has not run yet. {first}"
    typical = [f"typically {words.took(figures.median_seconds)}"] if figures.median_seconds is not None else []
    if figures.spend_7_days:
        typical.append(f"{words.usd(figures.spend_7_days)} in 7 days")
    rest = f"; {' and '.join(typical)}" if typical else ""
    number = len(figures.outcomes)
    return f"{first} Of the last {words.many(number, 'run')} {about.outcomes_sentence(figures.outcomes)}{rest}."


def _bars(figures: ScheduleFigures, viewer: Viewer) -> list[charts.DurationBar]:
    tips = about.tips_of(figures.outcomes, viewer.now, viewer.zone)
    return [
        charts.DurationBar(
            run_id=each.run_id,
            status=each.status,
            seconds=each.seconds,
            tip=tip,
            reminder_status=each.reminder_status,
        )
        for each, tip in zip(figures.outcomes, tips, strict=True)
    ]


def rules_of(view: ScheduleView) -> list[str]:
    """Say each rule of a schedule as a sentence."""
    if view.message is not None or view.quarantine:
        return []
    overlap = view.overlap_behavior or "skip"
    most = "" if view.max_parallel is None else f", at most {view.max_parallel} at once"
    rules = [_OVERLAPS[overlap].format(limit=view.queue_limit or 10, most=most)]
    if view.catch_up == "skip":
        rules.append("What it missed while nothing was running is not made up.")
    else:
        window = "" if view.catch_up_window is None else f", if it is at most {words.took(view.catch_up_window)} old"
        rules.append(f"Of what it missed while nothing was running, the latest is made up{window}.")
    rules.append(retry_sentence(view.retry))
    if view.timeout is not None:
        rules.append(f"It is stopped after {words.took(view.timeout)}, and counts as failed.")
    if view.notify:
        rules.append(f"It tells: {'; '.join(view.notify)}.")
    if view.max_cost_per_run is not None:
        rules.append(f"One run may cost {words.usd(view.max_cost_per_run)}.")
    if view.max_cost_per_day is not None:
        rules.append(f"Within 24 hours it may cost {words.usd(view.max_cost_per_day)}.")
    if (latest := spread_of(view)) is not None:
        rules.append(f"It starts up to {words.took(latest)} later, so that not all start at once.")
    if view.max_runs is not None:
        rules.append(f"It ends after {words.many(view.max_runs, 'run')}; {view.total_runs} have been.")
    return rules


def retry_sentence(retry: Json | None) -> str:
    """Say how a failed run is tried again: "Failed, it is tried 3 times; it waits 30 s, then 1 min."."""
    attempts = 1 if retry is None else retry.get("max_attempts")
    if attempts == 1:
        return "When it fails, it is not tried again."
    return f"When it fails, it is tried up to {attempts or 'any number of'} times; it {waits_of(retry or {})}."


def waits_of(retry: Json) -> str:
    """Say the waits between attempts: "waits 30 s, then 1 min"."""
    attempts = retry.get("max_attempts") or 4
    delay = float(retry.get("delay") or 0)
    cap = float(retry.get("cap") or 3600)
    growth = 1 if retry.get("backoff") == "constant" else 2
    waits = [words.took(min(delay * growth**n, cap)) for n in range(min(int(attempts) - 1, 3))]
    if not waits or delay == 0:
        return "does not wait in between"
    return f"waits {', then '.join(waits)}{' …' if int(attempts) > 4 else ''}"


def _facts(view: ScheduleView) -> list[tuple[str, str]]:
    """List what a schedule does, as pairs of a name and a value."""
    found = [
        ("Agent", " ".join(filter(None, (view.spawner, view.model)))),
        ("Where", ", ".join("/".join(filter(None, (each.project_id, each.workspace_id))) for each in view.targets)),
        (
            "Session",
            {"new": "begins a new one each time", "resume": "goes on with the last"}.get(
                view.session_behavior or "", ""
            ),
        ),
        ("Gate", view.gate or ""),
        ("Job", about.call_of(view.job_name, view.job_args, view.positional) if view.job_name else ""),
        ("Executor", about.place_of(view)),
        ("About", view.description or ""),
        ("Title", view.display_title or ""),
    ]
    return [(name, value) for name, value in found if value]


async def _changes(site: Site, viewer: Viewer, schedule_id: str, *, put_back: bool) -> list[ChangeLine]:
    """Give the latest changes of a schedule, newest first."""
    found, _ = await site.services.audit.entries(viewer.caller, schedule=schedule_id, limit=_CHANGES)
    return [_change_line(each, put_back=put_back) for each in reversed(found)]


def _change_line(entry: AuditView, *, put_back: bool) -> ChangeLine:
    what = entry.kind.partition(".")[2].replace("_", " ")
    before = entry.data.get("before") or {}
    after = entry.data.get("after") or {}
    changes: list[ChangedField] = []
    if what not in ("created", "deleted"):
        changes = differences(before, after)
        changes += [ChangedField(name=name, before="", after="") for name in entry.data.get("changed", [])]
    return ChangeLine(
        seq=entry.seq,
        at=entry.at,
        who=words.ACTORS.get(entry.actor, entry.actor),
        door=words.DOORS.get(entry.face or "", entry.face or ""),
        what={"created": "made", "updated": "changed"}.get(what, what),
        changes=changes,
        may_put_back=put_back and what in ("updated", "paused", "resumed") and is_change(entry.kind, entry.data),
    )


async def last_change(site: Site, viewer: Viewer, schedule_id: str) -> ChangeLine | None:
    """Give the latest change of a schedule."""
    found = await _changes(site, viewer, schedule_id, put_back=False)
    return found[0] if found else None
