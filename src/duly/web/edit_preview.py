"""What the editor answers while one types: when it would run, what it meets at that time, and what will change."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from markupsafe import Markup

from duly.errors import DulyError
from duly.service.schedules.triggers import Explanation
from duly.service.schedules.ways import Choices
from duly.web import charts, words
from duly.web.edit_form import FieldChange, Typed, changes_between, choices_in, read
from duly.web.site import Site
from duly.web.viewer import Viewer
from duly.zones import Zone

_FIVE = timedelta(minutes=5)
_BEFORE = 6
_AFTER = 12
_NAMED = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Company:
    """What else fires around a time."""

    drawing: Markup
    others: int
    names: list[str]
    free: str | None = None
    """The nearest time that is free."""
    take: str | None = None
    """What to say to have that time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EditPreview:
    """Everything that is shown beside the form."""

    said: Explanation
    zone: Zone
    company: Company | None = None
    changes: list[FieldChange] = field(default_factory=list)
    faults: dict[str, str] = field(default_factory=dict)


async def preview_of(site: Site, viewer: Viewer, typed: Typed, base: Typed | None, own_id: str | None) -> EditPreview:
    """Read the form and say what it would do."""
    said = await explained(site, viewer, typed)
    zone = viewer.zone
    with suppress(DulyError):  # the fault says that the zone is unknown
        zone = Zone.of(said.zone)
    company = None
    if said.fires:
        company = await _company(site, viewer, said, zone, own_id)
    sheet = read(typed, viewer.zone)
    return EditPreview(
        said=said,
        zone=zone,
        company=company,
        changes=changes_between(base, typed, viewer.zone) if base is not None else [],
        faults=sheet.faults,
    )


async def explained(site: Site, viewer: Viewer, typed: Typed) -> Explanation:
    """Explain the time that is typed, in the way that was chosen."""
    explain = site.services.triggers.explain
    zone = typed["zone"].strip() or viewer.zone.name
    if typed["way"] == "cron":
        return await explain(viewer.caller, cron=typed["cron"], zone=zone)
    if typed["way"] == "builder":
        return await explain(viewer.caller, choices=choices_in(typed), zone=zone)
    return await explain(viewer.caller, when=typed["words"], zone=zone)


async def _company(site: Site, viewer: Viewer, said: Explanation, zone: Zone, own_id: str | None) -> Company | None:
    """Count what fires within five minutes each, from half an hour before the first fire to an hour after it."""
    at = said.fires[0].at
    try:
        load = await site.services.overview.load(viewer.caller, zone.localize(at).date(), zone.name)
        there = await site.services.overview.minute(viewer.caller, at) if at > viewer.now else []
    except DulyError:
        return None  # a token without the right to look at the load has no company to show
    midnight = zone.first_instant(zone.localize(at).replace(hour=0, minute=0, second=0, microsecond=0, tzinfo=None))
    begin = at - timedelta(seconds=at.timestamp() % 300) - _BEFORE * _FIVE
    columns: list[tuple[str, int, bool]] = []
    free: datetime | None = None
    for step in range(_BEFORE + _AFTER + 1):
        start = begin + step * _FIVE
        first = int((start - midnight) / timedelta(minutes=1))
        fires = sum(load.minutes[max(first, 0) : max(first + 5, 0)])
        is_own = step == _BEFORE
        clock = words.clock(start, zone) if step % 6 == 0 else ""
        columns.append((clock, fires, is_own))
        if free is None and step > _BEFORE and fires == 0:
            free = start
    names = list(dict.fromkeys(each.name for each in there if each.schedule_id != own_id))
    return Company(
        drawing=charts.company(columns),
        others=len(names),
        names=names[:_NAMED],
        free=words.clock(free, zone) if free is not None and names else None,
        take=_moved(said.choices, words.clock(at, zone), words.clock(free, zone))
        if free is not None and names
        else None,
    )


def _moved(choices: Choices | None, old: str, new: str) -> str | None:
    """Say the same with another time of day."""
    if choices is None or old not in choices.times:
        return None
    times = tuple(new if each == old else each for each in choices.times)
    return Choices(
        unit=choices.unit, number=choices.number, times=times, days=choices.days, month_day=choices.month_day
    ).words()
