"""A policy refuses values that make no sense, with a message that says what to change."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest

from duly.errors import InvalidInputError
from duly.model.policy import Backoff, CatchUp, Overlap, Policy, Retry

MINUTE = timedelta(minutes=1)


def test_the_defaults_are_those_of_a_task() -> None:
    policy = Policy()
    assert (policy.overlap, policy.queue_limit, policy.max_parallel) == (Overlap.SKIP, 10, None)
    assert (policy.catch_up, policy.catch_up_window, policy.misfire_grace) == (CatchUp.ONCE, None, MINUTE)
    assert (policy.timeout, policy.stagger_key, policy.max_stagger_seconds) == (None, None, 900)
    assert (policy.retry.max_attempts, policy.retry.superseded) == (1, False)


def test_names_of_options_become_members_of_their_enum() -> None:
    policy = Policy(overlap="queue", catch_up="skip", retry=Retry(backoff="constant"))
    assert (policy.overlap, policy.catch_up, policy.retry.backoff) == (Overlap.QUEUE, CatchUp.SKIP, Backoff.CONSTANT)
    assert isinstance(policy.overlap, Overlap)


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"overlap": "maybe"}, "overlap must be one of 'skip', 'queue', 'parallel', got 'maybe'"),
        ({"overlap": None}, "overlap must be one of"),
        ({"overlap": ["skip"]}, "overlap must be one of"),
        ({"catch_up": "all"}, "catch_up must be one of 'skip', 'once'"),
        ({"queue_limit": -1}, "queue_limit must be a whole number of at least 0, got -1"),
        ({"queue_limit": 1.5}, "queue_limit"),
        ({"queue_limit": True}, "queue_limit"),
        ({"queue_limit": "5"}, "queue_limit"),
        ({"max_parallel": 0}, "max_parallel must be a whole number of at least 1, got 0"),
        ({"max_stagger_seconds": -5}, "max_stagger_seconds"),
        ({"misfire_grace": -MINUTE}, "misfire_grace must not be negative"),
        ({"misfire_grace": 60}, "misfire_grace must be a timedelta, got 60"),
        ({"misfire_grace": None}, "misfire_grace must be a timedelta, got None"),
        ({"catch_up_window": timedelta(0)}, "catch_up_window must be longer than zero"),
        ({"catch_up_window": 3600}, "catch_up_window must be a timedelta, got 3600"),
        ({"timeout": -MINUTE}, "timeout must be longer than zero"),
        ({"timeout": 30}, "timeout must be a timedelta, got 30"),
        ({"timeout": "30s"}, "timeout must be a timedelta"),
        ({"retry": 3}, "retry must be a Retry, got 3"),
        ({"retry": None}, "retry must be a Retry, got None"),
    ],
)
def test_a_policy_that_makes_no_sense_is_refused(fields: dict[str, Any], says: str) -> None:
    with pytest.raises(InvalidInputError, match=re.escape(says)):
        Policy(**fields)


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"max_attempts": 0}, "retry.max_attempts must be a whole number of at least 1, got 0"),
        ({"max_attempts": 2.0}, "retry.max_attempts"),
        ({"delay": -MINUTE}, "retry.delay must not be negative"),
        ({"delay": 10}, "retry.delay must be a timedelta, got 10"),
        ({"cap": -MINUTE}, "retry.cap must not be negative"),
        ({"backoff": "linear"}, "retry.backoff must be one of 'constant', 'exponential', got 'linear'"),
        ({"jitter": 1.01}, "retry.jitter must lie between 0 and 1, got 1.01"),
        ({"jitter": -0.1}, "retry.jitter"),
        ({"jitter": float("nan")}, "retry.jitter"),
        ({"jitter": "0.1"}, "retry.jitter must lie between 0 and 1, got 0.1"),
    ],
)
def test_a_retry_that_makes_no_sense_is_refused(fields: dict[str, Any], says: str) -> None:
    with pytest.raises(InvalidInputError, match=re.escape(says)):
        Retry(**fields)


@pytest.mark.parametrize(
    "fields",
    [
        {"queue_limit": 0},
        {"max_parallel": 1},
        {"max_stagger_seconds": 0},
        {"misfire_grace": timedelta(0)},
        {"catch_up_window": timedelta(microseconds=1)},
    ],
)
def test_the_smallest_and_largest_values_are_accepted(fields: dict[str, Any]) -> None:
    Policy(**fields)


def test_a_policy_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        Policy().queue_limit = 5  # type: ignore[misc]
