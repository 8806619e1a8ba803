"""Requests of people in plain words, in every language: remind me, what's on, move, cancel, pause, resume, undo, help.

`read_request` reads a message of a chat; `read_sentence` takes a sentence apart into a text and a time, for every door
where both are one argument. Both are pure: they decide what was said, never what becomes of it.
"""

from duly.language.requests.doubts import Doubt, Sentence
from duly.language.requests.others import NamedPeople, OthersAsked, read_named, read_others
from duly.language.requests.reading import courtesy_in, is_no, is_yes, read_request
from duly.language.requests.requests import (
    IT,
    Cancel,
    Help,
    LeaveOut,
    ListRequest,
    Move,
    Pause,
    Remind,
    Request,
    Resume,
    UndoRequest,
)
from duly.language.requests.sentences import read_sentence, why_unread

__all__ = [
    "IT",
    "Cancel",
    "Doubt",
    "Help",
    "LeaveOut",
    "ListRequest",
    "Move",
    "NamedPeople",
    "OthersAsked",
    "Pause",
    "Remind",
    "Request",
    "Resume",
    "Sentence",
    "UndoRequest",
    "courtesy_in",
    "is_no",
    "is_yes",
    "read_named",
    "read_others",
    "read_request",
    "read_sentence",
    "why_unread",
]
