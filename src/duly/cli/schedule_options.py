"""The options for the fields of a schedule, and the forms read from them."""

from __future__ import annotations

import json
from argparse import SUPPRESS, Action, Namespace
from collections.abc import Collection
from typing import Any, NoReturn

from duly.cli.arguments import Parser, UsageError
from duly.cli.message_options import OF_MESSAGES
from duly.errors import InvalidInputError
from duly.service.schedules.fields import SETTINGS

_OWN = ("name", "targets", "job_args", "enabled", "cron_timezone", "timezone", "notify")
"""Fields whose option does not follow the pattern of the others."""
_ALSO = {"job_name": ("--job",)}
"""Shorter names of options."""
_CLEARED = {
    "tz": "cron_timezone",
    "display_timezone": "timezone",
    "job": "job_name",
    **{option.replace("-", "_"): name for option, name in OF_MESSAGES.items()},
}
"""Fields whose option has another name."""


class _Split(Action):
    """The former option `--timezone`, which people took for the zone of the time although it was for display only."""

    def __call__(self, *_given: object) -> NoReturn:
        raise UsageError(
            "--timezone is now two options: --tz ZONE is the zone the time is meant in, --display-timezone ZONE only "
            "the zone it is shown in"
        )


def add_zone_options(parser: Parser) -> None:
    """Add the options for the zone in which a time is meant, and for the one in which it is shown."""
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
    """Add options for every field but the name."""
    for name, each in SETTINGS.items():
        if name not in _OWN and name not in without:
            kind = each.kind.given if each.kind.given in (int, float) else str
            more = _ALSO.get(name, ())
            parser.add_argument(
                f"--{name.replace('_', '-')}", *more, dest=name, type=kind, help=each.words, metavar="…"
            )
    add_zone_options(parser)
    parser.add_argument(
        "--target", action="append", metavar="PROJECT[/WORKSPACE]", help=f"{SETTINGS['targets'].meaning}; repeatable"
    )
    parser.add_argument(
        "--arg",
        action="append",
        metavar="KEY=VALUE",
        help=f"{SETTINGS['job_args'].meaning}; the value may be JSON; repeatable",
    )
    parser.add_argument(
        "--notify",
        action="append",
        metavar="RULE",
        help=f'{SETTINGS["notify"].meaning}, e.g. "always to ana"; repeatable',
    )
    switch = parser.add_mutually_exclusive_group()
    switch.add_argument("--disabled", dest="enabled", action="store_false", default=None, help="do not fire yet")
    switch.add_argument("--enabled", dest="enabled", action="store_true", default=None, help="fire (the default)")


def read_form(arguments: Namespace) -> dict[str, Any]:
    """Read the fields that were given."""
    form = {name: getattr(arguments, name) for name in SETTINGS if getattr(arguments, name, None) is not None}
    if "retry" in form:
        form["retry"] = _json(form["retry"], "retry")
    if arguments.target:
        form["targets"] = list(arguments.target)
    if arguments.arg:
        form["job_args"] = _job_args(arguments.arg)
    return form


def read_new(arguments: Namespace) -> dict[str, Any]:
    """Read the fields of a new schedule, which must have a prompt or a job."""
    form = read_form(arguments)
    if not {"prompt", "job_name", "dispatch_mode"} & set(form):
        raise UsageError("say what it does: --prompt TEXT for an agent, or --job-name NAME")
    return form


def read_cleared(arguments: Namespace) -> list[str]:
    """Read the fields to leave empty, which may be named like their options."""
    named = [each.lstrip("-").replace("-", "_") for each in arguments.clear]
    return [_CLEARED.get(each, each) for each in named]


def _json(text: str, name: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        raise InvalidInputError(f"--{name} takes JSON: {SETTINGS[name].example}, got {text!r}: {error}") from error


def _job_args(pairs: list[str]) -> dict[str, object]:
    args: dict[str, object] = {}
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
