"""Every field of a schedule as an option, read into the form the use cases take."""

from __future__ import annotations

import json
from argparse import Namespace
from typing import Any

from duly.cli.parser import Parser, UsageError
from duly.errors import InvalidInputError
from duly.service.forms import FIELDS

_NUMBERS = {"queue_limit": int, "max_parallel": int, "max_runs": int, "max_stagger_seconds": int}
_AMOUNTS = {"max_cost_per_run": float, "max_cost_per_day": float}
_JSON = ("retry",)
_OWN = ("name", "targets", "job_args", "enabled")
_HELP = {
    "cron": 'five fields, such as "0 9 * * 1-5"',
    "when": 'words instead of cron: "weekdays at 7:30"',
    "cron_timezone": "zone the time is meant in (UTC)",
    "prompt": "text for the agent that is started",
    "job_name": "registered job to run instead of a prompt",
    "overlap_behavior": "skip, queue or parallel",
    "session_behavior": "resume or new",
    "catch_up": "once or skip",
    "retry": """JSON: {"max_attempts": 3, "delay": "30s"}""",
    "timeout": "such as 5m",
    "until_at": "last moment at which it may fire",
    "timezone": "zone for display only",
}


def add_schedule_options(parser: Parser) -> None:
    """Options for every field but the name."""
    for name in FIELDS:
        if name not in _OWN:
            kind = {**_NUMBERS, **_AMOUNTS}.get(name, str)
            parser.add_argument(f"--{name.replace('_', '-')}", dest=name, type=kind, help=_HELP.get(name), metavar="…")
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
