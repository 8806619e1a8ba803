"""Schedules and their runs."""

from __future__ import annotations

import re
from dataclasses import replace
from urllib.parse import quote

from duly.errors import ConflictError
from duly.rest.desk import done_view, run_made
from duly.rest.inputs import (
    Attempt,
    BackfillBody,
    Bytes,
    Count,
    Cursor,
    Flag,
    InState,
    Kind,
    Limit,
    Moment,
    NewName,
    NewSchedule,
    Offset,
    RunPath,
    ScheduleChanges,
    SchedulePath,
    Sort,
    Statuses,
    Words,
    Yes,
    given,
)
from duly.rest.operations import AnswerWith, Asked, By, Operations, PageOf, ProblemError
from duly.rest.problems import problem_of
from duly.rest.views import BackfillView, DoneView
from duly.service.runs.views import OutputChunk, RunDetail
from duly.service.schedules.fields import ScheduleView
from duly.service.schedules.run_views import RunView
from duly.service.schedules.views import PreviewView

schedules = Operations("schedules", "When something happens, and what: prompts, jobs and reminders.")
_ETAG = re.compile(r'"(\d+)"')
runs = Operations("runs", "Each time a schedule fires is a run.")


@schedules.get("/schedules", PageOf(ScheduleView))
async def list_schedules(
    by: By,
    project: Words = None,
    enabled: Flag = None,
    owner: Words = None,
    text: Words = None,
    deleted: Yes = False,
    state: InState = None,
    kind: Kind = None,
    sort: Sort = "name",
    cursor: Cursor = None,
    limit: Limit = 50,
) -> object:
    """List the schedules that you may see.

    Long texts are cut, and `truncated` has their full lengths; one schedule by itself has them in full. `owner` is the
    id of a person or a namespace such as butler:home; `text` is looked for in name, description and prompt.
    """
    return await by.services.schedules.schedule_list(
        by.caller,
        cursor=cursor,
        limit=limit,
        project=project,
        enabled=enabled,
        owner=owner,
        text=text,
        deleted=deleted,
        state=state,
        kind=kind,
        sort=sort,
    )


@schedules.post("/schedules", ScheduleView, status=201, headers=("ETag", "Location"), once=True)
async def create_schedule(by: By, body: NewSchedule) -> object:
    """Make a schedule.

    Say when with `cron` or `when`, and what with `prompt` or `job_name`. The name must be free. `GET /preview` shows
    the times without making anything.
    """
    made = await by.services.use_cases.schedule_create(by.caller, given(body))
    return _shown(made, Location=f"{by.request.url.path}/{quote(made.id)}")


@schedules.get("/schedules/{schedule}", ScheduleView, headers=("ETag",))
async def get_schedule(by: By, schedule: SchedulePath) -> object:
    """Show a schedule with its next runs."""
    return _shown(await by.services.schedules.schedule_get(by.caller, schedule))


@schedules.patch(
    "/schedules/{schedule}", ScheduleView, takes=("If-Match",), headers=("ETag", "Undo-Token"), faults=(409, 412)
)
async def update_schedule(by: By, schedule: SchedulePath, body: ScheduleChanges) -> object:
    """Change fields of a schedule, all of them or none.

    With `If-Match`, a schedule that was changed since is left as it is, and the answer is 412 with both versions.
    """
    version = await wanted_version(by, schedule)
    try:
        done = await by.services.actions.update(by.caller, schedule, given(body), version=version)
    except ConflictError as error:
        raise is_stale(error) from error
    assert isinstance(done.view, ScheduleView)  # noqa: S101  a change that was made can be shown
    return _shown(done.view, **({} if done.undo is None else {"Undo-Token": done.undo}))


@schedules.delete("/schedules/{schedule}", DoneView, takes=("If-Match",), faults=(412,))
async def delete_schedule(by: By, schedule: SchedulePath) -> object:
    """Delete a schedule; its history stays, and it can be restored by its id.

    One that comes from a file cannot be deleted: take it out of the file, or pause it. With `If-Match`, a schedule that
    was changed since is left as it is, and the answer is 412.
    """
    version = await wanted_version(by, schedule)
    try:
        return done_view(await by.services.actions.delete(by.caller, schedule, version=version))
    except ConflictError as error:
        raise (error if version is None else is_stale(error)) from error


@schedules.post("/schedules/{schedule}/restore", ScheduleView, headers=("ETag",))
async def restore_schedule(by: By, schedule: SchedulePath, body: NewName | None = None) -> object:
    """Restore a deleted schedule, by its id. It is paused then."""
    return _shown((await by.services.actions.restore(by.caller, schedule, given(body).get("name"))).schedule)


@schedules.post("/schedules/{schedule}/pause", DoneView)
async def pause_schedule(by: By, schedule: SchedulePath) -> object:
    """Stop a schedule from firing until it is resumed."""
    return done_view(await by.services.actions.pause(by.caller, schedule))


@schedules.post("/schedules/{schedule}/resume", DoneView)
async def resume_schedule(by: By, schedule: SchedulePath) -> object:
    """Let a schedule fire again, from now on."""
    return done_view(await by.services.actions.resume(by.caller, schedule))


@schedules.post("/schedules/{schedule}/skip", DoneView)
async def skip_next_run(by: By, schedule: SchedulePath, at: Moment = None) -> object:
    """Leave out the next run, on the record.

    `at` is the `next_run_at` that is meant: a repetition then skips nothing more, and another next run is a conflict.
    """
    return done_view(await by.services.actions.skip_next(by.caller, schedule, at))


@schedules.post("/schedules/{schedule}/trigger", RunView, status=201, headers=("Location",), once=True)
async def trigger_schedule(by: By, schedule: SchedulePath) -> object:
    """Run a schedule now, even if it is paused; its next time stays.

    Where a run is still going and may not overlap, the new one has the status `skipped`.
    """
    return run_made(by, await by.services.use_cases.schedule_trigger(by.caller, schedule))


@schedules.post("/schedules/{schedule}/backfill", BackfillView, once=True)
async def backfill_schedule(by: By, schedule: SchedulePath, body: BackfillBody) -> object:
    """Run a schedule for each of its times in a past range; a dry run only counts them.

    Times that have a run already get no second one. No more run at once than overlap allows.
    """
    if body.dry_run:
        counted = await by.services.actions.backfill(by.caller, schedule, body.start, body.end, dry_run=True)
        return BackfillView(items=[], total=counted.total or 0)
    made, total = await by.services.use_cases.schedule_backfill(by.caller, schedule, body.start, body.end)
    return BackfillView(items=made, total=total)


def _shown(view: ScheduleView, **headers: str) -> AnswerWith:
    return AnswerWith(view=view, headers={"ETag": f'"{view.version}"', **headers})


async def wanted_version(by: Asked, schedule: str) -> int | None:
    """Give the version that a change is meant for; None for any."""
    said = by.header("If-Match")
    if said is None or said.strip() == "*":
        return None
    versions = [int(each) for each in _ETAG.findall(said) if len(each) < 10]
    if len(versions) == 1:
        return versions[0]
    current = (await by.services.schedules.schedule_get(by.caller, schedule)).version
    if current in versions:
        return current
    raise is_stale(ConflictError(f"If-Match names no version of ours: it is {current} now", current_version=current))


def is_stale(error: ConflictError) -> ProblemError:
    """Give the problem of a change whose If-Match names an older version."""
    return ProblemError(replace(problem_of(error), status=412, field="If-Match"))


@schedules.get("/schedules/{schedule}/runs", PageOf(RunView))
async def list_runs_of_schedule(
    by: By, schedule: SchedulePath, status: Statuses = None, cursor: Cursor = None, limit: Limit = 20
) -> object:
    """List the runs of a schedule, newest first. The schedule may be deleted."""
    return await by.services.schedules.schedule_history(
        by.caller, schedule, statuses=status or (), limit=limit, cursor=cursor
    )


@schedules.get("/preview", PreviewView)
async def preview_times(
    by: By,
    cron: Words = None,
    when: Words = None,
    cron_timezone: Words = None,
    timezone: Words = None,
    count: Count = 5,
) -> object:
    """Show when a cron expression or words would fire, and what clock changes do; nothing is stored."""
    return await by.services.schedules.schedule_preview(
        by.caller, cron, when, cron_timezone=cron_timezone, timezone=timezone, count=count
    )


@runs.get("/runs/{run}", RunDetail)
async def get_run(by: By, run: RunPath) -> object:
    """Show everything about a run: its result, attempts, targets, prompt, deliveries, answers, and what was printed."""
    return await by.services.runs.get(by.caller, run)


@runs.get("/runs/{run}/output", OutputChunk)
async def get_output(
    by: By, run: RunPath, attempt: Attempt = None, target: Words = None, offset: Offset = 0, limit: Bytes = 65536
) -> object:
    """Show a part of what an attempt printed, from an offset on; while the run goes on, more comes at `next_offset`.

    Without `attempt` it is the latest, and without `target` the one that prints, the gate last: the answer says which
    these are, and `offset` counts in that output. `target` is one of `outputs` of the run.
    """
    return await by.services.runs.output(by.caller, run, attempt=attempt, target=target, offset=offset, limit=limit)


@runs.post("/runs/{run}/cancel", RunView)
async def cancel_run(by: By, run: RunPath) -> object:
    """Cancel a run that has not started; ask a running one to stop."""
    return await by.services.use_cases.run_cancel(by.caller, run)
