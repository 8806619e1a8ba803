"""Only the owner can read the files that duly writes, with any umask; and duly follows no planted link."""

from __future__ import annotations

import asyncio
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from duly import private_files
from duly.clock import SystemClock
from duly.config.settings import Settings
from duly.config.trust import TrustedFiles
from duly.errors import DulyError
from duly.runtime.daemon_lock import DaemonLock, find_daemon
from duly.runtime.links import link_secret
from duly.runtime.runtime import Runtime
from duly.runtime.secret_files import open_folder, read_secret, secret_file
from duly.server.daemon import local_token
from duly.service.access.scopes import Face
from duly.stores import open_store
from duly.testing import VirtualClock
from tests.unit.cli.command_line import CommandLine, command_line
from tests.world import world

__all__ = ["command_line"]
UMASKS = pytest.mark.parametrize("umask", [0o000, 0o022, 0o077])


@contextmanager
def _umask(mask: int) -> Iterator[None]:
    before = os.umask(mask)
    try:
        yield
    finally:
        os.umask(before)


def _modes(folder: Path) -> dict[str, int]:
    return {
        str(each.relative_to(folder.parent)): stat.S_IMODE(each.lstat().st_mode)
        for each in [folder, *folder.rglob("*")]
    }


@UMASKS
async def test_everything_in_a_data_directory_is_the_owner_s_alone(tmp_path: Path, umask: int) -> None:
    folder = tmp_path / "home" / "data"
    with _umask(umask):
        runtime = Runtime(Settings(data_dir=folder, store=str(folder / "store" / "duly.db")), clock=SystemClock())
        await runtime.open()
        lock = DaemonLock(folder)
        try:
            await local_token(runtime)
            link_secret(runtime)
            await lock.claim("http://here", runtime.store.url, runtime.clock)
            await runtime.services.reminder_service.people.add("ana")
            TrustedFiles(folder / "trust").add(tmp_path / "duly.toml", {})
            modes = _modes(tmp_path / "home")
        finally:
            lock.release()
            await runtime.close()
    assert {"home/data/store/duly.db-wal", "home/data/store/duly.db-shm", "home/data/daemon.lock"} <= modes.keys()
    assert {"home/data/local.token", "home/data/link.secret", "home/data/trust/trusted.json"} <= modes.keys()
    wrong = {
        name: oct(mode) for name, mode in modes.items() if mode != (0o700 if (tmp_path / name).is_dir() else 0o600)
    }
    assert wrong == {}


async def test_what_an_older_duly_left_open_is_closed_on_opening(tmp_path: Path) -> None:
    path = tmp_path / "duly.db"
    first = open_store(str(path), SystemClock())
    await first.open()
    files = [path, tmp_path / "duly.db-wal", tmp_path / "duly.db-shm"]
    for each in files:
        each.chmod(0o664)
    second = open_store(str(path), SystemClock())
    await second.open()
    modes = [stat.S_IMODE(each.stat().st_mode) for each in files]
    await second.close()
    await first.close()
    assert modes == [0o600, 0o600, 0o600]


async def test_the_copy_of_a_deleted_store_is_the_owner_s_alone(tmp_path: Path) -> None:
    path = tmp_path / "duly.db"
    with _umask(0):
        store = open_store(str(path), SystemClock())
        await store.open()
        path.unlink()
        await store.close()
    assert stat.S_IMODE((tmp_path / "duly.db.saved").stat().st_mode) == 0o600


def test_a_secret_that_others_could_read_is_closed(tmp_path: Path) -> None:
    path = tmp_path / "link.secret"
    path.write_text("known\n", encoding="utf-8")
    path.chmod(0o644)
    assert secret_file(path, lambda: "new") == "known"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize("target", ["there", "missing"])
def test_a_planted_symbolic_link_is_neither_read_nor_written_through(tmp_path: Path, target: str) -> None:
    victim, path = tmp_path / "victim", tmp_path / "local.token"
    if target == "there":
        victim.write_text("attacker knows this", encoding="utf-8")
    path.symlink_to(victim)
    with pytest.raises(DulyError, match=r"cannot use .*local\.token: it is a symbolic link"):
        secret_file(path, lambda: "secret")
    assert victim.exists() is (target == "there")
    assert target == "missing" or victim.read_text(encoding="utf-8") == "attacker knows this"


def test_a_planted_hard_link_is_refused(tmp_path: Path) -> None:
    victim, path = tmp_path / "victim", tmp_path / "local.token"
    victim.write_text("attacker knows this", encoding="utf-8")
    os.link(victim, path)
    with pytest.raises(DulyError, match="a second name of another file"):
        read_secret(path)


def test_a_pipe_in_place_of_a_secret_does_not_hang(tmp_path: Path) -> None:
    path = tmp_path / "link.secret"
    os.mkfifo(path)
    with pytest.raises(DulyError, match="it is not a file"):
        read_secret(path)


def test_a_file_of_another_user_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "link.secret"
    path.write_text("planted\n", encoding="utf-8")
    owner = path.stat().st_uid
    monkeypatch.setattr(os, "geteuid", lambda: owner + 1)
    with pytest.raises(DulyError, match=rf"it belongs to user {owner}"):
        read_secret(path)


def test_the_draft_of_a_secret_is_not_taken_for_a_hard_link(tmp_path: Path) -> None:
    path = tmp_path / "link.secret"
    (tmp_path / ".link.secret.0123").write_text("ours\n", encoding="utf-8")
    os.link(tmp_path / ".link.secret.0123", path)
    assert read_secret(path) == "ours"


async def test_a_lock_file_that_is_a_link_is_refused(tmp_path: Path) -> None:
    (tmp_path / "daemon.lock").symlink_to(tmp_path / "victim")
    with pytest.raises(DulyError, match="it is a symbolic link"):
        await DaemonLock(tmp_path).claim("http://here", "one.db", VirtualClock())
    assert not (tmp_path / "victim").exists()


# folders that others can enter


@pytest.mark.parametrize(("mode", "may"), [(0o700, None), (0o750, "read"), (0o755, "read"), (0o770, "write")])
def test_an_open_folder_is_told_with_its_cure(tmp_path: Path, mode: int, may: str | None) -> None:
    folder = tmp_path / "my data"
    folder.mkdir()
    folder.chmod(mode)
    told = open_folder(folder)
    assert private_files.others_may(folder) == may
    if may is None:
        assert told is None
    else:
        assert f"they may {may} in '{folder}'. Run: chmod 700 '{folder}'" in str(told)


def test_health_tells_of_a_folder_that_others_may_write_in(command_line: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "duly.toml").unlink()  # where others may write it is refused, but not the data
    tmp_path.chmod(0o777)
    seen = command_line.read("health")
    assert (seen["state"], f"Run: chmod 700 {tmp_path}" in " ".join(seen["reasons"])) == ("yellow", True)
    for mode in (0o755, 0o700):  # that others see names of files is no fault of a daemon that is well
        tmp_path.chmod(mode)
        assert "chmod" not in " ".join(command_line.read("health")["reasons"])


def test_a_stranger_who_asks_for_health_learns_no_path(tmp_path: Path) -> None:
    async def ask() -> str:
        async with world(tmp_path) as here:
            return (await here.http.get("/health")).text

    tmp_path.chmod(0o777)
    told = asyncio.run(ask())
    tmp_path.chmod(0o700)
    assert "other users of this machine reach the files of duly" in told
    assert str(tmp_path) not in told


# the lock of the daemon


async def test_a_lock_file_that_was_deleted_is_put_back_by_the_daemon_that_holds_it(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    clock, first = VirtualClock(), DaemonLock(tmp_path)
    await first.claim("http://first", "one.db", clock)
    keeping = asyncio.create_task(first.keep(clock))
    (tmp_path / "daemon.lock").unlink()
    assert find_daemon(tmp_path) is None
    await clock.travel(seconds=6)
    assert (find_daemon(tmp_path) or {})["url"] == "http://first"
    assert "was deleted while this daemon held it; it is back" in caplog.text
    claiming = asyncio.ensure_future(DaemonLock(tmp_path).claim("http://second", "one.db", clock))
    await clock.travel(seconds=1)
    with pytest.raises(DulyError, match="a daemon already runs"):
        await claiming
    keeping.cancel()
    await asyncio.gather(keeping, return_exceptions=True)
    first.release()


async def test_a_daemon_whose_place_was_taken_says_so_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    clock, first, second = VirtualClock(), DaemonLock(tmp_path), DaemonLock(tmp_path)
    await first.claim("http://first", "one.db", clock)
    (tmp_path / "daemon.lock").unlink()
    await second.claim("http://second", "one.db", clock)
    keeping = asyncio.create_task(first.keep(clock))
    await clock.travel(seconds=20)
    assert caplog.text.count("a second daemon has taken its place, at http://second") == 1
    keeping.cancel()
    await asyncio.gather(keeping, return_exceptions=True)
    first.release()
    assert (find_daemon(tmp_path) or {})["url"] == "http://second"
    second.release()


async def test_a_lock_on_a_file_that_was_deleted_meanwhile_does_not_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second daemon opens the file, the first deletes it, and only then the second locks what it has opened."""
    clock, path, opened = VirtualClock(), tmp_path / "daemon.lock", list[int]()
    real = private_files.open_own

    def open_and_lose(path: Path, flags: int) -> int:
        opened.append(real(path, flags))
        if len(opened) == 1:
            path.unlink()
        return opened[-1]

    monkeypatch.setattr(private_files, "open_own", open_and_lose)
    lock = DaemonLock(tmp_path)
    await lock.claim("http://here", "one.db", clock)
    assert len(opened) == 2
    assert (find_daemon(tmp_path) or {})["url"] == "http://here"
    assert path.stat().st_ino == os.fstat(opened[1]).st_ino
    lock.release()


async def test_a_local_token_that_is_not_valid_is_made_again(tmp_path: Path) -> None:
    runtime = Runtime(Settings(data_dir=tmp_path, store=str(tmp_path / "duly.db")), clock=VirtualClock())
    await runtime.open()
    (tmp_path / "local.token").write_text("duly_forged\n", encoding="utf-8")
    made = await local_token(runtime)
    assert made != "duly_forged"
    assert await runtime.services.tokens.caller(made, Face.CLI) is not None
    assert stat.S_IMODE((tmp_path / "local.token").stat().st_mode) == 0o600
    await runtime.close()


@pytest.mark.parametrize("content", [None, b"", b"duly_forged", b"\xff\x00"])
async def test_a_lost_local_token_is_revoked(tmp_path: Path, content: bytes | None) -> None:
    runtime = Runtime(Settings(data_dir=tmp_path, store=str(tmp_path / "duly.db")), clock=VirtualClock())
    await runtime.open()
    lost = await local_token(runtime)
    assert await local_token(runtime) == lost  # a start with a whole file changes nothing
    other = await runtime.services.tokens.create(
        runtime.local(Face.CLI), "local", "admin"
    )  # of another machine's directory
    if content is None:
        (tmp_path / "local.token").unlink()
    else:
        (tmp_path / "local.token").write_bytes(content)
    made = await local_token(runtime)
    assert await runtime.services.tokens.caller(lost, Face.CLI) is None
    assert await runtime.services.tokens.caller(made, Face.CLI) is not None
    assert await runtime.services.tokens.caller(other.secret, Face.CLI) is not None
    await runtime.close()


async def test_a_local_token_of_an_older_duly_is_revoked_when_it_is_lost(tmp_path: Path) -> None:
    """An older duly wrote no id: the next start does."""
    runtime = Runtime(Settings(data_dir=tmp_path, store=str(tmp_path / "duly.db")), clock=VirtualClock())
    await runtime.open()
    lost = await local_token(runtime)
    (tmp_path / "local.token.id").unlink()
    await local_token(runtime)
    (tmp_path / "local.token").unlink()
    await local_token(runtime)
    assert await runtime.services.tokens.caller(lost, Face.CLI) is None
    await runtime.close()
