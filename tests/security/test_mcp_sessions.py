"""MCP sessions are counted for each token: one that opens too many is told so, and takes none from the others."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import httpx

from duly.config.settings import ServerLimits
from tests.world import World, until, world

HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}},
}


async def ask(here: World, token: str, body: Any = HELLO, method: str = "POST", **headers: str) -> httpx.Response:
    sent = {
        "Authorization": f"Bearer {token}",
        "Accept": "application/json, text/event-stream",
        **{name.replace("_", "-"): value for name, value in headers.items()},
    }
    return await here.http.request(method, "/mcp", json=body, headers=sent)


async def test_a_token_that_holds_its_sessions_is_refused_one_more_and_others_are_not(tmp_path: Path) -> None:
    async with world(tmp_path, limits=ServerLimits(sessions_per_token=3)) as here:
        greedy, other = await here.token("admin"), await here.token("project:a")
        opened = [await ask(here, greedy) for _ in range(3)]
        assert [each.status_code for each in opened] == [200, 200, 200]
        refused = await ask(here, greedy)
        assert (refused.status_code, refused.json()["error"]) == (429, "too many")
        assert refused.json()["message"] == (
            "this token has 3 MCP sessions open: end some with DELETE /mcp; without requests they end after 10 minutes"
        )
        assert (await ask(here, other)).status_code == 200
        session = opened[0].headers["mcp-session-id"]
        listed = await ask(here, greedy, {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}, Mcp_Session_Id=session)
        assert listed.status_code == 200  # what it has goes on
        assert (await ask(here, greedy, None, "DELETE", Mcp_Session_Id=session)).status_code == 200
        assert (await ask(here, greedy)).status_code == 200


async def test_many_sessions_opened_at_once_are_no_way_around_the_limit(tmp_path: Path) -> None:
    async with world(tmp_path, limits=ServerLimits(sessions_per_token=3)) as here:
        token = await here.token("admin")
        answers = await asyncio.gather(*(ask(here, token) for _ in range(20)))
        codes = [each.status_code for each in answers]
        assert 1 <= codes.count(200) <= 3
        assert codes.count(200) + codes.count(429) == 20


async def test_an_idle_session_ends(tmp_path: Path) -> None:
    async with world(tmp_path, limits=ServerLimits(sessions_per_token=1, session_idle_timeout=0.05)) as here:
        token = await here.token("admin")
        opened = await ask(here, token)
        manager = here.app.state.sessions
        await until(lambda: manager.total == 0, "the session to end")
        again = await ask(here, token)
        assert again.status_code == 200
        assert again.headers["mcp-session-id"] != opened.headers["mcp-session-id"]
