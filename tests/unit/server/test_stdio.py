"""`duly mcp` has an engine of its own unless a daemon runs; a fault of its start is logged once."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path

import pytest

from duly.config.settings import Settings
from duly.errors import StoreUnavailableError
from duly.runtime.runtime import Runtime
from duly.server.stdio import _keep_engine
from duly.testing import VirtualClock


async def test_a_fault_of_the_engine_start_is_logged_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    faults = ["full", "full", "full", "gone", "gone"]
    clock = VirtualClock()
    runtime = Runtime(Settings(data_dir=tmp_path, store=str(tmp_path / "schedules.db")), clock=clock)
    started = runtime.start_engine

    async def start() -> None:
        if faults:
            raise StoreUnavailableError(f"the disk is {faults.pop(0)}")
        await started()

    monkeypatch.setattr(runtime, "start_engine", start)
    await runtime.open()
    with caplog.at_level(logging.WARNING, logger="duly"):
        keeping = asyncio.ensure_future(_keep_engine(runtime))
        await clock.travel(minutes=1)
    assert runtime.engine.running
    told = [record.getMessage() for record in caplog.records]
    assert [line for line in told if line.startswith("nothing")] == [
        "nothing is carried out here for now: the disk is full",
        "nothing is carried out here for now: the disk is gone",
    ]
    keeping.cancel()
    await runtime.close()
