"""Every test of this folder runs over the store in memory, and over SQLite."""

from __future__ import annotations

from pathlib import Path

import pytest

from duly.stores.sqlite.store import SqliteStore
from tests.executor_world import ExecutorWorld


@pytest.fixture(params=["memory", "sqlite"], autouse=True)
def kept_in(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "sqlite":
        monkeypatch.setattr(
            ExecutorWorld, "make_store", lambda world: SqliteStore(tmp_path / "duly.db", world.clock, inline=True)
        )
