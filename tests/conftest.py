"""What holds for all tests.

Property tests draw the same cases on every run of `make test`, so that a change breaks it and luck does not. New cases
are looked for on purpose, by `make chaos`: what they find becomes an `@example`.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

pytest_plugins = ["tests.leaks"]

# How long an example takes depends on what else the machine does, so it does not decide anything.
_AT_ANY_SPEED: dict[str, Any] = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("repeatable", derandomize=True, **_AT_ANY_SPEED)
settings.register_profile("explore", derandomize=False, **_AT_ANY_SPEED)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeatable"))

_LONG_WALKS = (
    "sim/test_checker.py",
    "unit/cron/test_oracle.py",
    "unit/cron/test_sweep.py",
    "unit/cron/test_croniter.py",
    "unit/cron/test_cronsim.py",
    "unit/recurrence/test_oracle.py",
)
"""Many times over lines that shorter tests reach as well: to count them here as well would double the time."""


def pytest_configure(config: pytest.Config) -> None:
    """Agents of daemons under test work in a folder of the tests, and not in that of whoever runs them."""
    folder = tempfile.mkdtemp(prefix="duly-tests-cache-")
    os.environ["XDG_CACHE_HOME"] = folder
    config.add_cleanup(lambda: shutil.rmtree(folder, ignore_errors=True))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Coverage pauses during the long walks."""
    for item in items:
        if item.path.as_posix().endswith(_LONG_WALKS):
            item.add_marker(pytest.mark.no_cover)
