"""Buttons pressed late or twice: what was done already is said, and is not done again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from duly.service.access.scopes import Face
from duly.zones import iso
from tests.integration.web.browsing import browsing, schedule, text_of


async def test_an_answer_that_comes_too_late_says_how_it_was_answered(tmp_path: Path) -> None:
    async with browsing(tmp_path) as browser:
        here = browser.here
        await here.remind("local", "Take it", require_ack=True)
        await here.clock.travel(minutes=6)
        services = here.runtime.services
        admin = here.runtime.local(Face.CLI)
        [card] = (await services.inbox.view(admin)).waiting
        await services.inbox.answer(admin, card.run_id, "done", channel="telegram")
        page = await browser.pressed("/ui/answer", run_id=card.run_id, response="dismiss")
        assert "Answered already: Take it, Done 13:06 by Telegram." in text_of(page)
        fragment = await browser.http.get("/ui/answered", params={"run_id": card.run_id})
        assert "Done 13:06 by Telegram" in text_of(fragment.text)


async def test_a_reminder_that_was_not_answered_stays_and_is_answered_late_or_sent_again(tmp_path: Path) -> None:
    async with browsing(tmp_path) as browser:
        here = browser.here
        made = await here.remind("local", "Take the tablet", require_ack=True, max_ack_reminders=1)
        await here.clock.travel(hours=3)
        assert await here.status(made) == "unacked"
        services = here.runtime.services
        admin = here.runtime.local(Face.CLI)
        page = await browser.get("/inbox")
        assert "Nothing waits for you. 1 was not answered." in text_of(page)
        assert "Due 13:05 , asked 2 times, given up" in text_of(page)
        for wanted in ("Done", "Remind again"):
            assert wanted in text_of(page.partition("Not answered")[2].partition("</ul>")[0])
        assert "Remind again" in text_of(await browser.get("/"))

        [card] = (await services.inbox.view(admin)).unanswered
        page = await browser.pressed("/ui/answer", run_id=card.run_id, response="done")
        assert "Done: Take the tablet" in text_of(page)
        assert await here.status(made) == "acked"
        assert (await services.inbox.view(admin)).unanswered == []
        await browser.pressed("/ui/undo")
        await here.clock.travel(minutes=1)
        [card] = (await services.inbox.view(admin)).unanswered

        await here.clock.travel(hours=24)
        [card] = (await services.inbox.view(admin)).unanswered
        assert not card.may_answer
        shown = text_of((await browser.get("/inbox")).partition("Not answered")[2].partition("</ul>")[0])
        assert ("Done" in shown, "Remind again" in shown) == (False, True)
        await browser.pressed("/ui/run-again", run_id=card.run_id)
        await here.clock.travel(seconds=5)
        found = await services.inbox.view(admin)
        assert ([each.text for each in found.waiting], found.unanswered) == (["Take the tablet"], [])


async def test_skip_pressed_twice_skips_one_fire_and_says_so(tmp_path: Path) -> None:
    async with browsing(tmp_path) as browser:
        here = browser.here
        schedule_id = await schedule(here, when="every day at 08:00")
        admin = here.runtime.local(Face.CLI)
        first = iso((await here.runtime.services.schedules.schedule_get(admin, schedule_id)).next_run_at)
        for path in (f"/schedules/{schedule_id}", "/schedules"):
            assert f'name="at" value="{first}"' in await browser.get(path)
        assert "Next fire of review skipped" in text_of(
            await browser.pressed(f"/schedules/{schedule_id}/skip", at=first)
        )
        second = iso((await here.runtime.services.schedules.schedule_get(admin, schedule_id)).next_run_at)
        assert second != first
        here.clock.advance(90)  # long after what a page takes for a double click
        for fields in ({"path": f"/schedules/{schedule_id}/skip"}, {"path": "/ui/skip", "schedule": schedule_id}):
            page = await browser.pressed(**fields, at=first)
            assert "that fire of review is skipped already" in text_of(page)
            assert "Undo" in page
            assert iso((await here.runtime.services.schedules.schedule_get(admin, schedule_id)).next_run_at) == second

        page = await browser.pressed("/ui/skip", schedule=schedule_id, at="2020-01-01T08:00:00Z")
        assert "does not fire next at 2020-01-01T08:00:00Z" in text_of(page)
        assert iso((await here.runtime.services.schedules.schedule_get(admin, schedule_id)).next_run_at) == second
        await browser.pressed("/ui/undo")
        assert iso((await here.runtime.services.schedules.schedule_get(admin, schedule_id)).next_run_at) == first


async def test_a_staggered_last_fire_is_skipped_once(tmp_path: Path) -> None:
    async with browsing(tmp_path) as browser:
        here = browser.here
        fields: dict[str, Any] = {"stagger_key": "one", "max_stagger_seconds": 600, "until_at": "2026-11-17T08:30:00Z"}
        schedule_id = await schedule(here, when="every day at 08:00", **fields)
        services = here.runtime.services
        admin = here.runtime.local(Face.CLI)
        view = await services.schedules.schedule_get(admin, schedule_id)
        await services.actions.skip_next(admin, schedule_id, view.next_run_at)
        again = await services.actions.skip_next(admin, schedule_id, view.next_run_at)
        assert again.sentence == "that fire of review is skipped already"


async def test_a_reminder_made_from_words_is_taken_back(tmp_path: Path) -> None:
    async with browsing(tmp_path) as browser:
        here = browser.here
        page = await browser.pressed("/ui/make", q="stretch in 20 min")
        assert "You will be reminded: stretch" in text_of(page)
        assert 'hx-post="/ui/undo"' in page
        row = await here.runtime.store.find("user:local", "stretch")
        assert row is not None
        assert "Undone: reminder 'stretch' made" in text_of(await browser.pressed("/ui/undo"))
        gone = await here.runtime.store.get(row.id)
        assert gone is not None
        assert gone.deleted_at == here.clock.now()
        assert "It was deleted" in text_of(await browser.get(f"/schedules/{row.id}", status=404))
