"""`duly user` and `duly channels`: their output and exit codes."""

from __future__ import annotations

import re

from tests.unit.cli.command_line import CommandLine, command_line

__all__ = ["command_line"]


def test_people_are_added_changed_listed_and_removed(command_line: CommandLine) -> None:
    assert command_line.say("user", "list").startswith("no people yet; add a person: duly user add ana")
    made = command_line.read(
        "user", "add", "Ana", "--timezone", "Europe/Zagreb", "--language", "hr", "--quiet", "22:00-07:00"
    )
    assert (made["timezone"], made["language"], made["quiet_from"]) == ("Europe/Zagreb", "hr", "22:00")
    changed = command_line.read("user", "set", "Ana", "--quiet", "off", "--admin", "--channel", "email:ana@example.org")
    assert (changed["quiet_from"], changed["is_admin"], changed["id"]) == (None, True, made["id"])
    assert changed["channels"] == [{"channel": "email", "address": "ana@example.org"}]
    assert command_line.read("user", "set", "Ana", "--no-admin", "--rename", "Anna")["is_admin"] is False
    heading, row = command_line.say("user", "list").splitlines()
    assert heading.split() == ["NAME", "ZONE", "LANGUAGE", "QUIET", "CHANNELS", "ID"]
    assert row.split() == ["Anna", "Europe/Zagreb", "hr", "email", made["id"]]
    assert [each["name"] for each in command_line.read("user", "list")["items"]] == ["Anna"]
    assert command_line.say("user", "remove", "Anna") == "✓ Anna removed\n"
    assert command_line.read("user", "list")["items"] == []


def test_wrong_values_of_people_are_refused_with_the_reason(command_line: CommandLine) -> None:
    command_line.say("user", "add", "Ana")
    assert "is taken" in command_line.fail("user", "add", "Ana", code=2)
    assert "needs a name" in command_line.fail("user", "add", code=2)
    assert "there is no user 'Eve'" in command_line.fail("user", "set", "Eve", "--admin", code=1)
    assert "there is no user 'Eve'" in command_line.fail("user", "remove", "Eve", code=1)
    assert "needs something to change" in command_line.fail("user", "set", "Ana", code=2)
    assert "22:00-07:00" in command_line.fail("user", "set", "Ana", "--quiet", "always", code=2)
    assert "Mars/Base" in command_line.fail("user", "set", "Ana", "--timezone", "Mars/Base", code=2)
    assert "NAME:ADDRESS" in command_line.fail("user", "set", "Ana", "--channel", "telegram", code=2)
    assert "user add does not take --rename" in command_line.fail("user", "add", "Bo", "--rename", "Bob", code=2)
    assert command_line.fail("user", "explode", code=2)


def test_a_chat_is_paired_where_there_is_one(command_line: CommandLine) -> None:
    command_line.say("user", "add", "Ana")
    assert command_line.fail("user", "pair", "Ana", code=2) == (
        "no chat 'telegram' is configured: add [channels.telegram] to duly.toml"
    )
    command_line.configure('[channels.slack]\ntoken = "env:S"\n')
    code, advice = command_line.say("user", "pair", "Ana").splitlines()
    assert re.fullmatch(r"[A-Z2-9]{4}-[A-Z2-9]{4}", code)
    assert advice == "✓ Ana sends this to the bot on slack within 30 minutes; it works once"
    assert command_line.read("user", "pair", "Ana", "--channel", "slack").keys() == {"code", "channel"}
    assert "there is slack" in command_line.fail("user", "pair", "Ana", "--channel", "discord", code=2)
    assert "there is no user 'Eve'" in command_line.fail("user", "pair", "Eve", code=1)


def test_channels_are_listed_with_how_answers_come(command_line: CommandLine) -> None:
    assert command_line.say("channels", "list") == (
        "NAME   ANSWERS COME                  LATELY\n"
        "inbox  by duly ack, snooze, dismiss  nothing was sent in 24 hours\n"
        "more are a section each in duly.toml: [channels.telegram], …\n"
    )
    command_line.configure(
        '[channels.telegram]\ntoken = "env:T"\n[channels.discord]\ntoken = "env:D"\n'
        '[channels.slack]\ntoken = "env:S"\nsigning_secret = "env:SS"\n[channels.ntfy]\n'
    )
    assert command_line.read("channels", "list") == [
        {"name": "inbox", "answers": "by duly ack, snooze, dismiss"},
        {"name": "telegram", "answers": "by polling"},
        {"name": "discord", "answers": "over Discord's gateway"},
        {"name": "slack", "answers": "to /inbound/slack"},
        {"name": "ntfy", "answers": "not at all: links need public_url"},
    ]


def test_a_channel_that_does_not_work_says_why(command_line: CommandLine) -> None:
    assert command_line.say("channels", "test", "inbox") == "✓ inbox: in the store\n"
    assert command_line.read("channels", "test", "inbox", "--to", "local")["said"].startswith("in the store; delivered")
    assert [item["text"] for item in command_line.read("inbox")["items"]] == ["duly can reach you here."]
    command_line.configure('[channels.telegram]\ntoken = "env:NOT_SET_ANYWHERE"\nbase_url = "http://127.0.0.1:9"\n')
    assert "NOT_SET_ANYWHERE is not set" in command_line.fail("channels", "test", "telegram", code=1)
    assert "add [channels.slack] to duly.toml" in command_line.fail("channels", "test", "slack", code=1)
    assert "needs a channel" in command_line.fail("channels", "test", code=2)


def test_a_vendor_that_cannot_be_reached_is_no_fault_of_the_command(command_line: CommandLine) -> None:
    command_line.configure('[channels.ntfy]\nbase_url = "http://127.0.0.1:9"\n')
    assert command_line.fail("channels", "test", "ntfy", code=1).startswith(
        "ntfy does not work: ntfy: http://127.0.0.1:9"
    )


def test_a_taken_address_or_an_unknown_channel_stores_nothing(command_line: CommandLine) -> None:
    command_line.say("user", "add", "Ana", "--channel", "email:ana@example.org")
    taken = "email 'ana@example.org' belongs to another person: remove it there before it is bound here"
    assert command_line.fail("user", "add", "Bob", "--channel", "email:ana@example.org", code=2) == taken
    assert command_line.fail("user", "add", "Bob", "--channel", "telegrm:12", code=2) == (
        "no channel is called 'telegrm': did you mean telegram?"
    )
    assert [each["name"] for each in command_line.read("user", "list")["items"]] == ["Ana"]
    command_line.say("user", "add", "Bob")
    words = ["user", "set", "Bob", "--timezone", "Asia/Tokyo", "--channel", "email:ana@example.org"]
    assert command_line.fail(*words, code=2) == taken
    assert command_line.read("user", "list")["items"][1]["timezone"] is None
    command_line.say("user", "set", "Ana", "--channel", "inbox:here", "--channel", "email:ana@example.org")


def test_cron_is_shown_in_the_zone_that_the_person_has_set(command_line: CommandLine) -> None:
    assert command_line.read("next", "0 9 * * *")["tz"] == "Europe/Berlin"
    command_line.say("user", "set", "local", "--timezone", "Pacific/Auckland")
    assert command_line.read("next", "0 9 * * *")["tz"] == "Pacific/Auckland"
    assert command_line.read("explain", "0 9 * * *")["tz"] == "Pacific/Auckland"
    assert command_line.read("next", "0 9 * * *", "--tz", "UTC")["tz"] == "UTC"
