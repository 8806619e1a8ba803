"""What the view of a schedule has inside: its coming fires, its targets, and what a person should know about it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from duly.zones import Zone, local_iso


@dataclass(frozen=True, slots=True)
class FireView:
    """A coming fire, in UTC and in local time."""

    utc: datetime
    local: str

    @classmethod
    def of(cls, fire_at: datetime, zone: Zone) -> FireView:
        return cls(fire_at, local_iso(fire_at, zone))


@dataclass(frozen=True, slots=True, kw_only=True)
class ConcernView:
    """Something about a schedule that a person should know."""

    kind: str
    """`failing`, `overdue`, `unserved`, `unauthorized`, `quarantined` or `resting`."""
    reason: str
    remedy: str
    """What to do."""
    since: datetime | None = None
    times: int | None = None
    """How many runs failed in a row, where the kind is `failing`."""
    schedule_id: str | None = None
    """The schedule; left out, like the next two fields, inside the view of that schedule."""
    name: str | None = None
    namespace: str | None = None


@dataclass(frozen=True, slots=True)
class TargetView:
    """A target of a prompt."""

    project_id: str
    workspace_id: str | None = None
