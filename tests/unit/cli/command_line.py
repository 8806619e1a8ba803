"""A data directory of a person in Berlin, the commands they give there, and a clock that the test moves."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from duly.cli import app
from duly.testing import VirtualClock
from tests.unit.cli.conftest import Outcome
from tests.world import ServedPlace, served_in_thread

NOON = datetime(2026, 11, 16, 12, 0, tzinfo=UTC)  # a Monday
SETTINGS = 'timezone = "Europe/Berlin"\n'


class CommandLine:
    """Runs commands on a data directory of its own."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder = folder
        self._capsys = capsys
        self.clock = VirtualClock(NOON)
        self.configure("")

    def configure(self, settings: str) -> None:
        (self.folder / "duly.toml").write_text(SETTINGS + settings, encoding="utf-8")

    def words(self, *words: str) -> list[str]:
        """Add to the words of a command which duly it is about."""
        end = words.index("--") if "--" in words else len(words)
        return [*words[:end], "--data-dir", str(self.folder), *words[end:]]

    def run(self, *words: str) -> Outcome:
        code = app.run(self.words(*words), self.clock)
        return Outcome(code, *self._capsys.readouterr())

    def say(self, *words: str) -> str:
        """Run a command that works, and give its output."""
        done = self.run(*words)
        assert (done.code, done.err) == (0, "")
        return done.out

    def read(self, *words: str) -> Any:
        return json.loads(self.say(*words, "--json"))

    def fail(self, *words: str, code: int) -> str:
        """Run a command that does not work, and give the one line that says why."""
        done = self.run(*words)
        assert (done.code, done.out) == (code, "")
        assert done.err.startswith("duly: ")
        assert done.err.count("\n") == 1
        return done.err.removeprefix("duly: ").rstrip()

    def wait(self, **length: float) -> None:
        """Let time pass, and carry out what is due then."""
        self.clock.advance(timedelta(**length))
        self.say("tick")


class FromElsewhere(CommandLine):
    """Runs the same commands at a daemon elsewhere, for which the folder is that of another machine."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str], place: ServedPlace) -> None:
        super().__init__(folder, capsys)
        self._place = place

    def words(self, *words: str) -> list[str]:
        return ["--server", self._place.url, f"--token={self._place.token}", *words]


@pytest.fixture
def command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    """Make a home in another folder than the one of the tests, so that no file there is read."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("DULY_DATA_DIR", raising=False)
    monkeypatch.delenv("DULY_CONFIG", raising=False)
    return CommandLine(tmp_path, capsys)


@pytest.fixture(params=["here", "elsewhere"])
def either_door(
    request: pytest.FixtureRequest,
    command_line: CommandLine,
    tmp_path_factory: pytest.TempPathFactory,
    capsys: pytest.CaptureFixture[str],
) -> Iterator[CommandLine]:
    """Give commands on this machine, and the same ones with `--server`: what they show is the same."""
    if request.param == "here":
        yield command_line
        return
    with served_in_thread(tmp_path_factory.mktemp("elsewhere"), start=NOON) as place:
        yield FromElsewhere(command_line.folder, capsys, place)
