"""The registry of jobs: which functions it takes, and which arguments a job takes."""

import asyncio
import functools
import time
from collections.abc import AsyncIterator, Callable, Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from duly.clock import SystemClock
from duly.engine.context import Context, current_run
from duly.errors import InvalidInputError, RunTimeoutError
from duly.jobs.dispatcher import JobRegistry
from duly.model.action import Job
from duly.model.policy import Policy
from duly.model.run import Origin
from duly.ports.codec import encode_action, encode_policy
from duly.ports.dispatch import RunContext
from duly.ports.records import Claimed


def plain(path: str, size: int = 1) -> None:
    """A job."""


async def waiting() -> None:
    """Another."""


def with_context(path: str, run: object) -> None:
    """A job that wants its run."""


def with_source(path: str, trigger_source: str) -> None:
    """A job that wants to know what triggered it."""


@pytest.fixture
def jobs() -> JobRegistry:
    registry = JobRegistry(SystemClock())
    for function in (plain, waiting, with_context, with_source):
        registry.register(function)
    return registry


def test_a_registered_job_is_served(jobs: JobRegistry) -> None:
    assert sorted(jobs.serves()) == ["job:plain", "job:waiting", "job:with_context", "job:with_source"]
    assert [jobs.get(name).isolate for name in ("plain", "waiting")] == ["thread", "loop"]


def test_the_same_function_may_be_registered_again_and_another_may_not(jobs: JobRegistry) -> None:
    assert jobs.register(plain) == "plain"
    with pytest.raises(InvalidInputError, match="job 'plain' is already registered"):
        jobs.register(waiting, "plain")


def test_a_function_is_registered_when_it_is_first_used(jobs: JobRegistry) -> None:
    def fresh() -> None: ...

    assert jobs.name_of(plain) == "plain"
    assert jobs.name_of(fresh) == "fresh"
    assert jobs.get("fresh").function is fresh


@pytest.mark.parametrize(("function", "isolate"), [(plain, "loop"), (waiting, "thread"), (plain, "moon")])
def test_isolation_must_suit_the_function(jobs: JobRegistry, function: object, isolate: str) -> None:
    with pytest.raises(InvalidInputError, match=f"got '{isolate}'"):
        jobs.register(function, "x", isolate)  # type: ignore[arg-type]  # a table of functions


@pytest.mark.parametrize(
    ("name", "args", "fault"),
    [
        ("plain", {"path": "a"}, None),
        ("plain", {"path": "a", "size": 2}, None),
        ("plain", {}, "missing a required argument: 'path'"),
        ("plain", {"path": "a", "colour": 1}, "unexpected keyword argument 'colour'"),
        ("with_context", {"path": "a"}, None),
        ("with_context", {"path": "a", "run": 1}, "gets 'run' from duly"),
        ("with_source", {"path": "a"}, None),
        ("with_source", {"path": "a", "trigger_source": "me"}, "gets 'trigger_source' from duly"),
        ("waiting", {"x": 1}, "unexpected keyword argument 'x'"),
        ("plain", {"path": 3}, "job 'plain' cannot be called with {'path': 3}: path must be str, got 3"),
        ("plain", {"path": "a", "size": "big"}, "size must be int, got 'big'"),
    ],
)
def test_arguments_are_checked_against_the_signature(
    jobs: JobRegistry, name: str, args: dict[str, object], fault: str | None
) -> None:
    check = functools.partial(jobs.get(name).check, args)
    if fault is None:
        check()
    else:
        with pytest.raises(InvalidInputError, match=fault):
            check()


def items() -> Iterator[int]:
    yield 1


async def async_items() -> AsyncIterator[int]:
    yield 1


@pytest.mark.parametrize(
    ("function", "options", "fault"),
    [
        (items, {}, "job 'items' is a generator"),
        (async_items, {}, "job 'async_items' is a generator"),
        (functools.partial(plain, "a"), {}, "has no name of its own: give the job one"),
        (functools.partial(plain, "a"), {"name": "x", "isolate": "process"}, "is not at the top of a module"),
        (time.sleep, {}, r"job 'sleep' does not tell what it takes \(no signature found"),
    ],
)
def test_a_function_that_could_not_be_called_is_not_registered(
    jobs: JobRegistry, function: Callable[..., object], options: dict[str, str], fault: str
) -> None:
    with pytest.raises(InvalidInputError, match=fault):
        jobs.register(function, **options)


def claimed(name: str) -> Claimed:
    job = Job(name, {"x": 2})
    ids = "run_1", "sched_1", "default", name, Origin.SCHEDULE
    now = datetime(2026, 3, 1, tzinfo=UTC)
    return Claimed(*ids, now, now, job.handler, 1, 1, encode_action(job), encode_policy(Policy()))


async def double(x: int) -> int:
    return 2 * x


class Doubler:
    async def __call__(self, x: int) -> int:
        return 2 * x


@functools.wraps(double)
def decorated(*args: Any, **kwargs: Any) -> Any:
    return double(*args, **kwargs)


@pytest.mark.parametrize("function", [double, decorated, Doubler(), functools.partial(double)])
async def test_an_async_function_behind_a_plain_one_is_awaited(function: Callable[..., object]) -> None:
    registry = JobRegistry(SystemClock())
    registry.register(function, "double")
    this = claimed("double")
    assert await registry.dispatch(this, Context(this, lambda *_: None)) == 4
    registry.close()


def told_in_a_thread(x: int, trigger_source: str) -> tuple[str, str]:
    return trigger_source, current_run().trigger_source


async def told_in_the_loop(x: int, trigger_source: str) -> tuple[str, str]:
    return trigger_source, current_run().trigger_source


def told_in_a_process(x: int, run: RunContext, trigger_source: str) -> tuple[str, str]:
    return trigger_source, run.trigger_source


@pytest.mark.parametrize(
    ("function", "isolate"), [(told_in_the_loop, "loop"), (told_in_a_thread, "thread"), (told_in_a_process, "process")]
)
async def test_a_job_with_the_parameter_is_told_what_triggered_it(
    function: Callable[..., object], isolate: str
) -> None:
    registry = JobRegistry(SystemClock())
    registry.register(function, "told", isolate)
    this = claimed("told")
    context = Context(this, lambda *_: None)
    context.enter(0.0)
    assert await registry.dispatch(this, context) == ("schedule:told", "schedule:told")
    registry.close()


async def test_the_timeout_holds_for_an_async_function_behind_a_plain_one() -> None:
    async def for_ever(x: int) -> None:
        await asyncio.Event().wait()

    registry = JobRegistry(SystemClock())
    registry.register(lambda x: for_ever(x), "hidden")
    this = claimed("hidden")
    context = Context(this, lambda *_: None)
    context.timeout = 0.05
    with pytest.raises(RunTimeoutError):
        await registry.dispatch(this, context)
    registry.close()


def test_an_unknown_job_lists_the_known_ones(jobs: JobRegistry) -> None:
    with pytest.raises(
        InvalidInputError, match="unknown job 'backup': registered are plain, waiting, with_context, with_source"
    ):
        jobs.get("backup")
    with pytest.raises(InvalidInputError, match="registered are none yet"):
        JobRegistry(SystemClock()).get("backup")
