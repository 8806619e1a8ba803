"""Parts of an output: whole lines from an offset on, each with its time and kind."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from duly.ports.run_history import KeptOutput, LineKind, OutputPiece, read_line
from duly.service.runs.views import OutputChunk, OutputLine
from duly.zones import iso

_NO_TIME = datetime.fromtimestamp(0, UTC)


def chunk(output: KeptOutput, pieces: Sequence[OutputPiece], offset: int, limit: int, *, over: bool) -> OutputChunk:
    """Cut lines out of kept pieces: at least one, and more as long as they follow each other within `limit` bytes.

    An offset in the middle of a line goes on with the line after it. `over` says that nothing more comes.
    """
    total = output.total
    taken: list[tuple[int, str]] = []
    begin = place = min(offset, total)
    for at, line in _lines(pieces):
        if at < offset:
            continue
        end = at + len(line.encode())
        if not taken:
            begin = at
        elif at != place or end - begin > limit:  # the middle was not kept, or the part is long enough
            break
        taken.append((at, line))
        place = end
    else:
        place = place if taken else total
    shown = [_shown(line) for _, line in taken]
    return OutputChunk(
        attempt=output.attempt,
        target=output.target,
        text="".join(f"{iso(each.at.replace(microsecond=0))} {each.text}\n" for each in shown),
        lines=shown,
        offset=begin,
        next_offset=place,
        complete=over and place >= total,
        total=total,
        left_out=begin - min(offset, total),
    )


def _lines(pieces: Sequence[OutputPiece]) -> Iterator[tuple[int, str]]:
    for piece in pieces:
        at = piece.start
        for line in piece.text.removesuffix("\n").split("\n"):
            yield at, f"{line}\n"
            at += len(line.encode()) + 1


def _shown(kept: str) -> OutputLine:
    at, kind, text = read_line(kept.removesuffix("\n"))
    return OutputLine(at=at or _NO_TIME, kind=str(kind), text=f"$ {text}" if kind is LineKind.COMMAND else text)
