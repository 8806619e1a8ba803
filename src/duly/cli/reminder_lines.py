"""Reminders as the command line says them: words in the person's language, moments on their clocks and in UTC."""

from __future__ import annotations

from datetime import datetime, timedelta
from math import ceil
from typing import TYPE_CHECKING

from duly.recurrence import Once
from duly.zones import Zone

if TYPE_CHECKING:
    from duly.model.trigger import Trigger
    from duly.phrases import Phrase
    from duly.ports.people import User

SHOWN = 3
_UNITS = ((86_400, "day"), (3_600, "hour"), (60, "minute"), (1, "second"))


class Reading:
    """A phrase that was understood, and how to say so."""

    def __init__(self, phrase: Phrase, user: User, now: datetime) -> None:
        self._trigger = phrase.trigger
        self._zone = phrase.zone
        self._now = now
        self._language = (user.language or phrase.lang).partition("-")[0]

    @property
    def zone(self) -> str:
        return self._zone.name

    @property
    def words(self) -> str:
        """When, in the person's language, else in that of the phrase."""
        from duly.phrases import describe

        return describe(self._trigger, self._language, tz=self._zone, now=self._now)

    def moments(self, first: datetime | None) -> list[datetime]:
        """The first runs, as many as are shown."""
        found: list[datetime] = []
        while first is not None and len(found) < SHOWN:
            found.append(first)
            first = self._trigger.get_next_occurrence(first)
        return found

    def line(self, first: datetime | None) -> str:
        """The words, the zone, and the next moments."""
        if not isinstance(self._trigger, Once):
            listed = [on_clocks(moment, self._zone) for moment in self.moments(first)]
            if first is not None and self.zone != "UTC":
                listed[0] += f" ({first:%H:%M} UTC)"
            return f"{self.words} {self.zone}" + (f" · next: {', '.join(listed)}" if listed else "")
        at = self._trigger.at
        return f"{self._once(at)} {self.zone} ({at:%H:%M:%S} UTC), {in_words(at - self._now)}"

    def _once(self, at: datetime) -> str:
        if self._language != "en":
            return self.words
        local, today = self._zone.localize(at), self._zone.localize(self._now).date()
        near = {today: "today", today + timedelta(days=1): "tomorrow"}.get(local.date())
        return f"once, {near or f'{local:%a} {local.day} {local:%b %Y}'} {local:%H:%M:%S}"


def on_clocks(moment: datetime, zone: Zone) -> str:
    """`Mon 16 Nov 08:00`: seconds only where there are any."""
    local = zone.localize(moment)
    return f"{local:%a} {local.day} {local:%b} " + (f"{local:%H:%M:%S}" if local.second else f"{local:%H:%M}")


def in_words(length: timedelta) -> str:
    """`in 5 minutes`, `in 1 hour 30 minutes`: the two largest units that matter."""
    seconds = ceil(length.total_seconds())
    for index, (size, unit) in enumerate(_UNITS):
        if seconds >= size:
            said = _many(seconds // size, unit)
            smaller, name = _UNITS[min(index + 1, len(_UNITS) - 1)]
            rest = seconds % size // smaller
            return f"in {said} {_many(rest, name)}" if rest else f"in {said}"
    return "now"


def first_run(trigger: Trigger, now: datetime) -> datetime | None:
    """When something that is not stored would run first."""
    return trigger.at if isinstance(trigger, Once) else trigger.get_next_occurrence(now)


def _many(number: int, unit: str) -> str:
    return f"{number} {unit}" if number == 1 else f"{number} {unit}s"
