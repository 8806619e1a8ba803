"""Scheduler Lifecycle: five states, and nothing but the transitions between them."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any, NoReturn

import pytest

from duly.declarative import (
    CronExpressionInvalidError,
    SchedulerAlreadyActiveError,
    SchedulerInitializationError,
    SchedulerState,
)
from duly.errors import StoreError
from duly.model.events import Event
from tests.conformance.declarative.harness import DELAY, EVERY_MINUTE, SchedulerHarness, at, scheduled, state


@scheduled
async def test_a_scheduler_is_uninitialized_until_initialize_is_called(harness: SchedulerHarness) -> None:
    scheduler = harness.scheduler()
    assert state(scheduler) == "uninitialized"
    assert dict(scheduler.tasks) == {}
    assert scheduler.identifier is None


@scheduled
async def test_uninitialized_to_initializing_to_running(harness: SchedulerHarness) -> None:
    scheduler = harness.scheduler()
    states = []
    scheduler._on_event = lambda event: states.append((event.kind.name, scheduler.state))
    started = scheduler.initialize([("a", "0 0 * * *", harness.work(), DELAY)])
    assert state(scheduler) == "initializing"
    await started
    assert state(scheduler) == "running"
    assert [told for told in states if told[0][0].isupper()] == [  # those of the specification
        ("SchedulerInitializationStarted", SchedulerState.INITIALIZING),
        ("PollingStarted", SchedulerState.INITIALIZING),
        ("SchedulerInitializationCompleted", SchedulerState.RUNNING),
    ]


@scheduled
async def test_initializing_to_uninitialized_when_registrations_are_invalid(harness: SchedulerHarness) -> None:
    scheduler = harness.scheduler()
    with pytest.raises(CronExpressionInvalidError):
        scheduler.initialize([("a", "nonsense", harness.work(), DELAY)])
    assert state(scheduler) == "uninitialized"
    assert harness.told == ["SchedulerInitializationStarted", "SchedulerInitializationFailed"]
    await scheduler.initialize([("a", EVERY_MINUTE, harness.work(), DELAY)])
    assert state(scheduler) == "running"


@scheduled
@pytest.mark.parametrize("store", ["file/duly.db", "postgresql://ana:pa55@127.0.0.1:1/none"])
async def test_initializing_to_uninitialized_when_the_store_cannot_be_opened(
    harness: SchedulerHarness, tmp_path: Path, store: str
) -> None:
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    harness.store = store if "://" in store else str(tmp_path / store)
    scheduler = harness.scheduler()
    with pytest.raises(StoreError) as caught:
        await scheduler.initialize([("a", EVERY_MINUTE, harness.work(), DELAY)])
    assert caught.value.__cause__ is not None
    assert caught.value.details == {"cause": caught.value.__cause__}
    assert "pa55" not in f"{caught.value}{caught.value.details}"
    assert state(scheduler) == "uninitialized"
    assert harness.told == ["SchedulerInitializationStarted", "SchedulerInitializationFailed"]


@scheduled
async def test_an_unexpected_error_is_wrapped_with_context_and_its_cause_kept(
    harness: SchedulerHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    fault = RuntimeError("out of the blue")

    def broken(*_: object, **__: object) -> None:
        raise fault

    monkeypatch.setattr("duly.declarative.scheduler.open_store", broken)
    scheduler = harness.scheduler(name="nightly")
    with pytest.raises(SchedulerInitializationError, match=r'"nightly".*RuntimeError: out of the blue') as caught:
        await scheduler.initialize([])
    assert caught.value.__cause__ is fault
    assert caught.value.details["cause"] is fault
    assert state(scheduler) == "uninitialized"


class _Fragile(list[Any]):
    """A list that cannot be read."""

    def __init__(self, fault: BaseException) -> None:
        super().__init__()
        self.fault = fault

    def __iter__(self) -> NoReturn:
        raise self.fault


@scheduled
async def test_an_unexpected_error_in_the_registrations_is_wrapped_too(harness: SchedulerHarness) -> None:
    scheduler = harness.scheduler()
    with pytest.raises(SchedulerInitializationError, match="ZeroDivisionError") as caught:
        scheduler.initialize(_Fragile(ZeroDivisionError()))
    assert isinstance(caught.value.details["cause"], ZeroDivisionError)
    with pytest.raises(KeyboardInterrupt):
        scheduler.initialize(_Fragile(KeyboardInterrupt()))
    assert state(scheduler) == "uninitialized"
    await scheduler.initialize([("a", EVERY_MINUTE, harness.work(), DELAY)])
    assert state(scheduler) == "running"


@scheduled
async def test_initialize_while_initializing_throws_synchronously_and_has_no_effect(harness: SchedulerHarness) -> None:
    scheduler = harness.scheduler()
    started = scheduler.initialize([("a", EVERY_MINUTE, harness.work(), DELAY)])
    with pytest.raises(SchedulerAlreadyActiveError) as caught:
        scheduler.initialize([("b", EVERY_MINUTE, harness.work("b"), DELAY)])
    assert caught.value.current_state == "initializing"
    await started
    await harness.quiet()
    assert harness.work("b").calls == []
    assert harness.count("SchedulerInitializationStarted") == 1
    assert harness.count("SchedulerInitializationFailed") == 0


@scheduled
async def test_initialize_while_running_throws_synchronously_and_has_no_effect(harness: SchedulerHarness) -> None:
    scheduler = await harness.start()
    before = list(harness.told)
    with pytest.raises(SchedulerAlreadyActiveError) as caught:
        scheduler.initialize([("b", EVERY_MINUTE, harness.work("b"), DELAY)])
    assert caught.value.current_state == "running"
    assert (harness.told, scheduler.state, list(scheduler.tasks)) == (before, SchedulerState.RUNNING, ["a"])
    await harness.travel(minutes=1)
    assert (len(harness.work().calls), harness.work("b").calls) == (2, [])


@scheduled
async def test_running_to_stopping_to_stopped(harness: SchedulerHarness) -> None:
    harness.work(seconds=90)
    scheduler = await harness.start("0 10 * * *")
    stopping = asyncio.ensure_future(scheduler.stop())
    await harness.quiet()
    assert state(scheduler) == "stopping"
    assert harness.told[-2:] == ["SchedulerStopRequested", "PollingStopRequested"]
    assert harness.last("SchedulerStopRequested").data["running"] == 1
    await harness.travel(seconds=90)
    await stopping
    assert state(scheduler) == "stopped"
    assert harness.told[-3:] == ["TaskRunCompleted", "PollingStopped", "SchedulerStopped"]


@scheduled
async def test_a_stopped_scheduler_can_be_initialized_again(harness: SchedulerHarness) -> None:
    scheduler = await harness.start()
    await scheduler.stop()
    await scheduler.initialize([("a", EVERY_MINUTE, harness.work(), DELAY)])
    await harness.travel(minutes=1)
    assert state(scheduler) == "running"
    assert harness.work().calls == [at(10, 0), at(10, 1)]


@scheduled
async def test_initialize_while_stopping_waits_for_the_stop(harness: SchedulerHarness) -> None:
    harness.work(seconds=30)
    scheduler = await harness.start("0 10 * * *")
    stopping = asyncio.ensure_future(scheduler.stop())
    await harness.quiet()
    started = scheduler.initialize([("b", EVERY_MINUTE, harness.work("b"), DELAY)])
    await harness.quiet()
    assert state(scheduler) == "stopping"
    with pytest.raises(SchedulerAlreadyActiveError, match="already initializing"):
        scheduler.initialize([])
    await harness.travel(seconds=30)
    await asyncio.gather(stopping, started)
    assert state(scheduler) == "running"
    assert list(scheduler.tasks) == ["b"]


@scheduled
async def test_an_initialize_that_is_called_off_while_it_waits_for_the_stop_leaves_that_alone(
    harness: SchedulerHarness,
) -> None:
    harness.work(seconds=30)
    scheduler = await harness.start("0 10 * * *")
    stopping = asyncio.ensure_future(scheduler.stop())
    await harness.quiet()
    started = asyncio.ensure_future(scheduler.initialize([("b", EVERY_MINUTE, harness.work("b"), DELAY)]))
    await harness.quiet()
    started.cancel()
    await harness.travel(seconds=30)
    await stopping
    assert started.cancelled()
    assert harness.told[-3:] == ["TaskRunCompleted", "PollingStopped", "SchedulerStopped"]
    assert harness.count("SchedulerInitializationFailed") == 0
    assert (state(scheduler), list(scheduler.tasks)) == ("stopped", ["a"])


@scheduled
async def test_a_listener_that_initializes_again_meets_the_state_it_was_told(harness: SchedulerHarness) -> None:
    met: list[tuple[str, str]] = []

    def meddles(event: Event) -> None:
        if event.kind.name.startswith("SchedulerInitialization"):
            try:
                scheduler.initialize([])
            except SchedulerAlreadyActiveError as error:
                met.append((event.kind.name, error.current_state))

    scheduler = harness.scheduler(on_event=meddles)
    await scheduler.initialize([("a", "0 0 * * *", harness.work(), DELAY)])
    assert met == [("SchedulerInitializationStarted", "initializing"), ("SchedulerInitializationCompleted", "running")]


@scheduled
async def test_a_listener_may_initialize_again_after_a_failure(
    harness: SchedulerHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    again = []

    def tries_again(event: Event) -> None:
        if event.kind.name == "SchedulerInitializationFailed":
            monkeypatch.undo()
            again.append(scheduler.initialize([("a", "0 0 * * *", harness.work(), DELAY)]))

    monkeypatch.setattr("duly.declarative.scheduler.open_store", None)
    scheduler = harness.scheduler(on_event=tries_again)
    with pytest.raises(SchedulerInitializationError):
        await scheduler.initialize([("a", "0 0 * * *", harness.work(), DELAY)])
    await again[0]
    assert state(scheduler) == "running"


@scheduled
async def test_a_failed_initialize_leaves_no_tasks_behind(
    harness: SchedulerHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def rescue(*_: object) -> None:
        raise OSError("torn apart")  # everything is saved, and nothing has begun

    scheduler = harness.scheduler()
    monkeypatch.setattr("duly.engine.maintenance.Maintenance.rescue", rescue)
    with pytest.raises(SchedulerInitializationError, match="torn apart"):
        await scheduler.initialize([("a", EVERY_MINUTE, harness.work(), DELAY)])
    assert (state(scheduler), dict(scheduler.tasks), scheduler.identifier) == ("uninitialized", {}, None)


@scheduled
async def test_an_initialize_that_is_called_off_leaves_nothing_behind(harness: SchedulerHarness) -> None:
    scheduler = harness.scheduler()
    started = asyncio.ensure_future(scheduler.initialize([("a", EVERY_MINUTE, harness.work(), DELAY)]))
    started.cancel()
    with pytest.raises(asyncio.CancelledError):
        await started
    await harness.quiet()
    assert state(scheduler) == "uninitialized"
    await scheduler.stop()
    await scheduler.initialize([("a", EVERY_MINUTE, harness.work(), DELAY)])
    await harness.quiet()
    assert len(harness.work().calls) == 1


def test_initialize_outside_of_an_event_loop_says_so_and_changes_nothing(harness: SchedulerHarness) -> None:
    scheduler = harness.scheduler()
    with pytest.raises(RuntimeError, match="no running event loop"):
        scheduler.initialize([])
    assert state(scheduler) == "uninitialized"


@scheduled
async def test_a_listener_that_fails_does_not_stop_the_work(
    harness: SchedulerHarness, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(_event: object) -> None:
        raise RuntimeError("deaf")

    await harness.start(on_event=broken)
    await harness.travel(minutes=1)
    assert len(harness.work().calls) == 2
    assert "a listener failed on TaskRunStarted" in caplog.text
