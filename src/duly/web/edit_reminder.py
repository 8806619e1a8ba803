"""The fields of a reminder in the editor: how it asks again, is announced, and comes again, as people type them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from duly.errors import InvalidInputError
from duly.model.action import Message
from duly.model.checks import seconds_in
from duly.model.codec import Json
from duly.service.schedules.fields import OPTIONS, ReminderView
from duly.service.schedules.settings import FLAG, LEADS, MINUTES, PEOPLE, SPAN, WHOLE, ValueKind

_SHOWN = {name: each for name, each in OPTIONS.items() if each.label}
_PLAIN = Message(text="?")
_USUAL = {name: getattr(_PLAIN, each.attribute) for name, each in _SHOWN.items()}
"""What an empty field means."""
LABELS = {name: each.label for name, each in _SHOWN.items()}
_LENGTHS = (MINUTES, SPAN, LEADS)
_SIZES = (("d", 1440), ("h", 60), ("m", 1))


def typed_of(reminder: ReminderView, people: Sequence[str]) -> dict[str, str]:
    """Write the fields of a reminder into a form; `people` are the names of those it is shared with."""
    return {
        name: _written(each.kind, people if each.kind is PEOPLE else getattr(reminder, name), _USUAL[name])
        for name, each in _SHOWN.items()
    }


def _written(kind: ValueKind, value: Any, usual: Any) -> str:
    """Write a value as people type it."""
    value = usual if value is None else value
    if value is None:
        return ""
    if kind in (LEADS, PEOPLE):
        return ", ".join(_length(each) if kind is LEADS else each for each in value)
    if kind is FLAG:
        return "yes" if value else "no"
    return _length(value) if kind in _LENGTHS else str(value)


def _length(minutes: int) -> str:
    return next(f"{minutes // size}{unit}" for unit, size in _SIZES if minutes % size == 0)


EMPTY = {name: _written(each.kind, None, _USUAL[name]) for name, each in _SHOWN.items()}


def raw(typed: Mapping[str, str]) -> dict[str, Any]:
    """Give the values as a caller would give them: minutes where a length was understood, else the text itself."""
    return {name: _raw(each.kind, typed[name].strip()) for name, each in _SHOWN.items()}


def _raw(kind: ValueKind, said: str) -> Any:
    if kind in (LEADS, PEOPLE):
        several = [each.strip() for each in said.split(",") if each.strip()]
        return [_minutes(each) if kind is LEADS else each for each in several] or None
    if kind is FLAG:
        return said != "no"
    if kind is WHOLE and said.isdecimal() and len(said) < 10:
        return int(said)
    return _minutes(said) if kind in _LENGTHS else said or None


def _minutes(text: str) -> Any:
    """Read a length as people type it: "15", "15 min", "1h30m"; what is none stays as it is."""
    said = text.strip()
    seconds = seconds_in(f"{said}m" if said.isdecimal() else said)
    return int(seconds // 60) if seconds and seconds % 60 == 0 else said or None


def faults_of(given: Json) -> dict[str, str]:
    """Check each field by itself, by the rules of a message; the fault says what would be right."""
    faults: dict[str, str] = {}
    for name in LABELS:
        value = given.get(name)
        several = value if isinstance(value, list) else [value]
        if _SHOWN[name].kind in _LENGTHS and (odd := [each for each in several if isinstance(each, str)]):
            faults[name] = f"{odd[0]!r:.100} was not understood: write a length such as 10m, 2h or 3d."
            continue
        if value is None:
            continue
        try:
            Message(text="?", require_ack=True, **{name: value})
        except InvalidInputError as error:
            faults[name] = str(error).replace(name, LABELS[name], 1)
    return faults


def options_of(fields: Json, names: set[str] | None = None) -> dict[str, Any]:
    """Give the options to store: those of `names`, or for a new reminder those that are not as usual.

    A reminder that asks nothing has no fields about its question, unless they are to be changed: that is refused with
    the reason.
    """
    found = {name: _USUAL[name] if fields.get(name) is None else fields[name] for name in LABELS}
    odd = {name for name, value in found.items() if value != _USUAL[name]}
    chosen = odd if names is None else names & LABELS.keys()
    if fields.get("ack_prompt") is None:
        chosen -= {name for name, each in _SHOWN.items() if each.needs} - odd
    chosen -= {name for name, each in _SHOWN.items() if each.needs_too and not found[each.needs_too]} - odd
    return {name: found[name] for name in LABELS if name in chosen}
