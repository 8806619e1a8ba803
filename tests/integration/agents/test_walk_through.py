"""From the first preview to the last look at the history: over stdio and HTTP, in both eras of the protocol, on both
stores.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError

from tests.integration.agents.installation import CURRENT, LEGACY, Installation, until
from tests.integration.engine_support.audit import Books
from tests.postgres_server import server

SQLITE, POSTGRES = "sqlite", "postgres"
pytestmark = pytest.mark.filterwarnings("ignore:resources/subscribe is removed")
MOST = 19_400
HELLO = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
POST = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}


class Agent:
    """A client that keeps the notifications it gets."""

    def __init__(self) -> None:
        self.told: list[str] = []
        self.client: Client

    async def hear(self, message: Any) -> None:
        uri = getattr(getattr(message, "params", None), "uri", None)
        if uri is not None:
            self.told.append(str(uri))

    async def ask(self, tool: str, **arguments: Any) -> Any:
        answer = await self.client.call_tool(tool, arguments)
        assert not answer.is_error, answer.content
        return answer.structured_content

    async def finished(self, schedule: str) -> dict[str, Any] | None:
        (newest, *_) = (await self.ask("schedule_history", schedule_id=schedule))["items"]
        return newest if newest["status"] not in ("pending", "waiting", "running") else None

    async def informed(self, uri: str) -> bool:
        return uri in self.told


async def _walk(agent: Agent, era: str) -> None:
    """Take every step of the walk-through."""
    await _look_around(agent)
    made = await _make(agent)
    uri = f"schedule://{made['id']}"
    if era == LEGACY:
        await agent.client.subscribe_resource(uri)
        run_id = await _change_and_run(agent, uri)
    else:
        async with agent.client.listen(resource_subscriptions=[uri]):
            run_id = await _change_and_run(agent, uri)
    (read,) = (await agent.client.read_resource(uri)).contents
    assert json.loads(read.text)["last_status"] == "succeeded"  # type: ignore[union-attr]
    (read,) = (await agent.client.read_resource(f"run://{run_id}")).contents
    assert json.loads(read.text)["status"] == "succeeded"  # type: ignore[union-attr]
    assert (await agent.ask("schedule_delete", schedule_id="weekly"))["deleted"]
    with pytest.raises(MCPError, match="there is no schedule"):
        await agent.client.read_resource(uri)
    history = await agent.ask("schedule_history", schedule_id=made["id"])
    assert [each["id"] for each in history["items"]] == [run_id]


async def _look_around(agent: Agent) -> None:
    tools = (await agent.client.list_tools()).tools
    assert sum(len(t.name) + len(t.description or "") + len(json.dumps(t.input_schema)) for t in tools) < MOST
    taught = await agent.client.get_prompt("schedule_well", {})
    assert "schedule_preview" in taught.messages[0].content.text  # type: ignore[union-attr]
    shown = await agent.ask("schedule_preview", cron="30 2 * * *", cron_timezone="Europe/Rome", count=1)
    assert shown["timezone"] == "Europe/Rome"
    (known,) = (await agent.ask("schedule_list"))["items"]
    assert (known["name"], known["source"], known["namespace"]) == ("from the file", "toml", "butler:home")
    refused = await agent.client.call_tool("schedule_delete", {"schedule_id": "from the file"})
    assert refused.is_error


async def _make(agent: Agent) -> dict[str, Any]:
    made: dict[str, Any] = await agent.ask(
        "schedule_create",
        name="weekly",
        cron="0 6 * * 1",
        prompt="write the newsletter",
        targets=[{"project_id": "blog"}],
        timeout="5m",
    )
    assert (made["enabled"], made["namespace"]) == (True, "butler:home")
    assert made["next_runs"][0]["local"][-6:] in ("+01:00", "+02:00")
    return made


async def _change_and_run(agent: Agent, uri: str) -> str:
    changed = await agent.ask("schedule_update", schedule_id="weekly", enabled=False, description="on Mondays")
    assert "next_run_at" not in changed
    await until(lambda: agent.informed(uri), "the news of the change")
    agent.told.clear()
    fired = await agent.ask("schedule_trigger", schedule_id="weekly")
    assert fired["status"] in ("pending", "running")  # the engine of the daemon may be quicker than the answer
    done = await until(lambda: agent.finished("weekly"), "the run to end")
    assert (done["id"], done["status"]) == (fired["id"], "succeeded"), done
    (target,) = done["targets"]
    assert (target["project_id"], target["status"]) == ("blog", "succeeded")
    assert target["session_id"]
    assert target["cost_usd"] > 0
    assert "write the newsletter" in json.dumps(done["result"])
    await until(lambda: agent.informed(uri), "the news of the run")
    return str(fired["id"])


@contextmanager
def _installation(folder: Path, store: str) -> Iterator[Installation]:
    if store == SQLITE:
        yield Installation(folder)
        return
    with server().database(migrated=False) as url:
        yield Installation(folder, url)


@pytest.mark.parametrize(("era", "store"), [(LEGACY, POSTGRES), (CURRENT, SQLITE)])
async def test_an_agent_over_stdio_needs_no_daemon(tmp_path: Path, era: str, store: str) -> None:
    agent = Agent()
    with _installation(tmp_path, store) as installation:
        async with installation.over_stdio(era, message_handler=agent.hear) as agent.client:
            await _walk(agent, era)
    if store == SQLITE:
        assert not [node for node in Books(installation.store).nodes() if node.state == "alive"]
    assert installation.strangers() == []


@pytest.mark.parametrize(("era", "store"), [(LEGACY, SQLITE), (CURRENT, POSTGRES)])
async def test_an_agent_over_http_can_do_the_same(tmp_path: Path, era: str, store: str) -> None:
    agent = Agent()
    with _installation(tmp_path, store) as installation, installation.daemon() as daemon:
        async with installation.over_http(daemon.url, era, message_handler=agent.hear) as agent.client:
            await _walk(agent, era)
        if store == SQLITE:
            await _nobody_comes_in_without_a_token(installation, daemon.url)
            await _stdio_leaves_the_engine_to_the_daemon(installation, daemon.process.pid)


async def _nobody_comes_in_without_a_token(installation: Installation, url: str) -> None:
    assert (installation.data / "local.token").stat().st_mode & 0o777 == 0o600
    async with httpx2.AsyncClient(follow_redirects=False) as http:
        for headers in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": installation.token}):
            answer = await http.post(f"{url}/mcp", json=HELLO, headers={**POST, **headers})
            assert answer.status_code == 401
            assert answer.headers["www-authenticate"].startswith("Bearer")
        good = {"Authorization": f"Bearer {installation.token}", **POST}
        answer = await http.post(f"{url}/mcp", json=HELLO, headers=good)
        assert not answer.is_redirect
        assert answer.status_code != 401
        foreign = await http.post(f"{url}/mcp", json=HELLO, headers={**good, "Host": "evil.example"})
        assert foreign.status_code in (403, 421)


async def _nobody_takes_over_a_session(installation: Installation, url: str, other: str) -> None:
    """A session belongs to the caller that opened it, even if another caller knows its id."""
    info = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}
    hello = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": info}
    async with httpx2.AsyncClient(headers=POST) as http:
        opened = await http.post(f"{url}/mcp", json=hello, headers={"Authorization": f"Bearer {installation.token}"})
        session = {"Mcp-Session-Id": opened.headers["mcp-session-id"]}
        for token, status in ((other, 404), (installation.token, 200)):
            headers = {**session, "Authorization": f"Bearer {token}"}
            assert (await http.post(f"{url}/mcp", json=HELLO, headers=headers)).status_code == status


async def _stdio_leaves_the_engine_to_the_daemon(installation: Installation, daemon: int) -> None:
    agent = Agent()
    async with installation.over_stdio(LEGACY, message_handler=agent.hear) as agent.client:
        made = await agent.ask(
            "schedule_create", name="other", cron="0 6 * * 1", prompt="and this", targets=[{"project_id": "blog"}]
        )
        await agent.client.subscribe_resource(f"schedule://{made['id']}")
        installation.duly("schedule", "trigger", "other", "--json")
        done = await until(lambda: agent.finished("other"), "the daemon to carry it out")
        assert (done["schedule_id"], done["status"]) == (made["id"], "succeeded")
        await until(lambda: agent.informed(f"schedule://{made['id']}"), "the news of what the daemon did")
        assert {node.pid for node in Books(installation.store).nodes()} == {daemon}


async def test_the_token_of_a_project_sees_only_its_own_schedules_over_http(tmp_path: Path) -> None:
    installation, admin, project = Installation(tmp_path), Agent(), Agent()
    with installation.daemon() as daemon:
        async with installation.over_http(daemon.url, CURRENT) as admin.client:
            await admin.ask("schedule_create", name="mine", cron="0 6 * * 1", prompt="look")
        made = installation.duly("token", "create", "blog", "--scope", "project:blog", "--json")
        token = made["token"]
        async with installation.over_http(daemon.url, CURRENT, token=token) as project.client:
            assert (await project.ask("schedule_list"))["items"] == []
            refused = await project.client.call_tool(
                "schedule_create", {"name": "x", "cron": "0 6 * * 1", "prompt": "p", "targets": [{"project_id": "b"}]}
            )
            assert refused.content[0].text == "cannot create schedule for project b: access denied"  # type: ignore[union-attr]
            made_here = await project.ask(
                "schedule_create", name="x", cron="0 6 * * 1", prompt="p", targets=[{"project_id": "blog"}]
            )
            assert made_here["namespace"] == "project:blog"
        await _nobody_takes_over_a_session(installation, daemon.url, token)
        installation.duly("token", "revoke", made["id"], "--json")
        async with httpx2.AsyncClient(headers={**POST, "Authorization": f"Bearer {token}"}) as http:
            assert (await http.post(f"{daemon.url}/mcp", json=HELLO)).status_code == 401
