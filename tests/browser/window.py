"""A browser window on a daemon that runs on virtual time.

Chromium is the one of the machine: `make test` installs Debian's package where it may. The window notes everything that
the page complains about, so that each test can end with `window.check_calm()`.
"""

from __future__ import annotations

import asyncio
import itertools
import os
import re
import shutil
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Page,
    Playwright,
    async_playwright,
    expect,
)

from duly.ports.tokens import TokenRecord
from duly.runtime.runtime import Runtime
from duly.service.access.scopes import ADMIN, Caller, Face
from duly.service.services import Services
from duly.testing.clock import settle
from tests.web.scene import Serving, served_scene
from tests.world import World

DESKTOP = {"width": 1440, "height": 900}
PHONE = {"width": 375, "height": 812}
NARROW = {"width": 320, "height": 640}
ZOOMED = {"width": 720, "height": 450}
"""What the desktop's window is to a page at a zoom of 200 %."""
ARTEFACTS = Path(__file__).parent.parent.parent / "artefacts" / "screens"
"""Where the pictures of the screens are kept."""
_NAMES = ("chromium", "chromium-browser", "google-chrome")
_QUICK_TICKS = 200
_PATIENCE = 60_000
"""How long a test waits for the page, in milliseconds: the machine may be busy."""
expect.set_options(timeout=_PATIENCE)


async def make_token(runtime: Runtime, name: str, scope: str) -> TokenRecord:
    """Make a token as `duly token` on the machine does; the daemon of a window asks for no sign-in, and makes none."""
    runtime.services.tokens.is_closed = False
    try:
        return (await runtime.services.tokens.create(Caller(ADMIN), name, scope)).record
    finally:
        runtime.services.tokens.is_closed = True


WATCHER = """
window.patched = 0;
window.shifted = [];
window.reports = [];
document.addEventListener("duly:patched", () => { window.patched += 1; });
document.addEventListener("securitypolicyviolation", (event) => window.reports.push(event.violatedDirective));
new PerformanceObserver((list) => {
  for (const entry of list.getEntries())
    if (!entry.hadRecentInput)
      window.shifted.push(entry.sources.map((each) => each.node?.outerHTML?.slice(0, 120) ?? each.node?.data));
}).observe({ type: "layout-shift" });
"""
"""Counts in every page how often a region was patched, what changed its place, and what the policy reported."""
PATIENCE_OF_PEOPLE = """
{
  const seconds = new Set([3000, 4000, 8000]), held = [];
  const [begin, end] = [window.setTimeout, window.clearTimeout];
  window.setTimeout = (what, after, ...rest) =>
    seconds.has(after) ? -held.push({ what, after, rest }) : begin(what, after, ...rest);
  window.clearTimeout = (which) => which < 0 ? delete held[-which - 1] : end(which);
  window.elapse = (after) => held.forEach((each, at) => {
    if (each?.after === after) { delete held[at]; each.what(...each.rest); }
  });
  const opened = Date.now();
  Date.now = () => opened;
}
"""
"""Holds what a page takes away after some seconds: a busy machine may need longer than a person until it presses.

A test lets those seconds pass with `elapse`. The page's clock stands still, so that `g` and then `c` is one command
however long the second key takes, and a daemon whose virtual clock stands still is not given up after 19 seconds. Where
a test wants the page's clock to go on, it calls `page.clock.install()`.
"""


def chromium() -> str:
    """Find Chromium; the test fails with the command that installs it where there is none."""
    found = next(filter(None, map(shutil.which, _NAMES)), None)
    if found is None:
        pytest.fail("Chromium is not on this machine. On Debian: apt-get install chromium", pytrace=False)
    return found


_running: list[tuple[Playwright, Browser]] = []


async def shared_browser() -> Browser:
    """Give the browser of this process; it is started at the first call, and anew if a test was its end."""
    if _running and not _running[0][1].is_connected():
        await close_browser()
    if not _running:
        driver = await async_playwright().start()
        options = ["--disable-gpu"]  # there is none, and to play one takes longer than to draw without
        if os.geteuid() == 0:
            options.append("--no-sandbox")  # Chromium refuses its sandbox to root
        _running.append((driver, await driver.chromium.launch(executable_path=chromium(), args=options)))
    return _running[0][1]


async def close_browser() -> None:
    """Leave nothing behind."""
    driver, browser = _running.pop()
    await browser.close()
    await driver.stop()


_BROKEN_OFF = re.compile(r"^htmx:(sendAbort|afterRequest)\b")


@dataclass(slots=True)
class Window:
    """A page, and the daemon behind it."""

    world: World
    serving: Serving
    browser: Browser
    context: BrowserContext
    page: Page
    complaints: list[str] = field(default_factory=list)

    @property
    def url(self) -> str:
        return self.serving.url

    @property
    def services(self) -> Services:
        """The use cases of the daemon."""
        return self.world.runtime.services

    @property
    def admin(self) -> Caller:
        return self.world.runtime.local(Face.CLI)

    async def see(self, awaited: Coroutine[Any, Any, Any]) -> Any:
        """Wait for something that the page will show; the daemon's clock goes on meanwhile, so that it tells of it."""
        waiting = asyncio.ensure_future(awaited)
        for number in itertools.count():
            done, _ = await asyncio.wait([waiting], timeout=0.05)
            if done:
                break
            # a busy machine takes long: the clock goes on then, but not so far that other things fall due
            self.world.clock.advance(0.25 if number < _QUICK_TICKS else 0.05)
            await settle(3)
        return await waiting

    async def elapse(self, milliseconds: int) -> None:
        """Let the time pass after which the page takes away a toast (8000), a card (4000), a second press (3000)."""
        await self.page.evaluate("(after) => window.elapse(after)", milliseconds)

    async def patched(self) -> None:
        """Wait until the page has taken a live change."""
        await self.see(self.page.wait_for_function("(before) => window.patched > before", arg=await self.patches()))

    async def patches(self) -> int:
        return int(await self.page.evaluate("window.patched"))

    async def schedule_id(self, name: str, namespace: str = "default") -> str:
        row = await self.world.runtime.store.find(namespace, name)
        assert row is not None, name
        return row.id

    def watch(self, page: Page) -> Page:
        """Note what a page complains about: errors of scripts, and reports of the policy."""

        def note(message: ConsoleMessage) -> None:
            # A page that is left while it asks says that its request was broken off: that is no fault.
            if message.type in ("error", "warning") and not _BROKEN_OFF.search(message.text):
                self.complaints.append(f"{page.url}: {message.text}")

        page.on("console", note)
        page.on("pageerror", lambda error: self.complaints.append(f"{page.url}: {error}"))
        return page

    async def open(self, path: str) -> Page:
        """Open a page of the dashboard and wait until its script has run."""
        answer = await self.page.goto(self.url + path)
        assert answer is not None
        assert answer.status == 200, f"{path} answered {answer.status}"
        return self.page

    async def other(self, *, script: bool = True, **options: Any) -> Page:
        """Open a page as another browser would: it shares no cookies with the first."""
        context = await self.browser.new_context(java_script_enabled=script, **options)
        context.set_default_timeout(_PATIENCE)
        return self.watch(await context.new_page())

    async def keep_picture(self, name: str) -> None:
        """Keep a picture of the whole page, for people to look at."""
        ARTEFACTS.mkdir(parents=True, exist_ok=True)
        await self.page.screenshot(path=ARTEFACTS / f"{name}.jpg", type="jpeg", quality=85, full_page=True)

    def check_calm(self) -> None:
        """Raise if a page complained."""
        assert self.complaints == []


@asynccontextmanager
async def window(
    folder: Path,
    *,
    size: dict[str, int] | None = None,
    theme: str = "light",
    script: bool = True,
    calm: bool = False,
    zone: str = "Europe/Berlin",
    **options: Any,
) -> AsyncIterator[Window]:
    """Open a window on the scene of the pictures; `calm` asks for reduced motion, `options` go to the scene."""
    try:
        async with served_scene(folder, **options) as (world, serving):
            browser = await shared_browser()
            try:
                context = await browser.new_context(
                    viewport=size or DESKTOP,  # type: ignore[arg-type]  # a TypedDict of these two
                    color_scheme=theme,  # type: ignore[arg-type]  # "light" or "dark"
                    java_script_enabled=script,
                    reduced_motion="reduce" if calm else "no-preference",
                    timezone_id=zone,
                    locale="en-GB",
                )
                context.set_default_timeout(_PATIENCE)
                await context.add_init_script(WATCHER)
                await context.add_init_script(PATIENCE_OF_PEOPLE)
                found = Window(world, serving, browser, context, await context.new_page())
                found.watch(found.page)
                yield found
            finally:
                for each in browser.contexts:
                    await each.close()
    except BaseExceptionGroup as group:
        # the groups of the server's tasks would hide in a hundred lines what the test found
        raise _only(group) from None


def _only(group: BaseException) -> BaseException:
    while isinstance(group, BaseExceptionGroup) and len(group.exceptions) == 1:
        group = group.exceptions[0]
    return group
