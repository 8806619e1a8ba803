"""Every test of this suite runs on every store, except where a store cannot do what the test is about."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conformance.stores.harness import StoreHarness, make_harness

pytest.register_assert_rewrite("tests.conformance.stores.machine")

KINDS = ("memory", "sqlite", "sqlite-inline", "postgres")


@pytest.fixture(params=KINDS)
def harness(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[StoreHarness]:
    with make_harness(request.param, tmp_path) as made:
        yield made


@pytest.fixture(params=("memory", "sqlite", "sqlite-inline"))
def local_harness(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[StoreHarness]:
    """Of those that judge leases by the clock of their machine, which a test can turn."""
    with make_harness(request.param, tmp_path) as made:
        yield made


@pytest.fixture(params=("memory", "sqlite", "postgres"))
def hinting_harness(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[StoreHarness]:
    """Return the worlds whose stores watch for changes of other processes; an inline store has no thread to watch."""
    with make_harness(request.param, tmp_path) as made:
        yield made


@pytest.fixture(params=("sqlite", "postgres"))
def shared_harness(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[StoreHarness]:
    """Of those that several processes may share."""
    with make_harness(request.param, tmp_path) as made:
        yield made


@pytest.fixture(params=("postgres",))
def server_harness(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[StoreHarness]:
    """Of those that judge leases by the clock of their server."""
    with make_harness(request.param, tmp_path) as made:
        yield made


@pytest.fixture(params=("sqlite", "sqlite-inline", "postgres"))
def full_harness(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[StoreHarness]:
    """Of those that also keep tokens, targets, people and reminders."""
    with make_harness(request.param, tmp_path) as made:
        yield made
