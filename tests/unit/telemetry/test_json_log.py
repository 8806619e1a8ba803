"""The log as JSON: one object per line, whose facts are values and not text."""

from __future__ import annotations

import io
import json
import logging
import sys
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from duly.model.events import RUN_FAILED, Event
from duly.telemetry.json_log import JsonFormatter, TextFormatter, log_to_stderr
from duly.telemetry.log import log_event

NOW = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture
def lines(monkeypatch: pytest.MonkeyPatch) -> io.StringIO:
    written = io.StringIO()
    handler = logging.StreamHandler(written)
    handler.setFormatter(JsonFormatter())
    logger = logging.getLogger("duly")
    monkeypatch.setattr(logger, "handlers", [handler])
    return written


def read(lines: io.StringIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in lines.getvalue().splitlines()]


def test_an_event_is_one_object_with_its_facts(lines: io.StringIO) -> None:
    data = {"name": "backup", "error": "no\nsuch \u2028 disk", "attempt": 3, "level": "mine"}
    log_event(Event(RUN_FAILED, NOW, "sched_a", "run_b", data=data))
    [line] = read(lines)
    assert line.pop("time").endswith("Z")
    assert line.pop("message").startswith("run.failed schedule=sched_a run=run_b name=backup")
    assert line == {
        "level": "error",
        "logger": "duly",
        "event": "run.failed",
        "schedule": "sched_a",
        "run": "run_b",
        "name": "backup",
        "error": "no\nsuch \u2028 disk",
        "attempt": 3,
        "level_": "mine",
    }


def test_a_traceback_and_odd_values_stay_in_one_line(lines: io.StringIO) -> None:
    try:
        int("no\nsuch thing \ud800")
    except ValueError:
        logging.getLogger("duly").exception("it broke: %s", object)
    log_event(Event(RUN_FAILED, NOW, data={"error": {NOW}}))
    first, second = read(lines)
    assert first["message"] == "it broke: <class 'object'>"
    assert "ValueError" in first["traceback"]
    assert "2026" in second["error"]


def test_a_line_for_people_has_the_clock_of_the_zone() -> None:
    record = logging.LogRecord("duly", logging.INFO, __file__, 1, "hello", None, None)
    record.created = NOW.timestamp()
    there = NOW.astimezone(ZoneInfo("Asia/Kolkata"))
    assert TextFormatter("Asia/Kolkata").format(record) == f"{there:%H:%M:%S} INFO hello"


@pytest.mark.parametrize("as_json", [True, False])
def test_the_log_goes_to_standard_error_in_the_chosen_format(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, as_json: bool
) -> None:
    monkeypatch.setattr(logging.root, "handlers", [])
    monkeypatch.setattr(logging.root, "level", logging.WARNING)
    noisy = {name: logging.getLogger(name).level for name in ("httpx", "httpcore", "mcp", "uvicorn")}
    try:
        log_to_stderr(as_json=as_json)
        logging.getLogger("duly").info("hello")
    finally:
        for name, level in noisy.items():
            logging.getLogger(name).setLevel(level)
    said = capsys.readouterr()
    assert said.out == ""
    assert (json.loads(said.err)["message"] if as_json else said.err.split(" ", 1)[1]) == (
        "hello" if as_json else "INFO hello\n"
    )
    assert sys.stderr is not None
