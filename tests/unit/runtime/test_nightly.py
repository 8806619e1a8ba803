"""Backups that a daemon makes by itself: at their time, when it was missed, and again after a failure."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from duly.config.reading import load
from duly.config.settings import Settings
from duly.engine.health import Light
from duly.errors import AccessDeniedError, BackupError, ConfigError, NotFoundError
from duly.model.events import Event
from duly.runtime.nightly import NightlyBackup
from duly.runtime.runtime import Runtime
from duly.service.access.scopes import ADMIN, Caller, Scope
from duly.service.backups import kept_in, verify
from duly.testing import VirtualClock
from tests.sqlite_template import prepare

EVENING = datetime(2026, 11, 16, 20, tzinfo=UTC)
CONFIG = """
timezone = "Europe/Berlin"
[backup]
folder = "copies"
at = "03:30"
keep = 3
"""


def settings_of(folder: Path, text: str = CONFIG) -> Settings:
    (folder / "duly.toml").write_text(text)
    return load({}, config=str(folder / "duly.toml"), data_dir=str(folder))


@asynccontextmanager
async def night(folder: Path) -> AsyncIterator[tuple[NightlyBackup, Runtime, VirtualClock]]:
    clock = VirtualClock(EVENING)
    settings = settings_of(folder)
    prepare(Path(settings.store))
    runtime = Runtime(settings, clock=clock, environment={})
    await runtime.open()
    try:
        yield NightlyBackup(runtime), runtime, clock
    finally:
        await runtime.close()


def made(folder: Path) -> list[str]:
    return [each.name for each in kept_in(folder / "copies")]


async def test_the_first_is_made_at_once_and_then_one_each_night(tmp_path: Path) -> None:
    async with night(tmp_path) as (nightly, _, clock):
        await nightly.look()
        assert made(tmp_path) == ["duly-20261116T200000Z.backup"]
        clock.advance(timedelta(hours=6, minutes=29))
        await nightly.look()
        assert len(made(tmp_path)) == 1
        clock.advance(timedelta(minutes=1))  # 03:30 in Berlin
        await nightly.look()
        await nightly.look()
        assert made(tmp_path)[1:] == ["duly-20261117T023000Z.backup"]
    assert (await verify(tmp_path / "copies" / made(tmp_path)[0])).schedules == 0


async def test_the_oldest_go_and_nothing_else(tmp_path: Path) -> None:
    async with night(tmp_path) as (nightly, _, clock):
        (tmp_path / "copies").mkdir()
        (tmp_path / "copies" / ".duly-20260101T000000Z.backup.x").mkdir()
        for name in ("letter", "duly-mine.backup"):
            (tmp_path / "copies" / name).write_text("stays")
        for _ in range(5):
            await nightly.look()
            clock.advance(timedelta(days=1))
    assert made(tmp_path) == [f"duly-202611{day}T200000Z.backup" for day in (18, 19, 20)]
    assert sorted(each.name for each in (tmp_path / "copies").iterdir())[-2:] == ["duly-mine.backup", "letter"]
    assert not list((tmp_path / "copies").glob(".*"))


async def test_a_failure_is_red_until_a_backup_is_made(tmp_path: Path) -> None:
    told: list[Event] = []
    async with night(tmp_path) as (nightly, runtime, clock):
        runtime.hear(told.append)
        (in_the_way := tmp_path / "copies").write_text("a file")
        await nightly.look()
        await nightly.look()
        health = await runtime.health()
        assert health.light is Light.RED
        [reason] = [each for each in health.reasons if "backup" in each]
        assert reason.startswith(f"the last backup failed: {in_the_way} cannot be used: ")
        assert "name another folder in [backup]" in reason
        in_the_way.unlink()
        await nightly.look()
        assert runtime.backups.fault is not None
        clock.advance(timedelta(hours=1))
        await nightly.look()
        assert not [each for each in (await runtime.health()).reasons if "backup" in each]
    assert [each.kind.name for each in told] == ["store.backup_failed", "store.backed_up"]


async def test_a_new_folder_is_taken_up_at_once(tmp_path: Path) -> None:
    async with night(tmp_path) as (nightly, runtime, _):
        (tmp_path / "copies").write_text("a file")
        await nightly.look()
        runtime.settings = settings_of(tmp_path, CONFIG.replace("copies", "others"))
        await nightly.look()
        assert runtime.backups.fault is None
        assert len(kept_in(tmp_path / "others")) == 1
        (tmp_path / "others").rename(tmp_path / "gone")
        (tmp_path / "others").write_text("a file")
        with pytest.raises(BackupError):
            await runtime.backups.make(Caller(ADMIN))
        runtime.settings = settings_of(tmp_path, "")
        await nightly.look()
        assert runtime.backups.fault is None


async def test_on_request(tmp_path: Path) -> None:
    async with night(tmp_path) as (_, runtime, _):
        view = await runtime.backups.make(Caller(ADMIN))
        assert Path(view.file).name in made(tmp_path)
        for scope in (Scope("user:ana"), Scope("project:blog")):
            with pytest.raises(AccessDeniedError):
                await runtime.backups.make(Caller(scope))
        runtime.settings = settings_of(tmp_path, "")
        with pytest.raises(NotFoundError, match=r"\[backup\] folder"):
            await runtime.backups.make(Caller(ADMIN))


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("[backup]", "backup.folder: is missing"),
        ('[backup]\nfolder = "x"\nat = "25:00"', 'must be a time of day such as "03:30"'),
        ('[backup]\nfolder = "x"\nkeep = 0', "must be a whole number from 1 to 1000"),
        ('[backup]\nfolder = "x"\nnightly = true', "nightly"),
        ("backup = 3", "backup"),
    ],
)
def test_a_bad_setting_is_named(tmp_path: Path, text: str, fault: str) -> None:
    with pytest.raises(ConfigError) as caught:
        settings_of(tmp_path, text)
    assert fault in str(caught.value)
