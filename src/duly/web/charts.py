"""Drawings of runs: how long each took, by outcome; the life of one run; and how many others fire near a time.

Geometry is in attributes and colour in classes: the policy of the pages allows no inline style.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from markupsafe import Markup, escape

from duly.web import words
from duly.web.marks import mark
from duly.zones import Zone

_TALL = 56
_STEP = 11
_BAR = 8
_LEAST = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class DurationBar:
    """A run as a bar: its length, and what is said about it."""

    run_id: str
    status: str
    seconds: float | None
    tip: str
    reminder_status: str | None = None
    current: bool = False


def durations(bars: Sequence[DurationBar], typical: float | None, *, places: int = 30) -> Markup:
    """Draw how long runs took, the newest at the right, with a dotted line at what is typical."""
    longest = max([each.seconds or 0 for each in bars] + [(typical or 0) * 1.35, 0.1])
    wide = places * _STEP - (_STEP - _BAR)
    said = f"How long the last {len(bars)} runs took" + (f", typically {words.took(typical)}" if typical else "")
    size = f'viewBox="0 0 {wide} {_TALL}" preserveAspectRatio="none"'
    parts = [f'<svg class="durations" {size} role="group" aria-label="{escape(said)}" data-marks>']
    empty = places - len(bars)
    for place, each in enumerate(bars):
        x = (empty + place) * _STEP
        tall = max(_LEAST, (each.seconds or 0) / longest * _TALL)
        kind = words.shape(each.status, each.reminder_status)
        if kind in {"skip", "cancel", "miss", "wait"} and not each.seconds:
            tall = 12.0 if kind in {"miss", "wait"} else 6.0
        focus = "0" if place == len(bars) - 1 else "-1"
        parts.append(
            f'<a href="/runs/{escape(each.run_id)}" tabindex="{focus}" aria-label="{escape(each.tip)}" '
            f'data-tip="{escape(each.tip)}"{" aria-current=true" if each.current else ""}>'
            f'<rect class="hit" x="{x - 1}" width="{_STEP}" height="{_TALL}"/>'
            f"{mark(kind, x, _TALL - tall, _BAR, tall)}</a>"
        )
    if typical:
        y = _TALL - typical / longest * _TALL
        parts.append(f'<path class="typical" d="M0 {y:.1f}H{wide}"/>')
    parts.append("</svg>")
    return Markup("".join(parts))  # noqa: S704  every value is escaped above


@dataclass(frozen=True, slots=True, kw_only=True)
class LifePart:
    """A stretch of the life of a run: an attempt, a wait, or what is expected."""

    kind: str
    """A shape, `wait` for the time between attempts, `expected` for what is to come."""
    start: datetime
    end: datetime
    title: str = ""
    short: str = ""
    """The title where there is no room for it."""
    took: str = ""
    detail: str = ""

    @property
    def said(self) -> str:
        """What is said about it in full."""
        return " ".join(filter(None, (self.title, " · ".join(filter(None, (self.took, self.detail))))))


_WIDE = 1088
_MARGIN = 32
"""Room for half a clock at both ends."""
_LETTER = 6.6
"""What a letter of a label takes, rather too much than too little."""
_LEAST_LABEL = 96
_AHEAD = timedelta(seconds=5)
"""How far beyond now the line of a run goes at least: the script moves now along it, and asks for a new line there."""
_TOP = 26
_BAND = 20
_STEPS = (0.1, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 43200, 86400)


def life_line(parts: Sequence[LifePart], now: datetime | None, zone: Zone) -> Markup:
    """Draw the life of a run: attempts and waits from its start to its end, or to what is expected of it."""
    start = parts[0].start
    end = max(each.end for each in parts)
    if now is not None:
        end = max(end, now + max(_AHEAD, (now - start) / 4))
    length = max((end - start).total_seconds(), 0.2) * 1.04

    def x_of(at: datetime) -> float:
        return _MARGIN + (at - start).total_seconds() / length * (_WIDE - 2 * _MARGIN)

    said = ". ".join(each.said for each in parts if each.title)
    moves = (
        "" if now is None else f' data-start="{start.isoformat()}" data-seconds="{length:.3f}" data-margin="{_MARGIN}"'
    )
    drawn = [f'<svg class="life" viewBox="0 0 {_WIDE} 84" role="img" aria-label="{escape(said)}"{moves}>']
    drawn += _axis(start, length, x_of, zone, now)
    drawn += [_stretch(each, x_of(each.start), max(x_of(each.end) - x_of(each.start), 3)) for each in parts]
    drawn += _labels(parts, x_of)
    if now is not None:
        clock = words.clock(now, zone, seconds=True)
        drawn.append(
            f'<g class="life-now" transform="translate({x_of(now):.1f} 0)"><path d="M0 20V{_TOP + _BAND + 4}"/>'
            f'<rect x="-30" y="2" width="60" height="18" rx="4"/><text x="0" y="15">{clock}</text></g>'
        )
    drawn.append("</svg>")
    return Markup("".join(drawn))  # noqa: S704  every value is escaped above


def _labels(parts: Sequence[LifePart], x_of: Callable[[datetime], float]) -> list[str]:
    """Write under each attempt what it was: from its own beginning on, and never into what is under the next one."""
    drawn = []
    attempts = [each for each in parts if each.title and each.kind != "wait"]
    begins = [x_of(each.start) for each in attempts]
    lefts: list[float] = []
    ends: list[float] = []
    for each, x, following in zip(attempts, begins, [*begins[1:], _WIDE], strict=True):
        wanted = 8 + _LETTER * max(len(each.title), len(each.took) + len(each.detail) + 3)
        if following == _WIDE:  # the last one may begin before its bar, where there is room
            x = max(min(x, _WIDE - wanted), (ends or [0])[-1])
        drawn.append(_label(each, x, following - x - 8))
        lefts.append(x)
        ends.append(min(x + wanted, following))
    for each in parts:
        middle = (x_of(each.start) + x_of(each.end)) / 2
        half = _LETTER * len(each.title) / 2
        before = [end for end, x in zip(ends, begins, strict=True) if x < middle]
        after = [left for left, x in zip(lefts, begins, strict=True) if x >= middle] or [float(_WIDE)]
        if each.kind == "wait" and each.title and max(before, default=0) < middle - half and middle + half < after[0]:
            drawn.append(f'<text class="waited" x="{middle:.1f}" y="{_TOP + _BAND + 16}">{escape(each.title)}</text>')
    return drawn


def _axis(
    start: datetime, length: float, x_of: Callable[[datetime], float], zone: Zone, now: datetime | None
) -> list[str]:
    step = next((each for each in _STEPS if length / each <= 5), _STEPS[-1])
    seconds = step < 60
    offset = (-start.timestamp()) % step
    drawn = []
    said = ""
    if offset / length > 0.09:  # the first round time is far enough away for the time of the start
        text = words.clock(start, zone, seconds=length < 600)
        near = " near" if now is not None and abs(x_of(now) - x_of(start)) < 64 else ""
        drawn.append(f'<text class="ax{near}" x="{x_of(start):.1f}" y="15">{text}</text>')
    while offset <= length:
        at = start + timedelta(seconds=offset)
        x = x_of(at)
        near = " near" if now is not None and abs(x_of(now) - x) < 64 else ""
        text = words.clock(at, zone, seconds=seconds or length < 600)
        if x <= _WIDE - _MARGIN and text != said:  # of a part of a second, one clock is enough
            said = text
            drawn.append(f'<text class="ax{near}" x="{x:.1f}" y="15">{text}</text>')
        drawn.append(f'<path class="grid" d="M{x:.1f} 22V{_TOP + _BAND + 2}"/>')
        offset += step
    return drawn


def _stretch(part: LifePart, x: float, wide: float) -> str:
    if part.kind == "wait":
        return f'<path class="pause-line" d="M{x + 2:.1f} {_TOP + _BAND / 2}H{x + max(wide - 2, 1):.1f}"/>'
    if part.kind == "expected":
        box = f'x="{x + 1.5:.1f}" y="{_TOP + 1}" width="{max(wide - 2, 1):.1f}" height="{_BAND - 2}"'
        return f'<rect class="expected" {box} rx="4" data-end="{x + wide:.1f}"/>'
    if part.kind == "fail":
        tail = min(18.0, wide / 3)
        body = max(wide - tail - 2, 1)
        return (
            f'<g class="m fail"><rect x="{x:.1f}" y="{_TOP}" width="{body:.1f}" height="{_BAND}" rx="4"/>'
            f'<rect x="{x + body + 2:.1f}" y="{_TOP}" width="{tail:.1f}" height="{_BAND}" rx="4"/></g>'
        )
    return f'<g class="m {part.kind}"><rect x="{x:.1f}" y="{_TOP}" width="{wide:.1f}" height="{_BAND}" rx="4"/></g>'


def _label(part: LifePart, x: float, room: float) -> str:
    letters = int(room / _LETTER)
    if room < _LEAST_LABEL:  # the list of the attempts beside has them all
        if room < _LETTER * (len(part.short) + 1):
            return ""
        return f'<text class="title t-{part.kind}" x="{x + 2:.1f}" y="{_TOP + _BAND + 16}">{escape(part.short)}</text>'
    took = escape(part.took)
    if part.kind == "run" and part.took:
        took = Markup('<tspan data-took="{}">{}</tspan>').format(part.start.isoformat(), part.took)
    more = _cut(part.detail, letters - len(part.took) - 3)
    return (
        f'<svg x="{x:.1f}" y="{_TOP + _BAND}" width="{room:.1f}" height="38">'
        f'<text class="title t-{part.kind}" x="2" y="16">{escape(_cut(part.title, letters))}</text>'
        f'<text class="detail" x="2" y="32">{took}{" · " if part.took and more else ""}{escape(more)}</text></svg>'
    )


def _cut(text: str, letters: int) -> str:
    return text if len(text) <= letters else f"{text[: max(letters - 1, 0)]}…" if letters > 1 else ""


def company(columns: Sequence[tuple[str, int, bool]]) -> Markup:
    """Draw how many fires there are near a time, by five minutes: (time, fires, is the one that is typed)."""
    most = max([count for _, count, _ in columns] + [4])
    wide = len(columns) * 16
    drawn = [f'<svg class="company" viewBox="0 0 {wide} 92" role="img" aria-label="Fires by five minutes">']
    for place, (clock, count, is_own) in enumerate(columns):
        x = place * 16 + 2
        tall = max(count / most * 56, 1.5)
        css = "own" if is_own else "some" if count else "none"
        drawn.append(f'<rect class="{css}" x="{x}" y="{72 - tall:.1f}" width="12" height="{tall:.1f}" rx="1.5"/>')
        if is_own or count == most or (place == 0 and count):
            shown = "" if not count else str(count)
            drawn.append(f'<text class="n {css}" x="{x + 6}" y="{67 - tall:.1f}">{shown}</text>')
        if clock:
            drawn.append(f'<text class="ax" x="{x + 6}" y="88">{escape(clock)}</text>')
    drawn.append("</svg>")
    return Markup("".join(drawn))  # noqa: S704  every value is escaped above
