"""What fires, as lines for the person at the terminal of `duly up`: one line each, and not more than one can read.

The run of a reminder goes on in steps: each is one more attempt for the engine, and for people it is what it sends.
"""

from __future__ import annotations

from collections.abc import Callable

from duly.clock import Clock
from duly.model.events import DELIVERY_ENDED, RUN_STARTED, Event
from duly.model.reminder import AttemptKind, AttemptStatus
from duly.zones import Zone

_MOST = 20
_WINDOW = 10.0
"""At most so many lines in so many seconds; the others are counted."""
_LATE = 60.0
_REMINDERS = "message"
"""The handler of the runs that are reminders."""
_REMEMBERED = 1000
"""The reminders whose later steps are known, the latest ones."""


class FireLines:
    """Says each run that begins. Runs beyond the rate are only counted: with the first line after them."""

    def __init__(self, say: Callable[[str], None], clock: Clock, zone: str) -> None:
        self._say = say
        self._clock = clock
        self._zone = Zone.of(zone)
        self._window_ends = 0.0
        self._said = 0
        self._left_out = 0
        self._later_steps: dict[str, str] = {}
        """The names of reminders whose run goes on, by the id of the run."""

    def __call__(self, event: Event) -> None:
        if event.kind is RUN_STARTED:
            if not self._goes_on(event):
                self._show(event, str(event.data.get("name")), _notes_of_run(event))
        elif event.kind is DELIVERY_ENDED and (name := self._later_steps.get(event.run_id or "")) is not None:
            self._show(event, name, [_step(event)])

    def _goes_on(self, event: Event) -> bool:
        """Tell whether a run is a later step of a reminder: what it sends is said when it is sent."""
        if event.data.get("handler") != _REMINDERS or _attempt(event) == 1 or event.run_id is None:
            return False
        self._later_steps.pop(event.run_id, None)
        self._later_steps[event.run_id] = str(event.data.get("name"))
        if len(self._later_steps) > _REMEMBERED:
            del self._later_steps[next(iter(self._later_steps))]
        return True

    def _show(self, event: Event, name: str, notes: list[str]) -> None:
        now = self._clock.monotonic()
        if now >= self._window_ends:
            self._window_ends = now + _WINDOW
            self._said = 0
            if self._left_out:
                self._say(f"         … and {self._left_out} more")
                self._left_out = 0
        if self._said >= _MOST:
            self._left_out += 1
            return
        self._said += 1
        at = self._zone.localize(event.at)
        self._say(f"{at:%H:%M:%S} ▶ {_printable(name)}" + (f" ({', '.join(notes)})" if notes else ""))


def _attempt(event: Event) -> int:
    return int(event.data.get("attempt") or 1)


def _notes_of_run(event: Event) -> list[str]:
    notes = []
    if (attempt := _attempt(event)) > 1:
        notes.append(f"attempt {attempt}")
    if (late := float(event.data.get("late_seconds") or 0)) >= _LATE:
        notes.append(f"{int(late // _LATE)} min late")
    return notes


def _step(event: Event) -> str:
    """Say what a later step of a reminder sent, or could not send."""
    data = event.data
    person = _printable(str(data.get("person")))
    steps = {
        AttemptKind.REMINDER: "asked again" if data.get("again") else "sent",
        AttemptKind.ACK_PROMPT: "asked for an answer",
        AttemptKind.COPY: "kept in the inbox",
        AttemptKind.ESCALATION: f"escalated to {person}",
        AttemptKind.ANSWERED: f"{person} knows that it is answered",
    }
    said = steps.get(AttemptKind(data.get("kind", AttemptKind.REMINDER)), "sent")
    failed = data.get("state") == AttemptStatus.FAILED
    return f"{said}: {_printable(str(data.get('channel')))} did not take it" if failed else said


def _printable(text: str) -> str:
    return "".join(letter if letter.isprintable() else "�" for letter in text)
