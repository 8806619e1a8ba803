"""One start of a handover in this process: what it has to say, and whether duly still wants it."""

from __future__ import annotations

import json
import threading
import traceback
from collections import deque
from collections.abc import Mapping
from typing import Any

from duly.celery.door import Door

MOST_LINES = 1000
"""Lines that wait to be sent; older ones are dropped, and duly hears how many."""
_LINES_AT_ONCE = 200
_LONGEST_LINE = 4000
_MOST_PROGRESS = 16 * 1024
MOST_RESULT = 64 * 1024
_LONGEST_ERROR = 2000
_LONGEST_TRACEBACK = 16 * 1024


class AttemptFailedError(Exception):
    """An attempt that failed in these words, with what is known of it all the same, as JSON."""

    def __init__(self, error: str, result: Mapping[str, Any]) -> None:
        super().__init__(error, result)
        self.error = error
        self.result = result


class Start:
    """A task that has leave and runs in this process. Safe to use from any thread."""

    def __init__(self, door: Door, start: str, *, lease: float, goes_on: bool = False) -> None:
        """`goes_on` says that another start, which Celery retries with this one, has said something before."""
        self.door = door
        self.id = start
        self.lease = lease
        self.cancelled = threading.Event()
        self.beats_until: float | None = None
        """When it is no longer waited for Celery to try again; None while the task runs."""
        self._sending = threading.Lock()
        """One report at a time, so that lines arrive in order."""
        self._lock = threading.Lock()
        self._lines: deque[dict[str, str]] = deque()
        self._dropped = 0
        self._sent = None if goes_on else 0
        """How many lines duly has: with it, duly knows lines that are sent twice. None where that is not known yet."""
        self._progress: str | None = None

    @property
    def has_news(self) -> bool:
        return bool(self._lines) or self._progress is not None

    def say(self, text: str, kind: str = "text") -> None:
        with self._lock:
            for line in text.splitlines() or [""]:
                self._lines.append({"kind": kind, "text": line[:_LONGEST_LINE]})
            while len(self._lines) > MOST_LINES:
                self._lines.popleft()
                self._dropped += 1

    def progress(self, data: Any) -> None:
        encoded = as_json(data)
        if len(encoded) > _MOST_PROGRESS:
            raise ValueError(f"progress may have {_MOST_PROGRESS} bytes of JSON, got {len(encoded)}")
        with self._lock:
            self._progress = encoded

    def beat(self) -> None:
        """Give a sign of life, with what there is to say; what could not be sent is sent with the next one."""
        with self._sending:
            self._send()

    def _send(self) -> None:
        with self._lock:
            lines = [self._lines.popleft() for _ in range(min(_LINES_AT_ONCE, len(self._lines)))]
            dropped = self._dropped
            self._dropped = 0
            progress = self._progress
            self._progress = None
        said: dict[str, Any] = {} if progress is None else {"progress": json.loads(progress)}
        if dropped:
            lines.insert(0, {"kind": "note", "text": f"{dropped} lines left out: they came faster than they were sent"})
        if lines:
            said["lines"] = lines
            if self._sent is not None:
                said["lines_before"] = self._sent
        try:
            answer = self.door.beat(self.id, said)
        except BaseException:
            with self._lock:
                self._lines.extendleft(reversed(lines))
                if self._progress is None:  # nothing newer came meanwhile
                    self._progress = progress
            raise
        known = answer.get("lines")
        if lines and isinstance(known, int):
            self._sent = known


def as_json(value: Any) -> str:
    """Write a value as JSON; what JSON has no form for becomes text."""
    try:
        return json.dumps(value, default=str)
    except (TypeError, ValueError):  # keys that are no text, or a value that holds itself
        return json.dumps(repr(value)[:_LONGEST_ERROR])


def succeeded(result: Any) -> dict[str, Any]:
    """Describe a success. A result that is too large is left out: the task has succeeded all the same."""
    encoded = as_json(result)
    if len(encoded) > MOST_RESULT:
        return {"state": "succeeded", "result": f"[a result of {len(encoded)} bytes, which is too large to keep]"}
    return {"state": "succeeded", "result": json.loads(encoded)}


def failed(error: object, trace: str | None = None) -> Mapping[str, Any]:
    """Describe a failure."""
    if isinstance(error, AttemptFailedError):
        return {"state": "failed", "error": error.error[:_LONGEST_ERROR], "result": error.result}
    if isinstance(error, BaseException):
        text = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        trace = trace or "".join(traceback.format_exception(error))
    else:
        text = str(error)
    outcome = {"state": "failed", "error": text[:_LONGEST_ERROR]}
    return {**outcome, "traceback": trace[-_LONGEST_TRACEBACK:]} if trace else outcome
