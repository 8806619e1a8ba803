"""What needs attention, as the command line says it: short in a column, and with what to do below the table."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from duly.cli.moments import how_long
from duly.planning.attention import NO_DAEMON, ConcernKind

if TYPE_CHECKING:
    from duly.service.schedules.views import ConcernView, ScheduleView
    from duly.zones import Zone

_LONGEST = 160


def in_short(view: ScheduleView, zone: Zone, now: datetime) -> str:
    """What is the matter with a schedule, for a column; nothing when all is well."""
    return "; ".join(_short(each, zone, now) for each in view.attention)


def in_words(concern: ConcernView, zone: Zone, now: datetime) -> str:
    """A concern with its reason."""
    short = _short(concern, zone, now)
    told = short if concern.reason in short else f"{short}: {concern.reason}"
    return told if len(told) <= _LONGEST else f"{told[: _LONGEST - 1]}…"


def needs_attention(views: Sequence[ScheduleView], zone: Zone, now: datetime) -> str:
    """A block below a table: each schedule with something the matter, why, and what to do."""
    return block([(view.name, each) for view in views for each in view.attention], zone, now)


def block(found: Sequence[tuple[str, ConcernView]], zone: Zone, now: datetime) -> str:
    """Names and their concerns, two lines each. That nothing runs is said elsewhere, once for all."""
    told = [(name, each) for name, each in found if each.reason != NO_DAEMON]
    width = max((len(name) for name, _ in told), default=0)
    lines = [
        f"  {name:{width}}  {in_words(each, zone, now)}\n  {'':{width}}  what to do: {each.remedy}\n"
        for name, each in told
    ]
    return "".join(["\nneeds attention:\n", *lines]) if lines else ""


def _short(concern: ConcernView, zone: Zone, now: datetime) -> str:
    kind = ConcernKind(concern.kind)
    since = None if concern.since is None else datetime.fromisoformat(concern.since)
    if kind is ConcernKind.FAILING:
        begun = "" if since is None else f" since {_clock(since, zone, now)}"
        return f"failing{begun} ({concern.times or 1}×)"
    if kind is ConcernKind.OVERDUE and since is not None:
        late = f"overdue {how_long(int((now - since).total_seconds()))}"
        return f"{late}, {NO_DAEMON}" if concern.reason == NO_DAEMON else late
    if kind is ConcernKind.QUARANTINED:
        return "unreadable"
    if kind is ConcernKind.UNAUTHORIZED:
        return str(kind) if since is None else f"{kind} since {_clock(since, zone, now)}"
    if kind is ConcernKind.RESTING:
        return "resting" if since is None else f"resting since {_clock(since, zone, now)}"
    return f"{kind}: {concern.reason}"


def _clock(moment: datetime, zone: Zone, now: datetime) -> str:
    """The time of day; of another day the date before it."""
    local = zone.localize(moment)
    if local.date() == zone.localize(now).date():
        return f"{local:%H:%M}"
    return f"{local:%a} {local.day} {local:%b %H:%M}"
