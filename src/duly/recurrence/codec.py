"""JSON to triggers. Nothing is guessed and nothing is dropped: what does not read exactly is refused, by its path."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from duly.cron import Cron
from duly.errors import TriggerDecodeError
from duly.model.trigger import Trigger
from duly.recurrence.dated import DayInterval, WeekInterval
from duly.recurrence.elapsed import HourInterval, MinuteInterval, SecondInterval
from duly.recurrence.months import MonthInterval
from duly.recurrence.plain_triggers import CronInterval, Once
from duly.recurrence.record import VERSION, TriggerRecord, at, read_record
from duly.recurrence.task import RecurringTask
from duly.recurrence.union import AnyOf

_RECORDS: tuple[type[TriggerRecord], ...] = (
    SecondInterval,
    MinuteInterval,
    HourInterval,
    DayInterval,
    WeekInterval,
    MonthInterval,
    CronInterval,
    Once,
    AnyOf,
    RecurringTask,
)
_BY_KIND = {record.KIND: record for record in _RECORDS}
_CRON = "cron"
_DEEPEST = 20


def trigger_from_dict(data: Mapping[str, Any]) -> Trigger:
    """The trigger that `to_dict` wrote; `TriggerDecodeError` names the field that cannot be read."""
    return _read("", data)


def _read(path: str, raw: Any) -> Trigger:
    if not isinstance(raw, Mapping):
        raise TriggerDecodeError(path or "trigger", raw, "must be an object")
    if path.count(".") > _DEEPEST:
        raise TriggerDecodeError(path, "…", f"is nested more than {_DEEPEST} deep")
    _check_version(path, raw)
    kind = raw.get("kind")
    if kind == _CRON:
        return _read_cron(path, raw)
    if not isinstance(kind, str) or kind not in _BY_KIND:
        raise TriggerDecodeError(at(path, "kind"), kind, f"must be one of {', '.join([*_BY_KIND, _CRON])}")
    return read_record(_BY_KIND[kind], path, raw, _read)


def _check_version(path: str, raw: Mapping[str, Any]) -> None:
    version = raw.get("v")
    if isinstance(version, bool) or not isinstance(version, int) or version < 1:
        raise TriggerDecodeError(at(path, "v"), version, "must be the version of the format, a whole number from 1")
    if version > VERSION:
        raise TriggerDecodeError(at(path, "v"), version, f"is newer than this duly reads ({VERSION}); upgrade duly")


def _read_cron(path: str, raw: Mapping[str, Any]) -> Cron:
    try:
        return Cron.from_dict(raw)
    except TriggerDecodeError as error:
        raise TriggerDecodeError(at(path, error.field), error.value, error.reason) from error
