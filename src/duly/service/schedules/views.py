"""Schedules as callers see them: times in UTC and in local time, plain values, one rendering for every face."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, is_dataclass
from datetime import datetime
from functools import lru_cache
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from duly.cron import Cron
from duly.errors import UnknownTimezoneError
from duly.model.action import Message, Prompt
from duly.planning.attention import NO_REASON, Concern, ConcernKind
from duly.ports.codec import decode_schedule, decode_trigger, state_of
from duly.ports.records import SCHEDULE_COLUMNS, StoredSchedule
from duly.ports.timeline import Doing
from duly.recurrence import Once
from duly.service.access.scopes import Scope, visible_targets
from duly.service.pages import shape_of
from duly.service.schedules import forms
from duly.service.schedules.fields import ScheduleView, held_by, shown
from duly.service.schedules.off import off_words
from duly.service.schedules.settings import DefinitionPart
from duly.service.schedules.times import clock_notes, dated_parts, preview, stored_clock_notes, with_local_moments
from duly.service.schedules.view_parts import ConcernView, FireView, TargetView
from duly.service.schedules.when import When
from duly.zones import Zone, iso

if TYPE_CHECKING:
    from duly.model.schedule import Schedule
    from duly.model.trigger import Trigger

_SHOWN_OTHERWISE = ("name", "enabled", "when")
_IDLE = Doing()
_COLUMNS = tuple(each.name for each in SCHEDULE_COLUMNS)
_columns_of = attrgetter(*_COLUMNS)
_KEPT_CHARACTERS = 4000
"""The largest action and result, in characters of JSON, of a schedule whose view is kept."""
_PLAIN_ALREADY = frozenset({str, int, bool, float, When})


@dataclass(frozen=True, slots=True, kw_only=True)
class HealthView:
    """The health of the engine: green, yellow or red, the reasons, and the schedules that need attention."""

    state: str
    reasons: list[str] = field(default_factory=list)
    lag_seconds: float = 0.0
    attention: list[ConcernView] = field(default_factory=list)
    attention_total: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class PreviewView:
    """The fires that a cron expression or words would give."""

    when: str
    timezone: str
    """The zone of the local times."""
    next_runs: list[FireView]
    notes: list[str] = field(default_factory=list)


def plain(view: Any) -> dict[str, Any]:
    """Give a view as JSON has it: optional fields that are null or an empty list are left out, moments are in UTC."""
    if isinstance(view, dict):
        return view
    names, required, values = shape_of(type(view))
    found: dict[str, Any] = {}
    for name, value in zip(names, values(view), strict=True):
        kind = type(value)
        if kind in _PLAIN_ALREADY:
            found[name] = value
        elif kind is datetime:
            found[name] = iso(value)
        elif name in required or value not in (None, []):
            found[name] = _plain(value)
    return found


def _plain(value: Any) -> Any:
    """Give a value of a view; values that callers gave, such as the arguments of a job, stay as they are."""
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    if isinstance(value, datetime):
        return iso(value)
    return plain(value) if is_dataclass(value) else value


def state_word(row: StoredSchedule, doing: Doing = _IDLE) -> str:
    """Say in one word how a schedule is."""
    if row.quarantine is not None:
        return "unreadable"
    open_answer = "awaiting" if doing.awaiting else "snoozed" if doing.snoozed_until is not None else None
    if open_answer is not None and row.disabled_by == "finished":  # it fired for the last time
        return open_answer
    if not row.enabled:
        return off_words(row.disabled_by).state
    if open_answer is not None:
        return open_answer
    if row.consecutive_failures:
        return "failing"
    if row.resting is not None:
        return "resting"
    if doing.running:
        return "running"
    try:
        return "waiting" if isinstance(decode_trigger(row.trigger), Once) else "ok"
    except ValueError:
        return "unreadable"


def state_in_words(view: ScheduleView, attention: str = "") -> str:
    """Say in a few words whether a schedule fires; `attention` has the reasons for which a person should look at it."""
    if view.quarantine:
        return "unreadable"
    if view.state in ("awaiting", "snoozed") and not attention:
        return view.state
    if not view.enabled:
        off = off_words(view.disabled_by).short
        return f"{off}, {attention}" if attention else off
    return attention or view.state or "ok"


def when_on_clocks(view: ScheduleView) -> str:
    """Say when a schedule fires, its moments on the clocks of its zone."""
    return with_local_moments(str(view.when), Zone.of(view.zone))


def target_name(target: TargetView) -> str:
    """Write a target as callers give it: `PROJECT` or `PROJECT/WORKSPACE`."""
    return "/".join(filter(None, (target.project_id, target.workspace_id)))


def concern_view(concern: Concern, *, hide_output: bool = False, says_whose: bool = False) -> ConcernView:
    """Show a concern; the output of a failed run is hidden from callers who may not see all of its targets."""
    whose = ("schedule_id", "name", "namespace") if says_whose else ()
    return ConcernView(
        kind=str(concern.kind),
        reason=NO_REASON if hide_output and concern.kind is ConcernKind.FAILING else concern.reason,
        remedy=concern.remedy,
        since=concern.since,
        times=concern.times or None,
        **{name: getattr(concern, name) for name in whose},
    )


def schedule_view(
    row: StoredSchedule,
    scope: Scope,
    now: datetime,
    *,
    fires: int = 3,
    default_zone: str = "UTC",
    concerns: Sequence[Concern] = (),
    doing: Doing = _IDLE,
) -> ScheduleView:
    """Show a schedule to a caller with this scope."""
    notes = _notes(row, now)
    small = len(row.action) + len(row.last_result or "") <= _KEPT_CHARACTERS
    if small and row.damage is None and not concerns and doing == _IDLE:
        return _usual_view(_columns_of(row), scope, fires, default_zone, notes)
    return _view(row, scope, notes, fires=fires, default_zone=default_zone, concerns=concerns, doing=doing)


@lru_cache(maxsize=1024)
def _usual_view(
    values: tuple[Any, ...], scope: Scope, fires: int, default_zone: str, notes: tuple[str, ...]
) -> ScheduleView:
    """Show a schedule without concerns that does nothing now; kept, because pages are asked for again and again.

    The key has everything that the view depends on, so that it cannot be stale.
    """
    row = StoredSchedule(**dict(zip(_COLUMNS, values, strict=True)))
    return _view(row, scope, notes, fires=fires, default_zone=default_zone)


def _notes(row: StoredSchedule, now: datetime) -> tuple[str, ...]:
    try:
        return tuple(stored_clock_notes(row.trigger, now))
    except ValueError:  # the view says that it cannot be decoded
        return ()


def _view(
    row: StoredSchedule,
    scope: Scope,
    notes: Sequence[str],
    *,
    fires: int,
    default_zone: str,
    concerns: Sequence[Concern] = (),
    doing: Doing = _IDLE,
) -> ScheduleView:
    try:
        schedule = decode_schedule(row)
        state = state_of(row)
    except ValueError as error:
        return _undecodable(row, row.quarantine or str(error), concerns)
    zone = _zone_of(schedule, default_zone)
    hides = _hides_some(scope, schedule)
    coming = [] if row.resting else _coming(schedule.trigger, row, fires)
    return ScheduleView(
        id=row.id,
        name=row.name,
        namespace=row.namespace,
        enabled=row.enabled,
        when=_described(row.trigger),
        next_run_at=row.next_run_at,
        next_runs=[FireView.of(at, zone) for at in coming],
        zone=zone.name,
        original_text=row.original_text,
        notes=list(notes),
        source=row.source,
        created_by=row.created_by,
        changed_by=row.changed_by,
        token_scope=row.token_scope,
        created_via=row.created_via,
        created_at=row.created_at,
        updated_at=row.updated_at,
        last_run_at=row.last_run_at,
        last_status=row.last_status,
        last_result=None if hides else state.last_result,
        total_runs=row.total_runs,
        consecutive_failures=row.consecutive_failures,
        disabled_by=row.disabled_by,
        quarantine=row.quarantine,
        attention=[concern_view(each, hide_output=hides) for each in concerns],
        resting=row.resting,
        resting_since=row.resting_since,
        state=state_word(row, doing),
        snoozed_until=doing.snoozed_until,
        version=row.version,
        **_definition(schedule, scope),
    )


def preview_view(trigger: Trigger, zone: Zone, now: datetime, count: int) -> PreviewView:
    """Show the next fires of a trigger that is not stored."""
    return PreviewView(
        when=describe(trigger),
        timezone=zone.name,
        next_runs=[FireView.of(at, zone) for at in preview(trigger, now, count)],
        notes=clock_notes(trigger, now),
    )


def zone_of(row: StoredSchedule, default_zone: str) -> Zone:
    """Give the zone in which a stored schedule is shown; the default for a row that cannot be decoded."""
    try:
        return _zone_of(decode_schedule(row), default_zone)
    except ValueError:
        return Zone.of(default_zone)


def _zone_of(schedule: Schedule, default_zone: str) -> Zone:
    try:
        return shown_in(schedule.trigger, schedule.timezone, default_zone)
    except UnknownTimezoneError:  # known on the machine that stored it, not on this one; it only affects what is shown
        return shown_in(schedule.trigger, None, default_zone)


def _definition(schedule: Schedule, scope: Scope) -> dict[str, Any]:
    """Show the fields that callers set."""
    if isinstance(schedule.action, Message):
        return _of_message(schedule, schedule.action)
    form = forms.of_schedule(schedule, enabled=True)
    if isinstance(schedule.action, Prompt):
        form["targets"] = visible_targets(scope, schedule.action.targets)
    return {name: value for name, value in shown(form).items() if name not in _SHOWN_OTHERWISE}


def _of_message(schedule: Schedule, message: Message) -> dict[str, Any]:
    """Show the fields of a reminder that every schedule has; the tools for reminders show the rest."""
    from duly.service.reminders.views import cron_of  # late: that module imports this one

    trigger = schedule.trigger
    expression = trigger.expression if isinstance(trigger, Cron) else None
    plain_fields = shown(held_by(DefinitionPart.SCHEDULE, schedule))
    del plain_fields["name"]
    return {
        "dispatch_mode": "message",
        "message": message.text,
        "cron": cron_of(trigger.at) if isinstance(trigger, Once) else expression,
        **plain_fields,
    }


def _hides_some(scope: Scope, schedule: Schedule) -> bool:
    action = schedule.action
    return isinstance(action, Prompt) and len(visible_targets(scope, action.targets)) < len(action.targets)


def _coming(trigger: Trigger, row: StoredSchedule, count: int) -> list[datetime]:
    """Give the next fires, up to the end of the series."""
    fires: list[datetime] = []
    at = row.next_fire_at
    while at is not None and len(fires) < count and (row.until_at is None or at <= row.until_at):
        if row.max_runs is not None and row.fires + len(fires) >= row.max_runs:
            break
        fires.append(at)
        at = trigger.get_next_occurrence(at)
    return fires


def _undecodable(row: StoredSchedule, why: str, concerns: Sequence[Concern]) -> ScheduleView:
    return ScheduleView(
        id=row.id,
        name=row.name,
        namespace=row.namespace,
        enabled=False,
        when=When("unreadable"),
        dispatch_mode=row.handler.partition(":")[0],
        source=row.source,
        created_by=row.created_by,
        created_at=row.created_at,
        quarantine=why,
        attention=[concern_view(each) for each in concerns],
        state="unreadable",
        version=row.version,
    )


def shown_in(trigger: Trigger, timezone: str | None, default: str) -> Zone:
    """Give the zone in which a schedule is shown: its own, else the one of its trigger, else the default."""
    evaluated = getattr(trigger, "tz", None)
    return Zone.of(timezone or (evaluated if evaluated not in (None, "UTC") else default))


@lru_cache(maxsize=4096)
def _described(text: str) -> When:
    """Describe a stored trigger. The key is the text: equal triggers may be worded differently."""
    return said_of(decode_trigger(text))


def describe(trigger: Trigger) -> str:
    """Describe a trigger in words, with UTC where that is its zone."""
    return str(said_of(trigger))


def said_of(trigger: Trigger) -> When:
    """Describe a trigger in words, with UTC where that is its zone."""
    words = trigger.describe()
    named = next((zone for zone in _zones_in(trigger) if words.endswith(f" ({zone})")), None)
    if named is not None:
        return When(words.removesuffix(f" ({named})"), named)
    parts = dated_parts(trigger)
    return When(words, "UTC" if parts and all(part.tz == "UTC" for part in parts) else None, once=_is_once(trigger))


def _is_once(trigger: Trigger) -> bool:
    """Tell whether a trigger names single instants only."""
    inside = _triggers_in(trigger)
    return isinstance(trigger, Once) or (bool(inside) and all(map(_is_once, inside)))


def _zones_in(trigger: Trigger) -> Iterator[str]:
    """Give the zones of a trigger and of the triggers in it."""
    if (zone := getattr(trigger, "tz", None)) is not None:
        yield zone
    for each in _triggers_in(trigger):
        yield from _zones_in(each)


def _triggers_in(trigger: Trigger) -> tuple[Trigger, ...]:
    """Give the triggers that others are made of. Their classes are not asked for: most commands load none of them."""
    only = getattr(trigger, "trigger", None)
    several = (*getattr(trigger, "triggers", ()), *getattr(trigger, "intervals", ()))
    return several if only is None else (only, *several)
