"""Reminders for several people at every door: made, pushed to each, answered, shown, and taken back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from duly.errors import NotFoundError
from duly.service.access.scopes import ADMIN, Caller, Face, Scope
from duly.ws.frames import Conversation
from tests.integration.faces.test_mcp_reminders import agent_in
from tests.integration.faces.test_rest import Api, api
from tests.integration.faces.test_websocket import ask, client, hear, served
from tests.world import World, world

SOON = {"type": "once", "at": "5m"}


def caller(user_id: str) -> Caller:
    return Caller(Scope("user", user_id), "tok_1", Face.GUI, user_id=user_id)


async def frame(here: World, method: str, by: Caller, **params: Any) -> dict[str, Any]:
    conversation = Conversation(here.runtime.services, by)
    return await conversation.answer(json.dumps({"id": 1, "method": method, "params": params}))


async def test_each_persons_inbox_has_it_until_it_is_over_for_them_and_undo_opens_it_for_all(tmp_path: Path) -> None:
    async with world(tmp_path) as here:
        services = here.runtime.services
        ana, bob = await here.person("Ana"), await here.person("Bob")
        made = await here.runtime.services.reminder_service.create(
            ana, SOON, "The bins", require_ack=True, shared_with=["Bob"]
        )
        await here.clock.travel(minutes=6)
        assert len((await services.needs.items(Caller(ADMIN))).items) == 1  # one reminder, however many people
        [card] = (await services.inbox.view(caller(bob))).waiting
        assert [each.to for each in card.deliveries] == ["Bob"]
        answered = await services.inbox.answer(caller(bob), card.run_id, "done")
        await here.clock.travel(minutes=1)
        assert (await services.inbox.view(caller(ana))).waiting == []
        assert "Bob has done it" in str(await here.runtime.services.reminder_service.lists.inbox(ana))
        with pytest.raises(NotFoundError):  # it is Bob's answer
            await services.undo.undo(caller(ana), answered.undo or "")
        await services.undo.undo(caller(bob), answered.undo or "")
        for person in (ana, bob):
            assert [each.run_id for each in (await services.inbox.view(caller(person))).waiting] == [card.run_id]
        history = await here.runtime.services.reminder_service.show(bob, made.name)
        assert [(each.name, each.answered) for each in history.runs[0].people] == [("Ana", False), ("Bob", False)]
        assert {each.to: each.address for each in history.runs[0].deliveries if each.address} == {"Bob": bob}


async def test_agents_share_reminders(tmp_path: Path) -> None:
    async with agent_in(tmp_path, "modern") as agent:
        ana, bob = await agent.here.person("Ana"), await agent.here.person("Bob")
        options = {"shared_with": ["Bob"], "require_ack": True, "answered_by": "everyone", "user": "Ana"}
        made = (await agent.ask("scheduler", action="add", schedule=SOON, message="Sign it", **options))["job"]
        assert (made["shared_with"], made["answered_by"]) == ([bob], "everyone")
        once = await agent.ask("remind", message="Lunch", delay_minutes=5, user="Ana", shared_with=["Bob"])
        assert once["status"] == "scheduled"
        missing = await agent.failed("remind", message="Lunch", delay_minutes=5, user="Ana", shared_with=["Zoe"])
        assert "'Zoe'" in missing["error"]
        await agent.here.clock.travel(minutes=5)
        await agent.ask("scheduler", action="ack", job_id=made["id"], user="Bob")
        [run] = (await agent.ask("scheduler", action="show", job_id=made["id"], user="Ana"))["runs"]
        assert [(each["name"], each["status"]) for each in run["people"]] == [("Ana", "awaiting_ack"), ("Bob", "acked")]
        agent.become(f"user:{ana}")
        assert "share a reminder with Bob" in await agent.refused(
            "scheduler", action="add", schedule=SOON, message="m", shared_with=["Bob"]
        )


async def test_every_person_is_pushed_theirs_and_the_first_answer_counts(tmp_path: Path) -> None:
    async with served(tmp_path) as (here, url):
        ana, bob = await here.person("Ana"), await here.person("Bob")
        shared = {"schedule": SOON, "message": "The bins", "require_ack": True, "shared_with": ["Bob"], "user": "Ana"}
        job = (await frame(here, "cron.add", Caller(ADMIN), **shared))["payload"]["job"]
        refused = await frame(here, "cron.add", caller(ana), **shared)
        assert refused["error"]["code"] == "UNAUTHORIZED"
        async with (
            client(url, await here.token(f"user:{ana}")) as hers,
            client(url, await here.token(f"user:{bob}")) as his,
        ):
            await ask(hers, "cron.list")
            await ask(his, "cron.list")
            await here.clock.travel(minutes=5)
            for line, person in ((hers, ana), (his, bob)):
                pushed = await hear(line)
                assert (pushed["event"], pushed["payload"]["user_id"]) == ("reminder.fire", person)
            assert (await ask(his, "cron.ack"))["payload"]["job_id"] == job["id"]
            late = await ask(hers, "cron.ack", {"id": job["id"]})
            assert "over already" in late["error"]["message"]


async def test_the_api_makes_changes_and_refuses_shared_reminders(tmp_path: Path) -> None:
    async with api(tmp_path) as ask_api:
        here = ask_api.here
        ana, bob = await here.person("Ana"), await here.person("Bob")
        body = {
            "schedule": SOON,
            "message": "Sign it",
            "require_ack": True,
            "shared_with": ["Bob"],
            "answered_by": "everyone",
        }
        made = await ask_api.done("POST", f"/reminders?user={ana}", body)
        assert (made["shared_with"], made["answered_by"]) == ([bob], "everyone")
        changed = await ask_api.done("PATCH", f"/reminders/{made['id']}?user={ana}", {"answered_by": "first"})
        assert changed["answered_by"] == "first"
        alone = await ask_api.done("PATCH", f"/reminders/{made['id']}?user={ana}", {"shared_with": []})
        assert alone["shared_with"] == []
        unknown = await ask_api.refused(422, "POST", f"/reminders?user={ana}", {**body, "shared_with": ["Zoe"]})
        assert "'Zoe'" in unknown["detail"]
        hers = Api(here, await here.token(f"user:{ana}"))
        refused = await hers.refused(403, "POST", "/reminders", body)
        assert "share a reminder with Bob" in refused["detail"]
