"""`--follow`: say new entries of the journal or of the audit as they come, whichever process writes them."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Protocol, TypeVar

from duly.cli.faults import line
from duly.errors import StoreError
from duly.processes import until_asked_to_stop

if TYPE_CHECKING:
    from duly.runtime.runtime import Runtime

_LOOK_EVERY = 1.0  # seconds, for stores whose hints may get lost


class _Numbered(Protocol):
    @property
    def seq(self) -> int: ...


T = TypeVar("T", bound=_Numbered)


async def follow(
    runtime: Runtime,
    seen: int,
    last: Callable[[], Awaitable[int]],
    fresh: Callable[[int], Awaitable[Sequence[T]]],
    say: Callable[[Sequence[T]], None],
) -> None:
    """Say what comes after entry `seen`, until asked to stop.

    `last` gives the number of the newest entry, `fresh` the wanted entries after a number.
    """
    changed, fault = asyncio.Event(), ""
    runtime.store.on_change(changed.set)

    async def look(seen: int) -> int:
        nonlocal fault
        try:
            newest = await last()
            if newest <= seen:
                return seen
            found = await fresh(seen)
        except StoreError as error:  # it may be back at the next look
            if str(error) != fault:
                sys.stderr.write(line(error))
            fault = str(error)
            return seen
        fault = ""
        say(found)
        return max([newest, *(each.seq for each in found)])

    async def look_for_ever() -> None:
        at = seen
        while True:
            at = await look(at)
            cancel = runtime.clock.call_later(_LOOK_EVERY, changed.set)
            await changed.wait()
            changed.clear()
            cancel()

    looking = asyncio.ensure_future(look_for_ever())
    asked = asyncio.ensure_future(until_asked_to_stop())
    try:
        await asyncio.wait({looking, asked}, return_when=asyncio.FIRST_COMPLETED)
        if looking.done():
            looking.result()  # it ends only with a fault, such as a reader of the output that has gone
    finally:
        for task in (looking, asked):
            task.cancel()
        await asyncio.gather(looking, asked, return_exceptions=True)


def say(text: str) -> None:
    """Write text at once, without what commands a terminal."""
    from duly.cli.app import harmless

    sys.stdout.write(harmless(text))
    sys.stdout.flush()
