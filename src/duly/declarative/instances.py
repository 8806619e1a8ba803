"""Schedulers that were started in this process. One whose event loop was closed under it is gone, and cannot say so.

Its node goes on beating from its thread, so that nobody else would ever take over what it left: whoever initializes
next on the same store, in this process, does.
"""

from __future__ import annotations

from collections.abc import Collection

from duly.engine.engine import Engine

_started: dict[Engine, str] = {}
"""With the store of each."""


def enlist(engine: Engine, store: str) -> None:
    """It was started."""
    _started[engine] = store


def dismiss(engine: Engine) -> None:
    """It was stopped in good order."""
    _started.pop(engine, None)


def vanished(store: str, owners: Collection[str]) -> set[str]:
    """The identifiers of those that were neither stopped nor are alive, and used a store or own something in it."""
    gone = {engine.node_id: where for engine, where in list(_started.items()) if not engine.alive and engine.node_id}
    return {node_id for node_id, where in gone.items() if where == store or node_id in owners}


def bury(node_ids: Collection[str]) -> None:
    """What they left was taken over."""
    for engine in [each for each in _started if each.node_id in node_ids]:
        dismiss(engine)
