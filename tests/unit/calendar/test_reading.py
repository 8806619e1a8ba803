"""A calendar file is read by a process of its own, which may use so much and no more."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from duly.errors import InvalidInputError
from duly.service.calendar import reading
from duly.service.calendar.entries import ImportedReminder, RefusedEntry
from duly.service.calendar.ics import read_ics
from duly.testing import VirtualClock
from tests.security.hostile import WORST

NOW = datetime(2026, 11, 15, 10, tzinfo=UTC)
ZONE = "Europe/Berlin"
FILE = b"""BEGIN:VCALENDAR
VERSION:2.0
PRODID:test
BEGIN:VEVENT
UID:gym
SUMMARY:Gym \xf0\x9f\x8f\x8b
DESCRIPTION:two\\nlines
DTSTART;TZID=Europe/Berlin:20261117T180000
DURATION:PT1H
RRULE:FREQ=WEEKLY;BYDAY=TU,TH;UNTIL=20270101T000000Z
BEGIN:VALARM
ACTION:DISPLAY
TRIGGER:-PT10M
END:VALARM
END:VEVENT
BEGIN:VEVENT
UID:past
DTSTART:20200101T090000Z
END:VEVENT
END:VCALENDAR
"""


async def read(data: bytes) -> list[ImportedReminder | RefusedEntry]:
    return [each async for each in reading.read_entries(data, ZONE, NOW, VirtualClock())]


async def test_the_process_gives_what_is_read_here() -> None:
    assert await read(FILE) == read_ics(FILE, ZONE, NOW)


async def test_a_file_that_is_none_is_refused_with_its_reason() -> None:
    with pytest.raises(InvalidInputError, match="this is no calendar file: it has no BEGIN:VCALENDAR"):
        await read(b"hello")
    with pytest.raises(InvalidInputError, match="the file has 5000001 bytes, allowed are 5000000: import it in parts"):
        await read(b"x" * 5_000_001)


async def test_a_file_has_so_many_seconds_of_the_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "MOST_SECONDS", 1)
    with pytest.raises(InvalidInputError, match="takes more than 1 seconds of the processor to read: import it in"):
        await read(WORST)


async def test_a_file_that_the_library_cannot_bear_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONHOME", os.devnull)  # the process cannot even begin
    with pytest.raises(InvalidInputError, match="the file cannot be read: "):
        await read(FILE)


async def test_the_process_sees_no_secrets(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    seen = tmp_path / "seen"
    (tmp_path / "sitecustomize.py").write_text(
        f"import os\nopen({str(seen)!r}, 'w').write(repr(dict(os.environ)))\n", encoding="utf-8"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setenv("TELEGRAM_TOKEN", "123:secret")
    await read(FILE)
    assert "PYTHONPATH" in seen.read_text(encoding="utf-8")
    assert "secret" not in seen.read_text(encoding="utf-8")
