"""The thread of a worker process that gives signs of life for the tasks in it, and sends reports that did not arrive.

It lives in the process that runs the tasks, so that it falls silent with it: a process that hangs in the kernel, was
stopped or was killed does not beat.
"""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from duly.celery.door import RefusedError, UnreachableError, forget_connections
from duly.celery.start import Start
from duly.clock import Clock, SystemClock

log = logging.getLogger("duly.celery")

BEATS_PER_LEASE = 4
NEWS_AFTER = 0.5
"""Seconds between two reports of what a task prints."""
_LONGEST_PAUSE = 30.0
REPORT_FOR = 3600.0
"""Seconds for which a report of an end is tried again."""


@dataclass(slots=True)
class _Beating:
    start: Start
    due: float
    last: float


@dataclass(slots=True)
class _Ending:
    start: Start
    outcome: Mapping[str, Any]
    due: float
    until: float
    pause: float = 1.0


class Beats:
    """Beats for every start of this process, from one thread."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._news = threading.Condition()
        self._beating: dict[str, _Beating] = {}
        self._ending: dict[str, _Ending] = {}
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Start the thread, if it has not started yet."""
        with self._news:
            self._wake()

    def add(self, start: Start) -> None:
        now = self._clock.monotonic()
        with self._news:
            self._beating[start.id] = _Beating(start, now + start.lease / BEATS_PER_LEASE, now)
            self._wake()

    def tell(self, start: Start) -> None:
        """Send soon what a start has to say."""
        with self._news:
            found = self._beating.get(start.id)
            if found is not None:
                found.due = min(found.due, found.last + NEWS_AFTER)
                self._wake()

    def end(self, start: Start, outcome: Mapping[str, Any]) -> None:
        """Report an end now; if duly cannot be reached, in the background from now on."""
        with self._news:
            self._beating.pop(start.id, None)
        now = self._clock.monotonic()
        ending = _Ending(start, outcome, now, now + REPORT_FOR)
        if not self._try(ending):
            with self._news:
                self._ending[start.id] = ending
                self._wake()

    def wait_for_retry(self, start: Start, seconds: float) -> None:
        """Beat for a task that Celery will try again, until then and a lease longer."""
        start.beats_until = self._clock.monotonic() + seconds + start.lease
        self.tell(start)

    def flush(self, seconds: float) -> None:
        """Send the reports that did not arrive, for at most so long: the process is about to end."""
        until = self._clock.monotonic() + seconds
        for_ever = threading.Event()
        while self._ending and self._clock.monotonic() < until:
            for each in tuple(self._ending.values()):
                if self._try(each):
                    self._ending.pop(each.start.id, None)
            if self._ending:
                for_ever.wait(NEWS_AFTER)

    def _wake(self) -> None:
        if self._thread is None:
            self._thread = threading.Thread(target=self._go_on, name="duly-beats", daemon=True)
            self._thread.start()
        self._news.notify_all()

    def _go_on(self) -> None:
        while True:
            with self._news:
                while (wait := self._until_next()) is None or wait > 0:
                    self._news.wait(wait)
                now = self._clock.monotonic()
                beating = [each for each in self._beating.values() if each.due <= now]
                ending = [each for each in self._ending.values() if each.due <= now]
            for each in beating:
                self._beat(each)
            for one in ending:
                if self._try(one):
                    self._ending.pop(one.start.id, None)

    def _until_next(self) -> float | None:
        dues = [*(each.due for each in self._beating.values()), *(each.due for each in self._ending.values())]
        return None if not dues else min(dues) - self._clock.monotonic()

    def _beat(self, beating: _Beating) -> None:
        start = beating.start
        beating.last = self._clock.monotonic()
        beating.due = beating.last + start.lease / BEATS_PER_LEASE
        if start.beats_until is not None and beating.last >= start.beats_until:
            self._beating.pop(start.id, None)
            return
        try:
            start.beat()
        except RefusedError as error:
            start.cancelled.set()
            was_running = self._beating.pop(start.id, None) is not None
            if was_running and start.beats_until is None:
                log.warning("duly no longer wants %r: %s", start.door, error.refusal)
        except UnreachableError as error:
            beating.due = min(beating.due, beating.last + 1)
            log.warning("no sign of life for %r: %s", start.door, error)
        else:
            if start.has_news:
                beating.due = beating.last + NEWS_AFTER

    def _try(self, ending: _Ending) -> bool:
        """Report an end; True if that is over and done with."""
        start = ending.start
        try:
            while start.has_news:
                start.beat()
            start.door.end(start.id, ending.outcome)
        except RefusedError as error:
            log.warning("duly did not take the outcome of %r: %s", start.door, error.refusal)
            return True
        except UnreachableError as error:
            now = self._clock.monotonic()
            ending.due = now + ending.pause
            ending.pause = min(2 * ending.pause, _LONGEST_PAUSE)
            log.warning("the outcome of %r did not arrive yet: %s", start.door, error)
            return now >= ending.until
        return True


clock: Clock = SystemClock()
_beats = Beats(clock)


def beats() -> Beats:
    """The beats of this process."""
    return _beats


def _begin_anew() -> None:
    """Forget in a forked process what its parent did: threads and connections did not come along."""
    global _beats
    _beats = Beats(clock)
    forget_connections()


if hasattr(os, "register_at_fork"):
    with suppress(RuntimeError):
        os.register_at_fork(after_in_child=_begin_anew)
