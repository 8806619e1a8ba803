"""Fixtures for testing one's own schedules; pytest finds them by itself once duly is installed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from duly.testing.clock import VirtualClock


@pytest.fixture
def duly_clock() -> VirtualClock:
    """A clock that stands still until `await duly_clock.travel(days=31)`."""
    from duly.testing.clock import VirtualClock  # late: a plugin is loaded by every test run

    return VirtualClock()


@pytest.fixture
def duly_store(tmp_path: Path) -> str:
    """The path of a fresh store."""
    return str(tmp_path / "duly.db")
