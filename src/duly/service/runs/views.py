"""A run as its own page shows it: attempts, targets, output, prompt, deliveries and answers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from duly.ports.run_history import GATE_TARGET, KeptOutput
from duly.service.executors.views import HandoverView
from duly.service.reminders.deliveries import AnswerView, DeliveryView
from duly.service.schedules.run_views import RunView, TargetRunView


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptView:
    """One attempt of a run."""

    number: int
    status: str
    """`running`, `succeeded`, `failed`, `lost` (with its process), `skipped`, `cancelled` or `dead`."""
    started_at: datetime | None = None
    ended_at: datetime | None = None
    node_id: str | None = None
    """The engine that carried it out; kept of attempts that failed or were lost."""
    error: str | None = None
    waited_seconds: float | None = None
    """How long the run waited between the attempt before and this one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetDetail(TargetRunView):
    """The outcome of a run at one target, with what its page needs beside that."""

    target: str = ""
    """Its name, as `output` takes it: `""`, `shop` or `shop/main`."""
    started_at: datetime | None = None
    finished_at: datetime | None = None
    agent: str | None = None
    """The spawner and the program behind it."""
    model: str | None = None
    usage: Any = None
    resume_command: str | None = None
    """The command with which a person goes on with the session in a terminal."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputInfo:
    """How much output there is of an attempt at a target."""

    attempt: int
    target: str
    """`""` without targets, `shop`, `shop/main`, or `gate`."""
    bytes: int
    """All that was printed; offsets count up to this."""
    lines: int
    complete: bool
    """Whether nothing more comes."""
    kept_limit: int
    """How many bytes are kept, from the beginning and from the end."""
    left_out: int = 0
    """How many bytes in the middle were not kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputLine:
    """One line of output."""

    at: datetime
    kind: str
    """`text`, `command`, `warning`, `error` or `note`."""
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputChunk:
    """A part of an output. The next part begins at `next_offset`; while it is not complete, more may come there."""

    attempt: int
    """The attempt and the target that printed it: those that were asked for, or that were chosen."""
    target: str
    text: str
    """The lines, each with its time: `2027-03-26T13:31:24Z $ gh issue view 482`."""
    lines: list[OutputLine]
    offset: int
    """Where it begins; later than asked for where the middle was not kept."""
    next_offset: int
    complete: bool
    """Whether the output ends at `next_offset`."""
    total: int
    left_out: int = 0
    """How many bytes before this part, from the offset asked for, were not kept."""


def printing(outputs: Iterable[KeptOutput | OutputInfo], attempt: int) -> str:
    """Choose the target whose output is shown where none is named: one that prints, rather an agent than the gate."""
    of_attempt = [each for each in outputs if each.attempt == attempt]
    of_attempt.sort(key=lambda each: (each.target == GATE_TARGET, each.complete))
    return next((each.target for each in of_attempt), "")


@dataclass(frozen=True, slots=True, kw_only=True)
class RunDuration:
    """How long an earlier run of the schedule took, in its last attempt."""

    run_id: str
    status: str
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class RunDetail:
    """Everything about a run."""

    run: RunView
    kind: str
    """`agent`, `job` or `person`."""
    key: str
    """The same in every attempt; jobs, agents and webhooks get it."""
    owner: str | None = None
    """The engine that carries it out now."""
    lost: int = 0
    """How many attempts ended with their process."""
    cancel_requested: bool = False
    max_attempts: int | None = None
    """None sets no limit."""
    attempts: list[AttemptView] = field(default_factory=list)
    targets: list[TargetDetail] = field(default_factory=list)
    handovers: list[HandoverView] = field(default_factory=list)
    """Of a run that an executor carries out: each attempt there, the first one first."""
    hidden: bool = False
    """Whether output, errors and the prompt are hidden, because the caller may not see all of its targets."""
    prompt: str | None = None
    """As it was sent, with the lines of the gate."""
    gate_lines: list[str] = field(default_factory=list)
    agent: str | None = None
    model: str | None = None
    budget_usd: float | None = None
    spent_usd: float | None = None
    spent_today_usd: float | None = None
    """By all runs of the schedule, within 24 hours."""
    limit_today_usd: float | None = None
    previous_id: str | None = None
    next_id: str | None = None
    usually_seconds: float | None = None
    """The median of the last runs that succeeded."""
    expected_end: datetime | None = None
    durations: list[RunDuration] = field(default_factory=list)
    """Of the last 30 runs that were carried out, oldest first."""
    traceback: str | None = None
    """Of a job whose last attempt failed: its end, where it is long."""
    message: str | None = None
    """The text of a reminder."""
    question: str | None = None
    """What a message asks."""
    reminder_status: str | None = None
    """Of the caller, if it is theirs, or of its first person: awaiting_ack, snoozed, acked, unacked …"""
    takes_answer: bool = False
    """Whether the reminder takes an answer now, a late one included."""
    deliveries: list[DeliveryView] = field(default_factory=list)
    answers: list[AnswerView] = field(default_factory=list)
    outputs: list[OutputInfo] = field(default_factory=list)
