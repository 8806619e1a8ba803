"""`duly events`: the journal at the command line, for people and for programs."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

from duly.model.events import RUN_FAILED, Event
from duly.stores.sqlite.store import SqliteStore
from tests.support import run
from tests.unit.cli.home import Home, home

__all__ = ["home"]


def lines(text: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in text.splitlines()]


def test_an_empty_journal_says_which_events_it_will_show(home: Home) -> None:
    assert home.say("events").startswith("nothing has happened yet")
    assert home.say("events", "--json") == ""


def test_events_are_listed_newest_last(home: Home) -> None:
    home.say("schedule", "create", "plants", "--cron", "0 14 * * *", "--prompt", "water\nthe plants")
    home.say("schedule", "update", "plants", "--description", "daily")
    home.say("schedule", "pause", "plants")
    made, changed, paused = home.say("events").splitlines()
    assert made.split()[:5] == ["2026-11-16", "13:00:00", "info", "schedule.created", "plants"]
    assert changed.endswith("changed=description")
    assert paused.split()[:4] == ["2026-11-16", "13:00:00", "info", "schedule.paused"]
    assert "water" not in made


def test_for_programs_every_event_is_one_line(home: Home) -> None:
    home.say("schedule", "create", "plants", "--cron", "0 14 * * *", "--prompt", "water the plants")
    home.say("schedule", "delete", "plants")
    first, second = lines(home.say("events", "--json"))
    assert (first["event"], second["event"]) == ("schedule.created", "schedule.deleted")
    assert first["at"] == "2026-11-16T12:00:00Z"
    assert first["schedule"] == "plants"


def test_filters_choose(home: Home) -> None:
    home.say("schedule", "create", "a", "--cron", "0 14 * * *", "--prompt", "x")
    home.say("schedule", "create", "b", "--cron", "0 14 * * *", "--prompt", "x")
    home.clock.advance(3600)
    home.say("token", "create", "agent", "--scope", "admin")

    def found(*words: str) -> list[object]:
        return [each["event"] for each in lines(home.say("events", "--json", *words))]

    created = "schedule.created"
    assert found("--schedule", "b") == [created]
    assert found("--kind", "token.*") == ["token.created"]
    assert found("--kind", "token.*", "--kind", created, "--limit", "2") == [created, "token.created"]
    assert found("--since", "30m") == ["token.created"]
    assert found("--since", "2026-11-16T13:30") == ["token.created"]
    assert found("--since", "2026-11-16") == [created, created, "token.created"]
    assert found("--level", "warning") == []
    assert found("--run", "run_0") == []
    assert home.say("events", "--level", "error").startswith("no such events")


def test_mistakes_are_refused_with_the_cure(home: Home) -> None:
    assert home.fail("events", "--schedule", "nowhere", code=1) == "there is no schedule 'nowhere'"
    assert "did you mean run.failed?" in home.fail("events", "--kind", "run.fail", code=2)
    assert home.fail("events", "--since", "whenever", code=2).startswith('--since "whenever" is not a time')
    assert "invalid choice: 'loud'" in home.fail("events", "--level", "loud", code=2)


def test_nothing_in_an_event_commands_a_terminal_or_begins_a_line(home: Home, tmp_path: Path) -> None:
    async def fail() -> None:
        store = SqliteStore(tmp_path / "schedules.db", home.clock)
        await store.open()
        data = {"name": "plants", "error": "no\x1b[2J\n2026-11-16 all is well", "target": "a\nb"}
        await store.record([Event(RUN_FAILED, home.clock.now(), "sched_0", "run_0", data=data)])
        await store.close()

    home.say("events")
    run(fail)()
    [line] = home.say("events").splitlines()
    assert line.endswith("  no\ufffd[2J 2026-11-16 all is well  target=a b  run=run_0")
    assert "\x1b" not in home.say("events", "--json")


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
        assert process.wait(30) == 0
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
        assert process.wait(30) == 141
        assert process.stderr.read() == b""
