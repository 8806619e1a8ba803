"""Names for what nobody named."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from duly.daemon.house import House

_WORDS = 4
_LONGEST = 60


async def free_name(house: House, namespace: str, text: str) -> str:
    """A name people can type: the first words of a text, with a number if they are taken."""
    base = "-".join(re.findall(r"\w+", text.lower())[:_WORDS])[:_LONGEST] or "schedule"
    name, number = base, 1
    while await house.store.find(namespace, name) is not None:
        number += 1
        name = f"{base}-{number}"
    return name
