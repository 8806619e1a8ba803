"""What one process is put together from, and what it says when that cannot be."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from duly.config.settings import Settings
from duly.daemon.house import House
from duly.errors import ConfigError
from tests.support import run


@run
async def test_a_data_directory_that_cannot_be_made_is_told_with_the_fix(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    for folder in (tmp_path / "file", tmp_path / "file" / "below"):
        house = House(Settings(data_dir=folder, store=str(tmp_path / "schedules.db")))
        with pytest.raises(ConfigError, match=rf"data_dir: cannot make the directory {folder}: .*--data-dir"):
            await house.open()


def test_a_driver_that_is_not_installed_is_a_fault_of_the_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "duly.stores.postgres.store", None)
    with pytest.raises(ConfigError, match="store: import of"):
        House(Settings(data_dir=tmp_path, store="postgresql://127.0.0.1/x"))
