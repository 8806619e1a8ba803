"""Every change has an actor, failed logins are counted, and nothing in the audit can be altered without a trace."""

from __future__ import annotations

import asyncio
import inspect
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, nullcontext
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import apsw
import psycopg
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp import Client

from duly import Cron, Duly
from duly.config.settings import Butler, Settings
from duly.declarative import Scheduler
from duly.engine.settings import VIRTUAL
from duly.entropy import random_bits
from duly.mcp.server import make_server
from duly.model.audit import AuditHead, AuditLink
from duly.model.events import PERSON_ADDED, RUN_MISSED, SCHEDULE_FINISHED, Event
from duly.planning import lifecycle
from duly.planning.chain import ChainCheck
from duly.ports.audit import AuditFilter
from duly.ports.records import StoredSchedule
from duly.runtime.runtime import Runtime
from duly.server.guard import Guard
from duly.service.access.audit import acting_as
from duly.service.access.failed_logins import INTERVAL, MOST_SOURCES, FailedLogins
from duly.service.access.owning import Ownership
from duly.service.access.scopes import ADMIN, Caller, Face, Scope
from duly.service.access.tokens import TokenService
from duly.service.actions import Actions
from duly.service.attention.needs import Needs
from duly.service.calendar.calendar import CalendarUseCases
from duly.service.channels import ChannelUseCases
from duly.service.chat.conversations import Conversations
from duly.service.chat.sentences import SentenceReminders
from duly.service.configuration import ConfigUseCases
from duly.service.overview.overview import OverviewUseCases
from duly.service.people.people import PeopleService
from duly.service.people.use_cases import PeopleUseCases
from duly.service.pruning import PruneUseCases
from duly.service.reminders.inbox import InboxUseCases
from duly.service.reminders.lists import ReminderLists
from duly.service.reminders.reminders import ReminderService
from duly.service.schedules.read_use_cases import ReadUseCases
from duly.service.schedules.schedules import ScheduleService
from duly.service.schedules.sync import Sync
from duly.service.schedules.use_cases import UseCases
from duly.service.schedules.waking import WakeUps, WakeWish
from duly.service.undo import Undo
from duly.stores import open_store
from duly.testing import VirtualClock
from duly.ws.frames import Conversation
from tests.memory_store.tables import next_link
from tests.postgres_server import server
from tests.unit.cli.command_line import CommandLine, command_line
from tests.world import world

__all__ = ["command_line"]
START = datetime(2026, 11, 16, 12, 0, tzinfo=UTC)
TESTER = Caller(ADMIN, "tok_tester", Face.API)
STORES = pytest.mark.parametrize("kind", ["sqlite", "postgres"])


@contextmanager
def _store_of(kind: str, folder: Path) -> Iterator[str]:
    with server().database() if kind == "postgres" else nullcontext(str(folder / "duly.db")) as url:
        yield url


@asynccontextmanager
async def _runtime(folder: Path, url: str | None = None) -> AsyncIterator[Runtime]:
    butler = Butler(name="b", schedules=({"name": "filed", "cron": "0 9 * * *", "prompt": "go", "spawner": "claude"},))
    projects = {"a": folder, "b": folder}
    settings = Settings(data_dir=folder, store=url or str(folder / "duly.db"), butler=butler, projects=projects)
    runtime = Runtime(settings, clock=VirtualClock(START), environment={})
    await runtime.open()
    try:
        yield runtime
    finally:
        await runtime.close()


# every change of every use case has an actor


async def _prompt(runtime: Runtime) -> str:
    form = {"name": "p", "cron": "0 9 * * *", "prompt": "go"}
    return (await runtime.services.use_cases.schedule_create(TESTER, form, namespace="default")).id


async def _row(runtime: Runtime) -> StoredSchedule:
    row = await runtime.store.get(await _prompt(runtime))
    assert row is not None
    return row


async def _spread(runtime: Runtime, schedule_id: str, spread: Callable[..., Awaitable[Any]] | None = None) -> None:
    row = await runtime.store.get(schedule_id)
    assert row is not None
    assert row.next_fire_at is not None
    if spread is not None:
        await spread(TESTER, row.next_fire_at, timedelta(minutes=15))
        return
    await runtime.services.overview.spread(TESTER, row.next_fire_at, timedelta(minutes=15), dry_run=False)


async def _run(runtime: Runtime) -> str:
    return (await runtime.services.use_cases.schedule_trigger(TESTER, await _prompt(runtime))).id


async def _reminder(runtime: Runtime, **options: Any) -> str:
    return (
        await runtime.services.reminder_service.create("local", {"type": "once", "at": "5m"}, "stretch", **options)
    ).id


async def _sent(runtime: Runtime) -> str:
    """A reminder that waits for an answer."""
    made = await _reminder(runtime, require_ack=True)
    await runtime.start_engine()
    await runtime.clock.travel(minutes=6)  # type: ignore[attr-defined]
    return made


async def _paused(runtime: Runtime) -> str:
    return (await runtime.services.actions.pause(TESTER, await _prompt(runtime))).undo or ""


async def _described(runtime: Runtime) -> tuple[str, int]:
    """A schedule that was changed, and the entry of that change."""
    made = await _prompt(runtime)
    await runtime.services.use_cases.update(TESTER, made, {"description": "x"})
    await runtime.services.use_cases.update(TESTER, made, {"description": "y"})
    return made, (await runtime.store.audit.head()).seq


async def _cancelled(runtime: Runtime) -> str:
    return (await runtime.services.use_cases.run_cancel(TESTER, await _run(runtime))).id


async def _awaited(runtime: Runtime) -> str:
    await _sent(runtime)
    [waiting] = await runtime.store.remembered.awaiting(5)
    return waiting.reminder.run_id


async def _needed(runtime: Runtime) -> str:
    """An item that can be marked as seen."""
    made = await _prompt(runtime)
    await runtime.store.record([Event(RUN_MISSED, START, made, data={"name": "p", "reason": "off", "count": 1})])
    items = (await runtime.services.needs.items(TESTER)).items
    return next(item.id for item in items if item.kind == "missed")


async def _deleted(runtime: Runtime) -> str:
    made = await _prompt(runtime)
    await runtime.services.use_cases.delete(TESTER, made)
    return made


async def _ana(runtime: Runtime) -> str:
    return (await runtime.services.reminder_service.people.add("ana")).user.id


async def _reached(runtime: Runtime) -> str:
    await runtime.services.reminder_service.people.add_channel(await _ana(runtime), "email", "ana@example.org")
    return "ana"


async def _code(runtime: Runtime) -> str:
    return await runtime.services.reminder_service.people.make_code(await _ana(runtime), "telegram")


async def _token(runtime: Runtime) -> str:
    return (await runtime.services.tokens.create(TESTER, "agent", "project:a")).record.id


async def _lost(runtime: Runtime) -> Any:
    made = await _sent(runtime)
    [reminder] = await runtime.store.reminders.of_schedule(made, 1)
    return (await runtime.store.reminders.attempts(reminder.run_id))[0]


def _schedules(runtime: Runtime) -> ScheduleService:
    return ScheduleService(runtime.store, runtime.clock, lambda _job: None, random_bits)


Change = tuple[Callable[[Runtime], Awaitable[Any]] | None, Callable[[Runtime, Any], Awaitable[Any]]]
"""What has to be there before, and the change."""
_DAY = timedelta(days=1)
CALENDAR_FILE = b"""BEGIN:VCALENDAR
VERSION:2.0
BEGIN:VEVENT
UID:a
SUMMARY:Gym
DTSTART:20990101T090000Z
END:VEVENT
END:VCALENDAR
"""


async def _linked(runtime: Runtime) -> str:
    return (await runtime.services.calendar.link(TESTER)).link.id


CHANGES: dict[str, Change] = {
    "UseCases.schedule_create": (None, lambda runtime, _: _prompt(runtime)),
    "UseCases.update": (
        _prompt,
        lambda runtime, it: runtime.services.use_cases.update(TESTER, it, {"description": "x"}),
    ),
    "UseCases.delete": (_prompt, lambda runtime, it: runtime.services.use_cases.delete(TESTER, it)),
    "UseCases.skip_next": (_prompt, lambda runtime, it: runtime.services.use_cases.skip_next(TESTER, it)),
    "UseCases.edit": (
        _row,
        lambda runtime, row: runtime.services.use_cases.edit(
            TESTER, row, "pause", lambda it: lifecycle.pause(it, START), None
        ),
    ),
    "UseCases.restore": (_deleted, lambda runtime, it: runtime.services.use_cases.restore(TESTER, it)),
    "UseCases.schedule_trigger": (_prompt, lambda runtime, it: runtime.services.use_cases.schedule_trigger(TESTER, it)),
    "UseCases.schedule_backfill": (
        _prompt,
        lambda runtime, it: runtime.services.use_cases.schedule_backfill(TESTER, it, START - 2 * _DAY, START),
    ),
    "UseCases.run_cancel": (_run, lambda runtime, it: runtime.services.use_cases.run_cancel(TESTER, it)),
    "ReminderService.create": (None, lambda runtime, _: _reminder(runtime)),
    "ReminderService.remind": (
        None,
        lambda runtime, _: runtime.services.reminder_service.remind("local", "stretch", delay_minutes=5),
    ),
    "ReminderService.update": (
        _reminder,
        lambda runtime, it: runtime.services.reminder_service.update("local", it, message="walk", enabled=False),
    ),
    "ReminderService.remove": (_reminder, lambda runtime, it: runtime.services.reminder_service.remove("local", it)),
    "ReminderService.skip_next": (
        _reminder,
        lambda runtime, it: runtime.services.reminder_service.skip_next("local", it),
    ),
    "ReminderService.answer": (_sent, lambda runtime, it: runtime.services.reminder_service.answer("local", "ack", it)),
    "ReminderService.handle_message": (
        _sent,
        lambda runtime, _: runtime.services.reminder_service.handle_message("local", "chat", "done"),
    ),
    "Conversations.handle": (
        None,
        lambda runtime, _: runtime.services.chat.handle("local", "chat", "remind me to walk tomorrow at 9"),
    ),
    "SentenceReminders.remind": (
        None,
        lambda runtime, _: runtime.services.sentences.remind(TESTER, None, "walk tomorrow at 9"),
    ),
    "PeopleService.add": (None, lambda runtime, _: _ana(runtime)),
    "PeopleService.update": (
        _ana,
        lambda runtime, it: runtime.services.reminder_service.people.update(it, language="hr"),
    ),
    "PeopleService.remove": (_ana, lambda runtime, it: runtime.services.reminder_service.people.remove(it)),
    "PeopleService.set_channels": (
        _reached,
        lambda runtime, it: runtime.services.reminder_service.people.set_channels(it, [("email", "a@example.org")]),
    ),
    "PeopleService.add_channel": (
        _ana,
        lambda runtime, it: runtime.services.reminder_service.people.add_channel(it, "email", "ana@example.org"),
    ),
    "PeopleService.remove_channel": (
        _reached,
        lambda runtime, it: runtime.services.reminder_service.people.remove_channel(it, "email", "ana@example.org"),
    ),
    "PeopleService.make_code": (
        _ana,
        lambda runtime, it: runtime.services.reminder_service.people.make_code(it, "telegram"),
    ),
    "PeopleUseCases.add": (None, lambda runtime, _: runtime.services.people.add(TESTER, {"name": "ana"})),
    "PeopleUseCases.update": (
        _ana,
        lambda runtime, it: runtime.services.people.update(TESTER, it, {"language": "hr"}),
    ),
    "PeopleUseCases.remove": (_ana, lambda runtime, it: runtime.services.people.remove(TESTER, it)),
    "PeopleUseCases.pair": (
        _ana,
        lambda runtime, it: runtime.services.people.pair(TESTER, it, "telegram", START),
    ),
    "TokenService.create": (None, lambda runtime, _: _token(runtime)),
    "TokenService.revoke": (_token, lambda runtime, it: runtime.services.tokens.revoke(TESTER, it)),
    "TokenService.rotate": (_token, lambda runtime, it: runtime.services.tokens.rotate(TESTER, it)),
    "TokenService.renew": (None, lambda runtime, _: runtime.services.tokens.renew(TESTER, None, "agent", "project:a")),
    "TokenService.grant": (
        _token,
        lambda runtime, it: runtime.services.tokens.grant(TESTER, it, taken=["prompts:claude"]),
    ),
    "Ownership.reown": (_prompt, lambda runtime, it: runtime.services.use_cases.ownership.reown(TESTER, it)),
    "ScheduleService.save": (None, lambda runtime, _: _saved(runtime)),
    "ScheduleService.pause": (_prompt, lambda runtime, it: _schedules(runtime).pause(it)),
    "ScheduleService.resume": (
        lambda runtime: _made_and_paused(runtime),
        lambda runtime, it: _schedules(runtime).resume(it),
    ),
    "ScheduleService.delete": (_prompt, lambda runtime, it: _schedules(runtime).delete(it)),
    "ScheduleService.restore": (_deleted, lambda runtime, it: _schedules(runtime).restore(it)),
    "ScheduleService.trigger": (_prompt, lambda runtime, it: _schedules(runtime).trigger(it)),
    "ScheduleService.backfill": (
        _prompt,
        lambda runtime, it: _schedules(runtime).backfill(it, START - 2 * _DAY, START),
    ),
    "ScheduleService.skip_next": (_prompt, lambda runtime, it: _schedules(runtime).skip_next(it)),
    "ScheduleService.cancel_run": (_run, lambda runtime, it: _schedules(runtime).cancel_run(it)),
    "Actions.pause": (_prompt, lambda runtime, it: runtime.services.actions.pause(TESTER, it)),
    "Actions.resume": (
        lambda runtime: _made_and_paused(runtime),
        lambda runtime, it: runtime.services.actions.resume(TESTER, it),
    ),
    "Actions.skip_next": (_prompt, lambda runtime, it: runtime.services.actions.skip_next(TESTER, it)),
    "Actions.delete": (_prompt, lambda runtime, it: runtime.services.actions.delete(TESTER, it)),
    "Actions.restore": (_deleted, lambda runtime, it: runtime.services.actions.restore(TESTER, it)),
    "Actions.update": (
        _prompt,
        lambda runtime, it: runtime.services.actions.update(TESTER, it, {"description": "x"}),
    ),
    "Actions.update_reminder": (
        _reminder,
        lambda runtime, it: runtime.services.actions.update_reminder(TESTER, it, {"message": "x"}),
    ),
    "Actions.put_back": (_described, lambda runtime, it: runtime.services.actions.put_back(TESTER, *it)),
    "Actions.trigger": (_prompt, lambda runtime, it: runtime.services.actions.trigger(TESTER, it)),
    "Actions.run_again": (_cancelled, lambda runtime, it: runtime.services.actions.run_again(TESTER, it)),
    "WakeUps.wake_me": (
        _run,
        lambda runtime, it: runtime.services.wake_ups.wake_me(TESTER, WakeWish(minutes=20, run_id=it)),
    ),
    "Actions.cancel_run": (_run, lambda runtime, it: runtime.services.actions.cancel_run(TESTER, it)),
    "Actions.backfill": (
        _prompt,
        lambda runtime, it: runtime.services.actions.backfill(TESTER, it, START - 2 * _DAY, START),
    ),
    "Actions.bulk": (_prompt, lambda runtime, it: runtime.services.actions.bulk(TESTER, "pause", ids=[it])),
    "Actions.spread": (
        _prompt,
        lambda runtime, it: _spread(runtime, it, runtime.services.actions.spread),
    ),
    "Undo.undo": (_paused, lambda runtime, it: runtime.services.undo.undo(TESTER, it)),
    "Undo.undo_last": (_paused, lambda runtime, _: runtime.services.undo.undo_last(TESTER)),
    "InboxUseCases.answer": (
        _awaited,
        lambda runtime, it: runtime.services.inbox.answer(TESTER, it, "done"),
    ),
    "OverviewUseCases.spread": (_prompt, lambda runtime, it: _spread(runtime, it)),
    "Needs.mark_seen": (_needed, lambda runtime, it: runtime.services.needs.mark_seen(TESTER, it)),
    "CalendarUseCases.link": (None, lambda runtime, _: runtime.services.calendar.link(TESTER)),
    "CalendarUseCases.rotate": (_linked, lambda runtime, it: runtime.services.calendar.rotate(TESTER, it)),
    "CalendarUseCases.revoke": (_linked, lambda runtime, it: runtime.services.calendar.revoke(TESTER, it)),
    "CalendarUseCases.import_ics": (
        None,
        lambda runtime, _: runtime.services.calendar.import_ics(TESTER, CALENDAR_FILE),
    ),
    "ChannelUseCases.send_test": (
        None,
        lambda runtime, _: runtime.services.channels.send_test(TESTER, "inbox", "local"),
    ),
}
CHANGES["PruneUseCases.prune"] = (None, lambda runtime, _: runtime.services.pruning.prune(TESTER, "30d"))
CHANGES["PruneUseCases.begin"] = (None, lambda runtime, _: runtime.services.pruning.begin(TESTER, "30d"))
BY_OTHERS: dict[str, tuple[str, *Change]] = {
    "Sync.sync_schedules": ("file", None, lambda runtime, _: runtime.sync_schedules()),
    "PeopleService.pair": (
        "user:",
        _code,
        lambda runtime, it: runtime.services.reminder_service.people.pair("telegram", "4711", it, "4711"),
    ),
    "ReminderService.deliver_again": ("duly", None, lambda runtime, _: _delivered_again(runtime)),
}
"""Changes whose actor is not the caller, and who it is."""
READS = {
    "Ownership": "ended_tokens",
    "ReadUseCases": "schedule_get shown defined checked warned schedule_list health schedule_history run_get shown_run "
    "schedule_preview",
    "UseCases": "editing switching",
    "ReminderService": "get show pending deliveries recover_missed_jobs",
    "ReminderLists": "page inbox inbox_item view gathered fired overdue",
    "PeopleService": "check_addresses get page by_address",
    "PeopleUseCases": "get page",
    "TokenService": "page caller caller_of_hash scheduled names note_mode",  # the mode is said at the start
    "ScheduleService": "get find schedules history get_run",
    "Sync": "",
    "Actions": "",
    "Undo": "last",
    "InboxUseCases": "view answered last_answers",
    "Conversations": "note_sent offers",
    "SentenceReminders": "read",
    "Needs": "items",
    "ChannelUseCases": "list test",
    "CalendarUseCases": "links export caller_of",
    "ConfigUseCases": "diff",
    "OverviewUseCases": "day fires load minute runs run_counts figures schedule_counts nodes calendar",
}
"""What changes nothing. Reading the inbox marks messages as read, a token notes when it was last used, and a step is
kept for undo: none of them is a change that an admin would ask about."""


async def _made_and_paused(runtime: Runtime) -> str:
    made = await _prompt(runtime)
    await runtime.services.use_cases.update(TESTER, made, {"enabled": False})
    return made


async def _saved(runtime: Runtime) -> None:
    from duly.model.action import Message
    from duly.model.policy import Policy
    from duly.service.schedules.drafts import Draft

    draft = Draft(name="d", namespace="default", trigger=Cron("0 9 * * *"), action=Message(text="x"), policy=Policy())
    await _schedules(runtime).save([draft])


async def _delivered_again(runtime: Runtime) -> None:
    made = await _reminder(runtime)
    await runtime.start_engine()
    await runtime.clock.travel(minutes=6)  # type: ignore[attr-defined]
    [reminder] = await runtime.store.reminders.of_schedule(made, 1)
    [attempt] = await runtime.store.reminders.attempts(reminder.run_id)
    from duly.model.reminder import AttemptStatus

    lost = replace(attempt, status=AttemptStatus.FAILED)
    await runtime.store.reminders.end_attempt(lost)
    assert await runtime.services.reminder_service.deliver_again(lost)


def test_every_use_case_is_listed_as_changing_or_reading() -> None:
    listed = {*CHANGES, *BY_OTHERS, *(f"{name}.{each}" for name, names in READS.items() for each in names.split())}
    services = (
        Ownership,
        ReadUseCases,
        UseCases,
        ReminderService,
        ReminderLists,
        PeopleService,
        PeopleUseCases,
        TokenService,
        ScheduleService,
        Sync,
        *(Conversations, SentenceReminders, WakeUps, PruneUseCases),
        *(Actions, Undo, InboxUseCases, Needs, ChannelUseCases, ConfigUseCases, OverviewUseCases, CalendarUseCases),
    )
    there = {
        f"{service.__name__}.{name}"
        for service in services
        for name, member in vars(service).items()
        if inspect.iscoroutinefunction(member) and not name.startswith("_")
    }
    assert there == listed, "a use case is missing here: say whether it changes anything, and show who did"


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_is_written_down_with_its_actor(name: str, tmp_path: Path) -> None:
    prepare, change = CHANGES[name]

    async def play() -> list[Any]:
        async with _runtime(tmp_path) as runtime:
            with acting_as(TESTER):
                await runtime.services.reminder_service.people.get("local")
                it = None if prepare is None else await prepare(runtime)
                before = await runtime.store.audit.head()
                await change(runtime, it)
            assert (await runtime.services.audit.verify(TESTER)).whole
            return await runtime.store.audit.entries(AuditFilter(after=before.seq))

    entries = asyncio.run(play())
    assert entries
    assert {entry.actor for entry in entries} == {"tok_tester"}
    assert all("face" in json.loads(entry.data) for entry in entries)


@pytest.mark.parametrize("name", BY_OTHERS)
def test_a_change_for_another_caller_names_that_caller(name: str, tmp_path: Path) -> None:
    actor, prepare, change = BY_OTHERS[name]

    async def play() -> list[Any]:
        async with _runtime(tmp_path) as runtime:
            it = None if prepare is None else await prepare(runtime)
            before = await runtime.store.audit.head()
            await change(runtime, it)
            return await runtime.store.audit.entries(AuditFilter(after=before.seq))

    assert asyncio.run(play())[0].actor.startswith(actor)


def test_the_local_user_is_named_with_account_and_machine(tmp_path: Path) -> None:
    async def play() -> Any:
        async with _runtime(tmp_path) as runtime:
            caller = runtime.local(Face.CLI)
            await runtime.services.use_cases.schedule_create(caller, {"name": "p", "cron": "0 9 * * *", "prompt": "go"})
            [entry] = await runtime.store.audit.entries(AuditFilter(kinds=("schedule.created",)))
            return entry

    entry = asyncio.run(play())
    assert entry.actor == "local"
    assert "@" in json.loads(entry.data)["account"]


async def test_the_library_and_declared_tasks_are_actors(tmp_path: Path) -> None:
    url, clock = str(tmp_path / "duly.db"), VirtualClock(START)
    app = Duly(url, clock=clock, settings=VIRTUAL)
    app.job(name="t")(_task)
    await app.open()
    await app.schedule("a", Cron("0 9 * * *"), job="t")
    await app.close()
    scheduler = Scheduler(url, clock=clock, tz="UTC", name="nightly")
    for cron in ("0 9 * * *", "0 8 * * *"):
        await scheduler.initialize([("b", cron, _task, timedelta(minutes=1))])
        await scheduler.stop()
    store = open_store(url, clock, inline=True)
    await store.open()
    entries = await store.audit.entries(AuditFilter())
    await store.close()
    assert [(entry.actor, entry.kind) for entry in entries] == [
        ("declarative:nightly", "TaskOverridden"),
        ("declarative:nightly", "schedule.created"),
        ("library", "schedule.created"),
    ]


async def _task() -> None:
    """Nothing to do."""


def test_an_address_is_not_kept_in_full(tmp_path: Path) -> None:
    async def play() -> str:
        async with _runtime(tmp_path) as runtime:
            await _reached(runtime)
            [entry] = await runtime.store.audit.entries(AuditFilter(kinds=("person.channel_added",)))
            return entry.data

    data = asyncio.run(play())
    assert "ana@example.org" not in data
    assert json.loads(data)["address"].endswith(".org")


# through the doors


async def test_an_agent_s_token_is_the_actor_of_its_reminders(tmp_path: Path) -> None:
    async with world(tmp_path) as here:
        made = await here.runtime.services.tokens.create(Caller(ADMIN), "agent", "user:local")
        headers = {"Authorization": f"Bearer {made.secret}"}
        body = {"user": "local", "channel": "chat", "text": "done"}
        await here.remind("local", require_ack=True)
        await here.clock.travel(minutes=6)
        answered = await here.post("/messages", body, headers)
        assert answered.json()["consumed"], answered.text
        [entry] = await here.runtime.store.audit.entries(AuditFilter(kinds=("reminder.answered",)))
        assert entry.actor == made.record.id


async def test_a_websocket_s_token_is_the_actor_of_its_reminders(tmp_path: Path) -> None:
    async with _runtime(tmp_path) as runtime:
        caller = Caller(Scope("user", "local"), "tok_ws", Face.API, "local")
        frame = {
            "id": 1,
            "method": "cron.add",
            "params": {"message": "stretch", "schedule": {"type": "once", "at": "5m"}},
        }
        assert (await Conversation(runtime.services, caller).answer(json.dumps(frame)))["ok"]
        [entry] = await runtime.store.audit.entries(AuditFilter(kinds=("schedule.created",)))
        assert entry.actor == "tok_ws"


async def test_an_agent_is_the_actor_of_what_its_tools_make(tmp_path: Path) -> None:
    async with _runtime(tmp_path) as runtime:
        caller = Caller(ADMIN, "tok_mcp", Face.MCP)
        async with Client(make_server(runtime.services, lambda _request: caller)) as client:
            await client.call_tool("remind", {"message": "stretch", "delay_minutes": 5})
        [entry] = await runtime.store.audit.entries(AuditFilter(kinds=("schedule.created",)))
        assert entry.actor == "tok_mcp"


async def test_an_answer_from_a_chat_names_the_person(tmp_path: Path) -> None:
    async with world(tmp_path) as here:
        ana = await here.person("ana")
        await here.remind(ana, require_ack=True)
        await here.clock.travel(minutes=6)
        await here.runtime.services.reminder_service.handle_message(ana, "telegram", "done")
        [entry] = await here.runtime.store.audit.entries(AuditFilter(kinds=("reminder.answered",)))
        assert entry.actor == f"user:{ana}"
        assert json.loads(entry.data)["channel"] == "telegram"


# failed logins


async def _failures(runtime: Runtime) -> list[tuple[str, dict[str, Any]]]:
    found = await runtime.store.audit.entries(AuditFilter(kinds=("login.failed",), limit=500))
    return [(entry.actor, json.loads(entry.data)) for entry in reversed(found)]


async def test_wrong_tokens_signatures_and_links_are_written_down(tmp_path: Path) -> None:
    slack = {"slack": {"token": "env:TOKEN", "signing_secret": "env:SECRET"}}
    secrets = {"TOKEN": "xoxb-1", "SECRET": "s"}
    async with world(tmp_path, slack, secrets, public_url="https://duly.example") as here:
        made = await here.runtime.services.tokens.create(Caller(ADMIN), "old", "admin")
        await here.runtime.services.tokens.revoke(Caller(ADMIN), made.record.id)
        assert (await here.post("/mcp", {}, {"Authorization": "Bearer duly_wrong"})).status_code == 401
        assert (await here.post("/messages", {}, {"Authorization": f"Bearer {made.secret}"})).status_code == 401
        assert (await here.post("/inbound/slack", {}, here.slack_headers(b"other"))).status_code == 401
        assert (await here.http.get("/answer/1.2.ack.x.y")).status_code == 403
        found = [(actor, data["door"], data["reason"], data["count"]) for actor, data in await _failures(here.runtime)]
        assert found == [
            ("unknown", "mcp", "no such token", 1),
            (made.record.id, "chat", "the token was revoked", 1),
            ("unknown", "inbound/slack", "wrong signature", 1),
            ("unknown", "answer", "wrong or expired link", 1),
        ]
        assert {data["source"] for _, data in await _failures(here.runtime)} == {"127.0.0.1"}


async def test_a_request_without_a_token_is_no_failed_login(tmp_path: Path) -> None:
    async with world(tmp_path) as here:
        assert (await here.post("/mcp", {})).status_code == 401
        assert (await here.http.get("/health")).status_code == 200
        assert await _failures(here.runtime) == []


async def test_a_flood_from_one_source_is_one_entry_and_a_count(tmp_path: Path) -> None:
    async with _runtime(tmp_path) as runtime:
        failed = FailedLogins(runtime.store, runtime.clock)
        guard = Guard(runtime.services.tokens, failed=failed)
        scope = {"headers": [(b"authorization", b"Bearer duly_no")], "client": ("192.0.2.7", 1), "path": "/mcp"}
        for _ in range(200):
            assert await guard.caller(scope) is None
        assert [data["count"] for _, data in await _failures(runtime)] == [1]
        await runtime.clock.travel(INTERVAL)  # type: ignore[attr-defined]
        assert [data["count"] for _, data in await _failures(runtime)] == [1, 199]
        await failed.close()
        assert [data["count"] for _, data in await _failures(runtime)] == [1, 199]


async def test_a_flood_from_many_sources_is_bounded(tmp_path: Path) -> None:
    async with _runtime(tmp_path) as runtime:
        failed = FailedLogins(runtime.store, runtime.clock)
        for number in range(1000):
            await failed.note("mcp", f"10.0.{number // 250}.{number % 250}", "no such token")
        assert len(await _failures(runtime)) == MOST_SOURCES + 1
        await failed.close()
        found = await _failures(runtime)
        assert len(found) == MOST_SOURCES + 2
        assert sum(data["count"] for _, data in found) == 1000
        assert found[-1][1]["source"] == "others"


async def test_addresses_of_one_network_are_one_source(tmp_path: Path) -> None:
    async with _runtime(tmp_path) as runtime:
        failed = FailedLogins(runtime.store, runtime.clock)
        for address in ("2001:db8::1", "2001:db8::ffff:2", "::ffff:192.0.2.1", "192.0.2.1", "x" * 5000, None):
            await failed.note("mcp", address, "no such token")
        await failed.close()
        sources = [data["source"] for _, data in await _failures(runtime)]
        assert sorted(set(sources)) == ["192.0.2.1", "2001:db8::/64", "unknown"]


async def test_a_request_is_refused_although_the_store_cannot_record_it(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with _runtime(tmp_path) as runtime:
        failed = FailedLogins(runtime.store, runtime.clock)
        await runtime.store.close()
        await failed.note("mcp", "192.0.2.1", "no such token")
        await failed.close()
        await runtime.store.open()
    assert "could not be written to the audit" in caplog.text


# the chain


def _chain(sizes: list[int]) -> tuple[AuditHead, list[AuditLink]]:
    head, links = AuditHead(), list[AuditLink]()
    for number, size in enumerate(sizes):
        events = [
            Event(
                PERSON_ADDED, START + timedelta(seconds=number), data={"by": f"a{place}", "user": f"{number}/{place}"}
            )
            for place in range(size)
        ]
        link, head = next_link(head, events)
        links.append(link)
    return head, links


def _broken_at(head: AuditHead, links: list[AuditLink]) -> int | None:
    check = ChainCheck(head)
    check.follow(links)
    check.finish(0)
    return None if check.broken is None else check.broken.link


SIZES = st.lists(st.integers(1, 4), min_size=2, max_size=6)
FIELDS: dict[str, Any] = {
    "at": START - timedelta(days=1),
    "kind": "person.removed",
    "actor": "somebody",
    "schedule_id": "sched_1",
    "run_id": "run_1",
    "data": "{}",
    "seq": 99,
    "link": 99,
}


@given(SIZES)
def test_a_chain_that_was_not_touched_is_whole(sizes: list[int]) -> None:
    assert _broken_at(*_chain(sizes)) is None


@given(SIZES, st.data(), st.sampled_from(sorted(FIELDS)))
def test_any_edit_of_any_field_is_found_where_it_is(sizes: list[int], data: st.DataObject, name: str) -> None:
    head, links = _chain(sizes)
    place = data.draw(st.integers(0, len(links) - 1))
    entries = list(links[place].entries)
    which = data.draw(st.integers(0, len(entries) - 1))
    entries[which] = replace(entries[which], **{name: FIELDS[name]})
    links[place] = replace(links[place], entries=tuple(entries))
    assert _broken_at(head, links) == place + 1


@given(SIZES, st.data(), st.sampled_from(["entry", "link", "insert", "swap entries", "swap links", "hash", "at"]))
def test_any_deletion_insertion_or_swap_is_found(sizes: list[int], data: st.DataObject, how: str) -> None:
    head, links = _chain(sizes)
    place = data.draw(st.integers(0, len(links) - 2))
    first, second = links[place], links[place + 1]
    if how == "entry":
        links[place] = replace(first, entries=first.entries[1:])
    elif how == "link":
        del links[place if data.draw(st.booleans()) else -1]
    elif how == "insert":
        links[place] = replace(
            first, entries=(*first.entries, replace(first.entries[-1], seq=first.entries[-1].seq + 1))
        )
    elif how == "swap entries":
        links[place] = replace(first, entries=second.entries)
        links[place + 1] = replace(second, entries=first.entries)
    elif how == "swap links":
        links[place : place + 2] = [second, first]
    elif how == "hash":
        links[place] = replace(first, hash="f" * 64)
    else:
        links[place] = replace(first, at=first.at + timedelta(seconds=1))
    assert _broken_at(head, links) is not None


async def _person(runtime: Runtime, name: str) -> None:
    with acting_as(TESTER):
        await runtime.services.reminder_service.people.add(name)


class _Hands:
    """Someone who can write the database past duly, and has removed the triggers."""

    def __init__(self, kind: str, url: str) -> None:
        self._kind = kind
        self._url = url

    def do(self, *statements: str) -> None:
        if self._kind == "postgres":
            with psycopg.connect(self._url, autocommit=True) as connection:
                connection.execute("SET session_replication_role = replica")
                for statement in statements:
                    connection.execute(statement.encode())
            return
        with self._file() as connection:
            for (name,) in list(connection.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'")):
                connection.execute(f"DROP TRIGGER {name}")
            for statement in statements:
                connection.execute(statement)

    def try_to(self, statement: str) -> str:
        """Gives what the database says, its triggers being there."""
        try:
            if self._kind == "postgres":
                with psycopg.connect(self._url, autocommit=True) as server_connection:
                    server_connection.execute(statement.encode())
            else:
                with self._file() as connection:
                    connection.execute(statement)
        except (psycopg.Error, apsw.Error) as error:
            return str(error)
        return "done"

    @contextmanager
    def _file(self) -> Iterator[apsw.Connection]:
        connection = apsw.Connection(self._url)
        connection.set_busy_timeout(5000)
        try:
            yield connection
        finally:
            connection.close()


@STORES
@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE audit SET actor = 'me' WHERE seq = 2",
        "DELETE FROM audit WHERE seq = 2",
        "UPDATE audit_links SET hash = 'x' WHERE number = 2",
        "DELETE FROM audit_links WHERE number = 2",
        "DELETE FROM audit_head",
        "UPDATE audit_head SET number = 1",
        "UPDATE audit_head SET cut_number = 99",
    ],
)
def test_the_database_refuses_to_alter_the_audit(kind: str, statement: str, tmp_path: Path) -> None:
    async def play(url: str) -> None:
        async with _runtime(tmp_path, url) as runtime:
            for name in ("ana", "bob", "cem"):
                await _person(runtime, name)
            assert "audit" in _Hands(kind, url).try_to(statement)
            assert (await runtime.services.audit.verify(TESTER)).whole

    with _store_of(kind, tmp_path) as url:
        asyncio.run(play(url))


TAMPERING = {
    "an entry was edited": ("UPDATE audit SET actor = 'me' WHERE seq = 2",),
    "an entry was removed": ("DELETE FROM audit WHERE seq = 2",),
    "an entry was added": (
        "INSERT INTO audit SELECT 9, 2, at, kind, actor, NULL, NULL, data FROM audit WHERE seq = 2",
    ),
    "a link was removed": ("DELETE FROM audit_links WHERE number = 2", "DELETE FROM audit WHERE link = 2"),
    "the newest link was removed": ("DELETE FROM audit_links WHERE number = 4", "DELETE FROM audit WHERE link = 4"),
    "two entries were swapped": (
        "UPDATE audit SET seq = 90 WHERE seq = 2",
        "UPDATE audit SET seq = 2, link = 2 WHERE seq = 3",
        "UPDATE audit SET seq = 3, link = 3 WHERE seq = 90",
    ),
    "the oldest links were cut off as if pruned": (
        "UPDATE audit_head SET cut_number = 2, cut_seq = 2, cut_hash = (SELECT hash FROM audit_links WHERE number = 2)",
        "DELETE FROM audit WHERE link <= 2",
        "DELETE FROM audit_links WHERE number <= 2",
    ),
    "an entry was put beside the chain": (
        "INSERT INTO audit SELECT 9, 9, at, kind, actor, NULL, NULL, data FROM audit WHERE seq = 2",
    ),
}


@STORES
@pytest.mark.parametrize("what", TAMPERING)
def test_tampering_past_the_triggers_is_found(kind: str, what: str, tmp_path: Path) -> None:
    async def play(url: str) -> None:
        async with _runtime(tmp_path, url) as runtime:
            for name in ("ana", "bob", "cem", "dan"):
                await _person(runtime, name)
            assert (await runtime.services.audit.verify(TESTER)).whole
            _Hands(kind, url).do(*TAMPERING[what])
            found = await runtime.services.audit.verify(TESTER)
            assert not found.whole
            assert found.broken_link in (2, 3, 4, 5)
            assert found.reason

    with _store_of(kind, tmp_path) as url:
        asyncio.run(play(url))


@STORES
def test_a_chain_that_was_written_anew_does_not_match_a_head_noted_before(kind: str, tmp_path: Path) -> None:
    async def play(url: str) -> None:
        async with _runtime(tmp_path, url) as runtime:
            for name in ("ana", "bob"):
                await _person(runtime, name)
            noted = str(await runtime.services.audit.head(TESTER))
            await _person(runtime, "cem")
            assert (await runtime.services.audit.verify(TESTER, noted)).whole
            _Hands(kind, url).do("DELETE FROM audit", "DELETE FROM audit_links", "DELETE FROM audit_head")
            for name in ("eva", "fay", "gil"):
                await _person(runtime, name)
            assert (await runtime.services.audit.verify(TESTER)).whole  # all of it is new: by itself it is a good chain
            assert not (await runtime.services.audit.verify(TESTER, noted)).whole

    with _store_of(kind, tmp_path) as url:
        asyncio.run(play(url))


@STORES
def test_what_pruning_leaves_can_still_be_verified(kind: str, tmp_path: Path) -> None:
    async def play(url: str) -> None:
        async with _runtime(tmp_path, url) as runtime:
            for name in ("ana", "bob", "cem"):
                await _person(runtime, name)
                runtime.clock.advance(timedelta(days=20))  # type: ignore[attr-defined]
            now = runtime.clock.now()
            early, noted = await runtime.store.audit.links(0, 1), str(await runtime.services.audit.head(TESTER))
            prune = runtime.store.audit.prune
            assert (
                await prune(now - timedelta(days=58), now, 100) == 0
            )  # a cut at every round would tell of every round
            assert await prune(now - timedelta(days=30), now, 100) == 2
            assert await prune(now - timedelta(days=30), now, 100) == 0
            found = await runtime.services.audit.verify(TESTER, noted)
            assert (found.whole, found.cut_at, found.links) == (True, 2, 2)
            assert (await runtime.services.audit.verify(TESTER, f"1:{early[0].hash}")).whole
            kinds = [each.kind for each in await runtime.store.audit.entries(AuditFilter())]
            assert kinds == ["audit.pruned", "person.added"]
            await _person(runtime, "dan")
            assert (await runtime.services.audit.verify(TESTER)).whole
            assert not await runtime.store.audit.is_cut_short()
            _Hands(kind, url).do("UPDATE audit SET actor = 'me' WHERE seq = 3")
            assert (await runtime.services.audit.verify(TESTER)).broken_link == 3
            _Hands(kind, url).do("DELETE FROM audit")
            assert await runtime.store.audit.is_cut_short()

    with _store_of(kind, tmp_path) as url:
        asyncio.run(play(url))


async def test_an_engine_prunes_the_audit_after_its_own_time(tmp_path: Path) -> None:
    url, clock = str(tmp_path / "duly.db"), VirtualClock(START)
    app = Duly(url, clock=clock, settings=replace(VIRTUAL, audit_retention=timedelta(days=60)))
    app.job(name="t")(_task)
    kinds = []
    async with app:
        await app.schedule("a", Cron("0 9 1 1 *"), job="t")
        store = open_store(url, clock, inline=True)
        await store.open()
        for days in (62, 10):
            await clock.travel(days=days)
            kinds.append([each.kind for each in await store.audit.entries(AuditFilter())])
        await store.close()
    assert kinds == [["schedule.created"], ["audit.pruned"]]


@STORES
def test_writers_at_once_do_not_fork_the_chain(kind: str, tmp_path: Path) -> None:
    async def play(url: str) -> None:
        from duly.clock import SystemClock

        stores = [open_store(url, SystemClock()) for _ in range(3)]
        for store in stores:
            await store.open()
        try:
            told = [Event(PERSON_ADDED, START, data={"by": "a", "user": str(number)}) for number in range(20)]
            await asyncio.gather(*(store.record([each, each]) for each in told for store in stores))
            head = await stores[0].audit.head()
            assert head.seq == 120
            assert len(stores) <= head.number <= 60  # those who share a transaction share a link
            check = ChainCheck(head)
            check.follow(await stores[0].audit.links(0, 100))
            check.finish(await stores[0].audit.stray())
            assert check.broken is None
        finally:
            for store in stores:
                await store.close()

    with _store_of(kind, tmp_path) as url:
        asyncio.run(play(url))


@STORES
def test_what_is_rolled_back_leaves_no_entry(kind: str, tmp_path: Path) -> None:
    async def play(url: str) -> None:
        async with _runtime(tmp_path, url) as runtime:
            await _person(runtime, "ana")
            before = await runtime.store.audit.head()
            with pytest.raises(ValueError, match="taken"):
                await _person(runtime, "ana")
            assert await runtime.store.audit.head() == before

    with _store_of(kind, tmp_path) as url:
        asyncio.run(play(url))


async def test_runs_and_fires_write_no_entries(tmp_path: Path) -> None:
    async with world(tmp_path) as here:
        await here.runtime.services.reminder_service.create("local", {"type": "interval", "every": "1m"}, "stretch")
        before = await here.runtime.store.audit.head()
        await here.clock.travel(minutes=30)
        await here.runtime.store.record([Event(SCHEDULE_FINISHED, here.clock.now(), data={"name": "x"})])
        assert await here.runtime.store.audit.head() == before


# reading it


async def test_tokens_read_entries_of_their_own_schedules_only(tmp_path: Path) -> None:
    async with _runtime(tmp_path) as runtime:
        await _person(runtime, "ana")
        for name in ("a", "b"):
            form: dict[str, Any] = {"name": name, "cron": "0 9 * * *", "prompt": f"secret {name}"}
            form |= {"targets": [{"project_id": name}]}
            await runtime.services.use_cases.schedule_create(TESTER, form, namespace="default")
        project = Caller(Scope("project", "a"), "tok_a", Face.MCP)
        found, _ = await runtime.services.audit.entries(project)
        assert [(each.kind, each.schedule, each.actor) for each in found] == [("schedule.created", "a", "tok_tester")]
        assert "secret" not in json.dumps([each.data for each in found])
        everything, _ = await runtime.services.audit.entries(TESTER)
        assert len(everything) == 3
        for question in (runtime.services.audit.head(project), runtime.services.audit.verify(project)):
            with pytest.raises(Exception, match="access denied"):
                await question


async def test_pages_filters_and_cursors(tmp_path: Path) -> None:
    async with _runtime(tmp_path) as runtime:
        for number in range(5):
            await _person(runtime, f"p{number}")
            runtime.clock.advance(60)  # type: ignore[attr-defined]
        names = []
        cursor = None
        while True:
            page, cursor = await runtime.services.audit.entries(TESTER, limit=2, cursor=cursor)
            names += [each.data["name"] for each in reversed(page)]
            if cursor is None:
                break
        assert names == ["p4", "p3", "p2", "p1", "p0"]
        later, _ = await runtime.services.audit.entries(TESTER, since=START + timedelta(minutes=3))
        earlier, _ = await runtime.services.audit.entries(
            TESTER, until=START + timedelta(minutes=3), kinds=("person.*",)
        )
        assert [len(later), len(earlier)] == [2, 3]
        assert (await runtime.services.audit.entries(TESTER, actor="local"))[0] == []
        for wrong in ({"kinds": ("persn.added",)}, {"limit": 0}, {"cursor": 0}):
            with pytest.raises(ValueError, match=r"did you mean person\.added|between 1 and|earlier page"):
                await runtime.services.audit.entries(TESTER, **wrong)


async def test_agents_read_the_audit_as_a_resource(tmp_path: Path) -> None:
    async with _runtime(tmp_path) as runtime:
        await _person(runtime, "ana")
        made = await _prompt(runtime)
        async with Client(make_server(runtime.services, lambda _request: TESTER)) as client:
            recent = await _resource(client, "audit://recent")
            assert [each["kind"] for each in recent["entries"]] == ["person.added", "schedule.created"]
            assert [each["seq"] for each in (await _resource(client, f"audit://{made}"))["entries"]] == [2]
            people = await _resource(client, "audit://recent?kind=person.*&actor=tok_tester")
            assert [each["seq"] for each in people["entries"]] == [1]
            assert (await _resource(client, "audit://check"))["whole"] is True


async def _resource(client: Any, address: str) -> Any:
    [content] = (await client.read_resource(address)).contents
    return json.loads(content.text)


def test_the_command_line_reads_and_verifies_it(command_line: CommandLine, tmp_path: Path) -> None:
    assert command_line.say("audit") == "nothing has been changed yet\n"
    command_line.say("user", "add", "ana", "--timezone", "Europe/Zagreb")
    command_line.say("remind", "stretch", "in", "5m", "--user", "ana")
    told = command_line.say("audit")
    assert "local (cli)" in told
    assert "person.added" in told
    assert "schedule.created" in told
    assert "2026-11-16 13:00:00" in told
    assert "no such entries" in command_line.say("audit", "--actor", "tok_1")
    noted = command_line.say("audit", "--head").strip()
    command_line.say("user", "remove", "ana")
    assert "✓ the audit is whole" in command_line.say("audit", "--verify", "--against", noted)
    assert json.loads(command_line.say("audit", "--kind", "person.removed", "--json"))["actor"] == "local"
    assert "more: duly audit --cursor" in command_line.say("audit", "--limit", "1")
    assert "--against goes with --verify" in command_line.fail("audit", "--against", noted, code=2)
    assert "leave out --kind" in command_line.fail("audit", "--head", "--kind", "run.*", code=2)
    assert "as `duly audit --head` prints it" in command_line.fail("audit", "--verify", "--against", "x", code=2)
    _Hands("sqlite", str(tmp_path / "schedules.db")).do("UPDATE audit SET actor = 'me' WHERE seq = 2")
    done = command_line.run("audit", "--verify")
    assert (done.code, done.err) == (1, "")
    assert "✗ the audit was changed by hand: link 2 is broken" in done.out


def test_an_audit_without_its_tables_is_not_whole(command_line: CommandLine, tmp_path: Path) -> None:
    command_line.say("user", "add", "ana")
    _Hands("sqlite", str(tmp_path / "schedules.db")).do("DROP TABLE audit_head")
    done = command_line.run("audit", "--verify")
    assert (done.code, done.err) == (1, "")
    assert "✗ the audit was changed by hand: link 1 is broken: its tables were changed: no such table" in done.out


def test_trust_is_written_down(command_line: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from duly.cli import app

    own, strange = tmp_path / "own", tmp_path / "strange"
    strange.mkdir()
    monkeypatch.setenv("XDG_DATA_HOME", str(own))
    (strange / "duly.toml").write_text('timezone = "Europe/Berlin"\n', encoding="utf-8")
    for words in (["trust", str(strange)], ["trust", "--revoke", str(strange)]):
        assert app.run(words, command_line.clock) == 0
    command_line.say("list")  # empties the captured output

    async def play() -> list[tuple[str, str, str]]:
        store = open_store(str(own / "duly" / "schedules.db"), command_line.clock, inline=True)
        await store.open()
        found = await store.audit.entries(AuditFilter())
        await store.close()
        return [(each.kind, each.actor, json.loads(each.data)["file"]) for each in found]

    file = str(strange / "duly.toml")
    assert asyncio.run(play()) == [("trust.taken", "local", file), ("trust.given", "local", file)]
