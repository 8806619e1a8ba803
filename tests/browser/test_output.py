"""Output without end: a hundred thousand lines stay a small page, and following lets go and takes up again."""

from __future__ import annotations

from pathlib import Path

from playwright.async_api import expect

from duly.ports.run_history import KeptOutput, LineKind, OutputPiece, write_line
from tests.browser.window import Window, window

_LINES = 100_000
_PIECE = 800
_MOST_IN_PAGE = 2_000


async def _print(open_window: Window, run: str, first: int, count: int) -> None:
    """Let the run print lines that are numbered."""
    world = open_window.world
    chunk = await open_window.services.runs.output(open_window.admin, run, attempt=2, target="shop", offset=0, limit=1)
    at = world.clock.now()
    total = chunk.total
    pieces = []
    for begin in range(first, first + count, _PIECE):
        numbers = range(begin, min(begin + _PIECE, first + count))
        text = "".join(write_line(at, LineKind.TEXT, f"line {number}") for number in numbers)
        piece = OutputPiece(start=total, size=len(text), text=text)
        total += piece.size
        kept = KeptOutput(
            run_id=run,
            attempt=2,
            target="shop",
            total=total,
            lines=numbers[-1],
            complete=False,
            kept_limit=16_000_000,
        )
        pieces.append((kept, piece))
    await world.runtime.store.history.append(pieces)


async def test_a_hundred_thousand_lines_stay_a_small_page(tmp_path: Path) -> None:
    async with window(tmp_path, others=0, calm=True) as open_window:
        found = await open_window.schedule_id("issue-triage")
        [run] = (
            await open_window.world.runtime.services.schedules.schedule_history(open_window.admin, found, limit=1)
        )[0]
        page = await open_window.open(f"/runs/{run.id}?attempt=2")
        before = int(await page.evaluate("document.querySelectorAll('*').length"))
        await _print(open_window, run.id, 0, _LINES)
        last = page.locator(".ll", has_text=f"line {_LINES - 1}")
        await expect(last).to_be_in_viewport()
        await expect(page.locator("[data-count]")).to_contain_text("100,0")
        assert await page.locator(".ll").count() <= _MOST_IN_PAGE
        assert await page.evaluate("document.querySelectorAll('*').length") < before + 4 * _MOST_IN_PAGE

        log = page.locator("[data-log]")
        follow = page.locator("[data-follow]")
        await expect(follow).to_have_attribute("aria-pressed", "true")
        await log.evaluate("(log) => { log.scrollTop -= 40000; }")
        await expect(follow).to_have_attribute("aria-pressed", "false")
        await _print(open_window, run.id, _LINES, 5)
        await expect(follow).to_have_text("5 new lines")
        await expect(last).not_to_be_in_viewport()
        assert await page.locator(".ll").count() <= _MOST_IN_PAGE
        await log.press("End")
        await expect(follow).to_have_attribute("aria-pressed", "true")
        await expect(page.locator(".ll", has_text=f"line {_LINES + 4}")).to_be_in_viewport()
        open_window.check_calm()
