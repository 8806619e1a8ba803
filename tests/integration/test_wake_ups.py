"""Wake-ups: an agent's session goes on later, with the rights of the schedule it belongs to, and not for ever."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

from duly.agents.projects import Projects
from duly.errors import AccessDeniedError, DulyError, InvalidInputError, NotFoundError, QuotaError
from duly.planning.quotas import Quota, Quotas
from duly.service.access.scopes import ADMIN, Caller, Face, Scope
from duly.service.schedules.fields import ScheduleView
from duly.service.schedules.waking import DEFAULT_NOTE, WakeWish, inside_run
from duly.ws.frames import Conversation
from tests.world import START, World, world

LOCAL = Caller(ADMIN, None, Face.CLI)
SHOP = Caller(Scope.parse("project:shop"), "tok_shop", Face.MCP)


@asynccontextmanager
async def office(folder: Path) -> AsyncIterator[World]:
    """A daemon with two projects."""
    async with world(folder) as here:
        places = {name: folder / name for name in ("shop", "blog")}
        for place in places.values():
            place.mkdir(exist_ok=True)
        here.runtime.capabilities.rules.projects = Projects(places)
        yield here


async def _run(here: World, caller: Caller = LOCAL, **more: Any) -> str:
    form = {"name": "news", "cron": "0 9 * * *", "prompt": "go", "targets": ["shop"], **more}
    made = await here.runtime.services.use_cases.schedule_create(caller, form)
    return (await here.runtime.services.use_cases.schedule_trigger(caller, made.id)).id


async def _wake(here: World, caller: Caller = LOCAL, around: WakeWish | None = None, **wish: Any) -> ScheduleView:
    return await here.runtime.services.wake_ups.wake_me(caller, WakeWish(**wish), around)


async def test_a_session_goes_on_in_twenty_minutes_with_one_call(tmp_path: Path) -> None:
    async with office(tmp_path) as here:
        run = await _run(here, max_cost_per_run=2.0, timeout="10m", model="opus")
        around = inside_run({"DULY_RUN_ID": run, "DULY_TARGET": "shop", "DULY_SESSION_ID": "s-1"})
        made = await _wake(here, around=around, minutes=20, note="look at the build")
        assert made.next_run_at == START + timedelta(minutes=20)
        assert (made.prompt, made.session, made.spawner, made.model) == ("look at the build", run, "default", "opus")
        assert [target.project_id for target in made.targets] == ["shop"]
        assert (made.max_cost_per_run, made.timeout, made.max_runs) == (2.0, 600.0, 1)
        assert made.display_title == "wake-up of news"
        assert made.name.startswith("wake-20261116T120000-")


async def test_words_say_when_too_and_the_note_may_be_left_out(tmp_path: Path) -> None:
    async with office(tmp_path) as here:
        run = await _run(here)
        made = await _wake(here, run_id=run, when="tomorrow at 9", target="shop")
        assert made.next_run_at is not None
        assert made.next_run_at.date() == date(2026, 11, 17)
        assert made.prompt == DEFAULT_NOTE


async def test_outside_of_a_run_the_session_and_its_project_are_named(tmp_path: Path) -> None:
    async with office(tmp_path) as here:
        made = await _wake(here, session="0f8f-1", target="blog", minutes=1, spawner="claude")
        assert (made.session, made.spawner) == ("0f8f-1", "claude")
        around = WakeWish(run_id=await _run(here), target="shop")
        other = await _wake(here, around=around, session="0f8f-1", target="blog", minutes=1)
        assert other.session == "0f8f-1"  # what is said counts more than the environment


@pytest.mark.parametrize(
    ("wish", "words"),
    [
        ({"minutes": 20}, "say which session goes on: run_id"),
        ({"minutes": 20, "session": "s-1"}, "say which session goes on: run_id"),
        ({"session": "s-1", "target": "shop"}, "exactly one of minutes .* and when .* got neither"),
        ({"when": "every day at 9", "session": "s-1", "target": "shop"}, "'every day at 9' comes more than once"),
        ({"minutes": 5, "when": "at 9", "session": "s-1", "target": "shop"}, "got both"),
        ({"minutes": 0, "session": "s-1", "target": "shop"}, "from 1 to 43200, got 0"),
        ({"minutes": 50_000, "session": "s-1", "target": "shop"}, "from 1 to 43200, got 50000"),
        ({"minutes": 5, "session": "--evil", "target": "shop"}, "session must be the id of a session"),
        ({"minutes": 5, "session": "s-1", "target": "nowhere"}, "nowhere"),
        ({"minutes": 5, "note": " ", "session": "s-1", "target": "shop"}, "non-empty prompt"),
        ({"minutes": 5, "run_id": "run_none"}, "there is no run 'run_none'"),
    ],
)
async def test_a_wish_that_cannot_be_granted_says_why(tmp_path: Path, wish: dict[str, Any], words: str) -> None:
    async with office(tmp_path) as here:
        with pytest.raises(DulyError, match=words):
            await _wake(here, **wish)


async def test_of_several_targets_one_is_named(tmp_path: Path) -> None:
    async with office(tmp_path) as here:
        run = await _run(here, targets=["shop", "blog"])
        with pytest.raises(InvalidInputError, match="several targets, and a session at each: say target, shop or blog"):
            await _wake(here, run_id=run, minutes=5)
        with pytest.raises(InvalidInputError, match="target 'docs' is none of the run's: shop, blog"):
            await _wake(here, run_id=run, minutes=5, target="docs")
        made = await _wake(here, run_id=run, minutes=5, target="blog")
        assert [target.project_id for target in made.targets] == ["blog"]


async def test_a_reminder_has_no_session(tmp_path: Path) -> None:
    async with office(tmp_path) as here:
        made = await here.remind("local")
        run = await here.runtime.services.use_cases.schedule_trigger(LOCAL, made.id)
        with pytest.raises(InvalidInputError, match="only prompts have one"):
            await _wake(here, run_id=run.id, minutes=5)


async def test_the_command_line_inside_a_run_has_the_rights_of_its_token(tmp_path: Path) -> None:
    async with office(tmp_path) as here:
        token = await here.runtime.services.tokens.create(LOCAL, "shop-bot", "project:shop")
        shop = Caller(Scope.parse("project:shop"), token.record.id, Face.MCP)
        run = await _run(here, shop)
        made = await _wake(here, run_id=run, minutes=5)
        assert (made.created_by, made.namespace, made.token_scope) == (token.record.id, "project:shop", "project:shop")
        await here.runtime.services.tokens.revoke(LOCAL, token.record.id)
        with pytest.raises(AccessDeniedError, match="not valid any more"):
            await _wake(here, run_id=run, minutes=5)


@pytest.mark.parametrize(
    ("scope", "grants", "error"),
    [
        ("project:shop", (), None),
        ("project:shop:ro", (), AccessDeniedError),
        ("project:blog", (), NotFoundError),
        ("user:ana", (), NotFoundError),
        ("admin:ro", (), AccessDeniedError),
        ("admin", (), None),
    ],
)
async def test_it_is_for_those_who_may_make_such_a_schedule(
    tmp_path: Path, scope: str, grants: tuple[str, ...], error: type[DulyError] | None
) -> None:
    async with office(tmp_path) as here:
        run = await _run(here)
        caller = Caller(Scope.parse(scope), "tok_x", Face.MCP)
        if error is None:
            assert (await _wake(here, caller, run_id=run, minutes=5)).session == run
            return
        with pytest.raises(error):
            await _wake(here, caller, run_id=run, minutes=5)


async def test_a_person_needs_grants_for_the_spawner_and_the_project(tmp_path: Path) -> None:
    async with office(tmp_path) as here:
        await here.person("Ana")
        wish: dict[str, Any] = {"session": "s-1", "target": "shop", "minutes": 5}
        none = Caller(Scope("user", "ana"), "tok_a", Face.MCP)
        with pytest.raises(AccessDeniedError):
            await _wake(here, none, **wish)
        all_of_it = Scope("user", "ana", grants=frozenset({"prompts:*", "projects:shop"}))
        assert (await _wake(here, Caller(all_of_it, "tok_a", Face.MCP), **wish)).namespace == "user:ana"


async def test_the_session_of_a_foreign_run_cannot_be_named_in_a_schedule(tmp_path: Path) -> None:
    async with office(tmp_path) as here:
        foreign = await _run(here, targets=["blog"])
        form = {"name": "mine", "cron": "0 9 * * *", "prompt": "go", "targets": ["shop"]}
        cases = here.runtime.services.use_cases
        with pytest.raises(NotFoundError, match="there is no run"):
            await cases.schedule_create(SHOP, {**form, "session": foreign})
        made = await cases.schedule_create(SHOP, form)
        with pytest.raises(NotFoundError, match="there is no run"):
            await cases.update(SHOP, made.id, {"session": foreign})
        with pytest.raises(InvalidInputError, match="means nothing with session_behavior 'new'"):
            await cases.update(SHOP, made.id, {"session": "s-1", "session_behavior": "new"})
        await cases.update(SHOP, made.id, {"session": "s-1"})
        await cases.update(SHOP, made.id, {"prompt": "stop"})
        assert (await here.runtime.services.schedules.schedule_get(SHOP, made.id)).session == "s-1"


async def test_an_agent_cannot_wake_itself_for_ever_and_that_is_loud(tmp_path: Path) -> None:
    async with office(tmp_path) as here:
        here.runtime.services.quotas.rules = Quotas(everybody=Quota(wakes_per_day=2))
        run = await _run(here)
        for _ in range(2):
            await _wake(here, run_id=run, minutes=5)
        for _ in range(3):
            with pytest.raises(QuotaError, match="wakes_per_day of default is 2, and 2 wake-ups were asked for"):
                await _wake(here, run_id=run, minutes=5)
        told = [event for _, event in await here.runtime.store.journal(0, 100) if event.kind.name == "quota.reached"]
        assert len(told) == 1
        [item] = (await here.runtime.services.needs.items(LOCAL)).items
        assert (item.kind, item.schedule_ids) == ("budget", [told[0].schedule_id])
        await here.runtime.stop_engine()  # a day of its turns would take seconds
        here.clock.advance(timedelta(hours=24, minutes=1))
        assert (await _wake(here, run_id=run, minutes=5)).session == run


async def test_over_http_and_with_the_client(tmp_path: Path) -> None:
    async with office(tmp_path) as here:
        run = await _run(here)
        secret = await here.token("admin")
        headers = {"Authorization": f"Bearer {secret}"}
        body = {"minutes": 20, "note": "look", "run_id": run}
        made = await here.http.post("/api/v1/wake-ups", json=body, headers=headers)
        assert made.status_code == 201, made.text
        assert (made.json()["session"], made.json()["prompt"]) == (run, "look")
        refused = await here.http.post("/api/v1/wake-ups", json={"minutes": 20}, headers=headers)
        assert refused.status_code == 422
        assert "DULY_RUN_ID" in refused.json()["detail"]


async def test_a_websocket_wakes_a_session_too(tmp_path: Path) -> None:
    async with office(tmp_path) as here:
        line = Conversation(here.runtime.services, LOCAL)

        async def ask(**params: Any) -> dict[str, Any]:
            return await line.answer(json.dumps({"id": 1, "method": "wake_me", "params": params}))

        made = await ask(minutes=20, note="look at the build", run_id=await _run(here))
        assert made["payload"]["schedule"]["prompt"] == "look at the build"
        assert made["payload"]["schedule"]["next_run_at"] == "2026-11-16T12:20:00Z"
        wrong = await ask(minutes="20", session="s-1", target="shop")
        assert wrong["error"] == {
            "code": "INVALID_PARAMS",
            "message": "minutes must be a whole number, at most 2147483647, got '20'",
        }
        assert (await ask(minutes=5))["error"]["message"].startswith("say which session goes on")
        assert "leave out user" in (await ask(minutes=5, user="local"))["error"]["message"]
