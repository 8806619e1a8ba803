"""What happens elsewhere appears on the page where it stands: without reload or a jump, and no caret is lost."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from playwright.async_api import Page, expect

from duly.ports.reminders import Reminder
from tests.browser.window import Window, window


async def _latest(open_window: Window, schedule_id: str) -> Reminder:
    [found] = await open_window.world.runtime.store.reminders.of_schedule(schedule_id, 1)
    return found


async def _stir(open_window: Window) -> None:
    """Let something happen that changes no row of Today's lists."""
    await open_window.services.actions.trigger(open_window.admin, await open_window.schedule_id("health-ping"))


async def test_a_reminder_made_elsewhere_appears_falls_due_and_is_answered_here(tmp_path: Path) -> None:
    async with window(tmp_path, others=6) as open_window:
        page = await open_window.open("/")
        made = await open_window.world.remind("local", "Stretch your back", "2m", name="stretch", require_ack=True)
        await open_window.see(expect(page.locator("#upnext")).to_contain_text("stretch"))
        await expect(page.get_by_role("group", name="stretch: 1 to come, next 14:34")).to_have_count(1)
        open_window.world.clock.advance(timedelta(minutes=2))
        need = page.locator(".need", has_text="Stretch your back")
        await open_window.see(expect(need).to_be_visible())
        await expect(page.get_by_role("group", name="stretch: 1 awaiting answer")).to_have_count(1)
        await expect(page.locator("#live-said")).to_contain_text("Stretch your back")  # read out, politely
        await open_window.see(expect(page.locator(".nav .count.ask")).to_have_text("2"))
        assert await page.title() == "(2) Today · duly"
        await need.get_by_role("button", name="Done").click()
        await expect(page.locator("#toast")).to_contain_text("Done: Stretch your back")
        await open_window.see(expect(need).to_have_count(0))
        assert str((await _latest(open_window, made.id)).status) == "acked"
        open_window.check_calm()


async def _order(page: Page, rows: str) -> list[str]:
    return list(await page.locator(rows).evaluate_all("(rows) => rows.map((row) => row.id)"))


async def test_nothing_moves_under_the_pointer_and_what_is_open_or_typed_stays(tmp_path: Path) -> None:
    async with window(tmp_path, others=6) as open_window:
        page = await open_window.open("/")
        await page.locator("#needs-list").hover()
        before = await _order(page, ".need")
        menu = page.locator(".need details.menu").first
        await menu.locator("summary").click()
        await open_window.world.remind("local", "Arrived while you looked", "1s", require_ack=True)
        open_window.world.clock.advance(5)
        await open_window.see(expect(page.locator(".new-rows")).to_have_text("1 new"))
        assert await _order(page, ".need") == before
        await expect(menu).to_have_attribute("open", "")
        await page.keyboard.press("Escape")
        await expect(menu).not_to_have_attribute("open", "")
        await page.mouse.move(700, 880)
        await page.evaluate("document.activeElement.blur()")
        await _stir(open_window)
        await open_window.see(expect(page.locator(".need", has_text="Arrived while you looked")).to_be_visible())

        await open_window.open("/inbox")
        field = page.locator("input[name=words]").first
        await field.fill("until 6")
        await field.evaluate("(input) => input.setSelectionRange(2, 5)")
        await open_window.world.remind("local", "Came while you typed", "1s", require_ack=True)
        open_window.world.clock.advance(5)
        await open_window.see(expect(page.locator("#waiting")).to_contain_text("Came while you typed"))
        typed = page.locator("input[name=words]:focus")
        await expect(typed).to_have_value("until 6")
        assert await typed.evaluate("(input) => [input.selectionStart, input.selectionEnd]") == [2, 5]
        open_window.check_calm()


async def test_schedules_keep_their_order_until_they_are_sorted_again(tmp_path: Path) -> None:
    async with window(tmp_path, others=0) as open_window:
        page = await open_window.open("/schedules")
        before = await _order(page, "#rows > tr[id]")
        await page.evaluate("window.kept = 'not loaded again'")
        await page.keyboard.press("j")
        await page.keyboard.press("v")
        picked = page.locator("[data-select]:checked")
        await expect(picked).to_have_count(1)
        failing = await open_window.schedule_id("weekly-digest")
        since = open_window.world.clock.now()
        await open_window.world.runtime.store.edit(
            [failing], lambda row: replace(row, consecutive_failures=3, failing_since=since)
        )
        await _stir(open_window)
        again = page.get_by_role("button", name="Sort again")
        await open_window.see(expect(again).to_be_visible())
        assert await _order(page, "#rows > tr[id]") == before
        await expect(picked).to_have_count(1)
        await again.click()
        changed = (
            "(before) => [...document.querySelectorAll('#rows > tr[id]')].some((row, at) => row.id !== before[at])"
        )
        await page.wait_for_function(changed, arg=before)
        after = await _order(page, "#rows > tr[id]")
        await expect(again).to_have_count(0)
        assert sorted(after) == sorted(before)
        await expect(picked).to_have_count(1)
        assert await page.evaluate("window.kept") == "not loaded again"
        open_window.check_calm()


async def test_ten_events_a_second_shift_nothing(tmp_path: Path) -> None:
    async with window(tmp_path, others=6) as open_window:
        page = await open_window.open("/")
        await page.evaluate("document.fonts.ready")
        await page.evaluate("window.shifted.length = 0")
        names = ("health-ping", "backup-db", "prune-history")
        ids = [await open_window.schedule_id(name) for name in names]
        for number in range(60):
            await open_window.services.actions.trigger(open_window.admin, ids[number % len(ids)])
            open_window.world.clock.advance(0.1)
        await open_window.patched()
        await _stir(open_window)
        await open_window.patched()
        assert await page.evaluate("window.shifted") == []
        open_window.check_calm()


async def test_a_daemon_that_is_gone_is_said_and_all_is_current_when_it_is_back(tmp_path: Path) -> None:
    async with window(tmp_path, others=6) as open_window:
        page = open_window.page
        await open_window.open("/")
        await page.evaluate("window.kept = 'not loaded again'")
        await open_window.serving.stop()
        banner = page.locator("#offline")
        await expect(banner).to_be_visible()  # the page's clock stands still: it has not waited 19 seconds for a beat
        await expect(banner).to_contain_text("Not connected since 14:3")
        await open_window.world.remind("local", "Made while you were away", "30m", name="meanwhile")
        await open_window.serving.start()
        await banner.get_by_role("button", name="Try now").click()
        await open_window.see(expect(banner).to_be_hidden())
        await open_window.see(expect(page.locator("#upnext")).to_contain_text("meanwhile"))
        assert await page.locator("#upnext a", has_text="meanwhile").count() == 1
        assert await page.evaluate("window.kept") == "not loaded again"


async def test_a_page_turns_into_that_of_what_was_deleted_and_back(tmp_path: Path) -> None:
    async with window(tmp_path, others=0, calm=True) as open_window:
        schedule = await open_window.schedule_id("backup-db")
        page = await open_window.open(f"/schedules/{schedule}")
        await open_window.services.actions.delete(open_window.admin, schedule)
        await open_window.see(expect(page.locator("h1 .pill")).to_have_text("Deleted"))
        await page.keyboard.press("u")
        await open_window.see(expect(page.locator("#tools").get_by_role("button", name="Run now")).to_be_visible())
        await expect(page.locator("h1 .pill", has_text="Deleted")).to_have_count(0)
        assert [each for each in open_window.complaints if "status of 404" not in each] == []
