"""`duly events` and `duly audit`: the journal and the audit at the command line, for people and for programs."""

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
from tests.unit.cli.command_line import CommandLine, command_line, either_door

__all__ = ["command_line", "either_door"]


def lines(text: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in text.splitlines()]


def test_an_empty_journal_says_which_events_it_will_show(command_line: CommandLine) -> None:
    assert command_line.say("events").startswith("nothing has happened yet")
    assert command_line.say("events", "--json") == ""


def test_events_are_listed_newest_last(either_door: CommandLine) -> None:
    either_door.say("schedule", "create", "plants", "--cron", "0 14 * * *", "--prompt", "water\nthe plants")
    either_door.say("schedule", "update", "plants", "--description", "daily")
    either_door.say("schedule", "pause", "plants")
    made, changed, paused = either_door.say("events", "--schedule", "plants").splitlines()
    assert made.split()[:5] == ["2026-11-16", "13:00:00", "info", "schedule.created", "plants"]
    assert changed.endswith("changed=description")
    assert paused.split()[:4] == ["2026-11-16", "13:00:00", "info", "schedule.paused"]
    assert "water" not in made
    older, newest = either_door.say("events", "--limit", "1").splitlines()
    assert newest == paused
    assert either_door.say("events", "--limit", "2", *older.split()[1:]).splitlines()[-2:] == [made, changed]


def test_for_programs_every_event_is_one_line(either_door: CommandLine) -> None:
    either_door.say("schedule", "create", "plants", "--cron", "0 14 * * *", "--prompt", "water the plants")
    either_door.say("schedule", "delete", "plants")
    first, second = lines(either_door.say("events", "--json", "--kind", "schedule.*"))
    assert (first["event"], second["event"]) == ("schedule.created", "schedule.deleted")
    assert first["at"] == "2026-11-16T12:00:00Z"
    assert first["schedule"] == "plants"


def test_the_audit_is_listed_and_its_head_is_noted_down(either_door: CommandLine) -> None:
    either_door.say("schedule", "create", "plants", "--cron", "0 14 * * *", "--prompt", "water the plants")
    either_door.say("token", "create", "agent", "--scope", "admin")
    noted = json.loads(either_door.say("audit", "--head", "--json"))
    assert either_door.say("audit", "--head") == f"{noted['head']}\n"
    entries = lines(either_door.say("audit", "--json"))
    assert noted["entries"] == entries[-1]["seq"]
    assert [each["kind"] for each in entries][-2:] == ["schedule.created", "token.created"]
    assert either_door.say("audit", "--kind", "schedule.*", "--schedule", "plants").count("\n") == 1
    newest, more = either_door.say("audit", "--limit", "1").splitlines()
    assert "token.created" in newest
    assert "schedule.created" in either_door.say("audit", "--limit", "1", *more.split()[-2:])
    assert either_door.say("audit", "--until", "2026-11-16T12:59").startswith("no such entries")
    said = either_door.say("audit", "--verify", "--against", noted["head"])
    assert said.startswith(f"✓ the audit is whole: {noted['entries']} entries in ")
    verdict = either_door.run("audit", "--verify", "--against", f"1:{'0' * 64}", "--json")
    assert (verdict.code, json.loads(verdict.out)["whole"]) == (1, False)


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


def test_mistakes_are_refused_with_the_cure(either_door: CommandLine) -> None:
    assert either_door.fail("events", "--schedule", "nowhere", code=1) == "there is no schedule 'nowhere'"
    assert "did you mean run.failed?" in either_door.fail("events", "--kind", "run.fail", code=2)
    assert either_door.fail("events", "--since", "whenever", code=2).startswith('--since "whenever" is not a time')
    assert "invalid choice: 'loud'" in either_door.fail("events", "--level", "loud", code=2)


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


def test_follow_shows_events_of_other_processes_and_ends_at_ctrl_c(either_door: CommandLine) -> None:
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}

    def make(name: str) -> None:
        either_door.say("schedule", "create", name, "--cron", "0 9 * * *", "--prompt", "x")

    make("before")
    words = either_door.words("events", "--follow", "--json", "--kind", "schedule.*", "--limit", "1")
    with subprocess.Popen(
        [sys.executable, "-m", "duly", *words],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert json.loads(process.stdout.readline())["schedule"] == "before"
        for name in ("one", "two"):
            make(name)
            assert json.loads(process.stdout.readline())["schedule"] == name
        either_door.say("schedule", "pause", "--text", "x")  # more at once than a page has
        paused = [json.loads(process.stdout.readline()) for _ in range(3)]
        assert {each["schedule"] for each in paused} == {"before", "one", "two"}
        assert [each["seq"] for each in paused] == sorted(each["seq"] for each in paused)
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
