"""Commands that only read work while another process holds the write lock of the SQLite file."""

from __future__ import annotations

from pathlib import Path

import pytest

from duly.stores.sqlite import file as files
from tests.unit.cli.command_line import CommandLine, command_line
from tests.unit.stores.locker import locked

__all__ = ["command_line"]

READING = (
    ("list",),
    ("reminders",),
    ("reminders", "get", "stretch"),
    ("inbox", "--all", "--keep"),
    ("schedule", "list"),
    ("schedule", "get", "lengthen"),
    ("schedule", "history", "lengthen"),
    ("schedule", "preview", "--cron", "0 9 * * *"),
    ("user", "list"),
    ("channels", "list"),
    ("token", "list"),
    ("events",),
    ("health",),
)


@pytest.fixture
def busy(command_line: CommandLine, monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    """A home with one of everything, where waiting for the lock ends soon."""
    command_line.configure('[jobs]\nlength = "json:dumps"\n')
    command_line.say("add", "every hour", "--job-name", "length", "--arg", "obj=1", "--name", "lengthen")
    command_line.say("remind", "stretch", "in 20m", "--name", "stretch")
    command_line.wait(hours=1)
    monkeypatch.setattr(files, "_PATIENCE", 0.03)
    return command_line


def test_commands_that_read_do_not_need_the_write_lock(busy: CommandLine, tmp_path: Path) -> None:
    with locked(tmp_path / "schedules.db"):
        for words in READING:
            assert busy.say(*words), words
        assert busy.say("schedule", "history", "lengthen").count("succeeded") == 1


def test_the_inbox_is_shown_and_stays_unread_until_it_can_be_marked(busy: CommandLine, tmp_path: Path) -> None:
    with locked(tmp_path / "schedules.db"):
        told = busy.say("inbox")
        assert "stretch" in told
        assert "could not be marked as read, because another process has locked the store" in told
        assert busy.read("inbox")["still_unread"] == 1
        assert "marked" not in busy.say("inbox", "--keep")
    told = busy.say("inbox")
    assert "stretch" in told
    assert "marked" not in told
    assert "stretch" not in busy.say("inbox")


def test_a_command_that_writes_says_that_the_file_is_locked(busy: CommandLine, tmp_path: Path) -> None:
    with locked(tmp_path / "schedules.db"):
        assert "database is locked" in busy.fail("schedule", "pause", "lengthen", code=1)
