"""The page of a run: it is followed from its first moment, its now is now, and it leads with why."""

from __future__ import annotations

from pathlib import Path

from playwright.async_api import expect

from duly.ports.executors import ReportedLine
from duly.web import words
from tests.browser.window import Window, window
from tests.configured_executor import ConfiguredExecutor
from tests.world import until


async def test_a_run_is_followed_from_its_first_moment_to_its_end(tmp_path: Path) -> None:
    async with window(tmp_path, others=0, calm=True) as open_window:
        cases = open_window.world.runtime.services.use_cases
        fields = {"name": "triage", "cron": "0 3 * * *", "prompt": "Triage", "spawner": "patient"}
        retry = {"max_attempts": 2, "delay": 1, "jitter": 0}
        made = await cases.schedule_create(
            open_window.admin, {**fields, "retry": retry, "targets": [{"project_id": "shop"}]}
        )
        try:
            await _follow(open_window, made.id, tmp_path / "shop")
        finally:
            (tmp_path / "shop" / "begin").touch()
            (tmp_path / "shop" / "end").write_text("Triaged")
        open_window.check_calm()


async def _follow(open_window: Window, schedule: str, project: Path) -> None:
    page = await open_window.open(f"/schedules/{schedule}")
    asked: list[str] = []
    page.on("response", lambda answer: asked.append(f"{answer.status} {answer.url}"))
    await page.locator("#tools").get_by_role("button", name="Run now").click()
    await expect(page.locator("#toast")).to_contain_text("triage")
    history = open_window.world.runtime.services.schedules.schedule_history
    [run] = (await history(open_window.admin, schedule, limit=1))[0]
    await open_window.open(f"/runs/{run.id}")  # before the daemon's clock goes on: nothing is kept yet
    await expect(page.locator("[data-nothing]")).to_have_text("It has printed nothing yet.")
    (project / "begin").touch()
    await open_window.see(expect(page.locator(".ll", has_text="Reading the issues")).to_be_visible())
    await expect(page.locator("[data-state]")).to_have_text("live")
    (project / "end").write_text("overloaded")
    # the page goes on with the next attempt by itself
    await open_window.see(expect(page.locator("#output [aria-current]")).to_have_text("Attempt 2"))
    await open_window.see(expect(page.locator(".ll", has_text="Reading the issues")).to_be_visible())
    (project / "end").write_text("Triaged 3 issues")
    await open_window.see(expect(page.locator(".ll", has_text="Triaged 3 issues")).to_be_visible())
    await open_window.see(expect(page.locator("[data-state]")).to_have_text("ended"))
    await open_window.see(expect(page.locator("#title .pill")).to_contain_text("Succeeded"))
    # what was not there at the first moment has come, what is over has gone, and nothing says otherwise after a reload
    parts = ("#life", "#targets", "#attempts", "#prompt", "#took", "#result", "[data-size]")
    for part in parts[:-2]:
        await open_window.see(expect(page.locator(part)).to_have_count(1))
    await open_window.see(expect(page.locator("#result")).to_have_count(0))
    kept = [await page.locator(part).all_inner_texts() for part in parts[1:]]
    await page.reload()
    assert [await page.locator(part).all_inner_texts() for part in parts[1:]] == kept
    assert [each for each in asked if not each.startswith("20")] == []
    await expect(page.locator(".unloaded")).to_have_count(0)


async def test_now_is_now_on_the_page_of_a_run(tmp_path: Path) -> None:
    async with window(tmp_path, others=0, calm=True) as open_window:
        page = open_window.page
        await page.clock.install(time=0)
        await page.clock.pause_at(1_000)  # it goes on only where the test says so
        found = await open_window.schedule_id("issue-triage")
        history = open_window.world.runtime.services.schedules.schedule_history
        [run] = (await history(open_window.admin, found, limit=1))[0]
        await open_window.open(f"/runs/{run.id}")
        now = page.locator(".life-now")
        running = page.locator(".life .m.run rect")
        took = page.locator("#targets [data-took]")
        await expect(now).to_have_text("14:32:07")
        await expect(took).to_have_text("54 s")
        wide = float(await running.get_attribute("width") or 0)
        await page.clock.run_for(9_000)  # no event comes: the daemon's clock stands still
        await expect(now).to_have_text("14:32:16")
        await expect(took).to_have_text("1 min 03")
        await expect(page.locator(".life [data-took]")).to_have_text("1 min 03")
        assert float(await running.get_attribute("width") or 0) > wide + 10
        expected = page.locator(".life .expected")
        edge = float(await running.get_attribute("x") or 0) + float(await running.get_attribute("width") or 0)
        assert 0 <= float(await expected.get_attribute("x") or 0) - edge < 3

        seconds = [0.2, 0.96, 1, 59.4, 59.6, 89, 599.4, 600, 1199.5, 3570, 8880, 10_799.9, 86_399, 230_400, 900_000]
        said = await page.evaluate("(all) => all.map((each) => [duly.span(each), duly.took(each)])", seconds)
        assert said == [[words.span(each), words.took(each)] for each in seconds]
        open_window.check_calm()


async def test_a_run_elsewhere_is_followed_as_its_worker_reports(tmp_path: Path) -> None:
    async with window(tmp_path, others=0, calm=True) as open_window:
        runtime = open_window.world.runtime
        fields = {"name": "resize", "cron": "0 3 * * *", "job_name": "shop.tasks.resize", "executor": "heavy"}
        made = await runtime.services.use_cases.schedule_create(open_window.admin, fields)
        await runtime.services.use_cases.schedule_trigger(open_window.admin, made.id)
        heavy = runtime.capabilities.executors.get("heavy")
        assert isinstance(heavy, ConfiguredExecutor)
        await until(lambda: any(each.schedule == "resize" for each in heavy.sent), "the order")
        [order] = [each for each in heavy.sent if each.schedule == "resize"]
        executions = open_window.services.executions
        worker = await executions.recognize(order.key.run_id, order.key.number, order.token)
        assert worker is not None
        page = await open_window.open(f"/runs/{order.key.run_id}")
        await expect(page.locator("#waits")).to_contain_text("Handed over to heavy, not begun")
        await executions.begin(worker, start="one", host="celery@a")
        await open_window.see(expect(page.locator("#waits")).to_contain_text("Carried out by celery@a"))
        await executions.beat(worker, start="one", lines=[ReportedLine(text="40 of 90")])
        await open_window.see(expect(page.locator(".ll", has_text="40 of 90")).to_be_visible())
        await executions.end(worker, start="one", state="succeeded", result={"resized": 90})
        await open_window.see(expect(page.locator("#waits")).to_be_hidden())
        await open_window.see(expect(page.locator("#result")).to_contain_text('"resized": 90'))
        await expect(page.locator("[data-state]")).to_have_text("ended")
        open_window.check_calm()
