"""Any order of registering, working, failing, crashing and stopping, beside a small model of the specification."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Coroutine
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from duly.declarative import Scheduler
from duly.testing.clock import settle
from tests.conformance.declarative.harness import START, SchedulerHarness
from tests.conformance.declarative.reference import Behaviour, Model
from tests.support import tries

T = TypeVar("T")
NAMES = st.sampled_from("abc")
MINUTES = st.one_of(st.just(frozenset(range(60))), st.frozensets(st.integers(0, 59), min_size=1, max_size=5))
DELAYS = st.sampled_from([0, 1, 7, 60, 150, 3600])
REGISTRATIONS = st.dictionaries(NAMES, st.tuples(MINUTES, DELAYS), max_size=3)
SECONDS = st.one_of(st.integers(0, 90), st.sampled_from([60, 120, 600]))
DOWNTIMES = st.sampled_from([3600, 7201, 86_400])


def cron_of(minutes: frozenset[int]) -> str:
    return "* * * * *" if len(minutes) == 60 else f"{','.join(map(str, sorted(minutes)))} * * * *"


def second_of(moment: datetime) -> int:
    return int((moment - START).total_seconds())


class SchedulerMachine(RuleBasedStateMachine):
    """The scheduler and the model, side by side."""

    scheduler: Scheduler | None = None

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.loop = asyncio.new_event_loop()
        self.harness = SchedulerHarness(str(Path(self.folder.name) / "duly.db"))
        self.model = Model(0)
        self.registered: dict[str, tuple[frozenset[int], int]] = {}

    def go(self, work: Coroutine[Any, Any, T]) -> T:
        return self.loop.run_until_complete(work)

    @initialize(seconds=st.integers(0, 3600))
    def begin_somewhere_in_an_hour(self, seconds: int) -> None:
        self.go(self.harness.travel(seconds=seconds))
        self.model.pass_time(seconds)

    # rules

    @precondition(lambda self: self.scheduler is None)
    @rule(registrations=REGISTRATIONS)
    def initialize_with(self, registrations: dict[str, tuple[frozenset[int], int]]) -> None:
        self.registered = registrations
        self._initialize()

    @precondition(lambda self: self.scheduler is None and self.registered)
    @rule()
    def initialize_as_before(self) -> None:
        self._initialize()

    @precondition(lambda self: self.scheduler is None and self.registered)
    @rule(minutes=MINUTES, delay=DELAYS)
    def initialize_with_one_change(self, minutes: frozenset[int], delay: int) -> None:
        self.registered = {**self.registered, min(self.registered): (minutes, delay)}
        self._initialize()

    def _initialize(self) -> None:
        registrations = [
            (name, cron_of(minutes), self.harness.work(name), timedelta(seconds=delay))
            for name, (minutes, delay) in self.registered.items()
        ]
        self.scheduler = self.go(self.harness.start_all(*registrations))
        self.model.initialize(self.registered)

    @rule(seconds=SECONDS)
    def let_time_pass(self, seconds: int) -> None:
        self.go(self.harness.travel(seconds=seconds))
        self.model.pass_time(seconds)

    @precondition(lambda self: self.scheduler is None)
    @rule(seconds=DOWNTIMES)
    def be_away_for_long(self, seconds: int) -> None:
        self.go(self.harness.travel(seconds=seconds))
        self.model.pass_time(seconds)

    @rule(name=NAMES, seconds=st.sampled_from([0, 0, 5, 59, 61, 200, 4000]), fails=st.booleans())
    def behave(self, name: str, seconds: int, fails: bool) -> None:
        self.harness.work(name, seconds=seconds, fails=fails)
        self.model.behaviours[name] = Behaviour(seconds, fails)

    @precondition(lambda self: self.scheduler is not None)
    @rule()
    def crash(self) -> None:
        assert self.scheduler is not None
        self.go(self.harness.crash(self.scheduler))
        self.model.crash()
        self.scheduler = None

    @precondition(lambda self: self.scheduler is not None)
    @rule()
    def stop(self) -> None:
        assert self.scheduler is not None
        self.go(self._stop(self.scheduler, self.model.stop()))
        self.scheduler = None

    async def _stop(self, scheduler: Scheduler, takes: int) -> None:
        stopping = asyncio.ensure_future(scheduler.stop())
        if takes:
            await self.harness.travel(seconds=takes - 1)
            assert not stopping.done()
            await self.harness.travel(seconds=1)
        await settle()
        assert stopping.done()
        self.harness._schedulers.remove(scheduler)

    # what must always hold

    @invariant()
    def the_same_calls_at_the_same_times(self) -> None:
        expected = {name: calls for name, calls in self.model.history.items() if calls}
        real = {name: work.calls for name, work in self.harness.callbacks.items()}
        assert {name: [second_of(call) for call in calls] for name, calls in real.items() if calls} == expected

    @invariant()
    def the_same_timestamps(self) -> None:
        if self.scheduler is not None:
            for name, task in self.model.tasks.items():
                shown = self.scheduler.tasks[name]
                stamps = (shown.last_attempt_at, shown.last_success_at, shown.pending_retry_until)
                seconds = tuple(None if each is None else second_of(each) for each in stamps)
                assert seconds == (task.last_attempt, task.last_success, task.retry_at), name

    @invariant()
    def one_at_a_time(self) -> None:
        assert all(work.most_at_once <= 1 for work in self.harness.callbacks.values())

    @invariant()
    def at_most_one_run_per_due_period(self) -> None:
        """Between two due minutes there is one call that is no retry and no restart, at most."""
        started = [event for event in self.harness.events if event.kind.name == "TaskRunStarted"]
        keys = [event.run_id for event in started]
        restarts = sum(event.kind.name == "TaskOrphaned" for event in self.harness.events)
        assert len(keys) - len(set(keys)) <= restarts

    def teardown(self) -> None:
        self.go(self.harness.close())
        self.loop.close()
        self.folder.cleanup()


TestSchedulerMachine = SchedulerMachine.TestCase
TestSchedulerMachine.settings = settings(
    max_examples=tries(40), stateful_step_count=25, deadline=None, suppress_health_check=list(HealthCheck)
)
