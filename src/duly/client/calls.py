"""The requests of the client: each function makes one, and says what its answer is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from typing import Any, Generic, Self, TypeVar
from urllib.parse import quote

from duly.operations.views import (
    BackfillView,
    DoneView,
    FiguresView,
)
from duly.service.overview.views import DayView, FiresPage, LoadView, OutcomeCounts, ScheduleCounts
from duly.service.reminders.deliveries import DeliveryView
from duly.service.runs.views import OutputChunk, RunDetail
from duly.service.schedules.fields import ScheduleView
from duly.service.schedules.run_views import RunView
from duly.service.schedules.views import PreviewView
from duly.zones import iso

View = TypeVar("View")


@dataclass(frozen=True, slots=True, kw_only=True)
class Call(Generic[View]):
    """One request, and the class of its answer."""

    method: str
    path: str
    gives: type[View]
    query: Mapping[str, Any] = field(default_factory=dict)
    body: Mapping[str, Any] | None = None
    content: bytes | None = None
    """A body that is not JSON; its type is in the headers."""
    headers: Mapping[str, str] = field(default_factory=dict)
    once: bool = False
    """Whether the daemon carries it out once however often it is sent: it then gets a key, and may be tried again."""

    def by(self, method: str) -> Self:
        """Give the same request with another method."""
        return replace(self, method=method)


@dataclass(frozen=True, slots=True, kw_only=True)
class PagedCall(Call[View]):
    """A request for a list, which is read page by page."""


def get(gives: type[View], path: str, **query: Any) -> Call[View]:
    """Make a request that changes nothing."""
    return Call(method="GET", path=path, gives=gives, query=_given(query))


def list_of(gives: type[View], path: str, **query: Any) -> PagedCall[View]:
    """Make a request for a list."""
    return PagedCall(method="GET", path=path, gives=gives, query=_given(query))


def post(
    gives: type[View], path: str, body: Mapping[str, Any] | None = None, *, once: bool = False, **query: Any
) -> Call[View]:
    """Make a request that makes something or acts; fields that are None are left out."""
    given = None if body is None else _given(body, in_json=True)
    return Call(method="POST", path=path, gives=gives, body=given, query=_given(query), once=once)


def patch(gives: type[View], path: str, body: Mapping[str, Any], **query: Any) -> Call[View]:
    """Make a request that changes fields; None empties one."""
    fields = {name: _text(value, in_json=True) for name, value in body.items()}
    return Call(method="PATCH", path=path, gives=gives, body=fields, query=_given(query))


def place(collection: str, name: str, *rest: str) -> str:
    """Give the path of one thing."""
    return "/".join((f"/{collection}", quote(name, safe=""), *rest))


def _given(values: Mapping[str, Any], *, in_json: bool = False) -> dict[str, Any]:
    return {name: _text(value, in_json=in_json) for name, value in values.items() if value is not None}


def _text(value: Any, *, in_json: bool = False) -> Any:
    if isinstance(value, bool) and not in_json:
        return "true" if value else "false"
    if isinstance(value, datetime):
        return iso(value)
    return value.isoformat() if isinstance(value, date) else value


# schedules


def list_schedules(
    *,
    project: str | None = None,
    enabled: bool | None = None,
    owner: str | None = None,
    text: str | None = None,
    deleted: bool | None = None,
    state: str | None = None,
    kind: str | None = None,
    sort: str | None = None,
    limit: int | None = None,
    cursor: str | None = None,
) -> PagedCall[ScheduleView]:
    """List schedules."""
    return list_of(ScheduleView, "/schedules", **locals())


def get_schedule(schedule: str) -> Call[ScheduleView]:
    """Show a schedule."""
    return get(ScheduleView, place("schedules", schedule))


def create_schedule(name: str, **fields: Any) -> Call[ScheduleView]:
    """Make a schedule: `cron` or `when`, `prompt` or `job_name`, and the other fields of the documentation."""
    return post(ScheduleView, "/schedules", {"name": name, **fields}, once=True)


def update_schedule(schedule: str, /, *, version: int | None = None, **fields: Any) -> Call[ScheduleView]:
    """Change fields; None empties one. With `version`, only if the schedule was not changed since."""
    headers = {} if version is None else {"If-Match": f'"{version}"'}
    return replace(patch(ScheduleView, place("schedules", schedule), fields), headers=headers)


def delete_schedule(schedule: str, *, version: int | None = None) -> Call[DoneView]:
    """Delete a schedule; its history stays. With `version`, only if the schedule was not changed since."""
    headers = {} if version is None else {"If-Match": f'"{version}"'}
    return replace(get(DoneView, place("schedules", schedule)).by("DELETE"), headers=headers)


def restore_schedule(schedule_id: str, name: str | None = None) -> Call[ScheduleView]:
    """Restore a deleted schedule, by its id."""
    return post(ScheduleView, place("schedules", schedule_id, "restore"), {"name": name})


def pause_schedule(schedule: str) -> Call[DoneView]:
    """Stop firing until resumed."""
    return post(DoneView, place("schedules", schedule, "pause"))


def resume_schedule(schedule: str) -> Call[DoneView]:
    """Fire again, from now on."""
    return post(DoneView, place("schedules", schedule, "resume"))


def skip_next_run(schedule: str, at: datetime | str | None = None) -> Call[DoneView]:
    """Leave out the next run; with `at`, the `next_run_at` that is meant, no other."""
    return post(DoneView, place("schedules", schedule, "skip"), at=at)


def trigger_schedule(schedule: str) -> Call[RunView]:
    """Run a schedule now."""
    return post(RunView, place("schedules", schedule, "trigger"), once=True)


def backfill_schedule(
    schedule: str, start: datetime | str, end: datetime | str, *, dry_run: bool = False
) -> Call[BackfillView]:
    """Run a schedule for each of its times in a past range."""
    body = {"start": start, "end": end, "dry_run": dry_run}
    return post(BackfillView, place("schedules", schedule, "backfill"), body, once=True)


def preview_times(
    *,
    cron: str | None = None,
    when: str | None = None,
    cron_timezone: str | None = None,
    timezone: str | None = None,
    count: int | None = None,
) -> Call[PreviewView]:
    """Show when a cron expression or words would fire."""
    return get(PreviewView, "/preview", **locals())


def change_many(action: str, *, ids: Sequence[str] | None = None, **filters: Any) -> Call[DoneView]:
    """Pause, resume, skip_next, delete or trigger many schedules, by id or by the filters of the list."""
    found = {"ids": list(ids)} if ids is not None else {"filter": filters}
    return post(DoneView, "/bulk", {"action": action, **found}, once=True)


def put_schedule_back(schedule: str, seq: int) -> Call[DoneView]:
    """Give a schedule the definition that it had before an entry of the audit."""
    return post(DoneView, place("schedules", schedule, "put-back"), {"seq": seq})


# runs and the overview


def list_runs(
    *,
    schedule: str | None = None,
    status: Sequence[str] | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
    project: str | None = None,
    kind: str | None = None,
    origin: str | None = None,
    text: str | None = None,
    limit: int | None = None,
    cursor: str | None = None,
) -> PagedCall[RunView]:
    """List runs, newest first."""
    return list_of(RunView, "/runs", **locals())


def list_runs_of_schedule(
    schedule: str, *, status: Sequence[str] | None = None, limit: int | None = None, cursor: str | None = None
) -> PagedCall[RunView]:
    """List the runs of a schedule, which may be deleted, newest first."""
    return list_of(RunView, place("schedules", schedule, "runs"), status=status, limit=limit, cursor=cursor)


def get_run(run: str) -> Call[RunDetail]:
    """Show everything about a run."""
    return get(RunDetail, place("runs", run))


def get_output(
    run: str, *, attempt: int | None = None, target: str | None = None, offset: int = 0, limit: int | None = None
) -> Call[OutputChunk]:
    """Show a part of what an attempt printed."""
    return get(OutputChunk, place("runs", run, "output"), attempt=attempt, target=target, offset=offset, limit=limit)


def cancel_run(run: str) -> Call[RunView]:
    """Cancel a run that has not started; ask a running one to stop."""
    return post(RunView, place("runs", run, "cancel"))


def run_again(run: str) -> Call[RunView]:
    """Run the schedule of a run that has ended once more."""
    return post(RunView, place("runs", run, "again"), once=True)


def wake_me(
    *,
    minutes: int | None = None,
    when: str | None = None,
    note: str | None = None,
    run_id: str | None = None,
    session: str | None = None,
    target: str | None = None,
    spawner: str | None = None,
) -> Call[ScheduleView]:
    """Continue the session of an agent later, with a note."""
    given = {name: value for name, value in locals().items() if value is not None}
    return post(ScheduleView, "/wake-ups", given, once=True)


def list_deliveries(run: str, *, user: str | None = None) -> PagedCall[DeliveryView]:
    """List every send of one run of a reminder."""
    return list_of(DeliveryView, place("runs", run, "deliveries"), user=user)


def get_day(*, start: datetime | None = None, end: datetime | None = None, rows: int | None = None) -> Call[DayView]:
    """Show a day, by default today."""
    return get(DayView, "/day", start=start, end=end, rows=rows)


def list_fires(
    start: datetime, end: datetime, *, project: str | None = None, kind: str | None = None, schedule: str | None = None
) -> Call[FiresPage]:
    """List the coming fires of a span."""
    return get(FiresPage, "/fires", start=start, end=end, project=project, kind=kind, schedule=schedule)


def get_load(day: date | None = None, *, timezone: str | None = None, past: bool = False) -> Call[LoadView]:
    """Show how many runs each minute of a day has."""
    return get(LoadView, "/load", day=day, timezone=timezone, past=past)


def get_figures(schedule_ids: Sequence[str]) -> Call[FiguresView]:
    """Show how schedules have been doing, by id."""
    return get(FiguresView, "/figures", schedule=list(schedule_ids))


def count_runs(*, since: datetime | None = None, until: datetime | None = None) -> Call[OutcomeCounts]:
    """Count runs by outcome."""
    return get(OutcomeCounts, "/counts/runs", since=since, until=until)


def count_schedules() -> Call[ScheduleCounts]:
    """Count schedules by state and by kind."""
    return get(ScheduleCounts, "/counts/schedules")
