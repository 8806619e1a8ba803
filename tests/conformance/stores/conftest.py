"""Every test of this suite runs on every store, except where a store cannot do what the test is about."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conformance.stores.world import World, make_world

pytest.register_assert_rewrite("tests.conformance.stores.machine")

KINDS = ("memory", "sqlite", "sqlite-inline", "postgres")


@pytest.fixture(params=KINDS)
def world(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[World]:
    with make_world(request.param, tmp_path) as made:
        yield made


@pytest.fixture(params=("memory", "sqlite", "sqlite-inline"))
def local_world(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[World]:
    """Of those that judge leases by the clock of their machine, which a test can turn."""
    with make_world(request.param, tmp_path) as made:
        yield made


@pytest.fixture(params=("memory", "sqlite", "postgres"))
def hinting_world(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[World]:
    """Return the worlds whose stores watch for changes of other processes; an inline store has no thread to watch."""
    with make_world(request.param, tmp_path) as made:
        yield made


@pytest.fixture(params=("sqlite", "postgres"))
def shared_world(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[World]:
    """Of those that several processes may share."""
    with make_world(request.param, tmp_path) as made:
        yield made


@pytest.fixture(params=("postgres",))
def server_world(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[World]:
    """Of those that judge leases by the clock of their server."""
    with make_world(request.param, tmp_path) as made:
        yield made


@pytest.fixture(params=("sqlite", "sqlite-inline", "postgres"))
def full_world(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[World]:
    """Of those that also keep tokens, targets, people and reminders."""
    with make_world(request.param, tmp_path) as made:
        yield made
