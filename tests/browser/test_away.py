"""When duly stands still: an engine that is blocked, a process that is frozen, and an hour in which nothing ran."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import expect

from duly.engine.settings import VIRTUAL
from duly.errors import StoreUnavailableError
from duly.ports.records import Cycle
from tests.browser.window import window
from tests.world import VirtualRuntime


async def test_a_blocked_engine_turns_the_health_line_red_and_a_frozen_process_shows_the_banner(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(VirtualRuntime, "engine_settings", lambda _self: replace(VIRTUAL, poll=2.0, lease=30.0))
    async with window(tmp_path, others=0) as open_window:
        page = open_window.page
        await page.clock.install()
        await open_window.open("/")
        light = page.locator("#health .light")
        await expect(light).not_to_have_class("light red")

        store = open_window.world.runtime.store
        turn = store.cycle
        go_on = asyncio.Event()

        async def blocked(cycle: Cycle) -> Any:
            await go_on.wait()
            return await turn(cycle)

        monkeypatch.setattr(store, "cycle", blocked)
        try:
            await open_window.see(expect(light).to_have_class("light red"))
            await expect(light).to_have_text("Nothing is carried out")
            await expect(page.locator("#banners .banner.bad")).to_contain_text("What is due is kept and will run.")
        finally:
            go_on.set()
        await open_window.see(expect(page.locator("#banners .banner.bad")).to_have_count(0))

        # frozen: the connection is open, and no beat comes, because the daemon's clock stands still
        await page.clock.fast_forward(25_000)
        banner = page.locator("#offline")
        await expect(banner).to_contain_text("Not connected since 14:3")
        await open_window.see(expect(banner).to_be_hidden())
        open_window.check_calm()


async def test_an_hour_in_which_nothing_ran_is_hatched_counted_and_one_item(tmp_path: Path) -> None:
    async with window(tmp_path, others=0) as open_window:
        page = await open_window.open("/")
        world = open_window.world
        hatched = await page.locator(".timeline .silent").count()
        late = await page.locator(".timeline line.late").count()
        await world.runtime.stop_engine()
        world.clock.advance(timedelta(hours=1))
        await world.runtime.start_engine()
        await page.reload()
        await open_window.see(expect(page.locator(".timeline .silent")).to_have_count(hatched + 1))
        await open_window.see(expect(page.locator(".timeline line.late")).not_to_have_count(late))
        missed = page.locator(".need", has_text="while nothing was running")
        await expect(missed).to_have_count(1)
        await expect(page.locator("#sentence")).to_contain_text("missed")
        open_window.check_calm()


async def test_a_part_that_cannot_be_loaded_says_so_in_its_place_and_is_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with window(tmp_path, others=0) as open_window:
        page = await open_window.open("/")
        timeline = type(open_window.world.runtime.store.timeline)
        shown = await page.locator("main .card").count()

        async def away(*_given: Any, **_named: Any) -> Any:
            raise StoreUnavailableError("the disk is away")

        with monkeypatch.context() as faulty:
            faulty.setattr(timeline, "tally", away)
            await open_window.world.remind("local", "Made while it was away", "30m", name="meanwhile")
            notes = page.locator(".unloaded")
            await open_window.see(
                expect(notes.first).to_contain_text("The store does not answer. Not current since 14:")
            )
            assert await page.locator("main .card").count() == shown
            await open_window.keep_picture("today-not-loaded")
            await notes.first.get_by_role("button", name="Try again").click()
            await expect(notes.first).to_be_visible()
        for _ in range(await notes.count()):
            await notes.first.get_by_role("button", name="Try again").click()
        await expect(notes).to_have_count(0)
        await expect(page.get_by_role("group", name="meanwhile: 1 to come")).to_have_count(1)
        assert [each for each in open_window.complaints if "status of 503" not in each] == []
