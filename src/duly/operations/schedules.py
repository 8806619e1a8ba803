"""Schedules: making, showing, changing and firing them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Annotated, Any

from duly.operations.ask import Ask, Group, OnWire, Page, PagedAsk, delete, get, patch, post
from duly.operations.listing import LISTING
from duly.operations.parameters import (
    Cursor,
    Limit,
    Object,
    Param,
    SchedulePath,
    Statuses,
    Text,
    Version,
    When,
)
from duly.operations.views import BackfillView, DoneView, LeftOut
from duly.service.limits import LONGEST
from duly.service.schedules.fields import ScheduleView
from duly.service.schedules.run_views import RunView
from duly.service.schedules.views import PreviewView

if TYPE_CHECKING:
    from duly.service.access.scopes import Caller
    from duly.service.actions import Done
    from duly.service.services import Services

Count = Annotated[int, Param(words="How many", least=1, most=100)]
PastMoment = Annotated[When, Param(longest=100, format="date-time")]
FreeName = Annotated[str | None, Param(shortest=1, longest=LONGEST["name"])]
MeantFire = Annotated[When | None, Param(words="ISO 8601 with offset", format="date-time", where="query")]


def done_view(done: Done) -> DoneView:
    """Show the result of an action."""
    return DoneView(
        sentence=done.sentence,
        undo=done.undo,
        schedule=done.view if isinstance(done.view, ScheduleView) else None,
        run=done.view if isinstance(done.view, RunView) else None,
        total=done.total,
        failed=[LeftOut(id=schedule, reason=reason) for schedule, reason in done.failed],
    )


def schedule_of(done: DoneView) -> ScheduleView:
    """Give the schedule that was changed."""
    if done.schedule is None:
        raise TypeError(f"{done.sentence}: there is no schedule with it")
    return done.schedule


def _changed(view: ScheduleView, undo: str | None) -> DoneView:
    return DoneView(sentence=f"{view.name} changed", undo=undo, schedule=view)


@dataclass(frozen=True, slots=True)
class CreateSchedule(Ask[ScheduleView]):
    """Make a schedule.

    Say when with `cron` or `when`, and what with `prompt` or `job_name`. The name must be free. `GET /preview` shows
    the times without making anything.
    """

    fields: Annotated[Object, Param(model="NewSchedule")]

    @classmethod
    def of(cls, name: str, **fields: Any) -> CreateSchedule:
        """Make a schedule: `cron` or `when`, `prompt` or `job_name`, and any other field of a schedule."""
        return cls({"name": name, **_given(fields)})

    async def carry_out(self, services: Services, caller: Caller) -> ScheduleView:
        return await services.use_cases.schedule_create(caller, self.fields)


@dataclass(frozen=True, slots=True)
class GetSchedule(Ask[ScheduleView]):
    """Show a schedule with its next runs."""

    schedule: SchedulePath

    async def carry_out(self, services: Services, caller: Caller) -> ScheduleView:
        return await services.schedules.schedule_get(caller, self.schedule)


@dataclass(frozen=True, slots=True)
class UpdateSchedule(Ask[DoneView]):
    """Change fields of a schedule, all of them or none.

    With `If-Match`, a schedule that was changed since is left as it is, and the answer is 412 with both versions.
    """

    schedule: SchedulePath
    fields: Annotated[Object, Param(model="ScheduleChanges")]
    version: Version = None

    @classmethod
    def of(cls, schedule: str, *, version: int | None = None, **fields: Any) -> UpdateSchedule:
        """Change fields; None empties one. With `version`, only if the schedule was not changed since."""
        return cls(schedule, fields, version)

    async def carry_out(self, services: Services, caller: Caller) -> DoneView:
        return done_view(await services.actions.update(caller, self.schedule, self.fields, version=self.version))


@dataclass(frozen=True, slots=True)
class DeleteSchedule(Ask[DoneView]):
    """Delete a schedule; its history stays, and it can be restored by its id.

    One that comes from a file cannot be deleted: take it out of the file, or pause it. With `If-Match`, a schedule that
    was changed since is left as it is, and the answer is 412.
    """

    schedule: SchedulePath
    _: KW_ONLY
    version: Version = None

    async def carry_out(self, services: Services, caller: Caller) -> DoneView:
        return done_view(await services.actions.delete(caller, self.schedule, version=self.version))


@dataclass(frozen=True, slots=True)
class RestoreSchedule(Ask[ScheduleView]):
    """Restore a deleted schedule, by its id. It is paused then."""

    schedule: SchedulePath
    name: FreeName = None

    async def carry_out(self, services: Services, caller: Caller) -> ScheduleView:
        return (await services.actions.restore(caller, self.schedule, self.name)).schedule


@dataclass(frozen=True, slots=True)
class PauseSchedule(Ask[DoneView]):
    """Stop a schedule from firing until it is resumed."""

    schedule: SchedulePath

    async def carry_out(self, services: Services, caller: Caller) -> DoneView:
        return done_view(await services.actions.pause(caller, self.schedule))


@dataclass(frozen=True, slots=True)
class ResumeSchedule(Ask[DoneView]):
    """Let a schedule fire again, from now on."""

    schedule: SchedulePath

    async def carry_out(self, services: Services, caller: Caller) -> DoneView:
        return done_view(await services.actions.resume(caller, self.schedule))


@dataclass(frozen=True, slots=True)
class SkipNextRun(Ask[DoneView]):
    """Leave out the next run, on the record.

    `at` is the `next_run_at` that is meant: a repetition then skips nothing more, and another next run is a conflict.
    """

    schedule: SchedulePath
    at: MeantFire = None

    async def carry_out(self, services: Services, caller: Caller) -> DoneView:
        return done_view(await services.actions.skip_next(caller, self.schedule, self.at))


@dataclass(frozen=True, slots=True)
class TriggerSchedule(Ask[RunView]):
    """Run a schedule now, even if it is paused; its next time stays.

    Where a run is still going and may not overlap, the new one has the status `skipped`.
    """

    schedule: SchedulePath

    async def carry_out(self, services: Services, caller: Caller) -> RunView:
        return await services.use_cases.schedule_trigger(caller, self.schedule)


@dataclass(frozen=True, slots=True)
class BackfillSchedule(Ask[BackfillView]):
    """Run a schedule for each of its times in a past range; a dry run only counts them.

    Times that have a run already get no second one. No more run at once than overlap allows.
    """

    schedule: SchedulePath
    start: PastMoment
    end: PastMoment
    _: KW_ONLY
    dry_run: Annotated[bool, Param(words="Only count the runs")] = False

    async def carry_out(self, services: Services, caller: Caller) -> BackfillView:
        if self.dry_run:
            counted = await services.actions.backfill(caller, self.schedule, self.start, self.end, dry_run=True)
            return BackfillView(items=[], total=counted.total or 0)
        made, total = await services.use_cases.schedule_backfill(caller, self.schedule, self.start, self.end)
        return BackfillView(items=made, total=total)


@dataclass(frozen=True, slots=True)
class ListRunsOfSchedule(PagedAsk[RunView]):
    """List the runs of a schedule, newest first. The schedule may be deleted."""

    schedule: SchedulePath
    _: KW_ONLY
    status: Statuses = ()
    cursor: Cursor = None
    limit: Limit = 20

    async def carry_out(self, services: Services, caller: Caller) -> Page[RunView]:
        return await services.schedules.schedule_history(
            caller, self.schedule, statuses=self.status, limit=self.limit, cursor=self.cursor
        )


@dataclass(frozen=True, slots=True)
class PreviewTimes(Ask[PreviewView]):
    """Show when a cron expression or words would fire, and what clock changes do; nothing is stored."""

    _: KW_ONLY
    cron: Text = None
    when: Text = None
    cron_timezone: Text = None
    timezone: Text = None
    count: Count = 5

    async def carry_out(self, services: Services, caller: Caller) -> PreviewView:
        return await services.schedules.schedule_preview(
            caller,
            self.cron,
            self.when,
            cron_timezone=self.cron_timezone,
            timezone=self.timezone,
            count=self.count,
        )


def _given(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}


SCHEDULES = Group(
    "schedules",
    "When something happens, and what: prompts, jobs and reminders.",
    (
        LISTING,
        post(CreateSchedule, "/schedules", status=201, headers=("ETag", "Location"), once=True, body="NewSchedule"),
        get(GetSchedule, "/schedules/{schedule}", headers=("ETag",)),
        patch(
            UpdateSchedule,
            "/schedules/{schedule}",
            headers=("ETag", "Undo-Token"),
            faults=(409, 412),
            body="ScheduleChanges",
            wire=OnWire(ScheduleView, schedule_of, _changed),
        ),
        delete(DeleteSchedule, "/schedules/{schedule}", faults=(412,)),
        post(
            RestoreSchedule,
            "/schedules/{schedule}/restore",
            headers=("ETag",),
            body="NewName",
            about_body="A new name, where the old one is taken.",
            may_lack_body=True,
        ),
        post(PauseSchedule, "/schedules/{schedule}/pause"),
        post(ResumeSchedule, "/schedules/{schedule}/resume"),
        post(SkipNextRun, "/schedules/{schedule}/skip"),
        post(TriggerSchedule, "/schedules/{schedule}/trigger", status=201, headers=("Location",), once=True),
        post(
            BackfillSchedule,
            "/schedules/{schedule}/backfill",
            once=True,
            body="BackfillBody",
            about_body="A range of past times, both ends included.",
            examples=({"start": "2026-11-01T00:00:00Z", "end": "2026-11-03T00:00:00Z"},),
        ),
        get(ListRunsOfSchedule, "/schedules/{schedule}/runs"),
        get(PreviewTimes, "/preview"),
    ),
)
