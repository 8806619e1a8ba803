"""Tables of cron(8), of a user or of the system.

What cron would hand to a shell becomes a job of `duly.toml`: a list of arguments, without a shell. cron tells its
coming times to no one; they are worked out here as cron does it, by a look at each minute.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from duly.cron import Cron
from duly.errors import DulyError
from duly.service.foreign.entries import ForeignEntry, NextTime, NotCarriedError, refused
from duly.zones import Zone

_SETTING = re.compile(r"\s*([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*?)\s*")
_SHELL = frozenset("|&;<>()$`*?[]{}~#!\n")
_MACROS = {
    "@hourly": "0 * * * *",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@weekly": "0 0 * * 0",
    "@monthly": "0 0 1 * *",
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
}
_ZONES = ("CRON_TZ", "TZ")
_MINUTE = timedelta(minutes=1)
_LONGEST_SEARCH = timedelta(days=366 * 8)
JobNamed = Callable[[tuple[str, ...]], str | None]
"""Gives the job of `duly.toml` that runs a list of arguments; None when there is none."""


class _CronLine(NamedTuple):
    number: int
    expression: str
    command: str


class _Settings(NamedTuple):
    zone: str
    environment: dict[str, str]


def read_crontab(text: str, *, is_system: bool, zone: str, job_named: JobNamed) -> list[ForeignEntry]:
    """Read a table. One of the system has a column with the user; `zone` is that of the machine."""
    settings = _Settings(zone, {})
    entries: list[ForeignEntry] = []
    for number, line in enumerate(text.splitlines(), start=1):
        bare = line.strip()
        if not bare or bare.startswith("#"):
            continue
        if (setting := _SETTING.fullmatch(line)) is not None:
            settings = _with(settings, setting[1], setting[2].strip("\"'"))
            continue
        entries.append(_entry(number, bare, settings, is_system=is_system, job_named=job_named))
    return _with_names(entries)


def _with(settings: _Settings, name: str, value: str) -> _Settings:
    if name in _ZONES:
        return settings._replace(zone=value)
    return settings._replace(environment={**settings.environment, name: value})


def _entry(number: int, text: str, settings: _Settings, *, is_system: bool, job_named: JobNamed) -> ForeignEntry:
    try:
        line = _split(number, text, is_system=is_system)
    except NotCarriedError as error:
        return refused(f"line-{number}", text, str(error))
    name = _name_of(line.command) or f"line-{number}"
    try:
        words = _words(line.command)
        trigger = Cron(line.expression, tz=settings.zone, day_match="or" if _either_day(line.expression) else "and")
        job = job_named(words)
        if job is None:
            listed = ", ".join(_quoted(each) for each in words)
            raise NotCarriedError(f"no job of duly.toml runs it: add to [jobs]  {_key(name)} = [{listed}]")
    except DulyError as error:
        return refused(name, text, str(error))
    return ForeignEntry(
        name=name,
        written=line.expression,
        trigger=trigger,
        fields={"job_name": job, "description": f"line {number}: {text}"[:500]},
        losses=tuple(_losses(settings)),
        next_time=by_minutes(line.expression, settings.zone),
    )


def _losses(settings: _Settings) -> Iterator[str]:
    for name, value in settings.environment.items():
        if name == "MAILTO" and value:
            yield f"MAILTO={value}: duly tells failures to people, see notify"
        elif name not in ("MAILTO", "SHELL", "PATH", "LOGNAME", "HOME"):
            yield f"{name}={value}: set it where duly is started, or in the program"


def _split(number: int, text: str, *, is_system: bool) -> _CronLine:
    """Split a line into when and what."""
    when = 1 if text.startswith("@") else 5
    parts = text.split(None, when + is_system)
    if len(parts) <= when + is_system:
        raise NotCarriedError("it has no command: a line is five fields (or @daily) and a command")
    expression = " ".join(parts[:when])
    if expression == "@reboot":
        raise NotCarriedError("@reboot is no time: let systemd start it, as it starts duly")
    if expression.startswith("@") and expression not in _MACROS:
        raise NotCarriedError(f"{expression} is unknown: cron knows {', '.join(_MACROS)} and @reboot")
    return _CronLine(number, _MACROS.get(expression, expression), parts[-1])


def _words(command: str) -> tuple[str, ...]:
    """Split a command into arguments; refuse what only a shell understands."""
    if re.search(r"(?<!\\)%", command):
        raise NotCarriedError("it has % (a new line, and input, to cron): put the command into a script, and name that")
    command = command.replace("\\%", "%")
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise NotCarriedError(
            f"its quotes do not match ({error}): put the command into a script, and name that"
        ) from None
    unquoted = re.sub(r"'[^']*'|\"[^\"$`\\]*\"", "", command)
    if found := sorted(_SHELL.intersection(unquoted)):
        raise NotCarriedError(f"it needs a shell (for {' '.join(found)}): put the command into a script, and name that")
    if "=" in words[0]:
        raise NotCarriedError(f"it needs a shell (for {words[0]}): put the command into a script, and name that")
    return tuple(words)


def _name_of(command: str) -> str:
    """Make a name of a command: that of its program."""
    programs = (word for word in command.split() if "=" not in word)  # behind settings of its environment
    first = next(programs, "").rsplit("/", 1)[-1]
    return re.sub(r"[^\w.-]+", "-", first).strip("-.")


def _with_names(entries: Collection[ForeignEntry]) -> list[ForeignEntry]:
    """Number names that come twice."""
    seen: dict[str, int] = {}
    named: list[ForeignEntry] = []
    for entry in entries:
        number = seen[entry.name] = seen.get(entry.name, 0) + 1
        named.append(entry if number == 1 else _renamed(entry, f"{entry.name}-{number}"))
    return named


def _renamed(entry: ForeignEntry, name: str) -> ForeignEntry:
    return replace(entry, name=name)


def _quoted(word: str) -> str:
    return json.dumps(word, ensure_ascii=False)


def _key(name: str) -> str:
    return name if re.fullmatch(r"[\w-]+", name, re.ASCII) else _quoted(name)


# cron's own way


def _either_day(expression: str) -> bool:
    """Say whether one of both days is enough. To cron, a field that begins with * is unrestricted, `*/2` too."""
    fields = expression.split()
    return not (fields[2].startswith("*") or fields[4].startswith("*"))


def by_minutes(expression: str, zone: str) -> NextTime:
    """Work out times as cron does: look at each minute of the wall clock, whether the five fields have it."""
    minutes, hours, days, months, weekdays = (
        _values(text, *bounds) for text, bounds in zip(expression.split(), _BOUNDS, strict=True)
    )
    either = _either_day(expression)
    where = Zone.of(zone).tzinfo

    def is_on(local: datetime) -> bool:
        on_day = local.day in days
        on_weekday = local.isoweekday() % 7 in weekdays
        return local.month in months and (on_day or on_weekday if either else on_day and on_weekday)

    def following(after: datetime) -> datetime | None:
        at = after.astimezone(UTC).replace(second=0, microsecond=0) + _MINUTE
        end = at + _LONGEST_SEARCH
        while at < end:
            local = at.astimezone(where)
            if not is_on(local):  # to the last hours of the day at once, for it may be shorter or longer than others
                at += max(_MINUTE, timedelta(hours=20 - local.hour))
            elif local.hour in hours and local.minute in minutes:
                return at
            else:
                at += _MINUTE
        return None

    return following


_BOUNDS = ((0, 59), (0, 23), (1, 31), (1, 12), (0, 7))
_NAMES = {
    name: number
    for names, first in (
        (("sun", "mon", "tue", "wed", "thu", "fri", "sat"), 0),
        (("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"), 1),
    )
    for number, name in enumerate(names, start=first)
}


def _values(text: str, lowest: int, highest: int) -> frozenset[int]:
    found: set[int] = set()
    for part in text.lower().split(","):
        span, _, step = part.partition("/")
        first, dash, last = span.partition("-")
        low = lowest if span == "*" else _number(first)
        high = highest if span == "*" or (step and not dash) else _number(last) if dash else low
        found.update(range(low, high + 1, int(step or 1)))
    return frozenset(0 if highest == 7 and each == 7 else each for each in found)


def _number(text: str) -> int:
    return _NAMES[text[:3]] if text[:1].isalpha() else int(text)
