"""Fixtures for tests of schedules; pytest loads them where duly is installed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from duly.testing.clock import VirtualClock


@pytest.fixture
def duly_clock() -> VirtualClock:
    """Return a clock that stands still until the test moves it: `await duly_clock.travel(days=31)`."""
    from duly.testing.clock import VirtualClock  # late: pytest loads a plugin in every test run

    return VirtualClock()


@pytest.fixture
def duly_store(tmp_path: Path) -> str:
    """Return the path of a new store."""
    return str(tmp_path / "duly.db")
