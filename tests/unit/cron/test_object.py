"""`Cron` as a value: immutable, hashable, equal by meaning, and unchanged by copying, pickling and JSON."""

from __future__ import annotations

import copy
import json
import pickle
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given

from duly.cron import Cron, DayMatch, Dialect, DstPolicy
from duly.errors import TriggerDecodeError
from duly.zones import Zone
from tests.unit.cron.oracle import Oracle
from tests.unit.cron.strategies import Case, cases, examples

NOW = datetime(2026, 1, 1, tzinfo=UTC)
BERLIN = Cron("0 9 * * *", tz="Europe/Berlin")


def test_its_attributes() -> None:
    assert BERLIN.expression == "0 9 * * *"
    assert BERLIN.tz == "Europe/Berlin"
    assert (BERLIN.dialect, BERLIN.dst, BERLIN.day_match) == (Dialect.STANDARD, DstPolicy.ONCE, DayMatch.OR)


@pytest.mark.parametrize("name", ["expression", "dst", "tz", "_spec", "nickname"])
def test_it_cannot_be_changed(name: str) -> None:
    with pytest.raises(AttributeError, match="Cron is immutable"):
        setattr(BERLIN, name, "x")
    with pytest.raises(AttributeError, match="Cron is immutable"):
        delattr(BERLIN, name)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (Cron("0 9 * * MON"), Cron("0 9 * * 1")),
        (Cron("@daily"), Cron("0 0 * * *")),
        (BERLIN, Cron("0 9 * * *", tz=ZoneInfo("Europe/Berlin"))),
        (Cron("0 9 * * *"), Cron("0 9 * * *", tz=UTC)),
        (Cron("0 9 * * *"), Cron("0 9 * * *", dialect="seconds")),
        (Cron("0 9 * * *", dst="wallclock"), Cron("0 9 * * *", dialect="posix")),
        (Cron("0 9 1 * *", day_match="and"), Cron("0 9 1 * *")),
        (Cron("0 9 * * *", dst=DstPolicy.ONCE), Cron("0 9 * * *", dst="once")),
        (Cron("0 0 31W * *"), Cron("0 0 LW * *")),
    ],
)
def test_equal_by_meaning(one: Cron, other: Cron) -> None:
    assert one == other
    assert hash(one) == hash(other)
    assert len({one, other}) == 1


@pytest.mark.parametrize(
    "other",
    [
        Cron("1 9 * * *", tz="Europe/Berlin"),
        Cron("0 9 * * *"),
        Cron("0 9 * * *", tz="Europe/Vienna"),
        Cron("0 9 * * *", tz="Europe/Berlin", dst="wallclock"),
        Cron("0 0 9 * * *", tz="Europe/Berlin", dialect="seconds"),  # matches a second, not a minute
        Cron("0 */24 * * *", tz="Europe/Berlin"),
        "0 9 * * *",
        None,
    ],
)
def test_different_by_meaning(other: object) -> None:
    assert other != BERLIN


def test_the_day_rule_counts_where_it_matters() -> None:
    assert Cron("0 9 13 * 5", day_match="and") != Cron("0 9 13 * 5")
    assert Cron("0 9 13 * 5", day_match="and").next(NOW) == datetime(2026, 2, 13, 9, tzinfo=UTC)


def test_a_rhythm_is_not_a_fixed_time() -> None:
    """Both fire at every full hour, but on the day the clocks change they differ."""
    assert Cron("0 * * * *", tz="Europe/Berlin") != Cron("0 0-23 * * *", tz="Europe/Berlin")


def test_the_parsed_form_is_shared() -> None:
    assert Cron("17 4 * * *", tz="Europe/Berlin")._spec is Cron("17 4 * * *", tz="Asia/Tokyo")._spec


@examples(60)
@given(cases())
def test_every_journey_brings_it_back(case: Case) -> None:
    cron = case.cron()
    journeys = (
        pickle.loads(pickle.dumps(cron)),  # noqa: S301
        copy.copy(cron),
        copy.deepcopy(cron),
        Cron.from_dict(json.loads(json.dumps(cron.to_dict()))),
        eval(repr(cron)),  # noqa: S307
    )
    for other in journeys:
        assert other == cron
        assert hash(other) == hash(cron)
        assert other.to_dict() == cron.to_dict()
        assert repr(other) == repr(cron)
        assert other.next(NOW) == cron.next(NOW)


@pytest.mark.parametrize(
    ("cron", "text"),
    [
        (Cron("0 9 * * *"), "Cron('0 9 * * *')"),
        (BERLIN, "Cron('0 9 * * *', tz='Europe/Berlin')"),
        (Cron("0 9 * * *", dialect="posix"), "Cron('0 9 * * *', dialect='posix')"),
        (Cron("0 9 * * *", dialect="posix", dst="once"), "Cron('0 9 * * *', dialect='posix', dst='once')"),
        (Cron("0 9 13 * 5", day_match="and"), "Cron('0 9 13 * 5', day_match='and')"),
    ],
)
def test_its_repr_names_the_options_that_are_not_defaults(cron: Cron, text: str) -> None:
    assert repr(cron) == text


def test_the_stored_form() -> None:
    assert BERLIN.to_dict() == {
        "v": 1,
        "kind": "cron",
        "expression": "0 9 * * *",
        "dialect": "standard",
        "tz": "Europe/Berlin",
        "dst": "once",
        "day_match": "or",
    }


@pytest.mark.parametrize("field", ["v", "kind", "expression", "dialect", "tz", "dst", "day_match"])
def test_a_missing_field_is_named(field: str) -> None:
    data = BERLIN.to_dict()
    del data[field]
    with pytest.raises(TriggerDecodeError, match=f"{field} is missing") as caught:
        Cron.from_dict(data)
    assert caught.value.field == field


@pytest.mark.parametrize(
    ("field", "value", "reason"),
    [
        ("v", 2, "must be 1"),
        ("v", True, "must be int"),
        ("v", "1", "must be int"),
        ("kind", "interval", "must be 'cron'"),
        ("expression", "0 25 * * *", "value 25 is out of range 0-23"),
        ("expression", "0 0 31 2 *", "would never fire"),
        ("expression", None, "must be str"),
        ("expression", ["0 9 * * *"], "must be str"),
        ("dialect", "quartz", "must be one of posix, standard, seconds"),
        ("dialect", None, "must be str"),
        ("tz", "Mars/Olympus_Mons", "unknown time zone"),
        ("tz", 2, "must be str"),
        ("dst", "skip", "must be one of wallclock, once"),
        ("day_match", "xor", "must be one of or, and"),
        ("nickname", "Max", "is not a field of a cron trigger"),
    ],
)
def test_a_damaged_field_is_named(field: str, value: object, reason: str) -> None:
    with pytest.raises(TriggerDecodeError, match=reason) as caught:
        Cron.from_dict({**BERLIN.to_dict(), field: value})
    assert caught.value.field == field
    assert caught.value.value == value


@pytest.mark.parametrize("expression", ["*/5 * * * *", "0 8 * * *", "0 10 * * 1", "0 0 20 * *", "0 0 1 1 *"])
def test_it_answers_with_plain_datetimes(expression: str) -> None:
    class Stamp(datetime):
        """A datetime of another library."""

    at = Stamp(2026, 11, 16, 9, 7, 30, tzinfo=UTC)
    cron = Cron(expression)
    assert type(cron.next(at)) is datetime
    assert type(cron.prev(at)) is datetime


def test_threads_share_one_cron() -> None:
    """Each walks the same expression from another point; the cache of the last month must not mix them up."""
    cron = Cron("*/20 1-3 * * sun", tz="Europe/Berlin")
    starts = [datetime(2026, 3, 28, tzinfo=UTC) + timedelta(days=31 * number) for number in range(8)]
    oracle = Oracle("*/20 1-3 * * sun", "Europe/Berlin")
    expected = [oracle.fires(start, start + timedelta(days=9)) for start in starts]

    def walk(start: datetime) -> list[list[datetime]]:
        end = start + timedelta(days=9)
        return [[at.astimezone(UTC) for at in cron.between(start, end)] for _ in range(25)]

    with ThreadPoolExecutor(8) as threads:
        for found, fires in zip(threads.map(walk, starts), expected, strict=True):
            assert all(answer == fires for answer in found)


def test_threads_share_one_zone_that_grows() -> None:
    """Nobody sees less of the future than was asked for, while others ask for more or less of it."""
    berlin = Zone.of("Europe/Berlin")
    short = berlin._segments._replace(horizon=date(2037, 1, 1).toordinal())
    years = [2040 + 45 * number for number in range(8)]

    def last_sunday(year: int) -> datetime:
        march = date(year, 3, 31)
        return datetime(year, 3, 31 - march.isoweekday() % 7)  # noqa: DTZ001

    for _ in range(10):
        zone = Zone("Europe/Berlin", berlin.tzinfo, short, berlin._rule)
        with ThreadPoolExecutor(8) as threads:
            assert not any(threads.map(zone.plain, map(last_sunday, years * 4)))
