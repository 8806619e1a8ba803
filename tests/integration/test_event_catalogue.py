"""Every event of the catalogue reaches the log, at its level, and `on_event`: shown by something that makes it happen.

The tests come from the catalogue: a new kind of event without a scenario fails. What is kept must be told exactly as
often as the journal has it.
"""

from __future__ import annotations

import asyncio
import logging
import os
import threading
from collections.abc import Callable, Coroutine
from contextlib import AbstractAsyncContextManager, ExitStack, suppress
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import apsw
import httpx
import pytest

from duly import Cron, Duly, Event, Policy, Retry, failpoints, run_now
from duly.agents import PromptDispatcher, SpawnerProfile, profile_from
from duly.agents.rules import PromptRules
from duly.config.backup import BackupSettings
from duly.config.monitoring import HeartbeatPing
from duly.config.settings import Settings
from duly.declarative import Scheduler
from duly.engine.planner import TickPlanner
from duly.engine.settings import EngineSettings
from duly.entropy import random_bits
from duly.errors import BackupError, DulyError
from duly.model.action import Prompt
from duly.model.events import CATALOGUE, EventKind
from duly.model.notice import NotifyRule
from duly.planning.places import Pool
from duly.planning.poison import HOPELESS, LONGEST_WINDOW
from duly.planning.quotas import Quota, Quotas
from duly.ports.codec import encode_policy
from duly.ports.executor_settings import ExecutorKind
from duly.ports.records import Cycle, NodeRecord
from duly.ports.store import FullStore
from duly.processes import pid_space
from duly.recurrence import every
from duly.runtime import executors
from duly.runtime.heartbeat_url import HeartbeatUrl
from duly.runtime.runtime import Runtime
from duly.service.access.failed_logins import FailedLogins
from duly.service.access.scopes import Caller, Face
from duly.service.schedules.waking import WakeWish
from duly.stores import open_store
from duly.telemetry.bridges import library_warnings_as_events
from duly.testing import VirtualClock
from duly.testing.clock import settle
from tests.configured_executor import PLACE
from tests.handing import hand_over
from tests.postgres_server import server
from tests.support import MachineClock
from tests.world import HEAD, JOB, DaemonFolder, daemon_folder

__all__ = ["daemon_folder"]
MINUTELY = "* * * * *"


class ObservedStore:
    """A store on virtual time, and every event that its apps and daemons report."""

    def __init__(self, folder: Path, daemon_folder: DaemonFolder) -> None:
        self.folder = folder
        self.daemon_folder = daemon_folder
        self.clock = VirtualClock()
        self.store = str(folder / "schedules.db")
        self.heard: list[Event] = []
        self.held = ExitStack()
        """What has to stay until the journal was read."""
        self._something_new = asyncio.Event()

    def hear(self, event: Event) -> None:
        self.heard.append(event)
        self._something_new.set()

    async def until(self, name: str) -> None:
        """Wait for an event that real processes or threads bring about."""
        async with asyncio.timeout(60):
            while name not in [event.kind.name for event in self.heard]:
                self._something_new.clear()
                await self._something_new.wait()

    def app(self, **options: Any) -> Duly:
        return Duly(self.store, **{"clock": self.clock, "on_event": self.hear, **options})

    def scheduler(self) -> Scheduler:
        return Scheduler(self.store, clock=self.clock, tz="UTC", on_event=self.hear)

    def daemon(self, text: str) -> AbstractAsyncContextManager[Runtime]:
        """A daemon with a file, but for its faces."""
        self.store = str(self.daemon_folder.settings(self.daemon_folder.write(text)).store)
        self.daemon_folder.told = self.heard
        return self.daemon_folder.running(text)

    def change(self, statement: str) -> None:
        """Do something to the file that duly never would."""
        with apsw.Connection(self.store) as connection:
            connection.execute(statement)
        connection.close()

    def delete_store(self) -> None:
        Path(self.store).unlink()

    async def die_with_a_run(self, handler: str, later: timedelta = timedelta()) -> None:
        """Claim the due runs as a process that has ended: its process id belongs to another process now.

        `later` is how long after the last death that is.
        """
        store = open_store(self.store, self.clock, inline=True)
        await store.open()
        gone = NodeRecord(
            id=f"node_{self.clock.monotonic():.0f}",
            host="here",
            pid=os.getpid(),
            pid_started="long ago",
            boot_id=pid_space(),
            lease_seconds=60,
            handlers=(handler,),
            started_at=self.clock.now(),
        )
        await store.rescue(self.clock.now(), lambda _policy, lost: lost >= 3)
        self.clock.advance(later.total_seconds())
        await store.register(gone)
        now = self.clock.now()
        turn = Cycle(
            gone.id,
            now,
            planner=TickPlanner(now, [Pool(handlers={handler}, size=9)], random_bits),
            plan_limit=9,
            claim_limit=9,
        )
        turn.handlers = [handler]
        assert (await store.cycle(turn)).claimed
        await store.close()
        self.clock.advance(1)

    async def journal(self) -> list[Event]:
        store = open_store(self.store, self.clock, inline=True)
        await store.open()
        try:
            return [event for _, event in await store.journal(0, 10_000)]
        finally:
            await store.close()


Scenario = Callable[[ObservedStore], Coroutine[Any, Any, None]]
SCENARIOS: dict[str, Scenario] = {}


def shows(*names: str) -> Callable[[Scenario], Scenario]:
    def register(scenario: Scenario) -> Scenario:
        SCENARIOS.update(dict.fromkeys(names, scenario))
        return scenario

    return register


@pytest.mark.parametrize("kind", CATALOGUE.values(), ids=lambda kind: kind.name)
def test_an_event_reaches_the_log_and_the_listeners(
    kind: EventKind, tmp_path: Path, daemon_folder: DaemonFolder, caplog: pytest.LogCaptureFixture
) -> None:
    assert kind.name in SCENARIOS, f"no scenario shows {kind.name}: write one that makes it happen"

    async def play() -> tuple[ObservedStore, list[Event]]:
        observed = ObservedStore(tmp_path, daemon_folder)
        with observed.held:
            try:
                async with asyncio.timeout(60):
                    await SCENARIOS[kind.name](observed)
            finally:
                failpoints.disarm()
            return observed, await observed.journal() if kind.durable else []

    with caplog.at_level(logging.DEBUG, logger="duly"):
        observed, journal = asyncio.run(play())
    heard = [event for event in observed.heard if event.kind is kind]
    logged = [record for record in caplog.records if record.__dict__.get("duly_event") == kind.name]
    assert heard
    assert {record.levelname for record in logged} == {kind.level.upper()}
    if not kind.repeats:
        assert len(logged) == len(heard)
    if kind.durable:
        assert [event for event in journal if event.kind is kind and event in heard] == heard
    assert set(kind.fields) <= {field for event in heard for field in event.data}
    if "name" in kind.fields:
        assert all(f"name={event.data['name']}" in logged[0].getMessage() for event in heard[:1])


def test_every_scenario_shows_an_event_of_the_catalogue() -> None:
    assert SCENARIOS.keys() == CATALOGUE.keys()


# the library


@shows(
    "node.started",
    "node.stopped",
    "schedule.created",
    "schedule.updated",
    "schedule.paused",
    "schedule.resumed",
    "schedule.deleted",
    "schedule.restored",
    "run.started",
    "run.succeeded",
)
async def a_schedule_lives(observed: ObservedStore) -> None:
    app = observed.app()
    app.job(name="work")(_do_nothing)
    async with app:
        await app.schedule("a", every(1).hours(), job="work")
        made = await app.schedule("a", every(2).hours(), job="work")
        await app.pause("a")
        await app.resume("a")
        await observed.clock.travel(hours=2)
        await app.delete("a")
        await app.restore(made.id)


@shows("schedule.finished")
async def a_series_ends(observed: ObservedStore) -> None:
    app = observed.app()
    app.job(name="work")(_do_nothing)
    async with app:
        await app.schedule("once", run_now(), job="work")
        await observed.clock.travel(minutes=1)


@shows("run.failed", "run.retrying")
async def a_job_fails(observed: ObservedStore) -> None:
    app = observed.app()

    @app.job
    async def work() -> None:
        raise ValueError("no")

    async with app:
        retry = Policy(retry=Retry(max_attempts=2, delay=timedelta(seconds=1)))
        await app.schedule("failing", run_now(), job=work, policy=retry)
        await observed.clock.travel(minutes=1)


@shows("handover.failed", "run.begun", "handover.ended")
async def a_worker_elsewhere_reports_a_failure(observed: ObservedStore) -> None:
    async with observed.daemon(HEAD) as runtime:
        key, token = await hand_over(runtime.store, runtime.clock)
        executions = runtime.services.executions
        worker = await executions.recognize(*key, token)
        assert worker is not None
        await executions.begin(worker, start="one", host="celery@build-7")
        await executions.end(worker, start="one", state="failed", error="no", traceback="ValueError: no")
        await observed.until("handover.ended")


@shows("run.skipped")
async def a_job_is_still_busy_when_the_next_fire_comes(observed: ObservedStore) -> None:
    app = observed.app()

    @app.job
    async def work() -> None:
        await observed.clock.sleep(5400)

    async with app:
        await app.schedule("slow", every(1).hours(), job=work)
        await observed.clock.travel(hours=2, minutes=45)  # it began at one, is skipped at two, and has ended


@shows("run.missed")
async def the_program_was_away(observed: ObservedStore) -> None:
    app = observed.app()
    app.job(name="work")(_do_nothing)
    async with app:
        policy = Policy(catch_up="skip")
        await app.schedule("hourly", every(1).hours(), job="work", policy=policy)
    observed.clock.advance(timedelta(hours=3, minutes=30))
    async with app:
        await settle()


@shows("run.cancelled")
async def a_run_is_called_off(observed: ObservedStore) -> None:
    app = observed.app()

    @app.job
    async def work() -> None:
        await observed.clock.sleep(3600)

    async with app:
        await app.schedule("long", run_now(), job=work)
        await observed.clock.travel(minutes=1)
        [run] = await app.history("long")
        await app.cancel_run(run.id)
        await observed.clock.travel(minutes=1)


@shows("schedule.quarantined")
async def a_row_is_damaged(observed: ObservedStore) -> None:
    app = observed.app()
    app.job(name="work")(_do_nothing)
    await app.open()
    await app.schedule("bad", every(1).hours(), job="work")
    await app.close()
    observed.change("""UPDATE schedules SET trigger = '{"kind": "?"}'""")
    async with app:
        await observed.clock.travel(hours=1)


@shows("run.rescued", "node.lost")
async def another_process_dies(observed: ObservedStore) -> None:
    app = observed.app()
    app.job(name="work")(_do_nothing)
    await app.open()
    await app.schedule("left", run_now(), job="work")
    await app.close()
    await observed.die_with_a_run("job:work")
    async with app:
        await settle()


@shows("run.dead")
async def a_run_takes_too_many_processes_down(observed: ObservedStore) -> None:
    app = observed.app()
    app.job(name="work")(_do_nothing)
    await app.open()
    await app.schedule("poison", run_now(), job="work")
    await app.close()
    for _ in range(HOPELESS):
        await observed.die_with_a_run("job:work", LONGEST_WINDOW)
    async with app:
        await settle()


@shows("run.lease_lost")
async def others_take_us_for_dead(observed: ObservedStore) -> None:
    app = observed.app()

    @app.job
    async def work() -> None:
        await observed.clock.sleep(60)

    async with app:
        await app.schedule("long", run_now(), job=work)
        await settle()
        observed.change("UPDATE nodes SET pid_started = 'another'")
        other = open_store(observed.store, observed.clock, inline=True)
        await other.open()
        await other.rescue(observed.clock.now(), lambda _policy, _lost: False)
        await other.close()
        await observed.clock.travel(minutes=2)


@shows("run.stuck")
async def a_thread_outlives_its_timeout(observed: ObservedStore) -> None:
    app = observed.app()
    begun, release = threading.Event(), threading.Event()

    @app.job(isolate="thread")
    def work() -> None:
        begun.set()
        release.wait(60)

    async with app:
        await app.schedule("endless", run_now(), job=work, policy=Policy(timeout=timedelta(seconds=1)))
        await settle()
        assert await asyncio.to_thread(begun.wait, 60)
        await observed.clock.travel(seconds=2)
        await observed.until("run.stuck")
        release.set()
        await observed.until("run.failed")


@shows("store.unavailable", "store.recovered")
async def the_store_is_away_for_a_moment(observed: ObservedStore) -> None:
    app = observed.app()
    app.job(name="work")(_do_nothing)
    async with app:
        await app.schedule("hourly", every(1).hours(), job="work")
        await settle()
        failpoints.arm("sqlite.before_commit")
        await observed.clock.travel(hours=2)


@shows("store.replaced")
async def the_file_of_the_store_is_deleted(observed: ObservedStore) -> None:
    async with observed.app() as app:
        await settle()
        observed.delete_store()
        app.engine.wake()
        await settle()


@shows("clock.stepped_back")
async def somebody_sets_the_clock_back(observed: ObservedStore) -> None:
    app = observed.app()
    async with app:
        await settle()
        observed.clock.step(-timedelta(hours=1))
        app.engine.wake()
        await settle()


@shows("clock.corrected")
async def the_clock_was_ahead_and_is_set_right(observed: ObservedStore) -> None:
    app = observed.app()

    @app.job
    async def ring() -> None:
        """Nothing to do."""

    async with app:
        await app.schedule("often", Cron(MINUTELY), job=ring)
        observed.clock.step(timedelta(days=30))
        await observed.clock.travel(seconds=EngineSettings().poll)
        observed.clock.step(-timedelta(days=30))
        await observed.clock.travel(seconds=EngineSettings().poll)


@shows("clock.disagrees")
async def the_clocks_of_machine_and_server_differ(observed: ObservedStore) -> None:
    observed.store = await asyncio.to_thread(observed.held.enter_context, server().database())
    clock = MachineClock(timedelta(hours=1))
    async with observed.app(clock=clock, settings=EngineSettings(poll=0.1)):
        await observed.until("clock.disagrees")


@shows("engine.stalled", "engine.resumed")
async def a_turn_takes_very_long(observed: ObservedStore) -> None:
    app = observed.app(settings=EngineSettings(threads=False))
    async with app:
        await settle()
        held, cycle = asyncio.Event(), app._store.cycle

        async def slow(turn: Cycle) -> Any:
            await held.wait()
            return await cycle(turn)

        app._store.cycle = slow  # type: ignore[method-assign]
        await observed.clock.travel(minutes=1)
        held.set()
        await observed.clock.travel(minutes=1)


# prompts, with real tools


@shows("target.succeeded", "target.failed", "session.lost")
async def prompts_are_carried_out(observed: ObservedStore) -> None:
    talks = SpawnerProfile(
        name="talks",
        new=("sh", "-c", """echo '{"id": "s-2", "text": "done"}'"""),
        resume=("sh", "-c", "echo no such session >&2; exit 1", "{session_id}"),
        session="parsed",  # type: ignore[arg-type]
        parse="json",  # type: ignore[arg-type]
        text_path="text",
        session_path="id",
        gone="no such session",
    )
    broken = SpawnerProfile(name="broken", new=("sh", "-c", "echo out of order >&2; exit 3"))

    def prompts(store: FullStore, clock: Any) -> PromptDispatcher:
        return PromptDispatcher(
            store.targets,
            clock,
            PromptRules([talks, broken], default="talks", state_dir=observed.folder / "prompts"),
            emit=lambda event: app.engine.emit(event),  # the application is made after its dispatchers
        )

    app = Duly(observed.store, on_event=observed.hear, dispatchers=[prompts])
    async with app:
        made = await app.schedule("talk", every(1).hours(), prompt="go")
        await app._store.targets.pin_session(made.id, "", "", "s-1")
        await app.trigger("talk")
        await app.schedule("break", run_now(), prompt=Prompt(text="go", spawner="broken"))
        await observed.until("target.succeeded")
        await observed.until("run.failed")


@shows("run.handed_over", "run.not_begun")
async def a_worker_that_never_comes(observed: ObservedStore) -> None:
    observed.held.enter_context(pytest.MonkeyPatch.context()).setitem(executors.CLASSES, ExecutorKind.CELERY, PLACE)
    heavy = '[executors.heavy]\nkind = "celery"\nbroker = "env:BROKER"\ntasks = ["report"]\n'
    job = {"name": "report", "cron": "* * * * *", "job_name": "report", "executor": "heavy"}
    async with observed.daemon(HEAD + heavy) as runtime:
        await runtime.services.use_cases.schedule_create(runtime.local(Face.MCP), job)
        await observed.daemon_folder.clock.travel(minutes=7)


@shows("run.waits")
async def an_agent_has_spent_its_window(observed: ObservedStore) -> None:
    words = [{"match": "come back in (.*)", "reset": "length"}]
    sated = profile_from(
        "sated", {"new": ["sh", "-c", "echo come back in 5h >&2; exit 1"], "limit_patterns": words}, {}
    )

    def prompts(store: FullStore, clock: Any) -> PromptDispatcher:
        return PromptDispatcher(
            store.targets, clock, PromptRules([sated], default="sated", state_dir=observed.folder / "sated")
        )

    async with Duly(observed.store, on_event=observed.hear, dispatchers=[prompts]) as app:
        await app.schedule("eat", run_now(), prompt="go")
        await observed.until("run.waits")


# the daemon's use cases


@shows("schedule.wake_asked")
async def an_agent_asks_to_be_woken(observed: ObservedStore) -> None:
    async def play(runtime: Runtime) -> None:
        caller = runtime.local(Face.CLI)
        made = await runtime.services.use_cases.schedule_create(
            caller, {"name": "a", "cron": "0 9 * * *", "prompt": "go"}
        )
        run = await runtime.services.use_cases.schedule_trigger(caller, made.id)
        await runtime.services.wake_ups.wake_me(caller, WakeWish(minutes=20, run_id=run.id))
        await observed.until("schedule.wake_asked")

    await _in_a_runtime(observed, play)


async def _in_a_runtime(
    observed: ObservedStore, play: Callable[[Runtime], Coroutine[Any, Any, None]], **settings: Any
) -> None:
    runtime = Runtime(Settings(data_dir=observed.folder, store=observed.store, **settings), clock=observed.clock)
    runtime.hear(observed.hear)
    await runtime.open()
    try:
        await play(runtime)
    finally:
        await runtime.close()


@shows("schedule.fired")
async def somebody_fires_by_hand(observed: ObservedStore) -> None:
    async def play(runtime: Runtime) -> None:
        caller = runtime.local(Face.CLI)
        await runtime.services.use_cases.schedule_create(caller, {"name": "a", "cron": "0 9 * * *", "prompt": "go"})
        await runtime.services.use_cases.schedule_trigger(caller, "a")

    await _in_a_runtime(observed, play)


@shows("token.created", "token.changed", "token.revoked")
async def tokens_come_and_go(observed: ObservedStore) -> None:
    async def play(runtime: Runtime) -> None:
        made = await runtime.services.tokens.create(Caller(), "agent", "project:a")
        await runtime.services.tokens.rotate(Caller(), made.record.id)
        await runtime.services.tokens.revoke(Caller(), made.record.id)

    await _in_a_runtime(observed, play)


@shows("run.cancel_asked")
async def somebody_calls_a_run_off(observed: ObservedStore) -> None:
    async def play(runtime: Runtime) -> None:
        caller = runtime.local(Face.CLI)
        await runtime.services.use_cases.schedule_create(caller, {"name": "a", "cron": "0 9 * * *", "prompt": "go"})
        run = await runtime.services.use_cases.schedule_trigger(caller, "a")
        await runtime.services.use_cases.run_cancel(caller, run.id)

    await _in_a_runtime(observed, play)


@shows("person.added", "person.changed", "person.removed", "person.channel_added", "person.channel_removed")
async def people_come_and_go(observed: ObservedStore) -> None:
    async def play(runtime: Runtime) -> None:
        people = runtime.services.reminder_service.people
        await people.add("ana")
        await people.update("ana", timezone="Europe/Zagreb")
        await people.add_channel("ana", "email", "ana@example.org")
        await people.remove_channel("ana", "email", "ana@example.org")
        await people.remove("ana")

    await _in_a_runtime(observed, play)


@shows("person.code_made")
async def a_chat_is_to_be_paired(observed: ObservedStore) -> None:
    async def play(runtime: Runtime) -> None:
        await runtime.services.reminder_service.people.make_code("local", "telegram")

    await _in_a_runtime(observed, play)


@shows("reminder.answered", "delivery.ended")
async def a_reminder_is_acknowledged(observed: ObservedStore) -> None:
    async def play(runtime: Runtime) -> None:
        await runtime.start_engine()
        await runtime.services.reminder_service.remind("local", "stretch", delay_minutes=1, require_ack=True)
        await observed.clock.travel(minutes=2)
        await runtime.services.reminder_service.answer("local", "ack", channel="cli")

    await _in_a_runtime(observed, play)


@shows("reminder.taken_back", "attention.seen", "channel.tested")
async def an_answer_is_undone_an_item_is_seen_and_a_channel_is_tested(observed: ObservedStore) -> None:
    async def play(runtime: Runtime) -> None:
        services = runtime.services
        caller = runtime.local(Face.GUI)
        await runtime.start_engine()
        await runtime.services.reminder_service.remind(
            "local", "stretch", delay_minutes=1, require_ack=True, max_ack_reminders=0
        )
        await observed.clock.travel(minutes=2)
        [card] = (await services.inbox.view(caller)).waiting
        answered = await services.inbox.answer(caller, card.run_id, "done")
        await observed.clock.travel(minutes=1)
        await services.undo.undo(caller, answered.undo or "")
        await observed.clock.travel(hours=1)
        [item] = (await services.needs.items(caller)).items
        await services.needs.mark_seen(caller, item.id)
        await services.channels.send_test(caller, "inbox", "local")

    await _in_a_runtime(observed, play)


@shows("trust.given", "trust.taken")
async def a_file_is_trusted_for_a_while(observed: ObservedStore) -> None:
    async def play(runtime: Runtime) -> None:
        await runtime.services.audit.note_trust(runtime.local(Face.CLI), "/srv/duly.toml", "ab12")
        await runtime.services.audit.note_trust(runtime.local(Face.CLI), "/srv/duly.toml", None)

    await _in_a_runtime(observed, play)


@shows("links.rotated")
async def links_get_a_new_secret(observed: ObservedStore) -> None:
    async def play(runtime: Runtime) -> None:
        await runtime.services.audit.note_links(runtime.local(Face.CLI))

    await _in_a_runtime(observed, play)


@shows("login.failed")
async def a_wrong_token_is_refused(observed: ObservedStore) -> None:
    async def play(runtime: Runtime) -> None:
        failed = FailedLogins(runtime.store, runtime.clock)
        await failed.note("mcp", "192.0.2.1", "no such token")
        await failed.close()

    await _in_a_runtime(observed, play)


@shows("store.prune_asked")
async def a_person_has_old_runs_deleted(observed: ObservedStore) -> None:
    async def play(runtime: Runtime) -> None:
        await runtime.services.pruning.prune(runtime.local(Face.CLI), "30d")

    await _in_a_runtime(observed, play)


@shows("audit.pruned")
async def the_audit_is_cut(observed: ObservedStore) -> None:
    async def play(runtime: Runtime) -> None:
        await runtime.services.reminder_service.people.add("ana")
        observed.clock.advance(timedelta(days=30).total_seconds())
        now = observed.clock.now()
        assert await runtime.store.audit.prune(now, now, 100)

    await _in_a_runtime(observed, play)


@shows("quota.reached")
async def a_person_has_had_all_the_runs_of_a_day(observed: ObservedStore) -> None:
    async def play(runtime: Runtime) -> None:
        made = await runtime.services.tokens.create(
            runtime.local(Face.CLI), "agent", "user:local", grants=["prompts:cat"]
        )
        ana = await runtime.services.tokens.caller(made.secret, Face.MCP)
        assert ana is not None
        form = {"name": "a", "cron": "0 9 * * *", "prompt": "go", "spawner": "cat"}
        await runtime.services.use_cases.schedule_create(ana, form)
        await runtime.services.use_cases.schedule_trigger(ana, "a")
        runtime.services.quotas.rules = Quotas(everybody=Quota(runs_per_day=0))
        await runtime.tick()

    await _in_a_runtime(observed, play, spawners={"cat": {"new": ["cat"]}})


@shows("schedule.resting", "schedule.awake")
async def a_job_is_missing_for_a_while(observed: ObservedStore) -> None:
    async with observed.daemon(HEAD + JOB):
        observed.daemon_folder.make_module("late")
        await observed.daemon_folder.clock.travel(seconds=45)


@shows("config.refused", "config.reloaded")
async def the_file_is_broken_and_repaired(observed: ObservedStore) -> None:
    async with observed.daemon(HEAD) as runtime:
        watch = observed.daemon_folder.reloading(runtime)
        for text in (HEAD + "[broken\n", HEAD):
            observed.daemon_folder.write(text)
            await watch.look()  # it has just been written
            await watch.look()


@shows("run.answered", "notice.failed")
async def an_answer_is_told_to_a_person_who_is_gone(observed: ObservedStore) -> None:
    async def play(runtime: Runtime) -> None:
        caller = runtime.local(Face.CLI)
        policy = Policy(notify=(NotifyRule(on="success", to="gone"),))
        form = {"name": "a", "cron": "0 9 * * *", "prompt": "go", "spawner": "cat"}
        made = await runtime.services.use_cases.schedule_create(caller, form)
        await runtime.store.edit([made.id], lambda row: replace(row, policy=encode_policy(policy)))
        await runtime.services.use_cases.schedule_trigger(caller, "a")
        await runtime.tick()

    await _in_a_runtime(observed, play, spawners={"cat": {"new": ["cat"]}})


@shows("calendar.linked", "calendar.unlinked")
async def a_calendar_is_linked_for_a_while(observed: ObservedStore) -> None:
    async def play(runtime: Runtime) -> None:
        calendars = runtime.services.calendar
        made = await calendars.link(runtime.local(Face.CLI))
        await calendars.revoke(runtime.local(Face.CLI), made.link.id)

    await _in_a_runtime(observed, play)


@shows("heartbeat.failed", "heartbeat.recovered")
async def a_heartbeat_url_cannot_be_called_for_a_while(observed: ObservedStore) -> None:
    async def play(runtime: Runtime) -> None:
        answers = iter((500, 200))
        client = httpx.AsyncClient(transport=httpx.MockTransport(lambda _: httpx.Response(next(answers))))
        heartbeat = HeartbeatUrl(runtime, HeartbeatPing(url="https://hc.example/x"), client)
        await heartbeat.beat()
        await heartbeat.beat()
        await client.aclose()

    await _in_a_runtime(observed, play)


@shows("store.backed_up", "store.backup_failed")
async def a_backup_is_made_at_the_second_try(observed: ObservedStore) -> None:
    async def play(runtime: Runtime) -> None:
        folder = runtime.settings.data_dir / "backups"
        wanted = BackupSettings(folder=folder)
        folder.write_text("in the way")
        with suppress(BackupError):
            await runtime.backups.make_in_folder(wanted)
        folder.unlink()
        await runtime.backups.make_in_folder(wanted)

    await _in_a_runtime(observed, play)


@shows("server.warning", "server.fault")
async def the_server_complains(observed: ObservedStore) -> None:
    async with observed.daemon(HEAD) as runtime:
        with library_warnings_as_events(runtime.tell, runtime.clock):
            logging.getLogger("uvicorn.error").warning("Invalid HTTP request received.")
            error = OSError(24, "Too many open files")
            logging.getLogger("asyncio").error("socket.accept() out of system resource", exc_info=error)


# the declarative scheduler


@shows(
    "SchedulerInitializationStarted",
    "SchedulerInitializationCompleted",
    "SchedulerStopRequested",
    "SchedulerStopped",
    "PollingStarted",
    "PollingStopRequested",
    "PollingStopped",
    "TaskRunStarted",
    "TaskRunCompleted",
)
async def a_scheduler_lives(observed: ObservedStore) -> None:
    scheduler = observed.scheduler()
    await scheduler.initialize([("a", MINUTELY, _do_nothing, timedelta(0))])
    await observed.clock.travel(minutes=1)
    await scheduler.stop()


@shows("SchedulerInitializationFailed")
async def a_registration_is_wrong(observed: ObservedStore) -> None:
    with pytest.raises(DulyError):
        observed.scheduler().initialize([("a", "nonsense", _do_nothing, timedelta(0))])


@shows("TaskRunFailed", "TaskRetryStarted", "TaskRetryPreempted")
async def a_callback_fails(observed: ObservedStore) -> None:
    async def fail() -> None:
        raise ValueError("no")

    scheduler = observed.scheduler()
    soon, late = timedelta(seconds=5), timedelta(hours=1)
    await scheduler.initialize([("soon", "0 * * * *", fail, soon), ("late", MINUTELY, fail, late)])
    await observed.clock.travel(minutes=2)
    await scheduler.stop()


@shows("TaskOverridden")
async def a_task_is_registered_otherwise(observed: ObservedStore) -> None:
    for cron in (MINUTELY, "0 * * * *"):
        scheduler = observed.scheduler()
        await scheduler.initialize([("a", cron, _do_nothing, timedelta(0))])
        await scheduler.stop()


@shows("TaskOrphaned")
async def a_scheduler_vanishes_in_the_middle(observed: ObservedStore) -> None:
    scheduler = observed.scheduler()
    await scheduler.initialize([("a", MINUTELY, _do_nothing, timedelta(0))])
    await settle()
    await scheduler.stop()
    observed.change("UPDATE schedules SET next_run_at = next_fire_at")
    observed.clock.advance(60)
    await observed.die_with_a_run("job:declarative:default")
    scheduler = observed.scheduler()
    await scheduler.initialize([("a", MINUTELY, _do_nothing, timedelta(0))])
    await observed.clock.travel(minutes=1)
    await scheduler.stop()


@shows("TaskStartDelayed")
async def the_program_is_busy_with_something_else(observed: ObservedStore) -> None:
    scheduler = observed.scheduler()
    await scheduler.initialize([("a", MINUTELY, _do_nothing, timedelta(0))])
    await settle()
    observed.clock.advance(90)
    await settle()
    await scheduler.stop()


async def _do_nothing() -> None:
    pass
