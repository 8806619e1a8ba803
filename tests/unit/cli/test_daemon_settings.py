"""A command never accepts what the running daemon would refuse: it uses the daemon's file, store and jobs."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from duly.clock import Clock
from duly.ports.records import NodeRecord
from duly.processes import boot_id, pid_started
from duly.runtime.daemon_lock import DaemonLock
from duly.stores import open_store
from tests.unit.cli.home import Home, home

__all__ = ["home"]

JOBS = '[jobs]\nlength = "json:dumps"\n'
CREATE = ("schedule", "create", "count", "--cron", "0 9 * * *", "--job-name", "length", "--arg", "obj=1")


@contextmanager
def daemon(home: Home, folder: Path, *, config: Path | None, store: str | None = None) -> Iterator[None]:
    """A daemon on the data directory, as far as others can see: it opens its store before it says where it is."""
    presence = DaemonLock(folder)
    url = store or str(folder / "schedules.db")
    asyncio.run(make_store(url, home.clock))
    asyncio.run(presence.claim("http://127.0.0.1:1", url, home.clock, config))
    try:
        yield
    finally:
        presence.release()


async def make_store(url: str, clock: Clock) -> None:
    store = open_store(url, clock, inline=True)
    await store.open()
    await store.close()


async def _serve(home: Home, folder: Path, *handlers: str) -> None:
    """Let a living node serve so much."""
    store = open_store(str(folder / "schedules.db"), home.clock, inline=True)
    await store.open()
    pid = os.getpid()
    node = NodeRecord(
        id="node_a",
        host="here",
        pid=pid,
        pid_started=pid_started(pid) or "",
        boot_id=boot_id(),
        lease_seconds=600,
        handlers=handlers,
        started_at=home.clock.now(),
    )
    await store.register(node)
    await store.close()


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Another current directory."""
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def test_a_file_in_the_current_directory_does_not_count_when_the_daemon_has_none(
    home: Home, tmp_path: Path, elsewhere: Path
) -> None:
    (tmp_path / "duly.toml").unlink()
    (elsewhere / "duly.toml").write_text(JOBS, encoding="utf-8")
    with daemon(home, tmp_path, config=None):
        assert home.fail(*CREATE, code=2) == "unknown job 'length': registered are none yet"
        told = home.fail(*CREATE, "--config", "duly.toml", code=2)
        assert told == (
            f"--config: names {elsewhere / 'duly.toml'}, but the daemon of {tmp_path} runs without a file: "
            f"leave it out, or restart the daemon with it"
        )
    home.say(*CREATE, "--config", "duly.toml")  # no daemon, no contradiction


def test_people_can_look_and_answer_while_the_file_of_the_daemon_has_a_fault(home: Home, tmp_path: Path) -> None:
    file = tmp_path / "duly.toml"
    with daemon(home, tmp_path, config=file):
        home.say("remind", "tea", "in", "5m")
        file.write_text("x = [\n", encoding="utf-8")
        for words in (["list"], ["inbox"], ["events"], ["health"]):
            done = home.run(*words)
            assert "Traceback" not in done.err
            assert "duly.toml:" in done.err
            assert "the running daemon goes on with what it had" in done.err
            assert done.out
        file.unlink()
        assert "tea" in home.run("list").out
    assert home.run("list", "--config", "duly.toml").code == 2


def test_without_a_daemon_a_fault_of_the_file_is_an_error(home: Home, tmp_path: Path) -> None:
    (tmp_path / "duly.toml").write_text("x = [\n", encoding="utf-8")
    assert home.fail("list", code=2).startswith("duly.toml:")


def test_the_file_of_the_daemon_counts_wherever_the_command_is_given(
    home: Home, tmp_path: Path, elsewhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = elsewhere / "theirs.toml"
    file.write_text(JOBS, encoding="utf-8")
    with daemon(home, tmp_path, config=file):
        assert home.say(*CREATE).startswith("✓ count ")
        home.say("list", "--config", "theirs.toml")
        monkeypatch.setenv("DULY_CONFIG", str(tmp_path / "duly.toml"))
        assert home.fail("list", code=2).startswith(f"DULY_CONFIG: names {tmp_path / 'duly.toml'}, but the daemon of")


def test_another_store_than_the_daemons_is_refused(home: Home, tmp_path: Path) -> None:
    with daemon(home, tmp_path, config=tmp_path / "duly.toml"):
        home.say("list")
        home.configure('store = "other.db"\n')
        told = home.fail("list", code=2)
        assert told.startswith(f"store: is {tmp_path / 'other.db'} here, but the daemon of {tmp_path} works on ")


def test_a_job_that_the_daemon_could_not_load_is_refused(home: Home, tmp_path: Path) -> None:
    home.configure(JOBS)
    home.say("list")
    with daemon(home, tmp_path, config=tmp_path / "duly.toml"):
        asyncio.run(_serve(home, tmp_path, "prompt:default", "job:other"))
        told = home.fail(*CREATE, code=1)
        assert told.startswith("job length is known here, but not to the running daemon: its log says what")
        assert home.read("list")["items"] == []
        asyncio.run(_serve(home, tmp_path, "job:length"))
        home.say(*CREATE)
        home.say("schedule", "pause", "count")
        asyncio.run(_serve(home, tmp_path, "job:other"))
        assert "not to the running daemon" in home.fail("schedule", "resume", "count", code=1)


def test_a_list_shows_which_schedules_rest_and_why(home: Home) -> None:
    gone = '[jobs]\nlength = "no_such_module:f"\n[butler]\nname = "home"\n'
    entry = '[[butler.schedule]]\nname = "count"\ncron = "0 13 * * *"\njob_name = "length"\n'
    home.configure(gone + entry)
    assert home.say("sync") == "+ count (created)\n1 changed, 0 unchanged\n"
    home.wait(hours=2)
    reason = "jobs.length: cannot load 'no_such_module:f': No module named 'no_such_module'"
    said = home.say("list")
    assert "  resting since 15:00  " in said.splitlines()[1]
    assert f"\n  count  resting since 15:00: {reason}\n" in said
    assert home.read("schedule", "get", "count")["resting"] == reason
    assert f"resting               {reason}\n" in home.say("schedule", "get", "count")
    assert home.read("schedule", "history", "count")["items"] == []
    home.configure(gone.replace("no_such_module:f", "json:dumps") + entry + "job_args = { obj = 1 }\n")
    home.say("sync")
    home.wait(minutes=1)
    assert [run["status"] for run in home.read("schedule", "history", "count")["items"]] == ["succeeded"]
