"""`duly chat`, and message and time in one sentence on the command line."""

from __future__ import annotations

import io
import json

import pytest

from tests.unit.cli.command_line import CommandLine, command_line

__all__ = ["command_line"]


def test_a_message_is_answered(command_line: CommandLine) -> None:
    said = command_line.say("chat", "remind me to call mom tomorrow at 9am")
    assert said == "⏰ I will remind you tomorrow at 09:00 (Europe/Berlin): call mom\n"
    assert command_line.say("chat", "what's", "on", "tomorrow?") == "Tomorrow (Europe/Berlin):\n• 09:00: call mom\n"
    [view] = command_line.read("reminders")["items"]
    assert (view["created_via"], view["original_text"]) == ("chat", "remind me to call mom tomorrow at 9am")


def test_what_is_said_in_a_chat_is_taken_back_by_duly_undo(command_line: CommandLine) -> None:
    command_line.say("chat", "remind me to call mom tomorrow at 9am")
    assert command_line.say("undo").startswith("✓ undone: ⏰ I will remind you")
    assert command_line.read("reminders")["items"] == []


def test_every_line_of_the_input_is_answered(command_line: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = "remind me to call mom tomorrow at 5\n\nundo\nblah\n"
    monkeypatch.setattr("sys.stdin", io.StringIO(lines))
    said = command_line.say("chat", "--json").splitlines()
    first, second, third = (json.loads(line) for line in said)
    assert first["reply"].startswith("⏰ I will remind you tomorrow at 05:00 (Europe/Berlin): call mom\nIf you meant")
    assert (second["consumed"], third["consumed"]) == (True, False)
    assert third["reply"].startswith("Sorry, I did not understand that.")


def test_a_question_is_answered_by_a_later_command(command_line: CommandLine) -> None:
    for text in ("call mom", "call the vet"):
        command_line.say("chat", f"remind me to {text} tomorrow at 9am")
    asked = command_line.read("chat", "cancel call")
    assert [each["label"] for each in asked["buttons"]] == [
        "call mom (tomorrow at 09:00)",
        "call the vet (tomorrow at 09:00)",
    ]
    assert command_line.say("chat", "2").startswith("✗ Removed: call the vet\n")


def test_the_prompt_answers_until_the_input_ends(command_line: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    typed = iter(["help", "", "what's on today?"])

    def at_prompt(prompt: str) -> str:
        assert prompt == "> "
        try:
            return next(typed)
        except StopIteration:
            raise EOFError from None

    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setattr("sys.stdin", Terminal())
    monkeypatch.setattr("builtins.input", at_prompt)
    said = command_line.say("chat")
    assert said.startswith(
        "Write to duly in plain words: help shows how. Ctrl-D ends.\nYou can write to me like this:\n"
    )
    assert said.endswith("Today: nothing.\n\n")


@pytest.mark.parametrize(
    ("sentence", "text", "zone_time"),
    [
        ("call mom tomorrow at 5pm", "call mom", "2026-11-17T17:00:00+01:00"),
        ("tomorrow call mom at 5pm", "call mom", "2026-11-17T17:00:00+01:00"),
        ("erinner mich morgen um 17 Uhr an den Zahnarzt", "Zahnarzt", "2026-11-17T17:00:00+01:00"),
    ],
)
def test_remind_reads_message_and_time_in_one_sentence(
    command_line: CommandLine, sentence: str, text: str, zone_time: str
) -> None:
    made = command_line.read("remind", sentence)
    assert (made["message"], made["next_run_local"]) == (text, zone_time)


def test_remind_says_the_other_reading_of_a_doubtful_time(command_line: CommandLine) -> None:
    for words in (("call mom tomorrow at 5",), ("call mom", "tomorrow", "at", "5")):
        assert "If you meant tomorrow at 17:00, write that instead.\n" in command_line.say("remind", *words)


def test_remind_repeats_what_comes_besides_the_time(command_line: CommandLine) -> None:
    said = command_line.say("remind", "see the dentist", "every", "friday", "at", "9am", "and", "an", "hour", "before")
    assert "next: Fri 20 Nov 09:00" in said
    assert "\nAlso 1 hour before.\n" in said
    said = command_line.say("remind", "water the plants", "3 days after it is done")
    assert "\nAnd again 3 days after it is done.\n" in said


def test_remind_refuses_a_sentence_without_a_time(command_line: CommandLine) -> None:
    refused = command_line.fail("remind", "call mom", code=2)
    assert refused.startswith("no time can be taken from 'call mom': it names no time; name one in the text")
