"""The second look of the auditor: what a reading claims must be seen in its trigger.

It reads the claimed words once more with the closed lists of a language, and knows nothing of the grammar. A word of
rhythm makes a series, a day and an hour are those of the first fires, a length is the distance between two fires or the
first one's from now, and a word of an end ends the series. It says only what the words surely say.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from functools import cached_property
from itertools import pairwise

from duly.language.atoms import AtomKind, Atoms, Unit, WordRole
from duly.language.borders import begins_with_day, ends_in_start
from duly.language.lexicon import forms_at
from duly.model.trigger import Trigger
from duly.recurrence import Once, RecurringTask
from duly.zones import Zone

_CLOCK = re.compile(r"([0-9]{1,2})[:h]([0-9]{2})(am|pm)?|([0-9]{1,2})(am|pm|uhr)")
_DAY = timedelta(days=1)
_MINUTE = timedelta(minutes=1)
_FIRES = 12
_NOON = 12
_MORNING = 6
_WEEK = 7
_SHORTEST_NAME = 4
_MOST_DIGITS = 4
_RHYTHMS = frozenset({AtomKind.EVERY, AtomKind.PER_DAY})
_BREAKS = WordRole.START | WordRole.EXCEPT | WordRole.INSTEAD | WordRole.LASTING
"""Behind these stands no day of the first fire."""
_SHIFTS = frozenset({AtomKind.LEAD, AtomKind.DONE, AtomKind.FURTHER, AtomKind.FRACTION, AtomKind.HALF_TO})
_NO_PERIOD = frozenset({AtomKind.EVERY, AtomKind.ORDINAL, AtomKind.NUMBER, AtomKind.NEXT, AtomKind.HALF_TO})
_PERIODS = (Unit.DAY, Unit.WEEK, Unit.MONTH)
_WEEKDAYS = frozenset({AtomKind.WEEKDAY, AtomKind.WEEKDAYS})
_LENGTHS = frozenset({AtomKind.UNIT, AtomKind.SPAN})


@dataclass(slots=True)
class SaidTime:
    """What the words of a time surely say."""

    has_rhythm: bool = False
    has_end: bool = False
    has_start: bool = False
    weekdays: set[int] = field(default_factory=set)
    may_name_more: bool = False
    """Whether another word may be a weekday as well."""
    relative: list[int] = field(default_factory=list)
    dates: list[tuple[int, int]] = field(default_factory=list)
    """Month and day."""
    clocks: list[tuple[int, int, bool]] = field(default_factory=list)
    """Hour and minute, and whether they may be twelve hours later as well."""
    every: list[tuple[int, Unit]] = field(default_factory=list)
    after: list[tuple[int, Unit]] = field(default_factory=list)
    """From now."""
    counts_from_day: bool = False
    """Whether a length of time may count from a day: "today in two weeks"."""


class Fires:
    """The first fires of a trigger, as clocks show them."""

    def __init__(self, trigger: Trigger, now: datetime, zone: Zone) -> None:
        self.trigger = trigger
        self.now = now
        self.zone = zone

    @cached_property
    def instants(self) -> list[datetime]:
        """The first of them."""
        found: list[datetime] = []
        at = self.trigger.at if isinstance(self.trigger, Once) else self.trigger.get_next_occurrence(self.now)
        while at is not None and len(found) < _FIRES:
            found.append(at)
            at = self.trigger.get_next_occurrence(at)
        return found

    @cached_property
    def local(self) -> list[datetime]:
        """The same on the clocks of the zone."""
        return [self.zone.localize(each) for each in self.instants]

    @property
    def first_days(self) -> set[date]:
        """The day of the first fire; in the small hours also the one whose night it is."""
        first = self.local[0]
        return {first.date(), (first - _DAY).date()} if first.hour < _MORNING else {first.date()}


def is_seen(stretches: Iterable[Sequence[str]], code: str, fires: Fires) -> bool:
    """Tell whether all that the words of a time say is seen in the first fires of its trigger."""
    said = SaidTime()
    texts = [tuple(each) for each in stretches]
    for text in texts:
        _read(text, code, said, is_alone=len(texts) == 1)
    once = isinstance(fires.trigger, Once)
    if ((said.has_rhythm or said.has_start) and once) or (said.has_end and not once and not _ends(fires.trigger)):
        return False
    return not fires.instants or (
        _shows_days(said, fires) and _shows_clocks(said, fires) and _shows_lengths(said, fires)
    )


def _ends(trigger: Trigger) -> bool:
    return isinstance(trigger, RecurringTask) and (trigger.run_until is not None or trigger.max_runs is not None)


def _shows_days(said: SaidTime, fires: Fires) -> bool:
    days = fires.first_days
    today = fires.zone.localize(fires.now).date()
    if said.weekdays and not said.may_name_more and not said.weekdays & {each.weekday() for each in days}:
        return False
    if said.relative and not said.counts_from_day and not {today + each * _DAY for each in said.relative} & days:
        return False
    shown = {(each.month, each.day) for each in days} | {(each.month, each.day) for each in fires.local}
    return not said.dates or any(each in shown for each in said.dates)


def _shows_clocks(said: SaidTime, fires: Fires) -> bool:
    first = fires.instants[0]
    if fires.local[0].utcoffset() != fires.zone.localize(first - _DAY).utcoffset():
        return True  # that clock may not exist on this day
    # Days of several rules have hours of their own: "weekdays at 7, weekends at 9".
    is_of_several = bool(said.weekdays) or said.may_name_more
    shown = {
        (at.hour, at.minute)
        for at, instant in zip(fires.local, fires.instants, strict=True)
        if is_of_several or instant - first <= _DAY
    }
    return all(
        (hour % 24, minute) in shown or (is_open and ((hour + _NOON) % 24, minute) in shown)
        for hour, minute, is_open in said.clocks
    )


def _shows_lengths(said: SaidTime, fires: Fires) -> bool:
    first = fires.instants[0]
    for count, unit in said.after if isinstance(fires.trigger, Once) and not said.relative else ():
        if unit.elapsed and abs(first - fires.now - count * timedelta(seconds=int(unit.value))) > _MINUTE:
            return False
        days = count * (_WEEK if unit is Unit.WEEK else 1)
        if not unit.elapsed and fires.zone.localize(fires.now + days * _DAY).date() not in fires.first_days:
            return False
    return len(fires.instants) == 1 or all(_is_distance(count, unit, fires) for count, unit in said.every)


def _is_distance(count: int, unit: Unit, fires: Fires) -> bool:
    if unit.elapsed:
        wanted = count * timedelta(seconds=int(unit.value))
        return any(later - earlier == wanted for earlier, later in pairwise(fires.instants))
    return any((later.date() - earlier.date()).days == count for earlier, later in pairwise(fires.local))


def _read(text: tuple[str, ...], code: str, said: SaidTime, *, is_alone: bool) -> None:
    """Read what one stretch surely says."""
    kinds = [_kinds(text, at, code) for at in range(len(text))]
    shifted = any(each & _SHIFTS for each in kinds)
    units = sum(bool(each & _LENGTHS) for each in kinds)
    said.counts_from_day |= units > 0 and not any(each & _RHYTHMS for each in kinds)
    at = 0
    is_main = True
    while at < len(text):
        atoms, size = _sure(text, at, code)
        said.has_start |= at > 0 and ends_in_start(text[:at], code) and begins_with_day(text[at:], code)
        role = atoms[0].value if atoms and atoms[0].kind is AtomKind.LITTLE else 0
        if any(atom.kind in _RHYTHMS for atom in atoms):
            said.has_rhythm = True
            is_main = True
            if not shifted and units == 1 and (length := _length(text, at + size, code)) is not None:
                said.every.append(length)
        elif _is_end(text, at, size, atoms, code, is_main=is_main):
            said.has_end = True
            is_main = False
        elif role & (_BREAKS | WordRole.BETWEEN) or _is_from(role, text[at + size :], code):
            is_main = is_main and bool(role & WordRole.IN)
        elif _is_period(text, at, code):
            said.has_end = True
        elif role & (WordRole.BEFORE | WordRole.AFTER | WordRole.LESS):
            shifted = True
        if role & WordRole.IN and not role & (WordRole.AT | WordRole.LASTING) and is_alone and units == 1:
            length = None if shifted else _length(text, at + size, code)
            said.after += [] if length is None else [length]
        is_short = len(text[at]) < _SHORTEST_NAME  # mon wed friday
        said.may_name_more |= bool(kinds[at] & _WEEKDAYS) and (not atoms or is_short)
        if is_main and not shifted:
            _read_moment(text, at, atoms, code, said)
        at += size


def _read_moment(text: tuple[str, ...], at: int, atoms: Atoms, code: str, said: SaidTime) -> None:
    """Read a day or an hour at a place."""
    for atom in atoms:
        if atom.kind is AtomKind.WEEKDAY and len(text[at]) >= _SHORTEST_NAME:
            said.weekdays |= _since(said.weekdays, atom.value, text, at, code)
        elif atom.kind is AtomKind.WEEKDAYS:
            said.weekdays |= _since(said.weekdays, atom.value[0], text, at, code) | set(atom.value)
        elif atom.kind is AtomKind.RELATIVE_DAY and len(atoms) == 1:
            said.relative.append(atom.value)
        elif atom.kind is AtomKind.MONTH and (day := _day_of_month(text, at)):
            said.dates.append((atom.value, day))
    clock = _CLOCK.fullmatch(text[at])
    before = _role(text, at - 1, code) if at else 0
    is_length = before & WordRole.IN and not before & (WordRole.AT | WordRole.ON)
    if clock is not None and not is_length and ("h" not in text[at].strip("uhr") or before & WordRole.AT):
        half = clock[3] or (None if clock[5] == "uhr" else clock[5])
        hour = int(clock[1] or clock[4])
        hour = hour if half is None else hour % _NOON + _NOON * (half == "pm")
        said.clocks.append((hour, int(clock[2] or 0), half is None and hour <= _NOON))
    elif text[at].isdecimal() and len(text) > at + 1 and AtomKind.OCLOCK in _kinds(text, at + 1, code):
        minutes = text[at + 2] if len(text) > at + 2 and text[at + 2].isdecimal() else "0"
        said.clocks.append((int(text[at]), int(minutes), int(text[at]) <= _NOON))


def _since(known: set[int], day: int, text: tuple[str, ...], at: int, code: str) -> set[int]:
    """Return a weekday, with those between it and the last one where no "and" stands between them."""
    before = text[at - 1] if at else ""
    if not known or not before or _role(text, at - 1, code) & WordRole.AND:
        return {day}
    return {(first + step) % _WEEK for first in known for step in range((day - first) % _WEEK + 1)}


def _day_of_month(text: tuple[str, ...], at: int) -> int:
    """Return the number of the day beside a month; 0 where it is not sure."""
    near = [text[place] for place in (at - 1, at - 2, at + 1) if 0 <= place < len(text)]
    found = [int(each) for each in near if each.isdecimal() and 1 <= int(each) <= 31]
    return found[0] if len(found) == 1 else 0


def _is_period(text: tuple[str, ...], at: int, code: str) -> bool:
    """Tell whether so many days, weeks or months stand here that are no rhythm, no moment and no place in a month."""
    if not text[at].isdecimal() or at + 1 >= len(text):
        return False
    units = [atoms[0].value for atoms, _ in forms_at(text, at + 1, code) if atoms[0].kind is AtomKind.UNIT]
    before = _kinds(text, at - 1, code) if at else frozenset()
    is_other = before & _NO_PERIOD or (at and _role(text, at - 1, code) & ~WordRole.LASTING)
    return bool(units) and units[0] in _PERIODS and not is_other


def _is_end(text: tuple[str, ...], at: int, size: int, atoms: Atoms, code: str, *, is_main: bool) -> bool:
    """Tell whether an end of a series begins at a place, and no range of hours or days."""
    if not atoms or not is_main or at + size >= len(text):
        return False
    if atoms[0].kind is AtomKind.UNTIL_END:
        return True
    role = atoms[0].value if atoms[0].kind is AtomKind.LITTLE else 0
    if not role & WordRole.TO or role & (WordRole.AT | WordRole.BEFORE | WordRole.ON):
        return False
    behind = text[at + size :]
    if any(AtomKind.MONTH in _kinds(behind, place, code) for place in range(len(behind))):
        return True
    return not at or not any(_is_like(text[at - 1], each, code) for each in behind)


def _is_from(role: int, behind: tuple[str, ...], code: str) -> bool:
    """Tell whether a range or a series begins behind a word; "of" it may be as well where no end of a range follows."""
    ends = any(_role(behind, place, code) & WordRole.TO for place in range(len(behind)))
    return bool(role & WordRole.FROM) and (ends or not role & WordRole.OF)


def _is_like(one: str, other: str, code: str) -> bool:
    """Tell whether two words may be the ends of a range: two hours, two days."""
    if one[:1].isdecimal() and other[:1].isdecimal():
        return True
    days = {AtomKind.WEEKDAY, AtomKind.WEEKDAYS, AtomKind.MONTH, AtomKind.NUMBER, AtomKind.FIXED_TIME}
    return bool(_kinds((one,), 0, code) & _kinds((other,), 0, code) & days)


def _length(text: tuple[str, ...], at: int, code: str) -> tuple[int, Unit] | None:
    """Read a number with its unit behind articles; None for all else."""
    while at < len(text) and _role(text, at, code) & WordRole.THE and not text[at].isdecimal():
        at += 1
    if at + 1 >= len(text) or not text[at].isdecimal():
        return None
    if len(text[at]) > _MOST_DIGITS:
        return None
    units = [atoms[0].value for atoms, _ in forms_at(text, at + 1, code) if atoms[0].kind is AtomKind.UNIT]
    unit = units[0] if len(units) == 1 else None
    if unit not in (Unit.SECOND, Unit.MINUTE, Unit.HOUR, Unit.DAY):
        return None
    return int(text[at]), unit


def _sure(text: tuple[str, ...], at: int, code: str) -> tuple[Atoms, int]:
    """Return what the words here surely stand for, and how many they are; nothing where they may be several things."""
    ways = list(forms_at(text, at, code))
    if not ways:
        return (), 1
    size = ways[0][1]
    if size > 1:
        return ways[0]
    return (ways[0][0], 1) if len({tuple(atom.kind for atom in atoms) for atoms, _ in ways}) == 1 else ((), 1)


def _kinds(text: tuple[str, ...], at: int, code: str) -> frozenset[AtomKind]:
    return frozenset(atom.kind for atoms, _ in forms_at(text, at, code) for atom in atoms)


def _role(text: tuple[str, ...], at: int, code: str) -> int:
    return next(_roles(text, at, code), 0)


def _roles(text: tuple[str, ...], at: int, code: str) -> Iterator[int]:
    for atoms, size in forms_at(text[at : at + 1], 0, code):
        if size == 1 and atoms[0].kind is AtomKind.LITTLE:
            yield atoms[0].value
