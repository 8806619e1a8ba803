"""Everything a butler has, on virtual time: a store, use cases, a file, an engine ticked by hand, and a way in.

The way in is the service itself or an MCP client of either era; a test says what it wants once and is told the same
by all of them. What is refused raises `Refused`, whichever way it came.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Coroutine, Iterator, Mapping
from contextlib import AsyncExitStack, contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import cache, wraps
from pathlib import Path
from typing import Any, Self, cast

from mcp import Client

import tests.once  # noqa: F401  its schemas are made once
from duly.agents import Projects, PromptDispatcher, SpawnerKind, SpawnerProfile
from duly.agents.profile import SessionNaming
from duly.agents.rules import PromptRules
from duly.config.settings import Settings
from duly.engine.engine import Engine
from duly.engine.routing import Router
from duly.engine.settings import VIRTUAL
from duly.errors import DulyError
from duly.jobs.dispatcher import JobRegistry
from duly.mcp.schedule_tools import RunPage, SchedulePage
from duly.mcp.server import DulyServer, make_server
from duly.model.action import Action, Job, Prompt
from duly.ports.executor_settings import ExecutorKind, ExecutorSettings
from duly.ports.records import StoredSchedule
from duly.runtime.executors import ConfiguredExecutors
from duly.service.access.grants import Configured
from duly.service.access.rights import run_refusal
from duly.service.access.scopes import ADMIN, Caller, Face, Scope
from duly.service.people.people import acts_for
from duly.service.schedules.sync import Sync, SyncReport
from duly.service.schedules.times import ZoneRule
from duly.service.schedules.values import moment
from duly.service.schedules.views import plain
from duly.service.services import Services
from tests.bare_process import BareProcess
from tests.conformance.stores.harness import StoreHarness, full, make_harness

SERVICE, MCP, LEGACY = "service", "mcp", "mcp-legacy"
BUTLER = "butler:home"
DAILY = {"cron": "0 9 * * *", "prompt": "water the plants"}


class Refused(Exception):  # noqa: N818  what a caller hears
    """What a caller was told instead of an answer."""


class Spans:
    """Stands in for a tracer: what every tick told about itself."""

    def __init__(self) -> None:
        self.told: list[dict[str, Any]] = []

    @contextmanager
    def __call__(self) -> Iterator[Callable[..., None]]:
        attributes: dict[str, Any] = {}
        yield lambda **more: attributes.update(more)
        self.told.append(attributes)


class ScheduleHarness:
    """The use cases, the engine and the agents of one butler, asked directly or over MCP."""

    def __init__(self, store_harness: StoreHarness, way: str, folder: Path) -> None:
        self.store_harness = store_harness
        self.way = way
        self.clock = store_harness.clock
        self.caller = Caller(ADMIN, None, Face.MCP)
        self.spans = Spans()
        self.spawned: list[dict[str, Any]] = []
        """What the spawner was called with, in order."""
        self.worked: list[dict[str, Any]] = []
        """What the job was called with, in order."""
        self.answers: dict[str, Any] = {}
        """What the spawner answers to a prompt: a value, or an exception to raise."""
        self._spawner: Callable[..., Coroutine[Any, Any, Any]] = self._answer
        self._folder = folder
        self._opened = AsyncExitStack()

    async def __aenter__(self) -> Self:
        _acting.append(self)
        await self._opened.enter_async_context(self.store_harness)
        self.store = full(self.store_harness.store)
        self.jobs = JobRegistry(self.clock)
        self.jobs.register(self._work, "backup")
        self.prompts = PromptDispatcher(
            self.store.targets,
            self.clock,
            PromptRules(
                [
                    SpawnerProfile(
                        name="butler", kind=SpawnerKind.CALLABLE, call=self._spawn, session=SessionNaming.PARSED
                    )
                ],
                default="butler",
                projects=Projects({name: self._project(name) for name in ("a", "b", "c")}),
                state_dir=self._folder / "state",
            ),
            history=self.store.history,
        )
        self.configured = Configured(default_spawner="butler")
        heavy = ExecutorSettings(name="heavy", kind=ExecutorKind.CELERY, tasks=("proj.tasks.*",))
        self.executors = ConfiguredExecutors({"heavy": heavy}, lambda _where: str)
        self.process = HarnessProcess(self, Settings(data_dir=self._folder, store="duly.db"))
        self.services = Services(self.process)
        self.read_cases = self.services.schedules
        self.use_cases = self.services.use_cases
        self.reminders = self.services.reminder_service
        self.journal = self.services.journal
        self.tokens = self.services.tokens
        self.sync = Sync(self.store, self.clock, ZoneRule(self.store.people, "UTC"), self.check_job)
        router = Router(
            [self.jobs, self.prompts],
            lambda run: run_refusal(run, self.clock.now(), self.configured),
        )
        self.engine = Engine(self.store, router, self.clock, VIRTUAL, tick_span=self.spans)
        if self.way != SERVICE:
            self.services.asking.hear(shared_server().watchers.heard)
            mode = {"mode": "legacy"} if self.way == LEGACY else {}
            self.client = await self._opened.enter_async_context(Client(shared_server(), **mode))  # type: ignore[arg-type]
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._opened.aclose()
        self.prompts.close()
        self.jobs.close()
        _acting.remove(self)

    def _project(self, name: str) -> Path:
        path = self._folder / "projects" / name
        (path / "side").mkdir(parents=True)
        return path

    def carry_out_with(self, spawner: Callable[..., Coroutine[Any, Any, Any]]) -> None:
        """Let another function be the agent."""
        self._spawner = spawner

    async def _spawn(self, **given: Any) -> Any:
        return await self._spawner(**given)

    async def _answer(self, **given: Any) -> Any:
        self.spawned.append(given)
        answer = self.answers.get(given["prompt"], "done")
        if isinstance(answer, Exception):
            raise answer
        return answer

    async def _work(self, trigger_source: str, **given: Any) -> Any:
        self.worked.append({"job_args": given, "trigger_source": trigger_source})
        if "fail" in given:
            raise RuntimeError(given["fail"])
        return {"did": given}

    def check_job(self, job: Job) -> None:
        if job.executor is None:
            self.jobs.get(job.name).check(job.args)
        else:
            self.executors.check_known(job)

    def check_grants(self, grants: Collection[str]) -> None:
        """Accept any."""

    def check_action(self, action: Action) -> None:
        if isinstance(action, Prompt):
            self.prompts.check(action)
        elif isinstance(action, Job):
            self.check_job(action)

    # asking

    @property
    def now(self) -> datetime:
        return self.clock.now()

    async def ask(self, tool: str, **arguments: Any) -> Any:
        """Call a tool, directly or over MCP, and give its answer as plain values."""
        if self.way == SERVICE:
            return await self._serve(tool, arguments)
        answer = await self.client.call_tool(tool, arguments)
        if answer.is_error and not answer.structured_content:  # an error with parts of its own is an answer, too
            raise Refused(answer.content[0].text)  # type: ignore[union-attr]
        return answer.structured_content

    async def _serve(self, tool: str, arguments: dict[str, Any]) -> Any:
        try:
            return plain(await self._serving(tool, arguments))
        except (ValueError, LookupError, PermissionError) as error:
            if not isinstance(error, DulyError):
                raise
            raise Refused(str(error)) from error

    async def _serving(self, tool: str, given: dict[str, Any]) -> Any:
        if tool == "remind":
            message, channel = given.pop("message"), given.pop("channel", None)
            return await self.reminders.remind(acts_for(self.caller), message, channel, **given)
        if (verb := tool.removeprefix("schedule_")) in ("update", "delete", "restore", "skip_next"):
            schedule, clear = given.pop("schedule_id"), given.pop("clear", ())
            act = getattr(self.services.actions, verb)
            done = await (
                act(self.caller, schedule, given, clear) if verb == "update" else act(self.caller, schedule, **given)
            )
            return done.view
        use_case = getattr(self.read_cases, tool, None) or getattr(self.use_cases, tool)
        if tool == "schedule_preview":
            return await use_case(self.caller, **given)
        if tool == "schedule_create":
            return await use_case(self.caller, given)
        if tool == "schedule_list":
            given = {("project" if name == "project_id" else name): value for name, value in given.items()}
            items, cursor = await use_case(self.caller, **given)
            return SchedulePage(items, cursor)
        if tool == "run_cancel":
            return await use_case(self.caller, given["run_id"])
        schedule = given.pop("schedule_id")
        if tool == "schedule_history":
            items, cursor = await use_case(self.caller, schedule, statuses=given.pop("status", ()), **given)
            return RunPage(items, cursor)
        if tool == "schedule_backfill":
            times = (moment(given[end], end) for end in ("start", "end"))
            runs, total = await use_case(self.caller, schedule, *times)
            return RunPage(runs, total=total)
        return await use_case(self.caller, schedule, **given)

    async def create(self, name: str = "plants", /, **fields: Any) -> dict[str, Any]:
        """A schedule; without fields, a prompt every day at nine."""
        made: dict[str, Any] = await self.ask("schedule_create", name=name, **(fields or DAILY))
        return made

    async def update(self, schedule: str, **changes: Any) -> dict[str, Any]:
        made: dict[str, Any] = await self.ask("schedule_update", schedule_id=schedule, **changes)
        return made

    async def get(self, schedule: str) -> dict[str, Any]:
        found: dict[str, Any] = await self.ask("schedule_get", schedule_id=schedule)
        return found

    async def trigger(self, schedule: str) -> dict[str, Any]:
        fired: dict[str, Any] = await self.ask("schedule_trigger", schedule_id=schedule)
        return fired

    async def history(self, schedule: str, **filters: Any) -> list[dict[str, Any]]:
        runs: list[dict[str, Any]] = (await self.ask("schedule_history", schedule_id=schedule, **filters)).get(
            "items", []
        )
        return runs

    async def names(self, **filters: Any) -> list[str]:
        return [each["name"] for each in (await self.ask("schedule_list", **filters)).get("items", [])]

    async def row(self, name: str, namespace: str = "default") -> StoredSchedule:
        """What is stored under a name."""
        found = await self.store.find(namespace, name)
        assert found is not None
        return found

    async def told(self) -> list[tuple[str, Mapping[str, Any]]]:
        """The journal: names of events and what they say."""
        return [(event.kind.name, event.data) for _, event in await self.store.journal(0, 1000)]

    async def events(self, address: str = "recent") -> list[dict[str, Any]]:
        """The journal as the caller may read it: of everything, or of one schedule."""
        if self.way == SERVICE:
            schedule = None if address == "recent" else address
            return [plain(each) for each in (await self.journal.page(self.caller, schedule=schedule))[0]]
        (read,) = (await self.client.read_resource(f"events://{address}")).contents
        events: list[dict[str, Any]] = json.loads(read.text)["events"]  # type: ignore[union-attr]
        return events

    # doing

    async def tick(self, **later: float) -> int:
        """Let time pass, and carry out what is due by hand."""
        self.clock.advance(timedelta(**later))
        return await self.engine.tick(self.clock.now())

    async def as_holder(self, scope: str, *grants: str) -> Caller:
        """Be the holder of a new token of a scope from now on. A person who does not exist yet is added."""
        who = scope.removeprefix("user:").removesuffix(":ro")
        if who != scope and await self.store.people.find(who) is None and await self.store.people.get(who) is None:
            await self.reminders.people.add(who)
        made = await self.tokens.create(Caller(), scope, scope, grants=grants)
        caller = await self.tokens.caller(made.secret, Face.MCP)
        assert caller is not None
        self.caller = caller
        return caller

    def as_admin(self) -> None:
        self.caller = Caller(ADMIN, None, Face.MCP)

    def as_scope(self, scope: str, *grants: str) -> None:
        """Return a caller with a scope whose token is not stored."""
        self.caller = Caller(replace(Scope.parse(scope), grants=frozenset(grants)), None, Face.MCP)

    async def sync_file(self, *entries: Mapping[str, Any], dry_run: bool = False) -> SyncReport:
        return await self.sync.sync_schedules(BUTLER, entries, dry_run=dry_run)


class HarnessProcess(BareProcess):
    """The process of a harness, whose engine is ticked by hand."""

    def __init__(self, harness: ScheduleHarness, settings: Settings) -> None:
        super().__init__(harness.store, harness.clock, settings, channels=("webhook",))
        self.capabilities = harness
        self._harness = harness

    def check_action(self, action: Action, retries: bool) -> None:  # noqa: ARG002  all are tried alike
        self._harness.check_action(action)


_acting: list[ScheduleHarness] = []


class _CurrentServices:
    """Stands for the services of the open harness, so that one MCP server serves all tests: making one takes long."""

    def __getattr__(self, name: str) -> Any:
        return getattr(_acting[-1].services, name)


@cache
def shared_server() -> DulyServer:
    return make_server(cast("Services", _CurrentServices()), lambda _request: _acting[-1].caller)


@contextmanager
def make_schedule_harness(store: str, way: str, folder: Path) -> Iterator[ScheduleHarness]:
    with make_harness(store, folder) as store_harness:
        yield ScheduleHarness(store_harness, way, folder)


def scenario(test: Callable[..., Coroutine[Any, Any, None]]) -> Callable[..., Coroutine[Any, Any, None]]:
    """Open the harness for a test, and close it afterwards."""

    @wraps(test)
    async def inside(**fixtures: Any) -> None:
        harness = next(value for value in fixtures.values() if isinstance(value, ScheduleHarness))
        async with harness:
            await test(**fixtures)

    return inside


def utc(*parts: int) -> str:
    """A moment as answers show it."""
    return datetime(*parts, tzinfo=UTC).isoformat().replace("+00:00", "Z")  # type: ignore[misc,arg-type]
