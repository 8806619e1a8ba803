"""Calendar files as reminders: what a rule says, its trigger says; what no trigger can say is refused with a reason."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta
from itertools import islice
from typing import Any

import pytest
import recurring_ical_events
from dateutil.rrule import rrulestr
from hypothesis import given, settings
from hypothesis import strategies as st
from icalendar import Calendar
from icalendar.timezone.windows_to_olson import WINDOWS_TO_OLSON

from duly.cron import Cron
from duly.errors import InvalidInputError
from duly.recurrence import AnyOf, Once, RecurringTask, WeekInterval, first_run
from duly.service.calendar.entries import ImportedReminder, RefusedEntry
from duly.service.calendar.ics import read_ics
from duly.service.calendar.rules import fires_from
from tests.support import tries

NOW = datetime(2026, 3, 20, 7, 30, tzinfo=UTC)
BERLIN = "Europe/Berlin"


def ics(*lines: str, kind: str = "VEVENT") -> bytes:
    body = [f"BEGIN:{kind}", *lines, f"END:{kind}"]
    return "\r\n".join(["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:test", *body, "END:VCALENDAR", ""]).encode()


def event(*lines: str) -> bytes:
    return ics("UID:a@b", "SUMMARY:Dentist", *lines)


def one(data: bytes) -> ImportedReminder:
    [found] = read_ics(data, BERLIN, NOW)
    assert isinstance(found, ImportedReminder), found
    return found


def refusal(data: bytes) -> str:
    [found] = read_ics(data, BERLIN, NOW)
    assert isinstance(found, RefusedEntry), found
    return found.reason


def alarm(*lines: str) -> list[str]:
    return ["BEGIN:VALARM", "ACTION:DISPLAY", "DESCRIPTION:x", *lines, "END:VALARM"]


def test_an_event_reminds_at_its_beginning() -> None:
    found = one(event("DTSTART;TZID=America/New_York:20260401T090000", "DTEND;TZID=America/New_York:20260401T100000"))
    at = datetime(2026, 4, 1, 13, tzinfo=UTC)
    assert (found.uid, found.title, found.text, found.trigger) == ("a@b", "Dentist", "Dentist", Once(at))
    assert (found.start_at, found.end_at, found.zone) == (at, at + timedelta(hours=1), "America/New_York")


@pytest.mark.parametrize(
    ("start", "at"),
    [
        ("DTSTART:20260401T090000Z", datetime(2026, 4, 1, 9, tzinfo=UTC)),
        ("DTSTART:20260401T090000", datetime(2026, 4, 1, 7, tzinfo=UTC)),  # in the person's zone
        ("DTSTART;VALUE=DATE:20260401", datetime(2026, 4, 1, 7, tzinfo=UTC)),  # at 9 in the morning
    ],
)
def test_times_without_a_zone_are_those_of_the_person(start: str, at: datetime) -> None:
    assert one(event(start)).trigger == Once(at)


def test_a_task_reminds_when_it_is_due() -> None:
    data = ics("UID:t", "SUMMARY:Taxes", "DTSTART:20260401T090000Z", "DUE:20260531T200000Z", kind="VTODO")
    assert one(data).trigger == Once(datetime(2026, 5, 31, 20, tzinfo=UTC))


def test_alarms_remind_instead() -> None:
    lines = [
        *alarm("TRIGGER:-PT15M"),
        *alarm("TRIGGER:-P1D"),
        *alarm("TRIGGER;RELATED=END:PT5M"),
        *alarm("TRIGGER;VALUE=DATE-TIME:20260330T080000Z"),
        *alarm("TRIGGER:-PT15M"),
    ]
    found = read_ics(event("DTSTART:20260401T090000Z", "DURATION:PT1H", *lines), BERLIN, NOW)
    at = datetime(2026, 4, 1, 9, tzinfo=UTC)
    wanted = [
        at - timedelta(minutes=15),
        at - timedelta(days=1),
        at + timedelta(minutes=65),
        datetime(2026, 3, 30, 8, tzinfo=UTC),
    ]
    assert [each.trigger for each in found if isinstance(each, ImportedReminder)] == list(map(Once, wanted))
    assert [each.uid for each in found] == ["a@b", "a@b#2", "a@b#3", "a@b#4"]
    assert isinstance(found[0], ImportedReminder)
    assert found[0].text == "Dentist · 09:00"


def test_of_several_titles_the_first_counts() -> None:
    found = one(event("SUMMARY:Other", "UID:c@d", "DESCRIPTION:one", "DESCRIPTION:two", "DTSTART:20260401T090000Z"))
    assert (found.uid, found.title, found.description) == ("a@b", "Dentist", "one")


@pytest.mark.parametrize("zone", ["America/New_York", "Asia/Tokyo", "Etc/UTC"])
@pytest.mark.parametrize("until", ["99991231", "99991231T235959", "99991231T235959Z"])
def test_a_rule_until_the_end_of_the_calendar_is_read_in_every_zone(zone: str, until: str) -> None:
    found = one(event(f"DTSTART;TZID={zone}:20260401T090000", f"RRULE:FREQ=WEEKLY;UNTIL={until}"))
    assert found.until_at is not None
    assert found.until_at.year == 9999


def test_an_alarm_on_the_day_before_moves_the_weekday() -> None:
    data = event("DTSTART;TZID=Europe/Berlin:20260323T003000", "RRULE:FREQ=WEEKLY;BYDAY=MO,WE", *alarm("TRIGGER:-PT1H"))
    assert one(data).trigger == Cron("30 23 * * 0,2", tz=BERLIN)


@pytest.mark.parametrize(
    ("rule", "trigger"),
    [
        ("FREQ=DAILY", Cron("0 9 * * *", tz=BERLIN)),
        ("FREQ=WEEKLY", Cron("0 9 * * 1", tz=BERLIN)),
        ("FREQ=WEEKLY;INTERVAL=2;BYDAY=MO", None),
        ("FREQ=MONTHLY;BYDAY=2TU", Cron("0 9 * * 2#2", tz=BERLIN)),
        ("FREQ=MONTHLY;BYDAY=-1FR", Cron("0 9 * * 5L", tz=BERLIN)),
        ("FREQ=MONTHLY;BYMONTHDAY=-1", Cron("0 9 L * *", tz=BERLIN)),
        ("FREQ=YEARLY", Cron("0 9 23 3 *", tz=BERLIN)),
    ],
)
def test_rules_become_triggers(rule: str, trigger: Cron | None) -> None:
    found = one(event("DTSTART;TZID=Europe/Berlin:20260323T090000", f"RRULE:{rule}")).trigger
    if trigger is not None:
        begins_later = isinstance(found, RecurringTask)
        assert (found.cron_interval if isinstance(found, RecurringTask) else found) == trigger
        assert first_run(found, NOW) == datetime(2026, 3, 23, 8, tzinfo=UTC) or rule.startswith("FREQ=MONTHLY")
        assert begins_later == (rule == "FREQ=DAILY")
    else:
        assert isinstance(found, WeekInterval)
        assert (found.interval, found.on_times) == (2, (time(9),))


def test_the_end_of_a_rule_is_the_end_of_its_schedule() -> None:
    start = "DTSTART;TZID=Europe/Berlin:20260309T090000"
    counted = one(event(start, "RRULE:FREQ=WEEKLY;COUNT=4"))  # two of them have passed
    assert counted.until_at == datetime(2026, 3, 30, 7, tzinfo=UTC)
    until = one(event(start, "RRULE:FREQ=WEEKLY;UNTIL=20260410T000000Z"))
    assert until.until_at == datetime(2026, 4, 6, 7, tzinfo=UTC)
    assert isinstance(counted.trigger, Cron)


def test_a_series_with_exceptions_is_told_time_by_time() -> None:
    start = "DTSTART;TZID=Europe/Berlin:20260323T090000"
    found = one(event(start, "RRULE:FREQ=DAILY;COUNT=4", "EXDATE;TZID=Europe/Berlin:20260324T090000")).trigger
    assert isinstance(found, AnyOf)
    days = [each.at.day for each in found.triggers if isinstance(each, Once)]
    assert days == [23, 25, 26]
    past = one(event("DTSTART;TZID=Europe/Berlin:20260301T090000", "RRULE:FREQ=DAILY", "EXDATE:20260305T080000Z"))
    assert past.trigger == Cron("0 9 * * *", tz=BERLIN)


def test_an_instance_that_was_moved_is_a_reminder_of_its_own() -> None:
    series = ["UID:s", "SUMMARY:Gym", "DTSTART:20260323T090000Z", "RRULE:FREQ=DAILY;COUNT=3"]
    moved = ["UID:s", "SUMMARY:Gym", "RECURRENCE-ID:20260324T090000Z", "DTSTART:20260324T150000Z"]
    data = ics(*series, "END:VEVENT", "BEGIN:VEVENT", *moved)
    first, second = read_ics(data, BERLIN, NOW)
    assert isinstance(first, ImportedReminder)
    assert isinstance(second, ImportedReminder)
    assert isinstance(first.trigger, AnyOf)
    assert len(first.trigger.triggers) == 2
    assert (second.uid, second.trigger) == ("s/20260324T090000Z", Once(datetime(2026, 3, 24, 15, tzinfo=UTC)))


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        (["DTSTART:20260301T090000Z"], "its time 2026-03-01T09:00:00Z has passed"),
        (["DTSTART:20260401T090000Z", "STATUS:CANCELLED"], "it is cancelled"),
        (["STATUS:CONFIRMED"], "it has no time: neither DTSTART nor DUE"),
        (["DTSTART:20260401T090000Z", "RRULE:FREQ=SECONDLY"], "duly cannot repeat it by the rule FREQ=SECONDLY"),
        (
            ["DTSTART:20260401T090000Z", "RRULE:FREQ=DAILY", "EXDATE:20260403T090000Z"],
            "it has exceptions, and has no end",
        ),
        (
            ["DTSTART;TZID=Europe/Berlin:20260401T023000", "RRULE:FREQ=DAILY"],
            "it repeats in a way that no trigger can say, and has no end",
        ),
        (["DTSTART:20260301T090000Z", "RRULE:FREQ=DAILY;COUNT=3"], "all its times have passed"),
    ],
)
def test_what_cannot_become_a_reminder_is_refused_with_the_reason(lines: list[str], reason: str) -> None:
    assert refusal(event(*lines)).startswith(reason)


@pytest.mark.parametrize("data", [b"", b"hello", b"\xff\xfe\x00", b"BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nEND:VCALENDAR"])
def test_a_file_that_is_no_calendar_is_refused(data: bytes) -> None:
    with pytest.raises(InvalidInputError, match="this is no calendar file"):
        read_ics(data, BERLIN, NOW)


def _is_of_its_rule(rule: Any, begin: datetime) -> bool:
    return next(iter(rrulestr(rule.to_ical().decode(), dtstart=begin)), None) == begin


@settings(max_examples=tries(300), deadline=None)
@given(st.data())
def test_a_trigger_fires_when_the_event_occurs(data: st.DataObject) -> None:
    """Every rule that is read into a trigger has the occurrences that another program finds."""
    freq = data.draw(st.sampled_from(["DAILY", "WEEKLY", "MONTHLY", "YEARLY"]))
    rule = f"FREQ={freq}"
    if (interval := data.draw(st.integers(1, 4))) > 1:
        rule += f";INTERVAL={interval}"
    days = data.draw(st.lists(st.sampled_from(["MO", "TU", "WE", "TH", "FR", "SA", "SU"]), max_size=3, unique=True))
    which = data.draw(st.sampled_from(["", "", "1", "2", "-1"])) if freq == "MONTHLY" else ""
    if days and freq != "YEARLY":
        rule += f";BYDAY={','.join(which + day for day in days)}"
    elif freq == "MONTHLY" and data.draw(st.booleans()):
        rule += f";BYMONTHDAY={data.draw(st.sampled_from(['1', '15,28', '31', '-1', '30']))}"
    zone = data.draw(st.sampled_from([BERLIN, "America/New_York", "Asia/Tokyo"]))
    begin = datetime(2026, 1, 1) + timedelta(days=data.draw(st.integers(0, 150)), hours=data.draw(st.integers(0, 23)))  # noqa: DTZ001
    offset = data.draw(st.sampled_from([0, 0, 15, 24 * 60]))
    text = event(
        f"DTSTART;TZID={zone}:{begin:%Y%m%dT%H%M%S}",
        f"RRULE:{rule}",
        *(alarm(f"TRIGGER:-PT{offset}M") if offset else []),
    )
    [found] = read_ics(text, BERLIN, NOW)
    parts = Calendar.from_ical(text).walk("VEVENT")[0]["RRULE"]
    if isinstance(found, RefusedEntry) or not _is_of_its_rule(parts, begin):
        return  # RFC 5545 leaves open whether a first time that the rule does not have is an occurrence
    first = first_run(found.trigger, NOW)
    assert first is not None
    mine = list(islice(fires_from(found.trigger, first), 12))
    span = (NOW, mine[-1] + timedelta(days=2))
    others = recurring_ical_events.of(Calendar.from_ical(text)).between(*span)
    # An alarm a day before is a day before on the clock, too.
    shift = timedelta(minutes=offset)
    starts = sorted({(each["DTSTART"].dt - shift).astimezone(UTC) for each in others})
    wanted = [each for each in starts if NOW < each <= mine[-1]]
    assert mine == wanted


OTHER = ["BEGIN:VEVENT", "UID:other", "SUMMARY:Other", "DTSTART:20260402T090000Z", "END:VEVENT"]
START = "DTSTART:20260401T090000Z"


@pytest.mark.parametrize("kind", ["VEVENT", "VTODO"])
@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        ([START, *alarm("TRIGGER:-PT999999999999H")], "its TRIGGER '-PT999999999999H' cannot be read"),
        ([START, *alarm("TRIGGER:soon")], "its TRIGGER 'soon' cannot be read"),
        (["DTSTART:soon"], "its DTSTART 'soon' cannot be read"),
        ([START, "DUE:soon"], "its DUE 'soon' cannot be read"),
        ([START, "DURATION:PT999999999999H"], "its DURATION 'PT999999999999H' cannot be read"),
        ([START, "RRULE:FREQ=DAILY", "EXDATE:soon"], "its EXDATE 'soon' cannot be read"),
        ([START, "RRULE:nonsense"], "its rule (RRULE) cannot be read"),
        ([START, "RECURRENCE-ID:soon"], "its RECURRENCE-ID 'soon' cannot be read"),
        ([START, "RRULE:FREQ=DAILY;INTERVAL=0"], "INTERVAL must be 1 or more"),
        ([START, "RRULE:FREQ=DAILY;INTERVAL=0;COUNT=3"], "INTERVAL must be 1 or more"),
        ([START, "RRULE:FREQ=DAILY;COUNT=0"], "COUNT must be 1 or more"),
        (["DTSTART;TZID=Mars/Olympus:20260401T090000"], "its time zone 'Mars/Olympus' is unknown"),
        (["DTSTART:99991231T235959Z", *alarm("TRIGGER:PT2H")], "outside the years 1 to 9999"),
        ([START, START], "it has several DTSTART"),
        ([START, "DTEND:20260401T100000Z", "DTEND:20260401T110000Z"], "it has several DTEND"),
        ([START, "RECURRENCE-ID:20260401T090000Z", "RECURRENCE-ID:20260402T090000Z"], "it has several RECURRENCE-ID"),
        ([START, *alarm("TRIGGER:-PT1M", "TRIGGER:-PT2M")], "it has several TRIGGER"),
    ],
)
@pytest.mark.parametrize("uid", [["UID:a@b"], []])
def test_what_cannot_be_read_refuses_its_entry_alone(kind: str, lines: list[str], reason: str, uid: list[str]) -> None:
    data = ics(*uid, "SUMMARY:Dentist", *lines, f"END:{kind}", *OTHER, f"BEGIN:{kind}", START, kind=kind)
    refused, other, _ = read_ics(data, BERLIN, NOW)
    assert isinstance(refused, RefusedEntry)
    assert reason in refused.reason
    assert "property" not in refused.reason
    assert isinstance(other, ImportedReminder)


@pytest.mark.parametrize("left", [40, 100, 130])
def test_a_file_that_is_cut_off_says_so(left: int) -> None:
    with pytest.raises(InvalidInputError, match=r"cut off: .*END:VCALENDAR"):
        read_ics(event(START, "DESCRIPTION:a longer text than others have")[:left], BERLIN, NOW)


def test_a_file_without_a_calendar_says_so() -> None:
    with pytest.raises(InvalidInputError, match="it has no BEGIN:VCALENDAR"):
        read_ics(b"hello", BERLIN, NOW)


OWN_RULES = """BEGIN:VTIMEZONE
TZID:{name}
BEGIN:STANDARD
DTSTART:16010101T030000
TZOFFSETFROM:+0200
TZOFFSETTO:+0100
RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=10
END:STANDARD
BEGIN:DAYLIGHT
DTSTART:16010101T020000
TZOFFSETFROM:+0100
TZOFFSETTO:+0200
RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=3
END:DAYLIGHT
END:VTIMEZONE
BEGIN:VEVENT"""


def _in_zone(name: str, *, with_rules: bool) -> bytes:
    data = event(f"DTSTART;TZID={name}:20260723T090000", f"DTEND;TZID={name}:20260723T100000")
    rules = OWN_RULES.format(name=name).replace("\n", "\r\n").encode()
    return data.replace(b"BEGIN:VEVENT", rules) if with_rules else data


@pytest.mark.parametrize("with_rules", [True, False])
def test_the_zones_of_outlook_are_known(*, with_rules: bool) -> None:
    found = one(_in_zone("W. Europe Standard Time", with_rules=with_rules))
    assert (found.zone, found.trigger) == (BERLIN, Once(datetime(2026, 7, 23, 7, tzinfo=UTC)))
    for name, zone in WINDOWS_TO_OLSON.items():
        assert one(_in_zone(name, with_rules=with_rules)).zone, (name, zone)


@pytest.mark.parametrize("with_rules", [True, False])
def test_a_zone_that_nobody_knows_is_named_as_the_file_has_it(*, with_rules: bool) -> None:
    told = refusal(_in_zone("Customized Time Zone", with_rules=with_rules))
    assert told == "its time zone 'Customized Time Zone' is unknown: use a name such as Europe/Berlin"
