"""Which run is given up when processes keep dying: single deaths, crash loops, and storms that no run causes."""

from __future__ import annotations

import math
import random
import sys
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from duly.model.policy import Retry
from duly.planning import poison
from duly.planning.poison import (
    ENOUGH,
    HOPELESS,
    LONGEST_WINDOW,
    MAX_LOST_ATTEMPTS,
    Fate,
    Lost,
    UnderWay,
    fates,
    innocents,
    is_poison,
)
from tests.unit.planning.crash_world import LEASE, NEVER, START, Slot, Subject, World, moment
from tests.unit.planning.crash_world import is_poison as by_number

SHORTEST = timedelta(seconds=LEASE / 30)
FIRST_WINDOW = 64 * SHORTEST
QUICKEST = 7
"""Deaths until a run that kills at once is given up: two that raise the suspicion, and five trials of four bits."""


@pytest.mark.parametrize(
    ("most", "lost", "poisonous"),
    [(1, 2, False), (1, 3, True), (2, 3, True), (5, 3, False), (5, 4, False), (5, 5, True), (9, 8, False)],
)
def test_a_run_has_three_attempts_and_more_if_its_policy_says_so(most: int, lost: int, poisonous: bool) -> None:
    assert is_poison(Retry(max_attempts=most), lost) is poisonous


def test_without_a_limit_of_attempts_the_least_number_counts() -> None:
    retry = Retry(max_attempts=None)
    assert [is_poison(retry, lost) for lost in (1, 2, MAX_LOST_ATTEMPTS)] == [False, False, True]


# single deaths


def test_a_death_without_runs_decides_nothing() -> None:
    assert fates([], by_number) == []


def test_the_first_time_all_begin_again_at_once() -> None:
    left = [UnderWay(f"r{number}", "3", 0) for number in range(5)]
    assert fates(left, by_number) == [Fate(dead=False, lost=1)] * 5


def test_the_second_time_each_begins_at_a_moment_of_its_own() -> None:
    history = [lost(1, 0, 1, 1), lost(3, 1, 2, 2)]
    decided = fates([UnderWay(f"r{number:03}", "3", 1, history) for number in range(200)], by_number)
    waits = sorted(fate.wait for fate in decided)
    assert len(set(waits)) == 200
    assert timedelta() <= waits[0] < FIRST_WINDOW / 20
    assert FIRST_WINDOW * 0.95 < waits[-1] < FIRST_WINDOW
    assert abs(waits[100] - FIRST_WINDOW / 2) < FIRST_WINDOW / 8


def test_a_run_of_an_unreadable_policy_is_given_up_at_once() -> None:
    assert fates([UnderWay("damaged", "0", 0), UnderWay("a", "3", 0)], by_number) == [Fate(True, 1), Fate(False, 1)]


def test_no_run_waits_for_longer_than_a_day() -> None:
    history = [lost(1 + 2 * n, 1e6 * n, 1e6 * n + 5e5, 1e6 * n + 6e5) for n in range(60)]
    waits = [fates([UnderWay(f"r{n}", "3", 59, history)], by_number)[0].wait for n in range(100)]
    assert LONGEST_WINDOW * 0.9 < max(waits) < LONGEST_WINDOW


def lost(fence: int, began: float, heard: float, taken_back: float) -> Lost:
    return Lost(fence, moment(began), moment(heard), moment(taken_back), LEASE)


# crash loops


def killers(number: int, seconds: float) -> list[Subject]:
    return [Subject(f"killer{each}", kills_after=lambda: seconds) for each in range(number)]


def neighbours(number: int) -> list[Subject]:
    return [Subject(f"neighbour{each}") for each in range(number)]


def until_found(world: World, guilty: Sequence[Subject]) -> World:
    world.play(1e9, lambda: all(each.status == "dead" for each in guilty))
    assert [each.name for each in world.subjects if each.status == "dead"] == [each.name for each in guilty]
    return world


@pytest.mark.parametrize("others", [0, 1, 10, 100])
@pytest.mark.parametrize("slots", [1, 3])
def test_a_quick_killer_is_found_after_seven_deaths_whoever_dies_with_it(others: int, slots: int) -> None:
    guilty = killers(1, 0.01)
    world = until_found(World([*neighbours(others), *guilty], [Slot(()) for _ in range(slots)]), guilty)
    assert world.deaths == QUICKEST
    assert world.now < QUICKEST * FIRST_WINDOW.total_seconds()


@given(
    seconds=st.floats(0, 3600),
    others=st.integers(0, 10),
    limit=st.integers(MAX_LOST_ATTEMPTS, 12),
    down=st.floats(0, 60),
    slots=st.integers(1, 3),
)
@example(seconds=3600, others=10, limit=3, down=0, slots=1)
def test_a_crash_loop_ends_and_takes_no_other_run_along(
    seconds: float, others: int, limit: int, down: float, slots: int
) -> None:
    guilty = killers(1, seconds)
    world = World([*guilty, *neighbours(others)], [Slot(()) for _ in range(slots)], down=down, limit=limit)
    until_found(world, guilty)
    doublings = math.ceil(math.log2(1 + (seconds + down) / SHORTEST.total_seconds()))
    assert world.deaths <= max(QUICKEST, limit) + 2 * doublings


@pytest.mark.parametrize(("number", "seconds"), [(2, 0.01), (5, 0.01), (10, 0.01), (3, 20.0)])
def test_several_killers_are_all_found(number: int, seconds: float) -> None:
    guilty = killers(number, seconds)
    world = until_found(World([*guilty, *neighbours(5)], [Slot(())]), guilty)
    assert world.deaths <= 12 * number


def test_a_killer_is_found_although_processes_are_killed_from_outside_too() -> None:
    guilty = killers(1, 0.01)
    world = World([*guilty, *neighbours(3)], [Slot(kills(seed, 1e6, every=600)) for seed in range(3)])
    assert until_found(world, guilty).deaths < 100


def test_a_killer_that_takes_for_ever_is_given_up_at_the_hundredth_death() -> None:
    guilty = killers(1, 6 * 3600.0)
    assert until_found(World([*guilty, *neighbours(3)], [Slot(())]), guilty).deaths == HOPELESS


def test_when_one_is_found_those_that_nothing_speaks_against_are_cleared() -> None:
    guilty = killers(1, 0.01)
    world = until_found(World([*guilty, *neighbours(20)], [Slot(())]), guilty)
    waiting = {each.name: each for each in world.subjects if each.lost}
    cleared = innocents(
        {name: each.lost for name, each in waiting.items()},
        {name: each.history for name, each in waiting.items()},
        world.losses,
    )
    assert "killer0" not in cleared
    assert len(cleared) >= 15


# storms: something outside kills processes, and nobody is at fault


def kills(seed: int, until: float, every: float) -> list[float]:
    chance = random.Random(seed)
    moments = [chance.expovariate(1 / every)]
    while moments[-1] < until:
        moments.append(moments[-1] + chance.expovariate(1 / every))
    return moments


STORMS = [  # slots, seconds between kills, longest run
    (3, 4.0, 2.0),  # the campaign from outside that found the fault
    (3, 4.0, 20.0),
    (1, 60.0, 60.0),
    (1, 60.0, NEVER),
    (3, 30.0, 300.0),
]


def storm(
    slots: int, every: float, longest: float, judge: Callable[..., list[Fate]] = fates, seeds: Iterable[int] = range(4)
) -> tuple[int, int]:
    """Give how many innocent runs were given up, and how many times one was lost that was suspected."""
    given_up = losses = 0
    for seed in seeds:
        chance = random.Random(seed)
        length = 300 * every
        subjects = [
            Subject(f"{seed}/{n}", length=min(NEVER, longest * chance.random()), due=chance.uniform(0, length / 2))
            for n in range(40)
        ]
        world = World(subjects, [Slot(kills(100 * seed + n, length, every)) for n in range(slots)], judge=judge)
        world.play(length)
        given_up += sum(each.status == "dead" for each in subjects)
        losses += sum(max(0, len(each.history) - 2) for each in subjects)
    return given_up, losses


@pytest.mark.parametrize(("slots", "every", "longest"), STORMS)
def test_no_innocent_run_is_given_up_in_a_storm(slots: int, every: float, longest: float) -> None:
    given_up, losses = storm(slots, every, longest)
    assert given_up == 0
    assert losses > 0


@pytest.mark.parametrize("bits", [2.0, 6.0])
def test_innocent_runs_are_given_up_less_often_than_the_bound_says(
    bits: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With less proof than is asked for, there is something to count."""
    monkeypatch.setattr(poison, "ENOUGH", bits)
    given_up, losses = map(sum, zip(*(storm(*each, seeds=range(4)) for each in STORMS), strict=True))
    assert losses > 1000
    assert given_up <= losses * 2**-bits
    assert 2**-ENOUGH < 1e-6


def _as_before(left: Sequence[UnderWay], by: poison.IsPoison, _losses: Sequence[datetime]) -> list[Fate]:
    """The rule before: three deaths more than any run that died with it."""
    deaths = [each.lost + 1 for each in left]
    leads = [each - max([0, *deaths[:n], *deaths[n + 1 :]]) for n, each in enumerate(deaths)]
    return [Fate(by(run.policy, lead), run.lost + 1) for run, lead in zip(left, leads, strict=True)]


def _begun_at_once(left: Sequence[UnderWay], by: poison.IsPoison, losses: Sequence[datetime]) -> list[Fate]:
    return [each._replace(wait=timedelta()) for each in fates(left, by, losses)]


def test_the_storms_notice_a_rule_that_counts_deaths() -> None:
    assert storm(*STORMS[0], judge=_as_before)[0] > 0


def test_the_storms_notice_a_moment_that_is_not_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Begun again at once, an innocent run dies soon each time in a loop that something else keeps up."""
    monkeypatch.setattr(poison, "_share", lambda _run, _at: 0.0)
    world = World(neighbours(5), [Slot([1.25 * number for number in range(1, 400)])], judge=_begun_at_once)
    world.play(500)
    assert [each.status for each in world.subjects] == ["dead"] * 5


def test_a_loop_that_something_else_keeps_up_gives_nobody_up() -> None:
    world = World(neighbours(5), [Slot([1.25 * number for number in range(1, 1600)])])
    world.play(2000)
    assert "dead" not in {each.status for each in world.subjects}


# the rule, written a second time


def naively(run: UnderWay, by: poison.IsPoison, losses: Sequence[datetime]) -> tuple[bool, timedelta]:
    """The rule as docs/engine.md tells it, without any shortcut."""
    if by(run.policy, 0):
        return True, timedelta()
    if run.lost == 0:
        return False, timedelta()
    history = list(run.history)[-(run.lost + 1) :]
    window, bits = min(64 * min(max(each.lease for each in history[:2]) / 30, 0.5), 86_400.0), 0.0
    for number in range(2, len(history)):
        this, before = history[number], history[number - 1]
        due = before.taken_back_at + poison._share(run.run_id, before.taken_back_at) * timedelta(seconds=window)
        lives = [
            (each.heard_at - each.began_at).total_seconds()
            for each in history[number - 2 : number]
            if each.heard_at is not None and each.began_at is not None
        ]
        soon = max([min(this.lease / 30, 0.5), *(1.5 * life for life in lives)])
        until = due + timedelta(seconds=soon)
        worth = None
        if this.began_at is not None and this.heard_at is not None and this.fence == before.fence + 2:
            in_time = due - timedelta(seconds=1) <= this.began_at < until
            if in_time and this.heard_at < until:
                died = [each for each in losses if before.taken_back_at < each < until]
                rank = 1 + max(0, len(died) - (before.taken_back_at < this.heard_at < until))
                worth = math.log2(window / (2 * soon) / rank / (rank + 1))
        bits = 0.0 if worth is None else max(0.0, bits + worth)
        if worth is None or worth < 4:
            window = min(2 * window, 86_400.0)
    if (bits >= 20 or run.lost + 1 >= 100) and by(run.policy, run.lost + 1):
        return True, timedelta()
    return False, poison._share(run.run_id, history[-1].taken_back_at) * timedelta(seconds=window)


@st.composite
def histories(draw: st.DrawFn) -> list[Lost]:
    """Attempts that were lost, most of them soon after their moment, as those of a run that kills."""
    history: list[Lost] = []
    fence, taken_back = 1, 0.0
    for _ in range(draw(st.integers(1, 12))):
        window = 64 * LEASE / 30 * 2 ** draw(st.integers(0, 3))
        moments = [poison._share("run", moment(taken_back)) * window, draw(st.floats(0, 100))]
        began = taken_back + (moments[0] if draw(st.integers(0, 4)) else moments[1])
        heard = began + draw(st.sampled_from([-3.0, 0.0, 0.2, 5.0, 60.0]))
        taken_back = max(began, heard) + draw(st.floats(0.1, 30))
        each = lost(fence, began, heard, taken_back)
        known = draw(st.integers(0, 9))
        each = each._replace(heard_at=None) if known == 0 else each
        history.append(each._replace(began_at=None) if known == 1 else each)
        fence += draw(st.sampled_from([2, 2, 2, 2, 3]))
    return history


@given(histories(), st.lists(st.floats(0, 1000), max_size=20), st.integers(3, 8))
def test_the_rule_decides_as_its_second_writing(history: list[Lost], others: list[float], limit: int) -> None:
    heard = [each.heard_at for each in history if each.heard_at is not None]
    losses = sorted([*heard, *map(moment, others)])
    run = UnderWay("run", str(limit), len(history) - 1, history)
    [fate] = fates([run], by_number, losses)
    dead, wait = naively(run, by_number, losses)
    assert (fate.dead, fate.lost) == (dead, len(history))
    assert abs(fate.wait - wait) < timedelta(milliseconds=1)


# growth


def calls(work: Callable[[], Any]) -> int:
    """How many Python functions some work calls."""
    number = 0

    def count(_frame: object, event: str, _argument: object) -> None:
        nonlocal number
        number += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(before)
    return number


@pytest.mark.parametrize("deaths", [1, 4])
def test_four_times_as_many_runs_cost_four_times_as_much(deaths: int) -> None:
    history = [lost(1 + 2 * n, 10.0 * n, 10.0 * n + 1, 10.0 * n + 5) for n in range(deaths)]

    def cost(number: int) -> int:
        left = [UnderWay(f"r{each}", "3", deaths - 1, history) for each in range(number)]
        losses = [START + timedelta(seconds=each) for each in range(number)]
        return calls(lambda: fates(left, by_number, losses))

    assert cost(4000) <= 5 * cost(1000)
