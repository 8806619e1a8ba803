"""A process that hands one run over, and may be killed on the way: `python -m … STORE MESSAGES`."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from duly import Policy, Retry
from duly.clock import SystemClock
from duly.engine.engine import Engine
from duly.engine.settings import EngineSettings
from duly.entropy import random_bits
from duly.executors.calling import Threads
from duly.executors.dispatcher import ExecutorDispatcher
from duly.model.action import Job
from duly.model.handover import HandoverState
from duly.ports.executors import SendResult, WorkOrder
from duly.ports.records import RunFilter
from duly.ports.store import FullStore
from duly.recurrence import run_now
from duly.service.schedules.drafts import Draft, to_row
from duly.stores import open_store
from tests.scripted_executor import FixedExecutors, ScriptedExecutor


class FileExecutor(ScriptedExecutor):
    """Its queue is a file, which outlives the process."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        self._file = file

    def hand_over(self, orders: Sequence[WorkOrder]) -> list[SendResult]:
        with self._file.open("a", encoding="utf-8") as file:
            for order in orders:
                file.write(json.dumps([*order.key, order.token]) + "\n")
        return [SendResult() for _ in orders]


async def main(store_url: str, messages: Path) -> None:
    clock = SystemClock()
    store = open_store(store_url, clock)
    await store.open()
    if not await store.runs(RunFilter(limit=1)):
        draft = Draft(
            name="report",
            trigger=run_now(),
            action=Job("proj.tasks.report", executor="heavy"),
            policy=Policy(retry=Retry(max_attempts=9)),
        )
        row = to_row(draft, clock.now(), lambda *_: None, random_bits)
        await store.save([row], lambda old, new: new if old is None else None)
    executors = FixedExecutors.of([FileExecutor(messages)])
    threads = Threads()
    dispatcher = ExecutorDispatcher(store.handovers, store.history, clock, lambda: executors, threads)
    engine = Engine(store, dispatcher, clock, EngineSettings(poll=0.2, lease=2))
    await engine.start()
    while not await _is_handed_over(store):  # noqa: ASYNC110  the engine has no bell for that
        await asyncio.sleep(0.02)
    await engine.stop()
    threads.close()
    await store.close()


async def _is_handed_over(store: FullStore) -> bool:
    runs = await store.runs(RunFilter(limit=1))
    latest = await store.handovers.latest(runs[0].id) if runs else None
    return latest is not None and latest.state is not HandoverState.INTENDED


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], Path(sys.argv[2])))
