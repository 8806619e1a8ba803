"""`/ws` as a client sees it: the real application behind uvicorn, a real `websockets` client."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed
from websockets.typing import Origin

from duly.config.settings import ServerLimits
from duly.runtime.runtime import Runtime
from duly.service import limits
from duly.service.access.scopes import ADMIN, Caller
from tests.world import World
from tests.world import served as listening

DAILY = {"type": "daily", "time": "08:00"}


@asynccontextmanager
async def served(folder: Path, **options: Any) -> AsyncIterator[tuple[World, str]]:
    """A daemon that listens on a free port; gives the address of its WebSocket."""
    async with listening(folder, **options) as (here, place):
        yield here, f"ws://{place}/ws"


@asynccontextmanager
async def client(url: str, token: str | None = None) -> AsyncIterator[ClientConnection]:
    """A client that sends no pings: while hours of virtual time pass, it would take the server for gone."""
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    async with connect(url, additional_headers=headers, proxy=None, max_size=None, ping_interval=None) as connection:
        yield connection


async def ask(connection: ClientConnection, method: str, params: Any = None, number: Any = 1) -> dict[str, Any]:
    await connection.send(json.dumps({"id": number, "method": method, "params": params}))
    return await hear(connection)


async def hear(connection: ClientConnection) -> dict[str, Any]:
    async with asyncio.timeout(60):
        frame: dict[str, Any] = json.loads(await connection.recv())
    return frame


async def all_frames(connection: ClientConnection) -> list[dict[str, Any]]:
    """What comes until the other side closes the connection."""
    frames = []
    with suppress(ConnectionClosed):
        while True:
            frames.append(await hear(connection))
    return frames


async def test_jobs_are_added_listed_and_removed(tmp_path: Path) -> None:
    async with served(tmp_path) as (here, url):
        await here.person("Ana", timezone="Europe/Zagreb")
        async with client(url, await here.token("user:Ana")) as line:
            assert await ask(line, "cron.list", number="a") == {"id": "a", "ok": True, "payload": {"jobs": []}}
            made = await ask(line, "cron.add", {"name": "pills", "schedule": DAILY, "message": "Take them"}, 2)
            job = made["payload"]["job"]
            assert (made["id"], made["ok"]) == (2, True)
            assert (job["name"], job["message"], job["schedule_type"]) == ("pills", "Take them", "daily")
            assert job["next_run_at"] == "2026-11-17T07:00:00Z"
            assert job["created_via"] == "api"
            assert (await ask(line, "cron.list"))["payload"]["jobs"] == [job]
            assert await ask(line, "cron.remove", {"id": job["id"]}) == {"id": 1, "ok": True, "payload": {"ok": True}}
            gone = await ask(line, "cron.remove", {"id": job["id"]})
            assert (gone["ok"], gone["error"]["code"]) == (False, "NOT_FOUND")
            assert (await ask(line, "cron.list"))["payload"] == {"jobs": []}


async def test_a_reminder_is_pushed_when_it_fires_and_answered_on_the_same_connection(tmp_path: Path) -> None:
    async with served(tmp_path) as (here, url):
        ana = await here.person("Ana")
        async with client(url, await here.token(f"user:{ana}")) as line:
            params = {"schedule": {"type": "once", "at": "5m"}, "action": {"message": "Take it"}, "require_ack": True}
            job = (await ask(line, "cron.add", params))["payload"]["job"]
            await here.clock.travel(minutes=5)
            fired = await hear(line)
            assert fired["event"] == "reminder.fire"
            said = fired["payload"]
            assert (said["job_id"], said["message"], said["again"]) == (job["id"], "Take it", False)
            assert (said["user_id"], said["require_ack"], said["fired_at"]) == (ana, True, "2026-11-16T12:05:00Z")

            snoozed = await ask(line, "cron.snooze", {"id": job["id"], "minutes": 5})
            assert snoozed["payload"]["job_id"] == job["id"]
            await here.clock.travel(minutes=5)
            again = await hear(line)
            assert (again["payload"]["run_id"], again["payload"]["again"]) == (said["run_id"], True)
            await here.clock.travel(minutes=10)  # of silence
            assert (await hear(line))["payload"]["again"] is True

            assert (await ask(line, "cron.ack", {"id": said["run_id"]}))["payload"]["text"] == "✓ Done: Take it"
            late = await ask(line, "cron.ack", {"id": said["run_id"]})
            assert late["error"]["code"] == "INVALID_PARAMS"
            await here.clock.travel(hours=1)
            await line.send('{"id": 9, "method": "cron.list"}')
            assert (await hear(line))["id"] == 9  # and nothing was pushed meanwhile


async def test_a_person_sees_and_hears_only_their_own_reminders(tmp_path: Path) -> None:
    async with served(tmp_path) as (here, url):
        ana, eve = await here.person("Ana"), await here.person("Eve")
        tokens = [await here.token(scope) for scope in ("user:Ana", f"user:{eve}", "admin")]
        async with client(url, tokens[0]) as hers, client(url, tokens[1]) as eves, client(url, tokens[2]) as boss:
            job = (await ask(hers, "cron.add", {"schedule": {"type": "once", "at": "5m"}, "message": "m"}))["payload"]
            known = job["job"]["id"]
            for method in ("cron.remove", "cron.update", "cron.ack"):
                params = {"id": known} if method != "cron.update" else {"id": known, "message": "stolen"}
                assert (await ask(eves, method, params))["error"]["code"] == "NOT_FOUND"
                unknown = {**params, "id": "sched_0" if method != "cron.ack" else "run_0"}
                assert (await ask(eves, method, unknown))["error"]["code"] == "NOT_FOUND"
            assert (await ask(eves, "cron.list"))["payload"] == {"jobs": []}
            assert (await ask(eves, "cron.list", {"user": ana}))["error"]["code"] == "UNAUTHORIZED"
            assert len((await ask(boss, "cron.list", {"user": "Ana"}))["payload"]["jobs"]) == 1
            await here.clock.travel(minutes=5)
            assert (await hear(hers))["payload"]["job_id"] == known
            assert (await hear(boss))["payload"]["job_id"] == known
            assert (await ask(eves, "cron.list", number="only this"))["id"] == "only this"


async def test_without_a_valid_token_the_connection_is_closed(tmp_path: Path) -> None:
    async with served(tmp_path) as (here, url):
        for token in (None, "guess", await here.token("project:blog")):
            async with client(url, token) as line:
                refused = await hear(line)
                assert (refused["id"], refused["ok"], refused["error"]["code"]) == (None, False, "UNAUTHORIZED")
                with pytest.raises(ConnectionClosed) as closed:
                    await line.recv()
                assert closed.value.rcvd is not None
                assert closed.value.rcvd.code == 4401
        async with client(f"{url}?token={await here.token('admin')}") as line:
            assert (await ask(line, "cron.list"))["ok"] is True
        async with client(url, await here.token("admin:ro")) as line:
            assert (await ask(line, "cron.list"))["ok"] is True
            params = {"schedule": DAILY, "message": "m"}
            assert (await ask(line, "cron.add", params))["error"]["code"] == "UNAUTHORIZED"


async def test_revoking_a_token_closes_its_connections(tmp_path: Path) -> None:
    async with served(tmp_path) as (here, url):
        await here.person("Ana")
        made = await here.runtime.services.tokens.create(Caller(ADMIN), "t", "user:Ana")
        async with client(url, made.secret) as asking, client(url, made.secret) as listening:
            assert (await ask(asking, "cron.list"))["ok"] is True
            await here.runtime.services.tokens.revoke(Caller(ADMIN), made.record.id)
            await here.remind("Ana", "secret")
            await here.clock.travel(minutes=5)
            assert (await hear(listening))["error"]["code"] == "UNAUTHORIZED"
            assert (await hear(asking))["error"]["code"] == "UNAUTHORIZED"


async def test_malformed_frames_are_answered_and_the_connection_stays_open(tmp_path: Path) -> None:
    async with served(tmp_path) as (here, url), client(url, await here.token("admin")) as line:
        deep = "[" * 100_000
        frames: list[str | bytes] = [
            "",
            "{",
            "null",
            "[]",
            "42",
            '"x"',
            "NaN",
            '{"id": NaN}',
            '{"id": 1e400, "method": "cron.list"}',
            deep,
            b"\xff\xfe\x00",
            b"",
            "\x00",
        ]
        for frame in frames:
            await line.send(frame)
            answer = await hear(line)
            assert (answer["id"], answer["error"]["code"]) == (None, "INVALID_PARAMS")
        odd = ['{"id": 7}', '{"id": 7, "method": 5}', '{"id": 7, "method": "cron.nope"}']
        odd += [
            '{"id": 7, "method": "cron.list", "params": []}',
            '{"id": 7, "method": "cron.list", "params": {"x": 1}}',
        ]
        for frame in odd:
            await line.send(frame)
            answer = await hear(line)
            assert (answer["id"], answer["error"]["code"]) == (7, "INVALID_PARAMS")
        await line.send(b'{"id": "\\ud800", "method": "cron.list"}')
        assert await hear(line) == {"id": "\ud800", "ok": True, "payload": {"jobs": []}}
        await line.send(json.dumps({"id": 1, "method": "cron.list", "params": {"user": "x" * 300_000}}))
        assert (await hear(line))["error"]["code"] == "INVALID_PARAMS"
        with pytest.raises(ConnectionClosed) as closed:
            await line.recv()
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 1009


async def test_a_client_that_does_not_read_does_not_delay_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(limits.LONGEST, "message", 250_000)
    async with served(tmp_path) as (here, url):
        ana = await here.person("Ana")
        token = await here.token(f"user:{ana}")
        headers = {"Authorization": f"Bearer {token}"}
        lazy: dict[str, Any] = {"max_queue": 1, "compression": None, "close_timeout": 0.2, "proxy": None}
        async with connect(url, additional_headers=headers, **lazy) as slow:
            for _ in range(40):
                await here.remind(ana, "x" * 250_000)
            async with client(url, token) as quick:
                await here.clock.travel(minutes=5)
                for _ in range(40):
                    assert (await hear(quick))["event"] == "reminder.fire"
                assert "ok" in await ask(quick, "cron.ack")
            assert (await hear(slow))["event"] == "reminder.fire"


async def test_in_quiet_hours_only_critical_reminders_are_pushed(tmp_path: Path) -> None:
    async with served(tmp_path) as (here, url):
        ana = await here.person("Ana", timezone="UTC", quiet="12:04-13:00")
        async with client(url, await here.token(f"user:{ana}")) as line:
            await ask(line, "cron.list")
            await here.remind(ana, "can wait")
            await here.remind(ana, "cannot", priority="critical")
            await here.clock.travel(minutes=30)
            assert (await hear(line))["payload"]["message"] == "cannot"
            await here.clock.travel(minutes=30)
            later = (await hear(line))["payload"]
            assert (later["message"], later["fired_at"]) == ("can wait", "2026-11-16T13:00:00Z")


async def test_without_tokens_pages_of_other_sites_are_refused(tmp_path: Path) -> None:
    async with served(tmp_path, auth=False) as (_, url):
        async with client(url) as line:
            assert (await ask(line, "cron.list"))["ok"] is True
        own = url.replace("ws:", "http:").removesuffix("/ws")
        for origin, fine in (("https://evil.example", False), ("http://localhost:3000", False), (own, True)):
            async with connect(url, origin=Origin(origin), proxy=None) as line:
                with suppress(ConnectionClosed):
                    await line.send('{"id": 1, "method": "cron.list"}')
                assert (await hear(line))["ok"] is fine


async def test_a_websocket_closes_as_soon_as_this_process_revokes_its_token(tmp_path: Path) -> None:
    async with served(tmp_path) as (here, url):
        await here.person("Ana")
        made = await here.runtime.services.tokens.create(Caller(ADMIN), "t", "user:Ana")
        kept = await here.token("user:Ana")
        async with client(url, made.secret) as idle, client(url, kept) as other:
            assert (await ask(idle, "cron.list"))["ok"] is True
            await here.runtime.services.tokens.revoke(Caller(ADMIN), made.record.id)
            assert (await hear(idle))["error"]["code"] == "UNAUTHORIZED"
            await idle.wait_closed()
            assert idle.close_code == 4401
            assert (await ask(other, "cron.list"))["ok"] is True


async def test_a_websocket_closes_within_a_second_when_another_process_revokes_its_token(tmp_path: Path) -> None:
    async with served(tmp_path) as (here, url):
        await here.person("Ana")
        made = await here.runtime.services.tokens.create(Caller(ADMIN), "t", "user:Ana")
        async with client(url, made.secret) as idle:
            assert (await ask(idle, "cron.list"))["ok"] is True
            await here.clock.travel(seconds=2)
            other = Runtime(here.runtime.settings, clock=here.clock)
            await other.open()
            await other.services.tokens.revoke(Caller(ADMIN), made.record.id)
            await other.close()
            await here.clock.travel(seconds=2)
            assert (await hear(idle))["error"]["code"] == "UNAUTHORIZED"


async def test_a_websocket_closes_when_its_token_expires(tmp_path: Path) -> None:
    async with served(tmp_path) as (here, url):
        made = await here.runtime.services.tokens.create(
            Caller(ADMIN), "short", "admin", expires_in=timedelta(minutes=3)
        )
        async with client(url, made.secret) as line, client(url, await here.token("admin")) as other:
            assert (await ask(line, "subscribe", {"topics": ["run"]}))["ok"]
            await here.clock.travel(minutes=3)
            frames = await all_frames(line)
            assert (line.close_code, line.close_reason) == (4401, "the token has expired")
            assert frames[-1]["error"] == {"code": "UNAUTHORIZED", "message": "the token has expired"}
            assert (await ask(other, "cron.list"))["ok"]


async def test_a_websocket_of_an_old_secret_closes_when_its_grace_is_over(tmp_path: Path) -> None:
    async with served(tmp_path) as (here, url):
        made = await here.runtime.services.tokens.create(Caller(ADMIN), "turned", "admin")
        async with client(url, made.secret) as line:
            assert (await ask(line, "cron.list"))["ok"]
            await here.runtime.services.tokens.rotate(Caller(ADMIN), made.record.id, grace=timedelta(minutes=3))
            assert (await ask(line, "cron.list"))["ok"]
            await here.clock.travel(minutes=3)
            await all_frames(line)
            assert (line.close_code, line.close_reason) == (4401, "the token has expired")


async def test_frames_count_as_requests_of_their_token_on_all_its_connections(tmp_path: Path) -> None:
    async with served(tmp_path, limits=ServerLimits(requests_per_minute=5)) as (here, url):
        mine, other = await here.token("admin"), await here.token("admin")
        async with client(url, mine) as line, client(url, mine) as second, client(url, other) as beside:
            said = [await ask(each, "cron.list") for each in (line, second, line, second, line)]
            assert all(each["ok"] for each in said)
            for frame in ("cron.list", "no method"):
                refused = await ask(second, frame)
                assert refused["error"]["code"] == "TOO_MANY"
                assert "this token has sent 5 requests in a minute, try again in 12 s" in refused["error"]["message"]
            over_http = await here.http.get("/api/v1/me", headers={"Authorization": f"Bearer {mine}"})
            assert over_http.status_code == 429
            assert (await ask(beside, "cron.list"))["ok"]
            await here.clock.travel(seconds=13)
            assert (await ask(line, "cron.list"))["ok"]
