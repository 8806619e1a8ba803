"""What commands that need the store have in common."""

from __future__ import annotations

from pathlib import Path

from duly.cli.houses import unserved
from duly.config.settings import Settings
from duly.daemon.house import House


def test_of_a_store_that_others_share_nobody_says_that_nothing_runs(tmp_path: Path) -> None:
    here = House(Settings(data_dir=tmp_path, store=str(tmp_path / "schedules.db")))
    assert unserved(here) == "  nothing runs here at the moment: start it with duly up\n"
    address = {"STORE": "postgresql://127.0.0.1/duly"}
    shared = House(Settings(data_dir=tmp_path, store="env:STORE"), environment=address)
    assert unserved(shared) == ""
