"""The MCP tools for reminders: `remind` for one message, `scheduler` for every use case."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Annotated, Any, Literal

from mcp.server.mcpserver import Context
from pydantic import BeforeValidator, Field

from duly.errors import DoubtfulSentenceError, InvalidInputError
from duly.mcp import schemas as f
from duly.mcp.server import DulyServer, add_tool
from duly.mcp.table import ToolLine, offer
from duly.operations import reminders
from duly.operations.ask import Ask
from duly.operations.parameters import ask_from
from duly.operations.views import AnsweredView
from duly.planning.reach import INBOX
from duly.service.reminders.history import ReminderHistory, ReminderRun
from duly.service.schedules.fields import OPTIONS, ReminderView
from duly.service.schedules.values import storable
from duly.zones import iso

if TYPE_CHECKING:
    from duly.service.access.scopes import Caller
    from duly.service.reminders.use_cases import ChangeableReminders
    from duly.service.services import Services

_SCHEDULE = (
    '{type: once|interval|daily|weekly|cron|smart, at: ISO or "5m" (once), every: "2h" (interval), time: "08:00", '
    'days: ["mon"] or ["weekdays"] (weekly), expr: cron, text: words (smart), timezone}'
)
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
_ASKS: Mapping[str, type[Ask[Any]]] = {
    "add": reminders.CreateReminder,
    "list": reminders.ListReminders,
    "get": reminders.GetReminder,
    "show": reminders.ShowReminderHistory,
    "update": reminders.UpdateReminder,
    "remove": reminders.RemoveReminder,
    "snooze": reminders.AnswerReminder,
    "ack": reminders.AnswerReminder,
}
"""What each action asks."""
_ANSWERS = ("snooze", "ack")
_NAMES = {"job_id": "reminder", "snooze_minutes": "minutes"}
_USUALLY: Mapping[str, Mapping[str, Any]] = {
    "list": {"limit": 100},
    "update": {"fields": {}},
    "snooze": {"response": "snooze"},
    "ack": {"response": "ack"},
}
"""What an action asks with, unless its arguments say otherwise."""


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


@dataclass(frozen=True, slots=True, kw_only=True)
class RemindOnce(Ask[f.Reminded]):
    """Send a person one message later. What is wrong with it is an answer, too: agents act on it."""

    operation = reminders.CreateReminder.operation
    message: str | None = None
    channel: str | None = None
    delay_minutes: int | None = None
    remind_at: str | None = None
    user: str | None = None
    text: str | None = None
    shared_with: Sequence[str] | None = None

    async def carry_out(self, services: Services, caller: Caller) -> f.Reminded:
        theirs = services.reminders.to_change(caller, self.user)
        _check(message=self.message, channel=self.channel, text=self.text)
        try:
            made = await (self._planned(theirs) if self.text is None else self._in_words(services, caller, theirs))
        except DoubtfulSentenceError as error:
            return f.Reminded(status="error", error=str(error), readings=error.readings)
        except InvalidInputError as error:
            return f.Reminded(status="error", error=str(error))
        if made.status != "scheduled":
            return made
        ways = (await theirs.person()).channels
        return replace(made, channel=self.channel or (ways[0].channel if ways else INBOX))

    async def _planned(self, theirs: ChangeableReminders) -> f.Reminded:
        if self.message is None:
            raise InvalidInputError("give message and delay_minutes or remind_at, or only text")
        more = {} if self.shared_with is None else {"shared_with": self.shared_with}
        made = await theirs.remind(
            self.message, self.channel, delay_minutes=self.delay_minutes, remind_at=self.remind_at, **more
        )
        return f.Reminded(**made)

    async def _in_words(self, services: Services, caller: Caller, theirs: ChangeableReminders) -> f.Reminded:
        """Make a reminder from one sentence."""
        for name in ("delay_minutes", "message", "remind_at"):
            if getattr(self, name) is not None:
                raise InvalidInputError(f"text says what and when: leave out {name}")
        given: dict[str, Any] = {"channel": self.channel, "shared_with": self.shared_with}
        options = {name: value for name, value in given.items() if value is not None}
        view = await services.sentences.remind(caller, theirs.who, self.text or "", **options)
        return f.Reminded(
            id=view.id,
            status="scheduled",
            remind_at=iso(view.next_run_at),
            remind_at_local=view.next_run_local,
            timezone=view.timezone,
            when=view.when,
            repeats=view.schedule_type != "once",
            message=view.message,
            note=view.note,
            warning=view.warning,
        )


_REMIND = ToolLine(
    "remind",
    RemindOnce,
    "Remind a person",
    "Send a person one message later: message and delay_minutes or remind_at; or text, which says both.",
    {
        "message": str | None,
        "channel": Annotated[str | None, Field(description="telegram, email, …; default the person's own order")],
        "delay_minutes": f.Whole,
        "remind_at": Annotated[str | None, Field(description="ISO 8601; without offset in the person's zone")],
        "user": Annotated[str | None, Field(description="Whom; default you")],
        "text": Annotated[str | None, Field(description="Instead of all: call mom tomorrow at 5pm")],
        "shared_with": Annotated[list[str] | None, Field(description="Other people who get it, too")],
    },
    hints="reaches out",
)


def register(server: DulyServer) -> None:
    """Register the tools."""

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
        given = {key: value for key, value in locals().items() if key in _ARGUMENTS and value is not None} | options
        theirs = server.services.reminders
        admit = theirs.to_change if _ASKS[action].operation.changes else theirs.to_read
        admit(server.caller(ctx), user)  # before the rest is looked at
        _refuse_surplus(action, given)
        _check(job_id=job_id, name=name, message=message, **options)
        said = {**_USUALLY.get(action, {}), **given, "user": user}
        if action not in ("add", "list", *_ANSWERS) and "job_id" not in given:
            raise InvalidInputError(f"{action} needs job_id: the id or name of a reminder, see action list")
        if action == "add" and not {"schedule", "message"} <= given.keys():
            raise InvalidInputError(f"add needs schedule and message: schedule is {_SCHEDULE}")
        ask = reminders.AnswerNewestReminder if action in _ANSWERS and "job_id" not in given else _ASKS[action]
        answered = await server.ask(ctx, ask_from(ask, said, _NAMES))
        if isinstance(answered, AnsweredView):
            job = await server.ask(ctx, reminders.GetReminder(answered.job_id, user=user))
            return SchedulerResult(action, job, text=answered.text, undo=answered.undo)
        return _result(action, answered, is_first="cursor" not in given)

    offer(server, _REMIND)
    add_tool(server, scheduler, "Reminders", _ASKS, "destroys, reaches out", f.OPTIONAL)


def _result(action: str, answered: Any, *, is_first: bool) -> SchedulerResult:
    if isinstance(answered, ReminderHistory):
        return SchedulerResult(action, answered.job, runs=answered.runs)
    if isinstance(answered, ReminderView):
        if action != "add":
            return SchedulerResult(action, answered)
        return SchedulerResult(action, replace(answered, warning=None), warning=answered.warning)
    found, following = answered
    said = "no reminders" if is_first and not found else None
    return SchedulerResult(action, jobs=found, next_cursor=following, text=said)


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
