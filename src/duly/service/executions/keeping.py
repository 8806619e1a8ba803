"""What is kept of a worker's report: its lines, its result and its error, masked and within bounds."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from duly.agents.transcript import cut
from duly.engine.outcomes import encode_result, printable
from duly.outbound.masking import Mask
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
    token: str,
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
    written = [write_line(now, each.kind, cut(text)) for each, text in zip(fresh, _masked(fresh, token), strict=True)]
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


def _masked(lines: Sequence[ReportedLine], token: str) -> list[str]:
    """Mask the token in the texts as one, because a secret may go over several lines; give as many lines as there were.

    A line break within a line becomes a space. The lines in which a secret went on are empty.
    """
    if not lines:
        return []
    texts = [each.text.replace("\r\n", " ").replace("\n", " ") for each in lines]
    stream = Mask((token,)).stream()
    masked = [stream.feed(f"{text}\n".encode("utf-8", "replace")) for text in texts]
    found = (b"".join(masked) + stream.end()).decode("utf-8", "replace").split("\n")[: len(texts)]
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


def kept_result(value: Any) -> str | None:
    """Give the JSON of a result; of one that is too long or too deep its description, as for a job here."""
    if _is_too_deep(value):
        value = {"repr": f"<lists and objects more than {_DEEPEST} deep inside one another>"}
    return encode_result(value)


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


def kept_error(text: str, secrets: Mask) -> str:
    """Give the beginning of an error, as the history shows it."""
    return secrets.text(printable(text))[:_LONGEST_ERROR]


def kept_traceback(text: str, secrets: Mask) -> str:
    """Give the end of a traceback, which tells most."""
    return secrets.text(printable(text))[-_LONGEST_ERROR:]
