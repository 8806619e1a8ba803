"""Who looks: in which colours, from which zone, without being fooled by markup that others wrote."""

from __future__ import annotations

import re
from pathlib import Path

from playwright.async_api import Dialog, Page, expect

from duly.service.access.scopes import ADMIN, Caller
from tests.browser.test_every_screen import addresses
from tests.browser.window import DESKTOP, PHONE, Window, make_token, window

EVIL = "<img src=x onerror=alert(1)>\"'</script><script>alert(2)</script>"
_LIGHT = "rgb(247, 247, 244)"
_DARK = "rgb(17, 19, 24)"
_GROUND = "getComputedStyle(document.body).backgroundColor"


async def test_colours_are_right_at_the_first_paint(tmp_path: Path) -> None:
    async with window(tmp_path, theme="dark", others=0) as open_window:
        page = await open_window.open("/settings")
        # the style sheet decides alone and blocks the first paint: no script comes between
        assert await page.evaluate(_GROUND) == _DARK
        await page.locator("main").get_by_role("button", name="Light").click()
        await expect(page.locator("html")).to_have_attribute("data-theme", "light")
        assert await page.evaluate(_GROUND) == _LIGHT
        await page.locator("main").get_by_role("button", name="System").click()
        await expect(page.locator("html")).to_have_attribute("data-theme", "system")
        assert await page.evaluate(_GROUND) == _DARK
        await page.emulate_media(color_scheme="light")
        assert await page.evaluate(_GROUND) == _LIGHT
        await page.locator("main").get_by_role("button", name="Dark").click()
        await expect(page.locator("html")).to_have_attribute("data-theme", "dark")
        source = await (await open_window.context.request.get(open_window.url + "/")).text()
        head = source.partition("</head>")[0]
        assert 'data-theme="dark"' in head, "it is in the page as it arrives"
        assert '<link rel="stylesheet"' in head
        assert "<script" not in head.partition('<link rel="stylesheet"')[0]
        open_window.check_calm()


async def test_times_are_in_the_chosen_zone_and_say_so(tmp_path: Path) -> None:
    async with window(tmp_path, zone="America/New_York", others=0) as open_window:
        page = await open_window.open("/")
        clock = page.locator(".foot .clock")
        zone = page.locator(".zone-line")
        await expect(clock).to_contain_text("14:32")
        await expect(zone).to_contain_text("Europe/Berlin, +01:00")
        await expect(page.locator(".nexts", has_text="tomorrow 02:30")).to_be_visible()
        await open_window.open("/settings")
        await page.get_by_label("Show times in").fill("America/New_York")
        await page.get_by_role("button", name="Save").click()
        await expect(page.locator("#toast")).to_contain_text("Saved")
        await open_window.open("/")
        await expect(clock).to_contain_text("09:32")
        await expect(zone).to_contain_text("America/New_York, ")
        await expect(page.locator(".nexts", has_text="21:30")).to_be_visible()
        await expect(page.locator(".nexts", has_text="tomorrow 02:30")).to_have_count(0)
        await open_window.open(f"/schedules/{await open_window.schedule_id('backup-db')}")
        await expect(page.locator("#next")).to_contain_text("America/New_York")
        await expect(page.locator("#next")).to_contain_text("21:30")
        await expect(page.locator("main")).to_contain_text("Europe/Berlin")
        await open_window.open("/calendar")
        await expect(page.locator(".en", has_text="backup-db").first).to_contain_text("21:30")
        open_window.check_calm()


async def test_the_week_of_a_clock_change_and_the_busiest_minute(tmp_path: Path) -> None:
    async with window(tmp_path, others=40) as open_window:
        page = await open_window.open("/calendar")
        await expect(page.locator(".day-heads")).to_contain_text("23 hours")
        gap = page.locator(".week .gap")
        await expect(gap).to_have_count(1)
        await expect(page.locator(".week .gap-word")).to_have_text("does not exist")
        await expect(page.locator(".week .silent").first).to_be_visible()
        await open_window.open("/calendar?view=week&from=2027-10-25")
        await expect(page.locator(".day-heads")).to_contain_text("25 hours")
        await expect(page.locator(".week .ax", has_text="02:00a")).to_have_count(1)
        await expect(page.locator(".week .ax", has_text="02:00b")).to_have_count(1)

        for number in range(12):
            fields = {"name": f"night-{number}", "cron": "0 3 * * *", "job_name": "ping"}
            await open_window.world.runtime.services.use_cases.schedule_create(Caller(ADMIN), fields)
        await open_window.open("/load?day=2027-03-29")
        await expect(page.locator(".lede")).to_contain_text("The busiest minute is 03:00, with 1")
        chosen = page.locator(".heat.wide a[tabindex='0']")
        await expect(chosen).to_have_attribute("aria-label", re.compile(r"^03:00, 1\d fires$"))
        await expect(page.locator("#busiest li").first).to_contain_text("03:00")
        await expect(page.locator("#spread")).to_contain_text(re.compile(r"now, 1\d at once"))
        await page.get_by_role("button", name="Spread these").click()
        await open_window.see(expect(page.locator(".lede")).not_to_contain_text("03:00, with 1"))
        open_window.check_calm()


async def _write_markup_everywhere(open_window: Window) -> list[str]:
    """Write markup into every field that people and agents may write; give the addresses that show it."""
    runtime = open_window.world.runtime
    admin = Caller(ADMIN)
    prompt = {"name": "evil-prompt", "cron": "0 9 * * *", "prompt": EVIL, "targets": [{"project_id": "shop"}]}
    made = await runtime.services.use_cases.schedule_create(admin, prompt | {"display_title": EVIL})
    job = {"name": "evil-job", "cron": "* * * * *", "job_name": "fail", "job_args": {"text": EVIL}}
    failing = await runtime.services.use_cases.schedule_create(admin, job)
    person = await runtime.services.reminder_service.people.add(EVIL[:60])
    await make_token(runtime, EVIL[:60], "admin")
    await open_window.world.remind("local", EVIL, "1s", name="evil-text", require_ack=True, ack_prompt=EVIL)
    await open_window.world.remind("local", EVIL, "1s", name="evil-message")
    await open_window.world.clock.travel(minutes=2)
    runs, _ = await runtime.services.schedules.schedule_history(admin, failing.id, limit=1)
    return [
        f"/schedules/{made.id}",
        f"/schedules/{failing.id}",
        f"/people/{person.user.id}",
        f"/inbox?user={person.user.id}",
        *(f"/runs/{each.id}" for each in runs),
        "/search?q=%3Cimg%20src=x%20onerror=alert(1)%3E%20in%2020%20min",
        "/journal?actor=%3Cimg%20src=x%20onerror=alert(1)%3E",
        "/schedules?q=%3Cimg%20src=x%20onerror=alert(1)%3E",
    ]


async def test_markup_that_people_and_agents_write_stays_text(tmp_path: Path) -> None:
    dialogs: list[str] = []

    async def note(dialog: Dialog) -> None:
        dialogs.append(dialog.message)
        await dialog.dismiss()

    async with window(tmp_path, others=0) as open_window:
        page: Page = open_window.page
        page.on("dialog", note)
        more = await _write_markup_everywhere(open_window)
        shown = 0
        for path in [*(await addresses(open_window)).values(), *more]:
            await open_window.open(path)
            assert await page.locator("img").count() == 0, path
            assert await page.locator("script:not([src])").count() == 0, path
            assert await page.evaluate("window.reports") == [], path
            shown += "<img src=x" in await page.locator("body").inner_text()
        assert shown >= 6, "it is shown as it was written"
        await open_window.open("/")
        await page.keyboard.press("Control+k")
        await page.keyboard.type("<img src=x onerror=alert(1)> in 20 min")
        await expect(page.locator("#found")).to_contain_text("Remind you: <img src=x onerror=alert(1)>")
        await page.locator("#found .hit-row").first.click()
        await expect(page.locator("#toast")).to_contain_text("<img src=x onerror=alert(1)>")
        assert await page.locator("img").count() == 0
        assert await page.evaluate("window.reports") == []
        assert dialogs == []
        open_window.check_calm()


async def test_what_moves_for_eyes_is_near_for_thumbs_and_is_said_to_ears(tmp_path: Path) -> None:
    drifting = "document.getAnimations().filter((each) => each.playState === 'running').length"
    async with window(tmp_path, others=6) as open_window:
        page = await open_window.open("/")
        assert await page.evaluate(drifting) > 0, "what runs drifts"
        await page.emulate_media(reduced_motion="reduce")
        await page.reload()
        assert await page.evaluate(drifting) == 0
        for name in ("bp-tablet: 1 awaiting answer", "prune-history: 1 went well"):
            await expect(page.get_by_role("group", name=name)).to_have_count(1)
        await open_window.open("/schedules")
        strips = page.get_by_role("group", name=re.compile(r"^last \d+: \d+ went well, \d+ failed"))
        assert await strips.count() > 0
        await expect(page.locator("tr .pill", has_text="Failing").first).to_have_text(re.compile(r"^\s*Failing\s*$"))
        await open_window.open("/load?day=2027-03-29")
        cells = page.get_by_role("link", name=re.compile(r"^\d\d:\d\d, \d+ fires?$"))
        assert await cells.count() > 0

        await page.set_viewport_size(PHONE)  # type: ignore[arg-type]  # a TypedDict of these two
        await open_window.open("/inbox")
        done = await page.locator(".ask-card").get_by_role("button", name="Done").bounding_box()
        assert done is not None
        assert done["height"] >= 48
        assert done["width"] >= 0.8 * PHONE["width"]
        assert PHONE["height"] / 5 < done["y"] < PHONE["height"] - 120, "neither at the top nor under the tabs"
        await page.set_viewport_size(DESKTOP)  # type: ignore[arg-type]  # as above
        open_window.check_calm()
