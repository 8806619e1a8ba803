"""A search that takes long: the pages, the palette, the API, MCP and the command line say how far it has come."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import pytest
from mcp import Client

from duly.mcp.server import make_server
from duly.service import searching
from duly.service.access.scopes import Face
from duly.service.schedules import listing
from tests.integration.web.browsing import Browser, browsing, schedule, text_of
from tests.unit.cli.command_line import CommandLine, command_line
from tests.unit.cli.test_pruning import Terminal

__all__ = ["command_line"]


@pytest.fixture(autouse=True)
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two rows for a statement, and time for one statement in a call: as with very many rows."""
    for name, value in {"_FIRST_ROWS": 2, "_MOST_ROWS": 2, "LONGEST": 0.0}.items():
        monkeypatch.setattr(searching, name, value)
    monkeypatch.setattr(listing, "LARGE", 2)


async def _api(browser: Browser, path: str) -> Any:
    token = await browser.here.token("admin")
    answer = await browser.here.http.get(f"/api/v1{path}", headers={"Authorization": f"Bearer {token}"})
    assert answer.is_success, answer.text
    return answer.json()


async def test_every_face_of_a_daemon_says_how_far_a_search_has_come(tmp_path: Path) -> None:
    async with browsing(tmp_path) as browser:
        for number in range(3):
            found = await schedule(browser.here, f"s{number}", prompt="water the plants" if number > 1 else "rest")
            await browser.pressed(f"/schedules/{found}/run")

        page = await browser.get("/schedules?q=plants")
        assert "Nothing found yet" in text_of(page)
        assert "Searched 2 of 3 schedules." in text_of(page)
        while "s2" not in text_of(page):
            [following] = re.findall(r'href="([^"]+)" rel="next"', page)
            page = await browser.get(following.replace("&amp;", "&"))
        first = text_of(await browser.get("/schedules?q=s"))
        assert "Searched 2 of 3 schedules, in the order of names." in first
        assert "Continue" in first
        assert "Search all 3 schedules searched 2 of 3" in text_of(await browser.get("/ui/palette?q=plants"))
        runs = text_of(await browser.get("/runs?q=s"))
        assert "counted in the newest 2 of" in runs
        assert "runs, newest first." in runs
        assert "Nothing found yet" in text_of(await browser.get("/runs?q=nowhere"))

        answer = await _api(browser, "/schedules?text=plants")
        assert (answer["items"], answer["search"]) == ([], {"searched": 2, "total": 3})
        answer = await _api(browser, f"/schedules?text=plants&cursor={answer['next_cursor']}")
        assert ([each["name"] for each in answer["items"]], answer["next_cursor"]) == (["s2"], None)
        assert "search" not in await _api(browser, "/schedules")
        assert (await _api(browser, "/counts/runs?text=nowhere"))["searched"] == 2

        services = browser.here.runtime.services
        async with Client(make_server(services, lambda _request: browser.here.runtime.local(Face.MCP))) as agent:
            said = (await agent.call_tool("schedule_list", {"text": "plants"})).structured_content
        assert said is not None
        assert said["search"] == "searched 2 of 3: go on with next_cursor"


def test_a_command_searches_to_the_end(command_line: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(5):
        command_line.say("remind", f"plants {number}", "in", "1h", "--name", f"s{number}")
    assert command_line.say("list", "--text", "nowhere") == "none found\n"
    assert [each["name"] for each in command_line.read("list", "--text", "plants 4")["items"]] == ["s4"]
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    command_line.run("list", "--text", "nowhere")
    assert "searched 2 of 5, 0 found …" in screen.getvalue()
    assert screen.getvalue().endswith("\r\x1b[K")
