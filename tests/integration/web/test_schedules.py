"""Schedules and Schedule: the list, one of them, and what is done with one press; without script."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from duly.ports.records import RunFilter
from tests.integration.web.browsing import HOSTILE, Browser, actions, browsing, schedule, text_of


async def test_the_list_says_what_when_and_next(tmp_path: Path) -> None:
    async with browsing(tmp_path) as browser:
        assert "Nothing is scheduled yet" in await browser.get("/schedules")
        await schedule(browser.here, "daily-review", prompt="Review yesterday\nand more")
        await schedule(browser.here, "ping", when=None, cron="*/5 * * * *", cron_timezone="UTC")
        said = text_of(await browser.get("/schedules"))
        assert "All 2" in said
        assert "Review yesterday " in said
        assert "and more" not in said
        assert "every weekday at 08:00" in said
        assert "every 5 minutes UTC" in said
        assert "When, Europe/Berlin" in said


@pytest.mark.parametrize("query", ["state=failing", "kind=job", "q=nothing-like-it", "project=shop"])
async def test_filters_stand_in_the_address_and_can_be_dropped(tmp_path: Path, query: str) -> None:
    async with browsing(tmp_path) as browser:
        await schedule(browser.here, "daily-review")
        page = await browser.get(f"/schedules?{query}")
        assert "No schedule was like that." in page
        assert 'href="/schedules"' in page
        for sort in ("attention", "next", "name"):
            assert "daily-review" in await browser.get(f"/schedules?sort={sort}&kind=agent")


async def test_one_press_pauses_skips_runs_and_deletes_and_each_can_be_undone(tmp_path: Path) -> None:
    async with browsing(tmp_path) as browser:
        found = await schedule(browser.here)
        for action, done in (("pause", "review paused"), ("resume", "review resumed"), ("skip", "skipped")):
            page = await browser.pressed(f"/schedules/{found}/{action}")
            assert done in text_of(page)
            assert 'action="/ui/undo"' in page
        await browser.pressed(f"/schedules/{found}/run")
        runs = await browser.here.runtime.store.runs(RunFilter(schedule_id=found))
        assert {str(run.fire.origin) for run in runs} == {"schedule", "manual"}
        await browser.pressed(f"/schedules/{found}/delete")
        gone = text_of(await browser.get(f"/schedules/{found}", 404))
        assert "It was deleted today 13:00 by you" in gone
        assert "resume it" in text_of(await browser.get(f"/schedules/{found}", 404))
        assert "It is paused." in text_of(await browser.pressed(f"/schedules/{found}/restore"))


async def test_the_same_is_done_to_many(tmp_path: Path) -> None:
    async with browsing(tmp_path) as browser:
        ids = [await schedule(browser.here, f"s{number}") for number in range(3)]
        page = await browser.pressed("/schedules/bulk", action="pause", id=ids[:2])
        assert "paused 2 schedules" in text_of(page)
        assert "Paused 2" in text_of(page)
        refused = await browser.post("/schedules/bulk", action="pause")
        assert refused.status_code == 303


async def test_a_schedule_says_how_it_was_what_comes_and_who_changed_it(tmp_path: Path) -> None:
    async with browsing(tmp_path) as browser:
        found = await schedule(browser.here, timeout="15m", retry={"max_attempts": 3, "delay": "30s"})
        said = text_of(await browser.get(f"/schedules/{found}"))
        assert "It has not run yet. It runs next tomorrow 08:00" in said
        assert "07:00 UTC" in said
        assert "It is stopped after 15 min" in said
        assert "tried up to 3 times; it waits 30 s, then 1 min" in said
        assert "in the dashboard: made" in said
        await browser.pressed(f"/schedules/{found}/pause")
        page = await browser.get(f"/schedules/{found}")
        assert "It is paused." in text_of(page)
        assert f"/schedules/{found}/put-back" in actions(page)
        for number in ("0", "x", str(2**63), "9" * 5000):
            assert "is no change" in text_of(await browser.pressed(f"/schedules/{found}/put-back", seq=number))
        counted = await browser.pressed(
            f"/schedules/{found}/backfill", start="2026-11-12T00:00", end="2026-11-14T00:00", count="1"
        )
        assert "2 runs would be recorded" in text_of(counted)


async def test_the_next_three_fires_come_with_their_clock_changes(tmp_path: Path) -> None:
    async with browsing(tmp_path, start=datetime(2027, 3, 26, 13, 32, tzinfo=UTC)) as browser:
        found = await schedule(browser.here, when="every night at half past two")
        answer = await browser.http.get(f"/ui/schedules/{found}/next")
        assert "Next three" in answer.text
        assert "02:30 does not exist that night" in answer.text


async def test_markup_stays_text(tmp_path: Path) -> None:
    async with browsing(tmp_path) as browser:
        found = await schedule(
            browser.here, HOSTILE[:60], prompt=HOSTILE, description=HOSTILE, display_title=HOSTILE, spawner=None
        )
        for path in ("/schedules", f"/schedules/{found}", f"/schedules?q={HOSTILE}"):
            page = await browser.get(path)
            assert "<img" not in page
            assert "<script>" not in page


@pytest.mark.parametrize("scope", ["project:blog", "project:blog:ro", "user:ana", "admin:ro"])
async def test_no_button_is_drawn_that_would_be_refused(tmp_path: Path, scope: str) -> None:
    async with browsing(tmp_path, scope) as browser:
        own = await schedule(browser.here, "own", targets=["blog"])
        shared = await schedule(browser.here, "shared", targets=["blog", "shop"])
        foreign = await schedule(browser.here, "foreign", targets=["shop"])
        page = await browser.get("/schedules")
        assert f"/schedules/{foreign}/pause" not in actions(page)
        for each in (own, shared):
            if f"/schedules/{each}" not in page:
                continue
            for action in ("skip", "run", "pause", "delete"):
                if f"/schedules/{each}/{action}" in actions(page):
                    answer = await browser.post(f"/schedules/{each}/{action}")
                    assert "refused" not in answer.text
                    assert not await _toast_is_bad(browser, answer.headers["location"])
        if scope.endswith(":ro"):
            assert not [each for each in actions(page) if each.startswith("/schedules")]


async def _toast_is_bad(browser: Browser, location: str) -> bool:
    return 'class="toast bad"' in (await browser.http.get(location)).text
