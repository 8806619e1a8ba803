"""The options of a reminder that several commands share, as they are declared."""

from __future__ import annotations

from argparse import ArgumentTypeError, BooleanOptionalAction, Namespace
from collections.abc import Collection
from typing import Any, get_args

from duly.cli.arguments import Parser, whole_number
from duly.model.checks import seconds_in
from duly.service.schedules.fields import OPTIONS
from duly.service.schedules.settings import FLAG, LEADS, MINUTES, PEOPLE, SPAN, Setting


def _minutes(text: str) -> int:
    """Read a length of whole minutes."""
    seconds = None if text.isdecimal() else seconds_in(text)
    if seconds is None or seconds < 60 or seconds % 60:
        raise ArgumentTypeError(f"expected a length such as 10m, 2h or 3d, got {text!r}")
    return int(seconds // 60)


def _lengths(text: str) -> tuple[int, ...]:
    return () if text == "off" else tuple(_minutes(each.strip()) for each in text.split(","))


def people(text: str) -> tuple[str, ...]:
    """Read ids or names of people, between commas."""
    return () if text == "off" else tuple(name for each in text.split(",") if (name := each.strip()))


_WRITTEN = {
    LEADS: (_lengths, "LENGTHS", " (such as 1h or 1d,1h; off: not)"),
    SPAN: (_minutes, "LENGTH", " (such as 3d)"),
    PEOPLE: (people, "PEOPLE", " (such as bob,eva; off: none)"),
}
"""How people write values of some kinds: what reads them, and what the help says."""
OF_MESSAGES = {
    each.option or name.replace("_", "-"): name
    for name, each in OPTIONS.items()
    if name != "require_ack"  # each command has an --ack of its own
}
"""The options, and the fields they set."""


def add_message_options(parser: Parser, filters: Collection[str] = ()) -> None:
    """Add the options; a list can be narrowed down by the `filters` among them."""
    for option, name in OF_MESSAGES.items():
        each = OPTIONS[name]
        how, more = _how(each)
        more += "; list: only these" if option in filters else ""
        parser.add_argument(f"--{option}", help=f"{each.short_words}{more}", **how)


def _how(each: Setting) -> tuple[dict[str, Any], str]:
    """Say how an option is read."""
    if each.kind in _WRITTEN:
        reader, metavar, more = _WRITTEN[each.kind]
        return {"type": reader, "metavar": metavar}, more
    if each.within is not None:
        return {"type": whole_number(*each.within), "metavar": "MINUTES" if each.kind is MINUTES else "N"}, ""
    if each.kind is FLAG:
        return {"action": BooleanOptionalAction}, ""
    if choices := get_args(each.kind.given):
        return {"choices": choices}, ""
    return ({"metavar": "QUESTION"}, "; implies --ack") if each.needs else ({}, "")


def message_options(arguments: Namespace) -> dict[str, Any]:
    """Give the fields of a reminder that were given."""
    given = {name: getattr(arguments, option.replace("-", "_")) for option, name in OF_MESSAGES.items()}
    return {name: value for name, value in given.items() if value is not None}


def message_changes(arguments: Namespace) -> dict[str, Any]:
    """Give the same for a change of a reminder, which may begin or end asking."""
    asks = True if arguments.ask is not None else arguments.ack
    return message_options(arguments) if asks is None else {"require_ack": asks, **message_options(arguments)}
