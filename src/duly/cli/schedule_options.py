"""Every field of a schedule as an option, read into the form the use cases take."""

from __future__ import annotations

import json
from argparse import Namespace
from collections.abc import Collection
from typing import Any

from duly.cli.parser import Parser, UsageError
from duly.errors import InvalidInputError
from duly.service.forms import FIELDS

_NUMBERS = {"queue_limit": int, "max_parallel": int, "max_runs": int, "max_stagger_seconds": int}
_AMOUNTS = {"max_cost_per_run": float, "max_cost_per_day": float}
_JSON = ("retry",)
_OWN = ("name", "targets", "job_args", "enabled")
_HELP = {
    "description": "for people",
    "display_title": "for calendars",
    "calendar_event_id": "for calendars",
    "max_runs": "stop after so many",
    "cron": 'five fields, such as "0 9 * * 1-5"',
    "when": 'words instead of cron: "weekdays at 7:30"',
    "cron_timezone": "zone the time is meant in (UTC; of words yours)",
    "dispatch_mode": "prompt or job; follows from what is given",
    "prompt": "text for the agent that is started",
    "spawner": "which agent, by its name in duly.toml",
    "model": "for the agent",
    "gate": "check of duly.toml that decides whether the prompt runs",
    "max_cost_per_run": "US dollars",
    "max_cost_per_day": "US dollars",
    "job_name": "registered job to run instead of a prompt",
    "overlap_behavior": "skip, queue or parallel",
    "queue_limit": "how many may wait, with queue (10)",
    "max_parallel": "how many may run at once, with parallel",
    "session_behavior": "resume or new",
    "catch_up": "once or skip, after an outage",
    "catch_up_window": "make up nothing older, such as 24h",
    "retry": """JSON: {"max_attempts": 3, "delay": "30s"}""",
    "timeout": "such as 5m",
    "stagger_key": "spread: what has different keys starts at different moments",
    "max_stagger_seconds": "spread over so many seconds at most (900)",
    "start_at": "for calendars: when the event begins",
    "end_at": "for calendars: when the event ends",
    "until_at": "last moment at which it may fire, ISO 8601 with offset",
    "timezone": "zone for display only",
}


def add_schedule_options(parser: Parser, *, without: Collection[str] = ()) -> None:
    """Options for every field but the name."""
    for name in FIELDS:
        if name not in _OWN and name not in without:
            kind = {**_NUMBERS, **_AMOUNTS}.get(name, str)
            parser.add_argument(f"--{name.replace('_', '-')}", dest=name, type=kind, help=_HELP[name], metavar="…")
    parser.add_argument(
        "--target", action="append", metavar="PROJECT[/WORKSPACE]", help="where the prompt runs; repeatable"
    )
    parser.add_argument(
        "--arg", action="append", metavar="KEY=VALUE", help="argument of the job; the value may be JSON"
    )
    switch = parser.add_mutually_exclusive_group()
    switch.add_argument("--disabled", dest="enabled", action="store_false", default=None, help="do not fire yet")
    switch.add_argument("--enabled", dest="enabled", action="store_true", default=None, help="fire (the default)")


def read_form(arguments: Namespace) -> dict[str, Any]:
    """The fields that were given."""
    form = {name: getattr(arguments, name) for name in FIELDS if getattr(arguments, name, None) is not None}
    for name in _JSON:
        if name in form:
            form[name] = _json(form[name], name)
    if arguments.target:
        form["targets"] = [_target(text) for text in arguments.target]
    if arguments.arg:
        form["job_args"] = dict(_pair(text) for text in arguments.arg)
    return form


def read_new(arguments: Namespace) -> dict[str, Any]:
    """The fields of something new, which must do something."""
    form = read_form(arguments)
    if not {"prompt", "job_name", "dispatch_mode"} & set(form):
        raise UsageError("say what it does: --prompt TEXT for an agent, or --job-name NAME")
    return form


def in_own_zone(form: dict[str, Any], zone: str) -> dict[str, Any]:
    """Words are meant on the clocks of whoever types them; cron is in UTC, as everywhere."""
    return {"cron_timezone": zone, **form} if form.get("when") else form


def _json(text: str, name: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        raise InvalidInputError(f"--{name} takes {_HELP[name]}, got {text!r}: {error}") from error


def _target(text: str) -> dict[str, str]:
    project, slash, workspace = text.partition("/")
    return {"project_id": project, "workspace_id": workspace} if slash else {"project_id": project}


def _pair(text: str) -> tuple[str, Any]:
    key, equals, value = text.partition("=")
    if not equals or not key:
        raise InvalidInputError(f"--arg takes KEY=VALUE, got {text!r}")
    try:
        return key, json.loads(value)
    except ValueError:
        return key, value
