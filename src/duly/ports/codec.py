"""Triggers, actions and policies to the JSON text that a store keeps, and back. Decoded text is cached."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import fields
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from duly.errors import DecodeError, InvalidInputError
from duly.model.action import Action, Job, Message, Prompt
from duly.model.codec import from_plain, to_plain
from duly.model.policy import Policy
from duly.model.schedule import PLAIN_FIELDS, Schedule, ScheduleState, Source
from duly.planning.attention import Subject
from duly.recurrence import trigger_from_dict
from duly.recurrence.record import TriggerRecord

if TYPE_CHECKING:
    from duly.model.trigger import Trigger
    from duly.ports.records import StoredSchedule
    from duly.ports.upkeep import Troubled

MAX_PAYLOAD = 256 * 1024
"""The largest definition or result, in characters of JSON."""

_ACTIONS: dict[str, type[Job | Prompt | Message]] = {"job": Job, "prompt": Prompt, "message": Message}
_KINDS = {kind: name for name, kind in _ACTIONS.items()}
_STATE = tuple(each.name for each in fields(ScheduleState) if each.name != "last_result")
_DECODER = json.JSONDecoder()
_WHITE_SPACE = " \t\n\r"
_JSON = json.JSONEncoder(separators=(",", ":"), allow_nan=False, ensure_ascii=False)
_MOST_WRITTEN = 64
_written_triggers: dict[int, tuple[Trigger, str]] = {}
"""Triggers that were written lately, by identity: equal ones may have been written in different words."""


def _quick_encoder() -> Callable[[Any, int], Iterable[str]] | None:
    """Make once what `_JSON` makes anew for each value, which takes longer than to encode a small one.

    None where the standard library has none, or makes it in another way: that is not part of its interface.
    """
    quote = json.encoder.encode_basestring
    try:
        made: Callable[[Any, int], Iterable[str]] = json.encoder.c_make_encoder(  # type: ignore[attr-defined]
            None, _JSON.default, quote, None, _JSON.key_separator, _JSON.item_separator, False, False, False
        )
    except (AttributeError, TypeError):
        return None
    return made


_encode_at_once = _quick_encoder()


def encode_json(value: Any, what: str) -> str:
    """Encode a value as JSON text; refuse one that is not JSON, or too large."""
    try:
        text = _encode(value)
        if not text.isascii():
            text.encode()  # half a surrogate pair cannot be stored
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidInputError(f"{what} must be JSON (text, numbers, lists, objects): {error}") from error
    if len(text) > MAX_PAYLOAD:
        raise InvalidInputError(f"{what} takes {len(text)} characters as JSON, allowed are {MAX_PAYLOAD}")
    return text


def _encode(value: Any) -> str:
    if _encode_at_once is not None:
        try:
            return "".join(_encode_at_once(value, 0))
        except (TypeError, ValueError, RecursionError):
            pass  # the other one says better what is wrong: it knows an object that contains itself
    return _JSON.encode(value)


def encode_trigger(trigger: Trigger) -> str:
    found = _written_triggers.get(id(trigger))
    if found is not None and found[0] is trigger:
        return found[1]
    text = encode_json(trigger.to_dict(), "trigger")
    if isinstance(trigger, TriggerRecord):  # which never changes
        if len(_written_triggers) >= _MOST_WRITTEN:
            _written_triggers.clear()
        _written_triggers[id(trigger)] = (trigger, text)
    return text


def encode_action(action: Action) -> str:
    if type(action) is Job and type(action.name) is str and action.executor is None and action.args == {}:
        return _encode_bare_job(action.name)
    return _encode_action(action)


@lru_cache(maxsize=1024)
def _encode_bare_job(name: str) -> str:
    return _encode_action(Job(name))


def _encode_action(action: Action) -> str:
    return encode_json({"kind": _KINDS[type(action)], **to_plain(action)}, "action")


@lru_cache(maxsize=256)
def encode_policy(policy: Policy) -> str:
    return encode_json(to_plain(policy), "policy")


@lru_cache(maxsize=8192)
def decode_trigger(text: str) -> Trigger:
    return trigger_from_dict(_load(text, "trigger"))


@lru_cache(maxsize=1024)
def decode_policy(text: str) -> Policy:
    return from_plain(Policy, _load(text, "policy"), "policy")


def decode_action(text: str) -> Action:
    data = _load(text, "action")
    kind = data.pop("kind", None)
    if not isinstance(kind, str) or kind not in _ACTIONS:
        raise DecodeError("action.kind", kind, f"must be one of {', '.join(_ACTIONS)}")
    return from_plain(_ACTIONS[kind], data, "action")


def decode_job(text: str) -> Job:
    """Decode the action of a job; its arguments are new for each call, because a function may change those it gets.

    Every schedule with arguments of its own comes here when it fires, and the general way takes three times as long.
    What is not exactly as `encode_action` writes it goes that way.
    """
    data = _load(text, "action")
    name = data.get("name")
    args = data.get("args")
    if len(data) == 3 and data.get("kind") == "job" and type(name) is str and type(args) is dict and name.strip():
        return _plain_job(name, args)
    job = decode_action(text)
    if not isinstance(job, Job):
        raise InvalidInputError(f"not a job: {text[:80]}")
    return job


_SETTERS = {each.name: Job.__dict__[each.name].__set__ for each in fields(Job)}
_set_name = _SETTERS.pop("name")
_set_args = _SETTERS.pop("args")
_SET_USUAL = tuple((setter, each.default) for each in fields(Job) if (setter := _SETTERS.get(each.name)) is not None)


def _plain_job(name: str, args: dict[str, Any]) -> Job:
    """Make a job of this process from values that were checked: its constructor takes twice as long."""
    job = object.__new__(Job)
    _set_name(job, name)
    _set_args(job, args)
    for setter, usual in _SET_USUAL:
        setter(job, usual)
    return job


def _load(text: str, what: str) -> dict[str, Any]:
    try:
        bare = text.strip(_WHITE_SPACE)
        data, end = _DECODER.raw_decode(bare)
        if end != len(bare):
            data = _DECODER.decode(bare)  # which says where the rest begins
    except (ValueError, RecursionError) as error:
        raise DecodeError(what, text[:80], f"is not JSON ({error})") from error
    if not isinstance(data, dict):
        raise DecodeError(what, data, "must be an object")
    return data


def decode_schedule(row: StoredSchedule) -> Schedule:
    """Decode the definition in a row."""
    if row.damage is not None:
        raise row.damage.error
    return Schedule(
        id=row.id,
        namespace=row.namespace,
        name=row.name,
        trigger=decode_trigger(row.trigger),
        action=decode_action(row.action),
        policy=decode_policy(row.policy),
        source=Source(row.source),
        created_by=row.created_by,
        **{name: getattr(row, name) for name in PLAIN_FIELDS},
    )


def subject_of(row: StoredSchedule, troubled: Troubled) -> Subject:
    """Gather the values by which `planning.attention` judges a row."""
    try:
        grace = decode_policy(row.policy).misfire_grace
    except ValueError:  # the planner will quarantine it
        grace = Policy().misfire_grace
    return Subject(
        id=row.id,
        namespace=row.namespace,
        name=row.name,
        handler=row.handler,
        enabled=row.enabled,
        disabled_by=row.disabled_by,
        next_run_at=row.next_run_at,
        held_up_since=troubled.held_up.get(row.id),
        grace=grace,
        failures=row.consecutive_failures,
        failing_since=row.failing_since,
        last_run_at=row.last_run_at,
        last_error=_error_in(row.last_result),
        quarantine=row.quarantine,
        resting=row.resting,
        resting_since=row.resting_since,
        ended_token=troubled.disowned.get(row.id),
    )


def _error_in(last_result: str | None) -> str | None:
    """Give the error with which the last run of a schedule ended."""
    try:
        result = None if last_result is None else json.loads(last_result)
    except ValueError:
        return None
    error = result.get("error") if isinstance(result, dict) else None
    return error if isinstance(error, str) else None


def state_of(row: StoredSchedule) -> ScheduleState:
    """Decode the state in a row."""
    last_result = None if row.last_result is None else json.loads(row.last_result)
    return ScheduleState(last_result=last_result, **{name: getattr(row, name) for name in _STATE})
