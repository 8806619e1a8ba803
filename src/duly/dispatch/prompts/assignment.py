"""One prompt for one target: what is asked for, what came of it, and what can go wrong."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from duly.errors import DulyError
from duly.model.action import Target
from duly.ports.dispatch import RunContext
from duly.ports.records import Claimed

Started = Callable[[int | None, str | None], Awaitable[None]]
"""Told once it runs: the process, if there is one, and the session, if it is known."""


def _unheard(_session: str) -> None:
    pass


class PromptError(DulyError):
    """A prompt that could not be carried out; it may have cost something all the same."""

    def __init__(self, message: str, *, session_id: str | None = None, cost_usd: float | None = None) -> None:
        super().__init__(message)
        self.session_id = session_id
        self.cost_usd = cost_usd


class PromptFailedError(DulyError):
    """Some targets of a run failed; the others were carried out."""


class PromptRefusedError(DulyError):
    """Whoever made the schedule may not run it any more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Assignment:
    """What to carry out."""

    run: Claimed
    context: RunContext
    target: Target | None
    directory: Path
    prompt: str
    session_id: str | None = None
    """The session to go on with."""
    model: str | None = None
    max_cost: float | None = None
    started: Started
    named: Callable[[str], None] = _unheard
    """Told the session as soon as the tool has named it."""

    @property
    def trigger_source(self) -> str:
        return f"schedule:{self.run.name}"

    @property
    def key(self) -> str:
        """Names this piece of work over every attempt."""
        return f"{self.context.key}#{target_name(self.target)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """How it ended, if it ended well."""

    text: str | None = None
    session_id: str | None = None
    cost_usd: float | None = None
    usage: Any = None
    fallback: str | None = None
    """Why a new session was started although there was one to go on with."""


def target_key(target: Target | None) -> tuple[str, str]:
    """A target as stores know it; no target has empty names."""
    return ("", "") if target is None else (target.project_id, target.workspace_id or "")


def target_name(target: Target | None) -> str:
    """A target as people read it."""
    return "/".join(filter(None, target_key(target)))
