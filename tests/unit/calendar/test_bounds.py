"""What a calendar file says never decides how much is expanded: the work for each entry is bounded by a count."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from duly.errors import InvalidInputError
from duly.expansion import MOST_STEPS
from duly.service.calendar.entries import ImportedReminder, RefusedEntry
from duly.service.calendar.ics import MOST_ENTRIES, read_ics

NOW = datetime(2026, 11, 15, 10, tzinfo=UTC)
ZONE = "America/New_York"
START = f"DTSTART;TZID={ZONE}:20261201T090000"
OLD = f"DTSTART;TZID={ZONE}:00020101T090000"


def file(*lines: str, entries: int = 1) -> bytes:
    body = "".join(
        f"BEGIN:VEVENT\r\nUID:{each}\r\n" + "\r\n".join(lines) + "\r\nEND:VEVENT\r\n" for each in range(entries)
    )
    return f"BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:x\r\n{body}END:VCALENDAR\r\n".encode()


def alarms(number: int) -> list[str]:
    return [f"BEGIN:VALARM\r\nACTION:DISPLAY\r\nTRIGGER:-PT{each}M\r\nEND:VALARM" for each in range(number)]


def days(number: int) -> str:
    return ",".join(f"{NOW + timedelta(days=each):%Y%m%dT090000}" for each in range(number))


def reasons(data: bytes) -> set[str]:
    return {each.reason for each in read_ics(data, ZONE, NOW) if isinstance(each, RefusedEntry)}


TOO_MANY = (
    f"COUNT 1000000000 in its rule is more than {MOST_STEPS}: "
    "give it a smaller COUNT, or none, to repeat without an end"
)
USED_UP = f"it takes more than {MOST_STEPS} steps to work out: shorten its rule, or leave out alarms and exceptions"


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        (
            [START, "RRULE:FREQ=DAILY;COUNT=1000000000"],
            TOO_MANY,
        ),
        ([START, "RRULE:FREQ=DAILY;BYSETPOS=7"], USED_UP),
        ([START, "RRULE:FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30;COUNT=5"], USED_UP),
        ([START, f"EXDATE;TZID={ZONE}:{days(2000)}", "RRULE:FREQ=DAILY;COUNT=3000", *alarms(60)], USED_UP),
        (
            [START, "RRULE:FREQ=DAILY;BYDAY=" + ",".join(["MO"] * 400)],
            "BYDAY has 400 values in its rule, at most 366 are taken",
        ),
    ],
)
def test_an_entry_that_names_too_much_is_refused_by_itself(lines: list[str], reason: str) -> None:
    assert reason in reasons(file(*lines))


@pytest.mark.parametrize(
    "lines",
    [
        [START, "RRULE:FREQ=DAILY;UNTIL=99991230T000000Z"],
        [OLD, "RRULE:FREQ=DAILY", *alarms(30)],
        [OLD, "RRULE:FREQ=WEEKLY;INTERVAL=2;UNTIL=99991230T000000Z", *alarms(20)],
        [START, "RRULE:FREQ=DAILY;COUNT=9000", *alarms(30)],
        [START, "RRULE:FREQ=DAILY;INTERVAL=1000000000"],
    ],
)
def test_what_is_far_away_costs_nothing(lines: list[str]) -> None:
    found = read_ics(file(*lines), ZONE, NOW)
    assert all(isinstance(each, ImportedReminder) for each in found), found[0]


def test_until_is_the_last_time_and_not_the_end_of_the_rule() -> None:
    [found] = read_ics(file(START, "RRULE:FREQ=WEEKLY;UNTIL=20991231T000000Z"), ZONE, NOW)
    assert isinstance(found, ImportedReminder)
    assert found.until_at == datetime(2099, 12, 29, 14, tzinfo=UTC)


def test_alarms_count_as_the_reminders_that_they_are() -> None:
    assert len(read_ics(file(START, *alarms(10), entries=200), ZONE, NOW)) == MOST_ENTRIES
    with pytest.raises(InvalidInputError, match=f"make more than {MOST_ENTRIES} reminders: import it in parts"):
        read_ics(file(START, *alarms(10), entries=201), ZONE, NOW)


def test_a_week_begins_where_the_rule_says() -> None:
    """`WKST` moves the second of two weekdays into another week, where only every other week counts."""
    lines = [START, "RRULE:FREQ=WEEKLY;INTERVAL=2;BYDAY=SU,TU;COUNT=4"]
    found = [read_ics(file(lines[0], lines[1] + more), ZONE, NOW)[0] for more in ("", ";WKST=SU")]
    monday, sunday = [each.trigger.describe() for each in found if isinstance(each, ImportedReminder)]
    assert monday != sunday
