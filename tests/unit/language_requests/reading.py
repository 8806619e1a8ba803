"""The moment at which requests are read, and a short form of what was understood."""

from __future__ import annotations

from datetime import datetime, timedelta

from duly.language.requests import (
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
from duly.phrases import Phrase
from duly.recurrence import Once
from duly.zones import Zone

NOW = datetime.fromisoformat("2026-11-18T10:20:00+01:00")
ZONE = Zone.of("Europe/Zagreb")


def local(moment: datetime | None) -> str:
    return "None" if moment is None else f"{ZONE.localize(moment):%Y-%m-%dT%H:%M}"


def when(phrase: Phrase | None) -> str:
    if phrase is None:
        return "None"
    return local(phrase.trigger.at) if isinstance(phrase.trigger, Once) else str(phrase.canonical())


def shown(request: Request | None) -> str:
    match request:
        case None:
            return "none"
        case Remind(text=text, phrase=phrase):
            return f"remind {text} @ {when(phrase)}"
        case ListRequest(span=span, day=day):
            return f"list {day or span}"
        case Move(target=target, phrase=phrase, shift=shift):
            return f"move {target} {f'@ {when(phrase)}' if shift is None else f'by {shift // timedelta(minutes=1)}'}"
        case Cancel(target=target):
            return f"cancel {target or '*'}"
        case LeaveOut(target=target, day=day):
            return f"skip {target} on {day}"
        case Pause(target=target, until=until):
            return f"pause {target or '*'} until {local(until)}"
        case Resume(target=target):
            return f"resume {target or '*'}"
        case UndoRequest() | Help():
            return {UndoRequest: "undo", Help: "help"}[type(request)]
    raise AssertionError(request)
