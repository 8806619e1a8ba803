"""Events as log lines: `logging.getLogger("duly")`, one line each, machine-readable extras."""

from __future__ import annotations

import logging
import re

from duly.model.events import Event, EventKind

_log = logging.getLogger("duly")


_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_LEVELS = {name.lower(): number for name, number in logging.getLevelNamesMapping().items()}


def wants(kind: EventKind) -> bool:
    """Whether the log is open for events of a kind: most runs start and succeed unheard."""
    return _log.isEnabledFor(_LEVELS[kind.level])


def log_event(event: Event) -> None:
    """Write an event to the log at the level its kind has."""
    if not wants(event.kind):
        return
    ids = {"schedule": event.schedule_id, "run": event.run_id, "node": event.node_id}
    facts = {**{key: value for key, value in ids.items() if value}, **event.data}
    trace = facts.pop("traceback", None)
    told = " ".join(f"{key}={_in_line(value)}" for key, value in facts.items())
    text = f"{event.kind.name} {told}" + "".join(f"\n  {_in_line(line)}" for line in (trace or "").splitlines())
    _log.log(_LEVELS[event.kind.level], "%s", text, extra={"duly_event": event.kind.name, "duly_facts": facts})


def _in_line(value: object) -> str:
    """A value as part of a line: what agents and jobs say cannot begin one of its own, nor speak to a terminal.

    For the same reason tracebacks, which tell the words of errors, are indented.
    """
    return _CONTROL.sub(lambda found: repr(found[0])[1:-1], str(value))
