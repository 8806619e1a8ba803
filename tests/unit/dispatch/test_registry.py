"""Jobs under names: what may be registered, and what a job may be called with."""

import functools

import pytest

from duly.clock import SystemClock
from duly.dispatch.jobs import JobRegistry
from duly.errors import InvalidInputError


def plain(path: str, size: int = 1) -> None:
    """A job."""


async def waiting() -> None:
    """Another."""


def with_context(path: str, run: object) -> None:
    """A job that wants its run."""


@pytest.fixture
def jobs() -> JobRegistry:
    registry = JobRegistry(SystemClock())
    for function in (plain, waiting, with_context):
        registry.register(function)
    return registry


def test_what_is_registered_is_served(jobs: JobRegistry) -> None:
    assert sorted(jobs.serves()) == ["job:plain", "job:waiting", "job:with_context"]
    assert [jobs.get(name).isolate for name in ("plain", "waiting")] == ["thread", "loop"]


def test_the_same_again_is_harmless_another_is_not(jobs: JobRegistry) -> None:
    assert jobs.register(plain) == "plain"
    with pytest.raises(InvalidInputError, match="job 'plain' is already registered"):
        jobs.register(waiting, "plain")


def test_an_unregistered_function_gets_its_name_when_first_used(jobs: JobRegistry) -> None:
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
        ("waiting", {"x": 1}, "unexpected keyword argument 'x'"),
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


def test_an_unknown_job_lists_the_known_ones(jobs: JobRegistry) -> None:
    with pytest.raises(InvalidInputError, match="unknown job 'backup': registered are plain, waiting, with_context"):
        jobs.get("backup")
    with pytest.raises(InvalidInputError, match="registered are none yet"):
        JobRegistry(SystemClock()).get("backup")
