"""Retry: when a failed run is tried again, and when it is given up."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duly.model.policy import Backoff, Retry
from duly.planning.retry import SHORTEST, next_attempt, wait_before

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def seconds(count: float) -> timedelta:
    return timedelta(seconds=count)


@pytest.mark.parametrize("attempt", [1, 2, 3, 50])
def test_a_constant_wait_does_not_grow(attempt: int) -> None:
    retry = Retry(max_attempts=None, delay=seconds(7), backoff=Backoff.CONSTANT, cap=seconds(3))
    assert wait_before(retry, attempt) == seconds(7)


@pytest.mark.parametrize(
    ("attempt", "wait"), [(1, 10), (2, 20), (3, 40), (6, 320), (7, 600), (8, 600), (60, 600), (10**6, 600)]
)
def test_an_exponential_wait_doubles_up_to_its_cap(attempt: int, wait: float) -> None:
    retry = Retry(max_attempts=None, delay=seconds(10), cap=seconds(600))
    assert wait_before(retry, attempt) == seconds(wait)


def test_a_cap_below_the_delay_holds_from_the_start() -> None:
    assert wait_before(Retry(delay=seconds(100), cap=seconds(5)), 1) == seconds(5)


@pytest.mark.parametrize("backoff", Backoff)
@pytest.mark.parametrize("attempt", [1, 2, 1000])
def test_a_wait_of_zero_is_legal_and_never_spins(backoff: Backoff, attempt: int) -> None:
    retry = Retry(max_attempts=None, delay=seconds(0), backoff=backoff)
    assert next_attempt(retry, attempt, NOON, 0.5) == NOON + SHORTEST == NOON + seconds(1)


def test_the_longest_cap_does_not_overflow() -> None:
    retry = Retry(max_attempts=None, delay=timedelta(days=1), cap=timedelta(days=36500), jitter=1)
    assert next_attempt(retry, 10**9, NOON, 0.999) is not None


@pytest.mark.parametrize(("most", "attempt", "again"), [(1, 1, False), (2, 1, True), (2, 2, False), (5, 4, True)])
def test_the_first_attempt_counts(most: int, attempt: int, again: bool) -> None:
    assert (next_attempt(Retry(max_attempts=most), attempt, NOON, 0) is not None) == again


@pytest.mark.parametrize("attempt", [1, 10, 10**6])
def test_without_a_limit_it_never_gives_up(attempt: int) -> None:
    assert next_attempt(Retry(max_attempts=None), attempt, NOON, 0) is not None


retries = st.builds(
    Retry,
    max_attempts=st.none(),
    delay=st.integers(0, 10_000).map(seconds),
    backoff=st.sampled_from(Backoff),
    cap=st.integers(0, 100_000).map(seconds),
    jitter=st.floats(0, 1),
)


@given(retry=retries, attempt=st.integers(1, 100), chance=st.floats(0, 1, exclude_max=True))
def test_jitter_only_ever_adds_and_never_more_than_its_share(retry: Retry, attempt: int, chance: float) -> None:
    plain = wait_before(retry, attempt)
    at = next_attempt(retry, attempt, NOON, chance)
    assert at is not None
    assert max(plain, SHORTEST) <= at - NOON <= max(plain * (1 + retry.jitter), SHORTEST) + timedelta(microseconds=1)


@given(retry=retries, attempt=st.integers(1, 100))
def test_waits_never_shrink_from_one_attempt_to_the_next(retry: Retry, attempt: int) -> None:
    assert wait_before(retry, attempt) <= wait_before(retry, attempt + 1)
    if retry.backoff is Backoff.EXPONENTIAL:
        assert wait_before(retry, attempt) <= retry.cap
