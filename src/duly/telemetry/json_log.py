"""The log as JSON: one object per line, for programs that collect logs.

Every line has `time` (UTC), `level`, `logger` and `message`. Lines about events also have `event` and its facts, with
which the text of the line was made, and inside a trace `trace_id` and `span_id`.
"""

from __future__ import annotations

import json
import logging
import sys
from datetime import UTC, datetime
from typing import Any

from opentelemetry import trace

from duly.zones import Zone

_TEXT = "%(asctime)s %(levelname)s %(message)s"
_NOISY = ("httpx", "httpcore", "mcp", "uvicorn")
_RESERVED = frozenset({"time", "level", "logger", "message", "event", "traceback", "trace_id", "span_id"})


class JsonFormatter(logging.Formatter):
    """Formats a record as one line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        moment = datetime.fromtimestamp(record.created, UTC)
        line: dict[str, Any] = {
            "time": moment.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        if (event := getattr(record, "duly_event", None)) is not None:
            line["event"] = event
            facts = getattr(record, "duly_facts", {})
            line |= {key if key not in _RESERVED else f"{key}_": value for key, value in facts.items()}
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        return json.dumps(line | trace_ids(), ensure_ascii=True, default=str)


class TextFormatter(logging.Formatter):
    """Formats a record as one line for people, on the clocks of a zone; without one, on those of the machine."""

    def __init__(self, zone: str | None = None) -> None:
        super().__init__(_TEXT)
        self._zone = None if zone is None else Zone.of(zone)

    def formatTime(self, record: logging.LogRecord, datefmt: str | None = None) -> str:  # noqa: ARG002, N802  as logging calls it
        moment = datetime.fromtimestamp(record.created, UTC)
        local = moment.astimezone() if self._zone is None else self._zone.localize(moment)
        return f"{local:%H:%M:%S}"


def trace_ids() -> dict[str, str]:
    """Give the ids of the present trace and span; none outside a trace."""
    context = trace.get_current_span().get_span_context()
    if not context.is_valid:
        return {}
    return {"trace_id": trace.format_trace_id(context.trace_id), "span_id": trace.format_span_id(context.span_id)}


def log_to_stderr(*, as_json: bool = False, zone: str | None = None) -> None:
    """Log one line per event to standard error, with the time, so that standard output stays output.

    Lines for people have the time of a `zone`, as everything else that `duly up` prints.
    """
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonFormatter() if as_json else TextFormatter(zone))
    logging.basicConfig(level=logging.INFO, handlers=[handler])
    for noisy in _NOISY:
        logging.getLogger(noisy).setLevel(logging.WARNING)
