"""Connect, People and Tokens: what they say to whom, and what a form keeps when it is refused; without script."""

from __future__ import annotations

import html
import re
from pathlib import Path
from typing import Any

import pytest

from tests.integration.web.browsing import actions, browsing, text_of


@pytest.mark.parametrize(
    ("rights", "made_with"),
    [
        ("own", "--scope user:local --data-dir"),
        ("prompts", "--scope user:local --grant prompts:claude --data-dir"),
        ("admin", "--scope admin --data-dir"),
    ],
)
async def test_by_hand_an_agent_gets_the_same_rights_and_places_as_with_the_command(
    tmp_path: Path, rights: str, made_with: str
) -> None:
    async with browsing(tmp_path) as browser:
        said = text_of(await browser.get(f"/connect?rights={rights}"))
        file = tmp_path / "clients" / "claude.token"
        assert f"duly token create 'connect claude' {made_with} {tmp_path}" in said
        assert f"-- duly mcp --data-dir {tmp_path} --token-file {file}" in said
        assert f'"--token-file", "{tmp_path}/clients/opencode.token"]' in said
        assert said.count("duly mcp ") == said.count(f"duly mcp --data-dir {tmp_path} --token-file ") == 3


async def test_a_mistyped_address_is_a_page_for_a_browser_that_signed_in(tmp_path: Path) -> None:
    async with browsing(tmp_path, "user:local") as browser:
        for path in ("/nope", "/schedules/", "/index.html"):
            answer = await browser.http.get(path, headers={"accept": "*/*"})
            assert (answer.status_code, "There is no page at this address." in answer.text) == (404, True), path
        browser.http.cookies.clear()
        icon = await browser.http.get("/favicon.ico")
        assert (icon.status_code, icon.headers["content-type"]) == (200, "image/svg+xml")


async def test_a_person_opens_their_own_page_and_may_save_it(tmp_path: Path) -> None:
    async with browsing(tmp_path, "user:local") as browser:
        page = await browser.get("/people/local")
        (own,) = actions(page) - {"/signout", "/ui/settings"}
        assert "hears when messages to others fail" not in page
        saved = await browser.pressed(own, timezone="Asia/Tokyo", language="de", quiet="")
        assert "in Asia/Tokyo" in text_of(saved)


@pytest.mark.parametrize("scope", ["admin:ro", "user:local:ro"])
async def test_who_may_only_look_has_no_settings_form(tmp_path: Path, scope: str) -> None:
    async with browsing(tmp_path, scope) as browser:
        page = await browser.get("/people/local")
        assert actions(page) <= {"/signout", "/ui/settings"}
        assert "Quiet hours" in page


def _fault(page: str, name: str) -> str:
    """Give the fault that stands at a field, and check that the field is marked."""
    found = re.search(rf'<span class="fault" id="{name}-fault">([^<]+)</span>', page)
    assert found is not None, page
    assert re.search(rf'<input[^>]*name="{name}"[^>]*aria-invalid="true"', page)
    return html.unescape(found[1])


@pytest.mark.parametrize(
    ("path", "typed", "at", "said"),
    [
        ("/people", {"name": "Ana", "timezone": "Mars/Olympus", "quiet": "22:00-07:00"}, "timezone", "Mars/Olympus"),
        ("/people", {"name": "Ana", "timezone": "Asia/Tokyo", "quiet": "late"}, "quiet", "'late'"),
        ("/people", {"name": "Bo", "timezone": "Asia/Tokyo"}, "name", "'Bo' is taken"),
        ("/people/local", {"name": "local", "timezone": "Asia/Tokyo", "quiet": "late"}, "quiet", "'late'"),
        ("/people/local/channels", {"channel": "pigeon", "address": "the roof"}, "address", "'pigeon'"),
        ("/tokens", {"name": "bot", "scope": "project", "subject": "", "ends": "30"}, "subject", "needs its name"),
        ("/tokens", {"name": "bot", "scope": "user", "subject": "Zoe", "ends": ""}, "subject", "no user 'Zoe'"),
        ("/tokens", {"name": "", "scope": "project", "subject": "blog", "ends": "90"}, "name", "1 to 100"),
        (
            "/tokens",
            {"name": "bot", "scope": "project", "subject": "blog", "ends": "", "grants": "prompts:x"},
            "grants",
            "'x'",
        ),
    ],
)
async def test_a_refused_form_keeps_what_was_typed_with_the_fault_at_its_field(
    tmp_path: Path, path: str, typed: dict[str, Any], at: str, said: str
) -> None:
    channel: dict[str, Any] = {"ntfy": {}}
    async with browsing(tmp_path, channels=channel) as browser:
        await browser.post("/people", name="Bo")
        answer = await browser.post(path, **typed)
        assert answer.status_code == 422
        assert said in _fault(answer.text, at)
        for name, value in typed.items():
            if name in {"scope", "ends"}:
                assert f'<option value="{value}" selected>' in answer.text
            elif name != "channel":
                assert re.search(rf'<input[^>]*name="{name}" value="{re.escape(value)}"', answer.text), name
