"""The ways to reach people that there are here, by name."""

from __future__ import annotations

from collections.abc import Collection
from difflib import get_close_matches

from duly.errors import InvalidInputError
from duly.service.schedules.values import text


def check_channel(channel: str | None, known: Collection[str] | None) -> None:
    """Refuse a channel nobody set up: it would go unnoticed, as what has no address there is delivered elsewhere."""
    if channel is None or known is None or text(channel, "channel") in known:
        return
    near, there = get_close_matches(channel, known, n=1), ", ".join(known)
    hint = f"did you mean {near[0]}?" if near else f"add [channels.{channel}] to duly.toml; there is {there}"
    raise InvalidInputError(f"channel {channel!r} is not configured: {hint}")
