"""`duly add`, `list` and `schedule`: their output and their effect."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from functools import partial

import apsw
import pytest

from duly.cli.schedule_lines import history
from duly.service.schedules.run_views import RunView
from duly.zones import Zone
from tests.unit.cli.command_line import CommandLine, command_line

__all__ = ["command_line"]

_PLACE = '[projects.home]\npath = "."\n[jobs]\nlength = "json:dumps"\nexplode = "json:loads"\n'
_HINT = "  warning: nothing runs here at the moment: start it with duly up\n"


@pytest.fixture
def runtime(command_line: CommandLine) -> CommandLine:
    """Where a project and two jobs are known."""
    command_line.configure(_PLACE)
    return command_line


def rows(said: str) -> list[list[str]]:
    """The cells of a table, without the id at the end of each line."""
    table, _, _ = said.partition("\n\n")
    return [re.split(r" {2,}", line)[:-1] for line in table.splitlines()[1:]]


def test_add_reads_words_and_cron_in_the_zone_of_the_local_user(runtime: CommandLine) -> None:
    said = runtime.say("add", "weekdays at 7:30", "--prompt", "Summarise my inbox", "--project", "home")
    assert said.startswith("✓ summarise-my-inbox · every weekday at 07:30 (Europe/Berlin) · ok · sched_")
    assert "  next  2026-11-17T07:30:00+01:00 Europe/Berlin\n" in said
    assert said.endswith(_HINT)
    made = runtime.read("add", "30", "7", "*", "*", "1-5", "--job-name", "length", "--arg", "obj=[1, 2]")
    assert (made["name"], made["cron"], made["cron_timezone"]) == ("length", "30 7 * * 1-5", "Europe/Berlin")
    assert made["job_args"] == {"obj": [1, 2]}


@pytest.mark.parametrize("words", [["--when", "every day at 9"], ["--cron", "0 9 * * *"], ["--when", "0 9 * * *"]])
def test_words_and_cron_are_in_the_own_zone_in_every_verb(runtime: CommandLine, words: list[str]) -> None:
    nine = {"local": "2026-11-17T09:00:00+01:00", "utc": "2026-11-17T08:00:00Z"}
    assert runtime.read("schedule", "preview", *words)["next_runs"][0] == nine
    assert runtime.read("schedule", "create", "a", *words, "--prompt", "x")["next_runs"][0] == nine
    assert runtime.read("schedule", "update", "a", *words)["next_runs"][0] == nine
    assert runtime.read("schedule", "get", "a")["zone"] == "Europe/Berlin"
    for option in ("--tz", "--cron-timezone"):
        tokyo = runtime.read("schedule", "preview", *words, option, "Asia/Tokyo")
        assert tokyo["next_runs"][0]["utc"] == "2026-11-17T00:00:00Z"


def test_every_time_that_is_shown_is_on_the_clocks_of_the_local_user(runtime: CommandLine) -> None:
    """Programs get the instants of the record, people their own clocks, also in the words of a trigger."""
    said = runtime.say("add", "tomorrow at 7:30", "--prompt", "x", "--name", "once")
    assert said.startswith("✓ once · once at 2026-11-17 07:30 (Europe/Berlin) · waiting · ")
    every_third = "every 3 days at 18:00, counted from 2026-11-16 18:00 (Europe/Berlin)"
    assert f" · {every_third} · " in runtime.say("add", "every 3 days at 18:00", "--prompt", "x", "--name", "third")
    assert {name: when for name, when, *_ in rows(runtime.say("list"))} == {"once": "once", "third": every_third}
    shown = dict(line.split(maxsplit=1) for line in runtime.say("schedule", "get", "once").splitlines())
    assert shown["when"] == "once at 2026-11-17 07:30 (Europe/Berlin)"
    assert (shown["next_run_at"], shown["created_at"]) == ("2026-11-17T07:30:00+01:00", "2026-11-16T13:00:00+01:00")
    assert runtime.read("schedule", "get", "once")["next_run_at"] == "2026-11-17T06:30:00Z"
    runtime.say("remind", "call", "tomorrow", "at", "9", "--name", "call")
    shown = dict(line.split(maxsplit=1) for line in runtime.say("reminders", "get", "call").splitlines() if " " in line)
    assert shown["when"] == "once at 2026-11-17 09:00 (Europe/Berlin)"
    assert (shown["run_at"], shown["created_at"]) == ("2026-11-17T09:00:00+01:00", "2026-11-16T13:00:00+01:00")
    run = runtime.read("schedule", "trigger", "once")["id"]
    shown = dict(line.split(maxsplit=1) for line in runtime.say("schedule", "run", run).splitlines())
    assert (shown["fire_at"], shown["due_at"]) == ("2026-11-16T13:00:00+01:00", "2026-11-16T13:00:00+01:00")


def test_the_list_shows_the_next_time_and_the_last_runs(runtime: CommandLine) -> None:
    runtime.say("add", "every hour", "--job-name", "length", "--arg", "obj=1", "--name", "good")
    runtime.say("add", "every hour", "--job-name", "explode", "--arg", "s=no", "--name", "bad")
    runtime.say("schedule", "create", "noon", "--cron", "0 12 1 1 *", "--job-name", "length", "--arg", "obj=1")
    runtime.say("remind", "call", "tomorrow at 9")
    for _ in range(2):
        runtime.clock.advance(3600)
        runtime.run("tick")
    runtime.say("schedule", "pause", "noon")
    runtime.say("schedule", "trigger", "noon")
    said = runtime.say("list")
    assert said.splitlines()[0].split("  ")[0] == "NAME"
    listed = {name: cells for name, *cells in rows(said)}
    assert listed["good"][1:] == ["today 16:00 (in 1 h)", "▇▇", "ok"]
    assert listed["bad"][1:] == ["today 16:00 (in 1 h)", "▁▁", "failing since 14:00 (2×)"]
    assert listed["noon"][1:] == ["-", "…", "paused"]
    assert listed["call"] == ["once", "tomorrow 09:00 (in 18 h)", "waiting"]
    damaged = apsw.Connection(str(runtime.folder / "schedules.db"))
    damaged.execute("PRAGMA ignore_check_constraints = 1")
    damaged.execute("UPDATE runs SET status = 'odd' WHERE status = 'pending'")
    damaged.close()
    listed = {name: cells for name, *cells in rows(runtime.say("list"))}
    assert listed["noon"][2] == "▁"


def test_a_day_further_away_has_its_name(runtime: CommandLine) -> None:
    runtime.say("schedule", "create", "a", "--cron", "0 8 20 11 *", "--prompt", "x")
    runtime.say("schedule", "create", "b", "--cron", "0 8 1 1 *", "--prompt", "x")
    assert [cells[2] for cells in rows(runtime.say("list"))] == [
        "Fri 20 Nov 08:00 (in 3 d 19 h)",
        "Fri 1 Jan 2027 08:00 (in 45 d 19 h)",
    ]


def test_an_empty_list_and_a_filter_without_matches_say_different_things(runtime: CommandLine) -> None:
    assert runtime.say("list").startswith("no schedules yet; make one: ")
    for words in (["--text", "x"], ["--deleted"], ["--enabled"], ["--disabled"]):
        assert runtime.say("list", *words) == "none found\n"
    assert runtime.read("list") == {"items": [], "next_cursor": None}
    assert runtime.say("schedule", "history") == "no runs yet\n"


def test_one_schedule_is_shown_with_everything(runtime: CommandLine) -> None:
    runtime.say(
        "add", "every day at 9", "--prompt", "Two\nlines", "--project", "home", "--name", "a", "--max-runs", "3"
    )
    shown = dict(re.split(r" {2,}", line, maxsplit=1) for line in runtime.say("schedule", "get", "a").splitlines())
    assert (shown["prompt"], shown["targets"], shown["enabled"]) == ("Two lines", "home", "true")
    assert shown["next_runs"].startswith("2026-11-17T09:00:00+01:00, ")
    assert json.loads(shown["retry"])["max_attempts"] == 1
    assert set(shown) >= set(runtime.read("schedule", "get", "a")) - {"notes"}


def test_a_run_is_shown_with_everything_and_called_off_by_its_id(runtime: CommandLine) -> None:
    runtime.say("schedule", "create", "a", "--cron", "0 13 * * *", "--job-name", "length", "--arg", "obj=1")
    run = runtime.read("schedule", "trigger", "a")["id"]
    said = runtime.say("schedule", "cancel", run)
    shown = dict(re.split(r" {2,}", line, maxsplit=1) for line in said.splitlines())
    assert (shown["id"], shown["status"]) == (run, "cancelled")
    assert shown["reason"] == "cancelled by local over cli"
    assert runtime.say("schedule", "run", run) == said
    assert runtime.read("schedule", "run", run)["status"] == "cancelled"
    assert runtime.fail("schedule", "cancel", "run_0", code=1) == "there is no run 'run_0'"


def test_history_shows_runs_in_the_zone_of_the_local_user(runtime: CommandLine) -> None:
    runtime.say("schedule", "create", "bad", "--cron", "0 14 * * *", "--job-name", "explode", "--arg", "s=" + "x" * 99)
    runtime.clock.advance(3600)
    runtime.run("tick")
    heading, line = runtime.say("schedule", "history", "bad").splitlines()
    assert heading.startswith("FIRED (Europe/Berlin)")
    assert line.startswith("2026-11-16 14:00:00    bad   failed  1        JSONDecodeError: Expecting value")


def test_the_history_goes_on_with_older_runs_at_a_cursor(runtime: CommandLine) -> None:
    runtime.say("schedule", "create", "a", "--cron", "0 13 * * *", "--job-name", "length", "--arg", "obj=1")
    older, newer = sorted(runtime.read("schedule", "trigger", "a")["id"] for _ in range(2))
    *_, more = runtime.say("schedule", "history", "a", "--limit", "1").splitlines()
    assert more == f"more: --cursor {newer}"
    (run,) = runtime.read("schedule", "history", "a", "--cursor", newer)["items"]
    assert run["id"] == older
    assert "more" not in runtime.say("schedule", "history", "a", "--cursor", newer)


def test_of_a_prompt_the_history_shows_what_the_agents_said() -> None:
    at = datetime(2026, 11, 16, 12, tzinfo=UTC)
    ids = partial(RunView, id="run_1", schedule_id="sched_1", name="a", trigger_source="schedule:a", origin="schedule")
    cases = {
        "Three done.; None left.": {"targets": [{"text": "Three done."}, {"text": "None left."}], "cost_usd": 0.1},
        '{"targets": [1]}': {"targets": [1]},
        "a job says so": "a job says so",
        "": None,
    }
    for said, result in cases.items():
        run = ids(status="succeeded", fire_at=at, due_at=at, result=result)
        shown = history([run], Zone.of("UTC"), at)
        assert [cells[4:] for cells in rows(shown)] == [[said] if said else []]


def test_a_removal_is_undone(runtime: CommandLine) -> None:
    runtime.say("schedule", "create", "a", "--cron", "0 9 * * *", "--prompt", "x")
    undo = runtime.say("schedule", "delete", "a").split("after an hour: duly ")[1].split()
    assert [cells[0] for cells in rows(runtime.say("list", "--deleted"))] == ["a"]
    assert runtime.fail("schedule", "restore", "a", code=1) == (
        "there is no schedule 'a' among the removed: `duly schedule list --deleted` shows their ids"
    )
    assert "· paused ·" in runtime.say(*undo)
    assert "· ok ·" in runtime.say("schedule", "resume", "a")


def test_a_schedule_must_do_something(runtime: CommandLine) -> None:
    want = "say what it does: --prompt TEXT for an agent, or --job-name NAME"
    assert runtime.fail("add", "weekdays at 7:30", code=2) == want
    assert runtime.fail("schedule", "create", "a", "--cron", "0 9 * * *", code=2) == want
    assert runtime.read("list")["items"] == []


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ["--retry", "banana"],
            '--retry takes JSON: {"max_attempts": 3, "delay": "30s", "backoff": "exponential"}, got',
        ),
        (["--target", "nope"], "unknown project 'nope': say where it is in duly.toml, [projects.nope] path = \"…\""),
        (["--crn", "x"], "no such option: --crn; did you mean --cron?"),
        (["9", "*", "*"], "unexpected: 9 * *; what has spaces or * in it needs quotes"),
    ],
)
def test_mistakes_are_refused_with_the_cure(runtime: CommandLine, words: list[str], said: str) -> None:
    done = runtime.run("schedule", "create", "a", "--cron", "0 9 * * *", "--prompt", "x", *words)
    assert done.code in (1, 2)
    assert done.err.startswith(f"duly: {said}")
