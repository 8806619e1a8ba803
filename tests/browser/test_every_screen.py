"""Every screen, in light, in dark and on a phone: calm, accessible, whole, and none wider than the window."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from duly.ports.people import namespace_of
from tests.browser.window import DESKTOP, NARROW, PHONE, ZOOMED, Window, make_token, window

SCREENS = {
    "today": "/",
    "inbox": "/inbox",
    "schedules": "/schedules",
    "schedule": "/schedules/{backup-db}",
    "new": "/schedules/new",
    "edit": "/schedules/{backup-db}/edit",
    "runs": "/runs",
    "run": "/runs/{backup-db/run}",
    "run-agent": "/runs/{issue-triage/run}",
    "run-failed": "/runs/{dependency-watch/run}",
    "run-reminder": "/runs/{bp-tablet/run}",
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
    "executors": "/executors",
    "tokens": "/tokens",
    "connect": "/connect",
    "journal": "/journal",
    "settings": "/settings",
}
_AXE = (Path(__file__).parent / "axe.min.js").read_text(encoding="utf-8")
"""axe-core 4.14.1, of npm; the packages of PyPI are behind it. Newer rules find more, so it is renewed by hand."""
_ALL = "{type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']}"
_COLOURS = "{type: 'rule', values: ['color-contrast', 'link-in-text-block']}"
_ON_A_PHONE = (
    "{type: 'rule', values: ['target-size', 'link-name', 'button-name', 'label', 'color-contrast', "
    "'link-in-text-block', 'scrollable-region-focusable', 'aria-hidden-focus']}"
)
"""What depends on the width of the window, and on its colours."""
_WEIGHTS = "performance.getEntriesByType('resource').map((each) => [each.name, each.decodedBodySize])"
_TOO_SMALL = """(() => {
  const found = [], wanted = "main :is(a[href], button, summary, input, select, textarea), .tabs :is(a, summary)";
  const isShown = (each) => each.checkVisibility({ visibilityProperty: true, opacityProperty: true });
  const isText = (node) => node.nodeType === 3 && node.data.trim().length > 2;
  for (const each of document.querySelectorAll(wanted)) {
    if (!isShown(each) || each.closest("svg, .vh") || each.type === "hidden") continue;
    if (getComputedStyle(each).pointerEvents === "none") continue; // its place belongs to the link of the row
    // a link in the middle of a sentence is as high as its line
    if (each.matches("a:not(.btn, .chip)") && [...each.parentElement.childNodes].some(isText)) continue;
    const label = each.matches("[type=checkbox], [type=radio]") ? each.labels?.[0] : null;
    const place = each.closest(".find > label") ?? label ?? each;
    place.scrollIntoView({ block: "center" });
    const box = place.getBoundingClientRect(), y = box.top + box.height / 2;
    const x = Math.min(box.left + Math.min(box.width / 2, 40), innerWidth - 2);
    if (!box.width || box.height >= 43.5) continue;
    const isHit = (at) => {
      const hit = document.elementFromPoint(x, at);
      return hit && (place.contains(hit) || hit.closest("a, button, label, summary") === place);
    };
    let above = 0, below = 0;
    while (above < 43 && isHit(y - above - 1)) above += 1;
    while (below < 43 && isHit(y + below + 1)) below += 1;
    if (above + below < 42)
      found.push(`${Math.round(box.height)} px ${place.outerHTML.slice(0, 110)}`);
  }
  return found;
})()"""
_OVERPRINTED = """(() => {
  const wanted = "main td:not(.k), main th, .fire-line > *, .facts dd, .lines > li, .second, h1, h2, h3";
  const isOver = (each) => each.clientWidth && each.scrollWidth > each.clientWidth + 1 && !each.closest(".vh");
  const runsOut = ({ overflowX, display }) => overflowX === "visible" && display !== "inline";
  return [...document.querySelectorAll(wanted)]
    .filter((each) => each.checkVisibility() && isOver(each) && runsOut(getComputedStyle(each)))
    .map((each) => `${each.scrollWidth} in ${each.clientWidth} px: ${each.outerHTML.slice(0, 100)}`);
})()"""
"""What is wider than its place runs into what stands beside it."""
_TOO_WIDE = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


async def addresses(open_window: Window) -> dict[str, str]:
    """Give the address of every screen, with ids of the scene."""
    found = dict(SCREENS)
    for name, path in SCREENS.items():
        wanted, _, rest = path.partition("{")[2].partition("}")[0].partition("/")
        if not wanted:
            continue
        store = open_window.world.runtime.store
        row = await store.find("default", wanted) or await store.find(namespace_of("local"), wanted)
        assert row is not None, wanted
        history = open_window.world.runtime.services.schedules.schedule_history
        (run,) = (await history(open_window.admin, row.id, limit=1))[0] if rest else (row,)
        found[name] = re.sub(r"\{.*\}", run.id, path)
    return found


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
            faults += [f"{name}, overprinted: {each}" for each in await page.evaluate(_OVERPRINTED)]
            await page.emulate_media(color_scheme="dark")
            await open_window.keep_picture(f"{name}-dark")
            faults += [f"{name}, dark: {each}" for each in await findings(open_window, _COLOURS)]
            await page.emulate_media(color_scheme="light")
            for look, size in (("200 % zoom", ZOOMED), ("phone", PHONE), ("narrow", NARROW)):
                await page.set_viewport_size(size)  # type: ignore[arg-type]  # as above
                faults += [f"{name}, {look}, overprinted: {each}" for each in await page.evaluate(_OVERPRINTED)]
                if (over := await page.evaluate(_TOO_WIDE)) > 0:
                    faults.append(f"{name}, {look}: {over} px too wide")
                if look == "200 % zoom":
                    continue
                faults += [f"{name}, {look}, too small: {each}" for each in await page.evaluate(_TOO_SMALL)]
                await open_window.keep_picture(f"{name}-{look}")
                for colours in ("dark", "light"):
                    await page.emulate_media(color_scheme=colours)
                    found = await findings(open_window, _ON_A_PHONE)
                    faults += [f"{name}, {look}, {colours}: {each}" for each in found]
        assert not faults, "\n".join(faults)
        open_window.check_calm()
        assert await page.evaluate("window.reports") == []
        assert all(address.startswith(open_window.url) for address in weights), "nothing comes from elsewhere"
        assert 100_000 < sum(size for name, size in weights.items() if "/ui/static/" in name) < 300_000


async def test_tables_fit_without_sideways_scrolling(tmp_path: Path) -> None:
    wide = "[...document.querySelectorAll('.wide-scroll')].map((each) => each.scrollWidth - each.clientWidth)"
    async with window(tmp_path, calm=True, others=0) as open_window:
        await make_token(open_window.world.runtime, "connect claude", "user:local")
        for size in ({"width": 1280, "height": 800}, PHONE, NARROW):
            await open_window.page.set_viewport_size(size)  # type: ignore[arg-type]  # a TypedDict of these two
            for path in ("/people", "/channels", "/tokens", "/nodes", "/executors"):
                await open_window.open(path)
                assert await open_window.page.evaluate(wide) == [0], (path, size)
