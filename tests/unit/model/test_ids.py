"""Ids: sortable by time, version 7 of RFC 9562, and different from each other."""

from __future__ import annotations

import random
import re
import secrets
import uuid
from datetime import UTC, datetime, timedelta, timezone
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duly.model.ids import NODE, RUN, SCHEDULE, TOKEN, make_id, make_ids

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MILLISECOND = timedelta(milliseconds=1)
moments = st.datetimes(min_value=datetime(1970, 1, 1), max_value=datetime(2240, 1, 1)).map(  # noqa: DTZ001
    lambda moment: moment.replace(tzinfo=UTC)
)


def as_uuid(text: str) -> uuid.UUID:
    return uuid.UUID(text.partition("_")[2])


@pytest.mark.parametrize("prefix", [SCHEDULE, RUN, TOKEN, NODE])
def test_an_id_is_its_prefix_and_32_hexadecimal_digits(prefix: str) -> None:
    assert re.fullmatch(rf"{prefix}[0-9a-f]{{32}}", make_id(prefix, EPOCH, secrets.randbits))
    assert prefix in ("sched_", "run_", "tok_", "node_")


@given(moment=moments, noise=st.integers(0, 2**74 - 1))
def test_an_id_is_a_uuid_of_version_7_with_all_its_noise(moment: datetime, noise: int) -> None:
    made = as_uuid(make_id(RUN, moment, lambda bits: noise if bits == 74 else 0))
    assert (made.version, made.variant) == (7, uuid.RFC_4122)
    assert made.int >> 80 == (moment - EPOCH) // MILLISECOND
    assert ((made.int >> 64 & 0xFFF) << 62) | (made.int & (1 << 62) - 1) == noise


@given(earlier=moments, later=moments, noise=st.tuples(st.integers(0, 2**74 - 1), st.integers(0, 2**74 - 1)))
def test_ids_sort_by_the_millisecond_they_were_made_in(
    earlier: datetime, later: datetime, noise: tuple[int, int]
) -> None:
    if later - earlier >= MILLISECOND:
        assert make_id(RUN, earlier, lambda _: noise[0]) < make_id(RUN, later, lambda _: noise[1])


def test_the_zone_does_not_matter() -> None:
    tokyo = timezone(timedelta(hours=9))
    moment = datetime(2026, 1, 1, tzinfo=UTC)
    assert make_id(RUN, moment, lambda _: 1) == make_id(RUN, moment.astimezone(tokyo), lambda _: 1)


def test_ids_of_one_moment_differ() -> None:
    assert len({make_id(RUN, EPOCH, secrets.randbits) for _ in range(10_000)}) == 10_000


def test_a_seed_makes_the_same_ids_again() -> None:
    first, second = random.Random(7), random.Random(7)
    for _ in range(10):
        assert make_id(RUN, EPOCH, first.getrandbits) == make_id(RUN, EPOCH, second.getrandbits)


@given(moment=moments, noise=st.integers(0, 2**74 - 1) | st.just(2**74 - 1))
def test_ids_made_in_one_go_sort_in_the_order_they_were_made(moment: datetime, noise: int) -> None:
    made = list(islice(make_ids(RUN, moment, lambda _: noise), 300))
    assert made == sorted(set(made))
    for each in map(as_uuid, made):
        assert (each.version, each.variant) == (7, uuid.RFC_4122)
        assert each.int >> 80 == (moment - EPOCH) // MILLISECOND


def test_ids_made_in_one_go_by_two_makers_differ() -> None:
    makers = [make_ids(RUN, EPOCH, secrets.randbits) for _ in range(20)]
    assert len({each for maker in makers for each in islice(maker, 500)}) == 10_000
