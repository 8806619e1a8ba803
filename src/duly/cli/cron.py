"""`duly next` and `duly explain`: what a cron expression will do."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from duly.cli.cron_arguments import add_cron_arguments, read_cron
from duly.cli.fires import Fire, coming_fires, table
from duly.cli.moments import iso, read_moment
from duly.cli.parser import Parser, whole_number
from duly.cron import Cron, DayMatch, Dialect, DstPolicy
from duly.cron.parser import read_columns
from duly.zones import Zone

if TYPE_CHECKING:
    from argparse import Namespace

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


def next_fires(parser: Parser, words: list[str], clock: Clock) -> str:
    """`duly next`: when an expression fires, in UTC, in local time, and in how long."""
    add_cron_arguments(parser)
    parser.add_argument("-n", "--count", type=whole_number(1, 10_000), default=5, help="how many fires (5)")
    arguments = parser.read(words)
    answer = _answer(arguments, clock, arguments.count)
    if arguments.json:
        return _json(answer.to_dict())
    return f"{_wrapped(answer.cron.describe())}\n{table(answer.fires, answer.zone)}"


def explain(parser: Parser, words: list[str], clock: Clock) -> str:
    """`duly explain`: what an expression means, and which clock changes of the coming year hit it."""
    from duly.cron.surprises import surprises

    add_cron_arguments(parser)
    arguments = parser.read(words)
    answer = _answer(arguments, clock, 3)
    cron = answer.cron
    found = surprises(cron, answer.start, _a_year_after(answer.start))
    if arguments.json:
        return _json({**answer.to_dict(), "surprises": [_surprise(surprise) for surprise in found]})
    warnings = "".join(_wrapped(surprise.text, "warning: ") for surprise in found)
    parts = [_wrapped(cron.describe()), _facts(cron), table(answer.fires, answer.zone), warnings]
    return "\n".join(part for part in parts if part)


def _facts(cron: Cron) -> str:
    """How the expression is read."""
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


@dataclass(frozen=True, slots=True)
class _Answer:
    """What both commands have to say."""

    cron: Cron
    start: datetime
    fires: list[Fire]
    zone: Zone
    """The zone whose time is shown: the one the expression is read in."""

    def to_dict(self) -> dict[str, object]:
        """The keys are a promise to programs."""
        return {
            "expression": self.cron.expression,
            "dialect": str(self.cron.dialect),
            "tz": self.cron.tz,
            "dst": str(self.cron.dst),
            "description": self.cron.describe(),
            "from": iso(self.start),
            "next": [fire.to_dict() for fire in self.fires],
        }


def _answer(arguments: Namespace, clock: Clock, count: int) -> _Answer:
    cron = read_cron(arguments, clock)
    begin = clock.now() if arguments.start is None else read_moment(arguments.start, Zone.of(cron.tz))
    begin = begin.replace(microsecond=0)  # fires are on whole seconds, so none lies in the fraction
    zone = Zone.of(cron.tz)
    return _Answer(cron, begin, coming_fires(cron, begin, count, zone), zone)


def _a_year_after(start: datetime) -> datetime:
    last = datetime.max.replace(tzinfo=UTC)
    return start + _YEAR if last - start > _YEAR else last


def _surprise(surprise: Surprise) -> dict[str, object]:
    return {
        "at": iso(surprise.at),
        "kind": str(surprise.kind),
        "local": iso(surprise.local),
        "count": surprise.count,
        "text": surprise.text,
    }


def _wrapped(text: str, label: str = "") -> str:
    return textwrap.fill(label + text, _WIDTH, subsequent_indent=" " * len(label)) + "\n"


def _json(value: object) -> str:
    import json  # late: people rarely ask for it

    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"
