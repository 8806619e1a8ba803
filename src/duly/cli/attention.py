"""Concerns about schedules as the command line shows them: short in a column, with the remedy below the table."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from duly.cli.output import how_long
from duly.planning.attention import NO_DAEMON, ConcernKind

if TYPE_CHECKING:
    from duly.service.schedules.fields import ScheduleView
    from duly.service.schedules.view_parts import ConcernView
    from duly.zones import Zone

_LONGEST = 160


def concerns_in_short(view: ScheduleView, zone: Zone, now: datetime) -> str:
    """Name the concerns about a schedule, for a column; empty when all is well."""
    return "; ".join(_short(each, zone, now) for each in view.attention)


def concern_with_reason(concern: ConcernView, zone: Zone, now: datetime) -> str:
    """Name a concern and its reason."""
    short = _short(concern, zone, now)
    text = short if concern.reason in short else f"{short}: {concern.reason}"
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def attention_of_schedules(views: Sequence[ScheduleView], zone: Zone, now: datetime) -> str:
    """List the concerns about schedules, below their table."""
    return attention_block([(view.name, each) for view in views for each in view.attention], zone, now)


def attention_block(concerns: Sequence[tuple[str, ConcernView]], zone: Zone, now: datetime) -> str:
    """List names with their concerns, two lines each. That no daemon runs is left out: the command says it once."""
    shown = [(name, each) for name, each in concerns if each.reason != NO_DAEMON]
    width = max((len(name) for name, _ in shown), default=0)
    lines = [
        f"  {name:{width}}  {concern_with_reason(each, zone, now)}\n  {'':{width}}  what to do: {each.remedy}\n"
        for name, each in shown
    ]
    return "".join(["\nneeds attention:\n", *lines]) if lines else ""


def _short(concern: ConcernView, zone: Zone, now: datetime) -> str:
    kind = ConcernKind(concern.kind)
    since = concern.since
    begun = "" if since is None else f" since {_clock(since, zone, now)}"
    if kind is ConcernKind.FAILING:
        return f"failing{begun} ({concern.times or 1}×)"
    if kind is ConcernKind.OVERDUE and since is not None:
        late = f"overdue {how_long(int((now - since).total_seconds()))}"
        return f"{late}, {NO_DAEMON}" if concern.reason == NO_DAEMON else late
    if kind is ConcernKind.QUARANTINED:
        return "unreadable"
    if kind in (ConcernKind.UNAUTHORIZED, ConcernKind.RESTING):
        return f"{kind}{begun}"
    return f"{kind}: {concern.reason}"


def _clock(moment: datetime, zone: Zone, now: datetime) -> str:
    """Show the time of day; of another day the date before it."""
    local = zone.localize(moment)
    if local.date() == zone.localize(now).date():
        return f"{local:%H:%M}"
    return f"{local:%a} {local.day} {local:%b %H:%M}"
