"""What a person presses: the palette, undo from the toast and by its key, second presses, and the keyboard alone."""

from __future__ import annotations

from pathlib import Path

from playwright.async_api import expect

from duly.ports.people import namespace_of
from duly.server.dashboard import sign_in_link
from duly.service.access.scopes import ADMIN, Caller
from tests.browser.window import Window, make_token, window

_FOCUS_IS_SEEN = """() => {
  const style = getComputedStyle(document.activeElement);
  const isDrawn = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2;
  return document.activeElement !== document.body && isDrawn;
}"""


async def _enabled(open_window: Window, name: str) -> bool:
    row = await open_window.world.runtime.store.find("default", name)
    return row is not None and row.enabled


async def _say(open_window: Window, words: str, hit: str) -> None:
    """Open the palette, type, wait until it offers what is wanted, and press Enter."""
    page = open_window.page
    await page.keyboard.press("Control+k")
    await page.keyboard.type(words)
    first = page.locator("#found .hit-row[aria-selected=true]")
    await expect(first).to_contain_text(hit)
    await page.keyboard.press("Enter")
    await expect(open_window.page.locator("#palette")).to_be_hidden()  # keys go to the page again


async def test_the_keyboard_alone_makes_answers_pauses_and_undoes(tmp_path: Path) -> None:
    async with window(tmp_path, others=6) as open_window:
        page = await open_window.open("/")
        await _say(open_window, "stretch in 20 min", "today 14:52, in 20 min, once")
        await expect(page.locator("#toast")).to_contain_text("You will be reminded: stretch, today 14:52")
        made = await open_window.world.runtime.store.find(namespace_of("local"), "stretch")
        assert made is not None
        await open_window.see(expect(page.locator("#upnext")).to_contain_text("stretch"))

        await page.keyboard.press("j")
        await expect(page.locator(".need.on")).to_contain_text("blood-pressure")
        assert await page.evaluate(_FOCUS_IS_SEEN)
        await page.keyboard.press("a")
        await expect(page.locator("#toast")).to_contain_text("Done: Take your blood-pressure tablet")
        await open_window.see(expect(page.locator(".need", has_text="blood-pressure")).to_have_count(0))
        await page.keyboard.press("u")
        await expect(page.locator("#toast")).to_contain_text("Undone")
        await open_window.see(expect(page.locator(".need", has_text="blood-pressure")).to_have_count(1))

        await _say(open_window, "pause backup-db", "Pause: backup-db")
        await expect(page.locator("#toast")).to_contain_text("backup-db")
        assert not await _enabled(open_window, "backup-db")
        await page.keyboard.press("u")
        await expect(page.locator("#toast")).to_contain_text("Undone")
        assert await _enabled(open_window, "backup-db")

        await page.keyboard.press("?")
        keys = page.locator("#keys")
        await expect(keys).to_be_visible()
        for key in ("Ctrl K", "j", "Enter", "u", "a", "z", "x", "p", "s", "g", "?"):
            await expect(keys.locator("kbd", has_text=key).first).to_be_visible()
        await page.keyboard.press("Escape")
        await expect(keys).to_be_hidden()
        await page.keyboard.press("g")
        await page.keyboard.press("c")
        await page.wait_for_url("**/calendar")
        for view, key in (("month", "m"), ("agenda", "a"), ("day", "d"), ("week", "w")):
            await page.keyboard.press(key)
            await expect(page.locator(f"#cal.{view}")).to_be_visible()
        await page.keyboard.press("Tab")
        assert await page.evaluate(_FOCUS_IS_SEEN)

        await page.keyboard.press("g")
        await page.keyboard.press("s")
        await page.wait_for_url("**/schedules")
        await page.keyboard.press("j")  # what waits for an answer
        await page.keyboard.press("j")
        await expect(page.locator("tr.on")).to_contain_text("dependency-watch")
        await page.keyboard.press("e")
        await page.wait_for_url("**/edit")
        for _ in range(40):
            await page.keyboard.press("Tab")
            assert await page.evaluate(_FOCUS_IS_SEEN)
            if await page.evaluate("document.activeElement.name") == "description":
                break
        await page.keyboard.type("by keys alone")
        await page.keyboard.press("Control+s")
        await expect(page.locator("#toast")).to_contain_text("dependency-watch")
        edited = await open_window.world.runtime.store.find("default", "dependency-watch")
        assert edited is not None
        assert edited.description == "by keys alone"

        await _say(open_window, "failed", "Runs that failed today")
        await page.wait_for_url("**/runs?**")
        await page.keyboard.press("j")
        await page.keyboard.press("Enter")
        await page.wait_for_url("**/runs/run_*")
        await expect(page.locator("main")).to_contain_text("opencode: 401 Unauthorized, the login has expired")
        open_window.check_calm()


async def test_a_double_click_is_one_press(tmp_path: Path) -> None:
    async with window(tmp_path) as open_window:
        page = open_window.page
        store = open_window.world.runtime.store
        schedule = await open_window.schedule_id("backup-db")
        before = await store.get(schedule)
        assert before is not None
        undo = page.locator("#toast").get_by_role("button", name="Undo")
        await open_window.open(f"/schedules/{schedule}")
        tools = page.locator("#tools")

        for name, versions in (("Skip next", 1), ("Pause", 2)):  # to leave a fire out does not change the definition
            await tools.get_by_role("button", name=name).dblclick()
            await expect(undo).to_be_visible()
            await undo.click()
            await expect(page.locator("#toast")).to_contain_text("Undone")
            back = await store.get(schedule)
            assert back is not None
            assert (back.enabled, back.next_run_at) == (True, before.next_run_at)
            assert back.version == before.version + versions, name
            before = back
            await open_window.see(expect(tools.get_by_role("button", name="Pause")).to_be_visible())


async def test_pause_skip_delete_and_spread_are_undone_from_the_toast(tmp_path: Path) -> None:
    async with window(tmp_path, others=30) as open_window:
        page = open_window.page
        store = open_window.world.runtime.store
        schedule = await open_window.schedule_id("backup-db")
        undo = page.locator("#toast").get_by_role("button", name="Undo")

        await open_window.open(f"/schedules/{schedule}")
        tools = page.locator("#tools")
        await tools.get_by_role("button", name="Pause").click()
        await open_window.see(expect(tools.get_by_role("button", name="Resume")).to_be_visible())
        assert not await _enabled(open_window, "backup-db")
        await undo.click()
        await expect(page.locator("#toast")).to_contain_text("Undone")
        assert await _enabled(open_window, "backup-db")

        before = await store.get(schedule)
        await open_window.see(expect(tools.get_by_role("button", name="Skip next")).to_be_visible())
        await tools.get_by_role("button", name="Skip next").click()
        await expect(page.locator("#toast")).to_contain_text("kip")
        assert before is not None
        skipped = await store.get(schedule)
        assert skipped is not None
        assert skipped.next_run_at != before.next_run_at
        await undo.click()
        await expect(page.locator("#toast")).to_contain_text("Undone")
        back = await store.get(schedule)
        assert back is not None
        assert back.next_run_at == before.next_run_at

        await tools.locator("summary").click()
        await tools.get_by_role("button", name="Delete").click()
        await expect(page).to_have_url(open_window.url + "/schedules")
        await expect(page.locator("#toast")).to_contain_text("backup-db")
        assert await store.find("default", "backup-db") is None
        await undo.click()
        await expect(page.locator("#toast")).to_contain_text("Undone")
        assert await _enabled(open_window, "backup-db")

        await open_window.open("/load?day=2027-03-29")
        await expect(page.locator(".lede")).to_contain_text("The busiest minute is")
        lede = await page.locator(".lede").inner_text()
        await page.get_by_role("button", name="Spread these").click()
        await expect(page.locator("#toast")).to_contain_text("pread")
        await page.keyboard.press("u")
        await expect(page.locator("#toast")).to_contain_text("Undone")
        await open_window.open("/load?day=2027-03-29")
        await expect(page.locator(".lede")).to_have_text(lede)


async def test_a_toast_goes_after_its_time_unless_the_pointer_is_on_it(tmp_path: Path) -> None:
    async with window(tmp_path, others=0) as open_window:
        page = open_window.page
        toast = page.locator("#toast .toast")
        await open_window.open(f"/schedules/{await open_window.schedule_id('backup-db')}")
        await page.locator("#tools").get_by_role("button", name="Pause").click()
        await toast.hover()
        await open_window.elapse(8_000)
        await expect(toast).to_be_visible()
        await page.mouse.move(5, 5)
        await open_window.elapse(8_000)
        await expect(toast).to_have_count(0)


async def test_what_cannot_be_undone_wants_a_second_press(tmp_path: Path) -> None:
    async with window(tmp_path, others=6) as open_window:
        tokens = open_window.world.runtime.services.tokens
        made = await make_token(open_window.world.runtime, "blog-bot", "admin")
        page = await open_window.open("/tokens")
        button = page.locator(f"#token-{made.id} form[action$=revoke] button")
        await button.click()
        await expect(button).to_have_text("Press again: nothing was made with it")
        await page.keyboard.press("Escape")
        await expect(button).to_have_text("Revoke")
        found, _ = await tokens.page(Caller(ADMIN), None, 50)
        assert [each.revoked_at for each in found if each.id == made.id] == [None]
        await button.click()
        await expect(button).to_contain_class("armed")
        await open_window.elapse(3_000)
        await expect(button).to_have_text("Revoke")
        await button.click()
        await expect(button).to_contain_class("armed")
        await button.click()
        await expect(page.locator("#toast")).to_contain_text("blog-bot was revoked")
        found, _ = await tokens.page(Caller(ADMIN), None, 50)
        assert [each.revoked_at is None for each in found if each.id == made.id] == [False]

        schedule = await open_window.schedule_id("issue-triage")
        (run,) = (
            await open_window.world.runtime.services.schedules.schedule_history(open_window.admin, schedule, limit=1)
        )[0]
        await open_window.open(f"/runs/{run.id}")
        stop = page.locator("form[action$=stop] button")
        await stop.click()
        await expect(stop).to_have_text("Press again to stop")
        assert not (await open_window.services.runs.get(open_window.admin, run.id)).cancel_requested
        await stop.click()
        await expect(page.locator("#toast .toast")).to_be_visible()
        assert (await open_window.services.runs.get(open_window.admin, run.id)).cancel_requested
        open_window.check_calm()


async def test_without_script_forms_post(tmp_path: Path) -> None:
    async with window(tmp_path, script=False, others=6, auth=True) as open_window:
        await open_window.page.context.request.get(sign_in_link(open_window.world.runtime, open_window.url))
        page = await open_window.open("/inbox")
        await page.locator(".ask-card").get_by_role("button", name="Done").click()
        await expect(page.locator("#toast")).to_contain_text("Done: Take your blood-pressure tablet")
        await expect(page.locator(".ask-card")).to_have_count(0)
        await page.locator("#toast").get_by_role("button", name="Undo").click()
        await expect(page.locator("#toast")).to_contain_text("Undone")
        await expect(page.locator(".ask-card")).to_have_count(1)

        await open_window.open("/search?q=pause+backup-db")
        await page.locator("button.hit-row", has_text="Pause: backup-db").click()
        await expect(page.locator("#toast")).to_contain_text("backup-db")
        assert not await _enabled(open_window, "backup-db")

        await open_window.open("/people")
        await page.get_by_label("Name").fill("Ana")
        await page.get_by_label("Time zone").fill("America/New_York")
        await page.get_by_role("button", name="Add").click()
        await expect(page.locator("h1")).to_have_text("Ana")
        await expect(page.locator(".lede")).to_contain_text("It is 09:32 for Ana, in America/New_York")


async def test_a_key_right_behind_a_closed_dialog_means_the_page(tmp_path: Path) -> None:
    """The field of a dialog has the focus until the browser draws again: a quick key comes before that."""
    async with window(tmp_path) as open_window:
        page = await open_window.open("/")
        await page.keyboard.press("Control+k")
        seen = await page.evaluate(
            """() => {
              const field = document.querySelector("#palette input");
              document.querySelector("#palette").close();
              field.dispatchEvent(new KeyboardEvent("keydown", { key: "?", bubbles: true }));
              return document.querySelector("#keys").open;
            }"""
        )
        assert seen
