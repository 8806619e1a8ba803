"""The interface for what is kept beside a run: its failed attempts, its output, and how the runs around it went."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Protocol

from duly.model.run import Fire


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptRecord:
    """An attempt that failed, or that was lost with its process."""

    run_id: str
    fence: int
    attempt: int
    status: str
    """`failed` or `lost`."""
    started_at: datetime | None
    ended_at: datetime
    node_id: str | None
    error: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptOutput:
    """How much output there is of an attempt at a target."""

    run_id: str
    attempt: int
    target: str
    total: int
    """Bytes that were printed."""
    lines: int
    complete: bool
    kept_limit: int
    """Bytes that are kept, half of them from the beginning."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputPiece:
    """Some whole lines of an output, as they were kept."""

    start: int
    """How many bytes were printed before."""
    size: int
    """Bytes of the text in UTF-8."""
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """When a run began and ended."""

    run_id: str
    status: str
    started_at: datetime
    finished_at: datetime


class LineKind(StrEnum):
    """The kinds of lines."""

    TEXT = "text"
    COMMAND = "command"
    """What an agent does: a command line, or a tool with its arguments."""
    WARNING = "warning"
    ERROR = "error"
    NOTE = "note"
    """What duly or the tool says about itself."""


_MARKS = {
    LineKind.TEXT: " ",
    LineKind.COMMAND: "$",
    LineKind.WARNING: "!",
    LineKind.ERROR: "x",
    LineKind.NOTE: "#",
}
_KINDS = {mark: kind for kind, mark in _MARKS.items()}
_AT = len("2027-03-26T13:31:24.123Z")


def write_line(at: datetime, kind: LineKind, text: str) -> str:
    """Write a line as outputs keep it: its time, the mark of its kind, and its text, which must be a single line."""
    moment = at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return f"{moment}{_MARKS[kind]}{text}\n"


def read_line(kept: str) -> tuple[datetime | None, LineKind, str]:
    """Read a kept line; one that was kept otherwise is text without a time."""
    try:
        at = datetime.fromisoformat(kept[:_AT])
    except ValueError:
        return None, LineKind.TEXT, kept
    return at, _KINDS.get(kept[_AT : _AT + 1], LineKind.TEXT), kept[_AT + 1 :]


GATE_TARGET = "gate"
"""The name under which the output of a gate is kept."""
LARGEST_PIECE = 32 * 1024
"""Bytes of the largest piece: a reader need not look further back for the piece that holds an offset."""


class RunHistory(Protocol):
    """What a store keeps beside its runs; it goes when the run goes."""

    async def attempts(self, run_id: str) -> list[AttemptRecord]:
        """Return the attempts that failed or were lost, oldest first; a store writes them when it settles them."""
        ...

    async def append(self, outputs: Sequence[tuple[KeptOutput, OutputPiece | None]]) -> None:
        """Keep more of some outputs, in one transaction; the pieces in the middle that are too many are dropped.

        A piece that starts at 0 replaces what there is of the same attempt at the target. Does nothing for a run that
        is gone.
        """
        ...

    async def outputs(self, run_id: str) -> list[KeptOutput]:
        """Return how much output there is, in order of attempts and targets."""
        ...

    async def kept_bytes(self, run_id: str, attempt: int, target: str) -> int:
        """Return how many bytes of an output are kept."""
        ...

    async def pieces(self, run_id: str, attempt: int, target: str, offset: int, limit: int) -> list[OutputPiece]:
        """Return kept pieces that end after an offset, in order: the first, and those that begin within `limit`."""
        ...

    async def neighbours(self, fire: Fire) -> tuple[str | None, str | None]:
        """Return the ids of the runs that belong to the fires of the schedule before and after one."""
        ...

    async def finished(self, fire: Fire, limit: int) -> list[Finished]:
        """Return the latest runs of the schedule up to a fire that were carried out and have ended, latest first.

        Only a bounded number of runs is looked at.
        """
        ...
