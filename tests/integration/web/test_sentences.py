"""What the pages say: each opens with its answer, people are called by name, and the journal speaks in sentences."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from duly.service.access.scopes import Face
from duly.service.overview.views import ScheduleCounts
from duly.web.schedules import sentence_of
from tests.integration.web.browsing import browsing, schedule, text_of

_KINDS = {"agents": 0, "jobs": 0, "people": 0}


@pytest.mark.parametrize(
    ("counts", "said"),
    [
        ({"all": 0}, ("", "Nothing is scheduled yet.")),
        ({"all": 1}, ("It does not fail.", "")),
        ({"all": 3}, ("None of 3 schedules fails.", "")),
        ({"all": 1, "failing": 1}, ("1 of one schedule fails.", "")),
        ({"all": 64, "failing": 2, "paused": 1}, ("2 of 64 schedules fail.", "1 is paused.")),
        ({"all": 4, "awaiting": 2, "running": 1}, ("None of 4 schedules fails.", "2 wait for an answer, 1 runs now.")),
    ],
)
def test_schedules_opens_with_what_is_not_all_right(counts: dict[str, Any], said: tuple[str, str]) -> None:
    none = {"failing": 0, "awaiting": 0, "running": 0, "paused": 0}
    assert sentence_of(ScheduleCounts(**(none | _KINDS | counts))) == said


async def test_tokens_people_and_the_journal_call_people_by_name(tmp_path: Path) -> None:
    async with browsing(tmp_path) as browser:
        here = browser.here
        services = here.runtime.services
        admin = here.runtime.local(Face.CLI)
        ana = await here.person("Ana")
        await services.tokens.create(admin, "phone", f"user:{ana}:ro")
        tokens = text_of(await browser.get("/tokens"))
        assert "looks at reminders of Ana" in tokens

        await here.remind("Ana", "Take it", require_ack=True)
        today = text_of(await browser.get("/"))
        assert "to Ana" in today
        assert ana not in today
        assert "once, today 13:0" in text_of(await browser.get("/search?q=take")), "in the zone of the viewer"
        await here.clock.travel(minutes=6)
        assert "none yet" in text_of(await browser.get("/people"))
        [card] = (await services.inbox.view(admin, "Ana")).waiting
        await services.inbox.answer(admin, card.run_id, "snooze", minutes=30, channel="telegram")
        people = text_of(await browser.get("/people"))
        assert "Take it , by Telegram" in people

        journal = text_of(await browser.get("/journal"))
        assert "answered: snoozed until today 13:36, by Telegram" in journal
        assert "Ana added to the people" in journal
        assert "token phone made: it looks at reminders of Ana" in journal
        assert ana not in journal


async def test_a_list_of_runs_is_kept_on_today_and_taken_off(tmp_path: Path) -> None:
    async with browsing(tmp_path) as browser:
        await schedule(browser.here)
        page = await browser.get("/runs?status=failed&span=7d")
        assert "Save as link on Today" in page
        kept = {"href": "/runs?status=failed&span=7d", "name": "failed, last 7 days"}
        assert "On Today, in this browser: failed, last 7 days" in text_of(await browser.pressed("/ui/pin", **kept))
        today = await browser.get("/")
        assert 'href="/runs?status=failed&amp;span=7d">failed, last 7 days</a>' in today
        assert "Take off Today" in await browser.get("/runs?status=failed&span=7d")
        for foreign in (
            "https://elsewhere.example/runs?x=1",
            "//elsewhere.example",
            "/schedules",
            "/runs?" + "x" * 400,
        ):
            refused = await browser.pressed("/ui/pin", href=foreign, name="x")
            assert "only lists of runs" in text_of(refused)
        await browser.pressed("/ui/unpin", href=kept["href"])
        assert "failed, last 7 days" not in await browser.get("/")


async def test_load_says_how_many_run_at_once_and_offers_to_spread_only_what_gains(tmp_path: Path) -> None:
    async with browsing(tmp_path) as browser:
        for number in range(2):
            await schedule(browser.here, f"night-{number}", when=None, cron="0 3 * * *")
        page = await browser.get("/load?day=2026-11-18")
        assert "At most 2 of" in text_of(page)
        services = browser.here.runtime.services
        admin = browser.here.runtime.local(Face.CLI)
        view = await services.overview.load(admin, (browser.here.clock.now() + timedelta(days=2)).date(), "UTC")
        assert (len(view.at_once), max(view.at_once), view.concurrency_peak) == (96, 2, 2)
        assert view.peak_at is not None
        offered = await services.overview.spread(admin, view.peak_at, timedelta(minutes=15))
        assert offered.gains == (max(offered.after) < 2)
        assert ('id="spread"' in page) == offered.gains
        await schedule(browser.here, "alone", when=None, cron="0 5 * * *")
        alone = await browser.get("/load?day=2026-11-18&minute=2026-11-18T05:00:00Z")
        assert 'id="spread"' not in alone


async def test_a_deleted_schedule_says_who_removed_it_and_comes_back(tmp_path: Path) -> None:
    async with browsing(tmp_path) as browser:
        found = await schedule(browser.here)
        await browser.pressed(f"/schedules/{found}/delete")
        for path in (f"/schedules/{found}", f"/schedules/{found}/edit"):
            said = text_of(await browser.get(path, status=404))
            assert "It was deleted today 13:00 by you, on this machine in the dashboard." in said
        assert "review restored, paused" in text_of(await browser.pressed(f"/schedules/{found}/restore"))
