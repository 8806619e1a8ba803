"""Concerns at the command line: in the list, in the inbox, after ✓, and in `duly health`."""

from __future__ import annotations

import asyncio
import json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import pytest

from duly.clock import SystemClock
from duly.runtime.daemon_lock import DaemonLock
from duly.service.schedules.attention import NOTHING_RUNS
from duly.stores import open_store
from tests.conformance.stores.builders import schedule
from tests.conformance.stores.harness import InlineSqliteHarness
from tests.unit.cli.command_line import CommandLine, command_line

__all__ = ["command_line"]

_JOBS = '[jobs]\nlength = "json:dumps"\nexplode = "json:loads"\n'
_HOURLY = ("--job-name", "length", "--arg", "obj=[1]")
_FAILING = ("--job-name", "explode", "--arg", "s=no")


@pytest.fixture
def jobs(command_line: CommandLine) -> CommandLine:
    """Where two jobs are known."""
    command_line.configure(_JOBS)
    return command_line


def fail(jobs: CommandLine) -> None:
    """Let an hour pass, and let the runs that are due then fail."""
    jobs.clock.advance(timedelta(hours=1))
    jobs.run("tick")


def state(said: str, name: str) -> str:
    """The state of a schedule in a list."""
    (line,) = [line for line in said.partition("\n\n")[0].splitlines() if line.startswith(f"{name} ")]
    return re.split(r" {2,}", line)[-2]


@contextmanager
def engine(command_line: CommandLine, tmp_path: Path, *handlers: str) -> Iterator[None]:
    """A node that is alive meanwhile and serves these."""
    harness = InlineSqliteHarness(tmp_path / "schedules.db")
    harness.clock = command_line.clock

    async def join() -> None:
        async with harness:
            await harness.store.register(harness.node("node_a", handlers))

    async def leave() -> None:
        async with harness:
            await harness.store.deregister("node_a", command_line.clock.now())

    asyncio.run(join())
    try:
        yield
    finally:
        asyncio.run(leave())


def test_a_schedule_that_fails_says_since_when_and_what_to_do(jobs: CommandLine) -> None:
    jobs.say("add", "every hour", *_FAILING, "--name", "bad")
    for _ in range(4):
        fail(jobs)
    said = jobs.say("list")
    assert state(said, "bad") == "failing since 14:00 (4×)"
    told = said.split("needs attention:\n")[1].splitlines()
    assert told[0].startswith("  bad  failing since 14:00 (4×): JSONDecodeError: Expecting value")
    assert told[1] == "       what to do: duly schedule history bad --status failed --status dead"
    (item,) = jobs.read("list")["items"]
    (concern,) = item["attention"]
    assert (concern["kind"], concern["since"], concern["times"]) == ("failing", "2026-11-16T13:00:00Z", 4)
    assert "remedy   " in jobs.say("schedule", "get", "bad")
    jobs.clock.advance(timedelta(days=1))
    assert state(jobs.say("list"), "bad").startswith("failing since Mon 16 Nov 14:00 (4×); overdue ")


def test_a_schedule_that_is_due_while_no_engine_runs_is_overdue(jobs: CommandLine, tmp_path: Path) -> None:
    jobs.say("add", "every hour", *_HOURLY, "--name", "good")
    jobs.say("remind", "tea", "in 5 minutes")
    quiet = jobs.say("list")
    assert state(quiet, "good") == "ok"
    assert quiet.endswith(f"\n\n{NOTHING_RUNS}\n")
    jobs.clock.advance(timedelta(minutes=14))
    said = jobs.say("list")
    assert (state(said, "tea"), state(said, "good")) == ("overdue 9 min, no daemon", "ok")
    assert said.endswith(f"\n\n{NOTHING_RUNS}\n")
    assert "needs attention" not in said
    assert jobs.read("list")["warning"] == NOTHING_RUNS
    assert jobs.say("inbox").splitlines()[1:] == ["overdue 9 min, no daemon: tea", NOTHING_RUNS]
    read = jobs.read("inbox")
    assert (read["items"], read["waiting"], read["warning"]) == ([], 0, NOTHING_RUNS)
    assert [(each["kind"], each["name"]) for each in read["attention"]] == [("overdue", "tea")]
    with engine(jobs, tmp_path, "message", "job:length"):
        told = jobs.say("list")
        assert state(told, "tea") == "overdue 9 min"
        assert NOTHING_RUNS not in told
        assert "warning" not in jobs.read("list")


def test_an_inbox_on_time_says_nothing_about_engines(command_line: CommandLine) -> None:
    command_line.say("remind", "tea", "in 5 minutes")
    assert "daemon" not in command_line.say("inbox")
    assert NOTHING_RUNS not in command_line.say("inbox")
    assert command_line.read("inbox") == {"items": [], "next_cursor": None, "waiting": 0, "attention": []}


def test_a_job_that_no_node_has_is_unserved(jobs: CommandLine, tmp_path: Path) -> None:
    with engine(jobs, tmp_path, "message"):
        said = jobs.say("add", "every hour", *_HOURLY, "--name", "backup")
        reason = "job length is not registered anywhere"
        remedy = "start the program that registers length, or name it under [jobs] in duly.toml and restart duly up"
        assert said.endswith(f"  warning: {reason}: {remedy}\n")
        assert jobs.say("schedule", "trigger", "backup").endswith(f"  warning: {reason}: {remedy}\n")
        listed = jobs.say("list")
        assert state(listed, "backup") == f"unserved: {reason}"
        assert f"what to do: {remedy}; or: duly schedule delete backup\n" in listed
        assert jobs.say("schedule", "update", "backup", "--disabled").count("warning") == 0


def test_a_missing_program_is_warned_of(command_line: CommandLine, tmp_path: Path) -> None:
    command_line.configure('[spawners.robot]\nnew = ["no-such-robot", "{prompt}"]\nstdin = "none"\n')
    with engine(command_line, tmp_path, "prompt:robot"):
        said = command_line.say("add", "every hour", "--prompt", "x", "--spawner", "robot", "--name", "a")
        assert "  warning: the program no-such-robot of spawner robot is not on the PATH here: install it" in said
        assert "no-such-robot" in command_line.read("schedule", "trigger", "a")["warning"]


@pytest.mark.parametrize(
    ("program", "missing"),
    [
        ("no-such-robot", True),
        ("/no/such/robot", True),
        ("env", False),
        ("./robot", True),
        ("bin/robot", True),
    ],
)
def test_which_programs_are_missing(command_line: CommandLine, tmp_path: Path, program: str, missing: bool) -> None:
    command_line.configure(f'[spawners.robot]\nnew = ["{program}", "{{prompt}}"]\nstdin = "none"\n')
    with engine(command_line, tmp_path, "prompt:robot"):
        said = command_line.say("add", "every hour", "--prompt", "x", "--spawner", "robot")
    assert ("is not on the PATH" in said) is missing


def test_health_is_green_yellow_and_red(jobs: CommandLine, tmp_path: Path) -> None:
    assert jobs.say("health") == "green\n"
    jobs.say("add", "every hour", *_FAILING, "--name", "bad")
    assert jobs.say("health") == "yellow\n  no engine runs on this store: start one with duly up\n"
    fail(jobs)
    with engine(jobs, tmp_path, "job:explode"):
        said = jobs.say("health")
        assert said.startswith("yellow\n  1 schedule fails\n\nneeds attention:\n  bad  failing since 14:00 (1×): ")
        seen = jobs.read("health")
        assert (seen["state"], seen["reasons"], seen["attention_total"]) == ("yellow", ["1 schedule fails"], 1)
        (concern,) = seen["attention"]
        assert (concern["name"], concern["kind"]) == ("bad", "failing")
    jobs.clock.advance(timedelta(hours=2))
    red = jobs.run("health")
    assert (red.code, red.err) == (1, "")
    assert red.out.startswith("red\n  no engine runs on this store, and the oldest due fire has waited 3600 s: ")
    for_programs = jobs.run("health", "--json")
    assert (for_programs.code, json.loads(for_programs.out)["state"]) == (1, "red")


def test_health_lists_a_few_and_counts_the_rest(command_line: CommandLine, tmp_path: Path) -> None:
    async def fill() -> None:
        store = open_store(tmp_path / "schedules.db", command_line.clock, inline=True)
        await store.open()
        now = command_line.clock.now()
        rows = [
            schedule(f"s{n:02}", failing_since=now, consecutive_failures=1, last_status="failed") for n in range(25)
        ]
        await store.save(rows, lambda _before, row: row)
        await store.close()

    asyncio.run(fill())
    said = command_line.say("health")
    assert said.count("what to do") == 20
    assert said.endswith("  and 5 more: duly list\n")


def test_a_daemon_that_does_not_answer_turns_health_red(command_line: CommandLine, tmp_path: Path) -> None:
    """Its lock is held, and no one listens where it says that it listens."""
    command_line.say("list")  # makes the store
    presence = DaemonLock(tmp_path)

    async def claim() -> None:
        await presence.claim("http://127.0.0.1:9", str(tmp_path / "schedules.db"), SystemClock())

    asyncio.run(claim())
    try:
        seen = command_line.run("health")
    finally:
        presence.release()
    assert seen.code == 1
    assert f"the daemon at http://127.0.0.1:9 (process {os.getpid()}) does not answer: " in seen.out


def test_health_is_red_when_the_store_cannot_be_opened(command_line: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "schedules.db").write_bytes(b"no database at all" * 1000)
    done = command_line.run("health")
    assert (done.code, done.err) == (1, "")
    assert done.out.startswith("red\n  cannot use ")
    told = json.loads(command_line.run("health", "--json").out)
    assert told["state"] == "red"
    assert "schedules.db" in told["reasons"][0]
