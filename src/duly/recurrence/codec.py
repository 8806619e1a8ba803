"""JSON to triggers. Nothing is guessed and nothing is dropped: what does not read exactly is refused, by its path."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from typing import Any

from duly.cron import Cron
from duly.errors import DecodeError, TriggerDecodeError
from duly.model.codec import at
from duly.model.trigger import Trigger
from duly.recurrence.record import HEADER, VERSION, TriggerRecord, layout

_RECORDS = {
    "second_interval": "elapsed.SecondInterval",
    "minute_interval": "elapsed.MinuteInterval",
    "hour_interval": "elapsed.HourInterval",
    "day_interval": "dated.DayInterval",
    "week_interval": "dated.WeekInterval",
    "month_interval": "months.MonthInterval",
    "cron_interval": "plain_triggers.CronInterval",
    "once": "plain_triggers.Once",
    "any_of": "union.AnyOf",
    "early": "early.Early",
    "recurring_task": "task.RecurringTask",
}
"""By kind: the module and the class. A module is loaded when a trigger of its kind is read."""
_CRON = "cron"
_DEEPEST = 20


def trigger_from_dict(data: Mapping[str, Any]) -> Trigger:
    """Make the trigger that `to_dict` wrote; `TriggerDecodeError` names the field that cannot be decoded."""
    try:
        return _read("", data)
    except DecodeError as error:
        raise TriggerDecodeError(error.field or "trigger", error.value, error.reason) from error


def _read(path: str, raw: Any) -> Trigger:
    if not isinstance(raw, Mapping):
        raise DecodeError(path, raw, "must be an object")
    if path.count(".") > _DEEPEST:
        raise DecodeError(path, "…", f"is nested more than {_DEEPEST} deep")
    _check_version(path, raw)
    kind = raw.get("kind")
    if kind == _CRON:
        return _read_cron(path, raw)
    if not isinstance(kind, str) or kind not in _RECORDS:
        raise DecodeError(at(path, "kind"), kind, f"must be one of {', '.join([*_RECORDS, _CRON])}")
    trigger: Trigger = layout(_record(kind)).read(path, raw, _read, header=HEADER)
    return trigger


@cache
def _record(kind: str) -> type[TriggerRecord]:
    module, _, name = _RECORDS[kind].partition(".")
    record: type[TriggerRecord] = getattr(import_module(f"duly.recurrence.{module}"), name)
    return record


def _check_version(path: str, raw: Mapping[str, Any]) -> None:
    version = raw.get("v")
    if isinstance(version, bool) or not isinstance(version, int) or version < 1:
        raise DecodeError(at(path, "v"), version, "must be the version of the format, a whole number from 1")
    if version > VERSION:
        raise DecodeError(at(path, "v"), version, f"is newer than this duly reads ({VERSION}); upgrade duly")


def _read_cron(path: str, raw: Mapping[str, Any]) -> Cron:
    try:
        return Cron.from_dict(raw)
    except DecodeError as error:
        raise DecodeError(at(path, error.field), error.value, error.reason) from error
