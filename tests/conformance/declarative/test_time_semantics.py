"""Operational Model & Time Semantics: the clock, the minute, the zone, and the days on which clocks change."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from duly.clock import host_zone
from duly.declarative import Scheduler
from duly.errors import UnknownTimezoneError
from duly.ports.records import Claimed
from duly.zones import Zone
from tests.conformance.declarative.harness import DELAY, EVERY_MINUTE, SchedulerHarness, at, scheduled

BERLIN, NEW_YORK, LORD_HOWE = "Europe/Berlin", "America/New_York", "Australia/Lord_Howe"
NOW = datetime(2026, 6, 1, tzinfo=UTC)


def local(zone: str, *parts: int) -> datetime:
    return datetime(*parts, tzinfo=ZoneInfo(zone)).astimezone(UTC)  # type: ignore[arg-type,misc]


@scheduled
async def test_schedules_are_evaluated_at_each_minute_boundary(harness: SchedulerHarness) -> None:
    harness.clock.advance(17.5)
    await harness.start()
    await harness.travel(minutes=3)
    assert harness.work().calls == [at(10, 0, 17.5), at(10, 1), at(10, 2), at(10, 3)]


@scheduled
async def test_due_tasks_are_handled_in_parallel(harness: SchedulerHarness) -> None:
    names = ["a", "b", "c"]
    await harness.start_all(*((name, EVERY_MINUTE, harness.work(name, seconds=30), DELAY) for name in names))
    assert [harness.work(name).calls for name in names] == [[at(10, 0)]] * 3
    for name in names:
        harness.work(name, seconds=30)
    await harness.travel(seconds=30)
    assert [harness.work(name).ended for name in names] == [[at(10, 0, 30)]] * 3


@pytest.fixture
def host_clock(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    """Lets the host show the time of a zone without telling its name."""

    def show(zone: str) -> None:
        monkeypatch.setenv("TZ", zone)
        time.tzset()

    monkeypatch.setattr("tzlocal.get_localzone_name", lambda: None)
    yield show
    monkeypatch.undo()
    time.tzset()


def test_the_zone_is_that_of_the_host_by_name(
    harness: SchedulerHarness,
    monkeypatch: pytest.MonkeyPatch,
    host_clock: Callable[[str], None],
    caplog: pytest.LogCaptureFixture,
) -> None:
    host_clock(BERLIN)
    monkeypatch.setattr("tzlocal.get_localzone_name", lambda: BERLIN)
    assert Scheduler(harness.store).tz == BERLIN
    assert caplog.text == ""


@pytest.mark.parametrize(
    "told", ["Etc/UTC", "Mars/Phobos", "", None, LookupError("no /etc/localtime"), OSError("no"), ValueError("two")]
)
def test_a_name_whose_zone_does_not_show_the_time_of_the_host_is_not_believed(
    told: object, monkeypatch: pytest.MonkeyPatch, host_clock: Callable[[str], None]
) -> None:
    def tell() -> object:
        if isinstance(told, Exception):
            raise told
        return told

    host_clock(f":{NEW_YORK}")
    monkeypatch.setattr("tzlocal.get_localzone_name", tell)
    assert host_zone(NOW) == NEW_YORK


@pytest.mark.parametrize(
    ("shown", "like"),
    [("CET-1CEST,M3.5.0,M10.5.0/3", BERLIN), ("<+03>-3", "Etc/GMT-3"), ("EST5EDT,M3.2.0,M11.1.0", NEW_YORK)],
)
def test_a_host_whose_zone_has_no_name_is_in_one_that_shows_the_same_time(
    shown: str, like: str, host_clock: Callable[[str], None], caplog: pytest.LogCaptureFixture
) -> None:
    host_clock(shown)
    found, expected = ZoneInfo(host_zone(NOW)), ZoneInfo(like)
    hours = [datetime(2026, 1, 1, tzinfo=UTC) + timedelta(hours=each) for each in range(365 * 24)]
    assert [each.astimezone(found).utcoffset() for each in hours] == [
        each.astimezone(expected).utcoffset() for each in hours
    ]
    assert "the host's time zone has no name" in caplog.text


@pytest.mark.parametrize("name", ["Mars/Base", ":Europe/Berln", "Berlin"])
def test_a_name_that_no_zone_has_is_not_taken_for_utc(name: str, host_clock: Callable[[str], None]) -> None:
    """The C library takes UTC for it without a word; here the look-up refuses it."""
    host_clock(name)
    with pytest.raises(UnknownTimezoneError, match="unknown time zone"):
        Zone.of(host_zone(NOW))


def test_a_host_in_no_known_zone_is_in_utc(host_clock: Callable[[str], None], caplog: pytest.LogCaptureFixture) -> None:
    host_clock("XYZ-1:17")
    assert host_zone(NOW) == "UTC"
    assert "the host's time zone is unknown" in caplog.text


@scheduled
async def test_all_times_are_those_of_the_zone(harness: SchedulerHarness) -> None:
    await harness.start("0 14 * * *", tz=BERLIN)
    await harness.travel(days=1)
    assert harness.work().clock_faces(BERLIN) == ["01 14:00+0200"]


# Clocks go forward: the minutes in between do not exist on that day.


@pytest.mark.parametrize(
    ("zone", "day", "cron", "expected"),
    [
        (BERLIN, (2026, 3, 28), "30 2 * * *", ["28 02:30+0100", "30 02:30+0200"]),
        (NEW_YORK, (2026, 3, 7), "30 2 * * *", ["07 02:30-0500", "09 02:30-0400"]),
        (LORD_HOWE, (2026, 10, 3), "15 2 * * *", ["03 02:15+1030", "05 02:15+1100"]),
    ],
)
@scheduled
async def test_tasks_in_the_skipped_hour_must_not_execute_that_day(
    harness: SchedulerHarness, zone: str, day: tuple[int, int, int], cron: str, expected: list[str]
) -> None:
    harness.clock.step(local(zone, *day) - harness.clock.now())
    await harness.start(cron, tz=zone)
    await harness.travel(hours=72)
    assert harness.work().clock_faces(zone) == expected


# Clocks go back: the minutes in between happen twice.


@pytest.mark.parametrize(
    ("zone", "day", "cron", "expected"),
    [
        (BERLIN, (2026, 10, 25), "30 2 * * *", ["25 02:30+0200", "25 02:30+0100"]),
        (NEW_YORK, (2026, 11, 1), "30 1 * * *", ["01 01:30-0400", "01 01:30-0500"]),
        (LORD_HOWE, (2026, 4, 5), "45 1 * * *", ["05 01:45+1100", "05 01:45+1030"]),
    ],
)
@scheduled
async def test_tasks_in_the_repeated_hour_must_execute_both_times(
    harness: SchedulerHarness, zone: str, day: tuple[int, int, int], cron: str, expected: list[str]
) -> None:
    harness.clock.step(local(zone, *day) - harness.clock.now())
    await harness.start(cron, tz=zone)
    await harness.travel(hours=24)
    assert harness.work().clock_faces(zone) == expected


@scheduled
async def test_scheduling_continues_after_a_transition_without_a_restart(harness: SchedulerHarness) -> None:
    harness.clock.step(local(BERLIN, 2026, 3, 28, 12) - harness.clock.now())
    await harness.start("0 9 * * *", tz=BERLIN)
    await harness.travel(days=3)
    assert harness.work().clock_faces(BERLIN) == ["29 09:00+0200", "30 09:00+0200", "31 09:00+0200"]


@scheduled
async def test_every_minute_means_every_minute_on_the_day_of_a_transition(harness: SchedulerHarness) -> None:
    harness.clock.step(local(BERLIN, 2026, 10, 25, 1, 59) - harness.clock.now())
    await harness.start("0,30 * * * *", tz=BERLIN)
    await harness.travel(hours=2, minutes=1)
    assert harness.work().clock_faces(BERLIN) == [
        "25 02:00+0200",
        "25 02:30+0200",
        "25 02:00+0100",
        "25 02:30+0100",
        "25 03:00+0100",
    ]


@scheduled
async def test_downtime_over_a_transition_is_made_up_once(harness: SchedulerHarness) -> None:
    harness.clock.step(local(BERLIN, 2026, 10, 25, 0, 30) - harness.clock.now())
    scheduler = await harness.start("30 * * * *", tz=BERLIN)
    await scheduler.stop()
    await harness.travel(hours=4)
    await harness.start("30 * * * *", tz=BERLIN)
    await harness.travel(minutes=10)
    assert harness.work().clock_faces(BERLIN) == ["25 00:30+0200", "25 03:30+0100"]


# No Make-Up Execution Policy


@scheduled
async def test_four_missed_executions_must_run_only_once_when_the_scheduler_resumes(harness: SchedulerHarness) -> None:
    cron = "15,30,45,0 * * * *"
    scheduler = await harness.start(cron)
    await harness.travel(minutes=5)
    await scheduler.stop()
    await harness.travel(hours=1)
    await harness.start(cron)
    assert harness.work().calls == [at(10, 0), at(11, 5)]
    await harness.travel(minutes=9)
    assert len(harness.work().calls) == 2
    await harness.travel(minutes=1)
    assert harness.work().calls[2:] == [at(11, 15)]


@scheduled
async def test_a_machine_that_slept_makes_up_once(harness: SchedulerHarness) -> None:
    await harness.start()
    harness.clock.suspend(timedelta(hours=5, seconds=12))
    await harness.travel(minutes=2)
    assert harness.work().calls == [at(10, 0), at(15, 0, 17), at(15, 1), at(15, 2)]


@scheduled
async def test_a_wall_clock_that_is_set_back_a_little_neither_loses_nor_repeats_a_minute(
    harness: SchedulerHarness,
) -> None:
    scheduler = await harness.start()
    engine = scheduler._engine
    assert engine is not None
    begin = engine.work.start

    def set_back(claimed: Iterable[Claimed], *, at_once: bool = False) -> None:
        runs = list(claimed)
        if runs:
            harness.clock.step(-timedelta(milliseconds=50))  # between the decision and the act
        begin(runs, at_once=at_once)

    engine.work.start = set_back  # type: ignore[method-assign]
    harness.work(fails=True)
    await harness.travel(minutes=1, milliseconds=50)
    assert harness.work().calls == [at(10, 0), at(10, 1)]
    assert scheduler.tasks["a"].last_attempt_at == at(10, 1)
    assert scheduler.tasks["a"].pending_retry_until == at(10, 6)
    harness.relax()
    await harness.travel(seconds=61)
    assert len(harness.work().calls) == 3


@scheduled
async def test_an_attempt_made_while_the_clock_was_far_ahead_does_not_silence_the_task(
    harness: SchedulerHarness,
) -> None:
    scheduler = await harness.start("0 * * * *")
    harness.clock.step(timedelta(days=400))
    await harness.travel(hours=1)
    await scheduler.stop()
    harness.clock.step(-timedelta(days=400))
    await harness.start("0 * * * *")
    await harness.travel(hours=2, minutes=30)
    assert harness.work().calls[3:] == [at(12, 0), at(13, 0)]


# Startup Semantics


@pytest.mark.parametrize("second", [0.0, 17.0, 59.0, 59.999])
@scheduled
async def test_a_first_start_executes_immediately_if_the_current_minute_matches(
    harness: SchedulerHarness, second: float
) -> None:
    harness.clock.advance(second)
    await harness.start("0 10 * * *")
    assert harness.work().calls == [at(10, 0, second)]
    await harness.travel(days=1)
    assert harness.work().calls[1:] == [at(10, 0, day=2)]


@pytest.mark.parametrize("cron", ["1 10 * * *", "59 9 * * *", "0 9 * * *", "0 10 2 * *", "0 10 * * 2"])
@scheduled
async def test_a_first_start_executes_only_if_the_current_minute_matches_exactly(
    harness: SchedulerHarness, cron: str
) -> None:
    harness.clock.advance(0.5)
    await harness.start(cron)
    await harness.travel(seconds=30)
    assert harness.work().calls == []


@scheduled
async def test_a_first_start_schedules_the_next_future_occurrence(harness: SchedulerHarness) -> None:
    await harness.start("30 11 * * *")
    await harness.travel(hours=2)
    assert harness.work().calls == [at(11, 30)]


@scheduled
async def test_a_restart_continues_from_the_last_known_times(harness: SchedulerHarness) -> None:
    scheduler = await harness.start("0,30 * * * *")
    await harness.travel(minutes=10)
    await scheduler.stop()
    await harness.travel(minutes=10)
    again = await harness.start("0,30 * * * *")
    assert again.tasks["a"].last_attempt_at == again.tasks["a"].last_success_at == at(10, 0)
    await harness.travel(minutes=15)
    assert harness.work().calls == [at(10, 0), at(10, 30)]


@scheduled
async def test_a_restart_within_the_minute_it_ran_in_does_not_run_it_again(harness: SchedulerHarness) -> None:
    scheduler = await harness.start("0 10 * * *")
    await harness.travel(seconds=20)
    await scheduler.stop()
    await harness.start("0 10 * * *")
    assert harness.work().calls == [at(10, 0)]
