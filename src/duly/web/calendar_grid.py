"""The hours of days as one drawing: entries, the line of now, hours that do not exist, and spans without an engine."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta

from markupsafe import Markup, escape

from duly.service.overview.calendar import CalendarEntry, CalendarView
from duly.web import marks, words
from duly.web.viewer import Viewer
from duly.zones import Zone

_BESIDE_NOW = 18
"""An hour so near to now would be written over by it."""
_LEFT = 130
_WIDE = 1180
_ROW = 29
_TOP = 8
_BOX = 20
_HOURS = 24
_MARK_TALL = 13
_MOST_PUSHED = 1.2 * _ROW
"""So far below its time an entry may stand; further ones are counted."""
_HOUR = timedelta(hours=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class CalendarDay:
    """A day of the calendar."""

    day: date
    start: datetime
    end: datetime
    is_today: bool
    is_over: bool
    hours: str | None
    """ "23 hours" on the day of a clock change."""


class _Hours:
    """The rows of the grid: the hours of a day, and once more those that come twice on one of the days."""

    def __init__(self, days: list[CalendarDay], zone: Zone) -> None:
        self.zone = zone
        twice = {hour for day in days for hour in _twice(day, zone)}
        self.rows = [(hour, fold) for hour in range(_HOURS) for fold in ((0, 1) if hour in twice else (0,))]
        self._index = {row: index for index, row in enumerate(self.rows)}

    def y(self, at: datetime) -> float:
        """Give the height of an instant."""
        local = self.zone.localize(at)
        row = self._index.get((local.hour, local.fold), self._index[local.hour, 0])
        return _TOP + (row + (local.minute * 60 + local.second) / 3600) * _ROW

    def y_of(self, minutes: int) -> float:
        """Give the height of a time of day, in minutes."""
        hour, minute = divmod(minutes, 60)
        if hour >= _HOURS:
            return self.bottom
        return _TOP + (self._index[hour, 0] + minute / 60) * _ROW

    @property
    def bottom(self) -> float:
        return _TOP + len(self.rows) * _ROW


def _twice(day: CalendarDay, zone: Zone) -> list[int]:
    """Find the hours of a day that come twice."""
    found = []
    at = day.start
    while at < day.end:
        local = zone.localize(at)
        if local.fold:
            found.append(local.hour)
        at += _HOUR / 2
    return sorted(set(found))


def _missing(day: CalendarDay, zone: Zone) -> list[tuple[int, int]]:
    """Find the times of a day, in minutes, that its clocks jump over."""
    found = []
    for at, before, after in zone.transitions(day.start, day.end):
        if after > before:
            first = (at + before).replace(tzinfo=None)
            last = (at + after).replace(tzinfo=None)
            found.append((first.hour * 60 + first.minute, last.hour * 60 + last.minute))
    return found


def draw_week(found: CalendarView, days: list[CalendarDay], viewer: Viewer, quiet: str | None) -> Markup:
    """Draw the days side by side."""
    hours = _Hours(days, viewer.zone)
    width = (_WIDE - _LEFT) / len(days)
    columns = [_LEFT + index * width for index in range(len(days))]
    tall = hours.bottom + 2 * _BOX
    says = f"{words.many(len(found.entries), 'entry', 'entries')} by hour"
    parts = [
        f'<svg class="week" viewBox="0 0 {_WIDE} {tall:g}" role="group" aria-label="{says}">',
        *_quiet_shade(hours, quiet),
    ]
    for day, x in zip(days, columns, strict=True):
        if day.is_today:
            parts.append(_box("today-column", x, _TOP, width, hours.bottom - _TOP))
    now_y = hours.y(viewer.now) if any(day.is_today for day in days) else -_ROW
    for index, (hour, fold) in enumerate(hours.rows):
        y = _TOP + index * _ROW
        twice = any(row == (hour, 1) for row in hours.rows)
        label = f"{hour:02}:00" + (" ab"[fold + 1] if twice else "")
        parts.append(f'<path class="grid" d="M{_LEFT} {y}H{_WIDE}"/>')
        if index:
            near = " near" if abs(y - now_y) < _BESIDE_NOW else ""
            parts.append(f'<text class="ax{near}" x="{_LEFT - 8}" y="{y + 4}" text-anchor="end">{label}</text>')
    parts += [f'<path class="grid" d="M{x:g} {_TOP}V{hours.bottom:g}"/>' for x in columns]
    if viewer.may_write:
        parts += [_new_here(day, x, width, hours) for day, x in zip(days, columns, strict=True)]
    for day, x in zip(days, columns, strict=True):
        parts += _closed(found, day, x, width, hours)
        entries = [each for each in found.entries if day.start <= each.at < day.end]
        parts += _entries(entries, x, width, hours, viewer)
    parts.append(_now(days, columns, width, hours, viewer))
    parts.append("</svg>")
    return Markup("".join(parts))  # noqa: S704  every word is escaped where it is put in


def _box(kind: str, x: float, y: float, wide: float, tall: float) -> str:
    return f'<rect class="{kind}" x="{x:.1f}" y="{y:.1f}" width="{wide:.1f}" height="{max(tall, 0):.1f}"/>'


def _quiet_shade(hours: _Hours, quiet: str | None) -> list[str]:
    if quiet is None:
        return []
    first, last = (int(clock[:2]) * 60 + int(clock[3:5]) for clock in quiet.split("-"))
    spans = [(first, last)] if first <= last else [(0, last), (first, _HOURS * 60)]
    return [
        _box("quiet", _LEFT, hours.y_of(begin), _WIDE - _LEFT, hours.y_of(end) - hours.y_of(begin))
        for begin, end in spans
    ]


def _new_here(day: CalendarDay, x: float, width: float, hours: _Hours) -> str:
    """Make the empty places of a day lead to a new schedule at that time."""
    links = []
    for index, (hour, fold) in enumerate(hours.rows):
        if fold == 0:
            at = f"{day.day.isoformat()}T{hour:02}:00"
            place = _box("hit", x, _TOP + index * _ROW, width, _ROW)
            links.append(f'<a href="/schedules/new?at={at}" tabindex="-1" aria-hidden="true">{place}</a>')
    return "".join(links)


def _closed(found: CalendarView, day: CalendarDay, x: float, width: float, hours: _Hours) -> list[str]:
    """Draw the hours that do not exist, and the spans in which nothing was running."""
    parts = []
    for first, last in _missing(day, hours.zone):
        y = hours.y_of(first)
        tall = hours.y_of(last) - y
        parts.append(_box("gap", x, y, width, tall))
        parts.append(
            f'<text class="gap-word" x="{x + width / 2:.1f}" y="{y + tall / 2 + 4:.1f}" text-anchor="middle">'
            "does not exist</text>"
        )
    for span in found.silent:
        begin = max(span.start, day.start)
        end = min(span.end, day.end)
        if begin < end:
            y = hours.y(begin)
            tall = (hours.bottom if end == day.end else hours.y(end)) - y
            parts.append(_box("silent", x, y, width, tall))
            if tall > _BOX:
                middle = f'x="{x + width / 2:.1f}" y="{y + tall / 2 + 4:.1f}" text-anchor="middle"'
                parts.append(f'<text class="silent-word" {middle}>nothing was running</text>')
    return parts


def _entries(entries: list[CalendarEntry], x: float, width: float, hours: _Hours, viewer: Viewer) -> list[str]:
    """Draw the entries of a day, each at its time or just below the one before; what finds no place is counted."""
    parts = []
    free = 0.0
    left_out: list[CalendarEntry] = []
    for entry in entries:
        wanted = hours.y(entry.at) - 1
        y = max(wanted, free)
        if y - wanted > _MOST_PUSHED:
            left_out.append(entry)
            continue
        if left_out:
            parts.append(_more(left_out, x + 3, free, width - 12, viewer))
            y = max(wanted, free + _BOX + 1)
            left_out = []
        parts.append(_entry(entry, x + 3, y, width - 12, viewer))
        free = y + _BOX + 1
    if left_out:
        parts.append(_more(left_out, x + 3, free, width - 12, viewer))
    return parts


def _more(left_out: list[CalendarEntry], x: float, y: float, width: float, viewer: Viewer) -> str:
    """Draw how many entries found no place; the agenda of the day lists them."""
    first = left_out[0]
    if len(left_out) == 1:  # it takes no more place than its number
        return _entry(first, x, y, width, viewer)
    day = viewer.zone.localize(first.at).date().isoformat()
    said = escape(f"{len(left_out)} more from {words.clock(first.at, viewer.zone)}")
    return (
        f'<a class="en more" href="/calendar?view=agenda&amp;from={day}"><rect class="box" x="{x:.1f}" y="{y:.1f}" '
        f'width="{width:.1f}" height="{_BOX}" rx="4"/><text x="{x + 8:.1f}" y="{y + 14:.1f}">{said}</text></a>'
    )


def href_of(entry: CalendarEntry) -> str:
    """Give the address that an entry leads to."""
    return f"/runs/{entry.run_id}" if entry.run_id else f"/schedules/{entry.schedule_id}"


def _entry(entry: CalendarEntry, x: float, y: float, width: float, viewer: Viewer) -> str:
    shape = "coming" if entry.status is None else words.shape(entry.status, entry.reminder_status)
    status = "coming" if entry.status is None else words.status_words(entry.reminder_status or entry.status)
    clock = words.clock(entry.at, viewer.zone)
    late = "" if entry.at - entry.fire_at < timedelta(minutes=1) else f", due {words.clock(entry.fire_at, viewer.zone)}"
    many = f", stands for {entry.skipped}" if entry.skipped > 1 else ""
    says = escape(f"{clock} {entry.title}, {status}{late}{many}" + (f". {entry.note}" if entry.note else ""))
    href = href_of(entry)
    noted = " noted" if entry.note else ""
    return (
        f'<a class="en {shape}{noted}" href="{escape(href)}" aria-label="{says}" data-tip="{says}">'
        f'<rect class="box" x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{_BOX}" rx="4"/>'
        f"{marks.mark(shape, x + 5, y + 3.5, 5, _MARK_TALL)}"
        f'<svg x="{x + 14:.1f}" y="{y:.1f}" width="{width - 17:.1f}" height="{_BOX}">'
        f'<text class="cl" y="14">{clock} </text><text class="ti" x="39" y="14">{escape(entry.title)}</text></svg></a>'
    )


def _now(days: list[CalendarDay], columns: list[float], width: float, hours: _Hours, viewer: Viewer) -> str:
    """Draw the line of now over the days, strong on today."""
    place = next((index for index, day in enumerate(days) if day.is_today), None)
    if place is None:
        return ""
    y = hours.y(viewer.now)
    x = columns[place]
    clock = words.clock(viewer.now, viewer.zone)
    return (
        f'<g class="now-line"><path class="now far" d="M{_LEFT} {y:.1f}H{_WIDE}"/>'
        f'<path class="now" d="M{x:.1f} {y:.1f}h{width:.1f}"/><circle class="now-dot" cx="{x:.1f}" cy="{y:.1f}" r="4"/>'
        f'<rect class="now-box" x="{_LEFT - 46}" y="{y - 9:.1f}" width="40" height="18" rx="4"/>'
        f'<text class="now-text" x="{_LEFT - 26}" y="{y + 4:.1f}" text-anchor="middle">{clock}</text></g>'
    )
