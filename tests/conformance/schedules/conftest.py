"""Every scenario on both stores and through every way in."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conformance.schedules.harness import LEGACY, MCP, SERVICE, ScheduleHarness, make_schedule_harness

SQLITE, POSTGRES = "sqlite-inline", "postgres"


@pytest.fixture(
    params=[(SQLITE, SERVICE), (POSTGRES, SERVICE), (SQLITE, MCP), (POSTGRES, MCP), (SQLITE, LEGACY)],
    ids=lambda param: f"{param[0]}-{param[1]}",
)
def harness(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[ScheduleHarness]:
    store, way = request.param
    with make_schedule_harness(store, way, tmp_path) as made:
        yield made


@pytest.fixture(
    params=[(SQLITE, MCP), (POSTGRES, SERVICE)],
    ids=lambda param: f"{param[0]}-{param[1]}",
)
def crossed(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[ScheduleHarness]:
    """For long tables: every store and every kind of way in, but not each with each."""
    store, way = request.param
    with make_schedule_harness(store, way, tmp_path) as made:
        yield made


@pytest.fixture(params=[SQLITE, POSTGRES])
def butler(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[ScheduleHarness]:
    """For what is no tool: files and ticks. Both stores, one way in."""
    with make_schedule_harness(request.param, SERVICE, tmp_path) as made:
        yield made


@pytest.fixture(params=[MCP, LEGACY])
def agent(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[ScheduleHarness]:
    """For what only MCP has."""
    with make_schedule_harness(SQLITE, request.param, tmp_path) as made:
        yield made
