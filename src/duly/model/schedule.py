"""A schedule: its definition, which people change, apart from its state, which only the engine does."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from duly.model.policy import Policy

if TYPE_CHECKING:
    from duly.model.action import Action
    from duly.model.trigger import Trigger

DEFAULT_NAMESPACE = "default"


class Source(StrEnum):
    """Where a definition comes from: made at run time, or declared in a file."""

    DB = "db"
    TOML = "toml"


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule:
    """Identity, trigger, action and policy, with the fields a calendar shows."""

    id: str
    namespace: str = DEFAULT_NAMESPACE
    name: str
    trigger: Trigger
    action: Action
    policy: Policy = field(default_factory=Policy)
    description: str | None = None
    source: Source = Source.DB
    created_by: str | None = None
    max_runs: int | None = None
    start_at: datetime | None = None
    end_at: datetime | None = None
    until_at: datetime | None = None
    timezone: str | None = None
    display_title: str | None = None
    calendar_event_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduleState:
    """What the engine knows about a schedule."""

    enabled: bool = True
    next_fire_at: datetime | None = None
    """The next nominal instant."""
    next_run_at: datetime | None = None
    """When it will be dispatched: the nominal instant and the stagger."""
    watermark: datetime | None = None
    """The last nominal instant that became a run or a recorded skip."""
    fires: int = 0
    """Runs recorded by the schedule itself; counts against `max_runs`."""
    version: int = 1
    last_run_at: datetime | None = None
    """When it last ran; skipped and missed fires leave this, and how the last run ended, as they were."""
    last_status: str | None = None
    last_result: Any = None
    consecutive_failures: int = 0
    quarantine: str | None = None
    """Why the stored row cannot be read; it stays and is shown, but does not fire."""
    disabled_by: str | None = None
    """Why it does not fire: `person`, `finished`, `file` or `quarantine`."""
