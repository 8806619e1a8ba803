"""An event loop in a thread, for programs that have none."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from functools import wraps
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


class Background:
    """Runs coroutines for synchronous callers. Start is complete on return, stop is idempotent.

    Tasks that are left over when it is stopped go on until they end, and the thread with them.
    """

    def __init__(self, name: str = "duly-loop") -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._started = threading.Event()
        self._stopped = threading.Event()
        self._left_over: set[asyncio.Task[Any]] = set()

    def start(self) -> None:
        self._thread.start()
        self._started.wait()

    @property
    def is_here(self) -> bool:
        """Whether the caller is in its thread, and would wait for itself."""
        return threading.current_thread() is self._thread

    def call(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine over there and wait for its result."""
        answer: Future[T] = asyncio.run_coroutine_threadsafe(work, self._loop)
        return answer.result()

    def stop(self) -> None:
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._stopped.wait()
            if not self._left_over:
                self._thread.join()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.call_soon(self._started.set)
        try:
            self._loop.run_forever()
        finally:
            self._left_over = asyncio.all_tasks(self._loop)
            self._stopped.set()
            if self._left_over:
                self._loop.run_until_complete(asyncio.wait(self._left_over))
            self._loop.run_until_complete(self._loop.shutdown_asyncgens())
            self._loop.close()


class Synchronous:
    """Base of a class that has methods of another object as plain calls, each declared with `waited` or `passed`."""

    def __init__(self, target: object, call: Callable[[Coroutine[Any, Any, Any]], Any]) -> None:
        self._target = target
        self._call = call

    def plain(self, name: str) -> Callable[..., Any]:
        """The method of that name; what it gives is waited for if it has to be."""
        method = getattr(self._target, name)

        @wraps(method)
        def plain(*args: Any, **kwargs: Any) -> Any:
            answer = method(*args, **kwargs)
            return self._call(answer) if asyncio.iscoroutine(answer) else answer

        return plain


class PlainCall(Generic[P, T]):
    """A method of a `Synchronous`: takes what the original takes and gives its result at once."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, instance: Synchronous, _owner: type) -> Callable[P, T]:
        return instance.plain(self._name)


def waited(method: Callable[Concatenate[Any, P], Coroutine[Any, Any, T]]) -> PlainCall[P, T]:
    """An asynchronous method as a plain call."""
    return PlainCall(method.__name__)


def passed(method: Callable[Concatenate[Any, P], T]) -> PlainCall[P, T]:
    """A method that is a plain call already."""
    return PlainCall(method.__name__)
