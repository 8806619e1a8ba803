"""The editor: what was understood is read back as it is typed, faults are marked, and nothing typed is ever lost."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from pathlib import Path

from playwright.async_api import Error, Locator, Page, Route, expect

from tests.browser.window import window


async def test_words_cron_and_builder_are_one_value_and_faults_are_marked(tmp_path: Path) -> None:
    async with window(tmp_path, others=0) as open_window:
        page = await open_window.open("/schedules/new")
        said = page.locator("#when-said")
        words = page.locator("input[name=words]")
        await words.press_sequentially("every night at half past two")
        await expect(said.locator(".as-cron")).to_have_text("30 2 * * *")
        await expect(said.locator(".note p")).to_have_count(2)
        await expect(said.locator(".note")).to_contain_text("28 March")
        await expect(said.locator(".note")).to_contain_text("31 October")
        await page.locator("label", has_text="Cron").first.click()
        cron = page.locator("input[name=cron]")
        await expect(cron).to_have_value("30 2 * * *")
        await page.locator("label", has_text="Builder").first.click()
        await expect(page.locator("input[name=times]")).to_have_value("02:30")

        await page.locator("label", has_text="Cron").first.click()
        await cron.fill("0 9 * * mon,fry")
        await expect(said.locator("mark")).to_have_text("fry")
        await page.locator("label", has_text="In words").first.click()
        await _hold_the_first_answer(page, words)
        await words.fill("every banana")
        await expect(said.locator("mark")).to_have_text("banana")
        await page.locator("textarea[name=prompt]").fill("Not to be lost")
        await page.reload()
        await expect(page.locator("#draft-note")).to_be_visible()
        await expect(words).to_have_value("every banana")
        await expect(page.locator("textarea[name=prompt]")).to_have_value("Not to be lost")
        open_window.check_calm()


async def _hold_the_first_answer(page: Page, words: Locator) -> None:
    """Let the answer to what was typed first come after the answer to what was typed last: it changes nothing."""
    is_asked = asyncio.Event()
    go_on = asyncio.Event()
    is_over = asyncio.Event()

    async def answer(route: Route) -> None:
        if is_asked.is_set():
            await route.continue_()
            return
        is_asked.set()
        await go_on.wait()
        with suppress(Error):  # the page may have broken it off
            await route.continue_()
        is_over.set()

    await page.route("**/ui/edit/preview", answer)
    await words.fill("every day at 5")
    await is_asked.wait()
    await words.fill("every day at 7")
    cron = page.locator("#when-said .as-cron")
    await expect(cron).to_have_text("0 7 * * *")
    go_on.set()
    await is_over.wait()
    await page.wait_for_load_state("networkidle")
    await expect(cron).to_have_text("0 7 * * *")
    await page.unroute("**/ui/edit/preview")


async def test_the_second_to_save_sees_both_versions_field_by_field(tmp_path: Path) -> None:
    async with window(tmp_path, others=0) as open_window:
        schedule = await open_window.schedule_id("daily-review")
        page = await open_window.open(f"/schedules/{schedule}/edit")
        await page.locator("textarea[name=prompt]").fill("Mine")
        theirs = {"prompt": "Theirs"}
        await open_window.world.runtime.services.use_cases.update(open_window.admin, schedule, theirs)
        await page.keyboard.press("Control+s")
        conflict = page.locator(".conflict")
        await expect(conflict).to_contain_text("It was changed meanwhile")
        await expect(conflict.locator("tr", has_text="Prompt")).to_contain_text("Theirs")
        await expect(conflict.locator("tr", has_text="Prompt")).to_contain_text("Mine")
        await page.keyboard.press("Control+s")
        await page.wait_for_url(f"**/schedules/{schedule}")
        await expect(page.locator("#does")).to_contain_text("Mine")
        await expect(page.locator("#toast")).to_be_visible()


async def test_saving_while_the_daemon_is_gone_says_so_and_keeps_the_page(tmp_path: Path) -> None:
    async with window(tmp_path, others=0) as open_window:
        schedule = await open_window.schedule_id("daily-review")
        page = await open_window.open(f"/schedules/{schedule}/edit")
        prompt = page.locator("textarea[name=prompt]")
        await prompt.fill("Not to be lost")
        await open_window.serving.stop()
        await page.keyboard.press("Control+s")
        await expect(page.locator("#toast")).to_contain_text("Not sent: duly does not answer.")
        await expect(prompt).to_have_value("Not to be lost")
        await open_window.serving.start()
        await page.keyboard.press("Control+s")
        await page.wait_for_url(f"**/schedules/{schedule}")
        await expect(page.locator("#does")).to_contain_text("Not to be lost")
