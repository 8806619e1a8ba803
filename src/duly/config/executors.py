"""Who carries out jobs elsewhere: `[executors.NAME]` of `duly.toml`."""

from __future__ import annotations

import re
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

from duly.config_section import ConfigSection, matches
from duly.outbound.addresses import networks
from duly.outbound.secrets import is_reference
from duly.ports.executor_settings import ExecutorKind, ExecutorSettings

_NAME = re.compile(r"[\w.-]{1,64}")
_TASK = r"[^\s\0]{1,200}"
_MUST_BE_TASKS = 'a list of names and patterns such as ["proj.tasks.*"]: what it does not list is never handed over'
_DAY = 86_400
_TIMES = {
    "lease": (5, 3600),
    "expires": (1, 30 * _DAY),
    "not_begun_after": (1, 30 * _DAY),
    "soft_time_limit": (1, 7 * _DAY),
    "time_limit": (1, 7 * _DAY),
    "timeout": (1, 300),
}
"""The shortest and the longest length of each time, in seconds."""


def read_executors(document: ConfigSection, folder: Path | None) -> dict[str, ExecutorSettings]:
    """Read every table `[executors.NAME]`."""
    found = {}
    for name, section in document.tables("executors").items():
        if not _NAME.fullmatch(name):
            raise document.fault(
                f"executors.{name}", f"a name is letters, digits, and any of . _ -: grants name it, got {name!r}"
            )
        kind = section.choice("kind", ExecutorKind)
        read = _celery if kind is ExecutorKind.CELERY else _http
        found[name] = ExecutorSettings(
            name=name,
            kind=kind,
            folder=folder,
            tasks=section.texts("tasks", _MUST_BE_TASKS, each=_TASK, at_least=1),
            queue=section.optional_text("queue"),
            priority=None if section.get("priority") is None else section.whole("priority", low=0, high=255),
            callback=_address(section, "callback"),
            **_times(section),
            **read(section),
        )
        section.finish()
    return found


def _times(section: ConfigSection) -> dict[str, Any]:
    """Read the times that are there; the others are as usual."""
    found = {name: _length(section, name) for name in _TIMES if name not in ("soft_time_limit", "timeout")}
    return {name: length for name, length in found.items() if length is not None}


def _celery(section: ConfigSection) -> dict[str, Any]:
    must_be = '"module:name" of the Celery app, such as "proj.celery:app"'
    app = None if section.get("app") is None else section.checked("app", must_be, partial(matches, r"[\w.]+:[\w.]+"))
    broker = _place(section, "broker")
    if app is None and broker is None:
        raise section.fault(
            "broker",
            'is missing: name the broker, such as "env:BROKER_URL", or the app that knows it, app = "proj:app"',
        )
    soft = _length(section, "soft_time_limit")
    hard = _length(section, "time_limit")
    if soft is not None and hard is not None and soft >= hard:
        raise section.fault("soft_time_limit", f"must be shorter than time_limit, {hard}: a task needs time to end")
    return {
        "app": app,
        "broker": broker,
        "result_backend": _place(section, "result_backend"),
        "soft_time_limit": soft,
        "reports": section.yes_or_no("reports", default=True),
    }


def _http(section: ConfigSection) -> dict[str, Any]:
    found = {name: _address(section, name) for name in ("url", "status_url", "cancel_url", "health_url")}
    if found["url"] is None:
        raise section.fault("url", 'is missing: it must be where the service takes orders, such as "https://…/jobs"')
    timeout = _length(section, "timeout")
    allow = section.texts("allow", 'a list of networks such as ["10.0.0.0/8"]', ())
    networks(allow, section.key("allow"))
    return {
        **found,
        **({} if timeout is None else {"timeout": timeout}),
        "allow": allow,
        "secret": section.reference("secret"),
        "reports": section.yes_or_no("reports", default=True),
    }


def _place(section: ConfigSection, name: str) -> str | None:
    """Read the URL of a broker or a result backend, or where it is; one with a password in it is not repeated."""
    text = section.optional_text(name)
    if text is None or is_reference(text):
        return text
    if "://" not in text or "@" in text:
        raise section.fault(
            name, 'must be "env:NAME" or "file:PATH", or a URL without a password such as "redis://localhost:6379/0"'
        )
    return text


def _address(section: ConfigSection, name: str) -> str | None:
    """Read an address; one with a password in it is not repeated."""
    text = section.optional_text(name)
    if text is None:
        return None
    if "@" in text:
        raise section.fault(name, 'must be an address without a name and a password in it: "secret" signs each request')
    if not matches(r"https?://[^\s/?#][^\s#]*", text):
        raise section.fault(name, f'must be an address such as "https://duly.example", got {text!r}')
    return text


def _length(section: ConfigSection, name: str) -> timedelta | None:
    if section.get(name) is None:
        return None
    least, most = _TIMES[name]
    length = section.length(name, at_most=most)
    if length < timedelta(seconds=least):
        raise section.fault(name, f"must be at least {least} s, got {section.get(name)!r}")
    return length
