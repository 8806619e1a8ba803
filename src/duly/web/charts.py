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
    detail: str = ""


_WIDE = 1088
_MARGIN = 20
_TOP = 26
_BAND = 20
_STEPS = (0.1, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 43200, 86400)


def life_line(parts: Sequence[LifePart], now: datetime | None, zone: Zone) -> Markup:
    """Draw the life of a run: attempts and waits from its start to its end, or to what is expected of it."""
    start = parts[0].start
    end = max(max(each.end for each in parts), now or parts[0].end)
    length = max((end - start).total_seconds(), 0.2) * 1.04

    def x_of(at: datetime) -> float:
        return _MARGIN + (at - start).total_seconds() / length * (_WIDE - 2 * _MARGIN)

    said = ". ".join(" ".join(filter(None, (each.title, each.detail))) for each in parts if each.title)
    drawn = [f'<svg class="life" viewBox="0 0 {_WIDE} 84" role="img" aria-label="{escape(said)}">']
    drawn += _axis(start, length, x_of, zone, now)
    free = 0.0
    for each in parts:
        x = x_of(each.start)
        wide = max(x_of(each.end) - x, 3)
        drawn.append(_stretch(each, x, wide))
        if each.title and (x >= free or each.kind != "wait"):
            drawn.append(_label(each, max(x, free), wide))
            free = max(x, free) + 7.2 * max(len(each.title), len(each.detail) * 0.9) + 16
    if now is not None:
        x = x_of(now)
        clock = words.clock(now, zone, seconds=True)
        drawn.append(
            f'<g class="life-now"><path d="M{x:.1f} 20V{_TOP + _BAND + 4}"/><rect x="{x - 30:.1f}" y="2" width="60" '
            f'height="18" rx="4"/><text x="{x:.1f}" y="15">{clock}</text></g>'
        )
    drawn.append("</svg>")
    return Markup("".join(drawn))  # noqa: S704  every value is escaped above


def _axis(
    start: datetime, length: float, x_of: Callable[[datetime], float], zone: Zone, now: datetime | None
) -> list[str]:
    step = next((each for each in _STEPS if length / each <= 5), _STEPS[-1])
    seconds = step < 60
    offset = (-start.timestamp()) % step
    drawn = []
    if offset / length > 0.09:  # the first round time is far enough away for the time of the start
        text = words.clock(start, zone, seconds=length < 600)
        drawn.append(f'<text class="ax" x="{x_of(start) + 24:.1f}" y="15">{text}</text>')
    while offset <= length:
        at = start + timedelta(seconds=offset)
        x = x_of(at)
        near = now is not None and abs(x_of(now) - x) < 64
        if x <= _WIDE - 30 and not near:
            text = words.clock(at, zone, seconds=seconds or length < 600)
            drawn.append(f'<text class="ax" x="{x:.1f}" y="15">{text}</text>')
        drawn.append(f'<path class="grid" d="M{x:.1f} 22V{_TOP + _BAND + 2}"/>')
        offset += step
    return drawn


def _stretch(part: LifePart, x: float, wide: float) -> str:
    if part.kind == "wait":
        return f'<path class="pause-line" d="M{x + 2:.1f} {_TOP + _BAND / 2}H{x + max(wide - 2, 1):.1f}"/>'
    if part.kind == "expected":
        box = f'x="{x + 1.5:.1f}" y="{_TOP + 1}" width="{max(wide - 2, 1):.1f}" height="{_BAND - 2}"'
        return f'<rect class="expected" {box} rx="4"/>'
    if part.kind == "fail":
        tail = min(18.0, wide / 3)
        body = max(wide - tail - 2, 1)
        return (
            f'<g class="m fail"><rect x="{x:.1f}" y="{_TOP}" width="{body:.1f}" height="{_BAND}" rx="4"/>'
            f'<rect x="{x + body + 2:.1f}" y="{_TOP}" width="{tail:.1f}" height="{_BAND}" rx="4"/></g>'
        )
    return f'<g class="m {part.kind}"><rect x="{x:.1f}" y="{_TOP}" width="{wide:.1f}" height="{_BAND}" rx="4"/></g>'


def _label(part: LifePart, x: float, wide: float) -> str:
    if part.kind == "wait":
        return f'<text class="waited" x="{x + wide / 2:.1f}" y="{_TOP + _BAND + 16}">{escape(part.title)}</text>'
    room = _WIDE - x
    return (
        f'<svg x="{x:.1f}" y="{_TOP + _BAND}" width="{max(room, 40):.1f}" height="38">'
        f'<text class="title t-{part.kind}" x="2" y="16">{escape(part.title)}</text>'
        f'<text class="detail" x="2" y="32">{escape(part.detail)}</text></svg>'
    )


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
