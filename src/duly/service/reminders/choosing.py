"""Which of several reminders a message in words answers: the one that it names; if it names none, duly asks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from duly.language.replies import Reply


def chosen(readings: Sequence[Reply]) -> list[int]:
    """Give the places of the reminders that a message may answer, from its reading for each of those that wait.

    None: it answers no reminder. Several: it does not say which of them.
    """
    answers = [place for place, each in enumerate(readings) if each.kind != "unknown" or each.doubt is not None]
    named = [place for place in answers if readings[place].named]
    taken = [place for place in named if readings[place].doubt is None]
    return taken or named or (list(range(len(readings))) if answers else [])
