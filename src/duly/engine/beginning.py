"""Beginning attempts. Those that end without waiting for anything share a task of the event loop.

A task costs more than all else that is done around a handler that ends at once. So attempts begin one after the other
in one task, each with variables (`contextvars`) of its own. One that begins to wait keeps the task as its own, and the
others go on in others. A handler that was not seen to end at once the last time has a task of its own from the start.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable, Coroutine, Generator
from contextvars import Context as Variables
from contextvars import copy_context
from types import coroutine
from typing import Any

from duly.engine.context import Context
from duly.planning.places import PoolKind, pool_kind
from duly.ports.reading import DELIVERIES, work_for

Attempt = Coroutine[Any, Any, None]
_AT_A_STRETCH = 20
"""Attempts begun before other threads get the interpreter; else one that writes waits 5 ms for each of its steps."""
_IN_A_TURN = 60
"""Attempts that may end in one turn of the event loop."""


class Beginnings:
    """The attempts that are about to begin, and the tasks of those that have begun."""

    def __init__(self, attempt: Callable[[Context], Attempt], is_wanted: Callable[[Context], bool]) -> None:
        """`is_wanted` says whether an attempt is still to begin when its turn comes."""
        self._attempt = attempt
        self._is_wanted = is_wanted
        self.tasks: dict[str, asyncio.Task[None]] = {}
        """The tasks of attempts by the id of their run; one that is about to begin may have none yet."""
        self._queue: deque[Context] = deque()
        self._loop: asyncio.AbstractEventLoop | None = None
        """The event loop in which the queue is being worked off."""
        self._quick: set[str] = set()
        """Handlers that ended without waiting the last time."""
        self._alone = 0

    def shares_a_task(self, context: Context) -> bool:
        """Say whether an attempt would begin in the task that it shares with others, a few in a turn of the loop."""
        return context.run.handler in self._quick

    def begin(self, context: Context) -> None:
        """Begin an attempt as soon as the caller waits."""
        loop = asyncio.get_running_loop()
        if not self.shares_a_task(context):
            self._alone += 1
            if self._alone % _AT_A_STRETCH == 0:
                loop.call_soon(time.sleep, 0)
            context.task = self.tasks[context.id] = loop.create_task(self._carry_out(context))
            return
        self._queue.append(context)
        if self._loop is not loop:  # nothing works it off, or only an event loop that was closed
            self._loop = loop
            loop.create_task(self._work_off())  # noqa: RUF006  the event loop keeps it until it begins to wait

    async def all_begun(self) -> None:
        """Wait until every attempt has begun that can."""
        while self._queue:  # noqa: ASYNC110  some begin with each turn of the event loop
            await asyncio.sleep(0)

    def forget(self, context: Context) -> None:
        """Forget the task of an attempt that has ended."""
        self.tasks.pop(context.id, None)  # one that was claimed ahead has no task yet

    async def _carry_out(self, context: Context) -> None:
        if (rest := self._first_step(context)) is not None:
            await rest

    async def _work_off(self) -> None:
        """Carry out attempts from the queue until one of them waits."""
        task: Any = asyncio.current_task()
        rest: Coroutine[Any, Any, None] | None = None
        try:
            for number in range(1, _IN_A_TURN + 1):
                context = self._queue.popleft()
                if self._is_wanted(context):
                    context.task = self.tasks[context.id] = task
                    rest = self._first_step(context)
                if not self._queue or rest is not None or task.cancelling():  # it belongs to that attempt from now on
                    break
                if number % _AT_A_STRETCH == 0:
                    time.sleep(0)  # noqa: ASYNC251  it does not sleep
        finally:
            if self._queue and self._loop is not None:
                self._loop.call_soon(self._go_on, rest is not None)
            else:
                self._loop = None
        if rest is not None:
            await rest

    def _go_on(self, one_waits: bool) -> None:
        """Work off the rest of the queue in another task, and what may wait, too, in tasks of its own."""
        if one_waits:
            queue = self._queue
            self._queue = deque()
            self._loop = None
            for context in queue:
                self.begin(context)
        elif self._loop is not None:
            self._loop.create_task(self._work_off())

    def _first_step(self, context: Context) -> Coroutine[Any, Any, None] | None:
        """Carry out an attempt until it ends or waits for something; gives the rest of one that waits."""
        attempt = self._attempt(context)
        variables = copy_context()
        variables.run(work_for, DELIVERIES if pool_kind(context.run.handler) is PoolKind.MESSAGES else "")
        try:
            waits_for = variables.run(attempt.send, None)
        except StopIteration:
            self._quick.add(context.run.handler)
            return None
        self._quick.discard(context.run.handler)
        return _rest(attempt, variables, waits_for)


@coroutine
def _rest(attempt: Attempt, variables: Variables, waits_for: Any) -> Generator[Any, Any, None]:
    """Carry on an attempt that waits, as the task of the caller would, but with the variables of the attempt."""
    while True:
        thrown: BaseException | None = None
        answer = None
        try:
            answer = yield waits_for
        except GeneratorExit:
            variables.run(attempt.close)
            raise
        except BaseException as error:
            thrown = error
        step = (attempt.send, answer) if thrown is None else (attempt.throw, thrown)
        thrown = None  # it leads back to this frame
        try:
            waits_for = variables.run(*step)
        except StopIteration:
            return
        finally:
            del step


def is_in(task: asyncio.Task[Any] | None) -> bool:
    """Say whether the caller runs in a task: not while the coroutine of the task is being closed."""
    try:
        return asyncio.current_task() is task
    except RuntimeError:
        return False
