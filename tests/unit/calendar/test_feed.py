"""The calendar of schedules, read by another program: its events are at the fires of the trigger, and at no others."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta
from itertools import takewhile
from typing import Any

import icalendar
import pytest
import recurring_ical_events
from hypothesis import given, settings
from hypothesis import strategies as st

from duly.cron import Cron, DayMatch
from duly.errors import DulyError
from duly.model.action import Job, Message
from duly.model.calendar import Month, Weekday
from duly.model.policy import Policy
from duly.model.run import Fire, Origin, Run, Status
from duly.model.trigger import Trigger
from duly.ports.codec import encode_action, encode_policy, encode_trigger
from duly.ports.records import StoredSchedule
from duly.recurrence import AnyOf, DayInterval, HourInterval, MinuteInterval, MonthInterval, Once, WeekInterval, Window
from duly.service.calendar import feed
from duly.service.calendar.feed import CalendarSource, calendar_pieces
from duly.service.calendar.rules import fires_from, rules_of
from tests.support import tries

NOW = datetime(2026, 3, 20, 7, 30, tzinfo=UTC)  # nine days before the clocks change in Europe
ZONES = ["UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata", "America/Sao_Paulo"]


def row(trigger: Trigger, **more: object) -> StoredSchedule:
    first = trigger.get_next_occurrence(NOW)
    fields: dict[str, object] = {
        "id": "sched_1",
        "namespace": "user:ana",
        "name": "water",
        "trigger": encode_trigger(trigger),
        "action": encode_action(Message(text="Water the plants")),
        "policy": encode_policy(Policy()),
        "handler": "message",
        "next_fire_at": first,
        "next_run_at": first,
        "version": 3,
        "created_at": NOW,
        "updated_at": NOW,
    }
    return StoredSchedule(**{**fields, **more})  # type: ignore[arg-type]


def make_calendar(sources: list[CalendarSource], now: datetime = NOW, *, rhythms: bool = False) -> bytes:
    return b"".join(calendar_pieces("duly", sources, now, rhythms=rhythms))


def parsed(*rows: StoredSchedule, runs: tuple[Run, ...] = (), rhythms: bool = False) -> icalendar.Calendar:
    sources = [CalendarSource(row=each, runs=runs) for each in rows]
    return icalendar.Calendar.from_ical(make_calendar(sources, rhythms=rhythms))


def events_of(calendar: icalendar.Calendar) -> list[Any]:
    """The events; the library's types do not say which property has which value."""
    return list(calendar.walk("VEVENT"))


def shown(calendar: icalendar.Calendar, start: datetime, end: datetime) -> list[datetime]:
    """The beginnings of events in [start, end), by another reader of calendars."""
    events = recurring_ical_events.of(calendar).between(start, end)
    found = sorted(each["DTSTART"].dt.astimezone(UTC) for each in events)
    return [each for each in found if start <= each < end]


def fires(trigger: Trigger, first: datetime, start: datetime, end: datetime) -> list[datetime]:
    """The fires in [start, end) of a series that begins with `first`."""
    series = takewhile(lambda fire: fire < end, fires_from(trigger, first))
    return [fire for fire in series if fire >= start]


times = st.builds(time, st.integers(0, 23), st.sampled_from([0, 15, 30, 59]))
weekdays = st.lists(st.sampled_from(Weekday), min_size=1, max_size=7, unique=True).map(tuple)


@st.composite
def crons(draw: st.DrawFn) -> Cron:
    hours = draw(st.lists(st.integers(0, 23), min_size=1, max_size=3, unique=True))
    dates = draw(st.just("*") | st.lists(st.integers(1, 31), min_size=1, max_size=3).map(_list))
    months = draw(st.just("*") | st.lists(st.integers(1, 12), min_size=1, max_size=3).map(_list))
    days = draw(st.just("*") | st.lists(st.integers(0, 6), min_size=1, max_size=5).map(_list))
    minute = draw(st.integers(0, 59))
    text = f"{minute} {_list(hours)} {dates} {months} {days}"
    zone, match = draw(st.sampled_from(ZONES)), draw(st.sampled_from(DayMatch))
    try:
        return Cron(text, tz=zone, day_match=match, dst=draw(st.sampled_from(["once", "wallclock"])))
    except DulyError:  # the 31st of February
        return Cron(f"{minute} {_list(hours)} * * *", tz=zone)


def _list(numbers: list[int]) -> str:
    return ",".join(map(str, sorted(set(numbers))))


intervals: st.SearchStrategy[Trigger] = st.one_of(
    st.builds(
        DayInterval,
        st.integers(1, 5),
        st.lists(times, min_size=1, max_size=3, unique=True).map(tuple),
        tz=st.sampled_from(ZONES),
    ),
    st.builds(
        WeekInterval,
        st.integers(1, 4),
        weekdays,
        st.lists(times, min_size=1, max_size=2, unique=True).map(tuple),
        tz=st.sampled_from(ZONES),
    ),
    st.builds(
        MonthInterval,
        st.integers(1, 4),
        on_day=st.integers(1, 31),
        on_times=times.map(lambda each: (each,)),
        tz=st.sampled_from(ZONES),
        anchor=st.just(datetime(2026, 1, 5, tzinfo=UTC)),
    ),
    st.builds(
        MonthInterval,
        on_first=st.sampled_from(Weekday),
        on_times=times.map(lambda each: (each,)),
        on_months=st.lists(st.sampled_from(Month), unique=True, max_size=3).map(tuple),
        tz=st.sampled_from(ZONES),
    ),
    st.builds(HourInterval, st.integers(1, 60)),
    st.builds(
        HourInterval,
        st.integers(1, 4),
        tz=st.sampled_from(ZONES),
        window=st.builds(Window, st.just(time(8)), st.just(time(18)), weekdays.map(frozenset)),
    ),
)


@settings(max_examples=tries(300), deadline=None)
@given(trigger=crons() | intervals, weeks=st.integers(0, 60))
def test_a_calendar_shows_the_fires_of_its_schedule(trigger: Trigger, weeks: int) -> None:
    """With a rule, anywhere in the next year and over clock changes; without one, the next ones up to a number."""
    first = trigger.get_next_occurrence(NOW)
    assert first is not None
    has_rule = bool(rules_of(trigger, first))
    start = NOW + timedelta(weeks=weeks) if has_rule else NOW
    end = start + timedelta(days=10)
    assert shown(parsed(row(trigger)), start, end) == fires(trigger, first, start, end)[: None if has_rule else 60]


@pytest.mark.parametrize(
    ("trigger", "rule"),
    [
        (Cron("30 9 * * mon-fri", tz="Europe/Berlin"), "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR"),
        (Cron("0 12 * * *", tz="Europe/Berlin"), "FREQ=DAILY"),
        (Cron("0 12 1 * *"), "FREQ=MONTHLY;BYMONTHDAY=1"),
        (Cron("0 12 24 12 *"), "FREQ=YEARLY;BYMONTHDAY=24;BYMONTH=12"),
        (DayInterval(3, (time(9),), tz="Europe/Berlin"), "FREQ=DAILY;INTERVAL=3"),
        (WeekInterval(2, (Weekday.MONDAY,), (time(9),)), "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO"),
        (MonthInterval(on_day=31, on_times=(time(9),)), "FREQ=MONTHLY;BYMONTHDAY=28,29,30,31;BYSETPOS=-1"),
        (MonthInterval(on_last=Weekday.FRIDAY, on_times=(time(9),)), "FREQ=MONTHLY;BYDAY=-1FR"),
        (HourInterval(36), "FREQ=HOURLY;INTERVAL=36"),
        (Cron("0 12 1 * mon"), None),  # on the 1st, and on Mondays
        (Cron("0 12 L * *"), None),
        (Cron("30 2 * * *", tz="Europe/Berlin"), None),  # the clocks skip this time once a year
    ],
)
def test_rules(trigger: Trigger, rule: str | None) -> None:
    events = events_of(parsed(row(trigger)))
    if rule is None:
        assert len(events) > 1
        assert all("RRULE" not in each for each in events)
        return
    [event] = events
    wanted = icalendar.vRecur.from_ical(rule)
    assert dict(event["RRULE"]) == dict(wanted)


def test_an_event_has_the_values_of_its_schedule() -> None:
    trigger = Cron("0 9 * * *", tz="Europe/Berlin")
    made = row(
        trigger,
        display_title="Plants 🌱",
        description="the big ones, too",
        start_at=NOW,
        end_at=NOW + timedelta(minutes=40),
        until_at=datetime(2026, 5, 1, tzinfo=UTC),
        calendar_event_id="abc@elsewhere",
    )
    calendar = parsed(made)
    [event] = events_of(calendar)
    assert (str(event["UID"]), int(event["SEQUENCE"]), str(event["SUMMARY"])) == ("abc@elsewhere", 3, "Plants 🌱")
    assert event["DURATION"].dt == timedelta(minutes=40)
    assert event["RRULE"]["UNTIL"] == [datetime(2026, 5, 1, tzinfo=UTC)]
    assert event["DTSTART"].params["TZID"] == "Europe/Berlin"
    assert str(event["STATUS"]) == "CONFIRMED"
    assert "the big ones, too" in str(event["DESCRIPTION"])
    [alarm] = event.walk("VALARM")
    assert alarm["TRIGGER"].dt == timedelta(0)
    head: Any = calendar
    assert str(head["X-WR-CALNAME"]) == "duly"
    assert head["REFRESH-INTERVAL"].dt == timedelta(hours=1)
    last = shown(calendar, datetime(2026, 4, 29, tzinfo=UTC), datetime(2026, 6, 1, tzinfo=UTC))
    assert last == [datetime(2026, 4, 29, 7, tzinfo=UTC), datetime(2026, 4, 30, 7, tzinfo=UTC)]


@given(st.text(st.sampled_from("\0\v\f\x1c\x1e\x7f\x85\u2028\u2029\r\n\t;,:\\ab "), max_size=200))
def test_no_text_ends_a_line_for_any_reader(text: str) -> None:
    """Readers differ in what ends a line: all that Python knows is tried here."""
    forged = f"x{text}END:VEVENT{text}BEGIN:VEVENT{text}UID:forged"
    made = row(Cron("0 9 * * *"), display_title=forged, description=forged)
    written = b"".join(calendar_pieces("duly", [CalendarSource(row=made)], NOW)).decode()
    assert written.splitlines() == written.removesuffix("\r\n").split("\r\n")
    assert written.splitlines().count("BEGIN:VEVENT") == 1


def test_several_times_a_day_are_several_events_with_stable_ids() -> None:
    made = row(Cron("0 9,17 * * *"))
    ids = [str(each["UID"]) for each in events_of(parsed(made))]
    assert ids == ["sched_1@duly-090000", "sched_1@duly-170000"]
    later = row(Cron("0 9,17 * * *"), next_fire_at=datetime(2026, 4, 2, 17, tzinfo=UTC))
    assert [str(each["UID"]) for each in events_of(parsed(later))] == ids


def test_a_number_of_runs_ends_the_series() -> None:
    made = row(Cron("0 9 * * *"), max_runs=5, fires=2)
    assert len(shown(parsed(made), NOW, NOW + timedelta(days=30))) == 3
    assert events_of(parsed(row(Cron("0 9 * * *"), max_runs=2, fires=2))) == []


def test_a_rhythm_is_left_out_unless_it_is_asked_for() -> None:
    made = row(MinuteInterval(5))
    assert events_of(parsed(made)) == []
    assert len(events_of(parsed(made, rhythms=True))) == 60
    assert events_of(parsed(row(HourInterval(1)))) != []


def test_what_does_not_fire_has_no_coming_events() -> None:
    for more in ({"enabled": False}, {"next_fire_at": None}, {"deleted_at": NOW}):
        assert events_of(parsed(row(Cron("0 9 * * *"), **more))) == []


def test_a_single_fire_keeps_the_id_of_its_event() -> None:
    made = row(Once(NOW + timedelta(days=200)), calendar_event_id="x@y")
    [event] = events_of(parsed(made))
    assert (str(event["UID"]), event["DTSTART"].dt) == ("x@y", NOW + timedelta(days=200))


def test_past_runs_have_a_status() -> None:
    job = row(Cron("0 9 * * *"), action=encode_action(Job("backup")), handler="job:backup", enabled=False)
    runs = tuple(
        Run(
            id=f"run_{status}",
            fire=Fire("sched_1", Origin.SCHEDULE, NOW - timedelta(days=1)),
            namespace="user:ana",
            name="water",
            handler="job:backup",
            status=status,
            due_at=NOW,
            started_at=NOW,
            finished_at=NOW + timedelta(minutes=3, microseconds=7),
        )
        for status in Status
    )
    events = {str(each["UID"]): each for each in events_of(parsed(job, runs=runs))}
    assert set(events) == {f"run_{status}@duly" for status in Status if status.final}
    well = events["run_succeeded@duly"]
    assert (str(well["SUMMARY"]), str(well["STATUS"]), well["DURATION"].dt) == (
        "✓ water",
        "CONFIRMED",
        timedelta(minutes=3),
    )
    assert (str(events["run_failed@duly"]["SUMMARY"]), str(events["run_missed@duly"]["STATUS"])) == (
        "✗ water",
        "CANCELLED",
    )
    assert not well.walk("VALARM")


def test_the_same_state_gives_the_same_bytes() -> None:
    sources = [CalendarSource(row=row(Cron("0 9 * * *", tz="Europe/Berlin")))]
    later = NOW + timedelta(minutes=5)
    assert make_calendar(sources) == make_calendar(sources, later)


@pytest.mark.parametrize("zone", [*ZONES, "Africa/Casablanca", "Europe/Dublin", "America/St_Johns"])
def test_the_offsets_of_a_zone_are_those_of_its_clocks(zone: str) -> None:
    """VTIMEZONE is for programs that do not know the name: read under another name, it has the same offsets."""
    from zoneinfo import ZoneInfo

    data = make_calendar([CalendarSource(row=row(Cron("7 12 * * *", tz=zone)))])
    if zone == "UTC":
        assert b"VTIMEZONE" not in data
        return
    renamed = data.replace(zone.encode(), f"Custom {zone.replace('/', ' ')}".encode())
    component: Any
    [component] = icalendar.Calendar.from_ical(renamed).walk("VTIMEZONE")
    here = component.to_tz()
    for day in range(0, 3 * 365, 5):
        for hour in (0, 7, 13):
            moment = datetime(2026, 1, 2, hour, 30) + timedelta(days=day)  # noqa: DTZ001
            aware = moment.replace(tzinfo=ZoneInfo(zone))
            if aware.astimezone(UTC).astimezone(ZoneInfo(zone)).replace(tzinfo=None) == moment:
                assert here.utcoffset(moment) == aware.utcoffset(), moment


LAST = datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC)


@pytest.mark.parametrize("back", [timedelta(0), timedelta(minutes=14), timedelta(hours=2), timedelta(days=1)])
def test_a_fire_at_the_end_of_the_calendar_hides_no_other(back: timedelta) -> None:
    near = row(Once(NOW + timedelta(hours=1)), id="sched_near")
    found = events_of(parsed(row(Once(LAST - back), id="sched_far"), near))
    assert ["sched_near@duly" in each["UID"] for each in found][-1]
    assert len(found) == (1 if back < timedelta(minutes=15) else 2)


@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize("expression", ["0 9 * * *", "0 23 31 12 *", "30 23 * * 1-5", "0 * * * *"])
@pytest.mark.parametrize("year", [9980, 9995, 9998, 9999])
def test_series_that_begin_near_the_end_of_the_calendar_are_shown(zone: str, expression: str, year: int) -> None:
    trigger = Cron(expression, tz=zone)
    first = trigger.get_next_occurrence(datetime(year, 6, 1, tzinfo=UTC))
    begins = [each["DTSTART"].dt.astimezone(UTC) for each in events_of(parsed(row(trigger, next_fire_at=first)))]
    assert min(begins, default=None) == first  # none where the local time lies beyond the end of UTC


def test_a_full_calendar_has_the_next_fire_of_each_schedule(monkeypatch: pytest.MonkeyPatch) -> None:
    """How many events there are does not depend on how many times schedules name: of the last ones there is one."""
    monkeypatch.setattr(feed, "MOST_EVENTS", 150)
    trigger = AnyOf(*(Once(NOW + timedelta(days=each)) for each in range(1, 80)))
    rows = [row(trigger, id=f"sched_{each}") for each in range(20)]
    shown = [str(each["UID"]).partition("@")[0] for each in events_of(parsed(*rows))]
    assert [shown.count(each.id) for each in rows] == [60, 60, *([1] * 18)]


def test_a_long_text_is_cut_because_every_event_has_it() -> None:
    trigger = AnyOf(*(Once(NOW + timedelta(days=each)) for each in range(1, 60)))
    long = row(trigger, action=encode_action(Message(text="x" * 20_000)), description="y" * 10_000)
    assert len(make_calendar([CalendarSource(row=long)])) < 59 * 2_500
    event = events_of(parsed(long))[0]
    assert event["SUMMARY"] == "x" * 500 + "…"
    assert event["DESCRIPTION"].startswith("y" * 500 + "…\n")
    assert event["DESCRIPTION"].endswith(f"{long.namespace}/{long.name} ({long.id})")
