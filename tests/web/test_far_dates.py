"""Dates at the ends of the calendar: a page opens or says why not, and one far reminder hides no other."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.web.scene import scene
from tests.web.test_sign_in import HTML
from tests.world import World

REFUSED = (
    "/load?day=9999-12-31",
    "/load?day=0001-01-01",
    "/load?past=1&day=0001-01-01",
    "/load?day=2027-03-26&minute=9999-12-31T23:59:00Z",
    "/load?day=2027-03-26&minute=0001-01-01T00:00:00%2B14:00",
    "/calendar?from=9999-12-31",
    "/calendar?from=0001-01-01",
)
API_REFUSED = (
    "/api/v1/load?day=9999-12-31",
    "/api/v1/load?day=0001-01-01",
    "/api/v1/load?past=true&day=0001-01-01",
    "/api/v1/load/minute?at=9999-12-31T23:59:59Z",
    "/api/v1/load/minute?at=0001-01-01T00:00:00Z",
    "/api/v1/fires?start=9999-12-30T00:00:00Z&end=9999-12-31T23:59:59Z",
    "/api/v1/fires?start=0001-01-01T00:00:00Z&end=0001-01-02T00:00:00Z",
    "/api/v1/fires?start=0001-01-01T00:00:00Z&end=9999-12-31T23:59:59Z",
    "/api/v1/day?start=9999-12-30T00:00:00Z&end=9999-12-31T23:59:59Z",
    "/api/v1/day?start=0001-01-01T00:00:00Z&end=0001-01-02T00:00:00Z",
)


def test_days_at_the_ends_of_the_calendar_are_refused_with_a_sentence(tmp_path: Path) -> None:
    async def look() -> dict[str, int]:
        async with scene(tmp_path, others=0) as here:
            found = {path: await _asked(here, path) for path in (*REFUSED, *API_REFUSED)}
            body = {"at": "9999-12-31T23:59:59Z", "over": "10m"}
            found["spread"] = (await here.http.post("/api/v1/load/spread", json=body)).status_code
            return found

    found = asyncio.run(look())
    assert found == dict.fromkeys(found, 422)


@pytest.mark.parametrize("at", ["9999-12-31T23:59:59Z", "9999-12-31T00:00:00Z", "9998-12-31T23:59:59Z"])
def test_every_page_opens_with_a_reminder_at_the_end_of_time(tmp_path: Path, at: str) -> None:
    async def look() -> dict[str, int]:
        async with scene(tmp_path, others=0) as here:
            made = await here.runtime.services.reminder_service.create("local", {"type": "once", "at": at}, "far away")
            there = f"/schedules/{made.id}"
            pages = ("/", "/schedules", there, f"{there}/edit", "/inbox", "/calendar", "/load", "/search?q=far")
            return {path: await _asked(here, path) for path in (*pages, "/ui/palette?q=far", "/api/v1/calendar.ics")}

    found = asyncio.run(look())
    assert found == dict.fromkeys(found, 200)


async def _asked(here: World, path: str) -> int:
    return (await here.http.get(path, headers={} if path.startswith("/api") else HTML)).status_code
