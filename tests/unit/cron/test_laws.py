"""Laws that hold for every expression, zone, policy and moment."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from itertools import pairwise, takewhile
from zoneinfo import ZoneInfo

from hypothesis import given
from hypothesis import strategies as st

from duly.cron import Cron
from tests.unit.cron.strategies import ZONES, Case, cases, examples, moments


def utc(at: datetime) -> datetime:
    return at.astimezone(UTC)


def following(cron: Cron, at: datetime, number: int) -> list[datetime]:
    fires = []
    for _ in range(number):
        at = cron.next(at)
        fires.append(at)
    return fires


@st.composite
def questions(draw: st.DrawFn) -> tuple[Case, datetime]:
    case = draw(cases())
    return case, draw(moments(case.zone))


@examples(80)
@given(questions())
def test_fires_strictly_increase(question: tuple[Case, datetime]) -> None:
    case, at = question
    fires = [at, *map(utc, following(case.cron(), at, 8))]
    assert all(one < two for one, two in pairwise(fires))


@examples(80)
@given(questions())
def test_next_and_prev_enclose_the_moment(question: tuple[Case, datetime]) -> None:
    case, at = question
    cron = case.cron()
    later = cron.next(at)
    earlier = cron.prev(at)
    assert utc(earlier) < at < utc(later)
    assert utc(cron.prev(later)) <= at
    assert utc(cron.next(earlier)) >= at


@examples(80)
@given(questions())
def test_there_and_back_is_the_same_fire(question: tuple[Case, datetime]) -> None:
    case, at = question
    cron = case.cron()
    fires = following(cron, at, 6)
    for one, two in pairwise(fires):
        assert utc(cron.prev(two)) == utc(one)
        assert utc(cron.next(cron.prev(two))) == utc(two)
    assert utc(cron.prev(cron.next(fires[0]))) == utc(fires[0])


@examples(80)
@given(questions(), st.integers(0, 60), st.integers(0, 86_400))
def test_between_is_iterated_next_and_count(question: tuple[Case, datetime], hours: int, seconds: int) -> None:
    case, start = question
    cron = case.cron()
    if len(case.expression.split()) == 6:
        hours = 0
        seconds %= 900
    end = start + timedelta(hours=hours, seconds=seconds)
    fires = list(cron.between(start, end))
    assert fires == list(takewhile(lambda at: utc(at) <= end, following(cron, start, len(fires) + 1)))
    assert cron.count(start, end) == len(fires)


@examples(80)
@given(questions(), st.integers(1, 5 * 86_400), st.integers(0, 5 * 86_400))
def test_ranges_laid_end_to_end_share_no_fire(question: tuple[Case, datetime], one: int, two: int) -> None:
    case, start = question
    cron = case.cron()
    middle = start + timedelta(seconds=one)
    end = middle + timedelta(seconds=two)
    assert cron.count(start, middle) + cron.count(middle, end) == cron.count(start, end)
    assert cron.count(end, start) == 0
    assert list(cron.between(end, start)) == []


@examples(80)
@given(questions())
def test_a_fraction_of_a_second_changes_nothing_but_the_side(question: tuple[Case, datetime]) -> None:
    case, at = question
    cron = case.cron()
    grain = timedelta(microseconds=1)
    fire = utc(cron.next(at))
    assert utc(cron.next(fire - grain)) == fire
    assert utc(cron.prev(fire + grain)) == fire
    assert utc(cron.next(fire + grain)) == utc(cron.next(fire))
    assert utc(cron.prev(fire - grain)) == utc(cron.prev(fire))


@examples(80)
@given(questions(), st.sampled_from(ZONES), st.integers(-14 * 60, 14 * 60))
def test_the_zone_of_the_question_does_not_matter(question: tuple[Case, datetime], zone: str, minutes: int) -> None:
    case, at = question
    cron = case.cron()
    same = [
        at.astimezone(tz) for tz in (ZoneInfo(zone), ZoneInfo.no_cache(case.zone), timezone(timedelta(minutes=minutes)))
    ]
    for other in same:
        assert utc(cron.next(other)) == utc(cron.next(at))
        assert utc(cron.prev(other)) == utc(cron.prev(at))
        assert cron.matches(other) == cron.matches(at)
        assert cron.count(at - timedelta(days=1), other) == cron.count(at - timedelta(days=1), at)


@examples(80)
@given(questions())
def test_answers_are_on_the_clocks_of_the_zone(question: tuple[Case, datetime]) -> None:
    """The face, the offset and the fold are those that the zone shows at that instant."""
    case, at = question
    cron = case.cron()
    for fire in (cron.next(at), cron.prev(at), *following(cron, at, 3)):
        shown = utc(fire).astimezone(ZoneInfo(case.zone))
        assert str(fire.tzinfo) == case.zone
        assert (fire.replace(tzinfo=None), fire.fold, fire.utcoffset()) == (
            shown.replace(tzinfo=None),
            shown.fold,
            shown.utcoffset(),
        )
        assert fire.microsecond == 0


@examples(80)
@given(questions())
def test_it_matches_exactly_when_it_fires(question: tuple[Case, datetime]) -> None:
    case, at = question
    cron = case.cron()
    assert all(cron.matches(fire) for fire in (cron.next(at), cron.prev(at)))
    assert cron.matches(at) == (cron.count(*_unit(case, at)) > 0)


def _unit(case: Case, at: datetime) -> tuple[datetime, datetime]:
    """The minute or second of an instant, as a range that is open on the left."""
    six = len(case.expression.split()) == 6
    begun = at.replace(microsecond=0) if six else at.replace(second=0, microsecond=0)
    length = timedelta(seconds=1) if six else timedelta(minutes=1)
    grain = timedelta(microseconds=1)
    return begun - grain, begun + length - grain


@examples(80)
@given(questions())
def test_a_trigger_speaks_utc(question: tuple[Case, datetime]) -> None:
    case, at = question
    cron = case.cron()
    found = cron.get_next_occurrence(at)
    assert found is not None
    assert found.tzinfo is UTC
    assert found == utc(cron.next(at))
