"""`kill -9` in the middle of a prompt: the run is carried out again, and nothing of the first attempt is left."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from duly.processes import pid_started
from tests.integration.agents.installation import CURRENT, Installation, until
from tests.integration.agents.test_walk_through import Agent
from tests.integration.engine_support.audit import Books
from tests.integration.engine_support.waiting import eventually


async def test_a_killed_daemon_loses_no_run_and_leaves_no_process(tmp_path: Path) -> None:
    installation, agent = Installation(tmp_path), Agent()
    meeting = tmp_path / "meeting"
    with installation.daemon() as daemon:
        async with installation.over_http(daemon.url, CURRENT) as agent.client:
            await agent.ask(
                "schedule_create",
                name="slow",
                cron="0 6 * * 1",
                prompt=f"[[meet={meeting}:2]] take your time",  # it ends when a second one has come
                targets=[{"project_id": "blog"}],
            )
            fired = await agent.ask("schedule_trigger", schedule_id="slow")
            eventually(lambda: meeting.exists() and list(meeting.iterdir()), "the agent to start")
        first = installation.strangers()
        assert first
        daemon.kill()
    with installation.daemon() as daemon:
        async with installation.over_http(daemon.url, CURRENT) as agent.client:
            done = await until(lambda: agent.finished("slow"), "the run to be carried out again")
            assert (done["id"], done["status"]) == (fired["id"], "succeeded"), json.dumps(done)
            assert [target["status"] for target in done["targets"]] == ["succeeded"]
            assert len((await agent.ask("schedule_history", schedule_id="slow"))["items"]) == 1
        eventually(lambda: not installation.strangers(), "every process to end")
    assert len(list(meeting.iterdir())) == 2
    assert not [process for process in first if pid_started(process)]
    (only,) = [each for each in Books(installation.store).runs() if each.name == "slow"]
    assert only.status == "succeeded"


async def test_a_killed_daemon_goes_on_waiting_for_the_limit_of_an_agent(tmp_path: Path) -> None:
    installation, agent = Installation(tmp_path), Agent()
    with installation.daemon() as daemon:
        async with installation.over_http(daemon.url, CURRENT) as agent.client:
            await agent.ask(
                "schedule_create",
                name="sated",
                cron="0 6 * * 1",
                prompt=f"[[limit-once={tmp_path / 'once'}|0h0m8s]] take your time",
                spawner="gemini",
                targets=[{"project_id": "blog"}],
            )
            fired = await agent.ask("schedule_trigger", schedule_id="sated")

            async def waits() -> dict[str, Any] | None:
                [run] = (await agent.ask("schedule_history", schedule_id="sated"))["items"]
                return run if (run.get("reason") or "").startswith("waits for gemini's limit until 20") else None

            waiting = await until(waits, "the run to wait")
            assert (waiting["status"], waiting["targets"][0]["status"]) == ("pending", "waiting")
        daemon.kill()
    with installation.daemon() as daemon:
        async with installation.over_http(daemon.url, CURRENT) as agent.client:
            done = await until(lambda: agent.finished("sated"), "the run to go on")
    assert (done["id"], done["status"], done["attempt"]) == (fired["id"], "succeeded", 1), json.dumps(done)
    assert done["targets"][0]["session_id"] == waiting["targets"][0]["session_id"]
    assert done["result"]["targets"][0]["text"].endswith("turn 2")


async def test_an_agent_wakes_itself_with_one_call_from_inside_its_run(tmp_path: Path) -> None:
    installation, agent = Installation(tmp_path), Agent()
    with installation.daemon() as daemon:
        async with installation.over_http(daemon.url, CURRENT) as agent.client:
            targets = [{"project_id": "blog"}]
            await agent.ask("schedule_create", name="news", cron="0 6 * * 1", prompt="[[wake=20]]", targets=targets)
            first = await agent.ask("schedule_trigger", schedule_id="news")
            done = await until(lambda: agent.finished("news"), "the agent to ask")
            [asked] = done["result"]["targets"]
            assert asked["text"].startswith("✓ wake-"), asked["text"]
            made = await agent.ask("schedule_get", schedule_id=asked["text"].split(" · ")[2].split()[0])
            assert (made["session"], made["prompt"]) == (first["id"], "look again"), asked["text"]
            assert made["targets"] == [{"project_id": "blog"}]
            await agent.ask("schedule_trigger", schedule_id=made["id"])  # as if the twenty minutes had passed
            woken = await until(lambda: agent.finished(made["id"]), "the session to go on")
    [target] = woken["result"]["targets"]
    assert target["session_id"] == asked["session_id"]
    assert target["text"] == "claude heard 'look again' in blog, turn 2"
