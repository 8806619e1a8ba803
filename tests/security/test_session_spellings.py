"""A session of another is refused whichever way it is written, at every door that takes one, and again at the run.

The law: for every way to write the id of a session that a hidden schedule has used, every door answers 404, nothing is
stored, and its owner may name it before and after.
"""

from __future__ import annotations

import random
import uuid
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from duly.agents.projects import Projects
from duly.model.action import Prompt
from duly.model.sessions import as_stored, session_key
from duly.ports.targets import TargetRun
from duly.service.access.scopes import ADMIN, Caller
from tests.security.test_mcp_sessions import HELLO
from tests.support import tries
from tests.world import START, World, until, world

WAYS: tuple[Callable[[str], str], ...] = (
    str.upper,
    str.title,
    lambda text: text.replace("-", ""),
    lambda text: f"urn:uuid:{text}",
    lambda text: f"URN:UUID:{text.replace('-', '')}",
    lambda text: text.replace("-", "", 1),
)
BLANKS = (" ", "\t", "\n", "\r\n", "\u00a0", "\u2003", "\x0b")


def spelled(chance: random.Random, session: str) -> str:
    """Write a session in some way."""
    for way in chance.sample(WAYS, chance.randrange(3)):
        session = way(session)
    if chance.random() < 0.5:
        session = "".join(each.upper() if chance.random() < 0.5 else each for each in session)
    blanks = ["".join(chance.choices(BLANKS, k=chance.randrange(3))) for _ in range(2)]
    return session.join(blanks)


async def _places(here: World, folder: Path) -> None:
    places = {name: folder / name for name in ("shop", "blog")}
    for place in places.values():
        place.mkdir()
    here.runtime.capabilities.rules.projects = Projects(places)


async def _headers(here: World, project: str) -> dict[str, str]:
    made = await here.runtime.services.tokens.create(
        Caller(ADMIN), project, f"project:{project}", grants=("prompts:*",)
    )
    return {"Authorization": f"Bearer {made.secret}"}


def _body(name: str, project: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "cron": "0 0 1 1 *", "prompt": "x", "targets": [project], **more}


async def _over_mcp(http: httpx.AsyncClient, headers: dict[str, str], tool: str, given: dict[str, Any]) -> str:
    """Call a tool in a session of its own; give its answer."""
    headers = {**headers, "Accept": "application/json, text/event-stream"}
    opened = await http.post("/mcp", json=HELLO, headers=headers)
    headers["Mcp-Session-Id"] = opened.headers["mcp-session-id"]
    call = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": tool, "arguments": given}}
    answer = (await http.post("/mcp", json=call, headers=headers)).text
    await http.delete("/mcp", headers=headers)
    return answer


@pytest.mark.parametrize("kind", ["uuid", "hex", "tool"])
async def test_no_spelling_opens_the_session_of_another(tmp_path: Path, kind: str) -> None:
    chance = random.Random(f"sessions {kind}")
    async with world(tmp_path) as here:
        await _places(here, tmp_path)
        await here.runtime.stop_engine()
        ana, bob = await _headers(here, "shop"), await _headers(here, "blog")
        assert (await here.http.post("/api/v1/schedules", json=_body("hers", "shop"), headers=ana)).status_code == 201
        run = (await here.http.post("/api/v1/schedules/hers/trigger", headers=ana)).json()["id"]
        number = uuid.UUID(int=chance.getrandbits(128), version=4)
        session = {"uuid": str(number), "hex": number.hex, "tool": f"ses_{number.hex[:9]}aB-c.D:9"}[kind]
        record = TargetRun(run_id=run, project_id="shop", workspace_id="", status="succeeded", session_id=session)
        await here.runtime.store.targets.record_target(record)
        assert (await here.http.post("/api/v1/schedules", json=_body("his", "blog"), headers=bob)).status_code == 201

        for number_of_try in range(tries(60)):
            written = session if number_of_try == 0 else spelled(chance, session)
            wish = _body(f"b{number_of_try}", "blog", session=written)
            made = await here.http.post("/api/v1/schedules", json=wish, headers=bob)
            changed = await here.http.patch("/api/v1/schedules/his", json={"session": written}, headers=bob)
            wake = {"session": written, "target": "blog", "minutes": 5}
            woken = await here.http.post("/api/v1/wake-ups", json=wake, headers=bob)
            assert (made.status_code, changed.status_code, woken.status_code) == (404, 404, 404), written
            if number_of_try % 10 == 0:
                for tool, given in (("schedule_create", wish), ("wake_me", wake)):
                    assert "there is no session" in await _over_mcp(here.http, bob, tool, given), (tool, written)
        foreign = await here.http.patch("/api/v1/schedules/his", json={"session": f" {run}\n"}, headers=bob)
        assert foreign.status_code == 404
        rows = (await here.http.get("/api/v1/schedules", headers=bob)).json()
        assert [each["name"] for each in rows["items"]] == ["his"]
        for spelling in (session, f" {session}"):
            mine = await here.http.patch("/api/v1/schedules/hers", json={"session": spelling}, headers=ana)
            assert (mine.status_code, mine.json()["session"]) == (200, session)


async def test_a_use_by_another_never_takes_a_session_from_its_owner(tmp_path: Path) -> None:
    """Bob names a session before duly has met it; Ana's run uses it; Bob's run is refused then, and Ana's is not."""
    session = "0f8f2c9e-71d4-4b1c-9d55-5d1f0c77ab00"
    async with world(tmp_path) as here:
        await _places(here, tmp_path)
        ana, bob = await _headers(here, "shop"), await _headers(here, "blog")
        made = await here.http.post("/api/v1/schedules", json=_body("hers", "shop"), headers=ana)
        wish = _body("his", "blog", session=session.upper())
        his = await here.http.post("/api/v1/schedules", json=wish, headers=bob)
        assert (his.status_code, his.json()["session"]) == (201, session), his.text
        await here.runtime.store.targets.pin_session(made.json()["id"], "shop", "", session)
        run = (await here.http.post("/api/v1/schedules/his/trigger", headers=bob)).json()["id"]

        async def ended() -> Any:
            found = await here.runtime.store.get_run(run)
            return found if found is not None and found.error is not None else None

        failed = await until(ended, "the run to be refused")
        assert f"there is no session '{session}' that its token may use: name another" in failed.error
        # as an older duly has left it: a run of his has used it, later than hers
        late = TargetRun(
            run_id=run,
            project_id="blog",
            workspace_id="",
            status="failed",
            session_id=session,
            started_at=START + timedelta(hours=1),
        )
        await here.runtime.store.targets.record_target(late)
        hers = await here.runtime.store.get(made.json()["id"])
        assert hers is not None
        assert await here.runtime.store.targets.schedules_of_session(f" {session.upper()}") == [
            hers.id,
            his.json()["id"],
        ]
        again = await here.http.patch("/api/v1/schedules/hers", json={"session": session}, headers=ana)
        assert again.status_code == 200, again.text


def test_all_ways_to_write_a_session_have_one_key() -> None:
    chance = random.Random(1)
    for _ in range(tries(2000)):
        session = str(uuid.UUID(int=chance.getrandbits(128), version=4))
        written = spelled(chance, session)
        assert session_key(written) == session_key(as_stored(written)) == session_key(session)
        named = Prompt(text="x", session=written).session
        assert named == as_stored(written)
        assert Prompt(text="x", session=named).session == named
        assert as_stored(f" {session.upper()}\n") == as_stored(f"urn:uuid:{session}") == session
