"""Settings of all tests: how property tests draw their cases, how coroutines run, which tests `make quick` leaves out.

Property tests draw the same cases in every run of `make test`, so that only a change of the code can break it. `make
chaos` draws new cases, ten times as many; each one that fails becomes an `@example`.
"""

from __future__ import annotations

import asyncio
import gc
import inspect
import os
import shutil
import tempfile
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from tests.support import PROFILE, tries

pytest_plugins = ["tests.leaks", "tests.measuring"]

# How long an example takes depends on what else the machine does, so it does not decide anything.
_AT_ANY_SPEED: dict[str, Any] = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
for _name in ("repeatable", "quick", "explore"):
    _repeats = _name != "explore"
    settings.register_profile(_name, derandomize=_repeats, max_examples=tries(100), **_AT_ANY_SPEED)
settings.load_profile(PROFILE)

_SLOW = (
    "conformance/declarative/test_real_time_bounds.py",
    "conformance/reminders/test_killed.py",
    "conformance/schedules/test_bad_input.py",
    "conformance/stores/test_concurrency.py",
    "conformance/stores/test_state_machine.py",
    "documentation/test_commands.py",
    "documentation/test_programs.py",
    "unit/cli/test_events.py",
    "unit/cron/test_fuzz.py",
    "unit/cron/test_never.py",
    "unit/recurrence/test_typing.py",
    "unit/test_leaks.py",
    "unit/test_typing.py",
    "unit/testing/test_pytest_plugin.py",
)
"""Tests that take seconds each: `make test` runs them, `make quick` does not. `tests/measuring.py` has more of them."""


def pytest_configure(config: pytest.Config) -> None:
    """Give the programs under test folders of their own: what the user of the machine has there must not matter."""
    config.addinivalue_line("markers", "slow: takes seconds; left out of `make quick`")
    config.addinivalue_line("markers", "explored: no property test, but `make chaos` tries more cases of it, too")
    config.addinivalue_line("markers", "postgres: needs the PostgreSQL server; left out of `make quick`")
    folder = tempfile.mkdtemp(prefix="duly-tests-home-")
    for kind in ("cache", "config", "data"):
        os.environ[f"XDG_{kind.upper()}_HOME"] = f"{folder}/{kind}"
    config.add_cleanup(lambda: shutil.rmtree(folder, ignore_errors=True))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the slow tests and those that need PostgreSQL."""
    for item in items:
        path = item.path.as_posix()
        if path.endswith(_SLOW):
            item.add_marker(pytest.mark.slow)
        if "postgres" in item.nodeid.lower():
            item.add_marker(pytest.mark.postgres)


def pytest_collectstart() -> None:
    """Make no search for garbage while the tests are collected: what is made then stays."""
    gc.disable()


def pytest_collection_finish() -> None:
    """Leave the tests and modules out of later searches for garbage, and make them a little rarer.

    There are millions of objects: to look through them took an eighth of the processor time of all tests.
    """
    gc.freeze()
    gc.set_threshold(50_000, 10, 5)
    gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run a test that is a coroutine, in an event loop of its own."""
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    names = inspect.signature(pyfuncitem.obj).parameters
    asyncio.run(pyfuncitem.obj(**{name: pyfuncitem.funcargs[name] for name in names}))
    return True
