"""The fields of a reminder in the editor: how it asks again, is announced, and comes again, as people type them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from duly.errors import InvalidInputError
from duly.model.action import Message
from duly.model.checks import seconds_in
from duly.service.schedules.fields import ReminderView

LABELS = {
    "nag_minutes": "Asks again after",
    "max_ack_reminders": "How often",
    "lead_minutes": "Announce ahead",
    "again_after_minutes": "Again after it is done",
    "snooze_allowed": "Snooze",
    "shared_with": "Also for",
    "answered_by": "Answered by",
}
EMPTY = {
    "nag_minutes": "10m",
    "max_ack_reminders": "3",
    "lead_minutes": "",
    "again_after_minutes": "",
    "snooze_allowed": "yes",
    "shared_with": "",
    "answered_by": "first",
}
_USUAL: dict[str, Any] = {
    "nag_minutes": 10,
    "max_ack_reminders": 3,
    "lead_minutes": [],
    "again_after_minutes": None,
    "snooze_allowed": True,
    "shared_with": [],
    "answered_by": "first",
}
"""What an empty field means."""
_WITH_QUESTION = ("nag_minutes", "max_ack_reminders", "again_after_minutes", "answered_by")
_SIZES = (("d", 1440), ("h", 60), ("m", 1))


def typed_of(reminder: ReminderView, people: Sequence[str]) -> dict[str, str]:
    """Write the fields of a reminder into a form; `people` are the names of those it is shared with."""
    return {
        "nag_minutes": _length(reminder.nag_minutes),
        "max_ack_reminders": str(reminder.max_ack_reminders),
        "lead_minutes": ", ".join(map(_length, reminder.lead_minutes)),
        "again_after_minutes": "" if reminder.again_after_minutes is None else _length(reminder.again_after_minutes),
        "snooze_allowed": "yes" if reminder.snooze_allowed else "no",
        "shared_with": ", ".join(people),
        "answered_by": reminder.answered_by or "first",
    }


def _length(minutes: int) -> str:
    return next(f"{minutes // size}{unit}" for unit, size in _SIZES if minutes % size == 0)


def raw(typed: Mapping[str, str]) -> dict[str, Any]:
    """Give the values as a caller would give them: minutes where a length was understood, else the text itself."""
    leads = [_minutes(each) for each in typed["lead_minutes"].split(",") if each.strip()]
    often = typed["max_ack_reminders"].strip()
    return {
        "nag_minutes": _minutes(typed["nag_minutes"]),
        "max_ack_reminders": int(often) if often.isdecimal() and len(often) < 10 else often or None,
        "lead_minutes": leads or None,
        "again_after_minutes": _minutes(typed["again_after_minutes"]),
        "snooze_allowed": typed["snooze_allowed"] != "no",
        "shared_with": [name for each in typed["shared_with"].split(",") if (name := each.strip())] or None,
        "answered_by": typed["answered_by"].strip() or None,
    }


def _minutes(text: str) -> Any:
    """Read a length as people type it: "15", "15 min", "1h30m"; what is none stays as it is."""
    said = text.strip()
    seconds = seconds_in(f"{said}m" if said.isdecimal() else said)
    return int(seconds // 60) if seconds and seconds % 60 == 0 else said or None


def faults_of(given: Mapping[str, Any]) -> dict[str, str]:
    """Check each field by itself, by the rules of a message; the fault says what would be right."""
    faults: dict[str, str] = {}
    for name in LABELS:
        value = given.get(name)
        several = value if isinstance(value, list) else [value]
        if name.endswith("_minutes") and (odd := [each for each in several if isinstance(each, str)]):
            faults[name] = f"{odd[0]!r:.100} was not understood: write a length such as 10m, 2h or 3d."
            continue
        if value is None:
            continue
        try:
            Message(text="?", require_ack=True, **{name: value})
        except InvalidInputError as error:
            faults[name] = str(error).replace(name, LABELS[name], 1)
    return faults


def options_of(fields: Mapping[str, Any], names: set[str] | None = None) -> dict[str, Any]:
    """Give the options to store: those of `names`, or for a new reminder those that are not as usual.

    A reminder that asks nothing has no fields about its question, unless they are to be changed: that is refused with
    the reason.
    """
    found = {name: _USUAL[name] if fields.get(name) is None else fields[name] for name in LABELS}
    odd = {name for name, value in found.items() if value != _USUAL[name]}
    chosen = odd if names is None else names & LABELS.keys()
    if fields.get("ack_prompt") is None:
        chosen -= set(_WITH_QUESTION) - odd
    if not found["shared_with"]:
        chosen -= {"answered_by"} - odd  # for one person there is nothing to choose
    return {name: found[name] for name in LABELS if name in chosen}
