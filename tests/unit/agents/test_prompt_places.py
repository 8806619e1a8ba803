"""Places for the targets of prompts: a limited number, of which no owner holds all."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack

from duly.agents.concurrency import PromptPlaces
from duly.testing.clock import settle

ADA, BEN = "user:ada", "user:ben"


class Visitor:
    """A task that holds a place until the test ends it."""

    def __init__(self, places: PromptPlaces, lane: str) -> None:
        self.inside = False
        self._leave = asyncio.Event()
        self.task = asyncio.ensure_future(self._visit(places, lane))

    async def _visit(self, places: PromptPlaces, lane: str) -> None:
        try:
            async with places.hold(lane):
                self.inside = True
                await self._leave.wait()
        finally:
            self.inside = False

    async def leave(self) -> None:
        self._leave.set()
        await self.task
        await settle()

    async def give_up(self) -> None:
        self.task.cancel()
        await asyncio.wait({self.task})
        await settle()


async def visitors(stack: AsyncExitStack, places: PromptPlaces, lane: str, number: int) -> list[Visitor]:
    made = [Visitor(places, lane) for _ in range(number)]
    for each in made:
        stack.push_async_callback(each.give_up)
    await settle()
    return made


def inside(made: list[Visitor]) -> list[bool]:
    return [each.inside for each in made]


async def test_one_owner_does_not_hold_all_places() -> None:
    async with AsyncExitStack() as stack:
        places = PromptPlaces(4, 0.5)
        adas = await visitors(stack, places, ADA, 3)
        assert inside(adas) == [True, True, False]
        bens = await visitors(stack, places, BEN, 2)
        assert inside(bens) == [True, False]
        await adas[0].leave()
        assert (inside(adas), inside(bens)) == ([False, True, True], [True, False])  # as many each: the first to come
        await adas[1].leave()
        await adas[2].leave()
        assert inside(bens) == [True, True]


async def test_without_a_share_places_are_given_in_order() -> None:
    async with AsyncExitStack() as stack:
        places = PromptPlaces(2)
        made = [*await visitors(stack, places, ADA, 3), *await visitors(stack, places, ADA, 1)]
        assert inside(made) == [True, True, False, False]
        await made[1].leave()
        assert inside(made) == [True, False, True, False]


async def test_a_cancelled_target_gives_its_place_back() -> None:
    async with AsyncExitStack() as stack:
        places = PromptPlaces(1)
        made = await visitors(stack, places, ADA, 4)
        await made[1].give_up()  # it waited
        await made[0].give_up()  # it had the place
        assert inside(made)[2:] == [True, False]
        made[2].task.cancel()
        made[2]._leave.set()
        await settle()
        assert inside(made)[3:] == [True]


async def test_a_target_that_is_cancelled_while_it_gets_a_place_gives_it_back() -> None:
    async with AsyncExitStack() as stack:
        places = PromptPlaces(1)
        first, second, third = await visitors(stack, places, ADA, 3)
        first._leave.set()
        await first.task  # the second has been given its place, and has not woken up yet
        second.task.cancel()
        await settle()
        assert inside([second, third]) == [False, True]


async def test_more_places_are_used_at_once() -> None:
    async with AsyncExitStack() as stack:
        places = PromptPlaces(1)
        made = await visitors(stack, places, ADA, 3)
        places.change(2, 1.0)
        await settle()
        assert inside(made) == [True, True, False]
