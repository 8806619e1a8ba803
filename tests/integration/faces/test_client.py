"""The client against a real daemon: typed views, pages, the errors of the library, and patience."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import pytest

from duly.client import AsyncClient, Client, ServerUnreachableError
from duly.client.client import AsyncCall, AsyncPages, AsyncShown, SyncCall, SyncPages, SyncShown
from duly.errors import AccessDeniedError, ConflictError, DulyError, InvalidCronExpressionError, NotFoundError
from duly.operations.ask import PageOf
from duly.operations.catalogue import operations
from duly.service.schedules.fields import ScheduleView
from tests.world import World, served, world

PROMPT: dict[str, Any] = {"cron": "0 7 * * 1-5", "prompt": "Read the news"}
NOT_THERE = {"followEvents", "getMinute", "spreadMinute", "answerNewestReminder"} | {
    "beginExecution",
    "beatExecution",
    "endExecution",
}
"""Operations without a method of the same name: `events` and `answer_reminder` are theirs; the others are for pages
and for workers, which have no token of duly."""


@asynccontextmanager
async def client(folder: Path, scope: str = "admin") -> AsyncIterator[tuple[AsyncClient, World]]:
    async with world(folder) as here:
        transport = httpx.ASGITransport(here.app)
        async with AsyncClient("http://127.0.0.1:8765", await here.token(scope), transport=transport) as made:
            yield made, here


def test_every_operation_has_a_method_on_both_clients() -> None:
    for operation in operations():
        if operation.id in NOT_THERE:
            continue
        is_page = isinstance(operation.gives, PageOf)
        assert isinstance(vars(Client)[operation.name], SyncPages if is_page else SyncCall | SyncShown), operation.name
        assert isinstance(vars(AsyncClient)[operation.name], AsyncPages if is_page else AsyncCall | AsyncShown)


def test_a_method_asks_for_the_operation_of_its_name() -> None:
    for kind in (Client, AsyncClient):
        for name, member in vars(kind).items():
            if not isinstance(member, SyncCall | SyncPages | SyncShown | AsyncCall | AsyncPages | AsyncShown):
                continue
            given = {
                key: {} if "Object" in str(each.annotation) or "Mapping" in str(each.annotation) else "x"
                for key, each in inspect.signature(member.make).parameters.items()
                if each.default is inspect.Parameter.empty and each.kind is not inspect.Parameter.VAR_KEYWORD
            }
            asked = member.make(**given).operation
            assert asked.name == ("answer_newest_reminder" if name == "answer_reminder" else name)


async def test_views_are_those_of_the_library(tmp_path: Path) -> None:
    async with client(tmp_path) as (ask, here):
        made = await ask.create_schedule("news", **PROMPT)
        assert isinstance(made, ScheduleView)
        assert made == await ask.get_schedule("news")
        for number in range(4):
            await ask.create_schedule(f"s{number}", **PROMPT)
        assert [each.name async for each in ask.list_schedules(limit=2)] == ["news", "s0", "s1", "s2", "s3"]
        run = await ask.trigger_schedule("news")
        detail = await ask.get_run(run.id)
        assert (detail.run.id, detail.kind) == (run.id, "agent")
        day = await ask.get_day()
        assert day.now == here.clock.now()
        assert {each.name for each in day.groups} == {"news", "s0", "s1", "s2", "s3"}
        fires = await ask.list_fires(datetime(2026, 11, 17, tzinfo=UTC), datetime(2026, 11, 18, tzinfo=UTC))
        assert len(fires.fires) == 5
        assert (await ask.get_figures([made.id])).figures[made.id].outcomes[0].run_id == run.id
        assert (await ask.get_caller()).scope == "admin"
        assert (await ask.get_health()).state in ("green", "yellow")
        written = [each.event async for each in ask.list_journal(schedule="news")]
        assert "schedule.created" in written


async def test_changes_carry_versions_and_ways_back(tmp_path: Path) -> None:
    async with client(tmp_path) as (ask, _):
        made = await ask.create_schedule("news", **PROMPT)
        changed = await ask.update_schedule("news", version=made.version, description="daily")
        assert changed.description == "daily"
        with pytest.raises(ConflictError) as refused:
            await ask.update_schedule("news", version=made.version, description=None)
        assert refused.value.current_version == changed.version
        paused = await ask.pause_schedule("news")
        assert paused.undo is not None
        assert (await ask.undo_step(paused.undo)).sentence == "undone: news paused"
        assert (await ask.get_schedule("news")).enabled


async def test_reminders_are_made_and_answered(tmp_path: Path) -> None:
    async with client(tmp_path, "user:local") as (ask, here):
        made = await ask.create_reminder({"type": "once", "at": "5m"}, "Take it", require_ack=True)
        await here.clock.travel(minutes=6)
        [message] = [each async for each in ask.list_messages()]
        assert message.run_id is not None
        assert (await ask.get_inbox()).waiting[0].schedule_id == made.id
        assert [each.channel async for each in ask.list_deliveries(message.run_id)] == ["inbox"]
        assert (await ask.answer_reminder("ack")).job_id == made.id


async def test_messages_are_read_page_by_page(tmp_path: Path) -> None:
    async with client(tmp_path, "user:local") as (ask, here):
        for text in ("a", "b", "c"):
            await ask.create_reminder({"type": "once", "at": "5m"}, text)
        await here.clock.travel(minutes=6)
        assert sorted([each.text async for each in ask.read_messages(limit=1)]) == ["a", "b", "c"]
        assert [each async for each in ask.list_messages()] == []
        shown = [each async for each in ask.read_messages(unread=False, limit=2)]
        assert len(shown) == 3


async def test_problems_are_the_errors_of_the_library(tmp_path: Path) -> None:
    async with client(tmp_path, "project:shop") as (ask, _):
        with pytest.raises(NotFoundError, match="there is no schedule 'nothing'"):
            await ask.get_schedule("nothing")
        with pytest.raises(AccessDeniedError, match="jobs are for admins"):
            await ask.create_schedule("x", cron="0 7 * * *", job_name="x")
        with pytest.raises(InvalidCronExpressionError) as refused:
            await ask.preview_times(cron="61 * * * *")
        assert (refused.value.field, refused.value.position) == ("minute", 0)
    with pytest.raises(DulyError, match=r"server must be an address such as http://"):
        Client("localhost:8765")


def answering(*answers: int | Exception) -> tuple[list[httpx.Request], httpx.MockTransport]:
    """A daemon that answers with these codes, one after the other, then with a schedule."""
    seen: list[httpx.Request] = []
    waiting = list(answers)

    def answer(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        if not waiting:
            view = {
                "id": "sched_1",
                "name": "x",
                "namespace": "n",
                "enabled": True,
                "when": "w",
                "dispatch_mode": "job",
            }
            return httpx.Response(200, json={**view, "from_a_newer_daemon": 1})
        found = waiting.pop(0)
        if isinstance(found, Exception):
            raise found
        problem = {"type": "urn:duly:problem:store-unavailable", "detail": "the disk is on fire"}
        return httpx.Response(found, json=problem, headers={"Retry-After": "3"})

    return seen, httpx.MockTransport(answer)


def test_a_request_that_may_be_repeated_is_tried_again() -> None:
    waited: list[float] = []
    seen, transport = answering(503, httpx.ReadTimeout("slow"), 429)
    with Client("http://example", "t", transport=transport, sleep=waited.append) as ask:
        assert ask.create_schedule("x", **PROMPT).name == "x"
    assert len({each.headers["idempotency-key"] for each in seen}) == 1
    assert waited == [3, 0.5, 3]
    seen, transport = answering(503)
    fire = pytest.raises(DulyError, match="the disk is on fire")
    with Client("http://example", "t", transport=transport, sleep=waited.append) as ask, fire:
        ask.pause_schedule("x")
    assert len(seen) == 1


def test_a_daemon_that_is_not_there_is_told_with_its_address() -> None:
    seen, transport = answering(*[httpx.ConnectError("refused")] * 4)
    gone = pytest.raises(ServerUnreachableError, match=r"^cannot reach http://example:1: refused; does duly up run")
    with Client("http://example:1", "t", transport=transport, sleep=lambda _: None) as ask, gone:
        ask.get_schedule("x")
    assert len(seen) == 4


async def test_both_clients_talk_to_a_real_port_and_follow_changes(tmp_path: Path) -> None:
    async with served(tmp_path) as (here, place):
        token = await here.token("admin")
        async with AsyncClient(f"http://{place}", token) as ask:
            events = ask.events("schedule")
            assert (await anext(events)).kind == "beat"

            def make() -> str:
                with Client(f"http://{place}/api/v1/", token) as waiting:
                    waiting.create_schedule("news", **PROMPT)
                    return ", ".join(each.name for each in waiting.list_schedules())

            assert await asyncio.to_thread(make) == "news"
            await here.clock.travel(seconds=2)
            async with asyncio.timeout(60):
                while (heard := await anext(events)).kind == "beat":
                    pass
            assert heard.kind == "schedule.created"
            await events.aclose()  # type: ignore[attr-defined]  # it is a generator
