"""What is told about clock changes is what then happens."""

from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest

from duly.cron import Cron
from duly.cron.surprises import Surprise, SurpriseKind, surprises
from duly.errors import NaiveDatetimeError
from duly.zones import Zone


def _year(expression: str, tz: str, year: int, dst: str | None = None) -> list[Surprise]:
    cron = Cron(expression, tz=tz, dst=dst)
    return surprises(cron, datetime(year, 1, 1, tzinfo=UTC), datetime(year + 1, 1, 1, tzinfo=UTC))


def _texts(expression: str, tz: str, year: int, dst: str | None = None) -> list[str]:
    return [surprise.text for surprise in _year(expression, tz, year, dst)]


def test_a_surprise_carries_its_facts() -> None:
    spring, autumn = _year("30 2 * * *", "Europe/Berlin", 2027)
    assert spring == Surprise(
        datetime(2027, 3, 28, 1, tzinfo=UTC),
        SurpriseKind.MOVED,
        datetime(2027, 3, 28, 2, 30),  # noqa: DTZ001  # a clock face
        1,
        "02:30 does not exist on 2027-03-28 in Europe/Berlin: it runs at 03:00 instead",
    )
    assert autumn.kind == "once"
    assert autumn.text == "02:30 happens twice on 2027-10-31 in Europe/Berlin: it runs once, at the first"


def test_wallclock_skips_and_repeats() -> None:
    assert _texts("30 2 * * *", "America/New_York", 2027, "wallclock") == [
        "02:30 does not exist on 2027-03-14 in America/New_York: it does not run",
    ]
    assert _texts("30 1 * * *", "America/New_York", 2027, "wallclock") == [
        "01:30 happens twice on 2027-11-07 in America/New_York: it runs twice",
    ]


def test_several_times_are_told_as_one() -> None:
    assert _texts("*/10 2 * * *", "Europe/Berlin", 2027) == [
        "02:00 to 02:50 (6 times) do not exist on 2027-03-28 in Europe/Berlin: they do not run",
        "02:00 to 02:50 (6 times) happen twice on 2027-10-31 in Europe/Berlin: each runs twice, 12 runs in all",
    ]
    assert _texts("0,30 2 * * *", "Europe/Berlin", 2027) == [
        "02:00 and 02:30 do not exist on 2027-03-28 in Europe/Berlin: they run once, at 03:00",
        "02:00 and 02:30 happen twice on 2027-10-31 in Europe/Berlin: each runs once, at the first",
    ]


def test_a_run_that_comes_anyway_stands_for_the_missing_one() -> None:
    assert _texts("0 2,3 * * *", "Europe/Berlin", 2027)[0] == (
        "02:00 does not exist on 2027-03-28 in Europe/Berlin: the run at 03:00 stands for it"
    )
    assert _texts("0,30 2,3 * * *", "Europe/Berlin", 2027)[0] == (
        "02:00 and 02:30 do not exist on 2027-03-28 in Europe/Berlin: the run at 03:00 stands for them"
    )


def test_half_an_hour_is_a_change_too() -> None:
    assert _texts("15 2 * * *", "Australia/Lord_Howe", 2027) == [
        "02:15 does not exist on 2027-10-03 in Australia/Lord_Howe: it runs at 02:30 instead",
    ]
    assert _texts("0 * * * *", "Australia/Lord_Howe", 2027) == [
        "02:00 does not exist on 2027-10-03 in Australia/Lord_Howe: it does not run",
    ]


def test_a_day_that_never_was() -> None:
    assert _texts("0 9 * * *", "Pacific/Apia", 2011) == [
        "09:00 does not exist on 2011-12-30 in Pacific/Apia: it runs at 00:00 on 2011-12-31 instead",
    ]
    assert _texts("0 9 * * *", "Pacific/Apia", 2011, "wallclock") == [
        "09:00 does not exist on 2011-12-30 in Pacific/Apia: it does not run",
    ]


def test_seconds_are_told_where_there_are_any() -> None:
    cron = Cron("15 30 2 * * *", dialect="seconds", tz="Europe/Berlin")
    found = surprises(cron, datetime(2027, 1, 1, tzinfo=UTC), datetime(2027, 6, 1, tzinfo=UTC))
    assert [surprise.text for surprise in found] == [
        "02:30:15 does not exist on 2027-03-28 in Europe/Berlin: it runs at 03:00 instead",
    ]


@pytest.mark.parametrize(
    "expression",
    [
        "* * * * *",
        "*/5 * * * *",
        "*/7 * * * *",
        "0 * * * *",
        "0,5,30 * * * *",
        "* 1-3 * * *",
        "0 9 * * *",
        "30 2 * * 1",
    ],
)
@pytest.mark.parametrize("dst", ["once", "wallclock"])
def test_what_goes_on_as_usual_is_no_surprise(expression: str, dst: str) -> None:
    assert _year(expression, "Europe/Berlin", 2027, dst) == []


@pytest.mark.parametrize("expression", ["*/10 2-4 * * *", "*/10 0-2 * * *"])
def test_a_rhythm_that_begins_or_ends_in_the_missing_hour_loses_part_of_itself(expression: str) -> None:
    found = [(surprise.kind, surprise.count) for surprise in _year(expression, "Europe/Berlin", 2027)]
    assert found == [(SurpriseKind.SKIPPED, 6), (SurpriseKind.REPEATED, 6)]


def test_fixed_hours_that_look_like_a_rhythm_fall_silent_once() -> None:
    assert [surprise.kind for surprise in _year("0 0-23 * * *", "Europe/Berlin", 2027)] == ["once"]
    assert _year("0 0-23 * * *", "Europe/Berlin", 2027, "wallclock") == []


def test_the_range_is_half_open() -> None:
    cron = Cron("30 2 * * *", tz="Europe/Berlin")
    change = datetime(2027, 3, 28, 1, tzinfo=UTC)
    assert len(surprises(cron, change, change + timedelta(seconds=1))) == 1
    assert surprises(cron, change - timedelta(days=30), change) == []


def test_utc_knows_no_surprises() -> None:
    assert _year("30 2 * * *", "UTC", 2027) == []


def test_a_naive_time_names_no_range() -> None:
    with pytest.raises(NaiveDatetimeError):
        surprises(Cron("30 2 * * *"), datetime(2027, 1, 1), datetime(2028, 1, 1, tzinfo=UTC))  # noqa: DTZ001


# Now the same, asked of the fires themselves.

PLACES = (
    ("Europe/Berlin", 2027),
    ("America/New_York", 2027),
    ("Australia/Lord_Howe", 2027),
    ("Pacific/Apia", 2011),
    ("America/Santiago", 2027),
    ("Antarctica/Troll", 2027),
)
EXPRESSIONS = (
    *("* * * * *", "*/5 * * * *", "*/20 * * * *", "*/7 * * * *", "0 * * * *", "30 */2 * * *", "0 */3 * * *"),
    *("*/10 2 * * *", "*/10 2-4 * * *", "*/10 0-2 * * *", "* 1-3 * * *", "0,5,30 * * * *"),
    *("0 2 * * *", "30 2 * * *", "15 1 * * *", "15 2 * * *", "0 0 * * *", "30 23 * * *", "30 0 * * *", "45 1 * * *"),
    *("0,30 2 * * *", "0 1-5 * * *", "15 0-23 * * *", "0 0-23 * * *", "0 9,21 * * *", "30 2 * * 0", "0 2,3 * * *"),
)


def _faces(expression: str, start: datetime, end: datetime) -> list[datetime]:
    """The clock faces in [start, end) that an expression names: the fires of its twin in UTC, where all exist."""
    twin = Cron(expression).between(start.replace(tzinfo=UTC) - timedelta(seconds=1), end.replace(tzinfo=UTC))
    return [face for at in twin if (face := at.replace(tzinfo=None)) < end]


def _fires(cron: Cron, start: datetime, end: datetime) -> list[datetime]:
    """The instants in [start, end) at which it fires."""
    return [at for fire in cron.between(start - timedelta(seconds=1), end) if (at := fire.astimezone(UTC)) < end]


@pytest.mark.parametrize(("tz", "year"), PLACES)
@pytest.mark.parametrize("expression", EXPRESSIONS)
@pytest.mark.parametrize("dst", ["once", "wallclock"])
def test_fires_bear_it_out(expression: str, tz: str, year: int, dst: str) -> None:
    cron = Cron(expression, tz=tz, dst=dst)
    told = {surprise.at: surprise for surprise in _year(expression, tz, year, dst)}
    changes = Zone.of(tz).transitions(datetime(year, 1, 1, tzinfo=UTC), datetime(year + 1, 1, 1, tzinfo=UTC))
    for at, before, after in changes:
        shift = abs(after - before)
        face = at.replace(tzinfo=None)
        named = _faces(expression, face + min(before, after), face + max(before, after))
        surprise = told.pop(at, None)
        if surprise is None:
            if named:
                _assert_nobody_notices(cron, at)
            continue
        assert (surprise.local, surprise.count) == (named[0], len(named))
        _assert_it_happens(cron, surprise.kind, at, shift, named)
    assert told == {}


def _assert_it_happens(cron: Cron, kind: str, at: datetime, shift: timedelta, named: list[datetime]) -> None:
    if kind in {"skipped", "moved"}:
        # What happens at the instant of the change is a moved run, unless the new time is one that is named.
        fires_then = bool(_fires(cron, at, at + timedelta(seconds=1)))
        end = at.astimezone(Zone.of(cron.tz).tzinfo).replace(tzinfo=None)
        assert fires_then == (kind == "moved" or bool(_faces(cron.expression, end, end + timedelta(seconds=1))))
        local = [fire.astimezone(Zone.of(cron.tz).tzinfo).replace(tzinfo=None) for fire in _fires(cron, at - shift, at)]
        assert not set(local) & set(named)
    else:
        first, second = _fires(cron, at - shift, at), _fires(cron, at, at + shift)
        assert len(first) == len(named)
        assert len(second) == (len(named) if kind == "repeated" else 0)


def _assert_nobody_notices(cron: Cron, at: datetime) -> None:
    """Run follows run at distances that are also usual on the days before."""
    around = _fires(cron, at - timedelta(hours=4), at + timedelta(hours=4))
    usual = _fires(cron, at - timedelta(days=3), at - timedelta(hours=4))
    distances = {after - before for before, after in pairwise(usual)}
    assert {after - before for before, after in pairwise(around)} <= distances
