"""Handlers of a simulation: they take virtual time, fail, hang, resist cancellation, or take their process down.

How a call behaves follows from the seed, the run's key and how often it was called, not from which process calls it.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from random import Random
from typing import Any

from duly.engine.context import Context
from duly.jobs.dispatcher import JobRegistry
from tests.sim.faults import Disturbances, seeded_random
from tests.sim.process import Process
from tests.sim.witness import Entry, Witness


class HandlerFailedError(Exception):
    """What a failing handler raises."""


class Handlers:
    """Makes the jobs of a process."""

    def __init__(self, seed: int, witness: Witness, disturbances: Disturbances, longest_hang: float) -> None:
        self._seed = seed
        self._witness = witness
        self._disturbances = disturbances
        self._longest_hang = longest_hang
        self._calls: Counter[str] = Counter()

    def registry(self, process: Process, names: tuple[str, ...]) -> JobRegistry:
        """The jobs a process serves."""
        jobs = JobRegistry(process.clock)
        for name in names:
            jobs.register(self._handler(process), name)
        return jobs

    def _handler(self, process: Process) -> Any:
        async def handler(
            run: Context,
            seconds: float,
            fails: float = 0,
            hangs: float = 0,
            stubborn: float = 0,
            tells: bool = False,
            kills: bool = False,
        ) -> dict[str, Any]:
            entry = self._witness.enter(process.name, run)
            self._calls[run.key] += 1
            chance = seeded_random(self._seed, run.key, self._calls[run.key])
            if kills:
                process.crash()
            await process.gate()
            length = seconds * chance.uniform(0.5, 1.5)
            if self._disturbances.enabled and chance.random() < hangs:
                length = self._longest_hang
            elif not self._disturbances.enabled:  # quick, or what piled up would never be done
                length = min(length, self._longest_hang / 30, (run.timeout or length) / 2)
            return await self._act(process, run, entry, chance, length, fails, stubborn, tells)

        return handler

    async def _act(
        self,
        process: Process,
        run: Context,
        entry: Entry,
        chance: Random,
        length: float,
        fails: float,
        stubborn: float,
        tells: bool,
    ) -> dict[str, Any]:
        how = "raised"
        try:
            if tells:
                run.progress({"halfway": False})
            await process.clock.sleep(length)
            if self._disturbances.enabled and chance.random() < fails:
                raise HandlerFailedError(f"{run.name} failed")
            how = "returned"
        except asyncio.CancelledError:
            how = "cancelled"
            if not await self._resists(process, stubborn) or chance.random() < 0.5:
                raise
            how = "returned"
        finally:
            self._witness.leave(entry, how)
        return {"attempt": run.attempt}

    async def _resists(self, process: Process, seconds: float) -> bool:
        """Go on for a while although asked to stop."""
        until = process.clock.monotonic() + seconds
        while process.clock.monotonic() < until and not self._disturbances.finished:
            try:
                await process.clock.sleep(until - process.clock.monotonic())
            except asyncio.CancelledError:
                continue
        return seconds > 0 and not self._disturbances.finished
