"""What callers are shown: the stored truth, with times in UTC and in the zone people think in. Plain values only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from typing import Any

from duly.cron import Cron
from duly.errors import UnknownTimezoneError
from duly.model.action import Message, Prompt, Target
from duly.model.schedule import Schedule
from duly.model.trigger import Trigger
from duly.planning.attention import NO_REASON, Concern, ConcernKind
from duly.ports.codec import decode_schedule, state_of
from duly.ports.records import StoredSchedule
from duly.recurrence import Once
from duly.service.access.access import Scope, visible_targets
from duly.service.schedules import forms
from duly.service.schedules.clock_notes import clock_notes, dated_parts
from duly.zones import Zone, iso, local_iso


@dataclass(frozen=True, slots=True)
class FireView:
    """A coming fire, in UTC and in local time."""

    utc: str
    local: str

    @classmethod
    def of(cls, fire_at: datetime, zone: Zone) -> FireView:
        return cls(iso(fire_at), local_iso(fire_at, zone))


@dataclass(frozen=True, slots=True)
class TargetView:
    """A target of a prompt."""

    project_id: str
    workspace_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ConcernView:
    """Something about a schedule that a person should know."""

    kind: str
    """`failing`, `overdue`, `unserved`, `quarantined` or `resting`."""
    reason: str
    remedy: str
    """What to do."""
    since: str | None = None
    times: int | None = None
    """Of one that fails: how often in a row."""
    schedule_id: str | None = None
    """This and the next where it is not said already whose concern it is."""
    name: str | None = None
    namespace: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class HealthView:
    """The light, its reasons, and the schedules that need attention."""

    state: str
    reasons: list[str] = field(default_factory=list)
    lag_seconds: float = 0.0
    attention: list[ConcernView] = field(default_factory=list)
    attention_total: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduleView:
    """A schedule and how it stands."""

    id: str
    name: str
    namespace: str
    enabled: bool
    when: str
    next_run_at: str | None = None
    next_runs: list[FireView] = field(default_factory=list)
    zone: str = "UTC"
    """The zone of the local times shown here."""
    original_text: str | None = None
    """The words it was made from."""
    notes: list[str] = field(default_factory=list)
    """What clock changes of the coming year do to it."""
    description: str | None = None
    cron: str | None = None
    cron_timezone: str | None = None
    timezone: str | None = None
    dispatch_mode: str
    prompt: str | None = None
    targets: list[TargetView] = field(default_factory=list)
    session_behavior: str | None = None
    spawner: str | None = None
    model: str | None = None
    gate: str | None = None
    max_cost_per_run: float | None = None
    max_cost_per_day: float | None = None
    job_name: str | None = None
    job_args: dict[str, Any] | None = None
    message: str | None = None
    overlap_behavior: str | None = None
    queue_limit: int | None = None
    max_parallel: int | None = None
    catch_up: str | None = None
    catch_up_window: float | None = None
    retry: dict[str, Any] | None = None
    timeout: float | None = None
    stagger_key: str | None = None
    max_stagger_seconds: int | None = None
    max_runs: int | None = None
    start_at: str | None = None
    end_at: str | None = None
    until_at: str | None = None
    display_title: str | None = None
    calendar_event_id: str | None = None
    source: str = "db"
    created_by: str | None = None
    changed_by: str | None = None
    token_scope: str | None = None
    created_via: str | None = None
    created_at: str | None = None
    updated_at: str | None = None
    last_run_at: str | None = None
    last_status: str | None = None
    last_result: Any = None
    total_runs: int = 0
    consecutive_failures: int = 0
    disabled_by: str | None = None
    quarantine: str | None = None
    """Why the stored row cannot be read."""
    attention: list[ConcernView] = field(default_factory=list)
    """What is the matter with it, since when, and what to do."""
    warning: str | None = None
    """Why it would not be carried out as things stand."""
    resting: str | None = None
    """Which folder, program or job is missing; it goes on by itself when that is back."""
    resting_since: str | None = None
    truncated: dict[str, int] | None = None
    """In a list: which fields are cut, and how many characters each has in full."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PreviewView:
    """What a time means, before anything is stored."""

    when: str
    timezone: str
    """The zone of the local times."""
    next_runs: list[FireView]
    notes: list[str] = field(default_factory=list)


def plain(view: Any) -> dict[str, Any]:
    """A view as JSON would have it, without what is not there."""
    return {name: value for name, value in asdict(view).items() if value not in (None, [])}


def concern_view(concern: Concern, *, hide_output: bool = False, says_whose: bool = False) -> ConcernView:
    """A concern as callers see it; what a failed run put out is not for everyone who sees its schedule."""
    whose = ("schedule_id", "name", "namespace") if says_whose else ()
    return ConcernView(
        kind=str(concern.kind),
        reason=NO_REASON if hide_output and concern.kind is ConcernKind.FAILING else concern.reason,
        remedy=concern.remedy,
        since=iso(concern.since),
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
) -> ScheduleView:
    """What this caller sees of a schedule."""
    try:
        schedule, state = decode_schedule(row), state_of(row)
    except ValueError as error:
        return replace(
            _unreadable(row, row.quarantine or str(error)), attention=[concern_view(each) for each in concerns]
        )
    zone = _zone_of(schedule, default_zone)
    hides = _hides_some(scope, schedule)
    coming = [] if row.resting else _coming(schedule.trigger, row, fires)
    return ScheduleView(
        id=row.id,
        name=row.name,
        namespace=row.namespace,
        enabled=row.enabled,
        when=describe(schedule.trigger),
        next_run_at=iso(row.next_run_at),
        next_runs=[FireView.of(at, zone) for at in coming],
        zone=zone.name,
        original_text=row.original_text,
        notes=clock_notes(schedule.trigger, now),
        source=row.source,
        created_by=row.created_by,
        changed_by=row.changed_by,
        token_scope=row.token_scope,
        created_via=row.created_via,
        created_at=iso(row.created_at),
        updated_at=iso(row.updated_at),
        last_run_at=iso(row.last_run_at),
        last_status=row.last_status,
        last_result=None if hides else state.last_result,
        total_runs=row.total_runs,
        consecutive_failures=row.consecutive_failures,
        disabled_by=row.disabled_by,
        quarantine=row.quarantine,
        attention=[concern_view(each, hide_output=hides) for each in concerns],
        resting=row.resting,
        resting_since=iso(row.resting_since),
        **_definition(schedule, scope),
    )


def zone_of(row: StoredSchedule, default_zone: str) -> Zone:
    """The zone whose clocks a stored schedule is shown on; the default for one that cannot be read."""
    try:
        return _zone_of(decode_schedule(row), default_zone)
    except ValueError:
        return Zone.of(default_zone)


def _zone_of(schedule: Schedule, default_zone: str) -> Zone:
    try:
        return shown_in(schedule.trigger, schedule.timezone, default_zone)
    except UnknownTimezoneError:  # known where it was written: it is for showing only, and here another has to do
        return shown_in(schedule.trigger, None, default_zone)


def _definition(schedule: Schedule, scope: Scope) -> dict[str, Any]:
    """The fields somebody wrote, as they would write them again."""
    if isinstance(schedule.action, Message):
        return _of_message(schedule, schedule.action)
    form = forms.of_schedule(schedule, enabled=True)
    for name in ("name", "enabled", "when"):
        form.pop(name, None)
    for name in ("start_at", "end_at", "until_at"):
        form[name] = iso(form.get(name))
    for name in ("timeout", "catch_up_window"):
        form[name] = forms.seconds(form.get(name))
    retry = asdict(schedule.policy.retry)
    form["retry"] = (
        retry | {name: forms.seconds(retry[name]) for name in ("delay", "cap")} | {"backoff": str(retry["backoff"])}
    )
    form["targets"] = _target_views(visible_targets(scope, getattr(schedule.action, "targets", ())))
    return form


def _of_message(schedule: Schedule, message: Message) -> dict[str, Any]:
    """A reminder; the tools for reminders show the rest."""
    from duly.service.reminders.views import cron_of  # late: it shows times as we do

    trigger, names = schedule.trigger, ("description", "timezone", "max_runs", "display_title", "calendar_event_id")
    expression = trigger.expression if isinstance(trigger, Cron) else None
    return {
        "dispatch_mode": "message",
        "message": message.text,
        "cron": cron_of(trigger.at) if isinstance(trigger, Once) else expression,
        **{name: getattr(schedule, name) for name in names},
        **{name: iso(getattr(schedule, name)) for name in ("start_at", "end_at", "until_at")},
    }


def _target_views(targets: Sequence[Target]) -> list[TargetView]:
    return [TargetView(target.project_id, target.workspace_id) for target in targets]


def _hides_some(scope: Scope, schedule: Schedule) -> bool:
    action = schedule.action
    return isinstance(action, Prompt) and len(visible_targets(scope, action.targets)) < len(action.targets)


def _coming(trigger: Trigger, row: StoredSchedule, count: int) -> list[datetime]:
    """The next nominal times, up to the end of the series."""
    fires: list[datetime] = []
    at = row.next_fire_at
    while at is not None and len(fires) < count and (row.until_at is None or at <= row.until_at):
        if row.max_runs is not None and row.fires + len(fires) >= row.max_runs:
            break
        fires.append(at)
        at = trigger.get_next_occurrence(at)
    return fires


def _unreadable(row: StoredSchedule, why: str) -> ScheduleView:
    mode = row.handler.partition(":")[0]
    shown = {"source": row.source, "created_by": row.created_by, "created_at": iso(row.created_at)}
    return ScheduleView(
        id=row.id,
        name=row.name,
        namespace=row.namespace,
        enabled=False,
        when="unreadable",
        dispatch_mode=mode,
        quarantine=why,
        **shown,  # type: ignore[arg-type]
    )


def shown_in(trigger: Trigger, timezone: str | None, default: str) -> Zone:
    """The zone whose clocks a schedule is shown on: its own, else the one it is evaluated in, else the usual one."""
    evaluated = getattr(trigger, "tz", None)
    return Zone.of(timezone or (evaluated if evaluated not in (None, "UTC") else default))


def describe(trigger: Trigger) -> str:
    """A trigger in words, with the zone it is read in."""
    words, parts = trigger.describe(), dated_parts(trigger)
    return f"{words} UTC" if parts and all(part.tz == "UTC" for part in parts) else words
