"""`duly next` and `duly explain`: when a cron expression fires, and what it means."""

from __future__ import annotations

import textwrap
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from duly.cli.arguments import Parser, add_settings_arguments, read_moment, whole_number
from duly.cli.output import as_json, in_how_long, table
from duly.cli.settings import REMOTE, read_settings
from duly.clock import host_zone
from duly.cron import Cron, DayMatch, Dialect, DstPolicy
from duly.cron.parser import read_columns
from duly.errors import CronCalculationError, StoreError
from duly.zones import Zone

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterable, Iterator, Sequence

    from duly.clock import Clock
    from duly.cron.surprises import Surprise

_WIDTH = 80
_YEAR = timedelta(days=366)
_DIALECTS = {
    Dialect.POSIX: "five fields of numbers, lists and ranges",
    Dialect.STANDARD: "five fields or a macro, with steps, names, L, W and #",
    Dialect.SECONDS: "as standard, with an optional sixth field, seconds first",
}
_POLICIES = {
    DstPolicy.WALLCLOCK: "runs whenever the clock shows the time",
    DstPolicy.ONCE: "a fixed time runs once, even if the clock skips or repeats it",
}
_DAY_MATCHES = {
    DayMatch.OR: "one of day and weekday is enough (--day-match and: both)",
    DayMatch.AND: "day and weekday must both fit",
}


class ComingFire(NamedTuple):
    """One coming fire of an expression."""

    utc: datetime
    local: datetime
    in_seconds: int

    def to_dict(self) -> dict[str, object]:
        return {"utc": _iso(self.utc), "local": _iso(self.local), "in_seconds": self.in_seconds}


@dataclass(frozen=True, slots=True)
class ComingFires:
    """An expression and its fires from a time on."""

    cron: Cron
    start: datetime
    fires: list[ComingFire]
    zone: Zone
    """The zone the expression is read in; fires are shown in it."""

    def to_dict(self) -> dict[str, object]:
        """Give what `--json` prints; the keys are a promise to programs."""
        return {
            "expression": self.cron.expression,
            "dialect": str(self.cron.dialect),
            "tz": self.cron.tz,
            "dst": str(self.cron.dst),
            "description": self.cron.describe(),
            "from": _iso(self.start),
            "next": [fire.to_dict() for fire in self.fires],
        }


def next_fires(parser: Parser, words: list[str], clock: Clock) -> str:
    """`duly next`: show when an expression fires, in UTC, in local time, and in how long."""
    _add_cron_arguments(parser)
    parser.add_argument(
        "-n",
        "--count",
        metavar="N",
        type=whole_number(1, 10_000),
        default=5,
        help="how many fires to show (default: 5)",
    )
    arguments = parser.read(words)
    coming = _coming_fires(arguments, clock, arguments.count)
    if arguments.json:
        return as_json(coming.to_dict())
    return f"{_wrapped(coming.cron.describe())}\n{_fire_table(coming.fires, coming.zone)}"


def explain(parser: Parser, words: list[str], clock: Clock) -> str:
    """`duly explain`: say what an expression means, and which clock changes of the coming year affect it."""
    from duly.cron.surprises import surprises

    _add_cron_arguments(parser)
    arguments = parser.read(words)
    coming = _coming_fires(arguments, clock, 3)
    cron = coming.cron
    found = surprises(cron, coming.start, _a_year_after(coming.start))
    if arguments.json:
        return as_json({**coming.to_dict(), "surprises": [_surprise(surprise) for surprise in found]})
    warnings = "".join(_wrapped(surprise.text, "warning: ") for surprise in found)
    parts = [_wrapped(cron.describe()), _facts(cron), _fire_table(coming.fires, coming.zone), warnings]
    return "\n".join(part for part in parts if part)


# arguments


def _add_cron_arguments(parser: Parser) -> None:
    add = parser.add_argument
    add("expression", metavar="EXPR", nargs="+", help='a cron expression or a macro, best quoted: "0 9 * * 1-5"')
    _add_choice(parser, "--dialect", Dialect, "how to read the expression (default: standard)", Dialect.STANDARD)
    add(
        "--tz",
        metavar="ZONE",
        help="zone in which the expression is meant, and shown (default: yours, of duly.toml or of this machine)",
    )
    _add_choice(parser, "--dst", DstPolicy, "what happens when clocks change (default: once; posix: wallclock)", None)
    _add_choice(
        parser, "--day-match", DayMatch, "day and weekday both restricted: either or both (default: or)", DayMatch.OR
    )
    add(
        "--from",
        dest="start",
        metavar="TIME",
        help="begin after this ISO 8601 time instead of now; one without an offset is in --tz",
    )
    add("--json", action="store_true", help="print one JSON object, for programs")
    add_settings_arguments(parser)


def _add_choice(parser: Parser, name: str, options: Iterable[str], text: str, default: str | None) -> None:
    values = [str(option) for option in options]
    parser.add_argument(name, choices=values, metavar="|".join(values), help=text, default=default)


def _read_cron(arguments: Namespace, clock: Clock) -> Cron:
    """Read the expression, which may have come as one argument or as one for each field."""
    return Cron(
        " ".join(arguments.expression),
        dialect=arguments.dialect,
        tz=_own_zone(arguments, clock) if arguments.tz is None else arguments.tz,
        dst=arguments.dst,
        day_match=arguments.day_match,
    )


def _own_zone(arguments: Namespace, clock: Clock) -> str:
    """Find the zone of the local user, as `duly add` does: their own, else that of the settings, else the machine's.

    The store is opened only if it is there; without it, or while it cannot be read, the settings decide.
    """
    settings = read_settings(arguments)
    if REMOTE.get() is not None or Path(settings.store).is_file():
        from duly.cli.asking import with_duly  # late: most expressions are read without a store

        with suppress(StoreError):
            return with_duly(arguments, clock, lambda duly: duly.zone())
    return settings.timezone or host_zone(clock.now())


# fires


def _coming_fires(arguments: Namespace, clock: Clock, count: int) -> ComingFires:
    """Find the next fires, as many as there are up to `count`; an error if there is none."""
    cron = _read_cron(arguments, clock)
    zone = Zone.of(cron.tz)
    start = clock.now() if arguments.start is None else read_moment(arguments.start, zone)
    start = start.replace(microsecond=0)  # fires are on whole seconds, so none lies in the fraction
    fires = list(islice(_fires(cron, start, zone), count))
    if not fires:
        cause = f'"{cron.expression}" has no occurrence between {_iso(start)} and the end of the calendar'
        raise CronCalculationError(cron.expression, start, cause)
    return ComingFires(cron=cron, start=start, fires=fires, zone=zone)


def _fires(cron: Cron, start: datetime, shown_in: Zone) -> Iterator[ComingFire]:
    at = start
    try:
        while True:
            at = cron.next(at).astimezone(UTC)
            yield ComingFire(at, shown_in.exactly(at), int((at - start).total_seconds()))
    except (CronCalculationError, OverflowError):  # the calendar ends, in UTC or in the zone
        return


# output


def _fire_table(fires: Sequence[ComingFire], zone: Zone) -> str:
    """Show fires in three columns: UTC, the local time with its offset, and how long until then."""
    seconds = any(fire.utc.second for fire in fires)
    rows = [
        [
            _readable(fire.utc, seconds=seconds),
            f"{_readable(fire.local, seconds=seconds)} {_offset(fire.local)}",
            in_how_long(fire.in_seconds),
        ]
        for fire in fires
    ]
    return table(["UTC", f"local: {zone.name}", ""], rows)


def _readable(moment: datetime, *, seconds: bool) -> str:
    clock = f"{moment:%H:%M:%S}" if seconds else f"{moment:%H:%M}"
    return f"{moment:%a} {moment.date()} {clock}"


def _offset(moment: datetime) -> str:
    return "UTC" if moment.tzinfo is UTC else moment.isoformat()[19:]


def _iso(moment: datetime) -> str:
    """Write ISO 8601 with the moment's own offset, `Z` for UTC."""
    return moment.isoformat().replace("+00:00", "Z") if moment.tzinfo is UTC else moment.isoformat()


def _facts(cron: Cron) -> str:
    """Say how the expression is read."""
    facts = {
        "dialect": f"{cron.dialect}: {_DIALECTS[cron.dialect]}",
        "zone": cron.tz,
        "dst": f"{cron.dst}: {_POLICIES[cron.dst]}",
    }
    columns = read_columns(cron.expression, cron.dialect)
    if cron.dst is DstPolicy.ONCE and (columns.minute.starred or columns.hour.starred):
        facts["dst"] = f"{cron.dst}: but a rhythm, with * first in minute or hour, follows the clock"
    if not (columns.day.anything or columns.weekday.anything):
        facts["days"] = f"{cron.day_match}: {_DAY_MATCHES[cron.day_match]}"
    return "".join(f"{name:9}{fact}\n" for name, fact in facts.items())


def _a_year_after(start: datetime) -> datetime:
    last = datetime.max.replace(tzinfo=UTC)
    return start + _YEAR if last - start > _YEAR else last


def _surprise(surprise: Surprise) -> dict[str, object]:
    return {
        "at": _iso(surprise.at),
        "kind": str(surprise.kind),
        "local": _iso(surprise.local),
        "count": surprise.count,
        "text": surprise.text,
    }


def _wrapped(text: str, label: str = "") -> str:
    return textwrap.fill(label + text, _WIDTH, subsequent_indent=" " * len(label)) + "\n"
