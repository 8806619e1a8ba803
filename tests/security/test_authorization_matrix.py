"""Every tool, resource, WebSocket method and route × every kind of caller: who may do what, asked of a whole daemon.

The lists come from the running server. A new tool, resource, method or route without a row here fails.
"""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from starlette.routing import Route, WebSocketRoute

from duly.config.backup import BackupSettings
from duly.config.settings import Settings
from duly.errors import NotFoundError
from duly.mcp.server import DulyServer, make_server
from duly.model.events import RUN_MISSED, Event
from duly.operations.catalogue import operations
from duly.ports.executor_settings import ExecutorKind, ExecutorSettings
from duly.rest.answers import BASE
from duly.server.http import make_app
from duly.service.access.scopes import ADMIN, Caller, Face
from duly.testing.clock import VirtualClock
from duly.ws.frames import METHODS as OFFERED
from duly.ws.frames import Conversation
from duly.ws.live_line import LiveLine
from tests.configured_executor import stand_in
from tests.world import START, VirtualRuntime, World

SCHEDULES = ("Ana's", "the shop's", "shared", "the admin's")
"""A reminder of Ana's, a prompt for the project shop, one for shop and blog, and one of the admins alone."""

REACH = {
    "admin": "change change change change",
    "admin:ro": "look look look look",
    "user:Ana": "change hidden hidden hidden",
    "user:Ana:ro": "look hidden hidden hidden",
    "user:Ben": "hidden hidden hidden hidden",
    "project:shop": "hidden change look hidden",
    "project:shop:ro": "hidden look look hidden",
    "project:blog": "hidden hidden look hidden",
}
"""What each caller may do with each of the schedules."""

ANAS = {
    "admin": "change",
    "admin:ro": "look",
    "user:Ana": "change",
    "user:Ana:ro": "look",
    "user:Ben": "denied",
    "project:shop": "denied",
    "project:shop:ro": "denied",
    "project:blog": "denied",
}
"""What each caller may do with Ana's reminders when it names Ana."""

MAKES: Mapping[str, set[str]] = {
    "admin": {"prompt", "prompt for shop", "prompt for blog", "job"},
    "project:shop": {"prompt for shop"},
    "project:blog": {"prompt for blog"},
    "user:Ana +prompts:echo": {"prompt"},
    "user:Ana +projects:shop": set(),
    "user:Ana +prompts:echo +projects:shop": {"prompt", "prompt for shop"},
    "user:Ana:ro": set(),
}
"""What each caller may have carried out; a person's token without a grant nothing but messages."""

NEW: Mapping[str, dict[str, Any]] = {
    "prompt": {"prompt": "water the plants"},
    "prompt for shop": {"prompt": "water the plants", "targets": ["shop"]},
    "prompt for blog": {"prompt": "water the plants", "targets": ["blog"]},
    "job": {"dispatch_mode": "job", "job_name": "backup"},
}
DAILY = {"type": "daily", "time": "08:00"}
CALENDAR = "BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:gym\nSUMMARY:Gym\nDTSTART:20261117T180000Z\nEND:VEVENT\nEND:VCALENDAR\n"


@dataclass(frozen=True)
class Row:
    """What a tool or method needs to know, and whether it changes anything."""

    changes: bool
    arguments: Callable[[dict[str, str]], dict[str, Any]]
    """From the ids of a schedule and of a run of it."""


def _of_schedule(**more: Any) -> Callable[[dict[str, str]], dict[str, Any]]:
    return lambda ids: {"schedule_id": ids["schedule"], **more}


TOOLS_FOR_SCHEDULES = {
    "schedule_get": Row(changes=False, arguments=_of_schedule()),
    "schedule_history": Row(changes=False, arguments=_of_schedule()),
    "schedule_update": Row(changes=True, arguments=_of_schedule(description="changed")),
    "schedule_trigger": Row(changes=True, arguments=_of_schedule()),
    "schedule_skip_next": Row(changes=True, arguments=_of_schedule()),
    "schedule_backfill": Row(
        changes=True, arguments=_of_schedule(start="2026-11-01T00:00:00Z", end="2026-11-02T00:00:00Z")
    ),
    "run_cancel": Row(changes=True, arguments=lambda ids: {"run_id": ids["run"]}),
    "run_again": Row(changes=True, arguments=lambda ids: {"run_id": ids["run"]}),
    "schedule_delete": Row(changes=True, arguments=_of_schedule()),
    "schedule_restore": Row(changes=True, arguments=_of_schedule()),
}
"""About one schedule; in this order: what is deleted is then restored."""

TOOLS_FOR_PERSONS = {
    "remind": Row(changes=True, arguments=lambda _ids: {"message": "Stretch", "delay_minutes": 5}),
    "scheduler add": Row(changes=True, arguments=lambda _ids: {"schedule": DAILY, "message": "Stretch"}),
    "scheduler list": Row(changes=False, arguments=lambda _ids: {}),
    "scheduler get": Row(changes=False, arguments=lambda ids: {"job_id": ids["schedule"]}),
    "scheduler show": Row(changes=False, arguments=lambda ids: {"job_id": ids["schedule"]}),
    "scheduler update": Row(changes=True, arguments=lambda ids: {"job_id": ids["schedule"], "message": "Stretch"}),
    "scheduler snooze": Row(changes=True, arguments=lambda ids: {"job_id": ids["schedule"]}),
    "scheduler ack": Row(changes=True, arguments=lambda ids: {"job_id": ids["schedule"]}),
    "scheduler remove": Row(changes=True, arguments=lambda ids: {"job_id": ids["schedule"]}),
}
"""About the reminders of a person; `scheduler` has a row for each of its actions."""

TOOLS_FOR_ALL = {"schedule_create", "schedule_list", "schedule_preview", "schedule_bulk", "undo", "attention_seen"} | {
    "calendar",
    "wake_me",
}
"""These have tests of their own below: what they do depends on what they are given or find."""

METHODS = {
    "cron.list": Row(changes=False, arguments=lambda _ids: {}),
    "cron.get": Row(changes=False, arguments=lambda ids: {"id": ids["schedule"]}),
    "cron.show": Row(changes=False, arguments=lambda ids: {"id": ids["schedule"]}),
    "cron.add": Row(changes=True, arguments=lambda _ids: {"schedule": DAILY, "message": "Stretch"}),
    "cron.update": Row(changes=True, arguments=lambda ids: {"id": ids["schedule"], "message": "Stretch"}),
    "cron.snooze": Row(changes=True, arguments=lambda ids: {"id": ids["schedule"]}),
    "cron.ack": Row(changes=True, arguments=lambda ids: {"id": ids["schedule"]}),
    "cron.dismiss": Row(changes=True, arguments=lambda ids: {"id": ids["schedule"]}),
    "cron.remove": Row(changes=True, arguments=lambda ids: {"id": ids["schedule"]}),
    "subscribe": Row(changes=False, arguments=lambda _ids: {"topics": ["run", "schedule"]}),
    "unsubscribe": Row(changes=False, arguments=lambda _ids: {}),
}
METHODS_FOR_ALL = {"wake_me", "prune"}
"""About no person: see `_check_wake_ups`, where rights to a project decide, and `_check_pruning`."""

RESOURCES: Mapping[str, Callable[[dict[str, str]], str]] = {
    "schedule://{id}": lambda ids: f"schedule://{ids['schedule']}",
    "run://{id}": lambda ids: f"run://{ids['run']}",
    "details://{id}": lambda ids: f"details://{ids['run']}",
    "output://{id}{?attempt,target,offset}": lambda ids: f"output://{ids['run']}",
    "events://{id}{?cursor}": lambda ids: f"events://{ids['schedule']}",
    "audit://{id}{?kind,actor,cursor}": lambda ids: f"audit://{ids['schedule']}",
}
RESOURCES_FOR_ALL = {"health://duly{?kind}", "needs://duly{?limit}", "quotas://duly{?cursor}"} | {
    "day://{day}",
    "load://{day}",
    "nodes://duly{?id}",
    "executors://duly{?name}",
}
"""Tells each caller only of schedules in reach, see `_check_lists`."""

ROUTES = {
    ("GET", "/health"): 200,
    ("GET", "/calendar/{secret}.ics"): 404,
    ("GET", "/metrics"): 200,
    ("GET", "/healthz"): 200,
    ("GET", "/readyz"): 200,
    ("POST", "/messages"): 401,
    ("POST", "/mcp"): 401,
    ("GET", "/inbound/{channel}"): 404,
    ("POST", "/inbound/{channel}"): 404,
    ("GET", "/answer/{signed}"): 403,
    ("POST", "/answer/{signed}"): 403,
    ("WS", "/ws"): 4401,
}
"""What a route answers to a caller with no token, a wrong one or a revoked one. `/health` tells such a caller no name
of a schedule, and `/metrics` knows none (here a program on the same machine asks; see test_metrics.py for others). The
ways in for vendors are not there unless they are configured, and links are their own secret."""


OPERATIONS_FOR_SCHEDULES = {
    "getSchedule": Row(changes=False, arguments=lambda ids: {"schedule": ids["schedule"]}),
    "listRunsOfSchedule": Row(changes=False, arguments=lambda ids: {"schedule": ids["schedule"]}),
    "getRun": Row(changes=False, arguments=lambda ids: {"run": ids["run"]}),
    "getOutput": Row(changes=False, arguments=lambda ids: {"run": ids["run"]}),
    "updateSchedule": Row(
        changes=True, arguments=lambda ids: {"schedule": ids["schedule"], "body": {"description": "changed"}}
    ),
    "pauseSchedule": Row(changes=True, arguments=lambda ids: {"schedule": ids["schedule"]}),
    "resumeSchedule": Row(changes=True, arguments=lambda ids: {"schedule": ids["schedule"]}),
    "triggerSchedule": Row(changes=True, arguments=lambda ids: {"schedule": ids["schedule"]}),
    "skipNextRun": Row(changes=True, arguments=lambda ids: {"schedule": ids["schedule"]}),
    "backfillSchedule": Row(
        changes=True,
        arguments=lambda ids: {
            "schedule": ids["schedule"],
            "body": {"start": "2026-11-01T00:00:00Z", "end": "2026-11-02T00:00:00Z"},
        },
    ),
    "cancelRun": Row(changes=True, arguments=lambda ids: {"run": ids["run"]}),
    "deleteSchedule": Row(changes=True, arguments=lambda ids: {"schedule": ids["schedule"]}),
    "restoreSchedule": Row(changes=True, arguments=lambda ids: {"schedule": ids["schedule"]}),
}
"""Operations of the API about one schedule; what is deleted is then restored."""

OPERATIONS_FOR_PERSONS = {
    "listReminders": Row(changes=False, arguments=lambda _ids: {}),
    "getReminder": Row(changes=False, arguments=lambda ids: {"reminder": ids["schedule"]}),
    "showReminderHistory": Row(changes=False, arguments=lambda ids: {"reminder": ids["schedule"]}),
    "listDeliveries": Row(changes=False, arguments=lambda ids: {"run": ids["run"]}),
    "listMessages": Row(changes=False, arguments=lambda _ids: {}),
    "getInbox": Row(changes=False, arguments=lambda _ids: {}),
    "getMessage": Row(changes=False, arguments=lambda _ids: {"item": "1"}),
    "createReminder": Row(changes=True, arguments=lambda _ids: {"body": {"schedule": DAILY, "message": "Stretch"}}),
    "updateReminder": Row(
        changes=True, arguments=lambda ids: {"reminder": ids["schedule"], "body": {"message": "Stretch"}}
    ),
    "skipNextReminder": Row(changes=True, arguments=lambda ids: {"reminder": ids["schedule"]}),
    "answerReminder": Row(
        changes=True, arguments=lambda ids: {"reminder": ids["schedule"], "body": {"response": "snooze"}}
    ),
    "answerNewestReminder": Row(changes=True, arguments=lambda _ids: {"body": {"response": "snooze"}}),
    "sendMessage": Row(changes=True, arguments=lambda _ids: {"body": {"text": "remind me to stretch tomorrow at 9am"}}),
    "readMessages": Row(changes=True, arguments=lambda _ids: {}),
    "importCalendar": Row(changes=True, arguments=lambda _ids: {"text": CALENDAR}),
    "removeReminder": Row(changes=True, arguments=lambda ids: {"reminder": ids["schedule"]}),
}
"""Operations of the API about the reminders of a person."""

OPERATIONS_FOR_ADMINS = {
    "addPerson": Row(changes=True, arguments=lambda _ids: {"body": {"name": "Cleo"}}),
    "removePerson": Row(changes=True, arguments=lambda _ids: {"person": "Cleo"}),
    "createToken": Row(changes=True, arguments=lambda _ids: {"body": {"name": "new", "scope": "project:shop"}}),
    "listTokens": Row(changes=False, arguments=lambda _ids: {}),
    "changeGrants": Row(changes=True, arguments=lambda ids: {"token": ids["token"], "body": {"give": ["prompts:*"]}}),
    "rotateToken": Row(changes=True, arguments=lambda ids: {"token": ids["token"]}),
    "revokeToken": Row(changes=True, arguments=lambda ids: {"token": ids["token"]}),
    "listChannels": Row(changes=False, arguments=lambda _ids: {}),
    "checkChannel": Row(changes=True, arguments=lambda _ids: {"channel": "inbox"}),
    "sendTestMessage": Row(changes=True, arguments=lambda _ids: {"channel": "inbox", "body": {"user": "local"}}),
    "compareConfig": Row(changes=False, arguments=lambda _ids: {}),
    "listNodes": Row(changes=False, arguments=lambda _ids: {}),
    "listExecutors": Row(changes=False, arguments=lambda _ids: {}),
    "checkExecutor": Row(changes=False, arguments=lambda _ids: {"executor": "heavy"}),
    "verifyAudit": Row(changes=False, arguments=lambda _ids: {}),
    "prune": Row(changes=True, arguments=lambda _ids: {"body": {"older_than": "30d"}}),
    "makeBackup": Row(changes=True, arguments=lambda _ids: {}),
}
OPERATIONS_FOR_ALL = {
    "changeMany",
    "countRuns",
    "countSchedules",
    "createCalendarLink",
    "createSchedule",
    "exportCalendar",
    "followEvents",
    "getCaller",
    "getDay",
    "getFigures",
    "getHealth",
    "getLastStep",
    "getLoad",
    "getMinute",
    "getPerson",
    "listAttention",
    "listAudit",
    "listCalendarLinks",
    "listFires",
    "listGates",
    "listJobs",
    "listJournal",
    "listPeople",
    "listProjects",
    "listQuotas",
    "listRuns",
    "listSchedules",
    "listSpawners",
    "markSeen",
    "pairPerson",
    "previewTimes",
    "putScheduleBack",
    "revokeCalendarLink",
    "rotateCalendarLink",
    "runAgain",
    "spreadMinute",
    "undoStep",
    "updatePerson",
    "wakeMe",
}
"""What these do depends on what they are given or find: they tell each caller only of what is in reach."""
OPERATIONS_FOR_WORKERS = {"beginExecution", "beatExecution", "endExecution"}
"""No token of duly opens these, see tests/integration/faces/test_executions.py."""


class Daemon(World):
    """A daemon with Ana, Ben, two projects, and a token for each caller."""

    async def furnish(self) -> None:
        self.ids = {name: await self.person(name) for name in ("Ana", "Ben")}
        self.server: DulyServer = make_server(self.runtime.services, lambda _request: self.caller)
        self.caller = Caller(ADMIN, None, Face.MCP)

    async def become(self, who: str) -> None:
        """Ask in the name of a caller from now on, with a token of its own: a scope, and perhaps grants."""
        scope, *grants = self.written(who).split(" +")
        self.secret = (await self.runtime.services.tokens.create(Caller(ADMIN), who, scope, grants=grants)).secret
        self.caller = await self._known(self.secret)

    def written(self, who: str) -> str:
        for name, person in self.ids.items():
            who = who.replace(name, person)
        return who

    async def _known(self, secret: str) -> Caller:
        found = await self.runtime.services.tokens.caller(secret, Face.MCP)
        assert found is not None
        return found

    async def make(self, owner: str, name: str) -> dict[str, str]:
        """A schedule of this owner with a run that waits, made by an admin or by Ana herself."""
        admin, cases = Caller(ADMIN, None, Face.MCP), self.runtime.services.use_cases
        if owner == "Ana's":
            schedule = (await self.runtime.services.reminder_service.create("Ana", {**DAILY}, "Stretch", name=name)).id
        else:
            targets = {"the shop's": ["shop"], "shared": ["shop", "blog"], "the admin's": []}[owner]
            form = {"name": name, "cron": "0 9 * * *", "prompt": "water the plants", "targets": targets}
            schedule = (await cases.schedule_create(admin, form)).id
        run_id = (await cases.schedule_trigger(admin, schedule)).id
        return {"schedule": schedule, "run": run_id}

    async def delete(self, schedule: str) -> None:
        """By an admin, unless it is deleted already."""
        with suppress(NotFoundError):
            await self.runtime.services.use_cases.delete(Caller(ADMIN, None, Face.MCP), schedule)


@asynccontextmanager
async def daemon(folder: Path) -> AsyncIterator[Daemon]:
    for project in ("shop", "blog"):
        (folder / project).mkdir()
    settings = Settings(
        data_dir=folder / "data",
        store=str(folder / "data" / "duly.db"),
        projects={"shop": folder / "shop", "blog": folder / "blog"},
        spawners={"echo": {"new": ["cat"], "stdin": "prompt"}},
        default_spawner="echo",
        jobs={"backup": "os:getcwd"},
        executors={"heavy": ExecutorSettings(name="heavy", kind=ExecutorKind.CELERY, tasks=("x",))},
        backup=BackupSettings(folder=folder / "backups"),
    )
    clock = VirtualClock(START)
    runtime = VirtualRuntime(settings, clock=clock, environment={})
    await runtime.open()
    stand_in(runtime, "heavy")
    app = make_app(runtime, host="127.0.0.1")
    async with app.router.lifespan_context(app):
        made = Daemon(runtime, app, clock)
        await made.furnish()
        async with made.http:
            yield made


async def _told(client: Client, tool: str, arguments: dict[str, Any]) -> str:
    """What came of a tool: `done`, `denied` or `hidden`."""
    name, _, action = tool.partition(" ")
    answer = await client.call_tool(name, arguments | ({"action": action} if action else {}))
    if not answer.is_error:
        return "done"
    return _refusal(answer.content[0].text)  # type: ignore[union-attr]


def _refusal(said: str) -> str:
    if re.search(r"access denied|may only look|grant|reaches project \w+ only", said):
        return "denied"
    if "there is no" in said:
        return "hidden"
    if re.search(r"with the scheduler tool|already|wait until it has ended", said):
        return "done"  # let in: the reminder has its own tool, was answered by the row before, or its run goes on
    return f"unexpected: {said}"


def _expected(who: str, reach: str, *, changes: bool) -> str:
    if changes and (reach == "look" or who.endswith(":ro")):
        return "denied"  # an onlooker hears so before it is looked up what there is
    return "done" if reach in ("look", "change") else reach


async def test_every_tool_has_a_row(tmp_path: Path) -> None:
    async with daemon(tmp_path) as here, Client(here.server) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        actions = tools.pop("scheduler").input_schema["properties"]["action"]["enum"]
        found = {*tools, *(f"scheduler {action}" for action in actions)}
        assert found == {*TOOLS_FOR_SCHEDULES, *TOOLS_FOR_PERSONS, *TOOLS_FOR_ALL}
        templates = (await client.list_resource_templates()).resource_templates
        assert {each.uri_template for each in templates} == {*RESOURCES, *RESOURCES_FOR_ALL}
        assert (await client.list_resources()).resources == []


async def test_every_method_and_every_route_has_a_row(tmp_path: Path) -> None:
    async with daemon(tmp_path) as here:
        assert set(OFFERED) == {*METHODS, *METHODS_FOR_ALL}
        # MCP is mounted behind them; the pages of the dashboard are asked in `test_pages_without_a_session`
        assert set(_routes(here)) - set(_pages(here)) == set(ROUTES) - {("POST", "/mcp")}
        listed = {*OPERATIONS_FOR_SCHEDULES, *OPERATIONS_FOR_PERSONS, *OPERATIONS_FOR_ADMINS, *OPERATIONS_FOR_ALL}
        assert {each.id for each in operations()} == listed | OPERATIONS_FOR_WORKERS


def _routes(here: Daemon) -> list[tuple[str, str]]:
    """The routes of the application and of the routers it includes."""
    return [each for route in _all_routes(here) for each in _ways(route)]


def _pages(here: Daemon) -> list[tuple[str, str]]:
    """The routes of the dashboard."""
    pages = [
        route for route in _all_routes(here) if getattr(route, "endpoint", None).__module__.startswith("duly.web.")
    ]
    return [each for route in pages for each in _ways(route)]


def _all_routes(here: Daemon) -> list[Route | WebSocketRoute]:
    found: list[Route | WebSocketRoute] = []
    waiting = list(here.app.routes)
    while waiting:
        route = waiting.pop()
        waiting += getattr(getattr(route, "original_router", None), "routes", ())
        if isinstance(route, Route | WebSocketRoute):
            found.append(route)
    return found


def _ways(route: Route | WebSocketRoute) -> list[tuple[str, str]]:
    if isinstance(route, WebSocketRoute):
        return [("WS", route.path)]
    return [(method, route.path) for method in route.methods or () if method != "HEAD"]


OPEN_PAGES = {("GET", "/signin"), ("POST", "/signin"), ("GET", "/ui/static/{name}"), ("GET", "/favicon.ico")}
"""Pages that need no session: the way in, and what every page is drawn with."""


async def test_pages_without_a_session(tmp_path: Path) -> None:
    """Each page asks to sign in, and tells a stranger nothing; a bearer's token of the API opens none of them."""
    async with daemon(tmp_path) as here:
        made = await here.make("the admin's", "secret-plan")
        await here.become("admin")
        asked = 0
        for method, path in _pages(here):
            if (method, path) in OPEN_PAGES:
                continue
            address = re.sub(r"\{run\w*\}", made["run"], re.sub(r"\{schedule\w*\}", made["schedule"], path))
            address = re.sub(r"\{\w+\}", "local", address)
            for headers in ({}, {"Authorization": f"Bearer {here.secret}"}, {"Cookie": "duly_session=forged"}):
                answer = await here.http.request(method, address, headers={**headers, "Accept": "text/html"})
                assert answer.status_code in (401, 403), f"{method} {path}: {answer.status_code}"
                assert "secret-plan" not in answer.text
                asked += 1
        assert asked > 60


@pytest.mark.parametrize("who", REACH)
async def test_what_a_caller_may_do_with_what_is_there(tmp_path: Path, who: str) -> None:
    async with daemon(tmp_path) as here, Client(here.server) as client:
        await here.become(who)
        await _check_lists(here, client, who)
        await _check_resources(here, client, who)
        await _check_tools_about_a_schedule(here, client, who)
        await _check_tools_about_reminders(here, client, who)
        await _check_methods_about_reminders(here, who)


async def _check_lists(here: Daemon, client: Client, who: str) -> None:
    made = {(await here.make(owner, f"listed-{owner}"))["schedule"]: owner for owner in SCHEDULES}
    seen = {owner for owner, reach in zip(SCHEDULES, REACH[who].split(), strict=True) if reach != "hidden"}
    listed = (await client.call_tool("schedule_list", {})).structured_content
    assert listed is not None
    assert {made[each["id"]] for each in listed["items"]} == seen
    for address in ("health://duly", "needs://duly", "events://recent", "audit://recent", "quotas://duly"):
        text = (await client.read_resource(address)).contents[0].text  # type: ignore[union-attr]
        assert {owner for owner in SCHEDULES if f"listed-{owner}" in text} <= seen
    for address in ("day://today", "load://today", "load://2026-11-18"):
        text = (await client.read_resource(address)).contents[0].text  # type: ignore[union-attr]
        assert {owner for schedule, owner in made.items() if schedule in text} <= seen
    if who.startswith("admin"):
        await client.read_resource("nodes://duly")
        await client.read_resource("executors://duly")
    else:
        for each in ("nodes://duly", "executors://duly", "executors://duly?name=heavy"):
            with pytest.raises(MCPError, match="access denied"):
                await client.read_resource(each)
    preview = await client.call_tool("schedule_preview", {"cron": "0 9 * * *"})
    assert not preview.is_error


async def _check_resources(here: Daemon, client: Client, who: str) -> None:
    for owner, reach in zip(SCHEDULES, REACH[who].split(), strict=True):
        ids = await here.make(owner, f"read-{owner}")
        for template, address in RESOURCES.items():
            try:
                await client.read_resource(address(ids))
                told = "done"
            except MCPError as error:
                told = _refusal(str(error))
            assert told == _expected(who, reach, changes=False), f"{who}: {template} of {owner} schedule"


async def _check_tools_about_a_schedule(here: Daemon, client: Client, who: str) -> None:
    for owner, reach in zip(SCHEDULES, REACH[who].split(), strict=True):
        ids = await here.make(owner, f"asked-about-{owner}")
        for tool, row in TOOLS_FOR_SCHEDULES.items():
            if tool == "schedule_restore":
                await here.delete(ids["schedule"])
            told = await _told(client, tool, row.arguments(ids))
            assert told == _expected(who, reach, changes=row.changes), f"{who}: {tool} on {owner} schedule"


async def _check_tools_about_reminders(here: Daemon, client: Client, who: str) -> None:
    ids = await here.make("Ana's", "pills")
    await here.clock.travel(minutes=1)  # it goes out, and can be answered
    for tool, row in TOOLS_FOR_PERSONS.items():
        told = await _told(client, tool, {**row.arguments(ids), "user": here.ids["Ana"]})
        assert told == _expected(who, ANAS[who], changes=row.changes), f"{who}: {tool} for Ana"


async def _check_methods_about_reminders(here: Daemon, who: str) -> None:
    ids = await here.make("Ana's", "drops")
    await here.clock.travel(minutes=1)
    line = Conversation(here.runtime.services, here.caller, LiveLine(here.app.state.live, _unheard))
    for method, row in METHODS.items():
        params = {**row.arguments(ids), "user": here.ids["Ana"]}
        answer = await line.answer(json.dumps({"id": 1, "method": method, "params": params}))
        told = "done" if answer["ok"] else _refusal(answer["error"]["message"])
        assert told == _expected(who, ANAS[who], changes=row.changes), f"{who}: {method} for Ana"
    await _check_wake_ups(here, who)
    await _check_pruning(here, who)


async def _check_wake_ups(here: Daemon, who: str) -> None:
    """A connection is for admins and persons; of these, who may prompt in a project may wake a session there."""
    line = Conversation(here.runtime.services, here.caller)
    params = {"minutes": 5, "session": "s-1", "target": "shop", "spawner": "echo"}
    answer = await line.answer(json.dumps({"id": 1, "method": "wake_me", "params": params}))
    may = who in {"admin", "user:Ana +prompts:echo +projects:shop"}
    assert answer["ok"] is may, (who, answer)
    assert may or answer["error"]["code"] in {"UNAUTHORIZED", "NOT_FOUND"}, (who, answer)


async def _check_pruning(here: Daemon, who: str) -> None:
    line = Conversation(here.runtime.services, here.caller)
    answer = await line.answer(json.dumps({"id": 1, "method": "prune", "params": {"older_than": "30d"}}))
    assert answer["ok"] is (who == "admin"), (who, answer)
    assert answer["ok"] or answer["error"]["code"] == "UNAUTHORIZED", (who, answer)


async def _unheard(_frame: dict[str, Any]) -> None:
    """Take what is pushed: the tests of the live feed look at it."""


@pytest.mark.parametrize("who", REACH)
async def test_what_a_caller_is_told_while_it_listens(tmp_path: Path, who: str) -> None:
    async with daemon(tmp_path) as here:
        await here.become(who)
        subscription = await here.app.state.live.open(here.caller)
        made = {(await here.make(owner, f"live-{owner}"))["schedule"]: owner for owner in SCHEDULES}
        await here.clock.travel(seconds=2)
        batch = await subscription.next()
        subscription.close()
        told = {made[event.schedule_id] for event in batch.events if event.schedule_id is not None}
        assert told == {owner for owner, reach in zip(SCHEDULES, REACH[who].split(), strict=True) if reach != "hidden"}
        assert who.startswith("admin") or not any(event.topic in ("config", "node") for event in batch.events)


@pytest.mark.parametrize("who", REACH)
async def test_what_a_caller_may_do_over_the_api(tmp_path: Path, who: str) -> None:
    async with daemon(tmp_path) as here:
        await here.become(who)
        await _check_operations_about_a_schedule(here, who)
        await _check_operations_about_reminders(here, who)
        await _check_operations_of_admins(here, who)
        await _check_operations_for_all(here, who)


async def _asked(here: Daemon, name: str, given: dict[str, Any], user: str | None = None) -> httpx.Response:
    """Carry out an operation of the API."""
    operation = next(each for each in operations() if each.id == name)
    path = re.sub(r"\{(\w+)\}", lambda found: given[found[1]], operation.path)
    return await here.http.request(
        operation.method,
        BASE + path,
        params={**given.get("query", {}), **({} if user is None else {"user": user})},
        json=given.get("body"),
        content=given.get("text"),
        headers={
            "Authorization": f"Bearer {here.secret}",
            **({"Content-Type": "text/calendar"} if "text" in given else {}),
        },
    )


def _outcome(answer: httpx.Response) -> str:
    if answer.is_success:
        return "done"
    found = answer.json()
    if answer.status_code == 403:
        assert found["type"] == "urn:duly:problem:access-denied"
        return "denied"
    return "hidden" if answer.status_code == 404 else _refusal(found["detail"])


async def _check_operations_about_a_schedule(here: Daemon, who: str) -> None:
    for owner, reach in zip(SCHEDULES, REACH[who].split(), strict=True):
        ids = await here.make(owner, f"requested-{owner}")
        for name, row in OPERATIONS_FOR_SCHEDULES.items():
            if name == "restoreSchedule":
                await here.delete(ids["schedule"])
            came = _outcome(await _asked(here, name, row.arguments(ids)))
            assert came == _expected(who, reach, changes=row.changes), f"{who}: {name} on {owner} schedule"
        again = await _asked(here, "runAgain", ids)  # by now its run was cancelled by those who may
        if reach != "change":
            assert not again.is_success, f"{who}: runAgain on {owner} schedule"


async def _check_operations_about_reminders(here: Daemon, who: str) -> None:
    ids = await here.make("Ana's", "salve")
    await here.clock.travel(minutes=1)
    for name, row in OPERATIONS_FOR_PERSONS.items():
        came = _outcome(await _asked(here, name, row.arguments(ids), here.ids["Ana"]))
        assert came == _expected(who, ANAS[who], changes=row.changes), f"{who}: {name} for Ana"


async def _check_operations_of_admins(here: Daemon, who: str) -> None:
    made = await here.runtime.services.tokens.create(Caller(ADMIN), "other", "project:shop")
    for name, row in OPERATIONS_FOR_ADMINS.items():
        came = _outcome(await _asked(here, name, row.arguments({"token": made.record.id})))
        reach = {"admin": "change", "admin:ro": "look"}.get(who, "denied")
        assert came == _expected(who, reach, changes=row.changes), f"{who}: {name}"


async def _check_operations_for_all(here: Daemon, who: str) -> None:
    made = {(await here.make(owner, f"shown-{owner}"))["schedule"]: owner for owner in SCHEDULES}
    seen = {owner for owner, reach in zip(SCHEDULES, REACH[who].split(), strict=True) if reach != "hidden"}
    listed = (await _asked(here, "listSchedules", {})).json()["items"]
    assert {made[each["id"]] for each in listed if each["id"] in made} == seen
    span = {"start": "2026-11-16T00:00:00Z", "end": "2026-11-18T00:00:00Z"}
    asked: dict[str, dict[str, Any]] = {
        **{key: {} for key in ("getHealth", "listJournal", "listAudit", "listQuotas", "getCaller")},
        **{key: {} for key in ("exportCalendar", "listRuns", "countRuns", "countSchedules", "getDay", "getLoad")},
        "listFires": {"query": span},
        "getMinute": {"query": {"at": "2026-11-17T09:00:00Z"}},
        "getFigures": {"query": {"schedule": list(made)}},
        "spreadMinute": {"body": {"at": "2026-11-17T09:00:00Z", "over": "10m"}},
    }
    asked |= {"listAttention": {}, "previewTimes": {"query": {"cron": "0 9 * * *"}}}
    for name, given in asked.items():
        answer = await _asked(here, name, given)
        if name == "spreadMinute" and who.endswith(":ro"):
            assert _outcome(answer) == "denied"
            continue
        assert answer.status_code == 200, f"{who}: {name}: {answer.text}"
        assert {owner for owner in SCHEDULES if f"shown-{owner}" in answer.text} <= seen
    await _check_steps(here, who, list(made))
    await _check_links(here, who)
    person = {"person": here.ids["Ana"]}
    reach = {"user:Ben": "hidden"}.get(who, ANAS[who])
    assert _outcome(await _asked(here, "getPerson", person)) == _expected(who, reach, changes=False)
    assert _outcome(await _asked(here, "listPeople", {})) == ("denied" if "project" in who else "done")
    change = {**person, "body": {"language": "hr"}}
    assert _outcome(await _asked(here, "updatePerson", change)) == _expected(who, reach, changes=True)
    pairing = {**person, "body": {"channel": "telegram"}}
    assert _outcome(await _asked(here, "pairPerson", pairing)) == _expected(who, reach, changes=True)


async def _check_links(here: Daemon, who: str) -> None:
    """A calendar link is for the token that made it, and for admins."""
    other = await here.runtime.services.calendar.link(Caller(ADMIN), "the admin's own")
    listed = (await _asked(here, "listCalendarLinks", {})).json()["items"]
    assert [each["id"] for each in listed] == ([other.link.id] if who.startswith("admin") else [])
    made = await _asked(here, "createCalendarLink", {})
    assert _outcome(made) == ("denied" if who.endswith(":ro") else "done")
    links = {other.link.id: {"admin": "change", "admin:ro": "look"}.get(who, "hidden")}
    if made.is_success:
        links[made.json()["link"]["id"]] = "change"
    for link, reach in links.items():
        for name in ("rotateCalendarLink", "revokeCalendarLink"):
            assert _outcome(await _asked(here, name, {"link": link})) == _expected(who, reach, changes=True)


@pytest.mark.parametrize("who", REACH)
async def test_the_calendar_tool_reaches_the_links_of_its_caller(tmp_path: Path, who: str) -> None:
    async with daemon(tmp_path) as here, Client(here.server) as client:
        other = await here.runtime.services.calendar.link(Caller(ADMIN), "the admin's own")
        await here.become(who)
        listed = (await client.call_tool("calendar", {"action": "list"})).structured_content or {}
        assert [each["id"] for each in listed.get("links", [])] == ([other.link.id] if who.startswith("admin") else [])
        made = await _told(client, "calendar", {"action": "link"})
        assert made == ("denied" if who.endswith(":ro") else "done")
        reach = {"admin": "change", "admin:ro": "look"}.get(who, "hidden")
        for action in ("rotate", "revoke"):
            told = await _told(client, "calendar", {"action": action, "link_id": other.link.id})
            assert told == _expected(who, reach, changes=True), f"{who}: {action}"


async def _check_steps(here: Daemon, who: str, ids: list[str]) -> None:
    """Many at once reaches what each alone reaches, and a step is its caller's own."""
    many = await _asked(here, "changeMany", {"body": {"action": "pause", "ids": ids}})
    assert _outcome(many) == ("denied" if who.endswith(":ro") else "done")
    if many.is_success:
        changed = [reach for reach in REACH[who].split() if reach == "change"]
        assert len(many.json().get("failed", [])) == len(ids) - len(changed)
    seen = _outcome(await _asked(here, "markSeen", {"item": "nothing"}))
    assert seen == ("denied" if who.endswith(":ro") else "hidden")
    admin = await here.runtime.services.tokens.create(Caller(ADMIN), "another", "admin")
    known = await here.runtime.services.tokens.caller(admin.secret, Face.API)
    assert known is not None
    step = await here.runtime.services.actions.pause(known, ids[-1])
    came = _outcome(await _asked(here, "undoStep", {"body": {"token": step.undo}}))
    assert came == ("denied" if who.endswith(":ro") else "done" if who == "admin" else "hidden")
    last = await _asked(here, "getLastStep", {})
    assert last.status_code in (200, 404)
    assert str(step.undo) not in last.text
    for schedule, reach in zip(ids, REACH[who].split(), strict=True):
        back = _outcome(await _asked(here, "putScheduleBack", {"schedule": schedule, "body": {"seq": 1}}))
        is_denied = reach == "look" or who.endswith(":ro")
        assert back == ("denied" if is_denied else "hidden"), f"{who}: {reach}"  # there is no such entry


@pytest.mark.parametrize("who", REACH)
async def test_many_at_once_undo_and_seen_keep_to_what_a_caller_may_change(tmp_path: Path, who: str) -> None:
    async with daemon(tmp_path) as here, Client(here.server) as client:
        made = [(await here.make(owner, f"one-of-{owner}"))["schedule"] for owner in SCHEDULES]
        missed = [Event(RUN_MISSED, START, each, data={"reason": each, "count": 1}) for each in made]
        await here.runtime.store.record(missed)
        await here.become(who)
        reach = REACH[who].split()
        text = (await client.read_resource("needs://duly")).contents[0].text  # type: ignore[union-attr]
        seen = {item["schedule_ids"][0]: item for item in json.loads(text)["items"] if item["kind"] == "missed"}
        assert set(seen) == {each for each, may in zip(made, reach, strict=True) if may != "hidden"}
        for each, may in zip(made, reach, strict=True):
            item = seen.get(each, {"id": "missed-none", "actions": []})
            assert ("seen" in item["actions"]) == (may == "change")
            told = await _told(client, "attention_seen", {"item_id": item["id"]})
            assert told == _expected(who, may, changes=True), f"{who}: attention_seen of {may}"
        answer = await client.call_tool("schedule_bulk", {"action": "pause", "ids": made})
        if who.endswith(":ro"):
            assert answer.is_error
            assert await _told(client, "undo", {}) == "denied"
            return
        assert answer.structured_content is not None
        changed = [each for each, may in zip(made, reach, strict=True) if may == "change"]
        rows = {each: await here.runtime.store.get(each) for each in made}
        assert [each for each, row in rows.items() if row is not None and not row.enabled] == changed
        assert await _told(client, "undo", {}) == ("done" if changed else "hidden")
        if changed:  # shown so far, and taken back with the token
            shown = (await client.call_tool("undo", {})).structured_content
            assert await _told(client, "undo", {"token": (shown or {})["token"]}) == "done"
        assert all(row is not None and row.enabled for row in [await here.runtime.store.get(each) for each in made])


@pytest.mark.parametrize("who", [*REACH, *(who for who in MAKES if who not in REACH)])
async def test_what_each_caller_may_have_carried_out(tmp_path: Path, who: str) -> None:
    async with daemon(tmp_path) as here, Client(here.server) as client:
        await here.become(who)
        made = set()
        for name, form in NEW.items():
            told = await _told(client, "schedule_create", {"name": name.replace(" ", "-"), "cron": "0 9 * * *", **form})
            assert told in ("done", "denied"), f"{who}: create {name}"
            made |= {name} if told == "done" else set()
            over = {"body": {"name": f"over-{name}".replace(" ", "-"), "cron": "0 9 * * *", **form}}
            assert _outcome(await _asked(here, "createSchedule", over)) == told, f"{who}: create {name} over the API"
        assert made == MAKES.get(who, set())


@pytest.mark.parametrize("credentials", ["none", "wrong", "revoked"])
async def test_routes_without_a_valid_token(tmp_path: Path, credentials: str) -> None:
    async with daemon(tmp_path) as here:
        await here.make("the admin's", "secret-plan")
        await here.become("admin")
        if credentials == "revoked":
            await here.runtime.services.tokens.revoke(Caller(ADMIN), str(here.caller.token_id))
        secret = {"none": None, "wrong": "x" * 43, "revoked": here.secret}[credentials]
        headers = {} if secret is None else {"Authorization": f"Bearer {secret}"}
        for (method, path), code in ROUTES.items():
            if method == "WS":
                continue  # a real client asks there, in tests/integration/faces/test_websocket.py
            address = path.replace("{channel}", "slack").replace("{signed}", "abc.def")
            answer = await here.http.request(method, address, headers=headers, json={} if method == "POST" else None)
            assert answer.status_code == code, f"{method} {path} with a {credentials} token: {answer.text}"
            assert "secret-plan" not in answer.text
        for operation in operations():
            path = BASE + re.sub(r"\{\w+\}", "secret-plan", operation.path)
            answer = await here.http.request(operation.method, path, headers=headers)
            assert answer.status_code == 401, f"{operation.id} with a {credentials} token: {answer.text}"
