"""Worlds to schedule in: on SQLite where the store does not matter, on both where it does."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.conformance.declarative.world import World
from tests.postgres_server import server


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(str(tmp_path / "duly.db"))


@pytest.fixture
def postgres_world() -> Iterator[World]:
    with server().database() as url:
        yield World(url)


@pytest.fixture(params=("sqlite", "postgres"))
def durable_world(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[World]:
    """For what must survive: on both stores."""
    with ExitStack() as stack:
        sqlite = request.param == "sqlite"
        yield World(str(tmp_path / "duly.db") if sqlite else stack.enter_context(server().database()))
