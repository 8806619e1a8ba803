"""Signed links in mail, and the one route for any other chat."""

from __future__ import annotations

import stat
from datetime import timedelta
from pathlib import Path

import httpx

from duly.channels.inbound import sign_link
from duly.ports.channels import ButtonKind
from duly.runtime.links import link_secret, link_to
from duly.runtime.secret_files import secret_file
from duly.service.access.scopes import ADMIN, Caller, Face
from duly.service.schedules.fields import ReminderView
from tests.world import World, served, world

PUBLIC = "https://duly.example/base/"


async def link(here: World, view: ReminderView, kind: ButtonKind = ButtonKind.DONE) -> str:
    """The path that a mail about this reminder leads to."""
    token = f"{kind}:{(await here.latest(view)).token}" + (":10" if kind is ButtonKind.SNOOZE else "")
    made = link_to(here.runtime)(token, kind)
    assert made is not None
    assert made.startswith("https://duly.example/base/answer/")
    return made.removeprefix("https://duly.example/base")


def check_headers(page: httpx.Response) -> None:
    policy = page.headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; form-action 'self'")
    assert page.headers["cache-control"] == "no-store"
    assert page.headers["referrer-policy"] == "no-referrer"
    assert page.headers["content-type"] == "text/html; charset=utf-8"


async def test_opening_a_link_changes_nothing_and_pressing_its_button_counts_once(tmp_path: Path) -> None:
    async with world(tmp_path, public_url=PUBLIC) as here:
        ana = await here.person("Ana", language="de")
        view = await here.remind(ana, "Nimm <b>sie</b>", require_ack=True)
        await here.clock.travel(minutes=5)
        path = await link(here, view)
        for _ in range(3):
            page = await here.http.get(path)
            assert page.status_code == 200
            assert page.text.count("<button") == 1
            assert ">Erledigt</button>" in page.text
            assert "Nimm &lt;b&gt;sie&lt;/b&gt;" in page.text
            check_headers(page)
        assert await here.status(view) == "awaiting_ack"

        done = await here.http.post(path)
        assert (done.status_code, await here.status(view)) == (200, "acked")
        assert "✓ Erledigt: Nimm &lt;b&gt;sie" in done.text
        check_headers(done)
        assert "schon vorbei" in (await here.http.post(path)).text
        assert "<button" not in (await here.http.get(path)).text
        assert len(await here.runtime.store.reminders.answers((await here.latest(view)).run_id)) == 1


async def test_a_link_snoozes_for_as_long_as_its_button_says(tmp_path: Path) -> None:
    async with world(tmp_path, public_url=PUBLIC) as here:
        view = await here.remind(await here.person("Ana"), require_ack=True)
        await here.clock.travel(minutes=5)
        path = await link(here, view, ButtonKind.SNOOZE)
        assert ">10 min later</button>" in (await here.http.get(path)).text
        await here.http.post(path)
        assert (await here.latest(view)).wake_at == here.clock.now() + timedelta(minutes=10)


async def test_links_that_expired_or_were_altered_are_refused(tmp_path: Path) -> None:
    async with world(tmp_path, public_url=PUBLIC) as here:
        view = await here.remind(await here.person("Ana"), require_ack=True)
        await here.clock.travel(minutes=5)
        path = await link(here, view)
        token = (await here.latest(view)).token
        soon = here.clock.now() + timedelta(days=1)
        forged = sign_link("another secret", f"done:{token}", ButtonKind.DONE, soon)
        altered = path.replace(".done.", ".dismiss.")
        for bad in (f"/answer/{forged}", altered, path[:-2], "/answer/x", "/answer/%F0%9F%92%8A.%00"):
            for answer in (await here.http.get(bad), await here.http.post(bad)):
                assert answer.status_code == 403
                check_headers(answer)
        unknown = sign_link(link_secret(here.runtime), "done:AAAAAAAAAAAA", ButtonKind.DONE, soon)
        assert (await here.http.get(f"/answer/{unknown}")).status_code == 404
        assert (await here.http.post(f"/answer/{unknown}")).status_code == 404
        here.clock.advance(timedelta(days=9))
        late = await here.http.post(path)
        assert late.status_code == 403
        assert "expired" in late.text
        assert not await here.runtime.store.reminders.answers((await here.latest(view)).run_id)


async def test_a_link_of_a_removed_reminder_says_so(tmp_path: Path) -> None:
    async with world(tmp_path, public_url=PUBLIC) as here:
        ana = await here.person("Ana")
        removed, forgotten = await here.remind(ana, "a", require_ack=True), await here.remind(ana, "b")
        await here.clock.travel(minutes=5)
        paths = [await link(here, removed), await link(here, forgotten)]
        await here.runtime.services.reminder_service.remove(ana, removed.id)
        assert (await here.http.get(paths[0])).status_code == 404
        await here.runtime.services.reminder_service.people.remove(ana)
        for path in paths:
            assert (await here.http.get(path)).status_code == 404
            assert (await here.http.post(path)).status_code == 404


async def test_links_survive_a_restart_and_their_secret_is_for_its_owner_only(tmp_path: Path) -> None:
    async with world(tmp_path, public_url=PUBLIC) as here:
        view = await here.remind(await here.person("Ana"), require_ack=True)
        await here.clock.travel(minutes=5)
        path = await link(here, view)
    assert stat.S_IMODE((tmp_path / "link.secret").stat().st_mode) == 0o600
    async with world(tmp_path, public_url=PUBLIC, start=here.clock.now()) as here:
        assert (await here.http.post(path)).status_code == 200
        assert await here.status(view) == "acked"


# any other chat


async def test_any_chat_may_ask_whether_a_message_was_an_answer(tmp_path: Path) -> None:
    async with world(tmp_path) as here:
        ana = await here.person("Ana")
        await here.person("Eve")
        eves = {"Authorization": f"Bearer {await here.token('user:Eve')}"}
        anas = {"Authorization": f"Bearer {await here.token('user:Ana')}"}
        boss = {"Authorization": f"Bearer {await here.token('admin')}"}
        view = await here.remind(ana, require_ack=True)
        await here.clock.travel(minutes=5)

        async def says(text: str, headers: dict[str, str], **more: object) -> tuple[int, object]:
            answer = await here.post("/messages", {"channel": "irc", "text": text, **more}, headers)
            said = answer.json()
            assert ("fallback" in said) is (said.get("consumed") is False)  # for chats without an agent behind them
            said.pop("fallback", None)
            return answer.status_code, said

        assert await says("what's the weather like", anas) == (200, {"consumed": False, "reply": None})
        assert await says("weather?", anas, user="Ana") == (200, {"consumed": False, "reply": None})
        assert await says("", anas) == (200, {"consumed": False, "reply": None})
        assert await says("done", eves) == (200, {"consumed": False, "reply": None})
        assert (await says("done", eves, user=ana))[0] == 403
        assert (await says("done", {}))[0] == 401
        assert (await says("done", boss, user="Nobody"))[0] == 404
        assert await here.status(view) == "awaiting_ack"
        taken = {"consumed": True, "reply": "✓ Done: Take it"}
        assert await says("done", boss, user="Ana", message_id="m1") == (200, taken)
        assert await says("done", boss, user="Ana", message_id="m1") == (200, {"consumed": True, "reply": None})
        assert await here.status(view) == "acked"
        [answer] = await here.runtime.store.reminders.answers((await here.latest(view)).run_id)
        assert (answer.channel, answer.message_id, answer.response_text) == ("irc", "m1", "done")


async def test_an_invalid_message_is_refused_with_the_reason(tmp_path: Path) -> None:
    async with world(tmp_path) as here:
        boss = {"Authorization": f"Bearer {await here.token('admin')}"}
        bodies = [
            b"",
            b"{",
            b"[]",
            b"\xff",
            b"[" * 5_000,
            b'{"text": 5}',
            b'{"channel": "x"}',
            b'{"text": "a", "x": 1}',
        ]
        bodies += [
            b'{"text": "a\\u0000"}',
            b'{"text": "\\ud800"}',
            b'{"text": "a", "user": []}',
            b'{"text":"a","quoted":7}',
        ]
        for body in bodies:
            answer = await here.post("/messages", body, boss)
            assert answer.status_code == 422, body
            assert answer.json()["error"]
        for body in (b"x" * 1_000_001, b"[" * 100_000):
            assert (await here.post("/messages", body, boss)).status_code == 413
        readers = {"Authorization": f"Bearer {await here.token('admin:ro')}"}
        assert (await here.post("/messages", {"text": "done"}, readers)).status_code == 403


async def test_without_tokens_pages_of_other_sites_cannot_write_messages(tmp_path: Path) -> None:
    async with world(tmp_path, auth=False) as here:
        assert (await here.post("/messages", {"text": "hello"})).status_code == 200
        for headers in ({"Origin": "https://evil.example"}, {"Origin": "null"}, {"Host": "evil.example:8765"}):
            assert (await here.post("/messages", {"text": "hello"}, headers)).status_code == 401


def test_processes_that_make_a_secret_at_once_agree_on_one(tmp_path: Path) -> None:
    path = tmp_path / "link.secret"

    def make() -> str:
        """Let another process be quicker."""
        if not path.exists():
            secret_file(path, lambda: "theirs")
        return "ours"

    assert secret_file(path, make) == "theirs"
    assert [each.name for each in tmp_path.iterdir()] == ["link.secret"]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


async def test_a_link_answers_head_as_get_without_a_body_and_without_effect(tmp_path: Path) -> None:
    async with served(tmp_path, public_url=PUBLIC) as (here, place):
        view = await here.remind(await here.person("Ana"), require_ack=True)
        await here.clock.travel(minutes=5)
        calendar = await here.runtime.services.calendar.link(here.runtime.local(Face.API))
        answering = await link(here, view)
        feed = f"/calendar/{calendar.secret}.ics"
        async with httpx.AsyncClient(base_url=f"http://{place}", trust_env=False, timeout=60) as http:
            open_ones = ("/healthz", "/readyz", "/health", "/api/v1/openapi.json")
            for path in (answering, feed, "/answer/forged", "/calendar/none.ics", *open_ones):
                head = await http.head(path)
                used = [each.last_used_at for each in await here.runtime.services.calendar.links(Caller(ADMIN))]
                assert used == [None]
                got = await http.get(path) if path != feed else None
                assert head.content == b""
                if got is not None:
                    assert head.status_code == got.status_code
                    ours = {name: value for name, value in head.headers.items() if name != "date"}
                    assert ours == {name: value for name, value in got.headers.items() if name != "date"}
            head, got = await http.head(feed), await http.get(feed)
            assert head.status_code == got.status_code == 200
            assert (head.content, head.headers["etag"]) == (b"", got.headers["etag"])
            assert head.headers["content-length"] == str(len(got.content))
        assert await here.status(view) == "awaiting_ack"
