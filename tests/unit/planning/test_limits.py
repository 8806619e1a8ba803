"""How long a run waits for a usage limit."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from duly.planning.limits import FIRST_WAIT, LONGEST_WAIT, LimitWait, wait_for_limit

NOW = datetime(2026, 11, 16, 10, tzinfo=UTC)
DAY = timedelta(days=1)
lengths = st.timedeltas(timedelta(seconds=1), timedelta(days=3))
chances = st.floats(0, 1, exclude_max=True)


def wait(reset: timedelta | None, before: LimitWait | None = None, now: datetime = NOW) -> LimitWait | None:
    named = None if reset is None else now + reset
    return wait_for_limit(now, named, before=before, longest=DAY, chance=0.0)


def test_a_named_reset_is_waited_for() -> None:
    assert wait(timedelta(hours=5)) == LimitWait(since=NOW, until=NOW + timedelta(hours=5), tries=1)


def test_a_reset_beyond_the_longest_time_is_not_waited_for() -> None:
    assert wait(timedelta(hours=24)) is not None
    assert wait(timedelta(hours=24, seconds=1)) is None
    assert wait_for_limit(NOW, NOW + timedelta(seconds=1), before=None, longest=timedelta(0), chance=0) is None


def test_without_a_reset_the_waits_grow_until_the_longest_time_is_over() -> None:
    waits = []
    now = NOW
    before = None
    while (made := wait(None, before, now)) is not None:
        waits.append(made.until - now)
        before = made
        now = made.until
    minutes = [each / timedelta(minutes=1) for each in waits]
    assert minutes[:4] == [15, 30, 60, 60]
    assert set(minutes[2:-1]) == {60}
    assert now - NOW == DAY  # the last try comes at the end


def test_a_reset_that_has_passed_counts_as_none() -> None:
    made = wait(-timedelta(minutes=5))
    assert made is not None
    assert made.until == NOW + FIRST_WAIT


def test_a_reset_that_is_never_true_is_asked_less_and_less_often() -> None:
    before = None
    now = NOW
    tries = 0
    while (made := wait(timedelta(seconds=1), before, now)) is not None:
        before = made
        now = made.until
        tries += 1
    assert tries < 120
    assert now - NOW == DAY


@given(st.none() | lengths, lengths, st.integers(1, 50), chances)
def test_a_wait_lies_ahead_and_ends(reset: timedelta | None, longest: timedelta, tries: int, chance: float) -> None:
    before = LimitWait(since=NOW - timedelta(seconds=1), until=NOW, tries=tries)
    named = None if reset is None else NOW + reset
    made = wait_for_limit(NOW, named, before=before, longest=longest, chance=chance)
    if made is not None:
        assert NOW < made.until <= before.since + longest + timedelta(seconds=30)
        assert made.tries == tries + 1
        assert made.since == before.since
        assert reset is None or made.until - NOW >= min(reset, longest - timedelta(seconds=1))
        assert reset is not None or made.until - NOW <= LONGEST_WAIT * 1.1
    else:
        assert longest <= timedelta(seconds=1) or (reset is not None and reset > longest - timedelta(seconds=2))
    assert made is None or LimitWait.read(made.plain()) == made
