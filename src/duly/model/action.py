"""The action of a schedule: a job to run, a prompt for an agent, or a message for a person."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Literal

from duly.errors import InvalidInputError
from duly.model.checks import amount, at_least, choice, not_empty, text_or_none, within, yes_or_no
from duly.model.sessions import as_stored, is_session

MINUTES_OF_DAY = 1440
MOST_LEADS = 5
LONGEST_LEAD = 60 * MINUTES_OF_DAY
MOST_PEOPLE = 20
MOST_PRIORITY = 255
"""RabbitMQ's; Redis has ten steps of it."""
LONGEST_AGAIN = 3660 * MINUTES_OF_DAY
"""Ten years."""


class SessionBehavior(StrEnum):
    """Whether an agent continues its last session."""

    RESUME = "resume"
    NEW = "new"


class Priority(StrEnum):
    """How important a message is: it decides about quiet hours and escalation."""

    LOW = "low"
    NORMAL = "normal"
    HIGH = "high"
    CRITICAL = "critical"


class WantsAnswer(StrEnum):
    """For which reminders that a person asks for in a chat duly wants an answer, if they do not say it."""

    MEDICINE = "medicine"
    ALWAYS = "always"
    NEVER = "never"


class AnsweredBy(StrEnum):
    """Whose answer ends a reminder for several people."""

    FIRST = "first"
    EVERYONE = "everyone"


SessionBehaviorName = Literal["resume", "new"]
PriorityName = Literal["low", "normal", "high", "critical"]
AnsweredByName = Literal["first", "everyone"]


@dataclass(frozen=True, slots=True)
class Job:
    """A registered function and its arguments, or a task of an executor, which carries it out elsewhere."""

    name: str
    args: Mapping[str, Any] = field(default_factory=dict)
    executor: str | None = None
    """Who carries it out; None is this process."""
    positional: tuple[Any, ...] = ()
    """Arguments without names, for tasks of an executor."""
    queue: str | None = None
    """The queue of the executor; None means the one it would choose."""
    task_priority: int | None = None
    """The priority within the queue, as the executor counts it."""

    def __post_init__(self) -> None:
        not_empty("job", self.name)
        if self.executor is None and self.positional == () and self.queue is None and self.task_priority is None:
            return
        if self.executor is None:
            raise InvalidInputError(
                "positional, queue and task_priority mean something only with an executor: name one"
            )
        for name in ("executor", "queue"):
            if getattr(self, name) is not None:
                not_empty(name, getattr(self, name))
        if self.task_priority is not None:
            within("task_priority", self.task_priority, 0, MOST_PRIORITY)
        given: object = self.positional
        if isinstance(given, str) or not isinstance(given, Iterable):
            raise InvalidInputError(f'positional must be a list of values such as ["a", 1], got {given!r:.100}')
        object.__setattr__(self, "positional", tuple(given))

    @property
    def handler(self) -> str:
        return f"job:{self.name}" if self.executor is None else f"executor:{self.executor}"


@dataclass(frozen=True, slots=True)
class Target:
    """Where a prompt runs: a project, and a workspace of it; None is the default workspace."""

    project_id: str
    workspace_id: str | None = None

    def __post_init__(self) -> None:
        not_empty("project_id", self.project_id)
        object.__setattr__(
            self, "workspace_id", self.workspace_id or None
        )  # "" means the default, too: equal targets must be equal values


def _checked_session(session: object, behavior: SessionBehavior) -> str:
    named = as_stored(session) if isinstance(session, str) else ""
    if not is_session(named):
        raise InvalidInputError(f"session must be the id of a session, or of a run (run_…), got {session!r:.100}")
    if behavior is SessionBehavior.NEW:
        raise InvalidInputError("session means nothing with session_behavior 'new': leave one of them out")
    return named


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """Text for an agent, once per target."""

    text: str
    targets: tuple[Target, ...] = ()
    session_behavior: SessionBehavior = SessionBehavior.RESUME
    spawner: str = "default"
    gate: str | None = None
    """The name of a configured command that decides before each run whether there is anything to do."""
    model: str | None = None
    session: str | None = None
    """The session to begin with: its id, or the id of a run whose session at the same target is meant."""
    max_cost_per_run: float | None = None
    """US dollars, over all targets and attempts."""
    max_cost_per_day: float | None = None
    """US dollars within any 24 hours, over all runs of the schedule."""

    if TYPE_CHECKING:
        # The generated constructor also takes the name of an option; `__post_init__` turns it into the option.
        def __init__(
            self,
            *,
            text: str,
            targets: tuple[Target, ...] = ...,
            session_behavior: SessionBehavior | SessionBehaviorName = ...,
            spawner: str = ...,
            gate: str | None = ...,
            model: str | None = ...,
            session: str | None = ...,
            max_cost_per_run: float | None = ...,
            max_cost_per_day: float | None = ...,
        ) -> None: ...

    def __post_init__(self) -> None:
        behavior = choice(SessionBehavior, self.session_behavior, "session_behavior")
        object.__setattr__(self, "session_behavior", behavior)
        not_empty("prompt", self.text)
        not_empty("spawner", self.spawner)
        for name in ("gate", "model"):
            if getattr(self, name) is not None:
                not_empty(name, getattr(self, name))
        if self.session is not None:
            object.__setattr__(self, "session", _checked_session(self.session, self.session_behavior))
        for name in ("max_cost_per_run", "max_cost_per_day"):
            if getattr(self, name) is not None:
                amount(name, getattr(self, name))
        if len(set(self.targets)) < len(self.targets):
            raise InvalidInputError("targets must not repeat: each project and workspace may be named once")

    @property
    def handler(self) -> str:
        return f"prompt:{self.spawner}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """A text for a person."""

    text: str
    channel: str | None = None
    """The channel to try first; None means `via`, and without `via` the person's own order."""
    priority: Priority = Priority.NORMAL
    require_ack: bool = False
    ack_prompt: str | None = None
    snooze_allowed: bool = True
    max_retries: int = 3
    """How often all channels are tried again after every one of them has failed."""
    user_id: str | None = None
    """The person it is for; None means the owner of the schedule's namespace."""
    max_ack_reminders: int = 3
    """How often it is delivered again while the person has not answered."""
    via: str | None = None
    """The channel on which the person asked for the reminder."""
    nag_minutes: int = 10
    """After so many minutes without an answer it is delivered again."""
    lead_minutes: tuple[int, ...] = ()
    """So many minutes ahead the person hears that it is coming, the longest first; that wants no answer."""
    again_after_minutes: int | None = None
    """So long after it was answered, or given up, it comes again."""
    shared_with: tuple[str, ...] = ()
    """The ids of other people who get it as well."""
    answered_by: AnsweredBy = AnsweredBy.FIRST
    """Of a shared one: whether the first answer ends it for all, or each person has to answer."""

    if TYPE_CHECKING:
        # The generated constructor also takes the name of an option; `__post_init__` turns it into the option.
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
            nag_minutes: int = ...,
            lead_minutes: Iterable[int] = ...,
            again_after_minutes: int | None = ...,
            shared_with: Iterable[str] = ...,
            answered_by: AnsweredBy | AnsweredByName = ...,
        ) -> None: ...

    def __post_init__(self) -> None:
        object.__setattr__(self, "priority", choice(Priority, self.priority, "priority"))
        not_empty("message", self.text)
        for name in ("require_ack", "snooze_allowed"):
            yes_or_no(name, getattr(self, name))
        at_least("max_retries", self.max_retries, 0)
        at_least("max_ack_reminders", self.max_ack_reminders, 0)
        within("nag_minutes", self.nag_minutes, 1, MINUTES_OF_DAY)
        self._check_times()
        for name in ("channel", "ack_prompt", "user_id", "via"):
            object.__setattr__(self, name, text_or_none(name, getattr(self, name)))
        self._check_people()

    def _check_people(self) -> None:
        object.__setattr__(self, "answered_by", choice(AnsweredBy, self.answered_by, "answered_by"))
        people: object = self.shared_with
        if isinstance(people, str) or not isinstance(people, Iterable):
            raise InvalidInputError(f'shared_with must be a list of people such as ["bob"], got {people!r:.100}')
        others = list(dict.fromkeys(people))
        for each in others:
            not_empty("shared_with", each)
        if len(others) > MOST_PEOPLE:
            raise InvalidInputError(f"shared_with takes at most {MOST_PEOPLE} people, got {len(others)}")
        object.__setattr__(self, "shared_with", tuple(each for each in others if each != self.user_id))

    def _check_times(self) -> None:
        leads: object = self.lead_minutes
        if isinstance(leads, str) or not isinstance(leads, Iterable):
            raise InvalidInputError(f"lead_minutes must be a list of minutes such as [60, 10], got {leads!r}")
        found = list(leads)
        for each in found:
            within("lead_minutes", each, 1, LONGEST_LEAD)
        ordered = tuple(sorted(set(found), reverse=True))
        if len(ordered) > MOST_LEADS:
            raise InvalidInputError(f"lead_minutes takes at most {MOST_LEADS} times, got {len(ordered)}")
        object.__setattr__(self, "lead_minutes", ordered)
        if self.again_after_minutes is not None:
            within("again_after_minutes", self.again_after_minutes, 1, LONGEST_AGAIN)

    @property
    def is_shared(self) -> bool:
        """Whether several people get it."""
        return bool(self.shared_with)

    def people(self, owner: str) -> tuple[str, ...]:
        """Give the ids of all whom it is for: first its own person, or the owner of its namespace."""
        own = self.user_id or owner
        return (own, *(each for each in self.shared_with if each != own))

    def for_one(self, user_id: str) -> Message:
        """Give the same message for one person only."""
        return replace(self, user_id=user_id, shared_with=(), answered_by=AnsweredBy.FIRST)

    @property
    def handler(self) -> str:
        return "message"


Action = Job | Prompt | Message
