"""The options of a reminder that `duly remind` and `duly reminders edit` share, as they are declared."""

from __future__ import annotations

from argparse import ArgumentTypeError, BooleanOptionalAction, Namespace
from typing import Any, get_args

from duly.cli.arguments import Parser, whole_number
from duly.model.checks import seconds_in
from duly.service.schedules.fields import OPTIONS
from duly.service.schedules.settings import FLAG, LEADS, MINUTES, PEOPLE, SPAN, Setting

_MORE = {"ask": "; implies --ack", "priority": "; list: only these"}


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


def add_message_options(parser: Parser) -> None:
    """Add the options."""
    for option, name in OF_MESSAGES.items():
        each = OPTIONS[name]
        how, more = _how(each)
        parser.add_argument(f"--{option}", help=f"{each.short_words}{more}{_MORE.get(option, '')}", **how)


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
    return {"metavar": "QUESTION" if each.needs else None}, ""


def message_options(arguments: Namespace) -> dict[str, Any]:
    """Give the fields of a reminder that were given."""
    given = {name: getattr(arguments, option.replace("-", "_")) for option, name in OF_MESSAGES.items()}
    return {name: value for name, value in given.items() if value is not None}
