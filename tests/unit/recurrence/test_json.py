"""Triggers as JSON: everything comes back, and damaged JSON is refused."""

import json
from collections.abc import Iterator
from datetime import time, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from duly.cron import Cron
from duly.errors import TriggerDecodeError
from duly.model.calendar import Month, Weekday
from duly.model.codec import Maybe
from duly.recurrence import (
    AnyOf,
    CronInterval,
    DayInterval,
    HourInterval,
    MonthInterval,
    Once,
    RecurringTask,
    Window,
    trigger_from_dict,
)
from duly.recurrence.codec import _RECORDS, _record
from duly.recurrence.record import kinds
from tests.support import tries
from tests.unit.recurrence.helpers import utc
from tests.unit.recurrence.strategies import triggers

TASK = RecurringTask(
    initial_delay=timedelta(hours=1, microseconds=5),
    day_interval=DayInterval(
        2,
        on_times=(time(9), time(17, 30, 15)),
        on_days=(Weekday.MONDAY,),
        window=Window(time(8), time(18)),
        tz="Europe/Berlin",
        anchor=utc("2026-11-16 00:00"),
    ),
    max_runs=100,
    run_until=utc("2027-01-01 00:00"),
)
JUNK: tuple[Any, ...] = (1.5, "☃", {}, [[]], ["☃"], -1)


@settings(deadline=None)
@given(triggers)
def test_every_trigger_comes_back(trigger: Any) -> None:
    back = trigger_from_dict(json.loads(json.dumps(trigger.to_dict())))
    assert back == trigger
    assert type(back) is type(trigger)
    assert back.to_dict() == trigger.to_dict()
    assert back.describe() == trigger.describe()


def test_the_format() -> None:
    assert TASK.to_dict() == {
        "v": 1,
        "kind": "recurring_task",
        "run_now": False,
        "initial_delay": "PT3600.000005S",
        "day_interval": {
            "v": 1,
            "kind": "day_interval",
            "interval": 2,
            "tz": "Europe/Berlin",
            "dst": "once",
            "window": {
                "start": "08:00",
                "end": "18:00",
                "days": ["mon", "tue", "wed", "thu", "fri", "sat", "sun"],
            },
            "anchor": "2026-11-16T00:00:00+00:00",
            "on_times": ["09:00", "17:30:15"],
            "on_days": ["mon"],
        },
        "max_runs": 100,
        "run_until": "2027-01-01T00:00:00+00:00",
        "min_gap": "PT30S",
    }


@pytest.mark.parametrize(
    ("trigger", "part"),
    [
        (Once(utc("2026-11-15 10:00")), {"kind": "once", "at": "2026-11-15T10:00:00+00:00"}),
        (MonthInterval(on_first=Weekday.MONDAY, on_months=(Month.JULY,)), {"on_first": "mon", "on_months": [7]}),
        (CronInterval("0 0 * * *"), {"cron_expression": "0 0 * * *", "dialect": "seconds", "dst": "once"}),
        (AnyOf(Cron("0 0 * * *"), HourInterval(2)), {"kind": "any_of"}),
    ],
)
def test_the_format_of_others(trigger: Any, part: dict[str, Any]) -> None:
    assert part.items() <= trigger.to_dict().items()


def _places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The way to every value inside JSON."""
    if path:
        yield path
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in inside:
        yield from _places(item, (*path, key))


def _inside(data: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        data = data[key]
    return data


def _may_be_left_out(holder: dict[str, Any], key: Any) -> bool:
    """Fields that are not set are not written, so their absence cannot be an error."""
    kind = holder.get("kind", "")
    return kind in _RECORDS and isinstance(kinds(_record(kind)).get(key), Maybe)


@settings(deadline=None, max_examples=tries(200))
@given(triggers, st.data())
def test_damaged_json_is_refused(trigger: Any, data: st.DataObject) -> None:
    stored = json.loads(json.dumps(trigger.to_dict()))
    place = data.draw(st.sampled_from(list(_places(stored))))
    holder = _inside(stored, place[:-1])
    damage = data.draw(st.sampled_from(["replace", "remove", "add"]))
    if damage == "replace":
        holder[place[-1]] = data.draw(st.sampled_from(JUNK))
    elif isinstance(holder, list):
        holder.append(None)
    elif damage == "remove" and not _may_be_left_out(holder, place[-1]):
        del holder[place[-1]]
    else:
        holder["on_nonsense"] = None
    with pytest.raises(TriggerDecodeError):
        trigger_from_dict(stored)


def _changed(path: str, value: Any) -> dict[str, Any]:
    stored: dict[str, Any] = json.loads(json.dumps(TASK.to_dict()))
    *outer, last = path.split(".")
    holder = _inside(stored, tuple(outer))
    if value is ...:
        del holder[last]
    else:
        holder[last] = value
    return stored


@pytest.mark.parametrize(
    ("path", "value", "field", "reason"),
    [
        ("v", 2, "v", "is newer than this duly reads (1)"),
        ("v", True, "v", "must be the version"),
        ("v", ..., "v", "must be the version"),
        ("kind", "fortnight", "kind", "must be one of second_interval, "),
        ("kind", [], "kind", "must be one of"),
        ("kind", ..., "kind", "must be one of"),
        ("max_runs", "100", "max_runs", "must be a whole number from 1"),
        ("max_runs", True, "max_runs", "must be a whole number from 1"),
        ("run_now", ..., "run_now", "is missing"),
        ("maxruns", 5, "maxruns", "is not a known field"),
        ("min_gap", None, "min_gap", "must be a timedelta"),
        ("min_gap", "PT-5S", "min_gap", "must be a timedelta"),
        ("run_until", "2027-01-01T00:00:00", "run_until", "must be a datetime with a time zone"),
        ("run_until", "tomorrow", "run_until", "must be a datetime with a time zone"),
        ("run_until", 1793664000, "run_until", "must be a datetime with a time zone"),
        ("day_interval", [], "day_interval", "must be an object"),
        ("day_interval.v", 7, "day_interval.v", "is newer"),
        ("day_interval.kind", "week_interval", "day_interval.on_days", ""),
        ("day_interval.on_times", "09:00", "day_interval.on_times", "must be a list"),
        ("day_interval.on_times", ["09:00", "9:00"], "day_interval.on_times[1]", "must be a time of day"),
        ("day_interval.on_times", ["09:00", 9], "day_interval.on_times[1]", "must be a time of day"),
        ("day_interval.on_days", [0], "day_interval.on_days[0]", "must be a weekday"),
        ("day_interval.on_days", ["Mon"], "day_interval.on_days[0]", "must be a weekday"),
        ("day_interval.interval", 0.0, "day_interval.interval", "must be a whole number"),
        ("day_interval.tz", "Europe/Atlantis", "day_interval.tz", "must be the name of a time zone"),
        ("day_interval.tz", None, "day_interval.tz", "must be the name of a time zone"),
        ("day_interval.dst", "sometimes", "day_interval.dst", "must be 'once' or 'wallclock'"),
        ("day_interval.window.days", [], "day_interval.window", "is refused (days of a window"),
        ("day_interval.window.kind", "x", "day_interval.window.kind", "is not a known field"),
        ("day_interval.window.end", ..., "day_interval.window.end", "is missing"),
        ("day_interval.window", {"start": "00:00", "end": "01:00", "days": ["sat"]}, "day_interval", "never occurs"),
        ("any_of", {"v": 1, "kind": "once", "at": "2027-01-01T00:00:00+00:00"}, "any_of", "must be of type AnyOf"),
    ],
)
def test_a_refusal_names_the_place(path: str, value: Any, field: str, reason: str) -> None:
    if path == "day_interval.kind":  # a week has all the fields of a day, but is none
        field = "day_interval"
        reason = "must be of type DayInterval"
    with pytest.raises(TriggerDecodeError) as caught:
        trigger_from_dict(_changed(path, value))
    assert caught.value.field == field
    assert reason in caught.value.reason


@pytest.mark.parametrize("data", [None, [], "cron", 5])
def test_only_objects_are_triggers(data: Any) -> None:
    with pytest.raises(TriggerDecodeError, match="trigger must be an object"):
        trigger_from_dict(data)


def test_a_cron_inside_another_trigger_is_named_by_its_path() -> None:
    stored = AnyOf(HourInterval(2), Cron("0 0 * * *")).to_dict()
    stored["triggers"][1]["expression"] = "0 0 * *"
    with pytest.raises(TriggerDecodeError) as caught:
        trigger_from_dict(stored)
    assert caught.value.field == "triggers[1].expression"
    stored["triggers"][1]["dst"] = 5
    with pytest.raises(TriggerDecodeError) as caught:
        trigger_from_dict(stored)
    assert caught.value.field == "triggers[1].dst"


def test_bottomless_nesting_is_refused() -> None:
    stored: dict[str, Any] = HourInterval(2).to_dict()
    for _ in range(5000):
        stored = {"v": 1, "kind": "any_of", "triggers": [stored]}
    with pytest.raises(TriggerDecodeError, match="is nested more than 20 deep"):
        trigger_from_dict(stored)


def test_every_kind_is_read_by_the_class_that_has_it() -> None:
    assert {kind: _record(kind).KIND for kind in _RECORDS} == {kind: kind for kind in _RECORDS}
