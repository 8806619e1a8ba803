"""An event loop in a thread, and plain calls into it, for programs without an event loop."""

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

    Tasks that have not ended when it is stopped go on until they end; the thread ends with the last of them.
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
        """Whether the caller runs in this thread, so that it would wait for itself."""
        return threading.current_thread() is self._thread

    def call(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine in the thread and wait for its result."""
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
    """Base of a class that offers methods of another object as plain calls, each declared with `waited` or `passed`."""

    def __init__(self, target: object, call: Callable[[Coroutine[Any, Any, Any]], Any]) -> None:
        self._target = target
        self._call = call

    def plain(self, name: str) -> Callable[..., Any]:
        """Give the method of that name as a plain call that waits for a coroutine's result."""
        method = getattr(self._target, name)

        @wraps(method)
        def plain(*args: Any, **kwargs: Any) -> Any:
            answer = method(*args, **kwargs)
            return self._call(answer) if asyncio.iscoroutine(answer) else answer

        return plain


class PlainCall(Generic[P, T]):
    """A method of a `Synchronous`: the arguments of the original, and its result without `await`."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, instance: Synchronous, _owner: type) -> Callable[P, T]:
        return instance.plain(self._name)


def waited(method: Callable[Concatenate[Any, P], Coroutine[Any, Any, T]]) -> PlainCall[P, T]:
    """Declare an asynchronous method as a plain call."""
    return PlainCall(method.__name__)


def passed(method: Callable[Concatenate[Any, P], T]) -> PlainCall[P, T]:
    """Declare a method that is a plain call already."""
    return PlainCall(method.__name__)
