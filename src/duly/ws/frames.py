"""The frames of a WebSocket: requests and their answers, and reminders pushed as they fire.

`{"id", "method", "params"}` comes in, `{"id", "ok", "payload" | "error"}` goes out, and so does
`{"event": "reminder.fire", "payload"}`.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from math import isinf
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from duly.errors import (
    AccessDeniedError,
    ConflictError,
    DoubtfulSentenceError,
    DulyError,
    InvalidInputError,
    NotFoundError,
    TooManyRequestsError,
)
from duly.model.events import RUN_STARTED, Event
from duly.operations.access import GetPerson
from duly.operations.ask import Ask, Page
from duly.operations.parameters import ask_from
from duly.operations.records import FollowEvents, Prune
from duly.operations.reminders import (
    AnswerNewestReminder,
    CreateReminder,
    GetReminder,
    ListReminders,
    RemoveReminder,
    ShowReminderHistory,
    UpdateReminder,
    answered_view,
)
from duly.operations.runs import WakeMe
from duly.operations.views import AnsweredView
from duly.service.access.scopes import Caller, Scope
from duly.service.limits import check_given, check_json
from duly.service.reminders.history import ReminderHistory
from duly.service.reminders.lists import ReminderLists
from duly.service.reminders.views import FILTERS
from duly.service.schedules import values
from duly.service.schedules.fields import OPTIONS, ReminderView
from duly.service.schedules.views import plain
from duly.ws.live_line import LiveLine, NoLiveLine
from duly.zones import iso

if TYPE_CHECKING:
    from duly.service.services import Services

INVALID_PARAMS = "INVALID_PARAMS"
NOT_FOUND = "NOT_FOUND"
UNAUTHORIZED = "UNAUTHORIZED"
TOO_MANY = "TOO_MANY"
INTERNAL = "INTERNAL"

Frame = dict[str, Any]
Queue = asyncio.Queue[Frame]


_READERS: Mapping[str, Callable[[Any, str], Any]] = {
    "id": values.text,
    "name": values.text,
    "message": values.text,
    "schedule": values.mapping,
    "enabled": values.flag,
    "minutes": values.whole,
    "cursor": values.text,
    "limit": values.whole,
    "status": values.text,
    "text": values.text,
    "due_before": values.moment,
    "topics": values.texts,
    "last_id": values.text,
    "note": values.text,
    "when": values.text,
    "run_id": values.text,
    "session": values.text,
    "target": values.text,
    "spawner": values.text,
    "older_than": values.text,
    "dry_run": values.flag,
    **{name: each.kind.read for name, each in OPTIONS.items()},
}
_WISH = ("note", "minutes", "when", "run_id", "session", "target", "spawner")
_NAMES = {"id": "reminder"}
_MOST_WAITING = 100
"""Pushed frames that wait for a client that does not read."""
_NOWHERE = NoLiveLine()
_log = logging.getLogger("duly")


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerHere(Ask[AnsweredView]):
    """Answer a reminder over a connection: without a name it is the one that was pushed there last."""

    operation = AnswerNewestReminder.operation
    response: str
    reminder: str | None = None
    minutes: int | None = None
    user: str | None = None
    shown: Mapping[str, str] = field(default_factory=dict)
    """For each person the run whose reminder was pushed last."""

    async def carry_out(self, services: Services, caller: Caller) -> AnsweredView:
        theirs = services.reminders.to_change(caller, self.user)
        shown = self.shown.get(theirs.who) or self.shown.get((await theirs.person()).user.id)
        return answered_view(
            await theirs.answer(self.response, self.reminder, minutes=self.minutes, channel="ws", shown=shown)
        )


@dataclass(frozen=True, slots=True)
class _Method:
    """A method: what it asks, which parameters it takes besides `user`, and how its answer is shown."""

    ask: type[Ask[Any]]
    takes: tuple[str, ...]
    shows: Callable[[Any], Frame]
    says: Mapping[str, Any] = field(default_factory=dict)
    """What it asks with, unless a frame says otherwise."""
    needs: tuple[str, ...] = ()
    about: str = ""
    """What it is about, if not about a person."""


def _page(page: Page[ReminderView]) -> Frame:
    """Show a page of jobs with long texts cut, and `next_cursor` when there are more."""
    views, following = page
    jobs = {"jobs": [view.to_json() for view in views]}
    return jobs if following is None else {**jobs, "next_cursor": following}


def _job(view: ReminderView) -> Frame:
    return {"job": view.to_json()}


def _history(shown: ReminderHistory) -> Frame:
    """Show a job with every send, answer and escalation of its latest runs."""
    return shown.to_json()


def _removed(_view: ReminderView) -> Frame:
    return {"ok": True}


def _answered(said: AnsweredView) -> Frame:
    return {
        "job_id": said.job_id,
        "run_id": said.run_id,
        "text": said.text,
        "response": said.response,
        "until": iso(said.until),
        "undo": said.undo,
    }


def _answer(response: str, *takes: str) -> _Method:
    return _Method(AnswerHere, ("id", *takes), _answered, {"response": response})


_SUBSCRIBE = "subscribe"
_UNSUBSCRIBE = "unsubscribe"
METHODS: Mapping[str, _Method] = {
    "cron.list": _Method(ListReminders, ("enabled", *FILTERS, "cursor", "limit"), _page, {"limit": 100}),
    "cron.get": _Method(GetReminder, ("id",), _job, needs=("id",)),
    "cron.show": _Method(ShowReminderHistory, ("id", "limit"), _history, needs=("id",)),
    "cron.add": _Method(CreateReminder, ("name", "schedule", "message", "action", "text", *OPTIONS), _job),
    "cron.update": _Method(
        UpdateReminder, ("id", "name", "schedule", "message", "enabled", *OPTIONS), _job, {"fields": {}}, needs=("id",)
    ),
    "cron.remove": _Method(RemoveReminder, ("id",), _removed, needs=("id",)),
    "cron.ack": _answer("ack"),
    "cron.snooze": _answer("snooze", "minutes"),
    "cron.dismiss": _answer("dismiss"),
    "wake_me": _Method(WakeMe, _WISH, lambda view: {"schedule": plain(view)}, about="a session"),
    "prune": _Method(
        Prune,
        ("older_than", "dry_run"),
        lambda done: {"pruned": plain(done)},
        needs=("older_than",),
        about="the whole store",
    ),
    _SUBSCRIBE: _Method(FollowEvents, ("topics", "last_id"), dict),
    _UNSUBSCRIBE: _Method(FollowEvents, (), dict),
}


class Conversation:
    """Answers the frames of one caller."""

    def __init__(
        self,
        services: Services,
        caller: Caller,
        line: LiveLine = _NOWHERE,
        shown: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        """`shown` has for each person the run whose reminder was pushed last on this connection."""
        self._services = services
        self._caller = caller
        self._line = line
        self._shown = shown

    async def answer(self, text: str | bytes) -> Frame:
        """Give the frame to send back: every frame that comes in has one."""
        try:
            check_json(text.encode("utf-8", "replace") if isinstance(text, str) else text)
        except InvalidInputError as error:
            return fault(None, INVALID_PARAMS, str(error))
        try:
            frame = json.loads(text, parse_constant=_no_number, parse_float=_finite)
        except (ValueError, RecursionError):
            return fault(None, INVALID_PARAMS, "a frame is a JSON object with id, method and params")
        if not isinstance(frame, dict):
            return fault(None, INVALID_PARAMS, f"a frame is a JSON object, got {type(frame).__name__}")
        if unknown := sorted(frame.keys() - {"id", "method", "params"}):
            number = frame.get("id")
            reason = f"a frame has id, method and params, not {unknown[0]!r:.100}"
            return fault(None if isinstance(number, dict | list) else number, INVALID_PARAMS, reason)
        number = frame.get("id")
        if isinstance(number, dict | list):
            return fault(None, INVALID_PARAMS, "id must be a text or a number: it comes back with the answer")
        return await self._carry_out(number, frame)

    async def _carry_out(self, number: Any, frame: Frame) -> Frame:
        try:
            name, params = self._read(frame)
            return {"id": number, "ok": True, "payload": await self._done(name, params)}
        except AccessDeniedError as error:
            return fault(number, UNAUTHORIZED, str(error))
        except NotFoundError as error:
            return fault(number, NOT_FOUND, str(error))
        except TooManyRequestsError as error:
            return fault(number, TOO_MANY, str(error))
        except DoubtfulSentenceError as error:
            return fault(number, INVALID_PARAMS, str(error), readings=error.readings)
        except (InvalidInputError, ConflictError) as error:
            return fault(number, INVALID_PARAMS, str(error))
        except DulyError as error:
            return fault(number, INTERNAL, str(error))
        except Exception:  # a bug must not end the connection, nor show its details
            _log.exception("a WebSocket request failed unexpectedly")
            return fault(number, INTERNAL, "this went wrong inside duly; its log says why")

    def _read(self, frame: Frame) -> tuple[str, Frame]:
        """Find the method, and check its parameters; a parameter that is null counts as missing."""
        name = frame.get("method")
        params = frame.get("params")
        method = METHODS.get(name) if isinstance(name, str) else None
        if method is None:
            raise InvalidInputError(f"method must be one of {', '.join(METHODS)}, got {name!r:.100}")
        params = {} if params is None else params
        if not isinstance(params, dict):
            raise InvalidInputError(f"params must be an object, got {params!r:.100}")
        reminders = self._services.reminders
        admit = reminders.to_change if method.ask.operation.changes else reminders.to_read
        admit(self._caller)  # before anything of the frame is read, and for what is about no person as well
        check_given(params)
        if unknown := sorted(params.keys() - {*method.takes, "user"}):
            takes = ", ".join((*method.takes, "user"))
            raise InvalidInputError(f"{name} does not take {unknown[0]!r:.100}: it takes {takes}")
        given = {key: value for key, value in params.items() if value is not None}
        read = {key: _READERS[key](value, key) if key in _READERS else value for key, value in given.items()}
        if method.about and "user" in read:
            raise InvalidInputError(f"{name} is about {method.about}, not about a person: leave out user")
        admit(self._caller, read.get("user"))
        for each in method.needs:
            _needed(read, each)
        return str(name), read

    async def _done(self, name: str, params: Frame) -> Frame:
        """Do what a method says, and show the answer."""
        if name == _SUBSCRIBE:
            return await self._subscribe(params)
        if name == _UNSUBSCRIBE:
            return await self._line.unsubscribe()
        method = METHODS[name]
        said = {**method.says, **(_reminder(params) if method.ask is CreateReminder else params)}
        if method.ask is AnswerHere:
            said["shown"] = self._shown
        return method.shows(await self._services.ask(self._caller, ask_from(method.ask, said, _NAMES)))

    async def _subscribe(self, params: Frame) -> Frame:
        """Push what the caller may see; with `user`, what that person may see."""
        caller = self._caller
        if "user" in params:
            person = await self._services.ask(caller, GetPerson(params["user"]))
            caller = replace(caller, scope=Scope("user", person.id, read_only=True))
        return await self._line.subscribe(caller, params.get("topics"), params.get("last_id"))


def _reminder(params: Frame) -> Frame:
    """Give the fields of a new reminder: from a sentence, or from a schedule and a message."""
    if "text" in params:
        if surplus := sorted(params.keys() & {"schedule", "message", "action"}):
            raise InvalidInputError(f"text says what and when: leave out {surplus[0]}")
        return params
    _needed(params, "schedule")
    return {**{name: value for name, value in params.items() if name != "action"}, "message": _message(params)}


def fault(number: Any, code: str, message: str, **facts: Any) -> Frame:
    """Make the answer to a frame that could not be carried out."""
    return {"id": number, "ok": False, "error": {"code": code, "message": message, **facts}}


def _message(params: Frame) -> str:
    """Read the text of a reminder: `message`, or `action` as older clients send it, a text or an object with one."""
    action = params.get("action")
    if "message" in params:
        if action is not None:
            raise InvalidInputError("message and action say the same: give one of them")
        return str(params["message"])
    if isinstance(action, dict):
        if len(action) != 1 or not action.keys() <= {"message", "text"}:
            raise InvalidInputError(f"action must be a text or an object with a message, got {action!r:.200}")
        (action,) = action.values()
    return values.text(action, "message")


def _needed(params: Frame, name: str) -> Any:
    if name not in params:
        raise InvalidInputError(f"{name} is required: {_HELP[name]}")
    return params[name]


_HELP = {
    "id": "the id or name of a job, see cron.list",
    "schedule": 'such as {"type": "daily", "time": "08:00"}',
    "older_than": "an age such as 30d",
}


def _no_number(text: str) -> None:
    raise ValueError(f"{text} is not JSON")


def _finite(text: str) -> float:
    """Read a number that JSON can say again, which 1e400 as a float is not."""
    number = float(text)
    if isinf(number):
        raise ValueError(f"{text} is too large")
    return number


# pushed frames


class Listeners:
    """Connected clients and the person whose reminders each hears; None hears the reminders of everyone."""

    def __init__(self, reminders: ReminderLists) -> None:
        self._reminders = reminders
        self._queues: dict[Queue, str | None] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    def join(self, user_id: str | None) -> Queue:
        """Give a queue that fills with frames for this person; a client that does not read loses the oldest."""
        queue: Queue = asyncio.Queue(_MOST_WAITING)
        self._queues[queue] = user_id
        return queue

    def leave(self, queue: Queue) -> None:
        self._queues.pop(queue, None)

    def hear(self, event: Event) -> None:
        """Push the reminder that an event of the engine delivers."""
        if event.kind is RUN_STARTED and self._queues:  # without a client, no run costs a look into the store
            task = asyncio.get_running_loop().create_task(self._push(event))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _push(self, event: Event) -> None:
        for fired in await self._reminders.fired(event):
            for queue, wanted in list(self._queues.items()):
                if wanted in (None, fired.user_id):
                    if queue.full():
                        queue.get_nowait()
                    queue.put_nowait({"event": "reminder.fire", "payload": fired.to_json()})
