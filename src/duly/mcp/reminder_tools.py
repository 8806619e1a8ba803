"""The MCP tools for reminders: `remind` for one message, `scheduler` for every use case."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Literal

from mcp.server.mcpserver import Context
from pydantic import BeforeValidator, Field

from duly.errors import DoubtfulSentenceError, InvalidInputError
from duly.mcp import schemas as f
from duly.mcp.server import DulyServer, McpServices, add_tool
from duly.planning.reach import INBOX
from duly.service.access.scopes import Caller
from duly.service.reminders.history import ReminderRun
from duly.service.reminders.use_cases import ChangeableReminders, ReadableReminders
from duly.service.schedules.fields import OPTIONS, ReminderView
from duly.service.schedules.values import storable
from duly.zones import iso

_SCHEDULE = (
    '{type: once|interval|daily|weekly|cron|smart, at: ISO or "5m" (once), every: "2h" (interval), time: "08:00", '
    'days: ["mon"] or ["weekdays"] (weekly), expr: cron, text: words (smart), timezone}'
)
Tool = Callable[..., Awaitable[Any]]
_RUNS = 10
"""Runs of a reminder that are shown without a limit."""
_PAGE = 100
"""Reminders of a list without a limit."""
_TAKES = {
    "add": ("schedule", "message", "name", *OPTIONS),
    "list": ("enabled", "status", "priority", "text", "due_before", "cursor", "limit"),
    "get": ("job_id",),
    "show": ("job_id", "limit"),
    "update": ("job_id", "schedule", "message", "name", "enabled", *OPTIONS),
    "remove": ("job_id",),
    "snooze": ("job_id", "snooze_minutes"),
    "ack": ("job_id",),
}
"""The arguments of each action, besides `user`."""
_LOOKS = ("list", "get", "show")
"""The actions that change nothing."""


@dataclass(frozen=True, slots=True)
class Reminded:
    """The result of `remind`: `scheduled` with the details, or `error` with the reason."""

    status: str
    id: str | None = None
    remind_at: str | None = None
    remind_at_local: str | None = None
    timezone: str | None = None
    when: str | None = None
    """The schedule in words."""
    repeats: bool | None = None
    """Whether it comes again after that."""
    channel: str | None = None
    message: str | None = None
    error: str | None = None
    readings: list[dict[str, Any]] = field(default_factory=list)
    """What a doubtful text may mean: give message and schedule of one to scheduler, action add."""
    warning: str | None = None
    note: str | None = None
    """That it falls into the person's quiet hours."""


@dataclass(frozen=True, slots=True)
class SchedulerResult:
    """The result of an action of `scheduler`."""

    action: str
    job: ReminderView | None = None
    jobs: list[ReminderView] = field(default_factory=list)
    runs: list[ReminderRun] = field(default_factory=list)
    """Of show: the latest runs, with every send, answer and escalation."""
    next_cursor: str | None = None
    text: str | None = None
    undo: str | None = None
    """The token that takes an answer back within five minutes."""
    warning: str | None = None


def register(server: DulyServer, services: McpServices) -> None:
    """Register the tools."""
    add_tool(server, _remind(services), "Remind a person", reaches_out=True)
    add_tool(server, _scheduler(services), "Reminders", fields=f.OPTIONAL, destroys=True, reaches_out=True)


def _remind(services: McpServices) -> Tool:
    async def remind(
        ctx: Context[Any, Any],
        message: str | None = None,
        channel: Annotated[str | None, Field(description="telegram, email, …; default the person's own order")] = None,
        delay_minutes: f.Whole = None,
        remind_at: Annotated[str | None, Field(description="ISO 8601; without offset in the person's zone")] = None,
        user: Annotated[str | None, Field(description="Whom; default you")] = None,
        text: Annotated[str | None, Field(description="Instead of all: call mom tomorrow at 5pm")] = None,
        shared_with: Annotated[list[str] | None, Field(description="Other people who get it, too")] = None,
    ) -> Reminded:
        """Send a person one message later: message and delay_minutes or remind_at; or text, which says both."""
        caller = services.caller(ctx)
        theirs = services.all.reminders.to_change(caller, user)
        _check(message=message, channel=channel, text=text)
        if text is not None:
            given = {"message": message, "delay_minutes": delay_minutes, "remind_at": remind_at}
            options = {"channel": channel, "shared_with": shared_with}
            return await _in_words(services, caller, theirs, text, options, given)
        if message is None:
            return Reminded(status="error", error="give message and delay_minutes or remind_at, or only text")
        answered = await theirs.remind(
            message,
            channel,
            delay_minutes=delay_minutes,
            remind_at=remind_at,
            **({} if shared_with is None else {"shared_with": shared_with}),
        )
        if answered["status"] == "scheduled":
            await services.watchers.changed(answered["id"])
            ways = (await theirs.person()).channels
            answered["channel"] = channel or (ways[0].channel if ways else INBOX)
        return Reminded(**answered)

    return remind


async def _in_words(
    services: McpServices,
    caller: Caller,
    theirs: ChangeableReminders,
    text: str,
    options: dict[str, Any],
    others: dict[str, Any],
) -> Reminded:
    """Make a reminder from one sentence."""
    if surplus := sorted(name for name, value in others.items() if value is not None):
        return Reminded(status="error", error=f"text says what and when: leave out {surplus[0]}")
    try:
        asked = {name: value for name, value in options.items() if value is not None}
        view = await services.all.sentences.remind(caller, theirs.who, text, **asked)
    except DoubtfulSentenceError as error:
        return Reminded(status="error", error=str(error), readings=error.readings)
    except InvalidInputError as error:
        return Reminded(status="error", error=str(error))
    await services.watchers.changed(view.id)
    ways = (await theirs.person()).channels
    return Reminded(
        id=view.id,
        status="scheduled",
        remind_at=iso(view.next_run_at),
        remind_at_local=view.next_run_local,
        timezone=view.timezone,
        when=view.when,
        repeats=view.schedule_type != "once",
        channel=options["channel"] or (ways[0].channel if ways else INBOX),
        message=view.message,
        note=view.note,
        warning=view.warning,
    )


def _scheduler(services: McpServices) -> Tool:
    async def scheduler(
        ctx: Context[Any, Any],
        action: Literal["add", "list", "get", "show", "update", "remove", "snooze", "ack"],
        schedule: Annotated[dict[str, Any] | None, BeforeValidator(f.as_schedule), Field(description=_SCHEDULE)] = None,
        message: str | None = None,
        job_id: Annotated[
            str | None, Field(description="Id or name; snooze and ack: default the one that waits")
        ] = None,
        snooze_minutes: f.Whole = None,
        name: str | None = None,
        enabled: bool | None = None,
        status: Annotated[str | None, Field(description="list: of the latest run")] = None,
        text: Annotated[str | None, Field(description="list: in name or message")] = None,
        due_before: Annotated[str | None, Field(description="list: ISO 8601")] = None,
        cursor: f.Cursor = None,
        limit: f.OptionalPageSize = None,
        user: Annotated[str | None, Field(description="Whose; default yours")] = None,
        **options: Any,
    ) -> SchedulerResult:
        """Reminders: add, list (long texts are cut), get, show (sends and answers), update, remove, snooze, ack. With
        require_ack duly asks again until answered."""
        named = {key: value for key, value in locals().items() if key in _ARGUMENTS and value is not None}
        arguments = named | options
        caller = services.caller(ctx)
        changing = None if action in _LOOKS else services.all.reminders.to_change(caller, user)
        theirs = changing or services.all.reminders.to_read(caller, user)
        _refuse_surplus(action, arguments)
        _check(job_id=job_id, name=name, message=message, **options)
        if changing is None:
            wanted = {"enabled": enabled, "status": status, "priority": options.get("priority"), "text": text}
            return await _looked(theirs, action, job_id, cursor, limit, {**wanted, "due_before": due_before})
        act = _Actions(services, changing)
        if action == "add":
            return await act.add(schedule, message, name, options)
        if action == "update":
            return await act.update(job_id, {key: value for key, value in arguments.items() if key != "job_id"})
        if action == "remove":
            return await act.remove(job_id)
        return await act.answer(action, job_id, snooze_minutes)

    return scheduler


async def _looked(
    theirs: ReadableReminders,
    action: str,
    job_id: str | None,
    cursor: str | None,
    limit: int | None,
    wanted: dict[str, Any],
) -> SchedulerResult:
    """Carry out an action that changes nothing."""
    if action == "list":
        found, following = await theirs.page(cursor=cursor, limit=limit or _PAGE, **wanted)
        said = None if found or cursor else "no reminders"
        return SchedulerResult("list", jobs=found, next_cursor=following, text=said)
    if action == "show":
        shown = await theirs.show(_named(job_id, "show"), limit or _RUNS)
        return SchedulerResult("show", shown.job, runs=shown.runs)
    return SchedulerResult("get", await theirs.get(_named(job_id, "get")))


@dataclass(frozen=True, slots=True)
class _Actions:
    """The actions of `scheduler` that change the reminders of a person."""

    services: McpServices
    theirs: ChangeableReminders

    async def add(self, schedule: Any, message: str | None, name: str | None, given: dict[str, Any]) -> SchedulerResult:
        if schedule is None or message is None:
            raise InvalidInputError(f"add needs schedule and message: schedule is {_SCHEDULE}")
        job = await self.theirs.create(schedule, message, name=name, **given)
        await self.services.watchers.changed(job.id)
        return SchedulerResult("add", replace(job, warning=None), warning=job.warning)

    async def update(self, job_id: str | None, changes: dict[str, Any]) -> SchedulerResult:
        job = await self.theirs.update(_named(job_id, "update"), **changes)
        await self.services.watchers.changed(job.id)
        return SchedulerResult("update", job)

    async def remove(self, job_id: str | None) -> SchedulerResult:
        gone = await self.theirs.remove(_named(job_id, "remove"))
        await self.services.watchers.changed(gone.id)
        return SchedulerResult("remove", gone)

    async def answer(self, action: str, job_id: str | None, minutes: int | None) -> SchedulerResult:
        said = await self.theirs.answer(action, job_id, minutes=minutes, channel="mcp")
        await self.services.watchers.changed(said.reminder.schedule_id, said.reminder.run_id)
        job = await self.theirs.get(said.reminder.schedule_id)
        return SchedulerResult(action, job, text=said.text, undo=said.undo)


_ARGUMENTS = frozenset(name for names in _TAKES.values() for name in names)


def _refuse_surplus(action: str, arguments: Iterable[str]) -> None:
    """Refuse an argument of another action: it would be ignored, and the agent would believe that it took effect."""
    surplus = [name for name in arguments if name not in _TAKES[action]]
    if not surplus:
        return
    others = [other for other, names in _TAKES.items() if surplus[0] in names]
    raise InvalidInputError(
        f"action {action} does not take {', '.join(surplus)}: it takes {', '.join((*_TAKES[action], 'user'))}; "
        f"{surplus[0]} goes with {', '.join(others)}"
    )


def _check(**given: Any) -> None:
    """Refuse texts that no store can keep."""
    for name, value in given.items():
        if isinstance(value, str):
            storable(value, name)


def _named(job_id: str | None, action: str) -> str:
    if job_id is None:
        raise InvalidInputError(f"{action} needs job_id: the id or name of a reminder, see action list")
    return job_id
