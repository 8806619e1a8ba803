"""The last events, kept for all listeners together: a listener holds only its place in them.

So a listener that does not read costs no memory; one that has fallen too far behind has to read everything again.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from duly.model.events import Event, changed_fields
from duly.service.access.scopes import Scope, may_read
from duly.service.journal import EntrySchedule, shared_data
from duly.service.live.events import LiveEvent, topic_of

BEFORE_ALL = -1
"""The place of a listener to whom events of an earlier life were given: nothing goes on from there."""
LONGEST_TEXT = 500
"""Characters of a text in the data of an event: a listener who wants more asks for it."""


@dataclass(slots=True)
class KeptEvent:
    """An event in the ring, and how each scope sees it."""

    number: int
    id: str
    topic: str
    event: Event
    schedule: EntrySchedule | None
    user_id: str | None = None
    seq: int | None = None
    _seen_as: dict[Scope, LiveEvent | None] = field(default_factory=dict)

    def seen_by(self, scope: Scope) -> LiveEvent | None:
        """Give the event as a scope may see it; None when it may not."""
        if scope not in self._seen_as:
            self._seen_as[scope] = self._shown(scope)
        return self._seen_as[scope]

    def _shown(self, scope: Scope) -> LiveEvent | None:
        event = self.event
        is_readable = self.schedule is not None and may_read(scope, self.schedule.owned)
        if not (scope.is_admin or is_readable or self._is_for_all):
            return None
        return LiveEvent(
            id=self.id,
            topic=self.topic,
            kind=event.kind.name,
            at=event.at,
            schedule_id=event.schedule_id,
            run_id=event.run_id,
            user_id=self.user_id,
            data=self._data(scope),
            seq=self.seq,
        )

    @property
    def _is_for_all(self) -> bool:
        """Whether it names nothing that a caller may not see; its data, if it has any, are for admins."""
        return self.topic == "health" or (self.topic == "run" and self.event.schedule_id is None)

    def _data(self, scope: Scope) -> dict[str, object]:
        """Give the data of the catalogue's fields. Output of agents is left out: it may be long, and may be private."""
        kind = self.event.kind
        if scope.is_admin:
            data = {name: self.event.data[name] for name in kind.fields if name in self.event.data}
        elif self.schedule is not None:
            data = shared_data(self.event, scope, self.schedule)
        else:
            return {}
        shown = {name: _cut(value) for name, value in data.items() if name not in kind.spoken}
        if self.schedule is not None:
            shown["name"] = self.schedule.name
        if changed := changed_fields(kind.name, self.event.data):
            shown["changed"] = changed
        return shown


class Ring:
    """The last events in order, under ids that only this life of the feed gives out."""

    def __init__(self, life: str, size: int) -> None:
        self._life = life
        self._kept: deque[KeptEvent] = deque(maxlen=size)
        self.head = 0
        """The number of the newest event."""

    def id_of(self, number: int) -> str:
        """Give the id of an event: those of one life sort by number, those of a later life after all of them."""
        return f"{self._life}-{number:010d}"

    def place_of(self, last_id: str) -> int | None:
        """Give the number of an id; None when what came after it is not known any more."""
        life, _, number = last_id.rpartition("-")
        if life != self._life or not (number.isascii() and number.isdecimal() and len(number) < 20):
            return None
        return int(number) if self.reaches_back_to(int(number)) else None

    def reaches_back_to(self, number: int) -> bool:
        """Whether everything after this number is still here."""
        return self.head - len(self._kept) <= number <= self.head

    def add(
        self, event: Event, schedule: EntrySchedule | None, *, user_id: str | None = None, seq: int | None = None
    ) -> None:
        """Append an event, unless it is of a kind that listeners do not get."""
        topic = topic_of(event.kind.name)
        if topic is None:
            return
        self.head += 1
        self._kept.append(
            KeptEvent(
                number=self.head,
                id=self.id_of(self.head),
                topic=topic,
                event=event,
                schedule=schedule,
                user_id=user_id,
                seq=seq,
            )
        )

    def since(self, number: int, scope: Scope, topics: frozenset[str]) -> list[LiveEvent]:
        """Give what a scope may see of these topics after a number."""
        new = [self._kept[place] for place in range(number - self.head, 0)]
        seen = (each.seen_by(scope) for each in new if each.topic in topics)
        return [each for each in seen if each is not None]


def life_of(now: datetime, random_bits: int) -> str:
    """Make the part of ids that differs from one life of a feed to the next; later lives sort after earlier ones."""
    return f"{int(now.timestamp() * 1000):012x}{random_bits:04x}"


def _cut(value: Any) -> Any:
    if isinstance(value, str):
        return value if len(value) <= LONGEST_TEXT else f"{value[: LONGEST_TEXT - 1]}…"
    if isinstance(value, Mapping):
        return {name: _cut(each) for name, each in value.items()}
    return value
