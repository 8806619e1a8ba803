"""`duly undo`, `needs`, `seen`, `run again`, and what is done to many schedules at once."""

from __future__ import annotations

import re

from tests.unit.cli.command_line import CommandLine, command_line

__all__ = ["command_line"]
SPAWNER = '[spawners.echo]\nnew = ["cat"]\nstdin = "prompt"\n\n[jobs]\nbackup = "os:getcwd"\n'


def _three(here: CommandLine) -> None:
    here.configure(SPAWNER)
    for name in ("plants", "cats", "backup"):
        here.say("schedule", "create", name, "--cron", "0 9 * * *", "--prompt", f"look after the {name}")


def test_a_change_is_taken_back(command_line: CommandLine) -> None:
    _three(command_line)
    before = command_line.read("schedule", "get", "plants")
    for verb in ("pause", "skip", "delete"):
        command_line.say("schedule", verb, "plants")
        assert command_line.say("undo").startswith("✓ undone: ")
        after = command_line.read("schedule", "get", "plants")
        changing = ("version", "updated_at", "warning")
        assert {name: after[name] for name in after if name not in changing} == {
            name: before[name] for name in before if name not in changing
        }
    changed = command_line.read("schedule", "update", "plants", "--description", "green")
    assert command_line.read("undo", changed["undo"]) == {"text": "undone: plants changed"}
    assert "nothing to undo" in command_line.fail("undo", code=1)
    assert "undone already" in command_line.fail("undo", changed["undo"], code=2)


def test_a_change_of_a_reminder_is_taken_back_and_not_an_older_one(command_line: CommandLine) -> None:
    _three(command_line)
    command_line.say("schedule", "pause", "plants")
    command_line.say("remind", "alpha", "every day at 9", "--name", "alpha")
    before = command_line.read("reminders", "get", "alpha")
    changes = {
        "changed": ("edit", "alpha", "--text", "other words", "--when", "every day at 8"),
        "deleted": ("remove", "alpha"),
        "paused": ("pause", "alpha"),
        "skipped": ("skip", "alpha"),
    }
    for done, words in changes.items():
        command_line.say("reminders", *words)
        told = command_line.say("undo")
        assert "alpha" in told
        assert told.endswith(f"{done}\n")
        assert command_line.read("reminders", "get", "alpha") == before
    assert command_line.say("undo") == "✓ undone: alpha made\n"
    assert command_line.say("undo") == "✓ undone: plants paused\n"


def test_many_are_paused_and_resumed_at_once(command_line: CommandLine) -> None:
    _three(command_line)
    assert command_line.say("schedule", "pause", "--text", "look after") == "✓ paused 3 schedules; undo: duly undo\n"
    assert [each["enabled"] for each in command_line.read("list")["items"]] == [False] * 3
    assert command_line.say("undo") == "✓ undone: paused 3 schedules\n"
    gone = command_line.read("schedule", "delete", "--text", "cats")
    assert (gone["text"], gone["total"], gone["failed"]) == ("deleted 1 schedule", 1, [])
    assert "one of the two" in command_line.fail("schedule", "pause", code=2)
    assert "one of the two" in command_line.fail("schedule", "pause", "plants", "--text", "cats", code=2)


def test_what_needs_a_person_is_shown_and_seen(command_line: CommandLine) -> None:
    assert command_line.say("needs") == "nothing needs you\n"
    command_line.configure(SPAWNER)
    command_line.say("schedule", "create", "bad", "--cron", "0 9 * * *", "--job-name", "backup")
    run = command_line.read("schedule", "trigger", "bad")["id"]
    assert "wait until it has ended" in command_line.fail("run", "again", run, code=2)
    command_line.say("schedule", "cancel", run)
    assert re.fullmatch(r"✓ bad runs again · run_\w+\n  warning: .*\n", command_line.say("run", "again", run))
    told = command_line.say("needs")
    assert "nothing runs" in told
    item = command_line.read("needs")["items"][0]
    assert "once it is put right" in command_line.fail("seen", item["id"], code=2)
