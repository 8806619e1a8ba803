"""Which run is given up when processes keep dying: single deaths as tables, and whole crash loops."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import count, pairwise
from math import ceil, log2
from typing import NamedTuple

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from duly.planning.retry import LONGEST_SPREAD, SHORTEST_SPREAD, Fate, UnderWay, fates

NOW = datetime(2026, 11, 16, 12, tzinfo=UTC)
LIMIT = 3
UNREADABLE = "0"


def is_poison(policy: str, lost: int) -> bool:
    return lost >= int(policy)


def run(name: str, lost: int, began: float | None = 0, limit: int = LIMIT) -> UnderWay:
    started_at = None if began is None else NOW + timedelta(seconds=began)
    return UnderWay(run_id=name, policy=str(limit), lost=lost, started_at=started_at)


def judged(*left: UnderWay) -> dict[str, Fate]:
    return dict(zip([each.run_id for each in left], fates(left, is_poison), strict=True))


def test_a_death_without_runs_decides_nothing() -> None:
    assert fates([], is_poison) == []


@pytest.mark.parametrize(("lost", "fate"), [(0, Fate(False, 1)), (1, Fate(False, 2)), (2, Fate(True, 3))])
def test_alone_a_run_is_given_up_at_its_limit_and_never_waits(lost: int, fate: Fate) -> None:
    assert judged(run("a", lost)) == {"a": fate}


def test_far_from_their_limit_runs_are_begun_again_together() -> None:
    assert judged(run("a", 0), run("b", 0)) == {"a": Fate(False, 1), "b": Fate(False, 1)}
    assert judged(run("a", 2, limit=5), run("b", 2, limit=5)) == {"a": Fate(False, 3), "b": Fate(False, 3)}


def test_a_run_that_died_with_another_as_often_is_not_given_up_but_begun_apart_from_it() -> None:
    fate = judged(run("a", 2), run("b", 2))
    assert [each.dead for each in fate.values()] == [False, False]
    assert fate["a"].wait != fate["b"].wait


def test_the_last_one_begun_comes_first_and_one_of_unknown_start_last() -> None:
    fate = judged(run("old", 1, began=-60), run("new", 1), run("fresh", 0, began=5), run("unknown", 1, began=None))
    step = SHORTEST_SPREAD / 4
    assert [fate[name].wait for name in ("fresh", "new", "old", "unknown")] == [0 * step, step, 2 * step, 3 * step]


@pytest.mark.parametrize(("lost", "spread"), [(1, 5), (2, 10), (3, 20), (10, 2560), (1000, 86_400)])
def test_the_spread_doubles_with_each_death_up_to_a_day(lost: int, spread: float) -> None:
    fate = judged(run("a", lost), run("b", lost))
    assert {each.wait for each in fate.values()} == {timedelta(0), timedelta(seconds=spread / 2)}
    assert timedelta(seconds=spread) <= LONGEST_SPREAD


def test_a_run_is_given_up_when_it_was_in_more_deaths_than_any_other_by_its_limit() -> None:
    assert not judged(run("a", 2), run("b", 0))["a"].dead
    assert judged(run("a", 3), run("b", 0), run("c", 0)) == {
        "a": Fate(True, 4),
        "b": Fate(False, 0),
        "c": Fate(False, 0),
    }


def test_a_run_with_a_higher_limit_protects_those_that_died_with_it_as_often() -> None:
    fate = judged(run("patient", 5, limit=10), run("innocent", 5))
    assert not any(each.dead for each in fate.values())


def test_a_run_of_an_unreadable_policy_is_given_up_at_once() -> None:
    assert judged(run("damaged", 0, limit=int(UNREADABLE)), run("a", 0)) == {
        "damaged": Fate(True, 1),
        "a": Fate(False, 0),
    }


class Deaths(NamedTuple):
    """How a crash loop ended."""

    number: int
    dead: set[str]


def loop(
    seconds: float, others: int, *, killer: int = 0, limit: int = LIMIT, down: float = 1, fresh: int = 0
) -> Deaths:
    """Crash a process until the killer is given up; all other runs would go on for ever.

    The killer takes `seconds` to kill; `down` seconds after a death the process is there again, and meanwhile `fresh`
    new runs have become due.
    """
    names = [f"r{number:03}" for number in range(others + 1)]
    due, lost, dead = dict.fromkeys(names, NOW), dict.fromkeys(names, 0), set[str]()
    up = NOW
    for number in count(1):
        began = {name: max(due[name], up) for name in due if name not in dead}
        died = began[names[killer]] + timedelta(seconds=seconds)
        left = [
            UnderWay(name, str(limit if name == names[killer] else LIMIT), lost[name], began[name])
            for name in began
            if began[name] <= died
        ]
        up = died + timedelta(seconds=down)
        for each, fate in zip(left, fates(left, is_poison), strict=True):
            lost[each.run_id], due[each.run_id] = fate.lost, up + fate.wait
            dead |= {each.run_id} if fate.dead else set()
        if names[killer] in dead:
            return Deaths(number, dead)
        for new in range(fresh):
            due[f"new{number:03}-{new}"], lost[f"new{number:03}-{new}"] = up, 0
    raise AssertionError("unreachable")


@pytest.mark.parametrize("killer", range(11))
def test_a_quick_killer_among_ten_others_is_found_within_four_deaths_if_restarts_are_quick(killer: int) -> None:
    assert loop(0.01, 10, killer=killer, down=0) == (4 if killer < 10 else 3, {f"r{killer:03}"})


@pytest.mark.parametrize("down", [1, 5, 40])
@pytest.mark.parametrize("killer", range(11))
def test_and_within_eight_deaths_if_those_that_wait_have_waited_enough_meanwhile(killer: int, down: float) -> None:
    ended = loop(0.01, 10, killer=killer, down=down)
    assert ended.dead == {f"r{killer:03}"}
    assert ended.number <= 8


@given(
    seconds=st.floats(0, 3600),
    others=st.integers(0, 30),
    place=st.integers(0, 30),
    limit=st.integers(LIMIT, 8),
    down=st.floats(0, 60),
    fresh=st.integers(0, 3),
)
@example(seconds=30, others=10, place=0, limit=3, down=0, fresh=0)
def test_a_crash_loop_ends_soon_and_takes_no_other_run_along(
    seconds: float, others: int, place: int, limit: int, down: float, fresh: int
) -> None:
    killer = min(place, others)
    ended = loop(seconds, others, killer=killer, limit=limit, down=down, fresh=fresh)
    assert ended.dead == {f"r{killer:03}"}
    doublings = ceil(log2(1 + (others + 1) * (seconds + down) / SHORTEST_SPREAD.total_seconds()))
    assert ended.number <= 2 * limit + 2 * doublings


def test_the_runs_of_a_spread_have_a_turn_each() -> None:
    waits = sorted(fate.wait for fate in judged(*(run(f"r{number:03}", 1) for number in range(200))).values())
    assert all(later > earlier for earlier, later in pairwise(waits))
    assert waits[-1] < SHORTEST_SPREAD
