"""One `duly up`, wired as in production: command line, WebSocket and answer link work on the same reminder.

The other faces have such tests too: MCP over HTTP and stdio in `test_walk_through.py`.
"""

from __future__ import annotations

import asyncio
import json
import stat
from datetime import timedelta
from pathlib import Path

import httpx2
from websockets.asyncio.client import connect

from duly.channels.inbound import sign_link
from duly.clock import SystemClock
from duly.ports.channels import ButtonKind
from duly.stores import open_store
from tests.integration.agents.installation import Installation
from tests.integration.engine_support.waiting import PATIENCE


async def _answer_path(installation: Installation, run_id: str) -> str:
    """Return the path of the link that a mail about this reminder would contain."""
    clock = SystemClock()
    store = open_store(installation.store, clock)
    await store.open()
    try:
        reminder = await store.reminders.get(run_id)
    finally:
        await store.close()
    assert reminder is not None
    secret = (installation.data / "link.secret").read_text(encoding="utf-8").strip()
    return f"/answer/{sign_link(secret, f'done:{reminder.token}', ButtonKind.DONE, clock.now() + timedelta(days=1))}"


async def test_a_reminder_from_the_command_line_is_pushed_to_a_websocket_and_answered_by_a_link(tmp_path: Path) -> None:
    installation = Installation(tmp_path)
    with installation.daemon() as daemon:
        headers = {"Authorization": f"Bearer {installation.token}"}
        socket = f"ws{daemon.url.removeprefix('http')}/ws"
        async with connect(socket, additional_headers=headers, proxy=None) as line, asyncio.timeout(PATIENCE):
            made = installation.duly("remind", "take it", "in", "1", "second", "--ack", "--json")
            fired = json.loads(await line.recv())
            assert (fired["event"], fired["payload"]["message"]) == ("reminder.fire", "take it")
        async with httpx2.AsyncClient(base_url=daemon.url) as http:
            assert (await http.get("/answer/forged")).status_code == 403
            path = await _answer_path(installation, fired["payload"]["run_id"])
            assert "<button" in (await http.get(path)).text
            answered = await http.post(path)
            assert (answered.status_code, "✓ Done: take it" in answered.text) == (200, True)
        assert installation.duly("reminders", "get", made["id"], "--json")["last_status"] == "acked"


async def test_no_link_that_signs_in_is_printed_where_no_person_looks(tmp_path: Path) -> None:
    installation = Installation(tmp_path)
    with installation.daemon() as daemon:
        printed = (installation.folder / "daemon.log").read_text(encoding="utf-8")
        file = installation.data / "dashboard.link"
        assert "?token=" not in printed
        assert f"dashboard  {daemon.url} " in printed
        assert f"the link that signs you in is in {file}" in printed
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        async with httpx2.AsyncClient() as http:
            signed_in = await http.get(file.read_text(encoding="utf-8").strip())
            assert (signed_in.status_code, "duly_session" in signed_in.cookies) == (200, True)
