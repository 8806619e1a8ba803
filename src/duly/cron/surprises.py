"""Surprises: what coming clock changes do to the fires of an expression.

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
    """How a clock change affects the times that it leaves out or repeats."""

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
    """One clock change that skips, moves or repeats fires of an expression."""

    at: datetime
    """The instant (UTC) of the change."""
    kind: SurpriseKind
    local: datetime
    """The first time on the wall clock that is affected."""
    count: int
    """How many such times there are."""
    text: str
    """A sentence for people."""


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
        """Say whether the pattern outside goes on as if the stretch were not there, or were there twice.

        The stretch is cut out or repeated as a whole. Fire follows fire at the usual distance if the last named time in
        it is as far from its end as the one before the stretch is from its start, and likewise at the other side.
        """
        return (
            self.before is not None
            and self.after is not None
            and self.start - self.before == self.end - self.last
            and self.after - self.end == self.first - self.start
        )


def surprises(cron: Cron, start: datetime, end: datetime) -> list[Surprise]:
    """List the surprises of the clock changes in [start, end), in order of time."""
    return list(_surprises(cron, start, end))


def _surprises(cron: Cron, start: datetime, end: datetime) -> Iterator[Surprise]:
    spec = parse(cron.expression, cron.dialect, cron.day_match)
    once = spec.fixed and cron.dst is DstPolicy.ONCE
    utc = Zone.of("UTC")
    for at, before, after in Zone.of(cron.tz).transitions(utc.localize(start, "start"), utc.localize(end, "end")):
        face = at.replace(tzinfo=None)
        # Forward, the clock jumps over [at + before, at + after); backward, it shows [at + after, at + before) again.
        stretch = _stretch(spec, face + min(before, after), face + max(before, after))
        if stretch is None or _ordinary(stretch, spec, gap=after > before, once=once):
            continue
        if after > before:
            kind = SurpriseKind.MOVED if once else SurpriseKind.SKIPPED
        else:
            kind = SurpriseKind.ONCE if once else SurpriseKind.REPEATED
        yield Surprise(
            at=at,
            kind=kind,
            local=stretch.first,
            count=stretch.named,
            text=_text(kind, stretch, cron.tz),
        )


def _stretch(spec: Spec, start: datetime, end: datetime) -> _Stretch | None:
    """Find the named times in a stretch of wall-clock time; None if there are none."""
    first = spec.next(start - _SECOND, None)
    last = spec.prev(end, None)
    if first is None or last is None or first >= end:
        return None
    named = spec.count(to_seconds(start) - 1, to_seconds(end) - 1)
    return _Stretch(
        start=start,
        end=end,
        named=named,
        before=spec.prev(start, None),
        first=first,
        last=last,
        after=spec.next(end - _SECOND, None),
    )


def _ordinary(stretch: _Stretch, spec: Spec, *, gap: bool, once: bool) -> bool:
    """Say whether the change is no surprise: fire follows fire at the usual distance."""
    if once and not gap:
        return False  # nothing fires in the second pass, so there is always a pause
    if once and stretch.after != stretch.end:
        return False  # the fire at the end of the gap is one that the pattern does not have
    # Where a zone leaves out a whole day, a person who named times of day misses that day, however even the pattern.
    return stretch.seamless() and (not spec.fixed or stretch.end - stretch.start < _DAY)


def _text(kind: SurpriseKind, stretch: _Stretch, tz: str) -> str:
    day = stretch.first.date()
    times = _clock(stretch.first, day)
    if stretch.named > 1:
        last = _clock(stretch.last, day)
        times += f" and {last}" if stretch.named == 2 else f" to {last} ({stretch.named} times)"
    if kind in {SurpriseKind.SKIPPED, SurpriseKind.MOVED}:
        fate = "do not exist" if stretch.named > 1 else "does not exist"
    else:
        fate = "happen twice" if stretch.named > 1 else "happens twice"
    return f"{times} {fate} on {day} in {tz}: {_outcome(kind, stretch)}"


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
    """Show the time of day, with the date where it is not `day`."""
    time = f"{face:%H:%M:%S}" if face.second else f"{face:%H:%M}"
    return time if face.date() == day else f"{time} on {face.date()}"
