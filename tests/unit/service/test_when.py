"""When a schedule fires is one sentence for those who read, with its parts for those who ask."""

from __future__ import annotations

import copy
import json
from datetime import UTC, datetime, timedelta

import pytest

from duly.client.decoding import decode
from duly.cron import Cron
from duly.model.trigger import Trigger
from duly.recurrence import AnyOf, DayInterval, MinuteInterval, Once, RecurringTask
from duly.recurrence.early import Early
from duly.service.pages import excerpt
from duly.service.schedules.fields import ScheduleView
from duly.service.schedules.views import plain, said_of
from duly.service.schedules.when import When

NOON = datetime(2026, 11, 16, 12, tzinfo=UTC)
TOKYO = Cron("0 9 * * *", tz="Asia/Tokyo")
UTC_DAILY = Cron("0 9 * * *")


@pytest.mark.parametrize(
    ("trigger", "zone", "once"),
    [
        (UTC_DAILY, "UTC", False),
        (TOKYO, "Asia/Tokyo", False),
        (DayInterval(1, tz="America/Argentina/Buenos_Aires"), "America/Argentina/Buenos_Aires", False),
        (MinuteInterval(5), None, False),
        (AnyOf(UTC_DAILY, Cron("0 18 * * *")), "UTC", False),
        (AnyOf(UTC_DAILY, TOKYO), "Asia/Tokyo", False),
        (RecurringTask(day_interval=DayInterval(1, tz="Asia/Tokyo")), "Asia/Tokyo", False),
        (Once(NOON), None, True),
        (Early(Once(NOON), (timedelta(minutes=10),)), None, True),
        (Early(TOKYO, (timedelta(minutes=10),)), None, False),
    ],
    ids=str,
)
def test_a_trigger_gives_the_parts_of_its_sentence(trigger: Trigger, zone: str | None, once: bool) -> None:
    said = said_of(trigger)
    ending = "" if zone is None else " UTC" if zone == "UTC" else f" ({zone})"
    assert (said.zone, said.once, said.rhythm + ending) == (zone, once, said)
    assert parts(When.read(str(said))) == parts(said)


def parts(said: When) -> tuple[str, str, str | None, bool]:
    return str(said), said.rhythm, said.zone, said.once


def _view(when: When) -> ScheduleView:
    return ScheduleView(id="s", name="n", namespace="d", enabled=True, when=when, dispatch_mode="job")


def test_it_is_a_text_in_json_and_comes_back_with_its_parts() -> None:
    for said in (said_of(TOKYO), said_of(UTC_DAILY), said_of(Once(NOON))):
        written = json.loads(json.dumps(plain(_view(said))))
        assert written["when"] == str(said)
        assert parts(decode(ScheduleView, written).when) == parts(copy.deepcopy(said)) == parts(said)


def test_cut_for_a_list_it_still_says_whether_it_is_once() -> None:
    said = When("once at " + "x" * 900, once=True)
    short = excerpt(_view(said))
    assert short.truncated == {"when": len(said)}
    assert (short.when[-1], short.when.once, short.when.zone) == ("…", True, None)
