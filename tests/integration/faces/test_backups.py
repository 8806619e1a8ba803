"""A backup that an admin elsewhere asks for: the daemon makes it in its own folder, and nobody waits for minutes."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path

import pytest

from duly.cli import app
from duly.config.backup import BackupSettings
from duly.errors import BackupError, ConflictError
from duly.service import backups
from duly.service.access.scopes import Caller, Face
from duly.service.backups import kept_in
from duly.stores import backup as stores
from tests.integration.faces.test_rest import Api
from tests.world import served_in_thread, world

ADMIN = Caller(face=Face.API)


async def test_over_the_api(tmp_path: Path) -> None:
    folder = tmp_path / "copies"
    async with world(tmp_path, backup=BackupSettings(folder=folder)) as here:
        await here.remind("local")
        ask = Api(here, await here.token("admin"))
        made = await ask.done("POST", "/backups")
        assert (made["folder"], made["goes_on"], made["backup"]["schedules"]) == (str(folder), False, 1)
        assert [made["backup"]["file"]] == [str(each) for each in kept_in(folder)]
        assert "this very second" in (await ask.refused(409, "POST", "/backups"))["detail"]
        for scope in ("admin:ro", "user:local", "project:shop"):
            await Api(here, await here.token(scope)).refused(403, "POST", "/backups")


async def test_without_a_folder(tmp_path: Path) -> None:
    async with world(tmp_path) as here:
        ask = Api(here, await here.token("admin"))
        assert "[backup] folder" in (await ask.refused(404, "POST", "/backups"))["detail"]


def test_by_a_command_elsewhere(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (there := tmp_path / "there").mkdir()
    with served_in_thread(there, backup=BackupSettings(folder=tmp_path / "copies")) as place:
        at = ["--server", place.url, f"--token={place.token}"]
        assert app.run([*at, "backup"]) == 0
        assert capsys.readouterr().out.startswith(f"✓ {tmp_path / 'copies'}/duly-")
        assert app.run([*at, "backup", str(tmp_path / "a.backup")]) == 1
        assert "writes on this machine" in capsys.readouterr().err
        assert app.run([*at, "restore", "x"]) == 2
        assert "works on its own machine" in capsys.readouterr().err
        assert app.run([*at, "backup", "--verify"]) == 2
        assert "needs FILE" in capsys.readouterr().err


async def test_a_long_one_goes_on_after_the_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backups, "ANSWERED_AFTER", 0)
    folder = tmp_path / "copies"
    may_go_on = threading.Event()
    make = stores.make

    def slow(url: str, file: Path, now: object, heard: stores.Telling) -> stores.Backup:
        assert may_go_on.wait(60)
        return make(url, file, now, heard)  # type: ignore[arg-type]

    monkeypatch.setattr(stores, "make", slow)
    async with world(tmp_path, backup=BackupSettings(folder=folder)) as here:
        asked = here.runtime.backups
        assert (await asked.begin(ADMIN)).goes_on
        with pytest.raises(ConflictError, match="being made already"):
            await asked.make(ADMIN)
        [under_way] = asked._under_way
        may_go_on.set()
        assert (await under_way).schedules == 0
        assert len(kept_in(folder)) == 1


async def test_one_that_is_under_way_ends_with_the_daemon(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ended: list[str] = []
    began = threading.Event()

    def endless(_url: str, _file: Path, _now: object, heard: stores.Telling) -> stores.Backup:
        while True:
            try:
                heard("still")
            except BackupError as error:
                ended.append(str(error))
                raise
            began.set()

    monkeypatch.setattr(stores, "make", endless)
    async with world(tmp_path, backup=BackupSettings(folder=tmp_path / "copies")) as here:
        making = asyncio.create_task(here.runtime.backups.begin(ADMIN))
        await asyncio.to_thread(began.wait)
        await here.runtime.backups.stop()
        with pytest.raises(asyncio.CancelledError):
            await making
    assert ended == ["the backup was not made: the process that made it was asked to stop"]
