"""Buttons under a reminder, and what a press means: the token says which reminder and which answer."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from duly.language.languages import words
from duly.model.reminder import Response
from duly.planning.snooze import DEFAULT_SNOOZE
from duly.ports.channels import Button, ButtonKind

Link = Callable[[str, ButtonKind], str | None]
"""The signed link that says the same as a button's token; None where nobody answers links."""

_RESPONSES = {
    ButtonKind.DONE: Response.ACK,
    ButtonKind.SNOOZE: Response.SNOOZE,
    ButtonKind.DISMISS: Response.DISMISS,
}
_PRESSED = re.compile(r"(done|snooze|dismiss):([0-9a-zA-Z_-]{8,40})(?::(\d{1,4}))?")


class Press(NamedTuple):
    """A button that was pressed."""

    token: str
    """The reminder's."""
    response: Response
    minutes: int | None = None


def no_link(_token: str, _kind: ButtonKind) -> None:
    """For installations that cannot be reached from outside."""


def make_buttons(token: str, language: str | None, *, may_snooze: bool, link: Link = no_link) -> tuple[Button, ...]:
    """Done, later, and not at all."""
    spoken = words(language)
    wanted = [(ButtonKind.DONE, spoken.done, f"done:{token}")]
    if may_snooze:
        later = spoken.snooze.format(minutes=DEFAULT_SNOOZE)
        wanted.append((ButtonKind.SNOOZE, later, f"snooze:{token}:{DEFAULT_SNOOZE}"))
    wanted.append((ButtonKind.DISMISS, spoken.dismiss, f"dismiss:{token}"))
    return tuple(Button(kind, label, text, link(text, kind)) for kind, label, text in wanted)


def read_button(text: str) -> Press | None:
    """What a button's token says; None when it is not one of ours."""
    found = _PRESSED.fullmatch(text)
    if found is None:
        return None
    kind, token, minutes = found.groups()
    return Press(token, _RESPONSES[ButtonKind(kind)], None if minutes is None else int(minutes))
