"""Output on its way to the store: in batches, within bounds, and whole where it is kept."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duly.agents.keeping import OutputKeeper
from duly.errors import StoreUnavailableError
from duly.ports.run_history import LARGEST_PIECE, KeptOutput, LineKind, OutputPiece, read_line, write_line
from duly.service.runs.lines import chunk
from duly.testing.clock import VirtualClock
from tests.conformance.stores.builders import START, new_run, schedule
from tests.conformance.stores.harness import MemoryHarness

TEXT = LineKind.TEXT


class Written:
    """A history that remembers what was written."""

    def __init__(self, *faults: Exception) -> None:
        self.batches: list[list[tuple[KeptOutput, OutputPiece | None]]] = []
        self._faults = list(faults)

    async def append(self, outputs: Sequence[tuple[KeptOutput, OutputPiece | None]]) -> None:
        if self._faults:
            raise self._faults.pop()
        self.batches.append(list(outputs))

    @property
    def texts(self) -> list[str]:
        pieces = [piece for batch in self.batches for _, piece in batch if piece is not None]
        return [read_line(line)[2] for piece in pieces for line in piece.text.splitlines()]


def keeper(history: Written, clock: VirtualClock) -> OutputKeeper:
    return OutputKeeper(history, clock, "run_1", 1)  # type: ignore[arg-type]


async def test_nothing_said_writes_nothing() -> None:
    async with keeper(written := Written(), VirtualClock(START)):
        pass
    assert written.batches == []


async def test_what_is_said_within_a_second_is_one_batch_for_all_targets() -> None:
    clock = VirtualClock(START)
    async with keeper(written := Written(), clock) as output:
        for target in ("shop", "blog", "shop"):
            output.stream(target, 1000).say(TEXT, f"at {target}")
        assert written.batches == []
        await clock.travel(seconds=2)
        assert len(written.batches) == 1
        assert [kept.complete for kept, _ in written.batches[0]] == [False, False]
        output.stream("shop", 1000).say(TEXT, "the end")
    assert len(written.batches) == 2
    assert written.texts == ["at shop", "at shop", "at blog", "the end"]
    assert all(kept.complete for kept, _ in written.batches[1])


async def test_a_store_that_is_away_loses_nothing(caplog: pytest.LogCaptureFixture) -> None:
    clock = VirtualClock(START)
    with caplog.at_level(logging.WARNING):
        async with keeper(written := Written(StoreUnavailableError("away")), clock) as output:
            output.stream("", 1000).say(TEXT, "first")
            await clock.travel(seconds=1.5)
            output.stream("", 1000).say(TEXT, "second")
    assert written.texts == ["first", "second"]
    assert [record.getMessage() for record in caplog.records] == [
        "the output of run run_1 cannot be kept at present: away"
    ]


async def test_a_flood_is_bounded_in_memory_and_in_pieces() -> None:
    async with keeper(written := Written(), VirtualClock(START)) as output:
        stream = output.stream("", 100_000)
        for number in range(20_000):
            stream.say(TEXT, f"line {number}")
    [batch] = written.batches
    sizes = [piece.size for _, piece in batch if piece is not None]
    assert sum(sizes) <= 100_000 + 100
    assert max(sizes) <= LARGEST_PIECE
    assert (written.texts[0], written.texts[-1]) == ("line 0", "line 19999")
    assert batch[0][0].lines == 20_000


@given(
    lines=st.lists(
        st.text(alphabet=st.characters(codec="utf-8", exclude_categories=["C", "Z"]), max_size=40), max_size=40
    ),
    limit=st.integers(200, 2000),
    part=st.integers(1, 500),
    batches=st.sets(st.integers(0, 40)),
)
def test_reading_in_parts_gives_every_kept_line_once_in_order(
    lines: list[str], limit: int, part: int, batches: set[int]
) -> None:
    async def keep_and_read() -> None:
        async with MemoryHarness() as harness:
            await harness.add(row := schedule())
            [run] = await harness.started(new_run(row))
            history = harness.store.history
            async with OutputKeeper(history, harness.clock, run.run_id, 1) as output:
                stream = output.stream("", limit)
                for number, line in enumerate(lines):
                    stream.say(TEXT, line)
                    if number in batches:
                        await harness.clock.travel(seconds=1.1)
            total = stream.total
            read: list[str] = []
            offset = gaps = 0
            while lines:
                [kept] = await history.outputs(run.run_id)
                pieces = await history.pieces(run.run_id, 1, "", offset, part)
                found = chunk(kept, pieces, offset, part, over=True)
                read += [each.text for each in found.lines]
                gaps += found.left_out > 0
                assert found.next_offset > offset or found.complete
                offset = found.next_offset
                if found.complete:
                    break
            assert offset == total
            if total <= limit:
                assert (read, gaps) == (lines, 0)
            else:
                head = next((n for n, (a, b) in enumerate(zip(read, lines, strict=False)) if a != b), len(read))
                tail = len(read) - head
                assert read[head:] == (lines[-tail:] if tail else [])

    asyncio.run(keep_and_read())


@given(st.sampled_from(LineKind), st.text(alphabet=st.characters(codec="utf-8", exclude_characters="\n")))
def test_a_kept_line_is_read_as_it_was_written(kind: LineKind, text: str) -> None:
    assert read_line(write_line(START, kind, text).removesuffix("\n")) == (START, kind, text)
