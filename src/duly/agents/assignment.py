"""One prompt for one target: what is asked for, what came of it, and what can go wrong."""

from __future__ import annotations

import json
import math
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from duly.errors import DulyError
from duly.model.action import Target
from duly.ports.dispatch import RunContext
from duly.ports.records import Claimed

Started = Callable[[int | None, str | None], Awaitable[None]]
"""Told once it runs: the process, if there is one, and the session, if it is known."""


_LARGEST_USAGE = 8_000  # characters as JSON
_DEEPEST_USAGE = 20  # of objects and lists in each other; what is deeper tells nobody anything


class PromptError(DulyError):
    """A prompt that could not be carried out; it may have cost something all the same.

    The message may quote the agent. `summary` says the same without its words.
    """

    def __init__(
        self,
        message: str,
        *,
        session_id: str | None = None,
        cost_usd: float | None = None,
        summary: str | None = "the agent failed",
    ) -> None:
        super().__init__(message)
        self.session_id = session_id
        self.cost_usd = cost_usd
        self.summary = summary


class PromptFailedError(DulyError):
    """Some targets of a run failed; the others were carried out."""

    def __init__(self, message: str, summary: str) -> None:
        super().__init__(message)
        self.summary = summary


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
    heard: Callable[[str | None, float | None], None]
    """Told the session and the cost as soon as the tool has named them: it may never come to an end."""
    lost: Callable[[str, str], None]
    """Told why a new session is started although there was one to go on with: in the agent's words, and without."""

    @property
    def trigger_source(self) -> str:
        return self.context.trigger_source

    @property
    def key(self) -> str:
        """Names this piece of work over every attempt."""
        return f"{self.context.key}#{target_name(self.target)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """How it ended, if it ended well; in words and numbers that every store can keep, whatever the tool said."""

    text: str | None = None
    session_id: str | None = None
    cost_usd: float | None = None
    usage: Any = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "text", None if self.text is None else _whole(self.text))
        object.__setattr__(self, "usage", _usage(self.usage))


def amount(value: object) -> float | None:
    """A cost as a tool tells it; what is no amount of money is not counted."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        cost = float(value)
    except OverflowError:
        return None
    return cost if math.isfinite(cost) and cost >= 0 else None


def _whole(text: str) -> str:
    """Without halves of characters, which JSON can carry and no database can."""
    return text.encode("utf-8", "replace").decode()


def _usage(value: Any) -> Any:
    try:
        usage = _storable(value, _DEEPEST_USAGE)
        return usage if len(json.dumps(usage)) <= _LARGEST_USAGE else None
    except (RecursionError, ValueError):  # numbers can be too long to be written, too
        return None


def _storable(value: Any, depth: int) -> Any:
    if isinstance(value, Mapping | list | tuple) and depth == 0:
        raise RecursionError("nested too deeply to be kept")
    if isinstance(value, Mapping):
        return {_whole(str(key)): _storable(item, depth - 1) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_storable(item, depth - 1) for item in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, int) else _whole(str(value))


def target_key(target: Target | None) -> tuple[str, str]:
    """A target as stores know it; no target has empty names."""
    return ("", "") if target is None else (target.project_id, target.workspace_id or "")


def target_name(target: Target | None) -> str:
    """A target as people read it."""
    return "/".join(filter(None, target_key(target)))
