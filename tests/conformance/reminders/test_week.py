"""A simulated week, or its first days, in seconds: nothing is lost, although everything breaks."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.conformance.reminders.harness import harness_at
from tests.conformance.reminders.week import Week
from tests.support import EXPLORING

SEEDS = (109, *(range(25) if EXPLORING else ()))


@pytest.mark.explored
@pytest.mark.parametrize("seed", SEEDS)
def test_a_week(tmp_path: Path, seed: int) -> None:
    async def scene() -> None:
        async with harness_at(str(tmp_path / "duly.db")) as harness:
            week = Week(harness, seed)
            await week.live()
            tally = await week.judge()
            assert week.crashes > 10
            assert sum(tally.values()) > 100
            assert {"delivered", "acked", "dismissed", "unacked", "failed"} <= set(tally), tally

    asyncio.run(scene())
