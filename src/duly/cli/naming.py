"""Names for what nobody named."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeVar

from duly.errors import InvalidInputError

if TYPE_CHECKING:
    from duly.runtime.runtime import Runtime

T = TypeVar("T")
_WORDS = 4
_LONGEST = 60


async def under_free_name(runtime: Runtime, namespace: str, text: str, make: Callable[[str], Awaitable[T]]) -> T:
    """Make something under a name of its own, even if somebody else takes the first one found in the meantime."""
    while True:
        name = await _free_name(runtime, namespace, text)
        try:
            return await make(name)
        except InvalidInputError:
            if await runtime.store.find(namespace, name) is None:
                raise  # it was not the name


async def _free_name(runtime: Runtime, namespace: str, text: str) -> str:
    """A name people can type: the first words of a text, with a number if they are taken."""
    base = "-".join(re.findall(r"\w+", text.lower())[:_WORDS])[:_LONGEST] or "schedule"
    name, number = base, 1
    while await runtime.store.find(namespace, name) is not None:
        number += 1
        name = f"{base}-{number}"
    return name
