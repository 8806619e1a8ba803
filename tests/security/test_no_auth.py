"""`duly up --no-auth`: who shows nothing is anyone on this machine; who shows a token is its owner, or is refused."""

from __future__ import annotations

import json
import random
import re
import subprocess
from collections.abc import Mapping
from contextlib import suppress
from datetime import timedelta
from itertools import product, takewhile
from pathlib import Path
from typing import Any

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from duly.model.ids import NO_AUTH_TOKEN
from duly.ports.audit import AuditFilter
from duly.ports.records import ScheduleFilter
from duly.server.dashboard import sign_in_link
from duly.service.access.scopes import ADMIN, Caller
from duly.testing.clock import settle
from duly.web.session import COOKIE
from tests.forked_duly import ForkedDuly
from tests.world import World, served, until, world

ENVIRONMENT = {"PATH": "/usr/bin:/bin", "TZ": "UTC", "LC_ALL": "C.UTF-8"}
HOST = "127.0.0.1:8765"
OWN = f"http://{HOST}"
HTML = {"accept": "text/html"}
STRANGERS: tuple[Mapping[str, str], ...] = (
    {"origin": "https://evil.example"},
    {"origin": "http://localhost:3000"},
    {"origin": "http://127.0.0.1:8766"},
    {"origin": "http://127.0.0.1"},
    {"origin": "http://localhost:8765"},
    {"origin": "http://[::1]:8765"},
    {"origin": "null"},
    {"origin": ""},
    {"origin": f"file://{HOST}"},
    {"origin": f"http://{HOST}@evil.example"},
    {"origin": f"http://{HOST}.evil.example"},
    {"host": "evil.example:8765"},
    {"sec-fetch-site": "cross-site"},
    {"sec-fetch-site": "same-site"},
    {"sec-fetch-site": "same-site", "sec-fetch-mode": "navigate"},
)
"""What browsers add for pages that are not ours, on POST requests."""


def test_the_start_says_who_is_an_admin(tmp_path: Path) -> None:
    words = ["up", "--no-auth", "--port", "0", "--data-dir", str(tmp_path)]
    with (tmp_path / "log.txt").open("a", encoding="utf-8") as log:
        process = ForkedDuly(words, env=ENVIRONMENT, cwd=tmp_path, stdout=subprocess.PIPE, stderr=log)
    assert process.stdout is not None
    try:
        said = "".join(takewhile(lambda line: not line.startswith("clock"), process.stdout))
        assert "no-auth    every user and program of this machine is an admin here" in said
    finally:
        process.kill()
        process.wait(60)
        process.stdout.close()


async def _credentials(here: World) -> dict[str, str]:
    """Every kind of Authorization header, the valid ones first."""
    tokens = here.runtime.services.tokens
    made = {scope: await here.token(scope) for scope in ("admin", "admin:ro", "user:Ana", "user:Ana:ro")}
    revoked = await tokens.create(Caller(ADMIN), "revoked", "admin")
    await tokens.revoke(Caller(ADMIN), revoked.record.id)
    rotated = await tokens.create(Caller(ADMIN), "rotated", "admin")
    await tokens.rotate(Caller(ADMIN), rotated.record.id)
    expired = await tokens.create(Caller(ADMIN), "expired", "admin", expires_in=timedelta(seconds=1))
    secrets = {**made, "revoked": revoked.secret, "rotated": rotated.secret, "expired": expired.secret}
    headers = {name: f"Bearer {secret}" for name, secret in secrets.items()}
    return headers | {
        "wrong": "Bearer duly_wrong",
        "empty": "Bearer ",
        "nothing": "",
        "basic": "Basic YWRtaW46YWRtaW4=",
        "cut": headers["admin"][:-1],
    }


def _requests() -> list[tuple[str, str, dict[str, Any] | None]]:
    hello = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
    soon = {"schedule": {"type": "once", "at": "5m"}, "message": "Stretch"}
    return [
        ("GET", "/api/v1/me", None),
        ("GET", "/api/v1/schedules", None),
        ("GET", "/api/v1/tokens", None),
        ("POST", "/api/v1/reminders", soon),
        ("POST", "/api/v1/reminders?user=local", soon),
        ("POST", "/messages", {"text": "hello"}),
        ("POST", "/mcp", hello),
        ("GET", "/health", None),
    ]


async def _answers(here: World, credentials: Mapping[str, str]) -> dict[tuple[str, str, str], Any]:
    found: dict[tuple[str, str, str], Any] = {}
    for (name, header), (method, path, body) in product(credentials.items(), _requests()):
        headers = {"authorization": header, "accept": "application/json, text/event-stream"}
        answer = await here.http.request(method, path, json=body, headers=headers)
        found[name, method, path] = (answer.status_code, sorted(answer.json()) if path == "/health" else None)
    return found


async def test_with_a_token_no_auth_changes_nothing(tmp_path: Path) -> None:
    async with world(tmp_path) as here:
        await here.person("Ana")
        credentials = await _credentials(here)
        here.clock.advance(2)
        usual = await _answers(here, credentials)
    async with world(tmp_path, auth=False, start=here.clock.now()) as here:
        assert await _answers(here, credentials) == usual
    invalid = [name for name in credentials if name not in ("admin", "admin:ro", "user:Ana", "user:Ana:ro")]
    assert {usual[name, "GET", "/api/v1/me"][0] for name in invalid} == {401}
    assert usual["admin:ro", "POST", "/api/v1/reminders"][0] == 403


async def test_a_person_s_token_makes_reminders_of_that_person(tmp_path: Path) -> None:
    async with world(tmp_path, auth=False) as here:
        ana = await here.person("Ana")
        here.runtime.services.tokens.is_closed = False  # made on the machine, by another process
        headers = {"authorization": f"Bearer {await here.token('user:Ana')}"}
        made = {"schedule": {"type": "once", "at": "5m"}, "message": "Stretch"}
        answer = await here.http.post("/api/v1/reminders", json=made, headers=headers)
        assert answer.json()["user_id"] == ana


async def test_without_a_token_only_programs_here_and_our_own_pages_are_served(tmp_path: Path) -> None:
    draw = random.Random(5)
    async with world(tmp_path, auth=False) as here:
        for _, path, body in [each for each in _requests() if each[0] == "POST"]:
            accept = {"accept": "application/json, text/event-stream"}
            for fine in ({}, {"origin": OWN}, {"origin": OWN, "sec-fetch-site": "same-origin"}):
                answer = await here.http.post(path, json=body, headers={**accept, **fine})
                assert answer.status_code in (200, 201, 400), (path, fine, answer.text)  # MCP wants a session first
            for stranger in STRANGERS:
                more = draw.choice([{}, {"sec-fetch-site": "none"}]) if "sec-fetch-site" not in stranger else {}
                answer = await here.http.post(path, json=body, headers={**accept, **more, **stranger})
                assert answer.status_code in (401, 403, 421), (path, stranger)


@pytest.mark.parametrize("origin", ["http://localhost:3000", "https://evil.example", "null", None, "own"])
async def test_a_websocket_opens_for_our_own_pages_only(tmp_path: Path, origin: str | None) -> None:
    async with served(tmp_path, auth=False) as (_, place):
        shown = f"http://{place}" if origin == "own" else origin
        async with connect(f"ws://{place}/ws", origin=shown, proxy=None) as line:  # type: ignore[arg-type]
            with suppress(ConnectionClosed):
                await line.send('{"id": 1, "method": "cron.list"}')
            assert json.loads(await line.recv())["ok"] is (origin in (None, "own"))


@pytest.mark.parametrize("way", ["header", "query"])
async def test_a_wrong_token_opens_no_websocket(tmp_path: Path, way: str) -> None:
    async with served(tmp_path, auth=False) as (_, place):
        query, headers = ("?token=wrong", {}) if way == "query" else ("", {"Authorization": "Bearer wrong"})
        with suppress(InvalidStatus):
            async with connect(f"ws://{place}/ws{query}", additional_headers=headers, proxy=None) as line:
                with suppress(ConnectionClosed):
                    await line.send('{"id": 1, "method": "cron.list"}')
                assert json.loads(await line.recv())["ok"] is False


async def test_nothing_is_made_that_would_outlast_it(tmp_path: Path) -> None:
    async with world(tmp_path) as here:
        await here.person("Ana")
        token = (await here.runtime.services.tokens.create(Caller(ADMIN), "t", "user:Ana")).record.id
        admin = {"authorization": f"Bearer {await here.token('admin')}"}
    async with world(tmp_path, auth=False) as here:
        before = await here.runtime.services.tokens.page(Caller(ADMIN))
        for headers in ({}, admin):
            for method, path, body in (
                ("POST", "/tokens", {"name": "kept", "scope": "admin"}),
                ("POST", f"/tokens/{token}/rotate", {}),
                ("PATCH", f"/tokens/{token}", {"give": ["prompts:claude"]}),
            ):
                answer = await here.http.request(method, f"/api/v1{path}", json=body, headers=headers)
                assert answer.status_code == 403, (path, answer.text)
                assert "--no-auth" in answer.text
        for path, body in (("/calendar/links", {"name": "kept"}), ("/people/Ana/pairings", {"channel": "telegram"})):
            answer = await here.http.post(f"/api/v1{path}", json=body)
            assert (answer.status_code, "--no-auth" in answer.text) == (403, True), (path, answer.text)
        after = await here.runtime.services.tokens.page(Caller(ADMIN))
        assert [(each.id, each.hash, each.grants) for each in after[0]] == [
            (each.id, each.hash, each.grants) for each in before[0]
        ]


_ECHO = {"echo": {"new": ["cat"], "stdin": "prompt"}}
_LATER = {"name": "later", "cron": "* * * * *", "prompt": "go"}


async def _runs(here: World, name: str, minutes: int) -> list[str]:
    """The ends of its runs in these minutes, as the API shows them."""
    before = len(await _history(here, name))
    for _ in range(minutes):
        here.clock.advance(60)
        await until(lambda: _at_rest(here), "the engine")
    return [each.get("error") or each["status"] for each in (await _history(here, name))[: -before or None]]


async def _history(here: World, name: str) -> list[dict[str, Any]]:
    headers = (
        {"authorization": f"Bearer {await here.token('admin')}"} if not here.runtime.services.tokens.is_closed else {}
    )
    answer = await here.http.get(f"/api/v1/schedules/{name}/runs", headers=headers)
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]] = answer.json()["items"]
    return found


async def _at_rest(here: World) -> bool:
    await settle()
    rows = await here.runtime.store.schedules(ScheduleFilter())
    due = [row for row in rows if row.next_run_at is not None and row.next_run_at <= here.clock.now()]
    return not due and not here.runtime.engine.work


@pytest.mark.parametrize("way", ["made", "changed", "told"])
async def test_what_was_made_or_changed_without_a_token_rests_after_it(tmp_path: Path, way: str) -> None:
    if way != "made":
        async with world(tmp_path, spawners=_ECHO) as here:
            admin = {"authorization": f"Bearer {await here.token('admin')}"}
            made = await here.http.post("/api/v1/schedules", json={**_LATER, "prompt": "before"}, headers=admin)
            assert made.status_code == 201, made.text
    async with world(tmp_path, auth=False, spawners=_ECHO) as here:
        if way != "made":
            change = {"prompt": "go"} if way == "changed" else {"notify": ["always"]}
            answer = await here.http.patch("/api/v1/schedules/later", json=change)
        else:
            answer = await here.http.post("/api/v1/schedules", json=_LATER)
        assert answer.status_code in (200, 201), answer.text
        assert await _runs(here, "later", 1) == ["succeeded"]
    async with world(tmp_path, start=here.clock.now(), spawners=_ECHO) as here:
        admin = {"authorization": f"Bearer {await here.token('admin')}"}
        (said,) = set(await _runs(here, "later", 2))
        assert f"{'made' if way == 'made' else 'last changed'} without a token under duly up --no-auth" in said
        assert "duly schedule reown later" in said
        view = (await here.http.get("/api/v1/schedules/later", headers=admin)).json()
        assert "unauthorized" in [each["kind"] for each in view["attention"]]
        await here.runtime.services.use_cases.ownership.reown(Caller(ADMIN), "later")
        assert await _runs(here, "later", 1) == ["succeeded"]
    async with world(tmp_path, auth=False, start=here.clock.now()) as here:
        token = await here.runtime.store.tokens.get("tok_no_auth")
        assert token is not None
        assert token.revoked_at is None


async def test_a_wake_up_without_a_token_has_none_of_the_rights_of_the_schedule_that_it_continues(
    tmp_path: Path,
) -> None:
    async with world(tmp_path, spawners=_ECHO) as here:
        admin = {"authorization": f"Bearer {await here.token('admin')}"}
        assert (await here.http.post("/api/v1/schedules", json=_LATER, headers=admin)).status_code == 201
        assert await _runs(here, "later", 1) == ["succeeded"]
        [run] = await _history(here, "later")
    async with world(tmp_path, auth=False, start=here.clock.now(), spawners=_ECHO) as here:
        made = await here.http.post("/api/v1/wake-ups", json={"run_id": run["id"], "minutes": 3, "note": "go"})
        assert made.status_code == 201, made.text
        assert made.json()["created_by"] == NO_AUTH_TOKEN
    async with world(tmp_path, start=here.clock.now(), spawners=_ECHO) as here:
        (said,) = await _runs(here, made.json()["name"], 4)
        assert "made without a token under duly up --no-auth" in said


async def test_a_daemon_that_was_killed_leaves_nothing_that_runs_in_the_next(tmp_path: Path) -> None:
    async with world(tmp_path, spawners=_ECHO, auth=False) as here:
        assert (await here.http.post("/api/v1/schedules", json=_LATER)).status_code == 201
    async with world(tmp_path, spawners=_ECHO, start=here.clock.now()) as here:
        await here.runtime.services.tokens.note_mode(is_open=True)  # as a kill leaves the store
    async with world(tmp_path, spawners=_ECHO, start=here.clock.now()) as here:
        (said,) = await _runs(here, "later", 1)
        assert "made without a token under duly up --no-auth" in said


async def test_who_people_are_cannot_be_changed_without_a_token(tmp_path: Path) -> None:
    async with world(tmp_path, {"telegram": {"token": "1:x"}}, auth=False) as here:
        await here.person("Ana")
        address = {"channels": [{"channel": "telegram", "address": "12345"}]}
        for method, path, body in (
            ("PATCH", "/people/local", address),
            ("PATCH", "/people/Ana", address),
            ("PATCH", "/people/Ana", {"is_admin": True}),
            ("PATCH", "/people/Ana", {"name": "Eve"}),
            ("POST", "/people", {"name": "Eve"}),
            ("DELETE", "/people/Ana", None),
        ):
            answer = await here.http.request(method, f"/api/v1{path}", json=body)
            assert (answer.status_code, "--no-auth" in answer.text) == (403, True), (path, answer.text)
        quiet = await here.http.patch("/api/v1/people/Ana", json={"quiet": "22:00-07:00"})
        assert quiet.status_code == 200, quiet.text


async def test_a_cookie_from_then_signs_nobody_in_later(tmp_path: Path) -> None:
    async with world(tmp_path, auth=False) as here:
        assert (await here.http.get("/", headers=HTML)).status_code == 200
        kept = here.http.cookies[COOKIE]
        assert (await here.http.get("/", headers={**HTML, "cookie": f"{COOKIE}={kept}"})).status_code == 200
        rebound = {**HTML, "cookie": f"{COOKIE}={kept}", "host": "evil.example"}
        assert (await here.http.get("/", headers=rebound)).status_code == 401
    async with world(tmp_path) as here:
        assert (await here.http.get("/", headers={**HTML, "cookie": f"{COOKIE}={kept}"})).status_code == 401


async def test_the_session_of_a_revoked_token_is_over(tmp_path: Path) -> None:
    async with world(tmp_path) as here:
        made = await here.runtime.services.tokens.create(Caller(ADMIN), "t", "admin:ro")
        answer = await here.http.post("/signin", data={"token": made.secret})
        cookie = {**HTML, "cookie": f"{COOKIE}={answer.cookies[COOKIE]}"}
    async with world(tmp_path, auth=False) as here:
        page = await here.http.get("/settings", headers=cookie)
        csrf = re.search(r'name="csrf" value="([^"]+)"', page.text)
        assert csrf is not None
        pause = await here.http.post("/ui/schedules/pause-all", data={"csrf": csrf[1]}, headers=cookie)
        assert pause.status_code in (403, 404)
        await here.runtime.services.tokens.revoke(Caller(ADMIN), made.record.id)
        assert (await here.http.get("/", headers=cookie)).status_code == 401


async def test_the_audit_names_who_showed_nothing(tmp_path: Path) -> None:
    async with world(tmp_path, auth=False) as here:
        soon = {"schedule": {"type": "once", "at": "5m"}, "message": "Stretch"}
        assert (await here.http.post("/api/v1/reminders", json=soon)).status_code == 201
        [entry] = await here.runtime.store.audit.entries(AuditFilter(kinds=("schedule.created",), limit=5))
        assert entry.actor == "no-auth"
        assert "account" not in str(entry)  # it is not known which account it was
        signed_in = await here.http.get(sign_in_link(here.runtime, ""), headers=HTML)
        assert signed_in.status_code == 200
        page = await here.http.get("/journal", headers=HTML)
        assert "anyone on this machine (--no-auth)" in page.text


async def test_what_was_done_without_a_token_can_be_undone(tmp_path: Path) -> None:
    async with world(tmp_path, auth=False) as here:
        soon = {"schedule": {"type": "once", "at": "5m"}, "message": "Stretch"}
        made = (await here.http.post("/api/v1/reminders", json=soon)).json()
        assert (await here.http.patch(f"/api/v1/reminders/{made['id']}", json={"enabled": False})).status_code == 200
        undone = await here.http.post("/api/v1/undo")
        assert undone.status_code == 200, undone.text
