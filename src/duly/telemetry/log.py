"""Events as log lines: `logging.getLogger("duly")`, one line each, machine-readable extras.

Of events that come again and again for the same reason only the first is written; the others are counted.
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
_LEVELS = {name.lower(): number for name, number in logging.getLevelNamesMapping().items()}
_AGENTS_ERRORS = ("PromptError: ", "PromptFailedError: ")
_Key = tuple[str, str | None, str | None, str | None]


def wants(kind: EventKind) -> bool:
    """Whether the log is open for events of a kind: most runs start and succeed unheard."""
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
    """An event that was written, and how often the same has come since."""

    event: Event
    since: datetime
    window_ends: float
    times: int = 0


class EventLog:
    """Writes every event to the log; those of a kind that `repeats` only when they say something new.

    The same kind with the same error or reason, of the same schedule, is written at once the first time. What follows
    within the window is counted, and the count is written when the window ends, when the schedule fails in a way that
    is new, or at `flush`. After a window in which nothing came the next one counts as the first again.
    """

    def __init__(self, clock: Clock, window: timedelta = WINDOW) -> None:
        self._clock = clock
        self._window = window.total_seconds()
        self._repeated: dict[_Key, _Repeated] = {}
        self._cancel: Cancel | None = None
        self._lock = threading.RLock()  # some events are told by other threads, such as the one that beats

    def __call__(self, event: Event) -> None:
        """Write or count an event."""
        if not event.kind.repeats:
            log_event(event)
        elif wants(event.kind):
            with self._lock:
                self._count(event)

    def flush(self) -> None:
        """Write what was counted, and forget it."""
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
        """Tell what was counted of this schedule so far, now that it fails in a new way; and keep the memory small."""
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
        """Without an event loop there is no alarm: then the next event, or the end, brings the count."""
        with suppress(RuntimeError):
            self._cancel = self._clock.call_later(max(0.0, moment - self._clock.monotonic()), self._window_ended)

    def _write_count(self, each: _Repeated) -> None:
        if each.times == 0:
            return
        kind, times = each.event.kind, f"{each.times} {'time' if each.times == 1 else 'times'}"
        facts = _facts(each.event)
        facts = {
            name: value for name, value in facts.items() if name not in ("run", "attempt", "retry_at", "traceback")
        }
        since = each.since.astimezone()  # as the log itself tells the time
        text = f"{kind.name} again, {times} since {since:%H:%M:%S}: {_in_line(facts)}"
        _write(kind, text, {**facts, "times": each.times, "since": each.since.isoformat()})
        each.times, each.since = 0, self._clock.now()


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
    """What a line tells."""
    ids = {"schedule": event.schedule_id, "run": event.run_id, "node": event.node_id}
    facts = {**{key: value for key, value in ids.items() if value}, **event.data}
    facts = {key: value for key, value in facts.items() if value is not None and key not in ("before", "after")}
    facts = _discreet(event.kind, facts)
    if changed := changed_fields(event.kind.name, event.data):
        facts["changed"] = ",".join(changed)
    return facts


def _discreet(kind: EventKind, facts: dict[str, Any]) -> dict[str, Any]:
    """Without a word of an agent, unless the log is open at DEBUG: logs are read and kept where answers are not."""
    summary = facts.pop("summary", None)
    if _log.isEnabledFor(logging.DEBUG):
        return facts
    if summary is None and str(facts.get("error", "")).startswith(_AGENTS_ERRORS):  # as a store has kept it
        summary = facts["error"].partition(":")[0]
    told = {key: summary for key in ("error", "reason") if summary is not None and _quotes(key, facts)}
    return {key: value for key, value in {**facts, **told}.items() if key not in kind.spoken}


def _quotes(key: str, facts: Mapping[str, Any]) -> bool:
    """Whether a summary takes the place of this fact: that of the error, where there is one, otherwise the reason."""
    return key in facts and (key == "error" or "error" not in facts)


def _write(kind: EventKind, text: str, facts: Mapping[str, Any], trace: str | None = None) -> None:
    """One record. Tracebacks, which tell the words of errors, are indented: none of their lines begins one of ours."""
    whole = text + "".join(f"\n  {_escaped(line)}" for line in (trace or "").splitlines())
    _log.log(_LEVELS[kind.level], "%s", whole, extra={"duly_event": kind.name, "duly_facts": dict(facts)})


def _in_line(facts: Mapping[str, Any]) -> str:
    return " ".join(f"{key}={_escaped(value)}" for key, value in facts.items())


def _escaped(value: object) -> str:
    """A value as part of a line: what agents and jobs say cannot begin one of its own, nor speak to a terminal."""
    return _CONTROL.sub(lambda found: repr(found[0])[1:-1], str(value))
