"""Which way a message goes: the wished channel first, then the person's own order, the inbox when all else fails."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

INBOX = "inbox"
"""The channel that is always there."""


class Endpoint(NamedTuple):
    """An address on a channel."""

    channel: str
    address: str


class Route(NamedTuple):
    """Where to try, in order."""

    endpoints: tuple[Endpoint, ...]
    copy: Endpoint | None
    """Where it is kept when none of them took it; that alone does not count as delivered."""


def route(own: Sequence[Endpoint], inbox: Endpoint, wished: str | None) -> Route:
    """The way to somebody with these channels, in order of preference.

    Whoever has no channel but the inbox, or wished for it, is reached there.
    """
    others = [each for each in own if each.channel != INBOX]
    if wished == INBOX or not others:
        return Route((inbox,), None)
    first = [each for each in others if each.channel == wished]
    return Route((*first, *(each for each in others if each.channel != wished)), inbox)
