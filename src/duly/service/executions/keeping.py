"""What is kept of a worker's report: its lines, its result and its error, masked and within bounds."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from duly.agents.transcript import cut
from duly.engine.outcomes import encode_result, printable
from duly.outbound.masking import Mask, with_quoted_numbers
from duly.ports.executors import ReportedLine
from duly.ports.run_history import LARGEST_PIECE, KeptOutput, OutputPiece, RunHistory, write_line

MOST_LINES = 1000
"""Lines of one report."""
KEPT_OUTPUT = 1024 * 1024
"""Bytes of the output of an attempt that are kept, half of them from the beginning."""
_TARGET = ""
_LONGEST_ERROR = 4000
_DEEPEST = 100


async def keep_lines(
    history: RunHistory,
    run_id: str,
    attempt: int,
    lines: Sequence[ReportedLine],
    now: datetime,
    *,
    masks: Sequence[Mask],
    before: int | None,
    ends: bool,
) -> int:
    """Add lines to the output of an attempt; returns how many of the worker's lines there are now.

    `before` is how many the worker had sent before these: what was kept already, because the worker repeats a report
    whose answer it did not get, is not kept again. `ends` says that none will follow.
    """
    known = next(
        (each for each in await history.outputs(run_id) if (each.attempt, each.target) == (attempt, _TARGET)), None
    )
    total = known.total if known else 0
    count = known.lines if known else 0
    fresh = list(lines if before is None else lines[max(0, count - before) :])
    if not fresh and not (ends and known is not None and not known.complete):
        return count
    written = [write_line(now, each.kind, cut(text)) for each, text in zip(fresh, _masked(fresh, masks), strict=True)]
    pieces = _pieces(total, written)
    kept = KeptOutput(
        run_id=run_id,
        attempt=attempt,
        target=_TARGET,
        total=total + sum(each.size for each in pieces),
        lines=count + len(fresh),
        complete=ends,
        kept_limit=KEPT_OUTPUT,
    )
    await history.append([(kept, piece) for piece in pieces] or [(kept, None)])
    return kept.lines


def _masked(lines: Sequence[ReportedLine], masks: Sequence[Mask]) -> list[str]:
    """Mask secrets in the texts as one, because a secret may go over several lines; give as many lines as there were.

    A line break within a line becomes a space. The lines in which a secret went on are empty.
    """
    if not lines:
        return []
    texts = [each.text.replace("\r\n", " ").replace("\n", " ") for each in lines]
    whole = "".join(f"{text}\n" for text in texts).encode("utf-8", "replace").decode()
    found = masked(whole, masks).split("\n")[: len(texts)]
    return [*found, *[""] * (len(texts) - len(found))]


def _pieces(start: int, lines: Sequence[str]) -> list[OutputPiece]:
    """Put lines into pieces that are not too large, which follow each other."""
    pieces: list[OutputPiece] = []
    for line in lines:
        size = len(line.encode())
        last = pieces[-1] if pieces else None
        if last is not None and last.size + size <= LARGEST_PIECE:
            pieces[-1] = OutputPiece(start=last.start, size=last.size + size, text=last.text + line)
        else:
            begins = start if last is None else last.start + last.size
            pieces.append(OutputPiece(start=begins, size=size, text=line))
    return pieces


def masked(text: str, masks: Sequence[Mask]) -> str:
    """Replace secrets in a text."""
    for each in masks:
        text = each.text(text)
    return text


def masked_json(text: str, secrets: Mask) -> str:
    """Replace secrets in JSON; what is left is JSON."""
    return with_quoted_numbers(secrets.text(text))


def kept_result(value: Any, secrets: Mask) -> str | None:
    """Give the JSON of a result; of one that is too long or too deep its description, as for a job here."""
    if _is_too_deep(value):
        value = {"repr": f"<lists and objects more than {_DEEPEST} deep inside one another>"}
    encoded = encode_result(value)
    return None if encoded is None else masked_json(encoded, secrets)


def _is_too_deep(value: Any) -> bool:
    level = [value]
    for _ in range(_DEEPEST):
        level = [inner for each in level for inner in _inside(each)]
        if not level:
            return False
    return True


def _inside(value: Any) -> list[Any]:
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [each for each in parts if isinstance(each, dict | list)]


def kept_error(text: str, masks: Sequence[Mask]) -> str:
    """Give the beginning of an error, as the history shows it."""
    return masked(printable(text), masks)[:_LONGEST_ERROR]


def kept_traceback(text: str, masks: Sequence[Mask]) -> str:
    """Give the end of a traceback, which tells most."""
    return masked(printable(text), masks)[-_LONGEST_ERROR:]
