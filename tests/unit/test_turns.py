"""Turns: places dealt out among callers, whatever they ask for and in whatever order they give back."""

from __future__ import annotations

import asyncio
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duly.turns import SharedPlaces, TurnLines

CALLERS = st.sampled_from("abcd")
STEPS = st.lists(st.tuples(st.sampled_from(["take", "give back", "leave"]), CALLERS, st.integers(0, 99)), max_size=200)


@given(places=st.integers(1, 5), of_one=st.integers(1, 5), steps=STEPS)
def test_places_are_dealt_out_within_both_limits_and_none_stays_free_in_vain(
    places: int, of_one: int, steps: list[tuple[str, str, int]]
) -> None:
    turns: TurnLines[int] = TurnLines(places, of_one)
    held: dict[int, str] = {}
    waiting: dict[int, str] = {}
    last_dealt = dict.fromkeys("abcd", 0)
    for number, (step, who, choice) in enumerate(steps, 1):
        if step == "take":
            (held if turns.take(who, number) else waiting)[number] = who
        elif step == "leave" and waiting:
            item = sorted(waiting)[choice % len(waiting)]
            assert turns.leave(waiting.pop(item), item)
            assert not turns.leave(who, item)
        elif step == "give back" and held:
            freed = held.pop(sorted(held)[choice % len(held)])
            could = {each for each in waiting.values() if Counter(held.values())[each] < of_one}
            dealt = turns.give_back(freed)
            assert (dealt is not None) == bool(could)
            if dealt is not None:
                caller, item = dealt
                assert item == min(each for each, whose in waiting.items() if whose == caller)  # in the order asked for
                held[item] = waiting.pop(item)
                last_dealt[caller] = number
        numbers = Counter(held.values())
        assert len(held) <= places
        assert max(numbers.values(), default=0) <= of_one
        stuck = [each for each in waiting.values() if numbers[each] < of_one]
        assert not stuck or len(held) == places


@given(greedy=st.integers(1, 50), places=st.integers(1, 4))
def test_a_caller_waits_for_one_turn_of_each_other_caller_however_much_they_ask_for(greedy: int, places: int) -> None:
    turns: TurnLines[str] = TurnLines(places, places)
    for number in range(places + greedy):
        turns.take("a", f"a{number}")
        turns.take("b", f"b{number}")
    assert not turns.take("c", "mine")
    ended = turns.give_back("a")
    dealt = [ended[1] if ended else ""]
    while "mine" not in dealt and ended is not None:
        ended = turns.give_back(ended[0])
        dealt.append(ended[1] if ended else "")
    assert len(dealt) <= 3


async def test_a_task_that_is_cancelled_leaves_its_place_to_the_next() -> None:
    room = SharedPlaces(1, 1)
    begun: list[str] = []
    over = asyncio.Event()

    async def hold(name: str) -> None:
        async with room.place(name):
            begun.append(name)
            await over.wait()

    first, second, third = [asyncio.create_task(hold(name)) for name in ("a", "b", "c")]
    await asyncio.sleep(0)
    assert begun == ["a"]
    second.cancel()  # while it waits
    first.cancel()  # while it holds the place: it is dealt in the same turn of the event loop
    with pytest.raises(asyncio.CancelledError):
        await first
    with pytest.raises(asyncio.CancelledError):
        await second
    over.set()
    await third
    assert begun == ["a", "c"]
    async with room.place("d"):  # nothing was lost
        pass
