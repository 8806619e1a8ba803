"""Schedulers that were started in this process. One whose event loop was closed under it is gone, and cannot say so.

Its node goes on beating from its thread, so that nobody else would ever take over what it left: whoever initializes
next in this process does.
"""

from __future__ import annotations

from duly.engine.engine import Engine

_started: list[Engine] = []


def enlist(engine: Engine) -> None:
    """It was started."""
    _started.append(engine)


def dismiss(engine: Engine) -> None:
    """It was stopped in good order."""
    if engine in _started:
        _started.remove(engine)


def vanished() -> set[str]:
    """The identifiers of those that were neither stopped nor are alive."""
    return {engine.node_id for engine in _started if not engine.alive and engine.node_id}
