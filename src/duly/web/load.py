"""Load: when does too much come at once? A day as a map of hours by minutes."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from urllib.parse import urlencode

from fastapi import APIRouter
from markupsafe import Markup, escape
from starlette.requests import Request
from starlette.responses import Response

from duly.errors import InvalidInputError
from duly.service.overview.load import day_bounds
from duly.service.overview.views import LoadView, SpreadView
from duly.web import words
from duly.web.site import Site
from duly.zones import Zone

STEPS = ((0, "0"), (1, "1"), (2, "2"), (3, "3–4"), (5, "5–6"), (7, "7–9"), (10, "10+"))
"""From how many fires on a cell has each colour, and what the legend says of it."""
_NOON = 12
_OVER = timedelta(minutes=15)
_SHOWN = 5
_CELL = 11.5
_ROW = 22.5
_LEFT = 62
_TOP = 62
_RIGHT = 82
_MINUTE = timedelta(minutes=1)
_HOUR = timedelta(hours=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class BusyMinute:
    """A minute in the list of the busiest."""

    at: datetime
    fires: int
    names: str
    href: str
    step: int
    share: float
    current: bool


def make_load(site: Site) -> APIRouter:
    """Make the routes of Load."""
    router = site.router()

    @router.get("/load")
    async def load(request: Request, day: str = "", past: bool = False, minute: str = "") -> Response:
        viewer = site.viewer(request)
        caller = viewer.caller
        chosen_day = _day(day, viewer.zone, viewer.now, past=past)
        view = await site.services.overview.load(caller, chosen_day, viewer.zone.name, past=past)
        start, _ = day_bounds(chosen_day, viewer.zone.name)
        chosen = _chosen(minute, view)
        listed = [] if past or chosen is None else await site.services.overview.minute(caller, chosen)
        spread = None
        if viewer.may_write and listed and len(listed) > 1:
            offered = await site.services.overview.spread(caller, chosen or start, _OVER)
            spread = offered if offered.gains else None
        address = LoadAddress(day=chosen_day, past=past)
        return await site.render(
            request,
            "load.html",
            load=view,
            day=chosen_day,
            past=past,
            day_words=words.long_day(start, viewer.zone),
            is_today=chosen_day == viewer.zone.localize(viewer.now).date(),
            before=address.to(day=chosen_day - timedelta(days=1)),
            after=address.to(day=chosen_day + timedelta(days=1)),
            views=[(address.to(past=False), "Coming", not past), (address.to(past=True), "Last 7 days", past)],
            drawing=draw(view, viewer.zone, start, chosen, address),
            small=draw_small(view, viewer.zone, start, address),
            steps=STEPS,
            at_once=draw_at_once(view, viewer.zone, start),
            busiest=_busiest(view, chosen, address),
            chosen=chosen,
            listed=listed,
            spread=spread,
            spread_drawing=None if spread is None else (draw_spread(spread.before), draw_spread(spread.after, spread)),
        )

    @router.post("/load/spread")
    async def spread(request: Request) -> Response:
        form = await request.form()
        at = _moment(str(form.get("at") or ""))
        done = await site.services.actions.spread(site.caller(request), at, _OVER)
        return site.done(request, done, back="/load")

    return router


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadAddress:
    """The address of this page, and of its neighbours."""

    day: date
    past: bool

    def to(self, *, day: date | None = None, past: bool | None = None, minute: datetime | None = None) -> str:
        """Give the address with some of it changed."""
        asked = {"day": (day or self.day).isoformat()}
        if self.past if past is None else past:
            asked["past"] = "1"
        if minute is not None:
            asked["minute"] = words.iso_utc(minute)
        return "/load?" + urlencode(asked)


def _day(text: str, zone: Zone, now: datetime, *, past: bool) -> date:
    """Read the day; without one it is today, or tomorrow when less than half of today is still to come."""
    if not text:
        here = zone.localize(now)
        return here.date() if past or here.hour < _NOON else here.date() + timedelta(days=1)
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise InvalidInputError(f"day {text!r:.50} is not a date: write it as 2027-03-29") from None


def _moment(text: str) -> datetime:
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        at = None
    if at is None or at.tzinfo is None:
        raise InvalidInputError(f"minute {text!r:.50} is not a moment: choose a cell of the map")
    return at


def _chosen(minute: str, view: LoadView) -> datetime | None:
    if minute:
        return _moment(minute)
    return view.busiest[0].at if view.busiest else None


def _busiest(view: LoadView, chosen: datetime | None, address: LoadAddress) -> list[BusyMinute]:
    shown = view.busiest[:_SHOWN]
    most = max((each.fires for each in shown), default=1)
    return [
        BusyMinute(
            at=each.at,
            fires=each.fires,
            names=_names(each.names, len(each.schedule_ids)),
            href=address.to(minute=each.at),
            step=step_of(each.fires),
            share=each.fires / most,
            current=each.at == chosen,
        )
        for each in shown
    ]


def _names(first: list[str], count: int) -> str:
    if not first:
        return ""
    return first[0] if count <= 1 else f"{first[0]} and {count - 1} more"


def step_of(fires: int) -> int:
    """Give the colour of a cell, 0 to 6."""
    return max(index for index, (least, _) in enumerate(STEPS) if fires >= least)


def draw(view: LoadView, zone: Zone, start: datetime, chosen: datetime | None, address: LoadAddress) -> Markup:
    """Draw the map: a row for each hour of the day, a column for each minute, and the sums at both edges."""
    rows = -(-len(view.minutes) // 60)
    wide = _LEFT + 60 * _CELL + _RIGHT
    tall = _TOP + rows * _ROW + 26
    parts = [
        f'<svg class="heat wide" viewBox="0 0 {wide:g} {tall:g}" role="group" aria-label="fires in each minute">',
        _sums_by_minute(view),
    ]
    for row in range(rows):
        y = _TOP + row * _ROW
        label = words.clock(start + row * _HOUR, zone)
        minutes = view.minutes[row * 60 : row * 60 + 60]
        bold = " b" if any(each >= STEPS[4][0] for each in minutes) else ""
        parts.append(f'<text class="ax{bold}" x="{_LEFT - 8}" y="{y + 15:g}" text-anchor="end">{label}</text>')
        cells = "".join(f"M{_LEFT + column * _CELL:g} {y + 1:g}h10v20.500h-10z" for column in range(len(minutes)))
        parts.append(f'<path class="h0" d="{cells}"/>')
        for column, fires in enumerate(minutes):
            if fires:
                at = start + row * _HOUR + column * _MINUTE
                parts.append(_cell(at, fires, _LEFT + column * _CELL, y + 1, zone, address, chosen))
        parts.append(_sum_of_hour(sum(minutes), view, wide - _RIGHT + 8, y))
    bottom = tall - 8
    for minute in range(0, 60, 5):
        x = _LEFT + minute * _CELL + 5
        parts.append(f'<text class="ax" x="{x:g}" y="{bottom:g}" text-anchor="middle">:{minute:02}</text>')
    parts.append("</svg>")
    return Markup("".join(parts))  # noqa: S704  numbers, and words that are escaped


def _cell(
    at: datetime, fires: int, x: float, y: float, zone: Zone, address: LoadAddress, chosen: datetime | None
) -> str:
    says = escape(f"{words.clock(at, zone)}, {words.many(fires, 'fire')}")
    ring = f'<rect class="ring" x="{x - 2:g}" y="{y - 2:g}" width="14" height="24.5" rx="4"/>' if at == chosen else ""
    number = ""
    if fires >= STEPS[5][0]:
        number = f'<text class="n" x="{x + 5:g}" y="{y + 14:g}" text-anchor="middle">{fires}</text>'
    return (
        f'<a href="{escape(address.to(minute=at))}" aria-label="{says}" data-tip="{says}" '
        f'tabindex="{"0" if at == chosen else "-1"}">{ring}'
        f'<rect class="h{step_of(fires)}" x="{x:g}" y="{y:g}" width="10" height="20.5" rx="2"/>{number}</a>'
    )


def _sums_by_minute(view: LoadView) -> str:
    sums = [sum(view.minutes[minute::60]) for minute in range(60)]
    most = max(max(sums), 1)
    bars = []
    for minute, count in enumerate(sums):
        high = max(1.0, 40 * count / most)
        bars.append(f"M{_LEFT + minute * _CELL:g} {50 - high:.1f}h10v{high:.1f}h-10z")
    return f'<path class="h3" d="{"".join(bars)}"/>'


def _sum_of_hour(count: int, view: LoadView, x: float, y: float) -> str:
    if not count:
        return ""
    most = max(sum(view.minutes[row : row + 60]) for row in range(0, len(view.minutes), 60))
    long = max(2.0, 46 * count / most)
    return (
        f'<rect class="h3" x="{x:g}" y="{y + 5:g}" width="{long:.1f}" height="12" rx="2"/>'
        f'<text class="ax" x="{x + long + 6:.1f}" y="{y + 15:g}">{count}</text>'
    )


def draw_small(view: LoadView, zone: Zone, start: datetime, address: LoadAddress) -> Markup:
    """Draw the map for a phone: twelve columns of five minutes."""
    rows = -(-len(view.minutes) // 60)
    parts = [
        f'<svg class="heat small" viewBox="0 0 340 {rows * 26 + 22}" role="group" aria-label="fires in 5 minutes">'
    ]
    for row in range(rows):
        y = row * 26
        label = words.clock(start + row * _HOUR, zone)
        parts.append(f'<text class="ax" x="36" y="{y + 17}" text-anchor="end">{label}</text>')
        for column in range(12):
            first = row * 60 + column * 5
            minutes = view.minutes[first : first + 5]
            fires = max(minutes, default=0)
            shape = f'class="h{step_of(fires)}" x="{44 + column * 24.5:g}" y="{y + 1}" width="22" height="23" rx="3"'
            if not fires:
                parts.append(f"<rect {shape}/>")
                continue
            at = start + (first + minutes.index(fires)) * _MINUTE
            says = escape(f"{words.clock(at, zone)}, {words.many(fires, 'fire')}")
            parts.append(f'<a href="{escape(address.to(minute=at))}" aria-label="{says}"><rect {shape}/></a>')
    parts.append("</svg>")
    return Markup("".join(parts))  # noqa: S704  numbers, and words that are escaped


def draw_at_once(view: LoadView, zone: Zone, start: datetime) -> Markup:
    """Draw how many would run at once over the day, by quarters of an hour."""
    most = max([*view.at_once, 4])
    wide = 264 / max(len(view.at_once), 1)
    bars = [
        f'<rect class="h3" x="{place * wide:.2f}" y="{46 - high:.1f}" width="{wide * 0.72:.2f}" height="{high:.1f}"/>'
        for place, count in enumerate(view.at_once)
        if (high := max(1.0, 44 * count / most))
    ]
    for place in range(0, len(view.at_once), 24):  # every six hours
        label = words.clock(start + place * timedelta(minutes=15), zone)[:2]
        bars.append(f'<text class="ax" x="{place * wide:.1f}" y="60">{label}</text>')
    bars.append('<text class="ax" x="264" y="60" text-anchor="end">24</text>')
    says = escape(f"How many run at once: at most {view.concurrency_peak} of {view.max_concurrency} places")
    head = f'<svg class="heat at-once" viewBox="0 0 264 62" role="img" aria-label="{says}">'
    return Markup(f"{head}{''.join(bars)}</svg>")  # noqa: S704  numbers and times


def draw_spread(counts: list[int], spread: SpreadView | None = None) -> Markup:
    """Draw the minutes after the chosen one as bars; with `spread` on the scale of the bars before."""
    most = max([*counts, *(spread.before if spread else []), 1])
    bars = []
    for minute, count in enumerate(counts):
        high = max(1.5, 44 * count / most)
        box = f'x="{minute * 16}" y="{45 - high:.1f}" width="13" height="{high:.1f}"'
        bars.append(f'<rect class="{"h5" if count else "h0"}" {box}/>')
    head = f'<svg class="spread-bars" viewBox="0 0 {len(counts) * 16} 46" role="img"'
    says = escape(", ".join(map(str, counts)))
    return Markup(f'{head} aria-label="{says}">{"".join(bars)}</svg>')  # noqa: S704  numbers
