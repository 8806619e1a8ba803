"""Old records are counted and deleted at every face, for admins; a caller elsewhere does not wait for minutes."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from duly.errors import ConflictError
from duly.ports.upkeep import Pruned, PrunePlace
from duly.service import pruning
from duly.service.access.scopes import Caller, Face, Scope
from duly.ws.frames import Conversation
from tests.integration.faces.test_rest import Api
from tests.integration.web.browsing import actions, browsing, text_of
from tests.world import World, world

ADMIN = Caller(face=Face.API)


@asynccontextmanager
async def aged(folder: Path) -> AsyncIterator[World]:
    """A daemon with entries of the journal that are 20 days old."""
    async with world(folder) as here:
        await here.remind("local", at="200d")
        here.clock.advance(timedelta(days=20))
        yield here


async def test_over_the_api(tmp_path: Path) -> None:
    async with aged(tmp_path) as here:
        ask = Api(here, await here.token("admin"))
        counted = await ask.done("POST", "/prune", {"older_than": "10d", "dry_run": True})
        assert counted["dry_run"] is True
        assert counted["events"] > 0
        assert await ask.done("POST", "/prune", {"older_than": "10d", "dry_run": True}) == counted
        deleted = await ask.done("POST", "/prune", {"older_than": "10d"})
        assert deleted == {**counted, "dry_run": False}
        assert (await ask.done("POST", "/prune", {"older_than": "10d", "dry_run": True}))["events"] == 0
        [entry] = (await ask.done("GET", "/audit?kind=store.prune_asked"))["items"]
        assert (entry["face"], entry["data"]["records"]) == ("api", counted["events"] + counted["others"])
        assert "at least 1d" in (await ask.refused(422, "POST", "/prune", {"older_than": "1h"}))["detail"]
        for scope in ("admin:ro", "user:local", "project:shop"):
            await Api(here, await here.token(scope)).refused(403, "POST", "/prune", {"older_than": "10d"})


async def test_over_a_websocket(tmp_path: Path) -> None:
    async with aged(tmp_path) as here:

        async def ask(scope: str, **params: Any) -> dict[str, Any]:
            caller = Caller(Scope.parse(scope), "tok_1", Face.API)
            line = Conversation(here.runtime.services, caller)
            return await line.answer(json.dumps({"id": 1, "method": "prune", "params": params}))

        counted = (await ask("admin", older_than="10d", dry_run=True))["payload"]["pruned"]
        assert counted["events"] > 0
        assert (await ask("admin", older_than="10d"))["payload"]["pruned"]["events"] == counted["events"]
        assert (await ask("user:local", older_than="10d"))["error"]["code"] == "UNAUTHORIZED"
        assert "leave out user" in (await ask("admin", older_than="10d", user="local"))["error"]["message"]
        assert "an age such as 30d" in (await ask("admin"))["error"]["message"]


async def test_in_the_dashboard(tmp_path: Path) -> None:
    async with browsing(tmp_path, "admin") as browser:
        browser.here.clock.advance(timedelta(hours=1))
        await browser.here.remind("local", at="200d")
        assert "/nodes/prune" not in actions(await browser.get("/nodes"))
        assert "Older than 90 days: nothing." in text_of(await browser.get("/nodes?older_than=90d"))
        browser.here.clock.advance(timedelta(days=20))
        await browser.sign_in("admin")
        page = await browser.get("/nodes?older_than=10d")
        assert "/nodes/prune" in actions(page)
        assert "Deleted 3 entries of the journal" in text_of(await browser.pressed("/nodes/prune", older_than="10d"))
        assert "/nodes/prune" not in actions(await browser.get("/nodes?older_than=10d"))


async def test_who_may_only_look_is_not_shown_a_way_to_delete(tmp_path: Path) -> None:
    async with browsing(tmp_path, "admin:ro") as browser:
        assert "Old records" not in await browser.get("/nodes?older_than=10d")
        answer = await browser.post("/nodes/prune", older_than="10d")
        assert 'class="toast bad"' in (await browser.http.get(answer.headers["location"])).text


async def test_the_rest_is_deleted_after_the_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pruning, "ANSWERED_AFTER", 0)
    async with aged(tmp_path) as here:
        may_go_on = asyncio.Event()
        prune = here.runtime.store.prune

        async def slow(*given: Any) -> Pruned:
            await may_go_on.wait()
            return await prune(*given)

        monkeypatch.setattr(here.runtime.store, "prune", slow)
        use_cases = here.runtime.services.pruning
        assert (await use_cases.begin(ADMIN, "10d")).goes_on
        with pytest.raises(ConflictError, match="being deleted already"):
            await use_cases.begin(ADMIN, "10d")
        assert (await use_cases.begin(ADMIN, "10d", dry_run=True)).events > 0
        under_way = use_cases._under_way
        assert under_way is not None
        may_go_on.set()
        assert (await under_way).events > 0
        assert (await use_cases.begin(ADMIN, "10d", dry_run=True)).events == 0


async def test_a_fault_after_the_answer_is_told_in_the_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async with aged(tmp_path) as here:

        async def broken(_before: Any, _limit: int, _place: PrunePlace) -> Pruned:
            raise ConflictError("the disk is full")

        monkeypatch.setattr(here.runtime.store, "prune", broken)
        use_cases = here.runtime.services.pruning
        with pytest.raises(ConflictError, match="the disk is full"):
            await use_cases.begin(ADMIN, "10d")
        assert "deleting old records ended early: the disk is full" in caplog.text
        assert (await use_cases.begin(ADMIN, "10d", dry_run=True)).events > 0
