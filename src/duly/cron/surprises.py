"""What a change of the clocks does to an expression, told before it happens.

A surprise is a departure from the pattern: a time that does not come, comes twice, or moves. An hourly rhythm that
simply goes on through the change is none, although some of its times of day are missing or repeated too.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from duly.cron.parser import parse
from duly.zones import DstPolicy, Zone, to_seconds

if TYPE_CHECKING:
    from collections.abc import Iterator

    from duly.cron.expression import Cron
    from duly.cron.spec import Spec

_SECOND = timedelta(seconds=1)
_DAY = timedelta(days=1)


class SurpriseKind(StrEnum):
    """What happens to the times a change of the clocks leaves out or repeats."""

    SKIPPED = "skipped"
    """They do not exist, and nothing runs for them."""
    MOVED = "moved"
    """They do not exist, and one run at the end of the gap stands for all of them."""
    REPEATED = "repeated"
    """They come twice, and run twice."""
    ONCE = "once"
    """They come twice, and run the first time only."""


@dataclass(frozen=True, slots=True)
class Surprise:
    """One change of the clocks that an expression does not pass unharmed."""

    at: datetime
    """The instant (UTC) of the change."""
    kind: SurpriseKind
    local: datetime
    """The first time on the wall clock that is affected."""
    count: int
    """How many such times there are."""
    text: str
    """The whole of it, for a person."""


class _Stretch(NamedTuple):
    """The wall-clock times that a change leaves out or repeats, from `start` to before `end`, and those it hits."""

    start: datetime
    end: datetime
    named: int
    before: datetime | None
    """The last named time before the stretch."""
    first: datetime
    last: datetime
    after: datetime | None
    """The first named time behind the stretch."""

    def seamless(self) -> bool:
        """Whether the pattern outside goes on as if the stretch were not there, or were there twice."""
        return (
            self.before is not None
            and self.after is not None
            and self.start - self.before == self.end - self.last
            and self.after - self.end == self.first - self.start
        )


def surprises(cron: Cron, start: datetime, end: datetime) -> list[Surprise]:
    """What the clock changes in [start, end) do to an expression, in order of time."""
    return list(_surprises(cron, start, end))


def _surprises(cron: Cron, start: datetime, end: datetime) -> Iterator[Surprise]:
    spec = parse(cron.expression, cron.dialect, cron.day_match)
    once = spec.fixed and cron.dst is DstPolicy.ONCE
    utc = Zone.of("UTC")
    for at, before, after in Zone.of(cron.tz).transitions(utc.localize(start, "start"), utc.localize(end, "end")):
        face = at.replace(tzinfo=None)
        stretch = _stretch(spec, face + min(before, after), face + max(before, after))
        if stretch is None or _ordinary(stretch, spec, gap=after > before, once=once):
            continue
        if after > before:
            kind = SurpriseKind.MOVED if once else SurpriseKind.SKIPPED
        else:
            kind = SurpriseKind.ONCE if once else SurpriseKind.REPEATED
        yield Surprise(at, kind, stretch.first, stretch.named, _text(kind, stretch, cron.tz))


def _stretch(spec: Spec, start: datetime, end: datetime) -> _Stretch | None:
    """What an expression names in a stretch of wall-clock time; None if nothing."""
    first, last = spec.next(start - _SECOND, None), spec.prev(end, None)
    if first is None or last is None or first >= end:
        return None
    named = spec.count(to_seconds(start) - 1, to_seconds(end) - 1)
    return _Stretch(start, end, named, spec.prev(start, None), first, last, spec.next(end - _SECOND, None))


def _ordinary(stretch: _Stretch, spec: Spec, *, gap: bool, once: bool) -> bool:
    """Whether nobody would notice: run follows run at the usual distance."""
    if once and not gap:
        return False  # the second pass stays silent, whatever the pattern
    if once and stretch.after != stretch.end:
        return False  # the run at the end of the gap is one that the pattern does not have
    # Where a whole day is left out, somebody who named times of day will miss it.
    return stretch.seamless() and (not spec.fixed or stretch.end - stretch.start < _DAY)


def _text(kind: SurpriseKind, stretch: _Stretch, tz: str) -> str:
    day = stretch.first.date()
    times, exist, happen = _clock(stretch.first, day), "does not exist", "happens twice"
    if stretch.named > 1:
        last = _clock(stretch.last, day)
        times += f" and {last}" if stretch.named == 2 else f" to {last} ({stretch.named} times)"
        exist, happen = "do not exist", "happen twice"
    missing = kind in {SurpriseKind.SKIPPED, SurpriseKind.MOVED}
    return f"{times} {exist if missing else happen} on {day} in {tz}: {_outcome(kind, stretch)}"


def _outcome(kind: SurpriseKind, stretch: _Stretch) -> str:
    many = stretch.named > 1
    end = _clock(stretch.end, stretch.first.date())
    match kind:
        case SurpriseKind.SKIPPED:
            return f"{'they do' if many else 'it does'} not run"
        case SurpriseKind.MOVED if stretch.after == stretch.end:
            return f"the run at {end} stands for {'them' if many else 'it'}"
        case SurpriseKind.MOVED:
            return f"they run once, at {end}" if many else f"it runs at {end} instead"
        case SurpriseKind.REPEATED:
            return f"each runs twice, {2 * stretch.named} runs in all" if many else "it runs twice"
        case SurpriseKind.ONCE:
            return f"{'each' if many else 'it'} runs once, at the first"


def _clock(face: datetime, day: date) -> str:
    """The time of day, with the date where it is not the day one is talking about."""
    time = f"{face:%H:%M:%S}" if face.second else f"{face:%H:%M}"
    return time if face.date() == day else f"{time} on {face.date()}"
