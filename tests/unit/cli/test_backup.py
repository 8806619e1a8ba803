"""`duly backup` and `duly restore`, as a person at a terminal uses them."""

from __future__ import annotations

import asyncio
import io
import sys
from pathlib import Path

import pytest

from duly.runtime.daemon_lock import DaemonLock
from duly.testing import VirtualClock
from tests.unit.cli.command_line import CommandLine, command_line

__all__ = ["command_line"]


def _names(home: CommandLine) -> list[str]:
    return [each["name"] for each in home.read("reminders", "list")["items"]]


def test_there_and_back(command_line: CommandLine, tmp_path: Path) -> None:
    home = command_line
    home.run("remind", "stretch", "in", "5m")
    file = str(tmp_path / "a.backup")
    assert home.say("backup", file).startswith(f"✓ {file}: 1 schedule, 0 runs, ")
    assert home.read("backup", "--verify", file)["schedules"] == 1
    assert "every checksum is right" in home.say("backup", "--verify", file)
    home.run("remind", "walk", "in", "5m")
    assert "holds 2 schedules" in home.fail("restore", file, code=1)
    kept = home.read("restore", file, "--force")["kept"]
    assert Path(kept).exists()
    assert _names(home) == ["stretch"]
    assert f"{kept}-2: remove it" in home.say("restore", file, "--force")


def test_into_an_empty_place(command_line: CommandLine, tmp_path: Path) -> None:
    home = command_line
    home.run("remind", "stretch", "in", "5m")
    home.say("backup", str(file := tmp_path / "a.backup"))
    (tmp_path / "schedules.db").unlink()
    assert "is not there, so there is nothing to back up" in home.fail("backup", str(tmp_path / "b.backup"), code=1)
    assert home.say("restore", str(file)).endswith("is the store now\n")
    assert _names(home) == ["stretch"]


def test_not_while_a_daemon_runs(command_line: CommandLine, tmp_path: Path) -> None:
    home = command_line
    home.run("remind", "stretch", "in", "5m")
    home.say("backup", str(file := tmp_path / "a.backup"))
    lock = DaemonLock(tmp_path)
    asyncio.run(
        lock.claim("http://127.0.0.1:1", str(tmp_path / "schedules.db"), VirtualClock(), tmp_path / "duly.toml")
    )
    try:
        said = home.fail("restore", str(file), "--force", code=1)
        assert "a daemon already runs" in said
        assert "stop it first" in said
        home.say("backup", str(tmp_path / "b.backup"))
    finally:
        lock.release()


def test_a_person_at_a_terminal_sees_progress(
    command_line: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    command_line.run("remind", "stretch", "in", "5m")
    monkeypatch.setattr(sys, "stderr", screen := Terminal())
    command_line.run("backup", str(tmp_path / "a.backup"))
    assert "copied" in screen.getvalue()
    assert screen.getvalue().endswith("\r\x1b[K")
