"""`duly sync`, `token`, `quotas` and `tick`: their output and their effect."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from tests.unit.cli.command_line import CommandLine, command_line, either_door

__all__ = ["command_line", "either_door"]

_BUTLER = '[jobs]\nlength = "json:dumps"\n[butler]\nname = "home"\n'
_MORNING = '[[butler.schedule]]\nname = "morning"\ncron = "30 7 * * *"\nprompt = "look around"\n'
_COUNT = '[[butler.schedule]]\nname = "count"\ncron = "0 13 * * *"\njob_name = "length"\njob_args = { obj = "x" }\n'


def test_a_dry_run_shows_what_would_change_and_changes_nothing(command_line: CommandLine) -> None:
    command_line.configure(_BUTLER + _MORNING)
    assert command_line.say("sync", "--dry-run") == "+ morning (created)\n1 to change, 0 unchanged\n"
    assert command_line.read("list")["items"] == []
    assert command_line.say("sync") == "+ morning (created)\n1 changed, 0 unchanged\n"
    command_line.configure(_BUTLER + _MORNING.replace("30 7", "45 7") + 'timeout = "5m"\n' + _COUNT)
    assert command_line.say("sync", "--dry-run").splitlines() == [
        "+ count (created)",
        "~ morning (updated)",
        '    cron: "30 7 * * *" → "45 7 * * *"',
        '    when: "every day at 07:30 UTC" → "every day at 07:45 UTC"',
        "    timeout: - → 300.0",
        "2 to change, 0 unchanged",
    ]
    report = command_line.read("sync")
    assert (report["created"], report["dry_run"]) == (["count"], False)
    assert report["differences"]["morning"]["timeout"] == [None, 300.0]
    command_line.configure(_BUTLER)
    assert command_line.say("sync").splitlines() == [
        "↓ count (disabled)",
        "    enabled: true → false",
        "↓ morning (disabled)",
        "    enabled: true → false",
        "2 changed, 0 unchanged",
    ]


def test_a_sync_needs_a_butler(command_line: CommandLine) -> None:
    assert "there is no [butler] in duly.toml" in command_line.fail("sync", code=2)
    command_line.configure(_BUTLER + _MORNING.replace("30 7", "61 7"))
    told = command_line.fail("sync", code=2)
    assert told.startswith('duly.toml:8: butler.schedule[0].cron: Invalid cron expression "61 7 * * *"')


def test_a_tick_carries_out_what_is_due(command_line: CommandLine) -> None:
    command_line.configure(_BUTLER + _COUNT)
    command_line.say("sync")
    assert command_line.say("tick") == "✓ 0 succeeded\n"
    command_line.clock.advance(2 * 3600)
    assert command_line.read("tick") == {"succeeded": 1}
    (run,) = command_line.read("schedule", "history", "count")["items"]
    assert (run["status"], run["result"], run["trigger_source"]) == ("succeeded", '"x"', "schedule:count")


def test_a_token_is_shown_once_and_opens_nothing_once_revoked(either_door: CommandLine) -> None:
    made = either_door.read("token", "create", "blog bot", "--scope", "project:blog:ro", "--expires", "3d")
    assert made["token"].startswith("duly_")
    [listed] = [each for each in either_door.read("token", "list")["items"] if each["id"] == made["id"]]
    assert listed == {
        "id": made["id"],
        "name": "blog bot",
        "scope": "project:blog:ro",
        "grants": [],
        "state": "expires soon",
        "created_at": "2026-11-16T12:00:00Z",
        "expires_at": "2026-11-19T12:00:00Z",
        "last_used_at": None,
        "revoked_at": None,
    }
    shown = either_door.say("token", "list")
    assert made["token"] not in shown
    assert "warning: blog bot expires at 2026-11-19" in shown
    first, second = either_door.say("token", "revoke", made["id"]).splitlines()
    assert first == f"✓ blog bot ({made['id']}) opens nothing any more"
    assert second.endswith(f"to go on: duly schedule reown --token {made['id']}")
    assert "revoked" in either_door.say("token", "list")


def test_a_token_gets_grants_and_another_secret(either_door: CommandLine) -> None:
    secret, made, *_ = either_door.say("token", "create", "phone", "--scope", "project:shop").splitlines()
    token = made.split()[1]
    assert made == f"✓ {token} · project:shop · shown this once, keep it"
    granted = either_door.say("token", "grant", token, "prompts:claude")
    assert granted == f"✓ {token} · project:shop · prompts:claude\n"
    assert either_door.read("token", "ungrant", token, "prompts:claude")["grants"] == []
    another, _, said, *_ = either_door.say("token", "rotate", token, "--grace", "1h").splitlines()
    assert another != secret
    assert said.startswith("  the old secret opens until 2026-11-16 ")
    assert "the old secret opens no longer" in either_door.say("token", "rotate", token)


def test_quotas_of_owners_are_listed(either_door: CommandLine) -> None:
    assert either_door.say("quotas").startswith("no person and no project has a schedule yet")
    assert either_door.read("quotas") == {"items": [], "next_cursor": None}


@pytest.mark.parametrize(
    ("words", "said", "code"),
    [
        (["create", "x"], "duly token create NAME --scope SCOPE", 2),
        (
            ["create", "x", "--scope", "root"],
            "scope 'root' is unknown: write admin, project:<id> or user:<id>, each also with :ro",
            2,
        ),
        (["revoke"], "duly token revoke ID", 2),
        (["revoke", "tok_none"], "there is no token 'tok_none': `duly token list` shows them", 1),
    ],
)
def test_mistakes_with_tokens(either_door: CommandLine, words: list[str], said: str, code: int) -> None:
    assert either_door.fail("token", *words, code=code).startswith(said)


def test_rotating_a_token_names_its_calendar_links_and_can_end_them(command_line: CommandLine) -> None:
    made = command_line.read("token", "create", "phone", "--scope", "admin")
    command_line.say("calendar", "link", "home")
    with (
        closing(sqlite3.connect(command_line.folder / "schedules.db")) as database,
        database,
    ):  # as if that token had made it
        database.execute("UPDATE calendar_links SET token_id = ?", (made["id"],))
    assert "its calendar links stay open: home (cal_" in command_line.say("token", "rotate", made["id"])
    said = command_line.say("token", "rotate", made["id"], "--end-calendar-links")
    assert "its calendar links were ended: home (cal_" in said
    assert "calendar links" not in command_line.say("token", "rotate", made["id"])
    assert "home" not in command_line.say("calendar", "list")
