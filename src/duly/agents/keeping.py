"""Keeps what a run prints: in the store, in batches of at most one a second, and within bounds."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Self

from duly.agents.transcript import Said, cut
from duly.clock import Clock
from duly.jobs.waiting import uninterrupted
from duly.ports.run_history import LARGEST_PIECE, KeptOutput, LineKind, OutputPiece, RunHistory, write_line

_BATCH_SECONDS = 1.0
_log = logging.getLogger(__name__)


class OutputStream:
    """The output of an attempt at one target: lines that are not written yet, and how many there were."""

    def __init__(self, target: str, limit: int, clock: Clock, changed: Callable[[], None]) -> None:
        self.target = target
        self.limit = limit
        self.total = 0
        self.lines = 0
        self.has_text = False
        """Whether the agent has said anything."""
        self._clock = clock
        self._changed = changed
        self._head: list[OutputPiece] = []
        self._tail: deque[OutputPiece] = deque()
        self.is_new = False
        """Whether there is something that is not written yet."""

    def say(self, kind: LineKind, text: str) -> None:
        """Add a line, with the time of now."""
        line = write_line(self._clock.now(), kind, cut(text))
        size = len(line.encode())
        piece = OutputPiece(start=self.total, size=size, text=line)
        self.total += size
        self._wait(piece)
        self.lines += 1
        self.has_text |= kind is LineKind.TEXT
        self.is_new = True
        self._changed()

    def say_all(self, lines: list[Said]) -> None:
        """Add some lines."""
        for kind, text in lines:
            self.say(kind, text)

    def _wait(self, piece: OutputPiece) -> None:
        """Let a piece wait; drop what a store would drop at once, so that a flood does not fill the memory."""
        half = self.limit // 2
        if piece.start < half:
            self._head.append(piece)
            return
        self._tail.append(piece)
        while self._tail and self._tail[0].start + self._tail[0].size <= self.total - half:
            self._tail.popleft()

    def take(self) -> list[OutputPiece]:
        """Take the waiting lines, as few pieces that are not too large; the lines of a piece follow each other."""
        self.is_new = False
        waiting = deque([*self._head, *self._tail])
        self._head.clear()
        self._tail.clear()
        pieces: list[OutputPiece] = []
        while waiting:
            first = waiting.popleft()
            texts = [first.text]
            size = first.size
            while waiting and waiting[0].start == first.start + size and size + waiting[0].size <= LARGEST_PIECE:
                size += waiting[0].size
                texts.append(waiting.popleft().text)
            pieces.append(OutputPiece(start=first.start, size=size, text="".join(texts)))
        return pieces

    def put_back(self, pieces: list[OutputPiece]) -> None:
        """Give pieces back that could not be written."""
        later = [*self._head, *self._tail]
        self._head.clear()
        self._tail.clear()
        for piece in [*pieces, *later]:
            self._wait(piece)
        self.is_new = True


class OutputKeeper:
    """Keeps the output of an attempt at all of its targets. Used as `async with`: at the end everything is written."""

    def __init__(
        self,
        history: RunHistory | None,
        clock: Clock,
        run_id: str,
        attempt: int,
        *,
        kept: Sequence[KeptOutput] = (),
    ) -> None:
        """Make a keeper; without a history nothing is kept. An attempt that goes on adds to what is `kept` of it."""
        self._history = history
        self._clock = clock
        self._run_id = run_id
        self._attempt = attempt
        self._before = {each.target: each for each in kept if each.attempt == attempt}
        self._streams: dict[str, OutputStream] = {}
        self._changed = asyncio.Event()
        self._writing: asyncio.Task[None] | None = None
        self._has_complained = False

    def stream(self, target: str, limit: int) -> OutputStream:
        """Return the output at a target, of which `limit` bytes are kept."""
        if target not in self._streams:
            stream = self._streams[target] = OutputStream(target, limit, self._clock, self._changed.set)
            if (before := self._before.get(target)) is not None:
                stream.total = before.total
                stream.lines = before.lines
        return self._streams[target]

    async def __aenter__(self) -> Self:
        if self._history is not None:
            self._writing = asyncio.ensure_future(self._write())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._writing is not None:
            self._writing.cancel()
            await uninterrupted(self._end(self._writing))

    async def _end(self, writing: asyncio.Task[None]) -> None:
        await asyncio.gather(writing, return_exceptions=True)
        await self._flush(complete=True)

    async def _write(self) -> None:
        while True:
            await self._changed.wait()
            await self._clock.sleep(_BATCH_SECONDS)
            self._changed.clear()
            await uninterrupted(self._flush(complete=False))

    async def _flush(self, *, complete: bool) -> None:
        """Write what waits, in one transaction."""
        taken = [(stream, stream.take()) for stream in self._streams.values() if stream.is_new or complete]
        batch: list[tuple[KeptOutput, OutputPiece | None]] = []
        for stream, pieces in taken:
            kept = self._kept(stream, complete=complete)
            batch += [(kept, piece) for piece in pieces] or [(kept, None)]
        if self._history is None or not batch:
            return
        try:
            await self._history.append(batch)
        except Exception as error:  # a run does not fail because its output cannot be kept
            for stream, pieces in taken:
                stream.put_back(pieces)
            self._changed.set()
            if not self._has_complained or complete:
                _log.warning("the output of run %s cannot be kept at present: %s", self._run_id, error)
            self._has_complained = True

    def _kept(self, stream: OutputStream, *, complete: bool) -> KeptOutput:
        return KeptOutput(
            run_id=self._run_id,
            attempt=self._attempt,
            target=stream.target,
            total=stream.total,
            lines=stream.lines,
            complete=complete,
            kept_limit=stream.limit,
        )
