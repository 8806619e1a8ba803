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
from tests.unit.cli.command_line import CommandLine, command_line

__all__ = ["command_line"]

JOBS = '[jobs]\nlength = "json:dumps"\n'
CREATE = ("schedule", "create", "count", "--cron", "0 9 * * *", "--job-name", "length", "--arg", "obj=1")


@contextmanager
def daemon(command_line: CommandLine, folder: Path, *, config: Path | None, store: str | None = None) -> Iterator[None]:
    """A daemon on the data directory, as far as others can see: it opens its store before it says where it is."""
    presence = DaemonLock(folder)
    url = store or str(folder / "schedules.db")
    asyncio.run(make_store(url, command_line.clock))
    asyncio.run(presence.claim("http://127.0.0.1:1", url, command_line.clock, config))
    try:
        yield
    finally:
        presence.release()


async def make_store(url: str, clock: Clock) -> None:
    store = open_store(url, clock, inline=True)
    await store.open()
    await store.close()


async def _serve(command_line: CommandLine, folder: Path, *handlers: str) -> None:
    """Let a living node serve so much."""
    store = open_store(str(folder / "schedules.db"), command_line.clock, inline=True)
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
        started_at=command_line.clock.now(),
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
    command_line: CommandLine, tmp_path: Path, elsewhere: Path
) -> None:
    (tmp_path / "duly.toml").unlink()
    (elsewhere / "duly.toml").write_text(JOBS, encoding="utf-8")
    with daemon(command_line, tmp_path, config=None):
        assert command_line.fail(*CREATE, code=2) == "unknown job 'length': registered are none yet"
        told = command_line.fail(*CREATE, "--config", "duly.toml", code=2)
        assert told == (
            f"--config: names {elsewhere / 'duly.toml'}, but the daemon of {tmp_path} runs without a file: "
            f"leave it out, or restart the daemon with it"
        )
    command_line.say(*CREATE, "--config", "duly.toml")  # no daemon, no contradiction


def test_people_can_look_and_answer_while_the_file_of_the_daemon_has_a_fault(
    command_line: CommandLine, tmp_path: Path
) -> None:
    file = tmp_path / "duly.toml"
    with daemon(command_line, tmp_path, config=file):
        command_line.say("remind", "tea", "in", "5m")
        file.write_text("x = [\n", encoding="utf-8")
        for words in (["list"], ["inbox"], ["events"], ["health"]):
            done = command_line.run(*words)
            assert "Traceback" not in done.err
            assert "duly.toml:" in done.err
            assert "the running daemon goes on with what it had" in done.err
            assert done.out
        file.unlink()
        assert "tea" in command_line.run("list").out
    assert command_line.run("list", "--config", "duly.toml").code == 2


def test_without_a_daemon_a_fault_of_the_file_is_an_error(command_line: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "duly.toml").write_text("x = [\n", encoding="utf-8")
    assert command_line.fail("list", code=2).startswith("duly.toml:")


def test_the_file_of_the_daemon_counts_wherever_the_command_is_given(
    command_line: CommandLine, tmp_path: Path, elsewhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = elsewhere / "theirs.toml"
    file.write_text(JOBS, encoding="utf-8")
    with daemon(command_line, tmp_path, config=file):
        assert command_line.say(*CREATE).startswith("✓ count ")
        command_line.say("list", "--config", "theirs.toml")
        monkeypatch.setenv("DULY_CONFIG", str(tmp_path / "duly.toml"))
        assert command_line.fail("list", code=2).startswith(
            f"DULY_CONFIG: names {tmp_path / 'duly.toml'}, but the daemon of"
        )


def test_another_store_than_the_daemons_is_refused(command_line: CommandLine, tmp_path: Path) -> None:
    with daemon(command_line, tmp_path, config=tmp_path / "duly.toml"):
        command_line.say("list")
        command_line.configure('store = "other.db"\n')
        told = command_line.fail("list", code=2)
        assert told.startswith(f"store: is {tmp_path / 'other.db'} here, but the daemon of {tmp_path} works on ")


def test_a_job_that_the_daemon_could_not_load_is_refused(command_line: CommandLine, tmp_path: Path) -> None:
    command_line.configure(JOBS)
    command_line.say("list")
    with daemon(command_line, tmp_path, config=tmp_path / "duly.toml"):
        asyncio.run(_serve(command_line, tmp_path, "prompt:default", "job:other"))
        told = command_line.fail(*CREATE, code=1)
        assert told.startswith("job length is known here, but not to the running daemon: its log says what")
        assert command_line.read("list")["items"] == []
        asyncio.run(_serve(command_line, tmp_path, "job:length"))
        command_line.say(*CREATE)
        command_line.say("schedule", "pause", "count")
        asyncio.run(_serve(command_line, tmp_path, "job:other"))
        assert "not to the running daemon" in command_line.fail("schedule", "resume", "count", code=1)


def test_a_list_shows_which_schedules_rest_and_why(command_line: CommandLine) -> None:
    gone = '[jobs]\nlength = "no_such_module:f"\n[butler]\nname = "home"\n'
    entry = '[[butler.schedule]]\nname = "count"\ncron = "0 13 * * *"\njob_name = "length"\n'
    command_line.configure(gone + entry)
    assert command_line.say("sync") == "+ count (created)\n1 changed, 0 unchanged\n"
    command_line.wait(hours=2)
    reason = "jobs.length: cannot load 'no_such_module:f': No module named 'no_such_module'"
    said = command_line.say("list")
    assert "  resting since 15:00  " in said.splitlines()[1]
    assert f"\n  count  resting since 15:00: {reason}\n" in said
    assert command_line.read("schedule", "get", "count")["resting"] == reason
    assert f"resting               {reason}\n" in command_line.say("schedule", "get", "count")
    assert command_line.read("schedule", "history", "count")["items"] == []
    command_line.configure(gone.replace("no_such_module:f", "json:dumps") + entry + "job_args = { obj = 1 }\n")
    command_line.say("sync")
    command_line.wait(minutes=1)
    assert [run["status"] for run in command_line.read("schedule", "history", "count")["items"]] == ["succeeded"]
