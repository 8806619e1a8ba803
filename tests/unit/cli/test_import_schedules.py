"""`duly import crontab|celery-beat|apscheduler`: what becomes of each entry, and jobs that are programs."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from duly.cli import BAD_INPUT, FAILED
from tests.unit.cli.command_line import CommandLine, command_line

__all__ = ["command_line"]

TABLES = Path(__file__).parents[2] / "data" / "django_celery_beat.sql"
_TABLE = "MAILTO=ops@example.org\n*/5 * * * * ./tidy --all\n@daily echo hi | cat\n"
_EXECUTOR = '[executors.heavy]\nkind = "celery"\nbroker = "redis://localhost/0"\ntasks = ["proj.*"]\n'


def tidy(command_line: CommandLine, code: str = "echo tidied $1") -> None:
    """A program beside duly.toml, which a job starts."""
    program = command_line.folder / "tidy"
    program.write_text(f"#!/bin/sh\n{code}\n", encoding="utf-8")
    program.chmod(0o755)
    command_line.configure('[jobs]\ntidy = ["./tidy", "--all"]\n')


def test_a_table_of_cron_is_shown_before_it_is_taken_over(command_line: CommandLine) -> None:
    tidy(command_line)
    (command_line.folder / "tab").write_text(_TABLE, encoding="utf-8")
    said = command_line.say("import", "crontab", "tab", "--dry-run")
    assert said.startswith(
        "+ tidy  */5 * * * *  →  every 5 minutes (Europe/Berlin)\n    there and here  2026-11-16T13:05:00+01:00, "
    )
    assert "not taken over: MAILTO=ops@example.org" in said
    assert "✗ echo  @daily echo hi | cat\n    it needs a shell (for |)" in said
    assert said.endswith("would be: 1 created, 0 updated, 0 unchanged, 1 refused\n")
    assert command_line.read("list")["items"] == []


def test_a_table_of_cron_runs_as_jobs_that_are_programs(command_line: CommandLine) -> None:
    tidy(command_line)
    (command_line.folder / "tab").write_text(_TABLE, encoding="utf-8")
    command_line.say("import", "crontab", "tab")
    again = command_line.read("import", "crontab", "tab")
    assert [each["action"] for each in again["items"]] == ["unchanged", "refused"]
    command_line.wait(minutes=5)
    [run] = command_line.read("schedule", "history", "crontab/tidy")["items"]
    assert (run["status"], run["result"]) == ("succeeded", {"exit_code": 0, "output": "tidied --all"})


def test_a_program_that_fails_says_how(command_line: CommandLine) -> None:
    tidy(command_line, code="echo no broom >&2; exit 3")
    command_line.say("schedule", "create", "sweep", "--cron", "* * * * *", "--job-name", "tidy")
    command_line.clock.advance(60)
    command_line.run("tick")
    [run] = command_line.read("schedule", "history", "sweep")["items"]
    assert (run["status"], run["error"]) == (
        "failed", f"ProgramError: {command_line.folder}/tidy ended with exit code 3: no broom",
    )  # fmt: skip


def test_a_program_takes_no_arguments_from_callers(command_line: CommandLine) -> None:
    tidy(command_line)
    said = command_line.fail(
        "schedule", "create", "a", "--cron", "* * * * *", "--job-name", "tidy", "--arg", "x=1", code=BAD_INPUT
    )
    assert said.startswith("job 'tidy' cannot be called with {'x': 1}")


def test_a_changed_line_changes_its_schedule(command_line: CommandLine) -> None:
    tidy(command_line)
    (command_line.folder / "tab").write_text("0 9 * * * ./tidy --all\n", encoding="utf-8")
    command_line.say("import", "crontab", "tab")
    (command_line.folder / "tab").write_text("0 10 * * * ./tidy --all\n", encoding="utf-8")
    [entry] = command_line.read("import", "crontab", "tab")["items"]
    assert entry["action"] == "updated"
    assert entry["differences"]["cron"] == ["0 9 * * *", "0 10 * * *"]


def test_the_tables_of_django_are_taken_over(command_line: CommandLine) -> None:
    command_line.configure(_EXECUTOR)
    with closing(sqlite3.connect(command_line.folder / "db.sqlite3")) as connection:
        connection.executescript(TABLES.read_text(encoding="utf-8"))
    found = command_line.read("import", "celery-beat", "sqlite:///db.sqlite3")["items"]
    actions = {each["name"]: each["action"] for each in found}
    assert actions == {
        "report": "created", "tick": "created", "often": "refused", "dusk": "refused", "once": "created",
        "routed": "created", "sunday": "created",
    }  # fmt: skip
    made = command_line.read("schedule", "get", "celery-beat/report")
    assert (made["job_name"], made["executor"], made["queue"], made["positional"]) == (
        "proj.report", "heavy", "reports", [1, "x"],
    )  # fmt: skip
    assert command_line.read("schedule", "get", "celery-beat/tick")["enabled"] is False


def test_where_nothing_can_be_taken_over_the_code_says_so(command_line: CommandLine) -> None:
    (command_line.folder / "tab").write_text("@reboot work\n", encoding="utf-8")
    assert command_line.run("import", "crontab", "tab").code == FAILED
    (command_line.folder / "empty").write_text("# nothing\n", encoding="utf-8")
    assert command_line.say("import", "crontab", "empty") == "empty has no schedules\n"


def test_what_is_missing_is_said(command_line: CommandLine) -> None:
    assert "duly import crontab needs a table of cron" in command_line.fail("import", "crontab", code=BAD_INPUT)
    assert "cannot read" in command_line.fail("import", "crontab", "nowhere", code=BAD_INPUT)
    none = command_line.fail("import", "celery-beat", "sqlite:///db", code=BAD_INPUT)
    assert none.startswith("duly.toml has no executor of Celery")
    command_line.configure(_EXECUTOR + _EXECUTOR.replace("heavy", "light"))
    assert "--executor says which" in command_line.fail("import", "celery-beat", "sqlite:///db", code=BAD_INPUT)
