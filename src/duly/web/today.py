"""Today: does anything need me, and what comes next?"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, time, timedelta
from urllib.parse import urlencode

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from duly.errors import InvalidInputError
from duly.service.overview.views import DayView, OutcomeCounts
from duly.web import words
from duly.web.need_lines import need_lines
from duly.web.pins import pins_of
from duly.web.site import Site
from duly.web.timeline import AXIS, draw_day, height_of, lines_of
from duly.web.viewer import Say, Viewer
from duly.zones import Zone

_SPANS = {"6h": "6 h", "day": "Day", "3d": "3 days"}
_ROWS = 14
_UNFOLDED = 50
_LAST = 3
_NEXT = 10
_SHORTEST = timedelta(minutes=15)
_LONGEST = timedelta(days=31)


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownSpan:
    """The span that the timeline shows."""

    name: str
    """`6h`, `day`, `3d`, or empty for one that was dragged."""
    start: datetime
    end: datetime
    lead: str
    """How the sentence begins that counts its runs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedMoment:
    """A run or a fire in the list that phones show instead of the timeline."""

    at: datetime
    name: str
    kind: str
    status: str
    reminder_status: str | None
    href: str


def make_today(site: Site) -> APIRouter:
    """Make the routes of Today."""
    router = site.router()

    @router.get("/")
    async def today(request: Request) -> Response:
        viewer = site.viewer(request)
        if viewer.caller.scope.kind == "user":
            return Response(status_code=303, headers={"Location": "/inbox"})
        span = _span(request, viewer)
        unfold = request.query_params.get("unfold")
        services = site.services
        day = await services.overview.day(
            viewer.caller, span.start, span.end, rows=_UNFOLDED if unfold else _ROWS, unfold_after=unfold or None
        )
        needs = await services.needs.items(viewer.caller)
        counts = await services.overview.schedule_counts(viewer.caller)
        say = Say(viewer.now, viewer.zone)
        lines = lines_of(day.groups)
        return await site.render(
            request,
            "today.html",
            day=day,
            span=span,
            spans=[(_address(request, span=name), label, name == span.name) for name, label in _SPANS.items()],
            needs=await need_lines(services, viewer, needs.items, day.silent),
            needs_total=needs.total,
            counts=counts,
            pins=pins_of(request),
            sentence=_sentence(day, span, needs.total),
            lines=lines,
            axis=AXIS,
            height=height_of(lines, others=day.others is not None),
            plot=draw_day(day, say, lines),
            listed=_listed(day),
            unfolded=unfold is not None,
            fold=_address(request),
            unfold=None if day.others is None else _address(request, unfold=day.others.unfold_after or ""),
            others=None if day.others is None else outcomes_in_words(day.others.counts),
        )

    @router.get("/ui/fire")
    async def fire(request: Request, schedule: str, at: str) -> Response:
        """Show what can be done about a coming fire."""
        viewer = site.viewer(request)
        found = await site.services.schedules.schedule_get(viewer.caller, schedule)
        moment = _instant(at)
        notes = [note for note in found.notes if f"{viewer.zone.localize(moment):%Y-%m-%d}" in note]
        is_next = found.next_run_at == moment
        return site.page(
            request,
            "fire.html",
            viewer=viewer,
            schedule=found,
            at=moment,
            is_next=is_next,
            note=next(iter(notes), None),
        )

    return router


def _address(request: Request, **changes: str) -> str:
    kept = {name: value for name, value in request.query_params.items() if name in {"span", "from", "to"}}
    if "span" in changes:
        kept = {}
    return "/?" + urlencode({**kept, **changes}) if kept or changes else "/"


def local_midnight(at: datetime, zone: Zone, days: int = 0) -> datetime:
    """Give the beginning of a day on the viewer's clock, as an instant."""
    there = zone.localize(at).date() + timedelta(days=days)
    return zone.first_instant(datetime.combine(there, time()))


def _span(request: Request, viewer: Viewer) -> ShownSpan:
    """Read the span from the address: a named one, or one that was dragged."""
    asked = request.query_params
    if "from" in asked and "to" in asked:
        start = _instant(asked["from"])
        end = _instant(asked["to"])
        if not _SHORTEST <= end - start <= _LONGEST:
            raise InvalidInputError("a timeline shows between 15 minutes and 31 days: choose another span")
        lead = f"From {words.clock(start, viewer.zone)} to {words.clock(end, viewer.zone)}"
        return ShownSpan(name="", start=start, end=end, lead=lead)
    name = asked.get("span", "day")
    if name == "6h":
        hour = viewer.now.replace(minute=0, second=0, microsecond=0)
        start = hour - timedelta(hours=3)
        return ShownSpan(name=name, start=start, end=start + timedelta(hours=6), lead="In these six hours")
    if name == "3d":
        start = local_midnight(viewer.now, viewer.zone, -1)
        end = local_midnight(viewer.now, viewer.zone, 2)
        return ShownSpan(name=name, start=start, end=end, lead="Since yesterday")
    start = local_midnight(viewer.now, viewer.zone)
    return ShownSpan(name="day", start=start, end=local_midnight(viewer.now, viewer.zone, 1), lead="Since midnight")


def _instant(text: str) -> datetime:
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        raise InvalidInputError(f"{text!r:.60} is no time: write it as 2027-03-26T14:00:00Z") from None
    if found.tzinfo is None:
        raise InvalidInputError(f"{text!r:.60} names no zone: write it as 2027-03-26T14:00:00Z")
    return found


def _sentence(day: DayView, span: ShownSpan, total: int) -> tuple[str, str]:
    """Say the whole page: what needs a person, what happened, what runs."""
    lead = {0: "Nothing needs you.", 1: "One thing needs you."}.get(total, f"{total} things need you.")
    counted = outcomes_in_words(day.sentence_counts)
    rest = f"{span.lead} {counted}." if counted else f"{span.lead} nothing has run."
    if day.running:
        rest += " One is running now." if day.running == 1 else f" {day.running} are running now."
    return lead, rest


def outcomes_in_words(counts: OutcomeCounts) -> str:
    """Count outcomes in words: "279 runs went well, 1 failed, 61 were missed"."""
    parts = []
    if counts.succeeded:
        parts.append(f"{words.many(counts.succeeded, 'run')} went well")
    for count, one, several in (
        (counts.failed, "failed", "failed"),
        (counts.dead, "is dead", "are dead"),
        (counts.missed, "was missed", "were missed"),
    ):
        if count:
            parts.append(f"{count:,} {one if count == 1 else several}")
    if not parts and counts.skipped:
        parts.append(f"{words.many(counts.skipped, 'run')} {'was' if counts.skipped == 1 else 'were'} skipped")
    return ", ".join(parts)


def _listed(day: DayView) -> tuple[list[ListedMoment], list[ListedMoment]]:
    """Give the last runs and the next fires, for a page that has no room for the timeline."""
    past = [
        ListedMoment(
            at=run.started_at or run.fire_at,
            name=row.name,
            kind=row.kind,
            status=run.status,
            reminder_status=run.reminder_status,
            href=f"/runs/{run.run_id}",
        )
        for row in day.groups
        for run in row.runs
    ]
    coming = [
        ListedMoment(
            at=fire.run_at,
            name=row.name,
            kind=row.kind,
            status="coming",
            reminder_status=None,
            href=f"/schedules/{row.schedule_id}",
        )
        for row in day.groups
        for fire in row.coming
    ]
    return sorted(past, key=_at)[-_LAST:], sorted(coming, key=_at)[:_NEXT]


def _at(moment: ListedMoment) -> datetime:
    return moment.at
