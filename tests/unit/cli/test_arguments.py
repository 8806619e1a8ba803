"""Options of the command line that are wrong, surplus, repeated or contradict each other, and those about zones."""

from __future__ import annotations

import pytest

from tests.unit.cli.command_line import CommandLine, command_line

__all__ = ["command_line"]

CREATE = ["schedule", "create", "a", "--cron", "0 9 * * *", "--prompt", "x"]
REFUSED: list[tuple[list[str], str]] = [
    ([*CREATE, "--cron", "1 9 * * *"], "--cron is given twice, the second time as '1 9 * * *': say it once"),
    ([*CREATE, "--tz", "UTC", "--cron-timezone", "UTC"], "--cron-timezone is given twice"),
    ([*CREATE, "--when", "daily at 9"], "got both"),
    ([*CREATE, "--tz", ""], "cron_timezone must be a text that is not empty, got ''"),
    ([*CREATE, "--display-timezone", "Mars/Base"], "timezone: unknown time zone 'Mars/Base'"),
    ([*CREATE, "--queue-limit", "3"], "queue_limit 3 has no effect without overlap_behavior 'queue'"),
    ([*CREATE, "--target", "home/"], "target 'home/' names no workspace after the slash"),
    (["schedule", "create", "", *CREATE[3:]], "name must be a text that is not empty, got ''"),
    (
        ["schedule", "create", "a", "--cron", "0 9 * * *", "--job-name", "length", "--arg", "obj=1", "--arg", "obj=2"],
        "--arg obj is given twice, as 1 and as 2: say it once",
    ),
    (["schedule", "list", "--text", ""], "text must be a text that is not empty, got ''"),
    (["schedule", "preview", "--cron", ""], "cron must be a text that is not empty, got ''"),
    (["add", "daily at 9", "--prompt", "x", "--name", ""], "name must be a text that is not empty, got ''"),
    (["remind", "hi", "in", "5m", "--name", ""], "name must be 1 to 200 printable characters, got ''"),
    (["remind", "hi", "in", "5m", "--ask", ""], "ack_prompt must be a text that is not empty, got ''"),
    (["remind", "hi", "in", "5m", "--tz", ""], "--tz must be a text that is not empty, got ''"),
    (["reminders", "list", "hi"], "duly reminders list does not take 'hi': that goes with get, show, edit, remove"),
    (["user", "list", "ana"], "duly user list does not take 'ana': that goes with add, set, pair, remove"),
    (["user", "list", "--language", "de"], "duly user list does not take --language 'de': that goes with add, set"),
    (["user", "remove", "ana", "--admin"], "duly user remove does not take --admin True: that goes with add, set"),
    (
        ["user", "pair", "ana", "--channel", "slack", "--channel", "telegram"],
        "takes one --channel, got slack, telegram",
    ),
    (["token", "list", "x"], "duly token list does not take 'x': that goes with create, revoke"),
    (["token", "revoke", "x", "--scope", "admin"], "duly token revoke does not take --scope 'admin'"),
    (["channels", "list", "telegram"], "duly channels list does not take 'telegram': that goes with test"),
    (
        ["next", "0 9 * * *", "--tz", "UTC", "--tz", "Asia/Tokyo"],
        "--tz is given twice, the second time as 'Asia/Tokyo'",
    ),
]


@pytest.mark.parametrize(("words", "told"), REFUSED, ids=lambda each: each if isinstance(each, str) else None)
def test_arguments_that_would_be_ignored_or_guessed_are_refused(
    command_line: CommandLine, words: list[str], told: str
) -> None:
    command_line.configure('[jobs]\nlength = "json:dumps"\n')
    assert told in command_line.fail(*words, code=2)
    assert command_line.read("list") == {"items": [], "next_cursor": None}


def test_a_field_is_cleared_or_set_but_not_both(command_line: CommandLine) -> None:
    command_line.say(*CREATE, "--description", "before", "--display-timezone", "Asia/Tokyo", "--tz", "UTC")
    both = command_line.fail("schedule", "update", "a", "--clear", "description", "--description", "after", code=2)
    assert both == "description is given the value 'after' and named in clear: do one of the two, not both"
    zones = command_line.fail(
        "schedule", "update", "a", "--clear", "display-timezone", "--display-timezone", "UTC", code=2
    )
    assert zones.startswith("timezone is given the value 'UTC' and named in clear")
    after = command_line.read("schedule", "update", "a", "--clear", "display-timezone", "--clear", "tz")
    assert (after["description"], after.get("timezone"), after["cron_timezone"]) == ("before", None, "Europe/Berlin")


@pytest.mark.parametrize(
    "words",
    [
        ["add", "daily at 9", "--prompt", "x"],
        CREATE,
        ["schedule", "update", "a"],
        ["schedule", "preview", "--cron", "0 9 * * *"],
    ],
    ids=lambda words: " ".join(words[:2]),
)
def test_timezone_tells_its_two_new_names(command_line: CommandLine, words: list[str]) -> None:
    for option in (["--timezone", "UTC"], ["--timezone=UTC"]):
        told = command_line.fail(*words, *option, code=2)
        assert "--tz ZONE is the zone the time is meant in" in told
        assert "--display-timezone ZONE only the zone it is shown in" in told


@pytest.mark.parametrize("words", [["add", "0 9 * * *"], ["add", "every day at 9"], CREATE[:5]], ids=" ".join)
def test_tz_is_meant_and_display_timezone_is_shown(command_line: CommandLine, words: list[str]) -> None:
    made = command_line.read(*words, "--prompt", "x", "--tz", "Asia/Tokyo", "--display-timezone", "UTC")
    assert made["next_runs"][0] == {"utc": "2026-11-17T00:00:00Z", "local": "2026-11-17T00:00:00Z"}
    assert made["zone"] == "UTC"


def test_the_zone_that_a_person_set_comes_before_that_of_the_settings(command_line: CommandLine) -> None:
    command_line.say("reminders")  # makes the local user
    command_line.say("user", "set", "local", "--timezone", "Asia/Tokyo")
    for words in (["add", "0 9 * * *"], ["add", "every day at 9"], CREATE[:5]):
        made = command_line.read(*words, "--prompt", "x")
        assert made["next_runs"][0] == {"utc": "2026-11-17T00:00:00Z", "local": "2026-11-17T09:00:00+09:00"}
    assert "NEXT (Asia/Tokyo)" in command_line.say("list")


def test_a_reminder_is_meant_in_the_zone_named(command_line: CommandLine) -> None:
    made = command_line.read("remind", "call", "tomorrow", "at", "9", "--tz", "Asia/Tokyo")
    assert (made["next_run_at"], made["next_run_local"], made["timezone"]) == (
        "2026-11-17T00:00:00Z",
        "2026-11-17T01:00:00+01:00",
        "Europe/Berlin",
    )


@pytest.mark.parametrize("words", ["2020-01-01T09:00", "on 1 January 2020 at 9", "today at 9"])
def test_a_reminder_in_the_past_is_told_which_time_has_passed(command_line: CommandLine, words: str) -> None:
    told = command_line.fail("remind", "call", *words.split(), code=2)
    assert told.endswith("09:00 Europe/Berlin has passed")
    assert "quotes" not in told


def test_words_are_kept_by_every_command_that_takes_them(command_line: CommandLine) -> None:
    assert command_line.read("add", "every day at 9", "--prompt", "x")["original_text"] == "every day at 9"
    made = command_line.read("schedule", "create", "a", "--when", "every day at 9", "--prompt", "x")
    assert made["original_text"] == "every day at 9"
    assert "every day at 9" in command_line.say("schedule", "get", "a")
    assert command_line.read("remind", "call", "tomorrow at 9")["original_text"] == "call tomorrow at 9"


def test_a_removed_schedule_comes_back_under_a_new_name(command_line: CommandLine) -> None:
    made = command_line.read(*CREATE)
    command_line.say("schedule", "delete", "a")
    command_line.say(*CREATE)
    assert "the name is taken" in command_line.fail("schedule", "restore", made["id"], code=2)
    assert command_line.say("schedule", "restore", made["id"], "--name", " b ").startswith("✓ b · ")
    assert command_line.read("schedule", "get", " b ")["id"] == made["id"]


def test_every_moment_in_json_ends_in_z(command_line: CommandLine) -> None:
    command_line.configure('[jobs]\nlength = "json:dumps"\n')
    command_line.say("schedule", "create", "a", "--cron", "0 14 * * *", "--job-name", "length", "--arg", "obj=[1]")
    command_line.say("remind", "call", "in 1 hour")
    command_line.wait(hours=1)
    command_line.say("user", "add", "Ana")
    command_line.say("token", "create", "bot", "--scope", "admin")
    listings = (
        ["list"],
        ["reminders"],
        ["inbox", "--keep"],
        ["schedule", "history"],
        ["user", "list"],
        ["token", "list"],
    )
    for words in listings:
        assert "+00:00" not in command_line.say(*words, "--json"), words
