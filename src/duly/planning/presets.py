"""The lengths of a snooze that are offered, and the parts of a person's day that they name. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import datetime, time, timedelta
from typing import NamedTuple

from duly.errors import InvalidInputError
from duly.model.checks import seconds_in
from duly.planning.reach import MAX_MINUTES
from duly.zones import Zone

DAY_PARTS: Mapping[str, str] = {
    "morning": "09:00",
    "noon": "12:00",
    "afternoon": "15:00",
    "evening": "19:00",
    "night": "20:00",
}
"""Where the parts of a day lie on the clock of a person who has said nothing else."""
OFTEN = "08:00 14:00 20:00"
"""The hours that are offered to such a person for "three times a day"."""
DEFAULT_PRESETS = "10m, 1h, evening, tomorrow"
MOST_PRESETS = 6
MOST_OFTEN = 6
EVENING = "evening"
TOMORROW = "tomorrow"
_AHEAD = timedelta(hours=1)
"""A part of the day that is nearer than this is not offered: the lengths say the same."""


class Preset(NamedTuple):
    """A length of a snooze: minutes, this evening, or tomorrow morning."""

    minutes: int | None = None
    part: str | None = None
    """`evening` or `tomorrow`, in the place of minutes."""

    @property
    def code(self) -> str:
        """Give it as buttons carry it."""
        return self.part or str(self.minutes)

    @property
    def text(self) -> str:
        """Give it as people write it."""
        return self.part or (f"{self.minutes}m" if (self.minutes or 1) % 60 else f"{(self.minutes or 0) // 60}h")


class Offer(NamedTuple):
    """A preset with the moment that it means."""

    preset: Preset
    until: datetime


def read_presets(text: str | Iterable[str] | None) -> tuple[Preset, ...]:
    """Read presets, such as `10m, 1h, evening, tomorrow`; None gives the usual ones."""
    given = DEFAULT_PRESETS if text is None else text
    words = [each.strip().lower() for each in (given.split(",") if isinstance(given, str) else given)]
    found = tuple(dict.fromkeys(_preset(each) for each in words if each))
    if not 1 <= len(found) <= MOST_PRESETS:
        raise InvalidInputError(f"snoozes must be 1 to {MOST_PRESETS} lengths such as {DEFAULT_PRESETS}, got {given!r}")
    return found


def _preset(word: str) -> Preset:
    if word in (EVENING, TOMORROW):
        return Preset(part=word)
    seconds = seconds_in(word)
    if seconds is None or word.isdecimal() or seconds % 60 or not 1 <= seconds / 60 <= MAX_MINUTES:
        raise InvalidInputError(
            f"snoozes must be lengths up to a day, evening or tomorrow, got {word!r}: write 10m or 1h"
        )
    return Preset(minutes=int(seconds // 60))


def written_presets(presets: Iterable[Preset]) -> str:
    """Write presets as `read_presets` reads them."""
    return ", ".join(each.text for each in presets)


def read_day_parts(text: str | None) -> dict[str, str]:
    """Read where the parts of a day lie, such as `morning=08:00, evening=18:30`; the others are as usual.

    `often=07:00 13:00 19:00` are the hours of "three times a day".
    """
    parts = {**DAY_PARTS, "often": OFTEN}
    for each in filter(None, (part.strip() for part in (text or "").split(","))):
        name, _, clock = (side.strip().lower() for side in each.partition("="))
        if name == "often":
            parts[name] = _hours(clock, each)
            continue
        parts[name] = _clock(clock, each) if name in DAY_PARTS else _unknown(each)
    return parts


def written_day_parts(parts: Mapping[str, str]) -> str | None:
    """Write the parts of a day that are not as usual; None when all are."""
    usual = {**DAY_PARTS, "often": OFTEN}
    return ", ".join(f"{name}={clock}" for name, clock in parts.items() if usual[name] != clock) or None


def _unknown(part: str) -> str:
    known = f"{', '.join(DAY_PARTS)} and often"
    raise InvalidInputError(f"day_parts has {known}, got {part!r}: write morning=08:00, evening=18:30")


def _hours(text: str, part: str) -> str:
    hours = [_clock(each, part) for each in text.split()]
    if not 1 < len(hours) <= MOST_OFTEN or hours != sorted(set(hours)):
        raise InvalidInputError(f"day_parts takes 2 to {MOST_OFTEN} hours, got {part!r}: write often={OFTEN}")
    return " ".join(hours)


def _clock(text: str, part: str) -> str:
    found = re.fullmatch(r"([01]?\d|2[0-3]):([0-5]\d)", text)
    if found is None:
        raise InvalidInputError(f"day_parts takes times of day, got {part!r}: write morning=08:00, evening=18:30")
    return f"{int(found[1]):02}:{found[2]}"


def offers(presets: Iterable[Preset], now: datetime, zone: Zone, parts: Mapping[str, str]) -> list[Offer]:
    """Give the presets that make sense now, with the moments that they mean; this evening only while it is ahead."""
    found = [Offer(each, snoozed_until(each, now, zone, parts)) for each in presets]
    tomorrow = zone.localize(now).date() + timedelta(days=1)
    return [
        each
        for each in found
        if each.preset.part is None
        or (each.until - now > _AHEAD and (each.preset.part == TOMORROW or zone.localize(each.until).date() < tomorrow))
    ]


def snoozed_until(preset: Preset, now: datetime, zone: Zone, parts: Mapping[str, str]) -> datetime:
    """Give the moment that a preset means now; an evening that has passed is tomorrow's."""
    if preset.part is None:
        return now + timedelta(minutes=preset.minutes or 0)
    today = zone.localize(now).date()
    clock = time.fromisoformat(parts["evening" if preset.part == EVENING else "morning"])
    at = zone.first_instant(datetime.combine(today + timedelta(days=preset.part == TOMORROW), clock))
    return at if at > now else zone.first_instant(datetime.combine(today + timedelta(days=1), clock))
