"""One prompt for one target: the request to an agent, its answer, and the errors."""

from __future__ import annotations

import json
import math
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from duly.errors import DulyError, RunFailedError
from duly.model.action import Target
from duly.outbound.masking import Mask
from duly.ports.dispatch import RunContext
from duly.ports.records import Claimed
from duly.ports.run_history import LineKind
from duly.ports.targets import TargetRun

OnStart = Callable[[int | None, str | None], Awaitable[None]]
"""Called once an agent runs: with the pid, if there is a process, and the session, if it is known."""

_LARGEST_USAGE = 8_000  # characters as JSON
_DEEPEST_USAGE = 20  # objects and lists within each other


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentEnd:
    """How an agent ended that failed, for finding out whether its usage window is spent. Never stored or shown."""

    said: str
    """Its complaint, in full."""
    limit: object = None
    """The value at `limit_path`."""
    worked: bool = False
    """Whether it had begun to work on the prompt."""


class PromptError(DulyError):
    """A prompt that could not be carried out; it may have cost money all the same.

    The message may quote the agent. `summary` says the same without the agent's words.
    """

    def __init__(
        self,
        message: str,
        *,
        session_id: str | None = None,
        cost_usd: float | None = None,
        summary: str | None = "the agent failed",
        end: AgentEnd | None = None,
    ) -> None:
        super().__init__(message)
        self.session_id = session_id
        self.cost_usd = cost_usd
        self.summary = summary
        self.end = AgentEnd(said=message) if end is None else end

    def without(self, secrets: Mask) -> PromptError:
        """Return the same error with secrets replaced."""
        return PromptError(
            secrets.text(str(self)),
            session_id=session_without(secrets, self.session_id),
            cost_usd=self.cost_usd,
            summary=self.summary,
            end=self.end,
        )


class PromptFailedError(DulyError):
    """Some targets of a run failed; the others were carried out."""

    def __init__(self, message: str, summary: str) -> None:
        super().__init__(message)
        self.summary = summary


class LimitTooLongError(RunFailedError):
    """The usage limit of an agent resets too late for the run to wait. Trying again before is of no use."""

    def __init__(self, message: str, summary: str) -> None:
        super().__init__(message)
        self.summary = summary


@dataclass(frozen=True, slots=True, kw_only=True)
class Assignment:
    """A prompt for an agent at a target."""

    run: Claimed
    context: RunContext
    target: Target | None
    directory: Path
    prompt: str
    session_id: str | None = None
    """The session to continue."""
    note: str | None = None
    """What that session gets instead of the prompt, which it has begun to work on."""
    model: str | None = None
    max_cost: float | None = None
    started: OnStart
    heard: Callable[[str | None, float | None], None]
    """Called with the session and the cost as soon as the tool has named them, because it may never end."""
    lost: Callable[[str, str], None]
    """Called with the reason why a session cannot be continued: in the agent's words, and without them."""
    said: Callable[[LineKind, str], None]
    """Called with every line that the tool prints for people, while it prints them."""
    uses: Callable[[str], None]
    """Called with the model that the tool says it uses."""

    @property
    def trigger_source(self) -> str:
        return self.context.trigger_source

    @property
    def key(self) -> str:
        """The same in every attempt of the run at the target."""
        return f"{self.context.key}#{target_name(self.target)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentAnswer:
    """The answer of an agent, reduced to text and numbers that every store can keep."""

    text: str | None = None
    session_id: str | None = None
    cost_usd: float | None = None
    usage: Any = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "text", None if self.text is None else _encodable(self.text))
        object.__setattr__(self, "usage", _bounded_usage(self.usage))

    def without(self, secrets: Mask) -> AgentAnswer:
        """Return the same answer with secrets replaced."""
        return replace(
            self,
            text=None if self.text is None else secrets.text(self.text),
            session_id=session_without(secrets, self.session_id),
            usage=secrets.all(self.usage),
        )


def session_without(secrets: Mask, session_id: str | None) -> str | None:
    """Return a session that an agent has named; None if its name contains a secret: it would be stored and shown."""
    return None if session_id is None or secrets.text(session_id) != session_id else session_id


def amount(value: object) -> float | None:
    """Return a cost that an agent reports; None for a value that is no amount of money."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        cost = float(value)
    except OverflowError:
        return None
    return cost if math.isfinite(cost) and cost >= 0 else None


def _encodable(text: str) -> str:
    """Replace lone surrogates, which JSON can carry and no database can."""
    return text.encode("utf-8", "replace").decode()


def _bounded_usage(value: Any) -> Any:
    try:
        usage = _storable(value, _DEEPEST_USAGE)
        return usage if len(json.dumps(usage)) <= _LARGEST_USAGE else None
    except (RecursionError, ValueError):  # Python refuses to write integers of thousands of digits
        return None


def _storable(value: Any, depth: int) -> Any:
    if isinstance(value, Mapping | list | tuple) and depth == 0:
        raise RecursionError("nested too deeply to be kept")
    if isinstance(value, Mapping):
        return {_encodable(str(key)): _storable(item, depth - 1) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_storable(item, depth - 1) for item in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, int) else _encodable(str(value))


def target_key(target: Target | None) -> tuple[str, str]:
    """Return project and workspace of a target as stores key them; empty names stand for no target."""
    return ("", "") if target is None else (target.project_id, target.workspace_id or "")


def target_name(target: Target | TargetRun | None) -> str:
    """Return the name of a target for people: `project`, or `project/workspace`."""
    key = (target.project_id, target.workspace_id) if isinstance(target, TargetRun) else target_key(target)
    return "/".join(filter(None, key))
