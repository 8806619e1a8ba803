"""Signing in to the dashboard: links that work once, sessions that end, and forms that only our own pages may send."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Coroutine
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from duly.ports.audit import AuditFilter
from duly.server.dashboard import sign_in_link
from duly.service.access.scopes import ADMIN, Caller
from duly.web.session import COOKIE, LINK_LIFE
from tests.world import World, served, world

_RIGHT = "right"
HTML = {"accept": "text/html"}
Scenario = Callable[[World], Coroutine[Any, Any, None]]


def play(folder: Path, scenario: Scenario, **options: Any) -> None:
    async def go() -> None:
        async with world(folder, **options) as here:
            await scenario(here)

    asyncio.run(go())


async def sign_in(here: World) -> httpx.Response:
    address = sign_in_link(here.runtime, "http://127.0.0.1:8765")
    return await here.http.get(address.removeprefix("http://127.0.0.1:8765"), headers=HTML)


async def csrf(here: World, path: str = "/settings") -> str:
    page = await here.http.get(path, headers=HTML)
    found = re.search(r'name="csrf" value="([^"]+)"', page.text)
    assert found is not None
    return found[1]


def test_a_link_signs_in_once_and_the_address_is_cleaned(tmp_path: Path) -> None:
    async def scenario(here: World) -> None:
        address = sign_in_link(here.runtime, "")
        first = await here.http.get(address, headers=HTML)
        assert first.status_code == 200
        assert 'content="0;url=/"' in first.text
        cookie = first.headers["set-cookie"]
        assert "HttpOnly" in cookie
        assert "SameSite=strict" in cookie
        assert (await here.http.get("/", headers=HTML)).status_code == 200
        here.http.cookies.clear()
        again = await here.http.get(address, headers=HTML)
        assert again.status_code == 401
        assert "used already" in again.text

    play(tmp_path, scenario)


def test_a_link_expires_after_a_day(tmp_path: Path) -> None:
    async def scenario(here: World) -> None:
        address = sign_in_link(here.runtime, "")
        here.clock.advance(LINK_LIFE.total_seconds() + 1)
        assert (await here.http.get(address, headers=HTML)).status_code == 401

    play(tmp_path, scenario)


def test_a_used_link_stays_used_over_a_restart(tmp_path: Path) -> None:
    kept: list[str] = []

    async def use(here: World) -> None:
        kept.append(sign_in_link(here.runtime, ""))
        assert (await here.http.get(kept[0], headers=HTML)).status_code == 200

    async def use_again(here: World) -> None:
        assert (await here.http.get(kept[0], headers=HTML)).status_code == 401

    play(tmp_path, use)
    play(tmp_path, use_again)


@pytest.mark.parametrize("token", ["", "x", "a.b", "%00", "é", "A" * 500])
def test_a_link_that_is_not_ours_signs_nobody_in(tmp_path: Path, token: str) -> None:
    async def scenario(here: World) -> None:
        answer = await here.http.get("/", params={"token": token}, headers=HTML)
        assert answer.status_code == 401
        assert COOKIE not in here.http.cookies

    play(tmp_path, scenario)


def test_without_a_session_every_page_asks_to_sign_in(tmp_path: Path) -> None:
    async def scenario(here: World) -> None:
        for path in ("/", "/settings", "/search", "/ui/palette", "/ui/live", "/ui/components"):
            answer = await here.http.get(path, headers=HTML)
            assert answer.status_code == 401, path
            assert "Sign in" in answer.text

    play(tmp_path, scenario)


def test_signing_out_ends_the_session_wherever_its_cookie_lies(tmp_path: Path) -> None:
    async def scenario(here: World) -> None:
        await sign_in(here)
        kept = here.http.cookies[COOKIE]
        left = await here.http.post("/signout", data={"csrf": await csrf(here)})
        assert left.status_code == 303
        here.http.cookies.set(COOKIE, kept, domain="127.0.0.1")
        assert (await here.http.get("/", headers=HTML)).status_code == 401

    play(tmp_path, scenario)


def test_a_session_of_a_token_has_its_rights_and_ends_with_it(tmp_path: Path) -> None:
    async def scenario(here: World) -> None:
        made = await here.runtime.services.tokens.create(Caller(ADMIN), "watcher", "admin:ro")
        answer = await here.http.post("/signin", data={"token": made.secret, "to": "//evil.example"})
        assert answer.headers["location"] == "/"
        page = await here.http.get("/", headers=HTML)
        assert "You may look at everything and change nothing." in page.text
        assert "/schedules/new" not in page.text
        await here.runtime.services.tokens.revoke(Caller(ADMIN), made.record.id)
        assert (await here.http.get("/", headers=HTML)).status_code == 401

    play(tmp_path, scenario)


def test_a_wrong_token_is_refused_and_noted(tmp_path: Path) -> None:
    async def scenario(here: World) -> None:
        answer = await here.http.post("/signin", data={"token": "duly_wrong"})
        assert answer.status_code == 401
        assert "is not known" in answer.text
        [entry] = await here.runtime.store.audit.entries(AuditFilter(kinds=("login.failed",), limit=5))
        assert "dashboard" in str(entry)

    play(tmp_path, scenario)


@pytest.mark.parametrize("to", ["/\t/evil.example", "/\n/evil.example", "//evil.example", "/\\evil.example", "/€", "x"])
def test_signing_in_leads_only_to_our_own_pages(tmp_path: Path, to: str) -> None:
    async def scenario(here: World) -> None:
        token = await here.token("admin")
        answer = await here.http.post("/signin", data={"token": token, "to": to})
        assert (answer.status_code, answer.headers["location"]) == (303, "/")

    play(tmp_path, scenario)


async def failed_logins(here: World) -> float:
    text = (await here.runtime.monitor.exposition()).decode()
    return sum(float(line.split()[-1]) for line in text.splitlines() if line.startswith("duly_logins_failed_total"))


@pytest.mark.parametrize("reason", ["no such sign-in link", "a forged cookie"])
def test_refused_links_and_forged_cookies_are_counted(tmp_path: Path, reason: str) -> None:
    async def scenario(here: World) -> None:
        await sign_in(here)
        session = here.http.cookies[COOKIE]
        await here.http.post("/signout", data={"csrf": await csrf(here)})
        here.http.cookies.clear()
        await here.http.get("/", headers={**HTML, "cookie": f"{COOKIE}={session}"})  # signed out, and not forged
        assert await failed_logins(here) == 0
        if reason == "a forged cookie":
            await here.http.get("/", headers={**HTML, "cookie": f"{COOKIE}={session}x"})
        else:
            await here.http.get("/", params={"token": "wrong"}, headers=HTML)
        assert await failed_logins(here) == 1
        [entry] = await here.runtime.store.audit.entries(AuditFilter(kinds=("login.failed",), limit=5))
        assert reason in str(entry)

    play(tmp_path, scenario)


@pytest.mark.parametrize(
    ("headers", "token", "code"),
    [
        ({}, None, 403),
        ({}, "wrong", 403),
        ({"origin": "http://evil.example"}, _RIGHT, 403),
        ({"origin": "null"}, _RIGHT, 403),
        ({"sec-fetch-site": "cross-site"}, _RIGHT, 403),
        ({"origin": "http://127.0.0.1:8765", "sec-fetch-site": "same-origin"}, _RIGHT, 204),
    ],
)
def test_only_forms_of_our_own_pages_are_taken(
    tmp_path: Path, headers: dict[str, str], token: str | None, code: int
) -> None:
    async def scenario(here: World) -> None:
        await sign_in(here)
        right = await csrf(here)
        data = {"theme": "dark"} | ({} if token is None else {"csrf": right if token == _RIGHT else token})
        answer = await here.http.post("/ui/settings", data=data, headers={**headers, "hx-request": "true"})
        assert answer.status_code == code

    play(tmp_path, scenario)


def test_a_form_token_of_another_session_is_refused(tmp_path: Path) -> None:
    async def scenario(here: World) -> None:
        await sign_in(here)
        other = await csrf(here)
        here.http.cookies.clear()
        await sign_in(here)
        answer = await here.http.post("/ui/settings", data={"csrf": other}, headers={"hx-request": "true"})
        assert answer.status_code == 403

    play(tmp_path, scenario)


def test_without_auth_this_machine_needs_no_sign_in_but_other_sites_get_nothing(tmp_path: Path) -> None:
    async def scenario(here: World) -> None:
        assert (await here.http.get("/", headers=HTML)).status_code == 200
        here.http.cookies.clear()
        rebound = await here.http.get("/", headers={**HTML, "host": "evil.example"})
        assert rebound.status_code == 401

    play(tmp_path, scenario, auth=False)


def test_a_session_expires(tmp_path: Path) -> None:
    async def scenario(here: World) -> None:
        await sign_in(here)
        kept = here.http.cookies[COOKIE]
        here.clock.advance(timedelta(days=31).total_seconds())
        answer = await here.http.get("/", headers={**HTML, "cookie": f"{COOKIE}={kept}"})
        assert answer.status_code == 401

    play(tmp_path, scenario)


def test_links_that_are_not_valid_count_as_attempts_and_the_right_one_still_works(tmp_path: Path) -> None:
    async def scenario(here: World) -> None:
        tried = [await here.http.get("/?token=bad") for _ in range(30)]
        assert [each.status_code for each in tried] == [401] * 10 + [429] * 20
        assert tried[-1].headers["Retry-After"] == "6"
        assert (await sign_in(here)).status_code == 200

    play(tmp_path, scenario)


@pytest.mark.parametrize(
    ("public_url", "allowed", "sources"),
    [
        (None, 10, {"127.0.0.1"}),
        ("https://duly.example.org", 12, {f"192.0.2.{number}" for number in range(12)}),
    ],
)
async def test_only_a_daemon_behind_a_proxy_believes_who_a_request_is_forwarded_for(
    tmp_path: Path, public_url: str | None, allowed: int, sources: set[str]
) -> None:
    async with (
        served(tmp_path, public_url=public_url) as (here, place),
        httpx.AsyncClient(base_url=f"http://{place}", trust_env=False) as http,
    ):
        for number in range(12):
            answer = await http.post(
                "/signin", data={"token": "duly_no"}, headers={"X-Forwarded-For": f"192.0.2.{number}"}
            )
            assert answer.status_code == (401 if number < allowed else 429)
        found = await here.runtime.store.audit.entries(AuditFilter(kinds=("login.failed",), limit=20))
        assert {json.loads(each.data)["source"] for each in found} == sources


def test_attempts_to_sign_in_are_limited_for_each_address_and_only_for_a_while(tmp_path: Path) -> None:
    async def scenario(here: World) -> None:
        made = await here.runtime.services.tokens.create(Caller(ADMIN), "mine", "admin")
        tried = [await here.http.post("/signin", data={"token": f"duly_{number}"}) for number in range(30)]
        assert [each.status_code for each in tried] == [401] * 10 + [429] * 20
        assert tried[-1].headers["Retry-After"] == "6"
        assert "Too many attempts from your address: try again in 6 s" in tried[-1].text
        assert (await here.http.post("/signin", data={"token": made.secret})).status_code == 429
        elsewhere = httpx.ASGITransport(here.app, client=("192.0.2.7", 1))
        async with httpx.AsyncClient(transport=elsewhere, base_url="http://127.0.0.1:8765") as other:
            assert (await other.post("/signin", data={"token": made.secret})).status_code == 303
        await here.clock.travel(seconds=7)
        assert (await here.http.post("/signin", data={"token": made.secret})).status_code == 303
        here.http.cookies.clear()
        assert (await sign_in(here)).status_code == 200  # a link of the local user needs no attempt
        await here.clock.travel(minutes=10)
        found = await here.runtime.store.audit.entries(AuditFilter(kinds=("login.failed",), limit=10))
        noted = [json.loads(each.data) for each in found]
        assert sorted((each["reason"], each["count"]) for each in noted) == [
            ("no such token", 1),
            ("no such token", 9),
            ("too many attempts to sign in", 1),
            ("too many attempts to sign in", 20),
        ]
        assert {(each["door"], each["source"]) for each in noted} == {("dashboard", "127.0.0.1")}

    play(tmp_path, scenario)
