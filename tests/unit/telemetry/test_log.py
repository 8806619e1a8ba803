"""Events as log lines: one line each, at their level, with their facts."""

import logging
import re
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duly.model.events import CATALOGUE, RUN_FAILED, RUN_STARTED, Event
from duly.telemetry.log import _in_line, log_event, wants

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
    told = r'name=ä error="no\n12:00 INFO all is well\r\x1b[2J\u2028\ud800 \\n"'
    assert record.getMessage() == f"run.failed {told}"
    assert record.__dict__["duly_facts"] == data


@given(st.dictionaries(st.from_regex(r"[a-z_]{1,8}", fullmatch=True), st.text(), max_size=5))
def test_the_facts_of_a_line_can_be_read_back_whatever_their_text(data: dict[str, str]) -> None:
    line = _in_line(data)
    found = re.findall(r'(?:^| )([a-z_]+)=("(?:[^"\\]|\\.)*"|[^\s="]+)(?= |$)', line)
    assert [name for name, _ in found] == list(data)
    assert " ".join(f"{name}={value}" for name, value in found) == line
    for (name, value), text in zip(found, data.values(), strict=True):
        if text.isprintable() and text.isascii():
            read = re.sub(r"\\(.)", r"\1", value[1:-1]) if value.startswith('"') else value
            assert (name, read) == (name, text)


def test_a_value_that_looks_like_another_fact_is_quoted(caplog: pytest.LogCaptureFixture) -> None:
    data = {"name": "shop by=tok_admin", "reason": 'say "no" \\ or', "note": "", "plain": "a:b"}
    with caplog.at_level(logging.INFO, logger="duly"):
        log_event(Event(RUN_FAILED, NOW, data=data))
    (record,) = caplog.records
    told = r'name="shop by=tok_admin" reason="say \"no\" \\ or" note="" plain=a:b'
    assert record.getMessage() == f"run.failed {told}"


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
