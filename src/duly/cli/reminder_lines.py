"""Lay out what `duly remind` understood: the schedule in words, and its first runs in the person's zone and in UTC."""

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
    """A phrase that was understood."""

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
        """Describe the schedule in the person's language, else in that of the phrase."""
        from duly.service.reminders.requests import RequestContext
        from duly.service.reminders.views import trigger_in_words

        context = RequestContext(now=self._now, zone=self.zone, language=self._language)
        return trigger_in_words(self._trigger, context)

    def moments(self, first: datetime | None) -> list[datetime]:
        """List the first runs, as many as are shown."""
        found: list[datetime] = []
        while first is not None and len(found) < SHOWN:
            found.append(first)
            first = self._trigger.get_next_occurrence(first)
        return found

    def line(self, first: datetime | None) -> str:
        """Write the line with the words, the zone and the next moments."""
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
        local = self._zone.localize(at)
        today = self._zone.localize(self._now).date()
        near = {today: "today", today + timedelta(days=1): "tomorrow"}.get(local.date())
        return f"once, {near or f'{local:%a} {local.day} {local:%b %Y}'} {local:%H:%M:%S}"


def on_clocks(moment: datetime, zone: Zone) -> str:
    """Write a moment as `Mon 16 Nov 08:00`, with seconds only where there are any."""
    local = zone.localize(moment)
    return f"{local:%a} {local.day} {local:%b} " + (f"{local:%H:%M:%S}" if local.second else f"{local:%H:%M}")


def in_words(length: timedelta) -> str:
    """Write a length as `in 5 minutes` or `in 1 hour 30 minutes`: the two largest units."""
    seconds = ceil(length.total_seconds())
    for index, (size, unit) in enumerate(_UNITS):
        if seconds >= size:
            said = _many(seconds // size, unit)
            smaller, name = _UNITS[min(index + 1, len(_UNITS) - 1)]
            rest = seconds % size // smaller
            return f"in {said} {_many(rest, name)}" if rest else f"in {said}"
    return "now"


def first_run(trigger: Trigger, now: datetime) -> datetime | None:
    """Give the first run of a trigger that is not stored."""
    return trigger.at if isinstance(trigger, Once) else trigger.get_next_occurrence(now)


def _many(number: int, unit: str) -> str:
    return f"{number} {unit}" if number == 1 else f"{number} {unit}s"
