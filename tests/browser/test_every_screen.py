"""Every screen, in light, in dark and on a phone: calm, accessible, whole, and none wider than the window."""

from __future__ import annotations

from pathlib import Path

import pytest
from axe_playwright_python.base import AXE_FILE_PATH

from tests.browser.window import DESKTOP, NARROW, PHONE, ZOOMED, Window, make_token, window

SCREENS = {
    "today": "/",
    "inbox": "/inbox",
    "schedules": "/schedules",
    "schedule": "/schedules/{backup-db}",
    "new": "/schedules/new",
    "edit": "/schedules/{backup-db}/edit",
    "runs": "/runs",
    "run": "/runs/{run}",
    "calendar-day": "/calendar?view=day",
    "calendar-week": "/calendar",
    "calendar-month": "/calendar?view=month",
    "calendar-agenda": "/calendar?view=agenda",
    "subscribe": "/subscribe",
    "load": "/load?day=2027-03-29",
    "people": "/people",
    "person": "/people/local",
    "channels": "/channels",
    "nodes": "/nodes",
    "tokens": "/tokens",
    "connect": "/connect",
    "journal": "/journal",
    "settings": "/settings",
}
_AXE = Path(AXE_FILE_PATH).read_text(encoding="utf-8")
_ALL = "{type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']}"
_COLOURS = "{type: 'rule', values: ['color-contrast', 'link-in-text-block']}"
_ON_A_PHONE = "{type: 'rule', values: ['target-size', 'link-name', 'button-name', 'color-contrast']}"
_WEIGHTS = "performance.getEntriesByType('resource').map((each) => [each.name, each.decodedBodySize])"
_TOO_SMALL = """[...document.querySelectorAll("main .btn, main .chip, main .segments > a, .tabs > a, .tabs summary")]
  .filter((each) => each.checkVisibility() && each.getBoundingClientRect().height < 43.5)
  .map((each) => each.outerHTML.slice(0, 100))"""
_TOO_WIDE = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


async def addresses(open_window: Window) -> dict[str, str]:
    """Give the address of every screen, with ids of the scene."""
    schedule = await open_window.schedule_id("backup-db")
    (run,) = (await open_window.world.runtime.use_cases.schedule_history(open_window.admin, schedule, limit=1))[0]
    return {name: path.replace("{backup-db}", schedule).replace("{run}", run.id) for name, path in SCREENS.items()}


async def findings(open_window: Window, rules: str) -> list[str]:
    """Let axe look at the page; give what it finds, each with the first places."""
    # evaluated by the debugger, which the policy of the page does not bind
    if not await open_window.page.evaluate("'axe' in window"):
        await open_window.page.evaluate(_AXE)
    options = (
        f"{{runOnly: {rules}, resultTypes: ['violations'], preload: false, iframes: false}}"  # there are no frames
    )
    found = await open_window.page.evaluate(f"axe.run(document, {options})")
    return [
        f"{each['id']}: {each['help']} at {'; '.join(str(node['target']) for node in each['nodes'][:3])}"
        for each in found["violations"]
    ]


@pytest.mark.parametrize("part", range(4))  # a quarter of the screens each, which several processes share
async def test_every_screen_is_accessible_and_fits_in_light_in_dark_and_on_phones(tmp_path: Path, part: int) -> None:
    faults: list[str] = []
    weights: dict[str, int] = {}
    async with window(tmp_path, calm=True, others=6) as open_window:  # axe looks at each of a hundred equal rows
        page = open_window.page
        for name, path in list((await addresses(open_window)).items())[part::4]:
            await page.set_viewport_size(DESKTOP)  # type: ignore[arg-type]  # a TypedDict of these two
            await page.emulate_media(color_scheme="light")
            await open_window.open(path)
            assert await page.locator("h1").count() == 1, name
            weights |= dict(await page.evaluate(_WEIGHTS))
            await open_window.keep_picture(f"{name}-light")
            faults += [f"{name}, light: {each}" for each in await findings(open_window, _ALL)]
            await page.emulate_media(color_scheme="dark")
            await open_window.keep_picture(f"{name}-dark")
            faults += [f"{name}, dark: {each}" for each in await findings(open_window, _COLOURS)]
            await page.emulate_media(color_scheme="light")
            for look, size in (("200 % zoom", ZOOMED), ("phone", PHONE), ("narrow", NARROW)):
                await page.set_viewport_size(size)  # type: ignore[arg-type]  # as above
                if (over := await page.evaluate(_TOO_WIDE)) > 0:
                    faults.append(f"{name}, {look}: {over} px too wide")
                if look == "phone":
                    await open_window.keep_picture(f"{name}-phone")
                    faults += [f"{name}, phone: {each}" for each in await findings(open_window, _ON_A_PHONE)]
                    faults += [f"{name}, too small for a thumb: {each}" for each in await page.evaluate(_TOO_SMALL)]
        assert faults == []
        open_window.check_calm()
        assert await page.evaluate("window.reports") == []
        assert all(address.startswith(open_window.url) for address in weights), "nothing comes from elsewhere"
        assert 100_000 < sum(size for name, size in weights.items() if "/ui/static/" in name) < 300_000


async def test_tables_of_people_channels_and_tokens_fit_without_sideways_scrolling(tmp_path: Path) -> None:
    wide = "[...document.querySelectorAll('.wide-scroll')].map((each) => each.scrollWidth - each.clientWidth)"
    async with window(tmp_path, calm=True, others=0) as open_window:
        await make_token(open_window.world.runtime, "connect claude", "user:local")
        for size in ({"width": 1280, "height": 800}, PHONE, NARROW):
            await open_window.page.set_viewport_size(size)  # type: ignore[arg-type]  # a TypedDict of these two
            for path in ("/people", "/channels", "/tokens"):
                await open_window.open(path)
                assert await open_window.page.evaluate(wide) == [0], (path, size)
