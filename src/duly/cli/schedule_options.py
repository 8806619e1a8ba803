"""Every field of a schedule as an option, read into the form the use cases take."""

from __future__ import annotations

import json
from argparse import SUPPRESS, Action, Namespace
from collections.abc import Collection
from typing import Any, NoReturn

from duly.cli.arguments import Parser, UsageError
from duly.errors import InvalidInputError
from duly.service.schedules.forms import FIELDS

_NUMBERS = {"queue_limit": int, "max_parallel": int, "max_runs": int, "max_stagger_seconds": int}
_AMOUNTS = {"max_cost_per_run": float, "max_cost_per_day": float}
_JSON = ("retry",)
_OWN = ("name", "targets", "job_args", "enabled", "cron_timezone", "timezone")
_CLEARED = {"tz": "cron_timezone", "display_timezone": "timezone"}
"""Fields whose option has another name."""
_HELP = {
    "description": "for people",
    "display_title": "for calendars",
    "calendar_event_id": "for calendars",
    "max_runs": "stop after so many",
    "cron": 'five fields, such as "0 9 * * 1-5"',
    "when": 'words instead of cron: "weekdays at 7:30"',
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
}


class _Split(Action):
    """`--timezone`, which people took for the zone of the time although it only chose how times are shown."""

    def __call__(self, *_given: object) -> NoReturn:
        raise UsageError(
            "--timezone is now two options: --tz ZONE is the zone the time is meant in, --display-timezone ZONE only "
            "the zone it is shown in"
        )


def add_zone_options(parser: Parser) -> None:
    """The zone a time is meant in, and the one it is shown in."""
    parser.add_argument(
        "--tz",
        "--cron-timezone",
        dest="cron_timezone",
        metavar="ZONE",
        help="zone in which the time is meant, cron or words (default: yours)",
    )
    parser.add_argument("--display-timezone", dest="timezone", metavar="ZONE", help="zone for display only")
    parser.add_argument("--timezone", action=_Split, dest=SUPPRESS, help=SUPPRESS)


def add_schedule_options(parser: Parser, *, without: Collection[str] = ()) -> None:
    """Options for every field but the name."""
    for name in FIELDS:
        if name not in _OWN and name not in without:
            kind = {**_NUMBERS, **_AMOUNTS}.get(name, str)
            parser.add_argument(f"--{name.replace('_', '-')}", dest=name, type=kind, help=_HELP[name], metavar="…")
    add_zone_options(parser)
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
        form["targets"] = list(arguments.target)
    if arguments.arg:
        form["job_args"] = _job_args(arguments.arg)
    return form


def read_new(arguments: Namespace) -> dict[str, Any]:
    """The fields of something new, which must do something."""
    form = read_form(arguments)
    if not {"prompt", "job_name", "dispatch_mode"} & set(form):
        raise UsageError("say what it does: --prompt TEXT for an agent, or --job-name NAME")
    return form


def read_cleared(arguments: Namespace) -> list[str]:
    """The fields to leave empty, which may be named like their options."""
    named = [each.lstrip("-").replace("-", "_") for each in arguments.clear]
    return [_CLEARED.get(each, each) for each in named]


def _json(text: str, name: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        raise InvalidInputError(f"--{name} takes {_HELP[name]}, got {text!r}: {error}") from error


def _job_args(pairs: list[str]) -> dict[str, Any]:
    args: dict[str, Any] = {}
    for key, value in map(_pair, pairs):
        if key in args:
            raise InvalidInputError(f"--arg {key} is given twice, as {args[key]!r} and as {value!r}: say it once")
        args[key] = value
    return args


def _pair(text: str) -> tuple[str, Any]:
    key, equals, value = text.partition("=")
    if not equals or not key:
        raise InvalidInputError(f"--arg takes KEY=VALUE, got {text!r}")
    try:
        return key, json.loads(value)
    except ValueError:
        return key, value
