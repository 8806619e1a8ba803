"""Quotas of the tokens of persons and projects, and budgets of a day that hold over all nodes."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp import Client

from duly.agents import Projects, PromptDispatcher, SpawnerKind, SpawnerProfile
from duly.agents.rules import PromptRules
from duly.config.reading import load_with
from duly.config.settings import Settings
from duly.engine.context import Context
from duly.errors import ConfigError, InvalidInputError, QuotaError, RunSkippedError
from duly.mcp.server import make_server
from duly.model.action import Prompt
from duly.model.policy import Overlap, Policy
from duly.planning.budgets import NOTHING, Account, promise
from duly.planning.quotas import Quota, Quotas
from duly.ports.codec import encode_action, encode_policy
from duly.ports.records import Claimed, Cycle, StoredSchedule
from duly.ports.store import FullStore
from duly.ports.tokens import TokenRecord
from duly.service.access.scopes import ADMIN, Caller, Face, Scope
from duly.service.journal import Journal
from duly.testing import VirtualClock
from duly.testing.clock import settle
from duly.ws.frames import Conversation
from tests.bare_process import services_over
from tests.conformance.stores.builders import new_run, prompt
from tests.conformance.stores.harness import StoreHarness, full, make_harness
from tests.unit.cli.command_line import CommandLine, command_line
from tests.world import world as daemon

__all__ = ["command_line"]

BLOG = Caller(Scope.parse("project:blog"), "tok_1", Face.MCP)
ANA = Caller(Scope.parse("user:ana"), "tok_2", Face.MCP)
BOSS = Caller(ADMIN, None, Face.MCP)
HANDLER = "prompt:butler"
MAKER = "tok_blog"
DAILY = {"cron": "0 9 * * *", "prompt": "water the plants", "targets": ["blog"]}
SMALL = Quota(schedules=3, min_interval=timedelta(minutes=5), size=2000, runs_per_day=4, cost_per_day=1.0)


@pytest.fixture(params=["sqlite", "postgres"])
def shared(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[StoreHarness]:
    with make_harness(request.param, tmp_path) as made:
        yield made


class QuotaHarness:
    """Use cases over a store, with small quotas for all owners."""

    def __init__(self, store: FullStore, clock: VirtualClock, rules: Quotas | None = None) -> None:
        self.store = store
        self.clock = clock
        quotas = rules or Quotas(everybody=SMALL)
        services = services_over(store, clock, Settings(data_dir=Path(), store=store.url, quotas=quotas))
        self.keeper = services.quotas
        self.read_cases = services.schedules
        self.use_cases = services.use_cases
        self.reminders = services.reminder_service

    async def create(self, name: str, caller: Caller = BLOG, **fields: Any) -> Any:
        return await self.use_cases.schedule_create(caller, {"name": name, **DAILY, **fields})


@asynccontextmanager
async def _quota_harness(shared: StoreHarness, rules: Quotas | None = None) -> AsyncIterator[QuotaHarness]:
    async with shared:
        harness = QuotaHarness(full(shared.store), shared.clock, rules)
        await harness.store.tokens.add(
            TokenRecord(id=MAKER, name="blog", hash="blog", scope="project:blog", created_at=shared.now)
        )
        yield harness


# making and changing


async def test_an_owner_has_a_limited_number_of_schedules_and_an_admin_any(shared: StoreHarness) -> None:
    async with _quota_harness(shared) as harness:
        for number in range(3):
            await harness.create(f"s{number}")
        with pytest.raises(QuotaError) as refused:
            await harness.create("s3")
        assert str(refused.value) == (
            "over quota: schedules of project:blog is 3, and there are 3: remove one that is not needed any more; an "
            'admin can raise it: schedules in [quotas."project:blog"] of duly.toml'
        )
        for number in range(6):
            await harness.create(f"a{number}", BOSS, targets=None)
        gone, _ = await harness.use_cases.delete(BLOG, "s0")
        await harness.create("s3")
        with pytest.raises(QuotaError, match="schedules of project:blog is 3"):
            await harness.use_cases.restore(BLOG, gone.id)
        await harness.use_cases.update(BLOG, "s1", {"description": "still mine"})


async def test_schedules_made_at_the_same_time_do_not_slip_through(shared: StoreHarness) -> None:
    async with _quota_harness(shared) as harness:
        others = [QuotaHarness(full(await shared.another()), shared.clock) for _ in range(3)]
        made = await asyncio.gather(
            *(each.create(f"s{number}-{n}") for number, each in enumerate([harness, *others]) for n in range(2)),
            return_exceptions=True,
        )
        assert sum(isinstance(each, QuotaError) for each in made) == 5
        assert len((await harness.read_cases.schedule_list(BLOG))[0]) == 3


async def test_reminders_count_for_the_person_whose_token_makes_them(shared: StoreHarness) -> None:
    async with _quota_harness(shared) as harness:
        ana = (await harness.reminders.people.add("Ana")).user.id
        mine = Scope.parse(f"user:{ana}")
        for _ in range(3):
            await harness.reminders.create(ana, {"type": "once", "at": "5m"}, "m", scope=mine)
        with pytest.raises(QuotaError, match=f"schedules of user:{ana} is 3"):
            await harness.reminders.create(ana, {"type": "once", "at": "5m"}, "m", scope=mine)
        answer = await harness.reminders.remind(ana, "m", delay_minutes=5, scope=mine)
        assert answer["status"] == "error"
        assert "over quota" in answer["error"]
        await harness.reminders.create(ana, {"type": "once", "at": "5m"}, "m", scope=ADMIN)
        await harness.reminders.create(ana, {"type": "once", "at": "5m"}, "m")


TOO_OFTEN: list[dict[str, Any]] = [
    {"cron": "* * * * *"},
    {"cron": "0,4 9 * * *"},
    {"cron": None, "when": "every minute"},
    {"cron": None, "when": "every day at 9:00 and 9:01"},
]


async def test_a_schedule_that_fires_too_often_is_refused_in_every_notation(shared: StoreHarness) -> None:
    async with _quota_harness(shared) as harness:
        for given_when in TOO_OFTEN:
            with pytest.raises(
                QuotaError, match=r"min_interval of project:blog is 300 seconds, and 's' would fire again"
            ):
                await harness.create("s", **given_when)
        await harness.create("s", cron="*/5 * * * *")
        with pytest.raises(QuotaError, match="min_interval"):
            await harness.use_cases.update(BLOG, "s", {"cron": "*/4 * * * *"})
        await harness.create("admins", BOSS, cron="* * * * *")
        ana = (await harness.reminders.people.add("Ana")).user.id
        mine = Scope.parse(f"user:{ana}")
        with pytest.raises(QuotaError, match="min_interval"):
            await harness.reminders.create(ana, {"type": "interval", "every": "30s"}, "m", scope=mine)
        made = await harness.reminders.create(ana, {"type": "interval", "every": "30m"}, "m", scope=mine)
        with pytest.raises(QuotaError, match="min_interval"):
            await harness.reminders.update(ana, made.id, schedule={"type": "interval", "every": "30s"}, scope=mine)


async def test_the_size_of_a_schedule_is_limited(shared: StoreHarness) -> None:
    async with _quota_harness(shared) as harness:
        large: list[dict[str, Any]] = [{"prompt": "ž" * 1000}, {"description": "d" * 2000}]
        for fields in large:
            with pytest.raises(QuotaError, match=r"size of project:blog is 2000 bytes, and the texts of 's' have \d+"):
                await harness.create("s", **fields)
        await harness.create("s", prompt="p" * 1000)
        with pytest.raises(QuotaError, match="size"):
            await harness.use_cases.update(BLOG, "s", {"prompt": "p" * 2000})
        await harness.use_cases.update(BLOG, "s", {"enabled": False})
        await harness.create("s", BOSS, prompt="p" * 9000)


async def test_an_owner_may_have_a_quota_of_its_own_by_id_or_by_name(shared: StoreHarness) -> None:
    large = replace(SMALL, schedules=4)
    rules = Quotas(everybody=SMALL, owners={"user:Ana": large, "project:blog": replace(SMALL, min_interval=None)})
    async with _quota_harness(shared, rules) as harness:
        await harness.create("s", cron="* * * * *")
        ana = (await harness.reminders.people.add("Ana")).user.id
        assert await harness.keeper.of(Scope.parse(f"user:{ana}")) == large
        assert await harness.keeper.of(Scope.parse("user:ben")) == SMALL
        assert await harness.keeper.of(ADMIN) is None
        assert await harness.keeper.of(Scope.parse("admin:ro")) is None


async def test_the_quota_of_a_token_holds_on_every_face(tmp_path: Path) -> None:
    async with daemon(tmp_path) as here:
        here.runtime.services.quotas.rules = Quotas(everybody=SMALL)
        ana = await here.person("Ana")
        caller = Caller(Scope.parse(f"user:{ana}"), "tok_1", Face.API)
        often = {"type": "interval", "every": "30s"}
        frame = {"id": 1, "method": "cron.add", "params": {"schedule": often, "message": "m"}}
        answer = await Conversation(here.runtime.services, caller).answer(json.dumps(frame))
        assert answer["error"]["code"] == "INVALID_PARAMS"
        assert "over quota: min_interval" in answer["error"]["message"]
        runtime = here.runtime
        async with Client(make_server(runtime.services, lambda _request: caller)) as client:
            refused = await client.call_tool("scheduler", {"action": "add", "schedule": often, "message": "m"})
            assert refused.is_error
            assert "over quota: min_interval" in refused.content[0].text  # type: ignore[union-attr]
            large = await client.call_tool("remind", {"message": "m" * 3000, "delay_minutes": 5})
            assert "over quota: size" in (large.structured_content or {})["error"]
            (read,) = (await client.read_resource("quotas://duly")).contents
            owners = json.loads(read.text)["owners"]  # type: ignore[union-attr]
            assert [each["owner"] for each in owners] == [f"user:{ana}"]


async def test_a_reminder_that_was_put_off_counts_for_the_same_quota(tmp_path: Path) -> None:
    async with daemon(tmp_path) as here:
        ana = await here.person("Ana")
        await here.remind(ana, scope=Scope.parse(f"user:{ana}"))
        await here.clock.travel(timedelta(minutes=6))
        await here.runtime.services.reminder_service.answer(ana, "snooze", minutes=5)
        found, _ = await here.runtime.services.reminder_service.lists.page(ana)
        for view in found:
            row = await here.runtime.store.get(view.id)
            assert row is not None
            assert row.token_scope == f"user:{ana}"
        assert len(found) == 2


# carrying out


async def _claimed(world: StoreHarness, store: FullStore, node: str, limit: int) -> list[Claimed]:
    await store.register(world.node(node, (HANDLER,)))
    turn = Cycle(node_id=node, now=world.now, claim_limit=limit, handlers=(HANDLER,))
    return (await store.cycle(turn)).claimed


def _row(text: str, **options: Any) -> StoredSchedule:
    action = encode_action(Prompt(text=text, spawner="butler", **options))
    parallel = encode_policy(Policy(overlap=Overlap.PARALLEL))
    namespace = "project:blog" if text == "quota" else "default"
    maker = MAKER if text == "quota" else None
    return prompt(text, action=action, policy=parallel, handler=HANDLER, namespace=namespace, created_by=maker)


async def test_runs_beyond_the_quota_of_a_day_are_skipped_and_the_first_is_loud(shared: StoreHarness) -> None:
    async with _quota_harness(shared) as harness:
        row = _row("quota")
        await shared.add(row, free := _row("free"))
        await shared.put(*(new_run(row, number) for number in range(6)))
        shared.clock.advance(10)
        runs = await _claimed(shared, harness.store, "node_a", 10)
        assert len(runs) == 6
        for each in runs[:4]:
            await harness.keeper.admit(each)
            await harness.keeper.admit(each)  # the same run counts once
        for each in runs[4:]:
            with pytest.raises(RunSkippedError, match=r"runs_per_day of project:blog is 4, and 4 were carried out"):
                await harness.keeper.admit(each)
        told, _ = await Journal(harness.store).page(BOSS, kinds=["quota.reached"])
        assert [(each.level, each.schedule_id) for each in told] == [("warning", row.id)]
        with pytest.raises(QuotaError, match="runs_per_day of project:blog is 4, and there were 4 runs"):
            await harness.keeper.runs_left(BLOG.scope)
        assert await harness.keeper.runs_left(ADMIN) is None
        shared.clock.advance(timedelta(hours=25))
        await harness.keeper.admit(runs[4])  # yesterday's do not count any more
        await shared.put(*(new_run(free, number) for number in range(6)))
        for each in await _claimed(shared, harness.store, "node_a", 10):
            await harness.keeper.admit(each)  # no token has made its schedule


async def test_each_attempt_counts_and_no_message_does(shared: StoreHarness) -> None:
    async with _quota_harness(shared) as harness:
        row = _row("quota")
        await shared.add(row)
        await shared.put(new_run(row, 1))
        shared.clock.advance(10)
        (first,) = await _claimed(shared, harness.store, "node_a", 10)
        for fence in range(1, 5):
            await harness.keeper.admit(replace(first, fence=fence))
        with pytest.raises(RunSkippedError, match=r"runs_per_day of project:blog is 4, and 4 were carried out"):
            await harness.keeper.admit(replace(first, fence=5))
        await harness.keeper.admit(replace(first, fence=5, handler="message"))  # a reminder is never left out


async def test_a_reminder_that_has_come_to_its_end_makes_room_after_a_day(tmp_path: Path) -> None:
    async with daemon(tmp_path) as here:
        here.runtime.services.quotas.rules = Quotas(everybody=replace(Quota(), schedules=2))
        ana = await here.person("Ana")
        mine = Scope.parse(f"user:{ana}")
        for _ in range(2):
            await here.remind(ana, scope=mine)
        await here.clock.travel(timedelta(minutes=6))
        with pytest.raises(QuotaError, match=r"schedules of user:.* is 2"):
            await here.remind(ana, scope=mine)
        here.clock.advance(timedelta(hours=25))  # at once: the daemon has nothing to do in this time
        await here.remind(ana, scope=mine)


async def test_a_backfill_is_no_way_around_the_runs_of_a_day(shared: StoreHarness) -> None:
    async with _quota_harness(shared) as harness:
        await harness.create("s", cron="0 * * * *")
        shared.clock.advance(timedelta(hours=24))
        start = shared.now - timedelta(hours=12)
        with pytest.raises(InvalidInputError, match="over quota: that range holds more fires than the 4 runs"):
            await harness.use_cases.schedule_backfill(BLOG, "s", start, shared.now)
        runs, total = await harness.use_cases.schedule_backfill(BLOG, "s", shared.now - timedelta(hours=2), shared.now)
        assert len(runs) == total <= 4


class Node:
    """A dispatcher with a handle of its own on the store. Its agent spends what it is allowed, when it is told to."""

    def __init__(self, store: FullStore, clock: VirtualClock, folder: Path, **options: Any) -> None:
        self.store = store
        self.allowed: list[float] = []
        self.go = asyncio.Event()
        self.dispatcher = PromptDispatcher(
            store.targets,
            clock,
            PromptRules(
                [SpawnerProfile(name="butler", kind=SpawnerKind.CALLABLE, call=self._spend)],
                default="butler",
                projects=Projects({}),
                state_dir=folder,
            ),
            **options,
        )

    async def _spend(self, *, max_cost: float, **_: Any) -> Any:
        self.allowed.append(max_cost)
        await self.go.wait()
        return {"text": "done", "cost_usd": max_cost}

    def start(self, runs: Sequence[Claimed]) -> list[asyncio.Task[Any]]:
        def note(*_: Any) -> None:
            pass

        return [asyncio.create_task(self.dispatcher.dispatch(each, Context(each, note))) for each in runs]


async def _until(condition: Callable[[], bool], clock: VirtualClock | None = None) -> None:
    """Let requests that are under way in the threads of the stores come to their end.

    A `clock` goes on meanwhile: one who has asked just before waits once more.
    """
    async with asyncio.timeout(60):
        while not condition():
            await asyncio.sleep(0.001)
            await settle(2)
            if clock is not None:
                clock.advance(0.1)


@asynccontextmanager
async def _ended(tasks: list[asyncio.Task[Any]], nodes: Sequence[Node]) -> AsyncIterator[None]:
    """End the tasks of a test that fails as well, while their stores are open: they would wait for ever for those."""
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for node in nodes:
            node.dispatcher.close()


BUDGETS: list[tuple[str, dict[str, Any]]] = [
    ("schedule", {"max_cost_per_day": 1.0, "max_cost_per_run": 0.4}),
    ("quota", {"max_cost_per_run": 0.4}),
]


@pytest.mark.parametrize(("text", "options"), BUDGETS, ids=["of a schedule", "of an owner"])
async def test_two_nodes_never_promise_more_than_a_day_has_left(
    shared: StoreHarness, tmp_path: Path, text: str, options: dict[str, Any]
) -> None:
    async with _quota_harness(shared) as harness:
        quota = {"budget_of": harness.keeper.budget_of}
        nodes = [Node(full(await shared.another()), shared.clock, tmp_path / name, **quota) for name in "ab"]
        await shared.add(row := _row(text, **options))
        await shared.put(*(new_run(row, number) for number in range(4)))
        shared.clock.advance(10)
        halves = [await _claimed(shared, node.store, f"node_{number}", 2) for number, node in enumerate(nodes)]
        tasks = [task for node, half in zip(nodes, halves, strict=True) for task in node.start(half)]
        async with _ended(tasks, nodes):
            await _until(lambda: sum(len(node.allowed) for node in nodes) == 3)
            allowed = sorted(each for node in nodes for each in node.allowed)
            assert allowed == pytest.approx([0.2, 0.4, 0.4])
            nodes[0].go.set()
            nodes[1].go.set()
            await _until(lambda: sum(task.done() for task in tasks) >= 3)
            # the fourth waits for what the others leave over: they leave nothing
            await _until(lambda: all(task.done() for task in tasks), shared.clock)
            refused = [error for task in tasks if (error := task.exception()) is not None]
            assert [type(error) for error in refused] == [RunSkippedError]
            assert str(refused[0]).startswith(
                "over budget: $1.0000" if text == "schedule" else "over quota: project:blog"
            )
            spent = await harness.store.targets.spent(row.id, shared.now - timedelta(hours=24))
            assert spent == pytest.approx(1.0)


async def test_the_promise_to_a_run_of_a_dead_node_ends_when_others_take_it_back(
    shared: StoreHarness, tmp_path: Path
) -> None:
    async with _quota_harness(shared) as harness:
        first, second = [Node(full(await shared.another()), shared.clock, tmp_path / name) for name in "ab"]
        await shared.add(row := _row("s", max_cost_per_day=1.0))
        await shared.put(new_run(row, 0), new_run(row, 1))
        shared.clock.advance(10)
        (lost,) = await _claimed(shared, first.store, "node_a", 1)
        (mine,) = await _claimed(shared, second.store, "node_b", 1)
        tasks = first.start([lost])
        async with _ended(tasks, [first, second]):
            await _until(lambda: first.allowed == [1.0])
            tasks += second.start([mine])
            await settle(50)
            assert second.allowed == []
            await shared.silence("node_a")
            taken = await harness.store.rescue(shared.now, lambda _policy, _lost: False)
            while any(each.look_again_in is not None for each in taken):  # its process is here: it is doubted first
                await shared.silence("node_a")
                taken = await harness.store.rescue(shared.now, lambda _policy, _lost: False)
            await _until(lambda: second.allowed == [1.0], shared.clock)


@given(
    st.lists(st.tuples(*[st.floats(0, 10)] * 3), min_size=1, max_size=3),
    st.none() | st.floats(0.001, 20),
)
def test_a_promise_is_never_more_than_any_budget_has_left(figures: list[Any], wanted: float | None) -> None:
    accounts = [Account(owner=None, limit=limit, spent=spent, promised=other) for limit, spent, other in figures]
    made = promise(accounts, wanted)
    if made.amount is not None:
        assert made.used_up is None
        assert NOTHING / 2 <= made.amount <= (wanted or 1e9)
        assert all(made.amount <= account.left for account in accounts)
    if made.used_up is not None:
        assert made.used_up.is_used_up


# looking


async def test_usage_is_shown_to_admins_for_all_and_to_others_for_themselves(shared: StoreHarness) -> None:
    async with _quota_harness(shared) as harness:
        await harness.create("s")
        await harness.create("t", BOSS, targets=None)
        ana = (await harness.reminders.people.add("Ana")).user.id
        await harness.reminders.create(ana, {"type": "once", "at": "5m"}, "m", scope=Scope.parse(f"user:{ana}"))
        (mine,), end = await harness.keeper.page(BLOG)
        assert (mine.owner, mine.schedules, mine.max_schedules, mine.runs_per_day, end) == (
            "project:blog",
            1,
            3,
            4,
            None,
        )
        first, cursor = await harness.keeper.page(BOSS, limit=1)
        rest, end = await harness.keeper.page(BOSS, cursor, limit=1)
        assert ([each.owner for each in first + rest], end) == (["project:blog", f"user:{ana}"], None)


def test_the_command_shows_usage_against_limits(command_line: CommandLine) -> None:
    assert command_line.say("quotas").startswith("no person and no project")
    command_line.say("user", "add", "Ana")
    command_line.say("remind", "tea", "in 5m", "--user", "Ana")
    heading, row = command_line.say("quotas").splitlines()
    assert heading.split()[:2] == ["OWNER", "SCHEDULES"]
    assert "1 of 500" in row
    assert command_line.read("quotas")["items"][0]["max_schedules"] == 500


# the file


def _settings(folder: Path, text: str) -> Any:
    file = folder / "duly.toml"
    file.write_text(text, encoding="utf-8")
    return load_with({}, file, data_dir=str(folder))


def test_an_admin_sets_quotas_in_the_file(tmp_path: Path) -> None:
    text = (
        '[quotas]\nruns_per_day = 7\nmin_interval = "5m"\n[quotas."user:ana"]\nruns_per_day = false\ncost_per_day = 3\n'
    )
    rules = _settings(tmp_path, text).quotas
    assert rules.of("project:x") == replace(Quota(), runs_per_day=7, min_interval=timedelta(minutes=5))
    assert rules.of("user:ana") == replace(rules.everybody, runs_per_day=None, cost_per_day=3.0)


FAULTS = [
    ("[quotas]\nschedules = -1\n", 2, "quotas.schedules: must be a whole number, or false for no limit, got -1"),
    (
        "[quotas]\nrun_per_day = 1\n",
        2,
        "quotas.run_per_day: is unknown: did you mean runs_per_day? quotas takes cost_per_day",
    ),
    ('[quotas."user:ana"]\nsize = "1k"\n', 2, "quotas.user:ana.size: must be a whole number"),
    ('[quotas."user:ana"]\nsizes = 1\n', 2, "quotas.user:ana.sizes: is unknown"),
    ('[quotas]\nmin_interval = "soon"\n', 2, "quotas.min_interval: must be seconds or text such as"),
    ("quotas = 3\n", 1, "quotas: must be a table"),
]


@pytest.mark.parametrize(("text", "line", "says"), FAULTS)
def test_a_fault_in_the_quotas_is_told_with_its_line(tmp_path: Path, text: str, line: int, says: str) -> None:
    with pytest.raises(ConfigError) as refused:
        _settings(tmp_path, text)
    assert says in str(refused.value)
    assert refused.value.line == line
