"""One Chromium for all tests of a process: to start it takes as long as most of them. Each has contexts of its own.

It is bound to the event loop in which it was started, so the tests run in that one, one after the other.
"""

from __future__ import annotations

import asyncio
import contextvars
import inspect
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tests.browser import window
from tests.leaks import lasting

_loops: list[asyncio.Runner] = []


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run a test that is a coroutine in the event loop of the browser."""
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    if not _loops:
        with lasting():
            _loops.append(asyncio.Runner())
            _loops[0].run(window.shared_browser())
    names = inspect.signature(pyfuncitem.obj).parameters
    test = pyfuncitem.obj(**{name: pyfuncitem.funcargs[name] for name in names})
    _loops[0].run(_as_if_alone(test), context=contextvars.copy_context())
    return True


def pytest_unconfigure() -> None:
    """Close the browser."""
    if _loops:
        with _loops.pop() as loop:
            loop.run(window.close_browser())


async def _as_if_alone(test: Coroutine[Any, Any, None]) -> None:
    """Leave nothing of a test in the loop, as if the loop had been closed after it."""
    loop = asyncio.get_running_loop()
    before = asyncio.all_tasks()
    with ThreadPoolExecutor() as pool:
        loop.set_default_executor(pool)
        try:
            await test
        finally:
            left = asyncio.all_tasks() - before
            for task in left:
                task.cancel()
            await asyncio.gather(*left, return_exceptions=True)
