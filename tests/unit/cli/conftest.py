"""A command line with a fixed clock and a fixed host zone."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import pytest

from duly.cli import app
from duly.testing import VirtualClock

NOW = datetime(2026, 11, 15, 12, 0, 0, 500_000, tzinfo=UTC)


class Outcome(NamedTuple):
    """The exit code and the output of a command."""

    code: int
    out: str
    err: str


Duly = Callable[..., Outcome]


@pytest.fixture
def duly(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Duly:
    """Run a command on Sunday 2026-11-15, half a second past noon UTC, on a machine in Tokyo without settings."""
    monkeypatch.setattr("duly.cli.cron.host_zone", lambda _now: "Asia/Tokyo")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("duly.config.reading._users", lambda: tmp_path / "data")
    monkeypatch.delenv("DULY_CONFIG", raising=False)

    def run(*arguments: str) -> Outcome:
        code = app.run(list(arguments), VirtualClock(NOW))
        return Outcome(code, *capsys.readouterr())

    return run
