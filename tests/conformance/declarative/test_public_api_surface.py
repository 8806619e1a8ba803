"""Public API Surface."""

from __future__ import annotations

import asyncio
import inspect
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from duly.declarative import InvalidRegistrationError, Scheduler, SchedulerState
from duly.errors import InvalidInputError, UnknownTimezoneError
from tests.conformance.declarative.harness import DELAY, EVERY_MINUTE, SchedulerHarness, scheduled


def test_the_scheduler_exposes_exactly_two_public_methods() -> None:
    methods = [name for name, value in inspect.getmembers(Scheduler, callable) if not name.startswith("_")]
    assert methods == ["initialize", "stop"]


def test_what_can_be_looked_at_cannot_be_set() -> None:
    for name in ("state", "polling", "tasks", "identifier", "name", "tz"):
        value = inspect.getattr_static(Scheduler, name)
        assert isinstance(value, property)
        assert value.fset is None


@scheduled
async def test_both_methods_give_something_to_await_that_gives_nothing(harness: SchedulerHarness) -> None:
    scheduler = harness.scheduler()
    started = scheduler.initialize([("a", EVERY_MINUTE, harness.work(), DELAY)])
    assert inspect.isawaitable(started)
    assert await asyncio.wait_for(started, 60) is None  # type: ignore[func-returns-value]
    assert await scheduler.stop() is None  # type: ignore[func-returns-value]


@scheduled
async def test_initialize_begins_when_it_is_called_not_when_it_is_awaited(harness: SchedulerHarness) -> None:
    scheduler = harness.scheduler()
    scheduler.initialize([("a", EVERY_MINUTE, harness.work(), DELAY)])
    await harness.quiet()
    assert scheduler.state is SchedulerState.RUNNING


@pytest.mark.parametrize("kind", [tuple, list])
@scheduled
async def test_a_registration_is_a_tuple_of_four(harness: SchedulerHarness, kind: type) -> None:
    scheduler = harness.scheduler()
    await scheduler.initialize(kind([kind(["a", EVERY_MINUTE, harness.work(), DELAY])]))
    await harness.quiet()
    assert len(harness.work().calls) == 1


@scheduled
async def test_a_callback_is_an_async_function(harness: SchedulerHarness) -> None:
    calls = []

    async def written_out() -> None:
        calls.append("function")

    async def with_argument(what: str) -> None:
        calls.append(what)

    registrations = [
        ("function", EVERY_MINUTE, written_out, DELAY),
        ("partial", EVERY_MINUTE, partial(with_argument, "partial"), DELAY),
        ("object", EVERY_MINUTE, harness.work(), DELAY),
    ]
    await harness.start_all(*registrations)
    assert sorted(calls) == ["function", "partial"]
    assert len(harness.work().calls) == 1


@scheduled
async def test_a_callback_that_is_not_async_or_wants_arguments_is_refused(harness: SchedulerHarness) -> None:
    async def greedy(what: str) -> None:
        raise AssertionError(what)

    class Async:
        async def __call__(self) -> None:
            """Called like an async function, as an object."""

    callbacks: list[Any] = [lambda: None, print, greedy, Async, Async.__call__]
    for callback in callbacks:
        with pytest.raises(InvalidRegistrationError) as caught:
            harness.scheduler().initialize([("a", EVERY_MINUTE, callback, DELAY)])
        assert caught.value.field == "callback"
        assert caught.value.value is callback


@scheduled
async def test_a_duration_of_zero_is_legal(harness: SchedulerHarness) -> None:
    scheduler = await harness.start(delay=timedelta(0))
    assert scheduler.state is SchedulerState.RUNNING


@scheduled
async def test_names_keep_schedulers_of_one_store_apart(harness: SchedulerHarness) -> None:
    one = await harness.start_all(("a", EVERY_MINUTE, harness.work("one"), DELAY), name="one")
    two = await harness.start_all(("a", EVERY_MINUTE, harness.work("two"), DELAY), name="two")
    await harness.travel(minutes=2, seconds=1)  # a claim may pass over a row that the other engine has locked
    assert len(harness.work("one").calls) == len(harness.work("two").calls) == 3
    await one.stop()
    await one.initialize([])  # touches only what is its own
    await harness.travel(minutes=1)
    assert (len(harness.work("one").calls), len(harness.work("two").calls)) == (3, 4)
    assert two.state is SchedulerState.RUNNING


def test_a_name_must_be_one(harness: SchedulerHarness) -> None:
    for name in ("", "a\nb", "x" * 181, 7):
        with pytest.raises(InvalidInputError, match="name must be"):
            Scheduler(harness.store, name=name)  # type: ignore[arg-type]


@pytest.mark.parametrize("store", [None, 7, b"duly.db"])
def test_a_store_is_named_by_text_or_a_path(store: Any) -> None:
    Scheduler(Path("duly.db"), tz="UTC")
    with pytest.raises(InvalidInputError, match="store must be a file name or a postgresql:// URL, got"):
        Scheduler(store)


def test_a_zone_must_exist(harness: SchedulerHarness) -> None:
    with pytest.raises(UnknownTimezoneError):
        Scheduler(harness.store, tz="Europe/Berln")
