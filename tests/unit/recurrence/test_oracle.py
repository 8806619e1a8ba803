"""Every answer beside one found by walking real time: calendar intervals, listed hours and windows, in hard zones."""

from datetime import UTC, datetime, timedelta

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from duly.model.trigger import Trigger
from duly.recurrence import DayInterval, HourInterval, MinuteInterval, MonthInterval, WeekInterval, Window
from tests.unit.recurrence import oracle
from tests.unit.recurrence.strategies import dated, legal, moments, policies, some, windows, zones

HORIZON = {DayInterval: timedelta(days=15), WeekInterval: timedelta(days=40), MonthInterval: timedelta(days=100)}


def walked(trigger: Trigger, base: datetime, end: datetime) -> list[datetime]:
    found = []
    current = trigger.get_next_occurrence(base)
    while current is not None and current <= end:
        found.append(current)
        current = trigger.get_next_occurrence(current)
    return found


@settings(deadline=None)
@given(
    dated(st.none() | windows(), st.none() | moments(timedelta(days=60))),
    moments(),
    st.booleans(),
)
def test_calendar_intervals(interval: oracle.Calendar, base: datetime, from_a_slot: bool) -> None:
    if from_a_slot:
        base = interval.get_next_occurrence(base) or base
    end = base + HORIZON[type(interval)]
    expected = oracle.series(interval, base, end)
    assume(expected is not None)
    assert walked(interval, base, end) == expected


@settings(deadline=None)
@given(st.integers(1, 30), some(st.integers(0, 23), 4), st.sampled_from([0, 15, 30, 45]), zones, policies, moments())
def test_listed_hours(step: int, hours: tuple[int, ...], minute: int, zone: str, dst: str, current: datetime) -> None:
    interval = HourInterval(step, hours or (2,), minute, tz=zone, dst=dst)
    base = current + timedelta(hours=step)
    face = base.astimezone(interval.zone.tzinfo)
    start = base - timedelta(minutes=face.minute, seconds=face.second, microseconds=face.microsecond)

    def named(face: datetime) -> bool:
        return face.hour in interval.on_hours and face.minute == minute

    due = oracle.events(zone, dst, named, start, start + timedelta(days=4))
    assert interval.get_next_occurrence(current) == next(at for at, _ in due)


@settings(deadline=None)
@given(st.integers(1, 90), windows(), zones, moments())
def test_windows_of_elapsed_time(step: int, window: Window, zone: str, base: datetime) -> None:
    interval = MinuteInterval(step, tz=zone, window=window)
    end = base + timedelta(days=3)
    expected = sorted(
        slot
        for opening, closing in oracle.windows(zone, window, base, end + timedelta(days=3))
        for number in range((closing - opening) // timedelta(minutes=step) + 1)
        if base < (slot := opening + number * timedelta(minutes=step)) <= end
    )
    assert walked(interval, base, end) == expected


@settings(deadline=None)
@given(legal(HourInterval, {"interval": st.integers(1, 30), "on_minute": st.integers(0, 59), "tz": zones}), moments())
def test_alignment_of_elapsed_hours(interval: HourInterval, current: datetime) -> None:
    """The clock shows the minute, less than an hour away from the plain sum unless it changes just then."""
    found = interval.get_next_occurrence(current)
    assert found is not None
    assert found > current
    assert found.astimezone(interval.zone.tzinfo).minute == interval.on_minute
    assert (found.second, found.microsecond) == (0, 0)
    base = current + timedelta(hours=interval.interval)
    around = timedelta(hours=2)
    changes = list(interval.zone.transitions(base - around, base + around))
    assert abs(found - base) < (timedelta(hours=26) if changes else timedelta(hours=1))


def test_the_oracle_itself_knows_a_skipped_day() -> None:
    interval = DayInterval(tz="Pacific/Apia")
    base = datetime(2011, 12, 29, 9, tzinfo=UTC)
    found = oracle.series(interval, base, base + timedelta(days=2))
    assert found == [datetime(2011, 12, 29, 10, tzinfo=UTC), datetime(2011, 12, 30, 10, tzinfo=UTC)]
