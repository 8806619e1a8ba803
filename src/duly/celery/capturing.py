"""Sends what a task prints, beside where it would go anyway."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from duly.celery.beating import beats
from duly.celery.start import Start


class _Listening:
    """Stands for `sys.stdout`, and hands whole lines on to the start whose code prints them."""

    def __init__(self, original: Any, whose: Callable[[], Start | None]) -> None:
        self.original = original
        self._whose = whose
        self._unfinished = ""

    def write(self, text: str) -> Any:
        written = self.original.write(text)
        start = self._whose()
        if start is not None:
            lines, line_end, self._unfinished = (self._unfinished + text).rpartition("\n")
            if line_end:
                start.say(lines)
                beats().tell(start)
        return written

    def finish(self) -> None:
        start = self._whose()
        if self._unfinished and start is not None:
            start.say(self._unfinished)
        self._unfinished = ""

    def __getattr__(self, name: str) -> Any:
        return getattr(self.original, name)


def capture(whose: Callable[[], Start | None]) -> None:
    """Listen to standard output from now on."""
    if not isinstance(sys.stdout, _Listening):
        sys.stdout = _Listening(sys.stdout, whose)


def finish() -> None:
    """Hand on the last line of a task, which may have no end."""
    if isinstance(sys.stdout, _Listening):
        sys.stdout.finish()


def release() -> None:
    """Listen no longer."""
    if isinstance(sys.stdout, _Listening):
        sys.stdout = sys.stdout.original
