"""A module that starts a thread when it is imported, as many libraries do, and a job that needs it."""

from __future__ import annotations

import threading

_asked, _answered = threading.Event(), threading.Event()


def _serve() -> None:
    _asked.wait()
    _answered.set()


threading.Thread(target=_serve, daemon=True).start()


def ask() -> bool:
    """Whether the thread answers."""
    _asked.set()
    return _answered.wait(60)
