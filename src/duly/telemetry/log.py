"""Events as log lines: `logging.getLogger("duly")`, one line each, with machine-readable extras.

Of events that repeat for the same reason only the first is written; the others are counted.
"""

from __future__ import annotations

import logging
import re
import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from duly.clock import Cancel, Clock
from duly.model.events import Event, EventKind, changed_fields

WINDOW = timedelta(minutes=10)
_MOST_COUNTED = 256
_log = logging.getLogger("duly")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_NEEDS_QUOTES = re.compile(r'[\s="]')
_LEVELS = {name.lower(): number for name, number in logging.getLevelNamesMapping().items()}
_AGENTS_ERRORS = ("PromptError: ", "PromptFailedError: ")
_Key = tuple[str, str | None, str | None, str | None]


def wants(kind: EventKind) -> bool:
    """Whether the log takes events of a kind: by default it leaves out runs that start and succeed."""
    return _log.isEnabledFor(_LEVELS[kind.level])


def log_event(event: Event) -> None:
    """Write an event to the log at the level its kind has."""
    if not wants(event.kind):
        return
    facts = _facts(event)
    trace = facts.pop("traceback", None)
    _write(event.kind, f"{event.kind.name} {_in_line(facts)}", facts, trace)


@dataclass(slots=True)
class _Repeated:
    """An event that was written, and how often the same came since."""

    event: Event
    since: datetime
    window_ends: float
    times: int = 0


class EventLog:
    """Writes every event to the log; events of a kind that `repeats` only when they are new.

    Events of one kind and schedule with one error or reason are the same. The first is written at once. Those that
    follow within the window are counted, and the count is written when the window ends, when the schedule fails in a
    new way, or at `flush`. After a window without one, the next counts as the first again.
    """

    def __init__(self, clock: Clock, window: timedelta = WINDOW) -> None:
        self._clock = clock
        self._window = window.total_seconds()
        self._repeated: dict[_Key, _Repeated] = {}
        self._cancel: Cancel | None = None
        self._lock = threading.RLock()  # other threads report events, too, such as the heartbeat's

    def __call__(self, event: Event) -> None:
        """Write or count an event."""
        if not event.kind.repeats:
            log_event(event)
        elif wants(event.kind):
            with self._lock:
                self._count(event)

    def flush(self) -> None:
        """Write all counts, and forget them."""
        with self._lock:
            for each in self._repeated.values():
                self._write_count(each)
            self._repeated.clear()
            if self._cancel is not None:
                self._cancel()
                self._cancel = None

    def _count(self, event: Event) -> None:
        self._close_windows()
        key = _key(event)
        known = self._repeated.get(key)
        if known is None:
            self._make_room(key)
            self._repeated[key] = _Repeated(event, event.at, self._clock.monotonic() + self._window)
            log_event(event)
            return
        known.times += 1
        if self._cancel is None:
            self._wake_up_at(known.window_ends)

    def _make_room(self, key: _Key) -> None:
        """Write the counts of this schedule, now that it fails in a new way; and keep the number of counts bounded."""
        for known, each in self._repeated.items():
            if known[:2] == key[:2]:
                self._write_count(each)
        while len(self._repeated) >= _MOST_COUNTED:
            self._write_count(self._repeated.pop(next(iter(self._repeated))))

    def _close_windows(self) -> None:
        now = self._clock.monotonic()
        for key, each in list(self._repeated.items()):
            if each.window_ends <= now and each.times == 0:
                del self._repeated[key]
            elif each.window_ends <= now:
                self._write_count(each)
                each.window_ends = now + self._window

    def _window_ended(self) -> None:
        with self._lock:
            self._cancel = None
            self._close_windows()
            if counting := [each.window_ends for each in self._repeated.values() if each.times]:
                self._wake_up_at(min(counting))

    def _wake_up_at(self, moment: float) -> None:
        """Set a timer. Without an event loop there is none: then the next event, or `flush`, writes the count."""
        with suppress(RuntimeError):
            self._cancel = self._clock.call_later(max(0.0, moment - self._clock.monotonic()), self._window_ended)

    def _write_count(self, each: _Repeated) -> None:
        if each.times == 0:
            return
        kind = each.event.kind
        times = f"{each.times} {'time' if each.times == 1 else 'times'}"
        facts = _facts(each.event)
        facts = {
            name: value for name, value in facts.items() if name not in ("run", "attempt", "retry_at", "traceback")
        }
        since = each.since.astimezone()  # in local time, as the log's own timestamps
        text = f"{kind.name} again, {times} since {since:%H:%M:%S}: {_in_line(facts)}"
        _write(kind, text, {**facts, "times": each.times, "since": each.since.isoformat()})
        each.times = 0
        each.since = self._clock.now()


def _key(event: Event) -> _Key:
    data = event.data
    said = data.get("error") or data.get("reason")
    target = data.get("target") or data.get("task")
    return (
        event.kind.name,
        event.schedule_id,
        None if target is None else str(target),
        None if said is None else str(said),
    )


def _facts(event: Event) -> dict[str, Any]:
    """Give the values that a line shows."""
    ids = {"schedule": event.schedule_id, "run": event.run_id, "node": event.node_id}
    facts = {**{key: value for key, value in ids.items() if value}, **event.data}
    facts = {key: value for key, value in facts.items() if value is not None and key not in ("before", "after")}
    facts = _discreet(event.kind, facts)
    if changed := changed_fields(event.kind.name, event.data):
        facts["changed"] = ",".join(changed)
    return facts


def _discreet(kind: EventKind, facts: dict[str, Any]) -> dict[str, Any]:
    """Remove the words of agents, unless the log is at DEBUG: logs are kept and read in other places than answers."""
    summary = facts.pop("summary", None)
    if _log.isEnabledFor(logging.DEBUG):
        return facts
    if summary is None and str(facts.get("error", "")).startswith(
        _AGENTS_ERRORS
    ):  # an error text from the store has no summary
        summary = facts["error"].partition(":")[0]
    replaced = {key: summary for key in ("error", "reason") if summary is not None and _quotes(key, facts)}
    return {key: value for key, value in {**facts, **replaced}.items() if key not in kind.spoken}


def _quotes(key: str, facts: Mapping[str, Any]) -> bool:
    """Whether the summary replaces this fact: the error if there is one, otherwise the reason."""
    return key in facts and (key == "error" or "error" not in facts)


def _write(kind: EventKind, text: str, facts: Mapping[str, Any], trace: str | None = None) -> None:
    """Write one record. Lines of tracebacks are indented, so that text in an error cannot look like a line of ours."""
    whole = text + "".join(f"\n  {_escaped(line)}" for line in (trace or "").splitlines())
    _log.log(_LEVELS[kind.level], "%s", whole, extra={"duly_event": kind.name, "duly_facts": dict(facts)})


def _in_line(facts: Mapping[str, Any]) -> str:
    return " ".join(f"{key}={_quoted(str(value))}" for key, value in facts.items())


def _quoted(text: str) -> str:
    """Quote a value with blanks, `=` or quotes, and an empty one: no text can look like another fact of the line."""
    if text and _NEEDS_QUOTES.search(text) is None:
        return _escaped(text)
    inside = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{_escaped(inside)}"'


def _escaped(value: object) -> str:
    """Escape control characters: text of agents and jobs can neither begin a line nor control a terminal."""
    return _CONTROL.sub(lambda found: repr(found[0])[1:-1], str(value))
