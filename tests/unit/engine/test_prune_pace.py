"""The pace of pruning: how large the next batch is, and how long the pause before it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from duly.engine.maintenance import LONGEST_HOLD, PrunePace


def settled(seconds_per_row: float, batches: int = 50) -> list[tuple[int, float]]:
    """How large batches of rows that cost so much become, and how long each of them takes."""
    pace = PrunePace()
    seen: list[tuple[int, float]] = []
    for _ in range(batches):
        held = pace.rows * seconds_per_row
        seen.append((pace.rows, held))
        pace = pace.after(held, pace.rows)
    return seen


@given(seconds_per_row=st.floats(1e-7, 4e-4))
def test_no_batch_keeps_other_writers_waiting_for_longer_than_the_limit(seconds_per_row: float) -> None:
    assert max(held for _, held in settled(seconds_per_row)) <= LONGEST_HOLD


def test_the_first_batch_is_small_and_the_next_ones_grow() -> None:
    sizes = [rows for rows, _ in settled(2e-5)]
    assert sizes[0] == 100
    assert sizes[:3] == [100, 200, 300]
    assert sizes[-1] == 300


def test_a_batch_that_took_too_long_is_followed_by_a_smaller_one() -> None:
    slow = PrunePace(1000).after(0.2, 1000)
    assert (slow.rows, slow.pause) == (30, 0.8)
    assert PrunePace(10).after(9.0, 10).rows == 10


def test_a_batch_that_was_not_full_does_not_enlarge_the_next() -> None:
    assert PrunePace(100).after(0.001, 0).rows == 100
    assert PrunePace(100).after(0.2, 3).rows == 10


@given(held=st.floats(0, 60))
def test_the_store_is_left_to_others_for_most_of_the_time(held: float) -> None:
    pace = PrunePace().after(held, 100)
    assert pace.pause >= 4 * held
    assert pace.pause > 0
