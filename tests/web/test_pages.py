"""What holds for every page: the policy, no inline style or script, text stays text, faults have their page."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

import pytest

from duly.web.assets import assets
from duly.web.screens import SCREENS
from tests.web.scene import scene
from tests.web.test_sign_in import HTML, play, sign_in
from tests.world import World

TEMPLATES = sorted((Path(str(__import__("duly.web", fromlist=["web"]).__file__)).parent / "templates").glob("*.html"))
_INLINE = re.compile(r"\sstyle=|<style|\shx-on|\son[a-z]+=|<script(?![^>]*\ssrc=)|javascript:|js:", re.IGNORECASE)
_FILTER = re.compile(r'hx-trigger="[^"]*\[')
POLICY = {
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "font-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
}
PATHS = ("/", "/?span=6h", "/?span=3d", "/settings", "/search?q=stretch+in+20+min", "/ui/palette?q=pause", "/nowhere")
EVIL = "<img src=x onerror=alert(1)>\"'"


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.stem)
def test_templates_have_no_inline_style_or_script(path: Path) -> None:
    text = path.read_text()
    assert _INLINE.search(text) is None
    assert _FILTER.search(text) is None
    assert "| safe" not in text


def test_assets_are_small_complete_and_ours() -> None:
    found = assets()
    assert sum(len(each.body) for name, each in found.items() if name != "LICENSES.txt") < 300_000
    for name in ("duly.css", "duly.js", "icons.svg", "htmx.js", "idiomorph.js", "inter.woff2", "mono.woff2"):
        assert name in found
    own = found["dark.css"].body + found["duly.css"].body + found["duly.js"].body
    assert b"http://" not in own.replace(b"http://www.w3.org/2000/svg", b"")
    assert b"https://" not in own
    assert b"eval(" not in found["duly.js"].body


def test_each_colour_stands_once_and_has_its_dark_value() -> None:
    token = re.compile(r"(--[\w-]+):")
    light = token.findall(assets()["duly.css"].body.decode())
    dark = token.findall(assets()["dark.css"].body.decode())
    assert len(light) == len(set(light))
    assert len(dark) == len(set(dark))
    assert {*light} - {*dark} == {"--mono"}
    assert {*dark} <= {*light}


def test_every_page_has_the_policy_and_nothing_inline(tmp_path: Path) -> None:
    async def look() -> None:
        async with scene(tmp_path, others=3) as here:
            for path in PATHS:
                page = await here.http.get(path, headers=HTML)
                assert page.status_code == (404 if path == "/nowhere" else 200), path
                assert set(page.headers["content-security-policy"].split("; ")) == POLICY
                assert page.headers["x-content-type-options"] == "nosniff"
                assert page.headers["cache-control"] == "no-store"
                assert _INLINE.search(page.text) is None, path
                assert page.text.count("<h1") == (0 if "/ui/" in path else 1)

    asyncio.run(look())


def test_markup_in_names_texts_and_errors_stays_text(tmp_path: Path) -> None:
    async def look() -> None:
        async with scene(tmp_path, others=0) as here:
            await here.runtime.services.reminder_service.create(
                "local", {"type": "once", "at": "1m"}, EVIL, require_ack=True
            )
            await here.clock.travel(seconds=90)
            for path in ("/", f"/search?q={EVIL}", f"/ui/palette?q={EVIL}+in+20+min"):
                page = await here.http.get(path, headers=HTML)
                assert "<img src=x" not in page.text
            assert "&lt;img src=x" in (await here.http.get("/", headers=HTML)).text

    asyncio.run(look())


def test_today_says_its_sentence_and_its_items(tmp_path: Path) -> None:
    async def look() -> None:
        async with scene(tmp_path) as here:
            page = (await here.http.get("/", headers=HTML)).text
            assert "Friday 26 March" in page
            assert "3 things need you." in page
            assert "One is running now." in page
            assert "Clocks go forward on Sunday: 02:00 becomes 03:00" in page
            assert "dependency-watch failed, all 3 attempts" in page
            assert "nothing was running" in page
            assert "asked again 2 of 3 times" in page
            packed = await here.http.get("/", headers={**HTML, "accept-encoding": "gzip"})
            assert int(packed.headers["content-length"]) < 100_000

    asyncio.run(look())


def test_the_first_start_offers_what_to_do(tmp_path: Path) -> None:
    async def scenario(here: World) -> None:
        await sign_in(here)
        page = (await here.http.get("/", headers=HTML)).text
        assert "Nothing is scheduled yet" in page
        assert "duly remind" in page

    play(tmp_path, scenario)


def test_a_toast_waits_for_the_page_that_comes_not_for_live_parts_of_the_one_that_goes(tmp_path: Path) -> None:
    async def scenario(here: World) -> None:
        await sign_in(here)
        gone = {"Origin": "https://elsewhere.example"}
        assert (await here.http.post("/ui/undo", headers={**HTML, **gone})).status_code == 303  # refused: a toast
        assert "duly_toast" in here.http.cookies
        live = await here.http.get("/", headers={**HTML, "X-Duly-Live": "1"})
        assert 'class="toast' not in live.text
        assert "duly_toast" in here.http.cookies
        assert 'class="toast' in (await here.http.get("/", headers=HTML)).text
        assert "duly_toast" not in here.http.cookies

    play(tmp_path, scenario)


@pytest.mark.parametrize(
    "path", ["/?from=x&to=y", "/?from=2027-01-01&to=2027-01-02", "/?from=2026-01-01T00:00Z&to=2027-01-01T00:00Z"]
)
def test_an_address_that_is_not_understood_says_so(tmp_path: Path, path: str) -> None:
    async def scenario(here: World) -> None:
        await sign_in(here)
        answer = await here.http.get(path, headers=HTML)
        assert answer.status_code == 422
        assert "Not understood" in answer.text

    play(tmp_path, scenario)


def test_faces_behind_the_pages_still_answer(tmp_path: Path) -> None:
    async def scenario(here: World) -> None:
        assert (await here.http.get("/nowhere", headers=HTML)).status_code == 404
        assert (await here.http.get("/mcp", headers=HTML)).status_code == 401
        assert (await here.http.post("/mcp")).status_code == 401
        assert (await here.http.get("/nowhere")).status_code == 401

    play(tmp_path, scenario)


def test_the_token_of_a_person_lands_on_the_inbox_and_a_project_sees_its_own(tmp_path: Path) -> None:
    async def look() -> None:
        async with scene(tmp_path, auth=True, others=0) as here:
            await here.http.post("/signin", data={"token": await here.token("user:local")})
            assert (await here.http.get("/", headers=HTML)).headers["location"] == "/inbox"
            here.http.cookies.clear()
            await here.http.post("/signin", data={"token": await here.token("project:shop")})
            page = (await here.http.get("/", headers=HTML)).text
            assert "issue-triage" in page
            assert "backup-db" not in page
            assert "bp-tablet" not in page
            assert "/tokens" not in page

    asyncio.run(look())


def test_every_screen_is_one_line() -> None:
    assert len(SCREENS) == len(set(SCREENS))
