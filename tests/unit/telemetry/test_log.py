"""Events as log lines: one line each, at their level, with their facts."""

import logging
from datetime import UTC, datetime

import pytest

from duly.model.events import CATALOGUE, RUN_FAILED, RUN_STARTED, Event
from duly.telemetry.log import log_event, wants

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def test_an_event_is_one_line_with_its_facts(caplog: pytest.LogCaptureFixture) -> None:
    data = {"name": "backup", "error": "no", "traceback": "Traceback …"}
    with caplog.at_level(logging.INFO, logger="duly"):
        log_event(Event(RUN_FAILED, NOW, "sched_a", "run_b", data=data))
    (record,) = caplog.records
    assert record.levelno == logging.ERROR
    assert record.getMessage() == "run.failed schedule=sched_a run=run_b name=backup error=no\n  Traceback …"
    assert record.__dict__["duly_event"] == "run.failed"


def test_text_in_an_event_cannot_forge_a_line(caplog: pytest.LogCaptureFixture) -> None:
    data = {"name": "ä", "error": "no\n12:00 INFO all is well\r\x1b[2J\u2028\ud800 \\n"}
    with caplog.at_level(logging.INFO, logger="duly"):
        log_event(Event(RUN_FAILED, NOW, data=data))
    (record,) = caplog.records
    told = r"name=ä error=no\n12:00 INFO all is well\r\x1b[2J\u2028\ud800 \n"
    assert record.getMessage() == f"run.failed {told}"
    assert record.__dict__["duly_facts"] == data


def test_text_in_a_traceback_cannot_forge_a_line(caplog: pytest.LogCaptureFixture) -> None:
    data = {"traceback": "Traceback\n  File …\nError: no\n12:00 INFO all is well\r12:01 INFO still\x1b[2J\n"}
    with caplog.at_level(logging.INFO, logger="duly"):
        log_event(Event(RUN_FAILED, NOW, data=data))
    [record] = caplog.records
    first, *more = record.getMessage().split("\n")
    assert first == "run.failed "
    assert more == [f"  {line}" for line in ("Traceback", "  File …", "Error: no", "12:00 INFO all is well")] + [
        r"  12:01 INFO still\x1b[2J"
    ]


def test_events_below_the_level_are_not_written(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, logger="duly"):
        assert not wants(RUN_STARTED)
        log_event(Event(RUN_STARTED, NOW))
    assert caplog.records == []


@pytest.mark.parametrize("kind", CATALOGUE.values(), ids=lambda kind: kind.name)
def test_every_kind_of_event_can_be_logged(kind: object, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG, logger="duly"):
        log_event(Event(kind, NOW))  # type: ignore[arg-type]  # of the catalogue
    assert len(caplog.records) == 1
