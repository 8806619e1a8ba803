"""A schedule: its definition, which people change, and its state, which the engine changes."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Any, TypedDict, get_type_hints

from duly.model.policy import Policy

if TYPE_CHECKING:
    from duly.model.action import Action
    from duly.model.trigger import Trigger

DEFAULT_NAMESPACE = "default"


class Source(StrEnum):
    """Where a definition comes from: the store, or a file."""

    DB = "db"
    TOML = "toml"


@dataclass(frozen=True, slots=True, kw_only=True)
class Definition:
    """The values of a schedule that people set: its name, trigger, action and policy, and the fields of a calendar."""

    namespace: str = DEFAULT_NAMESPACE
    name: str
    trigger: Trigger
    action: Action
    policy: Policy = field(default_factory=Policy)
    description: str | None = None
    source: str = Source.DB
    created_by: str | None = None
    max_runs: int | None = None
    start_at: datetime | None = None
    end_at: datetime | None = None
    until_at: datetime | None = None
    timezone: str | None = None
    display_title: str | None = None
    calendar_event_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule(Definition):
    """A definition under its id."""

    id: str
    source: Source = Source.DB


class ScheduleOptions(TypedDict, total=False):
    """The options of a schedule that a program gives beside its trigger, action and policy."""

    enabled: bool
    max_runs: int | None
    until_at: datetime | None
    description: str | None
    timezone: str | None
    start_at: datetime | None
    end_at: datetime | None
    display_title: str | None
    calendar_event_id: str | None


PLAIN_FIELDS = tuple(name for name in ScheduleOptions.__annotations__ if name != "enabled")
"""The fields of a definition that a store keeps as they are, each in a column of the same name."""
TEXT_FIELDS = tuple(name for name, kind in get_type_hints(ScheduleOptions).items() if kind == str | None)
"""Those of them that hold text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduleState:
    """The state of a schedule."""

    enabled: bool = True
    next_fire_at: datetime | None = None
    """The next nominal instant."""
    next_run_at: datetime | None = None
    """When that fire becomes a run: the nominal instant plus the stagger."""
    watermark: datetime | None = None
    """The last nominal instant that became a run or a recorded skip."""
    fires: int = 0
    """How many runs its trigger has caused; counts against `max_runs`."""
    version: int = 1
    last_run_at: datetime | None = None
    """When it last ran; skipped and missed fires change neither this nor `last_status`."""
    last_status: str | None = None
    last_result: Any = None
    consecutive_failures: int = 0
    quarantine: str | None = None
    """Why the stored row cannot be decoded; it is kept and shown, but does not fire."""
    disabled_by: str | None = None
    """Why it does not fire: `person`, `finished`, `file` or `quarantine`."""
