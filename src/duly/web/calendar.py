"""Calendar: what happens on which day? Day, week, month and agenda."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import date, timedelta
from urllib.parse import urlencode

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from duly.errors import DulyError, InvalidInputError
from duly.service.overview.calendar import CalendarEntry, CalendarRhythm, CalendarView
from duly.service.overview.load import day_bounds
from duly.service.overview.views import OutcomeCounts
from duly.web import words
from duly.web.calendar_grid import CalendarDay, draw_week, href_of
from duly.web.site import Site
from duly.web.today import outcomes_in_words
from duly.web.viewer import Viewer
from duly.zones import Zone

VIEWS = (("day", "Day", "d"), ("week", "Week", "w"), ("month", "Month", "m"), ("agenda", "Agenda", "a"))
_KINDS = (("", "Everything"), ("agent", "Agents"), ("job", "Jobs"), ("person", "People"))
_AGENDA = 7
_LISTED = 100
_LISTED_BELOW = 12
"""Entries of a day that the agenda lists, and the list that phones see below a week."""
_DAYS_OF_WEEK = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_IN_A_DAY = 4
"""Entries that a day of the month view shows."""
_MOST_RHYTHMS = 8
_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class RhythmCell:
    """What often comes, on one day."""

    parts: list[tuple[str, int]]
    """Shapes with their numbers, in the order they are drawn."""
    total: int
    trouble: str
    """ "45 missed", "1 failed"; empty when all went well."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RhythmLine:
    """A schedule that fires often, over the days of the view."""

    rhythm: CalendarRhythm
    cells: list[RhythmCell]


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """Which days are shown, and how."""

    view: str
    first: date
    days: int
    kind: str

    def to(self, *, view: str | None = None, first: date | None = None, kind: str | None = None) -> str:
        """Give the address with some of it changed."""
        asked = {"view": view or self.view, "from": (first or self.first).isoformat()}
        wanted = self.kind if kind is None else kind
        return "/calendar?" + urlencode({**asked, "kind": wanted} if wanted else asked)

    @property
    def before(self) -> date:
        """The first day of the span before."""
        if self.view == "month":
            return (self.first - _DAY).replace(day=1)
        return self.first - self.days * _DAY

    @property
    def after(self) -> date:
        """The first day of the span after."""
        return self.first + self.days * _DAY


def make_calendar(site: Site) -> APIRouter:
    """Make the routes of Calendar."""
    router = site.router()

    @router.get("/calendar")
    async def calendar(request: Request, view: str = "week", kind: str = "") -> Response:
        viewer = site.viewer(request)
        shown = _shown(view, request.query_params.get("from", ""), kind, viewer)
        start, _ = day_bounds(shown.first, viewer.zone.name)
        _, end = day_bounds(shown.first + (shown.days - 1) * _DAY, viewer.zone.name)
        found = await site.services.overview.calendar(viewer.caller, start, end, viewer.zone.name, kind=kind or None)
        days = [_day(shown.first + index * _DAY, viewer) for index in range(shown.days)]
        by_day = _by_day(found, viewer.zone)
        today = viewer.zone.localize(viewer.now).date()
        return await site.render(
            request,
            "calendar.html",
            shown=shown,
            title=_title(shown),
            sentence=_sentence(found, days, viewer),
            found=found,
            days=days,
            by_day=by_day,
            weeks=_weeks(shown, days) if shown.view == "month" else [],
            rhythms=[_line(each, days) for each in found.rhythms[:_MOST_RHYTHMS]],
            more_rhythms=max(0, len(found.rhythms) - _MOST_RHYTHMS),
            grid=draw_week(found, days, viewer, await _quiet(site, viewer)) if shown.view in ("day", "week") else None,
            views=[
                (shown.to(view=name, first=today if name != "month" else None), text, name == shown.view, key)
                for name, text, key in VIEWS
            ],
            kinds=[(shown.to(kind=name), text, name == kind) for name, text in _KINDS],
            here=shown.to(first=today),
            names=_DAYS_OF_WEEK,
            in_a_day=_IN_A_DAY,
            listed_most=_LISTED if shown.view in ("agenda", "day") else _LISTED_BELOW,
            href=href_of,
        )

    return router


def _shown(view: str, first: str, kind: str, viewer: Viewer) -> Shown:
    if view not in {name for name, _, _ in VIEWS}:
        raise InvalidInputError(f"view {view!r:.50} is unknown: use {', '.join(name for name, _, _ in VIEWS)}")
    if kind not in dict(_KINDS):
        raise InvalidInputError(f"kind {kind!r:.50} is unknown: use {', '.join(filter(None, dict(_KINDS)))}")
    try:
        begin = date.fromisoformat(first) if first else viewer.zone.localize(viewer.now).date()
    except ValueError:
        raise InvalidInputError(f"from {first!r:.50} is not a date: write it as 2027-03-29") from None
    if not date(1970, 1, 1) <= begin <= date(9990, 1, 1):
        raise InvalidInputError(f"from {begin} is too far away for a calendar")
    if view == "week":
        return Shown(view=view, first=begin - begin.weekday() * _DAY, days=7, kind=kind)
    if view == "month":
        month = begin.replace(day=1)
        following = (month + 32 * _DAY).replace(day=1)
        return Shown(view=view, first=month, days=(following - month).days, kind=kind)
    return Shown(view=view, first=begin, days=1 if view == "day" else _AGENDA, kind=kind)


def _title(shown: Shown) -> str:
    """Name the days that are shown: "22 – 28 March 2027"."""
    last = shown.first + (shown.days - 1) * _DAY
    if shown.view == "month":
        return f"{shown.first:%B %Y}"
    if shown.days == 1:
        return f"{shown.first:%A} {shown.first.day} {shown.first:%B %Y}"
    if shown.first.month == last.month:
        return f"{shown.first.day} – {last.day} {last:%B %Y}"
    years = "" if shown.first.year == last.year else f" {shown.first.year}"
    return f"{shown.first.day} {shown.first:%B}{years} – {last.day} {last:%B %Y}"


def _sentence(found: CalendarView, days: list[CalendarDay], viewer: Viewer) -> tuple[str, str]:
    """Say what the days bring: what comes first, then what was, and a day of another length."""
    counts: Counter[str] = Counter(entry.status or "coming" for entry in found.entries)
    for rhythm in found.rhythms:
        for of_day in rhythm.days.values():
            counts.update(of_day)
    coming = counts["coming"]
    past = {name: counts[name] for name in ("succeeded", "failed", "dead", "missed", "skipped")}
    was = outcomes_in_words(OutcomeCounts(**past))
    lead = f"{words.many(coming, 'run')} {'is' if coming == 1 else 'are'} to come." if coming else ""
    rest = [f"{was[:1].upper()}{was[1:]}."] if was else []
    rest += [f"{words.long_day(day.start, viewer.zone)} has {day.hours}." for day in days if day.hours]
    if not coming and not was:
        return "", " ".join(["Nothing on these days.", *rest])
    return lead, " ".join(rest)


def _day(day: date, viewer: Viewer) -> CalendarDay:
    start, end = day_bounds(day, viewer.zone.name)
    hours = (end - start).total_seconds() / 3600
    return CalendarDay(
        day=day,
        start=start,
        end=end,
        is_today=start <= viewer.now < end,
        is_over=end <= viewer.now,
        hours=None if hours == 24 else f"{hours:g} hours",
    )


async def _quiet(site: Site, viewer: Viewer) -> str | None:
    """Give the quiet hours of the person who looks; None for a token of a project."""
    try:
        who = viewer.caller.user_id or (viewer.caller.scope.subject if viewer.caller.scope.kind == "user" else "local")
        return (await site.services.people.get(viewer.caller, who)).quiet
    except DulyError:
        return None


def _by_day(found: CalendarView, zone: Zone) -> dict[date, list[CalendarEntry]]:
    days: dict[date, list[CalendarEntry]] = {}
    for entry in found.entries:
        days.setdefault(zone.localize(entry.at).date(), []).append(entry)
    return days


def _weeks(shown: Shown, days: list[CalendarDay]) -> list[list[CalendarDay | None]]:
    """Put the days of a month into weeks that begin on Monday."""
    places: list[CalendarDay | None] = [None] * shown.first.weekday() + list(days)
    places += [None] * (-len(places) % 7)
    return [places[begin : begin + 7] for begin in range(0, len(places), 7)]


def _line(rhythm: CalendarRhythm, days: list[CalendarDay]) -> RhythmLine:
    return RhythmLine(rhythm=rhythm, cells=[_cell(rhythm.days.get(each.day.isoformat(), {})) for each in days])


def _cell(counts: dict[str, int]) -> RhythmCell:
    parts: dict[str, int] = {}
    for status, count in counts.items():
        shape = words.shape(status)
        parts[shape] = parts.get(shape, 0) + count
    order = ("ok", "run", "wait", "ask", "miss", "fail", "dead", "skip", "cancel", "coming")
    trouble = [
        (shape, word) for shape, word in (("miss", "missed"), ("fail", "failed"), ("dead", "dead")) if shape in parts
    ]
    return RhythmCell(
        parts=sorted(parts.items(), key=lambda each: order.index(each[0]) if each[0] in order else len(order)),
        total=sum(counts.values()),
        trouble=", ".join(f"{parts[shape]} {word}" for shape, word in trouble),
    )
