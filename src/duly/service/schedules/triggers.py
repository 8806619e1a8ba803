"""When it would run: a time in words, as cron or as choices, read while it is typed; the coming fires of a schedule.

The answer is the engine's own. A fault says which words or which place of the text it is about, and what is right.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from difflib import get_close_matches
from typing import TYPE_CHECKING

from duly.clock import Clock
from duly.cron.surprises import Surprise, SurpriseKind
from duly.errors import DulyError, InvalidCronExpressionError, InvalidInputError, PhraseError
from duly.model.trigger import Trigger
from duly.ports.codec import decode_schedule
from duly.recurrence import begun
from duly.recurrence.clockface import END, later
from duly.service.access.scopes import Caller
from duly.service.limits import check_given
from duly.service.schedules import forms, values
from duly.service.schedules.times import Zones, clock_surprises, is_cron, preview
from duly.service.schedules.views import describe, shown_in
from duly.service.schedules.ways import (
    WEEKDAYS,
    Choices,
    bare_words,
    choices_of,
    cron_of,
    why_no_choices,
    why_no_cron,
)
from duly.zones import Zone

if TYPE_CHECKING:
    from duly.service.schedules.read_use_cases import ReadUseCases

_YEAR = timedelta(days=366)
_DAY = timedelta(days=1)
_HOUR = timedelta(hours=1)
_MOST_CHANGES = 2
_KNOWN = (
    *(day.lower() for day in WEEKDAYS), "every", "day", "days", "night", "morning", "evening", "noon", "midnight",
    "weekday", "weekdays", "weekend", "week", "weeks", "month", "months", "year", "hour", "hours", "minute", "minutes",
    "second", "seconds", "tomorrow", "today", "first", "last", "half", "past", "quarter", "at", "on", "in", "from",
    "to", "until", "workdays", "daily", "weekly", "monthly",
)  # fmt: skip
_CRON_NAMES = (
    "mon", "tue", "wed", "thu", "fri", "sat", "sun",
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class NotedFire:
    """A coming fire, and what a clock change does to it."""

    at: datetime
    note: str | None = None
    """Short, for the line of the fire: "02:30 does not exist that night"."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClockChange:
    """A clock change that touches fires."""

    at: datetime
    kind: str
    """`skipped`, `moved`, `repeated` or `once`."""
    local: datetime
    """The first time on the wall clock that is touched; it has no zone, and may not exist."""
    lead: str
    outcome: str
    fire_at: datetime | None = None
    """The fire that stands for it."""
    fires_before: int = 0
    """How many ordinary fires lie between those that are shown and this one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TriggerFault:
    """Why a time was not understood."""

    reason: str
    start: int = 0
    """Where in the text the fault begins, and where it ends."""
    end: int = 0
    missed: list[str] = field(default_factory=list)
    suggestion: str | None = None
    """The whole text with the fault put right, to be taken with one press."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """When it would run."""

    text: str
    """What was typed, or what the choices say."""
    zone: str
    when: str | None = None
    """In words, with the zone."""
    language: str | None = None
    words: str | None = None
    cron: str | None = None
    no_cron: str | None = None
    choices: Choices | None = None
    no_choices: str | None = None
    fires: list[NotedFire] = field(default_factory=list)
    changes: list[ClockChange] = field(default_factory=list)
    fault: TriggerFault | None = None


class TriggerUseCases:
    """Explains triggers to callers."""

    def __init__(self, reads: ReadUseCases, clock: Clock) -> None:
        self._reads = reads
        self._clock = clock

    async def explain(
        self,
        caller: Caller,
        *,
        when: str | None = None,
        cron: str | None = None,
        choices: Choices | None = None,
        zone: str | None = None,
        count: int = 6,
    ) -> Explanation:
        """Say when a time would run; a time that is not understood is answered too, with the place of the fault."""
        check_given({"when": when, "cron": cron, "zone": zone})
        text = (cron if cron is not None else choices.words() if choices is not None else when) or ""
        text = values.text(text, "when").strip() if text.strip() else ""
        zones = await self._reads.zones.at(caller)
        now = self._clock.now()
        named = zone or zones.words
        try:
            where = Zone.of(named)
        except DulyError as error:
            return Explanation(text=text, zone=named, fault=TriggerFault(reason=str(error)))
        if not text:
            reason = "Say when: every weekday at 8, in 20 minutes, 1st of every month at 10 …"
            return Explanation(text=text, zone=named, fault=TriggerFault(reason=reason))
        try:
            trigger, language = _read(text, where.name, now, is_cron_text=cron is not None)
            fires = preview(trigger, now, count)
        except InvalidInputError as error:
            return Explanation(text=text, zone=named, fault=fault_of(error, text))
        shown = shown_in(trigger, None, where.name)
        as_cron = cron_of(trigger, now)
        as_choices = choices_of(trigger)
        return Explanation(
            text=text,
            zone=shown.name,
            when=describe(trigger),
            language=language,
            words=bare_words(trigger, shown),
            cron=as_cron,
            no_cron=None if as_cron else why_no_cron(trigger),
            choices=as_choices,
            no_choices=None if as_choices else why_no_choices(),
            fires=_noted(trigger, fires),
            changes=list(_changes(trigger, now, fires)),
        )

    async def coming(self, caller: Caller, schedule: str, count: int = 5) -> list[NotedFire]:
        """Give the next fires of a schedule, each with what a clock change does to it."""
        row = await self._reads.find.row(caller, schedule)
        if not row.enabled or row.resting or row.quarantine or row.next_fire_at is None:
            return []
        try:
            stored = decode_schedule(row)
        except ValueError:
            return []
        fires: list[datetime] = []
        at: datetime | None = row.next_fire_at
        while at is not None and len(fires) < count and (row.until_at is None or at <= row.until_at):
            if row.max_runs is not None and row.fires + len(fires) >= row.max_runs:
                break
            fires.append(at)
            at = stored.trigger.get_next_occurrence(at)
        return _noted(stored.trigger, fires)


def _read(text: str, zone: str, now: datetime, *, is_cron_text: bool) -> tuple[Trigger, str | None]:
    from duly.phrases import parse  # late: six languages are more than most commands need

    if is_cron_text or is_cron(text):
        return forms.read_cron(text, zone), None
    phrase = parse(text, now=now, tz=Zones(words=zone, cron=zone).of(text)).without_company()
    return begun(phrase.trigger, now), phrase.lang


def fault_of(error: InvalidInputError, text: str) -> TriggerFault:
    """Find the place of a fault, and what would be right there."""
    if isinstance(error, InvalidCronExpressionError):
        start = min(error.position, len(text))
        end = next((place for place in range(start, len(text)) if text[place] in " ,"), len(text))
        reason = f"The {error.field} field {error.reason}." if error.field != "expression" else f"It {error.reason}."
        return TriggerFault(
            reason=reason, start=start, end=max(end, start + 1), suggestion=_near_cron(text, start, end)
        )
    if isinstance(error, PhraseError):
        missed = list(error.missed)
        start = text.lower().find(missed[0].lower()) if missed else -1
        end = start + len(missed[0]) if start >= 0 else 0
        return TriggerFault(
            reason=f"{error.reason[:1].upper()}{error.reason[1:]}.",
            start=max(start, 0),
            end=end,
            missed=missed,
            suggestion=_near_words(text, missed),
        )
    return TriggerFault(reason=str(error))


def _near_words(text: str, missed: Sequence[str]) -> str | None:
    """Replace each word that was not understood by the known one that is most like it, if each has one."""
    better = text
    for word in missed:
        near = get_close_matches(word.lower(), _KNOWN, 1, 0.7)
        if not near:
            return None
        better = better.replace(word, near[0], 1)
    return better if missed else None


def _near_cron(text: str, start: int, end: int) -> str | None:
    word = text[start:end]
    near = get_close_matches(word.lower(), _CRON_NAMES, 1, 0.5) if word.isalpha() else []
    return f"{text[:start]}{near[0]}{text[end:]}" if near else None


def _noted(trigger: Trigger, fires: Sequence[datetime]) -> list[NotedFire]:
    if not fires:
        return []
    found = clock_surprises(trigger, fires[0] - _DAY, later(fires[-1], _DAY) or END)
    notes = {hit: _short(each) for each in found for hit in _hits(each, fires)}
    return [NotedFire(at=at, note=notes.get(at)) for at in fires]


def _hits(surprise: Surprise, fires: Sequence[datetime]) -> list[datetime]:
    """Find the fires that a clock change touches."""
    if surprise.kind in (SurpriseKind.MOVED, SurpriseKind.SKIPPED):
        return [at for at in fires if at >= surprise.at][:1]
    return [at for at in fires if surprise.at - _HOUR <= at < surprise.at + _HOUR]


def _short(surprise: Surprise) -> str:
    time = f"{surprise.local:%H:%M}"
    return {
        SurpriseKind.MOVED: f"{time} does not exist that night",
        SurpriseKind.SKIPPED: f"{time} before it does not exist that night",
        SurpriseKind.ONCE: "the first of two",
        SurpriseKind.REPEATED: f"{time} comes twice",
    }[surprise.kind]


def _changes(trigger: Trigger, now: datetime, shown: Sequence[datetime]) -> Iterator[ClockChange]:
    """Give the first clock changes of the coming year that touch fires, forward and back."""
    kinds: set[bool] = set()
    for each in clock_surprises(trigger, now, now + _YEAR):
        is_forward = each.kind in (SurpriseKind.MOVED, SurpriseKind.SKIPPED)
        if is_forward in kinds or len(kinds) == _MOST_CHANGES:
            continue
        kinds.add(is_forward)
        near = preview(trigger, each.at - (_HOUR if not is_forward else timedelta(seconds=1)), 1)
        fire = near[0] if near else None
        between = 0 if fire is None or not shown or fire <= shown[-1] else _count(trigger, shown[-1], fire)
        lead, _, outcome = each.text.partition(": ")
        yield ClockChange(
            at=each.at,
            kind=str(each.kind),
            local=each.local,
            lead=lead.partition(" on ")[0],
            outcome=outcome,
            fire_at=fire,
            fires_before=between,
        )


def _count(trigger: Trigger, after: datetime, before: datetime) -> int:
    """Count the fires between two, up to a bound."""
    number = 0
    at = trigger.get_next_occurrence(after)
    while at is not None and at < before and number < 1000:
        number += 1
        at = trigger.get_next_occurrence(at)
    return number
