"""Buttons pressed late or twice: what was done already is said, and is not done again."""

from __future__ import annotations

from pathlib import Path

from duly.service.access.scopes import Face
from duly.service.services import Services
from tests.integration.web.browsing import browsing, text_of


async def test_an_answer_that_comes_too_late_says_how_it_was_answered(tmp_path: Path) -> None:
    async with browsing(tmp_path) as browser:
        here = browser.here
        await here.remind("local", "Take it", require_ack=True)
        await here.clock.travel(minutes=6)
        services = Services(here.runtime)
        admin = here.runtime.local(Face.CLI)
        [card] = (await services.inbox.view(admin)).waiting
        await services.inbox.answer(admin, card.run_id, "done", channel="telegram")
        page = await browser.pressed("/ui/answer", run_id=card.run_id, response="dismiss")
        assert "Answered already: Take it, Done 13:06 by Telegram." in text_of(page)
        fragment = await browser.http.get("/ui/answered", params={"run_id": card.run_id})
        assert "Done 13:06 by Telegram" in text_of(fragment.text)
