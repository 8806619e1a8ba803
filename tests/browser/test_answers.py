"""Answers: given elsewhere, the card says so where it stands; while duly is away, they are kept and sent."""

from __future__ import annotations

from pathlib import Path

from playwright.async_api import Locator, Page, expect

from tests.browser.window import Window, window

_TABLET = "blood-pressure"


async def _card(page: Page, text: str) -> tuple[Locator, str]:
    """Find a card that waits, and the run that it asks about."""
    card = page.locator("[data-answers]", has_text=text)
    run = str(await card.get_attribute("data-answers"))
    return page.locator(f"#{await card.get_attribute('id')}"), run


async def _status(open_window: Window, run: str) -> str:
    found = await open_window.world.runtime.store.reminders.get(run)
    assert found is not None
    return str(found.status)


async def _ask_too(open_window: Window, text: str) -> None:
    """Let a second reminder wait for an answer."""
    await open_window.world.remind("local", text, "1s", require_ack=True)
    await open_window.world.clock.travel(seconds=5)


async def test_answered_elsewhere_a_card_turns_where_it_stands_and_folds(tmp_path: Path) -> None:
    async with window(tmp_path, others=0, calm=True) as open_window:
        page = open_window.page
        await _ask_too(open_window, "Feed the cat")
        await open_window.open("/inbox")
        card, run = await _card(page, _TABLET)
        places = "(cards) => cards.map((card) => card.id)"
        order = await page.locator("#waiting > article").evaluate_all(places)
        await page.evaluate("document.fonts.ready")
        await page.evaluate("window.shifted.length = 0")
        await open_window.services.inbox.answer(open_window.admin, run, "done", channel="telegram")
        await open_window.see(expect(card).to_contain_text("by Telegram"))
        await expect(card).to_contain_text("Done 14:3")
        assert await card.locator("form").count() == 0
        assert await page.locator("#waiting > article").evaluate_all(places) == order
        await expect(page.locator("#live-said")).to_contain_text("by Telegram")
        await expect(page.locator("#waits-h .badge")).to_have_text("1")
        await card.hover()
        await open_window.elapse(4_000)
        await expect(card).to_be_visible()  # the pointer is on it
        await page.mouse.move(5, 895)
        await expect(card).to_have_count(0)
        assert await page.evaluate("window.shifted") == []  # its place is kept until somebody presses something
        await expect(page.locator(".turned-gone")).to_have_count(1)
        await page.keyboard.press("Shift")
        await expect(page.locator(".turned-gone")).to_have_count(0)

        await open_window.open("/")
        need, run = await _card(page, "Feed the cat")
        await open_window.services.inbox.answer(open_window.admin, run, "dismiss", channel="cli")
        await open_window.see(expect(need).to_contain_text("on the command line"))
        await expect(need).to_contain_text("Dismissed 14:3")
        open_window.check_calm()


async def test_an_answer_given_while_duly_is_away_is_kept_said_and_sent(tmp_path: Path) -> None:
    async with window(tmp_path, others=0) as open_window:
        page = open_window.page
        await _ask_too(open_window, "Feed the cat")
        await page.clock.install()
        await open_window.open("/inbox")
        tablet, first = await _card(page, _TABLET)
        cat, second = await _card(page, "Feed the cat")
        await open_window.serving.stop()

        await tablet.get_by_role("button", name="Done").click()  # not known yet that it is away
        await expect(tablet.locator(".kept-note")).to_contain_text(
            "Done. duly does not answer: it sends when connected."
        )
        await tablet.get_by_role("button", name="Cancel").click()
        await expect(tablet.locator(".kept-note")).to_have_count(0)
        await page.clock.fast_forward(25_000)
        await expect(page.locator("#offline")).to_be_visible()
        await tablet.get_by_role("button", name="Done").click()
        await cat.get_by_role("button", name="1 hour").click()
        await expect(page.locator(".kept-note")).to_have_count(2)
        assert await _status(open_window, first) == "awaiting_ack"

        await open_window.serving.start()
        await page.get_by_role("button", name="Try now").click()
        await open_window.see(expect(page.locator("#offline")).to_be_hidden())
        await open_window.see(expect(page.locator("#waiting")).to_contain_text("Nothing waits for you"))
        await expect(page.locator(".kept-note")).to_have_count(0)
        assert await _status(open_window, first) == "acked"
        assert await _status(open_window, second) == "snoozed"
