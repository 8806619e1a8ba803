"""Lists are bounded on every face: in items, in characters, and in the memory that an answer takes.

The store of these tests holds 300 reminders with texts of 261,000 characters each. What one list after the other says
is walked page by page; every page is small, and all pages together have each reminder exactly once.
"""

from __future__ import annotations

import asyncio
import inspect
import json
import re
import tracemalloc
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mcp import Client

from duly import Duly
from duly.cli import app as command_line
from duly.cli.schedules import VERBS
from duly.entropy import random_bits
from duly.mcp.server import make_server
from duly.model.action import Message
from duly.model.events import RUN_FAILED, Event
from duly.model.run import Origin, Status
from duly.planning import lifecycle
from duly.ports.people import LOCAL_USER, namespace_of
from duly.ports.records import NewRun, Plan
from duly.ports.reminders import InboxItem
from duly.ports.store import FullStore
from duly.recurrence import Once
from duly.service.access.quotas import QuotaKeeper
from duly.service.access.scopes import ADMIN, Caller, Face
from duly.service.access.tokens import TokenService
from duly.service.journal import Journal
from duly.service.pages import EXCERPT, MAX_PAGE, READABLE, excerpt, fill
from duly.service.people.people import PeopleService
from duly.service.reminders.lists import ReminderLists
from duly.service.reminders.reminders import ReminderService
from duly.service.reminders.requests import no_job
from duly.service.reminders.views import InboxView
from duly.service.schedules.drafts import Draft, to_row
from duly.service.schedules.read_use_cases import ReadUseCases
from duly.service.schedules.schedules import ScheduleService
from duly.service.schedules.use_cases import UseCases
from duly.testing import VirtualClock
from duly.ws.frames import METHODS, Conversation, Listeners
from tests.bare_process import services_over
from tests.conformance.stores.harness import StoreHarness, full, make_harness
from tests.support import tries
from tests.world import START, World, world

MANY = 300
LONG = 261_000
MOST_BYTES = 1_000_000
MOST_MEMORY = 30_000_000
"""All texts together have 78 million characters; a list of all of them took a gigabyte."""
NAMES = [f"r{number:03}" for number in range(MANY)]
ME = Caller(ADMIN, None, Face.MCP)


async def _crowd(store: FullStore, clock: VirtualClock, names: list[str], length: int = LONG) -> None:
    """Reminders with long texts, a message in the inbox and a run with a long result for each."""
    due = START.replace(year=2030)
    for name in names:
        action = Message(text=f"{name} " + "x" * (length - len(name) - 1), user_id=LOCAL_USER)
        draft = Draft(name=name, namespace=namespace_of(LOCAL_USER), trigger=Once(due), action=action)
        await store.save([to_row(draft, clock.now(), no_job, random_bits)], lifecycle.create)
        item = InboxItem(user_id=LOCAL_USER, key=name, text=action.text, created_at=clock.now())
        await store.reminders.put(item)


@pytest.fixture(scope="module")
def crowded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data directory whose store holds all of that; tests only read it."""
    folder = tmp_path_factory.mktemp("crowded")

    async def prepare() -> None:
        async with world(folder) as here:
            await _crowd(here.runtime.store, here.clock, NAMES)
            row = await here.runtime.store.find(namespace_of(LOCAL_USER), NAMES[0])
            assert row is not None
            events = [Event(RUN_FAILED, START, row.id, data={"error": "y" * LONG}) for _ in range(MANY)]
            await here.runtime.store.record(events)

    asyncio.run(prepare())
    (folder / "duly.toml").write_text('store = "duly.db"\n', encoding="utf-8")
    return folder


@asynccontextmanager
async def _client(here: World) -> AsyncIterator[Client]:
    async with Client(make_server(here.runtime.services, lambda _request: ME)) as client:
        yield client


Ask = Callable[[str | None], Awaitable[tuple[str, list[dict[str, Any]], str | None]]]
"""Asks for the page of a cursor; gives the whole answer as text, its items and the next cursor."""


async def _walk(ask: Ask) -> list[dict[str, Any]]:
    """All items of a list, and that every page is small."""
    found: list[dict[str, Any]] = []
    cursor = None
    while True:
        text, items, cursor = await ask(cursor)
        assert len(text.encode()) < MOST_BYTES
        assert items
        found += items
        if cursor is None:
            return found


def _all_once(items: list[dict[str, Any]], text: str) -> None:
    assert [item["name"] for item in items] == NAMES
    for item in items:
        assert item[text].startswith(f"{item['name']} xxx")
        assert item[text].endswith("…")
        assert item["truncated"] == {text: LONG}


# each face


async def test_the_lists_of_mcp_are_bounded(crowded: Path) -> None:
    async with world(crowded) as here, _client(here) as client:

        def asking(tool: str, key: str, **more: Any) -> Ask:
            async def ask(cursor: str | None) -> tuple[str, list[dict[str, Any]], str | None]:
                given = {"limit": 200, **more, **({} if cursor is None else {"cursor": cursor})}
                answer = await client.call_tool(tool, given)
                assert not answer.is_error, answer.content
                content = answer.structured_content or {}
                return answer.model_dump_json(), content[key], content.get("next_cursor")

            return ask

        _all_once(await _walk(asking("schedule_list", "items")), "message")
        _all_once(await _walk(asking("scheduler", "jobs", action="list")), "message")
        whole = (await client.call_tool("scheduler", {"action": "get", "job_id": NAMES[7]})).structured_content or {}
        assert len(whole["job"]["message"]) == LONG


async def test_the_resource_of_events_is_bounded_and_goes_back_page_by_page(crowded: Path) -> None:
    async with world(crowded) as here, _client(here) as client:

        async def ask(cursor: str | None) -> tuple[str, list[dict[str, Any]], str | None]:
            more = "" if cursor is None else f"?cursor={cursor}"
            (read,) = (await client.read_resource(f"events://recent{more}")).contents
            page = json.loads(read.text)  # type: ignore[union-attr]
            return read.text, page["events"][::-1], page.get("next_cursor")  # type: ignore[union-attr]

        found = await _walk(ask)
        numbers = [each["seq"] for each in found]
        assert numbers == sorted(set(numbers), reverse=True)
        assert sum(each["event"] == "run.failed" for each in found) == MANY


async def test_the_list_of_the_websocket_is_bounded(crowded: Path) -> None:
    async with world(crowded) as here:
        conversation = Conversation(here.runtime.services, replace(ME, face=Face.API))

        async def ask(cursor: str | None) -> tuple[str, list[dict[str, Any]], str | None]:
            params = {} if cursor is None else {"cursor": cursor}
            answer = await conversation.answer(json.dumps({"id": 1, "method": "cron.list", "params": params}))
            return json.dumps(answer), answer["payload"]["jobs"], answer["payload"].get("next_cursor")

        _all_once(await _walk(ask), "message")
        whole = await conversation.answer(json.dumps({"id": 1, "method": "cron.get", "params": {"id": NAMES[7]}}))
        assert len(whole["payload"]["job"]["message"]) == LONG


async def test_what_is_pushed_is_bounded(tmp_path: Path) -> None:
    async with world(tmp_path) as here:
        listeners = Listeners(here.runtime.services.reminder_service.lists)
        here.runtime.engine._sinks.append(listeners.hear)
        queue = listeners.join(None)
        made = await here.remind(LOCAL_USER, "z" * 20_000, at="5m")
        await here.clock.travel(timedelta(minutes=6))
        payload = queue.get_nowait()["payload"]
        assert payload["job_id"] == made.id
        assert payload["message"] == "z" * READABLE + "…"
        assert payload["truncated"] == {"message": 20_000}


LISTS_OF_THE_COMMAND_LINE = {
    "list": ("items", "message"),
    "reminders": ("items", "message"),
    "inbox --all --keep": ("items", "text"),
}


@pytest.mark.parametrize("command", LISTS_OF_THE_COMMAND_LINE)
def test_the_lists_of_the_command_line_are_bounded(
    crowded: Path, capsys: pytest.CaptureFixture[str], command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(crowded)

    def say(*more: str) -> str:
        assert command_line.run([*command.split(), "--data-dir", str(crowded), *more], VirtualClock(START)) == 0
        said = capsys.readouterr().out
        assert len(said.encode()) < MOST_BYTES
        return said

    key, text = LISTS_OF_THE_COMMAND_LINE[command]
    found: list[dict[str, Any]] = []
    cursor: list[str] = []
    while True:
        page = json.loads(say("--json", "--limit", "500", *cursor))
        found += page[key]
        if page["next_cursor"] is None:
            break
        cursor = ["--cursor", page["next_cursor"]]
    assert len(found) == MANY
    assert sorted(item[text].partition(" ")[0] for item in found) == NAMES
    assert all(item["truncated"] == {text: LONG} for item in found)
    assert "--cursor" in say()


def test_one_message_of_the_inbox_is_shown_in_full(crowded: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command_line.run(["inbox", "--id", "7", "--data-dir", str(crowded)], VirtualClock(START)) == 0
    assert len(capsys.readouterr().out) == LONG + 1


async def test_a_list_takes_little_memory(crowded: Path) -> None:
    async with world(crowded) as here:
        lists = here.runtime.services.reminder_service.lists
        await lists.page(LOCAL_USER, limit=1)
        tracemalloc.start()
        try:
            await lists.page(LOCAL_USER, limit=MAX_PAGE)
            await lists.inbox(LOCAL_USER, limit=MAX_PAGE)
            await here.runtime.services.schedules.schedule_list(ME, limit=MAX_PAGE)
            _, most = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        assert most < MOST_MEMORY


# both stores


@pytest.fixture(params=["sqlite", "postgres"])
def shared(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[StoreHarness]:
    with make_harness(request.param, tmp_path) as made:
        yield made


async def test_pages_of_a_store_have_every_item_once_while_others_are_added(shared: StoreHarness) -> None:
    async with shared:
        store, clock = full(shared.store), VirtualClock(START)
        names = [f"n{number:02}" for number in range(20)]
        await _crowd(store, clock, names, length=2000)
        services = services_over(store, clock)
        reminders = services.reminder_service
        reads = services.schedules
        asks: list[Any] = [
            lambda cursor: reminders.lists.page(LOCAL_USER, cursor=cursor, limit=3),
            lambda cursor: reads.schedule_list(ME, cursor=cursor, limit=3),
            lambda cursor: reminders.lists.inbox(LOCAL_USER, unread=False, cursor=cursor, limit=3),
        ]
        for number, ask in enumerate(asks):
            found, cursor = await ask(None)
            while cursor is not None:
                coming = f"{number}-{len(found)}"
                await _crowd(store, clock, [f"m{coming}", f"n{coming}"], length=2000)
                page, cursor = await ask(cursor)
                found += page
            shown = [item.text.split()[0] if isinstance(item, InboxView) else item.name for item in found]
            assert len(shown) == len(set(shown))
            assert {name for name in shown if name in names} == set(names)
        people = reminders.people
        tokens = services.tokens
        for number in range(7):
            await people.add(f"p{number}")
            await tokens.create(Caller(), f"t{number}", "admin")
        for pages in (people.page, lambda cursor, limit: tokens.page(Caller(), cursor, limit)):
            seen: list[Any] = []
            cursor = None
            while True:
                some, cursor = await pages(cursor, 3)
                seen += some
                if cursor is None:
                    break
            assert len(seen) == len({str(each) for each in seen}) >= 7


async def test_the_history_goes_on_beyond_two_hundred_runs_with_large_results(shared: StoreHarness) -> None:
    async with shared:
        store, clock = full(shared.store), VirtualClock(START)
        await _crowd(store, clock, ["one"], length=20)
        reads = services_over(store, clock).schedules
        ids = [f"run_{number:032x}" for number in range(450)]

        def planner(due: Any) -> Plan:
            plan = Plan()
            for number, run_id in enumerate(ids):
                at = START.replace(microsecond=number)
                plan.runs.append(
                    NewRun(run_id, due[0].id, Origin.BACKFILL, at, at, "message", Status.SKIPPED, "r" * 3000)
                )
            return plan

        row = await store.find(namespace_of(LOCAL_USER), "one")
        assert row is not None
        await store.plan([row.id], planner)
        found: list[str] = []
        cursor = None
        while True:
            runs, cursor = await reads.schedule_history(ME, row.id, limit=200, cursor=cursor)
            assert all(len(each.reason or "") == EXCERPT + 1 for each in runs)
            assert len(runs) <= 200
            found += [each.id for each in runs]
            if cursor is None:
                break
        assert found == ids[::-1]
        service = ScheduleService(store, clock, no_job, random_bits)
        older = await service.history(row.id, limit=200, before=found[199])
        assert [each.id for each in older] == found[200:400]


# the rule itself


@settings(max_examples=tries(200))
@given(
    there=st.sets(st.integers(0, 200), max_size=60),
    limit=st.integers(1, 7),
    sizes=st.integers(1, 3000),
    coming=st.lists(st.tuples(st.integers(0, 200), st.booleans()), max_size=30),
    hidden=st.sets(st.integers(0, 200)),
)
def test_pages_have_what_was_there_throughout_exactly_once(
    there: set[int], limit: int, sizes: int, coming: list[tuple[int, bool]], hidden: set[int]
) -> None:
    """Rows come and go between two pages; a row that stays is listed once."""
    rows, changes, throughout = set(there), iter(coming), set(there)

    async def read(after: int | None, count: int) -> list[int]:
        return sorted(row for row in rows if after is None or row > after)[:count]

    async def show(some: Any) -> list[InboxView | None]:
        return [None if row in hidden else _view(row, sizes) for row in some]

    async def walk() -> list[int]:
        found: list[int] = []
        cursor = None
        while True:
            shown, cursor = await fill(read, show, lambda row: row, limit, after=cursor)
            assert len(shown) <= limit
            found += [view.id for view in shown]
            if cursor is None:
                return found
            for row, comes in [each for each in [next(changes, None)] if each is not None]:
                (rows.add if comes else rows.discard)(row)
                if not comes:
                    throughout.discard(row)

    found = asyncio.run(walk())
    assert found == sorted(set(found))
    assert {row for row in throughout if row not in hidden} <= set(found)


def _view(number: int, size: int) -> InboxView:
    return InboxView(
        id=number,
        user_id="u",
        run_id=None,
        key="k",
        text="x" * size,
        token=None,
        created_at=START,
        read_at=None,
    )


def test_a_value_that_is_cut_keeps_its_kind() -> None:
    class_of = use_cases_view()
    deep = {"a": "y" * 5000, "b": [{"c": "z" * 5000}] * 40, "k" * 9000: 1}
    cut = excerpt(replace(class_of, job_args=deep, last_result=["q" * 9000], prompt="p" * EXCERPT))
    assert isinstance(cut.job_args, dict)
    assert isinstance(cut.last_result, list)
    assert cut.prompt == "p" * EXCERPT
    assert cut.truncated is not None
    assert set(cut.truncated) == {"job_args", "last_result"}
    assert len(json.dumps(cut.job_args)) < 2 * EXCERPT


def use_cases_view() -> Any:
    from duly.service.schedules.fields import ScheduleView
    from duly.service.schedules.when import When

    return ScheduleView(id="s", name="n", namespace="d", enabled=True, when=When("w"), dispatch_mode="job")


# nothing new without a limit


LISTS, ONE = "lists", "one thing"
FRAMES = {
    "cron.list": LISTS,
    "cron.get": ONE,
    "cron.show": "the latest runs of one reminder, as many as asked for",
    "cron.add": ONE,
    "cron.update": ONE,
    "cron.remove": ONE,
    "cron.ack": ONE,
    "cron.snooze": ONE,
    "cron.dismiss": ONE,
    "wake_me": ONE,
    "prune": ONE,
    "subscribe": "events as they happen; a slow client is cut off",
    "unsubscribe": ONE,
}
COMMANDS = {
    "list": LISTS,
    "schedule list": LISTS,
    "schedule history": LISTS,
    "reminders": LISTS,
    "inbox": LISTS,
    "user list": LISTS,
    "token list": LISTS,
    "quotas": LISTS,
    "events": LISTS,
    "channels list": "as many as duly.toml has",
    "calendar list": "the links that a person made by hand",
    "trust": "as many files as the user has trusted",
    "sync": "as many as duly.toml has",
    "health": "twenty at most",
    "schedule backfill": "fifty at most",
    "schedule preview": "--count says how many",
    "next": "--count says how many",
}
"""Commands that show several things, and what bounds them; all others show one."""
BOUNDED_TOOLS = {
    "schedule_backfill": "fifty runs at most",
    "schedule_bulk": "the ids that failed, of a thousand at most",
    "calendar": "twenty links of a token at most, and the entries of one file",
}
BOUNDED_RESOURCES = {
    "schedule://{id}": ONE,
    "run://{id}": ONE,
    "details://{id}": ONE,
    "output://{id}{?attempt,target,offset}": "64 KB at most",
    "health://duly{?kind}": "twenty concerns at most",
    "needs://duly{?limit}": "a page at most",
    "day://{day}": "fourteen rows, and the others as one",
    "load://{day}": "the twenty busiest minutes",
    "nodes://duly{?id}": "as many as there are engines",
    "executors://duly{?name}": "as many as the file has",
}


async def test_every_tool_and_resource_that_lists_has_pages(tmp_path: Path) -> None:
    """A tool lists when its answer has an array of things that have ids."""
    async with world(tmp_path) as here, _client(here) as client:
        listing = set()
        for tool in (await client.list_tools()).tools:
            schema = tool.output_schema or {}
            if not _lists_things(schema):
                continue
            listing.add(tool.name)
            given = tool.input_schema["properties"]
            if tool.name in BOUNDED_TOOLS:
                continue
            assert "cursor" in given, f"{tool.name} lists things and takes no cursor"
            assert given["limit"]["maximum"] <= MAX_PAGE
            assert "next_cursor" in schema["properties"]
        assert listing == {"schedule_list", "schedule_history", "scheduler", *BOUNDED_TOOLS}
        for template in (await client.list_resource_templates()).resource_templates:
            assert template.uri_template in BOUNDED_RESOURCES or "cursor" in template.uri_template


def _lists_things(schema: dict[str, Any]) -> bool:
    for each in schema.get("properties", {}).values():
        options = [each, *each.get("anyOf", [])]
        for option in options:
            kind = str(option.get("items", {}).get("$ref", "")).rpartition("/")[2]
            if option.get("type") == "array" and "id" in schema.get("$defs", {}).get(kind, {}).get("properties", {}):
                return True
    return False


def test_every_method_of_the_websocket_that_lists_has_pages() -> None:
    assert METHODS.keys() == FRAMES.keys(), "say here of a new method whether it lists"
    for name, method in METHODS.items():
        assert (FRAMES[name] == LISTS) == ({"cursor", "limit"} <= set(method.takes))


def _help(words: str, capsys: pytest.CaptureFixture[str]) -> str:
    assert command_line.run([*words.split(), "--help"]) == 0
    return capsys.readouterr().out


def _all_commands(capsys: pytest.CaptureFixture[str]) -> Iterator[str]:
    for name in command_line.COMMANDS:
        verbs = list(VERBS) if name == "schedule" else []
        if found := re.search(r"positional arguments:\n  \{([a-z,]+)\}", _help(name, capsys)):
            verbs = found[1].split(",")
        yield from (f"{name} {verb}" for verb in verbs) if verbs else (name,)


def test_every_command_that_lists_has_pages(capsys: pytest.CaptureFixture[str]) -> None:
    for words, bound in COMMANDS.items():
        said = _help(words, capsys)
        assert bound != LISTS or ("--limit" in said and ("--cursor" in said or "--before" in said)), words
    there = set(_all_commands(capsys))
    verbs_that_list = {words for words in there if re.search(r"\b(list|history|log|search|find|all)$", words)}
    assert {words.removesuffix(" list") for words in verbs_that_list} <= {
        words.removesuffix(" list") for words in COMMANDS
    }, "say here what bounds a new list"


BOUNDED_METHODS = {
    "ReminderLists.fired": "one for each person of a run",
    "ReminderLists.gathered": "a hundred at most",
    "ReminderLists.overdue": "a thousand at most, for the log",
    "ReminderLists.rows": "reads page by page",
    "ReminderService.deliveries": "what was sent for one run",
    "ReminderService.pending": "counted, never shown",
    "ReminderService.recover_missed_jobs": "a thousand at most, for the log",
    "ScheduleService.save": "one id for each that was handed in",
    "ScheduleService.backfill": "ten thousand at most",
    "ScheduleService.schedules": "the filter has a limit",
    "UseCases.schedule_backfill": "fifty at most",
    "Duly.backfill": "ten thousand at most",
    "Duly.schedule_many": "one for each that was handed in",
    "Duly.add": "one id for each that was handed in",
    "Duly.schedules": "the filter has a limit",
    "Duly.preview": "count says how many",
}


@pytest.mark.parametrize(
    "service",
    [
        ReadUseCases,
        UseCases,
        ReminderService,
        ReminderLists,
        PeopleService,
        TokenService,
        Journal,
        ScheduleService,
        QuotaKeeper,
        Duly,
    ],
    ids=lambda each: each.__name__,
)
def test_every_use_case_that_gives_a_list_has_a_limit(service: type) -> None:
    for name, method in inspect.getmembers(service, inspect.isfunction):
        given = inspect.signature(method)
        if name.startswith("_") or "list[" not in str(given.return_annotation):
            continue
        key = f"{service.__name__}.{name}"
        assert "limit" in given.parameters or key in BOUNDED_METHODS, f"{key} gives a list without a limit"
