"""Attempts that end at once share a task of the event loop; nothing of one may show in another."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from datetime import UTC, datetime

import pytest

from duly.engine.beginning import Beginnings
from duly.engine.context import Context
from duly.model.run import Origin
from duly.ports.records import Claimed

_NOON = datetime(2026, 11, 16, 12, tzinfo=UTC)
_word: ContextVar[str] = ContextVar("word", default="")

Handler = Callable[[str], Awaitable[None]]


class Attempts:
    """Carries out one handler for runs that are named by numbers."""

    def __init__(self, handler: Handler) -> None:
        self._handler = handler
        self.contexts: dict[str, Context] = {}
        self.begun: list[str] = []
        self.tasks: dict[str, asyncio.Task[None] | None] = {}
        self.beginnings = Beginnings(self._attempt, lambda context: self.contexts.get(context.id) is context)

    def begin(self, number: int, handler: str = "job:one") -> None:
        claimed = Claimed(
            f"run_{number}", "sched_1", "default", "s", Origin.SCHEDULE, _NOON, _NOON, handler, 1, 1, "{}", "{}"
        )
        context = Context(claimed, lambda *_: None)
        self.contexts[context.id] = context
        self.beginnings.begin(context)

    async def show_to_be_quick(self) -> None:
        handler = self._handler
        self._handler = _end_at_once
        self.begin(-1)
        await self.ended()
        self._handler = handler
        self.begun.clear()
        self.tasks.clear()

    async def _attempt(self, context: Context) -> None:
        self.begun.append(context.id)
        self.tasks[context.id] = asyncio.current_task()
        assert self.beginnings.tasks[context.id] is context.task is asyncio.current_task()
        try:
            await self._handler(context.id)
        finally:
            self.beginnings.forget(context)
            del self.contexts[context.id]

    async def ended(self) -> None:
        await self.beginnings.all_begun()
        await _until(lambda: not self.contexts)


async def _end_at_once(_run_id: str) -> None:
    pass


async def _until(condition: Callable[[], bool]) -> None:
    while not condition():  # noqa: ASYNC110  each turn of the event loop brings it nearer
        await asyncio.sleep(0)


async def test_attempts_that_end_at_once_share_tasks_but_no_variables() -> None:
    seen: list[str] = []

    async def handler(run_id: str) -> None:
        seen.append(_word.get())
        _word.set(run_id)

    attempts = Attempts(handler)
    await attempts.show_to_be_quick()
    _word.set("of the caller")
    for number in range(300):
        attempts.begin(number)
    assert attempts.begun == []  # the caller goes on first
    await attempts.ended()
    assert attempts.begun == [f"run_{number}" for number in range(300)]
    assert seen == ["of the caller"] * 300
    assert _word.get() == "of the caller"
    assert len(set(attempts.tasks.values())) == 5  # the event loop has its turn in between
    assert attempts.beginnings.tasks == {}


async def test_an_attempt_that_waits_keeps_its_task_and_its_variables() -> None:
    gates = {f"run_{number}": asyncio.Event() for number in range(50)}

    async def handler(run_id: str) -> None:
        task = asyncio.current_task()
        _word.set(run_id)
        async with asyncio.timeout(60):
            await gates[run_id].wait()
        await asyncio.sleep(0)
        assert (asyncio.current_task(), _word.get()) == (task, run_id)
        assert await asyncio.create_task(_read()) == run_id

    async def _read() -> str:
        return _word.get()

    attempts = Attempts(handler)
    await attempts.show_to_be_quick()
    for number in range(50):
        attempts.begin(number)
    await attempts.beginnings.all_begun()
    await _until(lambda: len(attempts.begun) == 50)
    assert len(set(attempts.tasks.values())) == 50  # each has one of its own
    for gate in reversed(gates.values()):
        gate.set()
    await attempts.ended()


async def test_cancelling_one_that_waits_touches_no_other() -> None:
    ended: dict[str, str] = {}
    gate = asyncio.Event()

    async def handler(run_id: str) -> None:
        try:
            if run_id in ("run_1", "run_3"):
                await gate.wait()
            ended[run_id] = "done"
        except asyncio.CancelledError:
            ended[run_id] = "cancelled"

    attempts = Attempts(handler)
    await attempts.show_to_be_quick()
    for number in range(5):
        attempts.begin(number)
    await _until(lambda: len(attempts.begun) == 5)
    attempts.beginnings.tasks["run_1"].cancel()
    gate.set()
    await attempts.ended()
    assert ended == {"run_0": "done", "run_1": "cancelled", "run_2": "done", "run_3": "done", "run_4": "done"}


async def test_a_task_that_a_handler_cancelled_serves_no_other() -> None:
    async def handler(run_id: str) -> None:
        task = asyncio.current_task()
        assert task is not None
        if run_id == "run_0":
            task.cancel()
        else:
            await asyncio.sleep(0)

    attempts = Attempts(handler)
    await attempts.show_to_be_quick()
    for number in range(3):
        attempts.begin(number)
    await attempts.ended()
    assert attempts.tasks["run_0"] not in (attempts.tasks["run_1"], attempts.tasks["run_2"])


async def test_a_handler_that_waited_gets_a_task_of_its_own_until_it_does_not() -> None:
    waits = True

    async def handler(_run_id: str) -> None:
        if waits:
            await asyncio.sleep(0)

    attempts = Attempts(handler)
    attempts.begin(0)
    await attempts.ended()
    waits = False
    for number in range(1, 4):  # all of them expect it to wait again
        attempts.begin(number)
    await attempts.ended()
    assert len(set(attempts.tasks.values())) == 4
    for number in range(4, 7):
        attempts.begin(number)
    await attempts.ended()
    assert len({attempts.tasks[f"run_{number}"] for number in (4, 5, 6)}) == 1


async def test_one_that_is_no_longer_wanted_does_not_begin() -> None:
    async def handler(_run_id: str) -> None:
        pass

    attempts = Attempts(handler)
    await attempts.show_to_be_quick()
    for number in range(3):
        attempts.begin(number)
    del attempts.contexts["run_1"]
    await attempts.ended()
    assert attempts.begun == ["run_0", "run_2"]


def test_an_interrupt_leaves_the_others_to_begin() -> None:
    async def handler(run_id: str) -> None:
        if run_id == "run_1":
            raise KeyboardInterrupt

    loop = asyncio.new_event_loop()
    attempts = Attempts(handler)

    async def begin() -> None:
        await attempts.show_to_be_quick()
        for number in range(5):
            attempts.begin(number)
        await attempts.ended()

    try:
        work = loop.create_task(begin())
        with pytest.raises(KeyboardInterrupt):
            loop.run_until_complete(work)
        loop.run_until_complete(work)
        assert attempts.begun == [f"run_{number}" for number in range(5)]
        interrupted = attempts.tasks["run_1"]
        assert interrupted is not None
        assert isinstance(interrupted.exception(), KeyboardInterrupt)
    finally:
        loop.close()


def test_attempts_begin_in_another_loop_after_one_was_closed_before_they_could() -> None:
    async def handler(_run_id: str) -> None:
        pass

    attempts = Attempts(handler)
    asyncio.run(attempts.show_to_be_quick())
    closed = asyncio.new_event_loop()
    closed.call_soon(attempts.begin, 0)
    closed.call_soon(closed.stop)
    closed.run_forever()
    for task in asyncio.all_tasks(closed):
        task.cancel()
    closed.run_until_complete(asyncio.sleep(0))
    closed.close()

    async def begin() -> None:
        attempts.begin(1)
        await attempts.ended()

    asyncio.run(begin())
    assert attempts.begun == ["run_0", "run_1"]
