"""Events as log lines: `logging.getLogger("duly")`, one line each, machine-readable extras."""

from __future__ import annotations

import logging

from duly.model.events import Event

_log = logging.getLogger("duly")


def log_event(event: Event) -> None:
    """Write an event to the log at the level its kind has."""
    level = logging.getLevelNamesMapping()[event.kind.level.upper()]
    if not _log.isEnabledFor(level):
        return
    ids = {"schedule": event.schedule_id, "run": event.run_id, "node": event.node_id}
    facts = {**{key: value for key, value in ids.items() if value}, **event.data}
    trace = facts.pop("traceback", None)
    told = " ".join(f"{key}={value}" for key, value in facts.items())
    text = f"{event.kind.name} {told}" + (f"\n{trace}" if trace else "")
    _log.log(level, "%s", text, extra={"duly_event": event.kind.name, "duly_facts": facts})
