"""The API over HTTP: each operation does what its use case does, and every fault is a problem document."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from duly.config.settings import ServerLimits
from duly.errors import InvalidCronExpressionError, NotFoundError, StoreUnavailableError
from duly.rest.problems import error_of
from tests.world import World, served, until, world

API = "/api/v1"
PROMPT = {"name": "news", "cron": "0 7 * * 1-5", "prompt": "Read the news"}


class Api:
    """Asks the API of a daemon with one token."""

    def __init__(self, here: World, token: str) -> None:
        self.here = here
        self._headers = {"Authorization": f"Bearer {token}"}

    async def __call__(self, method: str, path: str, body: Any = None, **more: Any) -> httpx.Response:
        headers = {**self._headers, **more.pop("headers", {})}
        given = {} if body is None else {"json": body}
        return await self.here.http.request(method, f"{API}{path}", headers=headers, **given, **more)

    async def done(self, method: str, path: str, body: Any = None, **more: Any) -> Any:
        answer = await self(method, path, body, **more)
        assert answer.is_success, answer.text
        return answer.json()

    async def refused(self, status: int, method: str, path: str, body: Any = None, **more: Any) -> dict[str, Any]:
        answer = await self(method, path, body, **more)
        assert answer.status_code == status, answer.text
        return told(answer)


def told(answer: httpx.Response) -> dict[str, Any]:
    """The problem document of an answer."""
    assert answer.headers["content-type"] == "application/problem+json"
    found: dict[str, Any] = answer.json()
    assert found["status"] == answer.status_code
    assert found["type"].startswith("urn:duly:problem:")
    assert found["title"]
    assert found["detail"]
    assert found["instance"] == answer.request.url.path
    return found


@asynccontextmanager
async def api(folder: Path, scope: str = "admin", **options: Any) -> AsyncIterator[Api]:
    async with world(folder, **options) as here:
        yield Api(here, await here.token(scope))


async def test_the_life_of_a_schedule(tmp_path: Path) -> None:
    async with api(tmp_path) as ask:
        made = await ask("POST", "/schedules", PROMPT)
        assert made.status_code == 201
        place = made.headers["location"].removeprefix(API)
        assert place == f"/schedules/{made.json()['id']}"
        assert (await ask.done("GET", place))["cron"] == "0 7 * * 1-5"
        assert (await ask.done("PATCH", "/schedules/news", {"description": "daily"}))["description"] == "daily"
        assert "description" not in await ask.done("PATCH", "/schedules/news", {"description": None})
        assert (await ask.done("POST", "/schedules/news/pause"))["schedule"]["enabled"] is False
        assert (await ask.done("POST", "/schedules/news/resume"))["schedule"]["enabled"] is True
        before = (await ask.done("GET", place))["next_run_at"]
        assert (await ask.done("POST", "/schedules/news/skip"))["schedule"]["next_run_at"] > before
        fired = await ask("POST", "/schedules/news/trigger")
        assert fired.status_code == 201
        assert (await ask.done("GET", fired.headers["location"].removeprefix(API)))["run"]["origin"] == "manual"
        span = {"start": "2026-11-12T00:00:00Z", "end": "2026-11-13T23:00:00Z"}
        assert (await ask.done("POST", "/schedules/news/backfill", span | {"dry_run": True}))["total"] == 2
        filled = await ask.done("POST", "/schedules/news/backfill", span)
        assert (filled["total"], len(filled["items"])) == (2, 2)
        await ask.done("DELETE", place)
        await ask.refused(404, "GET", place)
        assert [each["name"] for each in (await ask.done("GET", "/schedules?deleted=true"))["items"]] == ["news"]
        assert (await ask.done("POST", f"{place}/restore", {"name": "old-news"}))["name"] == "old-news"
        assert (await ask.done("GET", place))["enabled"] is False


async def test_lists_come_in_pages(tmp_path: Path) -> None:
    async with api(tmp_path) as ask:
        for number in range(5):
            await ask.done("POST", "/schedules", PROMPT | {"name": f"s{number}"})
        names: list[str] = []
        cursor = None
        while True:
            page = await ask.done("GET", "/schedules", params={"limit": 2} | ({"cursor": cursor} if cursor else {}))
            names += [each["name"] for each in page["items"]]
            cursor = page["next_cursor"]
            if cursor is None:
                break
        assert names == [f"s{number}" for number in range(5)]
        await ask.done("POST", "/schedules/s1/trigger")
        assert len((await ask.done("GET", "/runs"))["items"]) == 1
        assert (await ask.done("GET", "/schedules/s1/runs?status=failed&status=dead"))["items"] == []


async def test_a_change_of_a_schedule_takes_the_options_of_a_reminder(tmp_path: Path) -> None:
    async with api(tmp_path, "user:local") as ask:
        form = {"schedule": {"type": "daily", "time": "08:00"}, "message": "Take it", "require_ack": True}
        made = await ask.done("POST", "/reminders", form)
        given = {"message": "Take them", "nag_minutes": 30, "cron": "0 9 * * *"}
        await ask.done("PATCH", f"/schedules/{made['id']}", given)
        after = await ask.done("GET", f"/reminders/{made['id']}")
        assert {name: after["cron_expr" if name == "cron" else name] for name in given} == given


async def test_a_reminder_is_made_delivered_and_answered(tmp_path: Path) -> None:
    async with api(tmp_path, "user:local") as ask:
        form = {"schedule": {"type": "once", "at": "5m"}, "message": "Take it", "require_ack": True}
        made = await ask.done("POST", "/reminders", form)
        assert (await ask.done("GET", f"/reminders/{made['id']}"))["message"] == "Take it"
        changed = await ask.done("PATCH", f"/reminders/{made['id']}", {"message": "Take them", "priority": "high"})
        assert (changed["message"], changed["priority"]) == ("Take them", "high")
        await ask.here.clock.travel(minutes=6)
        [message] = (await ask.done("GET", "/inbox/messages"))["items"]
        assert "Take them" in message["text"]
        assert (await ask.done("GET", f"/inbox/messages/{message['id']}"))["id"] == message["id"]
        [sent] = (await ask.done("GET", f"/runs/{message['run_id']}/deliveries"))["items"]
        assert (sent["channel"], sent["status"]) == ("inbox", "delivered")
        assert len((await ask.done("POST", "/inbox/read"))["items"]) == 1
        assert (await ask.done("GET", "/inbox/messages"))["items"] == []
        later = await ask.done("POST", f"/reminders/{made['id']}/answer", {"response": "snooze", "minutes": 10})
        assert later["until"] == "2026-11-16T12:16:00Z"
        assert [card["name"] for card in (await ask.done("GET", "/inbox"))["later"]] == [made["name"]]
        await ask.done("POST", "/undo", {"token": later["undo"]})
        assert [card["name"] for card in (await ask.done("GET", "/inbox"))["waiting"]] == [made["name"]]
        await ask.done("POST", f"/reminders/{message['run_id']}/answer", {"response": "snooze", "length": "10 minutes"})
        await ask.here.clock.travel(minutes=11)
        assert (await ask.done("POST", "/answers", {"response": "ack"}))["response"] == "ack"
        await ask.refused(404, "POST", "/answers", {"response": "ack"})
        assert [each["name"] for each in (await ask.done("GET", "/reminders"))["items"]] == [made["name"]]
        await ask.done("DELETE", f"/reminders/{made['id']}")


async def test_people_are_added_changed_paired_and_removed(tmp_path: Path) -> None:
    async with api(tmp_path) as ask:
        form = {"name": "ana", "timezone": "Europe/Zagreb", "quiet": "22:00-07:00"}
        made = await ask.done(
            "POST", "/people", form | {"channels": [{"channel": "email", "address": "a@example.org"}]}
        )
        assert made["channels"] == [{"channel": "email", "address": "a@example.org"}]
        assert (await ask.done("PATCH", "/people/ana", {"quiet": None, "channels": []})).get("quiet") is None
        assert len((await ask.done("POST", "/people/ana/pairings", {"channel": "telegram"}))["code"]) == 9
        assert {each["name"] for each in (await ask.done("GET", "/people"))["items"]} >= {"ana"}
        own = Api(ask.here, await ask.here.token("user:ana"))
        assert [each["name"] for each in (await own.done("GET", "/people"))["items"]] == ["ana"]
        assert (await own.done("PATCH", "/people/ana", {"language": "hr"}))["language"] == "hr"
        await own.refused(403, "PATCH", "/people/ana", {"is_admin": True})
        await own.refused(404, "GET", "/people/local")
        assert (await own.done("GET", "/me"))["user"] == "ana"
        await ask.done("DELETE", "/people/ana")
        assert (await own("GET", "/me")).status_code == 401


async def test_tokens_are_made_rotated_granted_and_revoked(tmp_path: Path) -> None:
    async with api(tmp_path) as ask:
        made = await ask.done("POST", "/tokens", {"name": "bot", "scope": "user:local", "expires_in": "90d"})
        assert made["secret"].startswith("duly_")
        bot = Api(ask.here, made["secret"])
        assert (await bot.done("GET", "/me"))["scope"] == "user:local"
        assert "secret" not in json.dumps((await ask.done("GET", "/tokens"))["items"])
        assert (await ask.done("PATCH", f"/tokens/{made['id']}", {"give": ["prompts:*"]}))["grants"] == ["prompts:*"]
        again = await ask.done("POST", f"/tokens/{made['id']}/rotate", {"grace": 60})
        assert (await bot("GET", "/me")).status_code == 200
        await ask.here.clock.travel(minutes=2)
        assert (await bot("GET", "/me")).status_code == 401
        assert (await Api(ask.here, again["secret"])("GET", "/me")).status_code == 200
        assert (await ask.done("DELETE", f"/tokens/{made['id']}"))["state"] == "revoked"
        assert (await Api(ask.here, again["secret"])("GET", "/me")).status_code == 401


async def test_journal_audit_health_and_quotas(tmp_path: Path) -> None:
    async with api(tmp_path) as ask:
        await ask.done("POST", "/schedules", PROMPT)
        kinds = [each["event"] for each in (await ask.done("GET", "/journal?schedule=news"))["items"]]
        assert "schedule.created" in kinds
        [entry] = (await ask.done("GET", "/audit?schedule=news&kind=schedule.*"))["items"]
        assert entry["face"] == "api"
        assert (await ask.done("GET", "/audit/chain"))["whole"] is True
        assert (await ask.done("GET", "/health"))["state"] == "green"
        assert (await ask.done("GET", "/quotas"))["items"] == []
        assert len((await ask.done("GET", "/preview?cron=0+9+*+*+*&count=3"))["next_runs"]) == 3


async def test_a_change_of_a_stale_version_is_refused(tmp_path: Path) -> None:
    async with api(tmp_path) as ask:
        made = await ask("POST", "/schedules", PROMPT)
        first = made.headers["etag"]
        assert first == '"1"'
        changed = await ask("PATCH", "/schedules/news", {"description": "a"}, headers={"If-Match": first})
        assert changed.headers["etag"] == '"2"'
        stale = {"If-Match": first}
        found = await ask.refused(412, "PATCH", "/schedules/news", {"description": "b"}, headers=stale)
        assert found["type"] == "urn:duly:problem:conflict"
        assert found["facts"] == {"current_version": 2, "changed": {"description": "a"}}
        for other in ('"7", "8"', "W/unknown", ""):
            await ask.refused(412, "PATCH", "/schedules/news", {"description": "b"}, headers={"If-Match": other})
        for right in ('"1", "2"', "*"):
            await ask.done("PATCH", "/schedules/news", {"description": right}, headers={"If-Match": right})
        assert (await ask("GET", "/schedules/news")).headers["etag"] == '"4"'


async def test_a_stale_version_is_not_deleted(tmp_path: Path) -> None:
    async with api(tmp_path) as ask:
        first = (await ask("POST", "/schedules", PROMPT)).headers["etag"]
        second = (await ask("PATCH", "/schedules/news", {"description": "a"})).headers["etag"]
        found = await ask.refused(412, "DELETE", "/schedules/news", headers={"If-Match": first})
        assert (found["field"], found["facts"]["current_version"]) == ("If-Match", 2)
        await ask.refused(412, "DELETE", "/schedules/news", headers={"If-Match": "W/unknown"})
        await ask.done("DELETE", "/schedules/news", headers={"If-Match": second})
        await ask.refused(404, "GET", "/schedules/news")


async def test_a_repeated_request_is_carried_out_once(tmp_path: Path) -> None:
    async with api(tmp_path) as ask:
        key = {"Idempotency-Key": "4711"}
        first = await ask("POST", "/schedules", PROMPT, headers=key)
        again = await ask("POST", "/schedules", PROMPT, headers=key)
        assert (first.status_code, again.status_code) == (201, 201)
        assert first.json() == again.json()
        assert first.headers["location"] == again.headers["location"]
        assert "idempotency-replayed" not in first.headers
        assert again.headers["idempotency-replayed"] == "true"
        assert len((await ask.done("GET", "/schedules"))["items"]) == 1
        other = await ask.refused(422, "POST", "/schedules", PROMPT | {"name": "other"}, headers=key)
        assert "was used for another request" in other["detail"]
        await ask.refused(422, "POST", "/schedules", PROMPT, headers={"Idempotency-Key": "with blanks in it"})
        for _ in range(2):
            await ask.done("POST", "/schedules/news/trigger", headers={"Idempotency-Key": "4712"})
        assert len((await ask.done("GET", "/runs"))["items"]) == 1
        ask.here.clock.advance(timedelta(hours=25))
        await ask.refused(422, "POST", "/schedules", PROMPT, headers=key)  # forgotten: the name is taken


async def test_steps_are_taken_back(tmp_path: Path) -> None:
    async with api(tmp_path) as ask:
        await ask.refused(404, "GET", "/undo")
        made = await ask.done("POST", "/schedules", PROMPT)
        changed = await ask("PATCH", "/schedules/news", {"description": "a"})
        token = changed.headers["undo-token"]
        assert (await ask.done("GET", "/undo"))["token"] == token
        assert (await ask.done("POST", "/undo", {"token": token}))["sentence"] == "undone: news changed"
        assert "description" not in await ask.done("GET", "/schedules/news")
        gone = await ask.done("DELETE", "/schedules/news")
        assert gone["sentence"] == "news deleted"
        await ask.done("POST", "/undo")
        assert (await ask.done("GET", "/schedules/news"))["enabled"] is True
        many = await ask.done("POST", "/bulk", {"action": "pause", "ids": [made["id"], "sched_unknown"]})
        assert (many["total"], [each["id"] for each in many["failed"]]) == (2, ["sched_unknown"])
        await ask.done("POST", "/bulk", {"action": "resume", "filter": {"text": "news"}})
        assert (await ask.done("GET", "/schedules/news"))["enabled"] is True
        await ask.done("PATCH", "/schedules/news", {"prompt": "Write the news"})
        entry = (await ask.done("GET", "/audit?kind=schedule.updated"))["items"][-1]
        for beyond in (entry["seq"] + 1, 2**63 - 1, 2**63, 10**40):
            await ask.refused(404, "POST", "/schedules/news/put-back", {"seq": beyond})
        back = await ask.done("POST", "/schedules/news/put-back", {"seq": entry["seq"]})
        assert back["sentence"] == "news put back"
        assert back["schedule"]["prompt"] == "Read the news"


async def test_attention_channels_runs_again_and_the_file(tmp_path: Path) -> None:
    async with api(tmp_path) as ask:
        await ask.done("POST", "/schedules", PROMPT)
        run = await ask.done("POST", "/schedules/news/trigger")

        async def has_ended() -> bool:
            return bool((await ask.done("GET", f"/runs/{run['id']}"))["run"]["status"] == "failed")

        await until(has_ended, "the run that has no agent")
        found = await ask.done("GET", "/attention")
        assert "news" in json.dumps(found["items"])
        item = next(each for each in found["items"] if "seen" in each["actions"])
        await ask.done("POST", f"/attention/{item['id']}/seen")
        assert item["id"] not in [each["id"] for each in (await ask.done("GET", "/attention"))["items"]]
        await ask.refused(404, "POST", "/attention/nothing/seen")
        printed = await ask.done("GET", f"/runs/{run['id']}/output?offset=0")
        assert printed["complete"] is True
        assert [each["name"] for each in (await ask.done("GET", "/schedules?state=failing"))["items"]] == ["news"]
        again = await ask("POST", f"/runs/{run['id']}/again")
        assert (again.status_code, again.json()["origin"]) == (201, "manual")
        assert [each["name"] for each in (await ask.done("GET", "/channels"))["items"]] == ["inbox"]
        assert (await ask.done("POST", "/channels/inbox/test"))["works"] is True
        assert (await ask.done("POST", "/channels/inbox/messages", {"user": "local"}))["works"] is True
        assert (await ask("POST", "/channels/nothing/test")).status_code in (404, 422)
        assert (await ask.done("GET", "/config/diff"))["has_file"] is False


async def test_the_overview(tmp_path: Path) -> None:
    async with api(tmp_path) as ask:
        made = await ask.done("POST", "/schedules", PROMPT)
        await ask.done("POST", "/schedules/news/trigger")
        day = await ask.done("GET", "/day")
        assert (day["start"], day["zone"]) == ("2026-11-15T23:00:00Z", "Europe/Berlin")
        assert [row["name"] for row in day["groups"]] == ["news"]
        span = {"start": "2026-11-17T00:00:00Z", "end": "2026-11-19T00:00:00Z"}
        fires = (await ask.done("GET", "/fires", params=span))["fires"]
        assert [each["fire_at"] for each in fires] == ["2026-11-17T06:00:00Z", "2026-11-18T06:00:00Z"]
        load = await ask.done("GET", "/load?day=2026-11-17&timezone=UTC")
        assert (load["day"], load["total"], load["minutes"][360]) == ("2026-11-17", 1, 1)
        assert len((await ask.done("GET", "/load/minute?at=2026-11-17T06:00:00Z"))["items"]) == 1
        spread = await ask.done("POST", "/load/spread", {"at": "2026-11-17T06:00:00Z", "over": "10m"})
        assert spread["changed"] == [made["id"]]
        assert len((await ask.done("GET", "/runs?kind=agent&text=news"))["items"]) == 1
        assert (await ask.done("GET", "/runs?kind=job"))["items"] == []
        assert sum((await ask.done("GET", "/counts/runs")).values()) == 1
        assert (await ask.done("GET", "/counts/schedules"))["agents"] == 1
        figures = await ask.done("GET", "/figures", params={"schedule": [made["id"], "sched_unknown"]})
        assert len(figures["figures"][made["id"]]["outcomes"]) == 1
        assert (await ask.refused(422, "GET", "/load?day=tomorrow"))["field"] == "day"


async def test_changes_are_followed_and_found_again_after_a_break(tmp_path: Path) -> None:
    async with served(tmp_path) as (here, place), httpx.AsyncClient(base_url=f"http://{place}{API}") as http:
        http.headers["Authorization"] = f"Bearer {await here.token('admin')}"
        async with http.stream("GET", "/events?topics=schedule") as stream:
            lines = stream.aiter_lines()
            beat = await _next_event(lines)
            assert beat["kind"] == "beat"
            await http.post("/schedules", json=PROMPT)
            await here.clock.travel(seconds=2)
            while (heard := await _next_event(lines))["kind"] == "beat":
                pass
            assert heard["kind"] == "schedule.created"
        async with http.stream("GET", "/events", headers={"Last-Event-ID": beat["id"]}) as stream:
            lines = stream.aiter_lines()
            kinds = [(await _next_event(lines))["kind"] for _ in range(2)]
            assert "schedule.created" in kinds
        refused = await http.get("/events?topics=weather")
        assert (refused.status_code, refused.json()["type"]) == (422, "urn:duly:problem:invalid-input")


async def _next_event(lines: AsyncIterator[str]) -> dict[str, Any]:
    async with asyncio.timeout(60):
        async for line in lines:
            if line.startswith("data: "):
                found: dict[str, Any] = json.loads(line.removeprefix("data: "))
                return found
    raise AssertionError("the stream has ended")


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "kind", "field"),
    [
        ("GET", "/schedules/nothing", None, 404, "not-found", None),
        ("POST", "/schedules", {"cron": "0 7 * * *"}, 422, "invalid-input", "name"),
        ("POST", "/schedules", PROMPT | {"cron": "61 * * * *"}, 422, "invalid-cron-expression", "cron"),
        ("POST", "/schedules", PROMPT | {"crno": "0 7 * * *"}, 422, "invalid-input", "crno"),
        ("POST", "/schedules", PROMPT | {"enabled": "yes"}, 422, "invalid-input", "enabled"),
        ("POST", "/schedules", PROMPT | {"description": "x" * 10_001}, 422, "invalid-input", "description"),
        ("POST", "/schedules", [], 422, "invalid-input", None),
        ("GET", "/schedules?limit=0", None, 422, "invalid-input", "limit"),
        ("GET", "/schedules?limit=1.0", None, 422, "invalid-input", "limit"),
        ("GET", "/schedules?enabled=1", None, 422, "invalid-input", "enabled"),
        ("GET", "/schedules?cursor=x", None, 422, "invalid-input", None),
        ("GET", "/schedules?colour=red", None, 422, "unknown-parameter", "colour"),
        ("GET", "/schedules?limit=1&limit=2", None, 422, "repeated-parameter", "limit"),
        ("GET", "/preview?when=when+pigs+fly", None, 422, "phrase", "when"),
        ("GET", "/nothing", None, 404, "no-such-path", None),
        ("PUT", "/schedules/x", {}, 405, "method-not-allowed", None),
        ("POST", "/schedules/x/pause", {"a": 1}, 400, "unexpected-body", None),
        ("GET", "/journal?kind=nothing", None, 422, "invalid-input", None),
        ("GET", "/health?kind=nothing", None, 422, "invalid-input", None),
    ],
)
async def test_faults_are_problems(
    tmp_path: Path, method: str, path: str, body: Any, status: int, kind: str, field: str | None
) -> None:
    async with api(tmp_path) as ask:
        found = await ask.refused(status, method, path, body)
        assert (found["type"], found.get("field")) == (f"urn:duly:problem:{kind}", field)


async def test_bodies_that_are_no_json(tmp_path: Path) -> None:
    async with api(tmp_path) as ask:
        json_type = {"Content-Type": "application/json"}
        for body in (b"{", b"[" * 5_000, b'{"name": "\xff"}', b'{"a":' + b"1" * 5000 + b"}"):
            found = await ask.refused(400, "POST", "/schedules", content=body, headers=json_type)
            assert found["type"] == "urn:duly:problem:malformed-body"
        plain = {"Content-Type": "text/plain"}
        assert (await ask.refused(415, "POST", "/schedules", content=b"{}", headers=plain))["field"] == "Content-Type"
        assert await ask.refused(413, "POST", "/schedules", content=b" " * 1_000_001, headers=json_type)
        await ask.refused(413, "POST", "/schedules", content=b"[" * 100_000, headers=json_type)
        lone = json.dumps(PROMPT | {"description": "\ud800"}).encode()
        assert await ask.refused(422, "POST", "/schedules", content=lone, headers=json_type)
        assert (await ask.done("GET", "/schedules"))["items"] == []


async def test_a_method_that_an_address_does_not_have_names_those_it_has(tmp_path: Path) -> None:
    async with api(tmp_path) as ask:
        assert (await ask("PUT", "/schedules/x")).headers["allow"] == "DELETE, GET, PATCH"
        assert (await ask("DELETE", "/openapi.json")).headers["allow"] == "GET"


async def test_tokens(tmp_path: Path) -> None:
    async with api(tmp_path, "admin:ro") as ask:
        answer = await ask.here.http.get(f"{API}/schedules")
        assert (answer.status_code, told(answer)["field"]) == (401, "Authorization")
        assert answer.headers["www-authenticate"] == 'Bearer realm="duly"'
        denied = await ask.refused(403, "POST", "/schedules", content=b"[" * 500_000)
        assert denied["detail"] == "cannot POST /api/v1/schedules: scope admin:ro may only look"
        assert (await ask.here.http.get(f"{API}/openapi.json")).json()["openapi"] == "3.1.0"


async def test_a_token_that_asks_too_often_is_told_when_to_come_back(tmp_path: Path) -> None:
    async with api(tmp_path, limits=ServerLimits(requests_per_minute=3)) as ask:
        left = [(await ask("GET", "/me")).headers["ratelimit-remaining"] for _ in range(3)]
        assert left == ["2", "1", "0"]
        answer = await ask("GET", "/me")
        assert (answer.status_code, answer.headers["retry-after"]) == (429, "20")
        assert told(answer)["type"] == "urn:duly:problem:too-many-requests"
        other = Api(ask.here, await ask.here.token("user:local"))
        assert (await other("GET", "/me")).status_code == 200
        await ask.here.clock.travel(seconds=20)
        assert (await ask("GET", "/me")).status_code == 200


async def test_without_a_store_the_api_says_so(tmp_path: Path) -> None:
    async with api(tmp_path) as ask:

        async def gone(*_: Any) -> None:
            raise StoreUnavailableError("the disk is on fire")

        ask.here.runtime.services.tokens.caller = gone  # type: ignore[method-assign, assignment]
        answer = await ask("GET", "/schedules")
        assert (answer.status_code, answer.headers["retry-after"]) == (503, "5")
        assert told(answer)["type"] == "urn:duly:problem:store-unavailable"


async def test_probes_need_no_token_and_name_nothing(tmp_path: Path) -> None:
    async with api(tmp_path) as ask:
        alive = await ask.here.http.get("/healthz")
        ready = await ask.here.http.get("/readyz")
        assert (alive.status_code, alive.json()) == (200, {"status": "ok"})
        assert (ready.status_code, ready.json()) == (200, {"status": "ready"})


async def test_a_problem_becomes_the_error_it_was(tmp_path: Path) -> None:
    async with api(tmp_path) as ask:
        error = error_of(await ask.refused(422, "POST", "/schedules", PROMPT | {"cron": "0 25 * * *"}))
        assert isinstance(error, InvalidCronExpressionError)
        assert (error.field, error.expression) == ("hour", "0 25 * * *")
        assert isinstance(error_of(await ask.refused(404, "GET", "/runs/run_1")), NotFoundError)
