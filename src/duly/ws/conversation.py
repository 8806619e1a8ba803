"""One client's conversation: `{"id", "method", "params"}` in, `{"id", "ok", "payload" | "error"}` out."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import asdict
from typing import Any

from duly.errors import AccessDeniedError, DulyError, InvalidInputError, NotFoundError
from duly.service.access import Caller
from duly.service.acting import acts_for
from duly.service.reminder_views import ReminderView
from duly.service.reminders import ReminderService

INVALID_PARAMS = "INVALID_PARAMS"
NOT_FOUND = "NOT_FOUND"
UNAUTHORIZED = "UNAUTHORIZED"
INTERNAL = "INTERNAL"

Frame = dict[str, Any]
_OPTIONS = ("priority", "require_ack", "ack_prompt", "snooze_allowed", "max_retries", "max_ack_reminders", "channel")


class Conversation:
    """Answers frames for one caller."""

    def __init__(self, reminders: ReminderService, caller: Caller) -> None:
        self._reminders = reminders
        self._caller = caller
        self._methods: Mapping[str, Callable[[Frame], Awaitable[Frame]]] = {
            "cron.list": self._list,
            "cron.add": self._add,
            "cron.update": self._update,
            "cron.remove": self._remove,
            "cron.ack": self._ack,
            "cron.snooze": self._snooze,
            "cron.dismiss": self._dismiss,
        }

    async def answer(self, text: str) -> Frame:
        """The frame to send back; whatever came in, there is one."""
        try:
            frame = json.loads(text)
        except (ValueError, RecursionError):
            return _fault(None, INVALID_PARAMS, "a frame is a JSON object with id, method and params")
        if not isinstance(frame, dict):
            return _fault(None, INVALID_PARAMS, f"a frame is a JSON object, got {type(frame).__name__}")
        number = frame.get("id")
        params = frame.get("params") or {}
        method = self._methods.get(frame["method"]) if isinstance(frame.get("method"), str) else None
        if method is None:
            return _fault(number, INVALID_PARAMS, f"method must be one of {', '.join(self._methods)}")
        if not isinstance(params, dict):
            return _fault(number, INVALID_PARAMS, f"params must be an object, got {params!r}")
        return await self._carried_out(number, method, params)

    async def _carried_out(self, number: Any, method: Callable[[Frame], Awaitable[Frame]], params: Frame) -> Frame:
        try:
            return {"id": number, "ok": True, "payload": await method(params)}
        except AccessDeniedError as error:
            return _fault(number, UNAUTHORIZED, str(error))
        except NotFoundError as error:
            return _fault(number, NOT_FOUND, str(error))
        except (InvalidInputError, TypeError) as error:
            return _fault(number, INVALID_PARAMS, str(error))
        except DulyError as error:
            return _fault(number, INTERNAL, str(error))

    async def _list(self, params: Frame) -> Frame:
        jobs = await self._reminders.all(self._who(params, changes=False), enabled=params.get("enabled"))
        return {"jobs": [job_of(view) for view in jobs]}

    async def _add(self, params: Frame) -> Frame:
        text = params.get("message", params.get("action"))
        if isinstance(text, dict):
            text = text.get("message")
        if not isinstance(text, str):
            raise InvalidInputError(f"message must be a text, got {text!r}")
        if not isinstance(params.get("schedule"), dict):
            raise InvalidInputError('schedule must be an object such as {"type": "daily", "time": "08:00"}')
        view = await self._reminders.create(
            self._who(params),
            params["schedule"],
            text,
            name=params.get("name"),
            created_via=str(self._caller.face),
            **_given(params),
        )
        return {"job": job_of(view)}

    async def _update(self, params: Frame) -> Frame:
        chosen = {name: params[name] for name in ("schedule", "message", "name", "enabled") if name in params}
        view = await self._reminders.update(self._who(params), _id(params), **chosen, **_given(params))
        return {"job": job_of(view)}

    async def _remove(self, params: Frame) -> Frame:
        await self._reminders.remove(self._who(params), _id(params))
        return {"ok": True}

    async def _ack(self, params: Frame) -> Frame:
        return await self._answered(params, "ack")

    async def _dismiss(self, params: Frame) -> Frame:
        return await self._answered(params, "dismiss")

    async def _snooze(self, params: Frame) -> Frame:
        return await self._answered(params, "snooze", minutes=params.get("minutes"))

    async def _answered(self, params: Frame, response: str, **more: Any) -> Frame:
        answered = await self._reminders.answer(self._who(params), response, params.get("id"), channel="ws", **more)
        return {"job_id": answered.reminder.schedule_id, "text": answered.text}

    def _who(self, params: Frame, *, changes: bool = True) -> str:
        return acts_for(self._caller, params.get("user"), changes=changes)


def job_of(view: ReminderView) -> Frame:
    """A reminder as JSON."""
    shown = {name: value for name, value in asdict(view).items() if value is not None}
    return {name: value.isoformat() if hasattr(value, "isoformat") else value for name, value in shown.items()}


def _given(params: Frame) -> Frame:
    return {name: params[name] for name in _OPTIONS if params.get(name) is not None}


def _id(params: Frame) -> str:
    if not isinstance(params.get("id"), str):
        raise InvalidInputError(f"id must name a job, got {params.get('id')!r}")
    return str(params["id"])


def _fault(number: Any, code: str, message: str) -> Frame:
    return {"id": number, "ok": False, "error": {"code": code, "message": message}}
