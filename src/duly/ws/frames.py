"""The frames of a WebSocket: requests and their answers, and reminders pushed as they fire.

`{"id", "method", "params"}` comes in, `{"id", "ok", "payload" | "error"}` goes out, and so does
`{"event": "reminder.fire", "payload"}`.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from functools import partial
from math import isinf
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
from duly.expansion import REQUEST, bounded
from duly.model.events import RUN_STARTED, Event
from duly.service.access.audit import acting_as
from duly.service.access.scopes import Caller, Scope
from duly.service.limits import check_given, check_json
from duly.service.reminders.lists import ReminderLists
from duly.service.reminders.views import FILTERS
from duly.service.schedules import values
from duly.service.schedules.fields import OPTIONS
from duly.service.schedules.views import plain
from duly.service.schedules.waking import WakeWish
from duly.ws.live_line import LiveLine, NoLiveLine

if TYPE_CHECKING:
    from duly.service.chat.sentences import SentenceReminders
    from duly.service.pruning import PruneUseCases
    from duly.service.reminders.use_cases import ChangeableReminders, ReadableReminders, ReminderUseCases
    from duly.service.schedules.waking import WakeUps

INVALID_PARAMS = "INVALID_PARAMS"
NOT_FOUND = "NOT_FOUND"
UNAUTHORIZED = "UNAUTHORIZED"
TOO_MANY = "TOO_MANY"
INTERNAL = "INTERNAL"

Frame = dict[str, Any]
Method = Callable[[Frame], Awaitable[Frame]]
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
_READS = frozenset({"cron.list", "cron.get", "cron.show", "subscribe", "unsubscribe"})
"""Methods that change nothing."""
_WISH = ("note", "minutes", "when", "run_id", "session", "target", "spawner")
_MOST_WAITING = 100
"""Pushed frames that wait for a client that does not read."""
_log = logging.getLogger("duly")


class Conversation:
    """Answers the frames of one caller."""

    def __init__(
        self,
        reminders: ReminderUseCases,
        caller: Caller,
        line: LiveLine | None = None,
        shown: Mapping[str, str] | None = None,
        sentences: SentenceReminders | None = None,
        wake_ups: WakeUps | None = None,
        pruning: PruneUseCases | None = None,
    ) -> None:
        """`shown` has for each person the run whose reminder was pushed last on this connection."""
        self._shown = shown or {}
        self._sentences = sentences
        self._wake_ups = wake_ups
        self._pruning = pruning
        self._reminders = reminders
        self._caller = caller
        self._line = line or NoLiveLine()
        self._methods: Mapping[str, tuple[Method, tuple[str, ...]]] = {
            "cron.list": (self._list, ("enabled", *FILTERS, "cursor", "limit")),
            "cron.get": (self._get, ("id",)),
            "cron.show": (self._show, ("id", "limit")),
            "cron.add": (self._add, ("name", "schedule", "message", "action", "text", *OPTIONS)),
            "cron.update": (self._update, ("id", "name", "schedule", "message", "enabled", *OPTIONS)),
            "cron.remove": (self._remove, ("id",)),
            "cron.ack": (partial(self._answer, "ack"), ("id",)),
            "cron.snooze": (partial(self._answer, "snooze"), ("id", "minutes")),
            "cron.dismiss": (partial(self._answer, "dismiss"), ("id",)),
            "wake_me": (self._wake_me, _WISH),
            "prune": (self._prune, ("older_than", "dry_run")),
            "subscribe": (self._subscribe, ("topics", "last_id")),
            "unsubscribe": (self._unsubscribe, ()),
        }

    @property
    def methods(self) -> Mapping[str, tuple[str, ...]]:
        """Give the methods and the parameters of each, besides `user`."""
        return {name: wanted for name, (_, wanted) in self._methods.items()}

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
            method, params = self._read(frame)
            with acting_as(self._caller), bounded(REQUEST):
                return {"id": number, "ok": True, "payload": await method(params)}
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

    def _read(self, frame: Frame) -> tuple[Method, Frame]:
        """Find the method, and check its parameters; a parameter that is null counts as missing."""
        name = frame.get("method")
        params = frame.get("params")
        known = self._methods.get(name) if isinstance(name, str) else None
        if known is None:
            raise InvalidInputError(f"method must be one of {', '.join(self._methods)}, got {name!r:.100}")
        params = {} if params is None else params
        if not isinstance(params, dict):
            raise InvalidInputError(f"params must be an object, got {params!r:.100}")
        method, wanted = known
        admit = self._reminders.to_read if name in _READS else self._reminders.to_change
        admit(self._caller)  # before anything of the frame is read, and for what is about no person as well
        check_given(params)
        if unknown := sorted(params.keys() - {*wanted, "user"}):
            raise InvalidInputError(
                f"{name} does not take {unknown[0]!r:.100}: it takes {', '.join((*wanted, 'user'))}"
            )
        given = {key: value for key, value in params.items() if value is not None}
        return method, {key: _READERS[key](value, key) if key in _READERS else value for key, value in given.items()}

    async def _list(self, params: Frame) -> Frame:
        """Give a page of jobs with long texts cut, and `next_cursor` when there are more."""
        asked = {name: params[name] for name in ("enabled", *FILTERS, "cursor", "limit") if name in params}
        views, following = await self._to_read(params).page(**asked)
        jobs = {"jobs": [view.to_json() for view in views]}
        return jobs if following is None else {**jobs, "next_cursor": following}

    async def _get(self, params: Frame) -> Frame:
        view = await self._to_read(params).get(_needed(params, "id"))
        return {"job": view.to_json()}

    async def _show(self, params: Frame) -> Frame:
        """Give a job with every send, answer and escalation of its latest runs."""
        return (await self._to_read(params).show(_needed(params, "id"), params.get("limit", 10))).to_json()

    async def _add(self, params: Frame) -> Frame:
        if "text" in params and self._sentences is not None:
            if surplus := sorted(params.keys() & {"schedule", "message", "action"}):
                raise InvalidInputError(f"text says what and when: leave out {surplus[0]}")
            name = params.get("name")
            who = self._to_change(params).who
            view = await self._sentences.remind(self._caller, who, params["text"], name=name, **_options(params))
            return {"job": view.to_json()}
        view = await self._to_change(params).create(
            _needed(params, "schedule"), _message(params), name=params.get("name"), **_options(params)
        )
        return {"job": view.to_json()}

    async def _update(self, params: Frame) -> Frame:
        chosen: Frame = {name: params[name] for name in ("schedule", "message", "name", "enabled") if name in params}
        view = await self._to_change(params).update(_needed(params, "id"), **chosen, **_options(params))
        return {"job": view.to_json()}

    async def _remove(self, params: Frame) -> Frame:
        await self._to_change(params).remove(_needed(params, "id"))
        return {"ok": True}

    async def _answer(self, response: str, params: Frame) -> Frame:
        theirs = self._to_change(params)
        shown = self._shown.get(theirs.who) or self._shown.get((await theirs.person()).user.id)
        answered = await theirs.answer(
            response, params.get("id"), minutes=params.get("minutes"), channel="ws", shown=shown
        )
        return answered.to_json()

    async def _wake_me(self, params: Frame) -> Frame:
        """Continue the session of an agent later; the caller's own rights decide."""
        if "user" in params:
            raise InvalidInputError("wake_me is about a session, not about a person: leave out user")
        if self._wake_ups is None:
            raise DulyError("there are no wake-ups here: connect to /ws")
        return {"schedule": plain(await self._wake_ups.wake_me(self._caller, WakeWish(**params)))}

    async def _prune(self, params: Frame) -> Frame:
        """Delete old records, or count them; for admins."""
        if "user" in params:
            raise InvalidInputError("prune is about the whole store, not about a person: leave out user")
        if self._pruning is None:
            raise DulyError("nothing is deleted here: connect to /ws")
        older_than = _needed(params, "older_than")
        done = await self._pruning.begin(self._caller, older_than, dry_run=params.get("dry_run", False))
        return {"pruned": plain(done)}

    async def _subscribe(self, params: Frame) -> Frame:
        """Push what the caller may see; with `user`, what that person may see."""
        caller = self._caller
        theirs = self._to_read(params)
        if "user" in params:
            person = (await theirs.person()).user
            caller = replace(caller, scope=Scope("user", person.id, read_only=True))
        return await self._line.subscribe(caller, params.get("topics"), params.get("last_id"))

    async def _unsubscribe(self, params: Frame) -> Frame:
        self._to_read(params)
        return await self._line.unsubscribe()

    def _to_read(self, params: Frame) -> ReadableReminders:
        return self._reminders.to_read(self._caller, params.get("user"))

    def _to_change(self, params: Frame) -> ChangeableReminders:
        return self._reminders.to_change(self._caller, params.get("user"))


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


def _options(params: Frame) -> Frame:
    return {name: params[name] for name in OPTIONS if name in params}


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
