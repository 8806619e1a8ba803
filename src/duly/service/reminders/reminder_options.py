"""The options of a reminder: the fields of its message besides the text, judged together."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import fields, replace
from typing import Any

from duly.errors import InvalidInputError
from duly.model.action import Message
from duly.service.limits import check_given
from duly.service.people.channel_names import check_channel
from duly.service.schedules import values

_FIELDS = frozenset(each.name for each in fields(Message)) - {"text", "user_id"}
_ONLY_WITH_ACK = ("ack_prompt", "max_ack_reminders")
CHANGEABLE = ("schedule", "message", "name", "enabled", *sorted(_FIELDS))
"""What an update of a reminder takes."""


def check_request(known_channels: Collection[str] | None, **given: Any) -> None:
    """Refuse what is too long, and a channel that was not set up, before anything else of a request is read."""
    check_given(given)
    check_channel(given.get("channel"), known_channels)


def with_options(message: Message, options: Mapping[str, Any]) -> Message:
    """A message with options set; one that would have no effect is refused."""
    if unknown := sorted(options.keys() - _FIELDS):
        raise InvalidInputError(f"a reminder has no {unknown[0]!r}; it has {', '.join(sorted(_FIELDS))}")
    for name, value in {"message": message.text, **options}.items():
        if isinstance(value, str):
            values.storable(value, name)
    changed = replace(message, **options)
    for name in _ONLY_WITH_ACK:
        if options.get(name) is not None and not changed.require_ack:
            raise InvalidInputError(
                f"{name} {options[name]!r} has no effect without require_ack: say require_ack=true, or leave {name} out"
            )
    return changed
