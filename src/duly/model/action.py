"""What: a job to run, a prompt for an agent, or a message for a person."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Literal

from duly.errors import InvalidInputError
from duly.model.choices import at_least, choice, yes_or_no


class SessionBehavior(StrEnum):
    """Whether an agent goes on where it stopped."""

    RESUME = "resume"
    NEW = "new"


class Priority(StrEnum):
    """How hard a message tries to arrive."""

    LOW = "low"
    NORMAL = "normal"
    HIGH = "high"
    CRITICAL = "critical"


SessionBehaviorName = Literal["resume", "new"]
PriorityName = Literal["low", "normal", "high", "critical"]


@dataclass(frozen=True, slots=True)
class Job:
    """A registered function and its arguments."""

    name: str
    args: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        _not_empty("job", self.name)

    @property
    def handler(self) -> str:
        return f"job:{self.name}"


@dataclass(frozen=True, slots=True)
class Target:
    """Where a prompt runs: a project, and a workspace of it unless the default one is meant."""

    project_id: str
    workspace_id: str | None = None

    def __post_init__(self) -> None:
        _not_empty("project_id", self.project_id)
        object.__setattr__(self, "workspace_id", self.workspace_id or None)  # the default one has one name only


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """Text for an agent, once per target."""

    text: str
    targets: tuple[Target, ...] = ()
    session_behavior: SessionBehavior = SessionBehavior.RESUME
    spawner: str = "default"
    gate: str | None = None
    """A command of the configuration that decides whether there is anything to do."""
    model: str | None = None
    max_cost_per_run: float | None = None
    """US dollars, over all targets and attempts."""
    max_cost_per_day: float | None = None
    """US dollars within any 24 hours, over all runs of the schedule."""

    if TYPE_CHECKING:
        # What the generated constructor takes: the name of an option is as good as the option, and becomes it.
        def __init__(
            self,
            *,
            text: str,
            targets: tuple[Target, ...] = ...,
            session_behavior: SessionBehavior | SessionBehaviorName = ...,
            spawner: str = ...,
            gate: str | None = ...,
            model: str | None = ...,
            max_cost_per_run: float | None = ...,
            max_cost_per_day: float | None = ...,
        ) -> None: ...

    def __post_init__(self) -> None:
        behavior = choice(SessionBehavior, self.session_behavior, "session_behavior")
        object.__setattr__(self, "session_behavior", behavior)
        _not_empty("prompt", self.text)
        _not_empty("spawner", self.spawner)
        for name in ("gate", "model"):
            if getattr(self, name) is not None:
                _not_empty(name, getattr(self, name))
        for name in ("max_cost_per_run", "max_cost_per_day"):
            _amount(name, getattr(self, name))
        if len(set(self.targets)) < len(self.targets):
            raise InvalidInputError("targets must not repeat: each project and workspace may be named once")

    @property
    def handler(self) -> str:
        return f"prompt:{self.spawner}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """Words for a person."""

    text: str
    channel: str | None = None
    """Where to try first; None is `via`, and without that the person's own order."""
    priority: Priority = Priority.NORMAL
    require_ack: bool = False
    ack_prompt: str | None = None
    snooze_allowed: bool = True
    max_retries: int = 3
    """Rounds over all channels after the first has failed."""
    user_id: str | None = None
    """Who it is for; None is the owner of the schedule's namespace."""
    max_ack_reminders: int = 3
    """How often it is delivered again when nobody answers."""
    via: str | None = None
    """The channel it was asked for on."""

    if TYPE_CHECKING:
        # What the generated constructor takes: the name of an option is as good as the option, and becomes it.
        def __init__(
            self,
            *,
            text: str,
            channel: str | None = ...,
            priority: Priority | PriorityName = ...,
            require_ack: bool = ...,
            ack_prompt: str | None = ...,
            snooze_allowed: bool = ...,
            max_retries: int = ...,
            user_id: str | None = ...,
            max_ack_reminders: int = ...,
            via: str | None = ...,
        ) -> None: ...

    def __post_init__(self) -> None:
        object.__setattr__(self, "priority", choice(Priority, self.priority, "priority"))
        _not_empty("message", self.text)
        for name in ("require_ack", "snooze_allowed"):
            yes_or_no(name, getattr(self, name))
        at_least("max_retries", self.max_retries, 0)
        at_least("max_ack_reminders", self.max_ack_reminders, 0)
        for name in ("channel", "ack_prompt", "user_id", "via"):
            object.__setattr__(self, name, _or_none(name, getattr(self, name)))

    @property
    def handler(self) -> str:
        return "message"


Action = Job | Prompt | Message


def _or_none(name: str, value: object) -> str | None:
    """Text, or None when there is nothing in it."""
    if value is not None and not isinstance(value, str):
        raise InvalidInputError(f"{name} must be text, got {value!r}")
    return value if value and value.strip() else None


def _not_empty(name: str, value: object) -> None:
    if not isinstance(value, str) or not value.strip():
        raise InvalidInputError(f"{name} must not be empty, got {value!r}")


def _amount(name: str, value: object) -> None:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if value is not None and not (number and 0 < float(value) < float("inf")):  # type: ignore[arg-type]  # it is one
        raise InvalidInputError(f"{name} must be an amount above 0 in US dollars, got {value!r}")
