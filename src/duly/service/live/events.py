"""What a listener gets: live events, their topics and their ids."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from difflib import get_close_matches
from typing import Any

from duly.errors import InvalidInputError
from duly.zones import iso

TOPICS = ("attention", "config", "health", "node", "output", "reminder", "run", "schedule")
BEAT = "beat"
"""The topic and kind of the event that comes every ten seconds; `at` is the time of the server."""
RESET = "reset"
"""The topic and kind of the event that says: more happened than can be listed, read again what is shown."""

_TOPIC_OF = {
    "attention": "attention",
    "calendar": "config",
    "channel": "config",
    "clock": "health",
    "config": "config",
    "delivery": "reminder",
    "engine": "health",
    "handover": "run",
    "heartbeat": "health",
    "links": "config",
    "node": "node",
    "notice": "attention",
    "output": "output",
    "person": "config",
    "quota": "schedule",
    "reminder": "reminder",
    "run": "run",
    "schedule": "schedule",
    "server": "health",
    "session": "run",
    "store": "health",
    "target": "run",
    "token": "config",
    "trust": "config",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveEvent:
    """One change, as a caller may see it."""

    id: str
    """Sorts by time; handed in as `last_id`, it gives what came after it."""
    topic: str
    kind: str
    """The name of an event of the catalogue, such as run.failed; or one that only listeners get, see `docs/live.md`."""
    at: datetime
    schedule_id: str | None = None
    run_id: str | None = None
    user_id: str | None = None
    data: dict[str, Any] = field(default_factory=dict)
    seq: int | None = None
    """Its number in the journal, if it is there."""

    def to_json(self) -> dict[str, Any]:
        """Give it as JSON, without the fields that are empty."""
        fields = {
            "id": self.id,
            "topic": self.topic,
            "kind": self.kind,
            "at": iso(self.at),
            "schedule_id": self.schedule_id,
            "run_id": self.run_id,
            "user_id": self.user_id,
            "seq": self.seq,
            "data": self.data or None,
        }
        return {name: value for name, value in fields.items() if value is not None}


@dataclass(frozen=True, slots=True)
class Batch:
    """Events that go to a listener in one write. Listeners with the same rights and topics share it."""

    events: tuple[LiveEvent, ...]
    rendered: dict[str, bytes] = field(default_factory=dict, compare=False)
    """How a face writes it, made once for all who share it."""


def topic_of(kind: str) -> str | None:
    """Give the topic of an event of the catalogue; None for one that listeners do not get."""
    return _TOPIC_OF.get(kind.partition(".")[0])


def read_topics(given: Iterable[str] | None) -> frozenset[str]:
    """Check the topics a caller asks for; without any, all."""
    wanted = frozenset() if given is None else frozenset(given)
    for topic in sorted(wanted - set(TOPICS)):
        near = get_close_matches(topic, TOPICS, n=1)
        hint = f"did you mean {near[0]}?" if near else f"use {', '.join(TOPICS)}"
        raise InvalidInputError(f"topic {topic!r:.100} is unknown: {hint}")
    return wanted or frozenset(TOPICS)
