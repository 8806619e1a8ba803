"""`duly events`: the journal at the command line, for people and for programs."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

from duly.model.events import RUN_FAILED, Event
from duly.stores.sqlite.store import SqliteStore
from tests.unit.cli.command_line import CommandLine, command_line

__all__ = ["command_line"]


def lines(text: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in text.splitlines()]


def test_an_empty_journal_says_which_events_it_will_show(command_line: CommandLine) -> None:
    assert command_line.say("events").startswith("nothing has happened yet")
    assert command_line.say("events", "--json") == ""


def test_events_are_listed_newest_last(command_line: CommandLine) -> None:
    command_line.say("schedule", "create", "plants", "--cron", "0 14 * * *", "--prompt", "water\nthe plants")
    command_line.say("schedule", "update", "plants", "--description", "daily")
    command_line.say("schedule", "pause", "plants")
    made, changed, paused = command_line.say("events").splitlines()
    assert made.split()[:5] == ["2026-11-16", "13:00:00", "info", "schedule.created", "plants"]
    assert changed.endswith("changed=description")
    assert paused.split()[:4] == ["2026-11-16", "13:00:00", "info", "schedule.paused"]
    assert "water" not in made


def test_for_programs_every_event_is_one_line(command_line: CommandLine) -> None:
    command_line.say("schedule", "create", "plants", "--cron", "0 14 * * *", "--prompt", "water the plants")
    command_line.say("schedule", "delete", "plants")
    first, second = lines(command_line.say("events", "--json"))
    assert (first["event"], second["event"]) == ("schedule.created", "schedule.deleted")
    assert first["at"] == "2026-11-16T12:00:00Z"
    assert first["schedule"] == "plants"


def test_filters_choose(command_line: CommandLine) -> None:
    command_line.say("schedule", "create", "a", "--cron", "0 14 * * *", "--prompt", "x")
    command_line.say("schedule", "create", "b", "--cron", "0 14 * * *", "--prompt", "x")
    command_line.clock.advance(3600)
    command_line.say("token", "create", "agent", "--scope", "admin")

    def found(*words: str) -> list[object]:
        return [each["event"] for each in lines(command_line.say("events", "--json", *words))]

    created = "schedule.created"
    assert found("--schedule", "b") == [created]
    assert found("--kind", "token.*") == ["token.created"]
    assert found("--kind", "token.*", "--kind", created, "--limit", "2") == [created, "token.created"]
    assert found("--since", "30m") == ["token.created"]
    assert found("--since", "2026-11-16T13:30") == ["token.created"]
    assert found("--since", "2026-11-16") == [created, created, "token.created"]
    assert found("--level", "warning") == []
    assert found("--run", "run_0") == []
    assert command_line.say("events", "--level", "error").startswith("no such events")


def test_mistakes_are_refused_with_the_cure(command_line: CommandLine) -> None:
    assert command_line.fail("events", "--schedule", "nowhere", code=1) == "there is no schedule 'nowhere'"
    assert "did you mean run.failed?" in command_line.fail("events", "--kind", "run.fail", code=2)
    assert command_line.fail("events", "--since", "whenever", code=2).startswith('--since "whenever" is not a time')
    assert "invalid choice: 'loud'" in command_line.fail("events", "--level", "loud", code=2)


def test_nothing_in_an_event_commands_a_terminal_or_begins_a_line(command_line: CommandLine, tmp_path: Path) -> None:
    async def fail() -> None:
        store = SqliteStore(tmp_path / "schedules.db", command_line.clock)
        await store.open()
        data = {"name": "plants", "error": "no\x1b[2J\n2026-11-16 all is well", "target": "a\nb"}
        await store.record([Event(RUN_FAILED, command_line.clock.now(), "sched_0", "run_0", data=data)])
        await store.close()

    command_line.say("events")
    asyncio.run(fail())
    [line] = command_line.say("events").splitlines()
    assert line.endswith("  no\ufffd[2J 2026-11-16 all is well  target=a b  run=run_0")
    assert "\x1b" not in command_line.say("events", "--json")


def test_follow_shows_events_of_other_processes_and_ends_at_ctrl_c(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    duly = [sys.executable, "-m", "duly"]
    place = ["--data-dir", str(tmp_path)]
    create = ["--cron", "0 9 * * *", "--prompt", "x", *place]

    def make(name: str) -> None:
        subprocess.run([*duly, "schedule", "create", name, *create], env=environment, cwd=tmp_path, check=True)

    make("before")
    words = [*duly, "events", "--follow", "--json", "--kind", "schedule.*", *place]
    with subprocess.Popen(
        words, env=environment, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert json.loads(process.stdout.readline())["schedule"] == "before"
        for name in ("one", "two"):
            make(name)
            assert json.loads(process.stdout.readline())["schedule"] == name
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 0
        assert (process.stdout.read(), process.stderr.read()) == ("", "")


def test_follow_ends_when_its_reader_has_gone(tmp_path: Path) -> None:
    duly = [sys.executable, "-m", "duly"]
    place = ["--data-dir", str(tmp_path)]
    create = [*duly, "token", "create", "agent", "--scope", "admin", *place]
    subprocess.run(create, cwd=tmp_path, check=True)
    words = [*duly, "events", "--follow", *place]
    with subprocess.Popen(words, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        subprocess.run(create, cwd=tmp_path, check=True)
        assert process.wait(60) == 141
        assert process.stderr.read() == b""
