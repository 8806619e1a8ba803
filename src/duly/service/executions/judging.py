"""Judges the reports of workers in as few transactions as there can be.

While one transaction is under way, reports wait, and the next one judges all of them together, one of each handover:
thousands of workers cost the store no more than a few, and a worker that reports without end waits in its own line.
"""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import dataclass, field
from itertools import islice

from duly.clock import Clock
from duly.model.handover import Handover, HandoverKey
from duly.planning.handovers import Refusal, Revised, RunStanding
from duly.ports.executors import Decide, EventsOf, Handovers, Judged

_LARGEST_BATCH = 200


@dataclass(frozen=True, slots=True)
class _Report:
    """A report that waits, and who waits for its answer."""

    decide: Decide
    events: EventsOf
    answer: asyncio.Future[Judged] = field(default_factory=lambda: asyncio.get_running_loop().create_future())


class ReportLine:
    """The reports of one process that wait to be judged."""

    def __init__(self, handovers: Handovers, clock: Clock) -> None:
        self._handovers = handovers
        self._clock = clock
        self._waiting: dict[HandoverKey, deque[_Report]] = {}
        self._working: asyncio.Task[None] | None = None

    async def judge(self, key: HandoverKey, decide: Decide, events: EventsOf) -> Judged:
        """Judge one report; raises what the store raises, and nothing has changed then."""
        report = _Report(decide, events)
        self._waiting.setdefault(key, deque()).append(report)
        if self._working is None:
            self._working = asyncio.get_running_loop().create_task(self._work())
        return await report.answer

    async def _work(self) -> None:
        try:
            while self._waiting:
                await self._judge(self._take())
        finally:
            self._working = None

    def _take(self) -> dict[HandoverKey, _Report]:
        """Take the next report of each handover; what a handover has left waits behind the others."""
        taken = {}
        for key in list(islice(self._waiting, _LARGEST_BATCH)):
            line = self._waiting.pop(key)
            taken[key] = line.popleft()
            if line:
                self._waiting[key] = line
        return taken

    async def _judge(self, reports: dict[HandoverKey, _Report]) -> None:
        def decide(handover: Handover, standing: RunStanding) -> Revised | Refusal | None:
            return reports[handover.key].decide(handover, standing)

        try:
            judged = await self._handovers.change(
                list(reports), decide, self._clock.now(), lambda change: reports[change.handover.key].events(change)
            )
        except BaseException as error:
            for report in reports.values():
                if not report.answer.done():
                    report.answer.set_exception(error)
            if not isinstance(error, Exception):
                raise
            return
        for key, report in reports.items():
            if not report.answer.done():  # its client may have gone
                report.answer.set_result(judged[key])
