"""Arguments that every command about a cron expression takes, and the `Cron` they describe."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from duly.cli.settings import add_settings_arguments, read_settings
from duly.clock import host_zone
from duly.cron import Cron, DayMatch, Dialect, DstPolicy
from duly.errors import StoreError

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterable

    from duly.cli.parser import Parser
    from duly.clock import Clock


def add_cron_arguments(parser: Parser) -> None:
    add = parser.add_argument
    add("expression", metavar="EXPR", nargs="+", help='a cron expression or a macro, best quoted: "0 9 * * 1-5"')
    _add_choice(parser, "--dialect", Dialect, "how to read the expression (standard)", Dialect.STANDARD)
    add(
        "--tz",
        metavar="ZONE",
        help="zone in which the expression is meant, and shown (default: yours, of duly.toml or of this machine)",
    )
    _add_choice(parser, "--dst", DstPolicy, "what happens when clocks change (once; wallclock for posix)", None)
    _add_choice(parser, "--day-match", DayMatch, "day and weekday both restricted: either or both (or)", DayMatch.OR)
    add(
        "--from",
        dest="start",
        metavar="TIME",
        help="begin after this ISO 8601 time instead of now; one without an offset is in --tz",
    )
    add("--json", action="store_true", help="one JSON object, for programs")
    add_settings_arguments(parser)


def read_cron(arguments: Namespace, clock: Clock) -> Cron:
    """The expression, which may have come as one argument or as one for each field."""
    return Cron(
        " ".join(arguments.expression),
        dialect=arguments.dialect,
        tz=_own_zone(arguments, clock) if arguments.tz is None else arguments.tz,
        dst=arguments.dst,
        day_match=arguments.day_match,
    )


def _own_zone(arguments: Namespace, clock: Clock) -> str:
    """The zone of the local user, as `duly add` finds it: their own, else that of the settings, else the machine's.

    A store is only looked into if there is one; without it, or while it cannot be read, the settings say.
    """
    settings = read_settings(arguments)
    if Path(settings.store).is_file():
        from duly.cli.common import ask
        from duly.service.access.access import Face

        with suppress(StoreError):
            return ask(arguments, clock, lambda runtime: runtime.use_cases.zones.person(runtime.local(Face.CLI)))
    return settings.timezone or host_zone(clock.now())


def _add_choice(parser: Parser, name: str, options: Iterable[str], text: str, default: str | None) -> None:
    values = [str(option) for option in options]
    parser.add_argument(name, choices=values, metavar="|".join(values), help=text, default=default)
