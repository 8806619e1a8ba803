"""How a process is watched from outside: `[metrics]`, `[log]`, `[heartbeat]` and `[telemetry]` of `duly.toml`."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from functools import partial
from typing import Any

from duly.config_section import ConfigSection, matches
from duly.outbound.secrets import is_reference

_LONGEST_PAUSE = 86_400
_SHORTEST_PAUSE = timedelta(seconds=1)
_URL = r"https?://[^\s\0]+"


class MetricsAccess(StrEnum):
    """Who may read `/metrics`."""

    LOCAL = "local"
    """Programs on this machine without a token, others with the token of an admin."""
    TOKEN = "token"  # noqa: S105  the name of an option
    """Only with the token of an admin."""
    OPEN = "open"
    """Everyone who can reach the port."""
    OFF = "off"
    """No one: the route answers 404."""


class LogFormat(StrEnum):
    """The format of the log lines on standard error."""

    TEXT = "text"
    JSON = "json"


@dataclass(frozen=True, slots=True, kw_only=True)
class HeartbeatPing:
    """A URL that is called as long as all is well: a service that hears nothing any more raises the alarm."""

    url: str
    """May be `env:NAME` or `file:PATH`: with most services the URL is the secret."""
    every: timedelta = timedelta(minutes=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class TelemetryExport:
    """Where OpenTelemetry data go, and which of them; the variables OTEL_* complete it."""

    endpoint: str | None = None
    """The address of a collector that takes OTLP over HTTP; None is that of OTEL_EXPORTER_OTLP_ENDPOINT."""
    enabled: bool = True
    traces: bool = True
    metrics: bool = True
    logs: bool = True
    service_name: str = "duly"
    headers: str | None = None
    """`env:NAME` or `file:PATH` of headers such as `authorization=Bearer …`."""
    every: timedelta = timedelta(minutes=1)
    """How often metrics are sent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Monitoring:
    """All settings by which a process is watched."""

    metrics: MetricsAccess = MetricsAccess.LOCAL
    log_format: LogFormat = LogFormat.TEXT
    heartbeat: HeartbeatPing | None = None
    telemetry: TelemetryExport = TelemetryExport()


def read_monitoring(document: ConfigSection) -> Monitoring:
    """Read the four tables; each may be missing."""
    metrics = document.table("metrics")
    log = document.table("log")
    found = Monitoring(
        metrics=metrics.choice("access", MetricsAccess, MetricsAccess.LOCAL),
        log_format=log.choice("format", LogFormat, LogFormat.TEXT),
        heartbeat=_heartbeat(document.table("heartbeat")) if "heartbeat" in document.values else None,
        telemetry=_telemetry(document.table("telemetry")),
    )
    metrics.finish()
    log.finish()
    return found


def _heartbeat(section: ConfigSection) -> HeartbeatPing:
    must_be = 'a URL such as "https://hc-ping.com/…", or "env:NAME" or "file:PATH" of it'
    url = section.checked("url", must_be, lambda value: matches(_URL, value) or is_reference(str(value)))
    ping = HeartbeatPing(url=url, **_pause(section))
    section.finish(also=("every",))
    return ping


def _telemetry(section: ConfigSection) -> TelemetryExport:
    endpoint = None
    if section.get("endpoint") is not None:
        must_be = 'a URL such as "http://127.0.0.1:4318"'
        endpoint = section.checked("endpoint", must_be, partial(matches, _URL))
    found = TelemetryExport(
        endpoint=endpoint,
        enabled=section.yes_or_no("enabled", default=True),
        traces=section.yes_or_no("traces", default=True),
        metrics=section.yes_or_no("metrics", default=True),
        logs=section.yes_or_no("logs", default=True),
        service_name=section.text("service_name", "duly"),
        headers=section.reference("headers"),
        **_pause(section),
    )
    section.finish(also=("every",))
    return found


def _pause(section: ConfigSection) -> dict[str, Any]:
    """Read `every`, if it is there."""
    if section.get("every") is None:
        return {}
    every = section.length("every", at_most=_LONGEST_PAUSE)
    if every < _SHORTEST_PAUSE:
        raise section.fault("every", f"must be at least 1 second, got {section.get('every')!r}")
    return {"every": every}
