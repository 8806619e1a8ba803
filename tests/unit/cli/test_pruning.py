"""`duly prune`: counts, asks, deletes, and writes down who asked."""

from __future__ import annotations

import io
import json
import sys

import pytest

from tests.unit.cli.command_line import CommandLine, command_line, either_door

__all__ = ["command_line", "either_door"]


class Terminal(io.StringIO):
    """Where a person types."""

    def isatty(self) -> bool:
        return True


def _runs(home: CommandLine) -> int:
    return len(home.read("schedule", "history")["items"])


def test_old_runs_are_counted_and_deleted(command_line: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    home = command_line
    home.say("remind", "stretch", "in", "5m")
    home.wait(minutes=6)
    home.wait(days=40)
    home.say("remind", "walk", "in", "5m")
    home.wait(minutes=6)
    assert _runs(home) == 2

    counted = home.read("prune", "--older-than", "30d", "--dry-run")
    assert (counted["runs"], counted["dry_run"]) == (1, True)
    assert "would delete from before 2026-11-26T12:12:00Z: 1 run," in home.say(
        "prune", "--older-than", "30d", "--dry-run"
    )
    assert "say --yes" in home.fail("prune", "--older-than", "30d", code=2)
    assert "at least 1d" in home.fail("prune", "--older-than", "1h", "--yes", code=2)
    monkeypatch.setattr(sys, "stdin", Terminal("no\n"))
    declined = home.run("prune", "--older-than", "30d")
    assert (declined.code, declined.out) == (1, "nothing was deleted\n")
    assert _runs(home) == 2

    monkeypatch.setattr(sys, "stdin", Terminal("y\n"))
    assert home.run("prune", "--older-than", "30d").out.startswith("deleted from before 2026-11-26T12:12:00Z: 1 run,")
    assert _runs(home) == 1
    assert home.read("prune", "--older-than", "30d", "--yes")["runs"] == 0
    entries = map(json.loads, home.say("audit", "--json").splitlines())
    [entry, _] = [each for each in entries if each["kind"] == "store.prune_asked"]
    assert entry["data"]["runs"] == 1


def test_nothing_old_is_counted_and_deleted(either_door: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    age = ("prune", "--older-than", "30d")
    assert either_door.say(*age, "--dry-run") == "would delete from before 2026-10-17T12:00:00Z: nothing\n"
    assert either_door.say(*age, "--yes") == "deleted from before 2026-10-17T12:00:00Z: nothing\n"
    assert not {"dry_run", "goes_on"} & {name for name, value in either_door.read(*age, "--yes").items() if value}
    assert "at least 1d" in either_door.fail("prune", "--older-than", "1h", "--yes", code=2)
    monkeypatch.setattr(sys, "stdin", Terminal("no\n"))
    declined = either_door.run(*age)
    assert (declined.code, declined.out) == (1, "nothing was deleted\n")


def test_a_person_at_a_terminal_sees_progress(command_line: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    command_line.run("prune", "--older-than", "30d", "--yes")
    assert "deleted 0 runs, 0 other records …" in screen.getvalue()
    assert screen.getvalue().endswith("\r\x1b[K")
