"""Names for what is made without one: a free name from the first words of a text, here and at a daemon elsewhere."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from itertools import count
from typing import TYPE_CHECKING, TypeVar

from duly.errors import InvalidInputError
from duly.operations.listing import ListSchedules
from duly.service.pages import MAX_PAGE
from duly.service.schedules.finding import base_name

if TYPE_CHECKING:
    from duly.operations.ask import Asker

Created = TypeVar("Created")


async def create_under_free_name(
    duly: Asker, namespace: str, text: str, create: Callable[[str], Awaitable[Created]]
) -> Created:
    """Call `create` with a free name made from the first words of a text.

    Names are looked up only when one is refused: most are free, and another caller may take one after the look-up.
    """
    base = base_name(text)
    names = (base if number == 1 else f"{base}-{number}" for number in count(1))
    taken: set[str] = set()
    while True:
        name = next(each for each in names if each not in taken)
        try:
            return await create(name)
        except InvalidInputError:
            taken = await _names_like(duly, namespace, base)
            if name not in taken:
                raise  # refused for another reason than its name


async def _names_like(duly: Asker, namespace: str, base: str) -> set[str]:
    found: set[str] = set()
    cursor: str | None = None
    while True:
        page, cursor = await duly.ask(ListSchedules(owner=namespace, text=base, cursor=cursor, limit=MAX_PAGE))
        found.update(each.name for each in page)
        if cursor is None:
            return found
