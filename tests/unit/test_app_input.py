"""Bad input at the library's front door: a clear ValueError that names what is wrong, and nothing is stored."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from duly import Cron, Duly, EngineSettings, InvalidInputError, Once, Policy, Retry, run_at
from duly.testing import VirtualClock

START = datetime(2026, 1, 1, tzinfo=UTC)
BEGINNING = datetime.min.replace(tzinfo=UTC)
MINUTELY = Cron("* * * * *")
Ask = Callable[[Duly], Awaitable[object]]
untyped: Any = SimpleNamespace(policy=Policy, retry=Retry, settings=EngineSettings, app=Duly)
"""The same without their types, as programs without a type checker call them."""


def asking(tmp_path: Path, ask: Ask) -> list[str]:
    """Ask an app that has one job and no schedule; gives the names of the schedules it has afterwards."""

    async def main() -> list[str]:
        app = Duly(str(tmp_path / "duly.db"), clock=VirtualClock(START))

        @app.job
        async def note(text: Any = "") -> None:
            """Nothing to do."""

        await app.open()
        try:
            await ask(app)
            return [info.name for info in await app.schedules()]
        finally:
            await app.close()

    return asyncio.run(main())


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"until_at": "2030-01-01"}, "until_at must be a datetime, got '2030-01-01'"),
        ({"until_at": datetime(2030, 1, 1)}, "until_at must be timezone-aware"),  # noqa: DTZ001  that is the point
        (
            {"until_at": datetime.max.replace(tzinfo=timezone(timedelta(hours=-14)))},
            "until_at 9999.* lies outside the years 1 to 9999 in UTC",
        ),
        ({"max_runs": "3"}, "max_runs must be a whole number of at least 1, got '3'"),
        ({"max_runs": 2.5}, "max_runs must be a whole number of at least 1, got 2.5"),
        ({"max_runs": True}, "max_runs must be a whole number of at least 1, got True"),
        ({"max_runs": 10**30}, "max_runs must not exceed 2147483647, got a number of 100 bits"),
        ({"enabled": "no"}, "enabled must be true or false, got 'no'"),
        ({"description": 5}, "description must be text, got 5"),
        ({"description": "a\0b"}, "description has a character that cannot be stored"),
        ({"display_title": "a\ud800b"}, "display_title has a character that cannot be stored"),
        ({"description": "x" * 300_000}, "description has 300000 characters, allowed are 262144"),
        ({"policy": "queue"}, "policy must be a Policy, got 'queue'"),
        ({"args": ["text"]}, "args must be a mapping of names to values, got \\['text'\\]"),
        ({"args": {"text": object()}}, "must be JSON"),
        ({"args": {"text": "x" * 300_000}}, "takes .* characters as JSON, allowed are 262144"),
        ({"args": {"text": "\ud800"}}, "must be JSON"),
    ],
)
def test_a_schedule_that_cannot_be_stored_is_refused_at_once(
    tmp_path: Path, options: dict[str, Any], complaint: str
) -> None:
    with pytest.raises(InvalidInputError, match=complaint):
        asking(tmp_path, lambda app: app.schedule("a", MINUTELY, job="note", **options))

    async def nothing(_app: Duly) -> None:
        """Only look."""

    assert asking(tmp_path, nothing) == []


@pytest.mark.parametrize(
    "passed",
    [
        Once(START - timedelta(days=2)),
        lambda builder: builder.run_at(START - timedelta(days=2)),
        run_at(START - timedelta(days=2)),
    ],
    ids=["once", "builder", "chain"],
)
def test_a_single_run_in_the_past_is_refused_with_its_time(tmp_path: Path, passed: Any) -> None:
    told = r"2025-12-30T00:00:00Z has passed, it is 2026-01-01T00:00:00Z: name a time ahead"
    with pytest.raises(InvalidInputError, match=told):
        asking(tmp_path, lambda app: app.schedule("a", passed, job="note"))
    with pytest.raises(InvalidInputError, match=told):
        asking(tmp_path, lambda app: app.dispatch("note", passed))
    with pytest.raises(ValueError, match=r"^Invalid scheduler recurring expression"):
        asking(tmp_path, lambda app: app.dispatch("note", passed))


def test_a_run_that_is_only_seconds_late_or_was_scheduled_before_its_time_is_accepted(tmp_path: Path) -> None:
    async def say_again(app: Duly) -> None:
        await app.schedule("late", run_at(START - timedelta(seconds=30)), job="note")
        await app.schedule("again", run_at(START + timedelta(hours=1)), job="note")
        cast(VirtualClock, app._clock).advance(timedelta(hours=5))
        await app.schedule("again", run_at(START + timedelta(hours=1)), job="note", description="the same time")
        with pytest.raises(InvalidInputError, match="2026-01-01T02:00:00Z has passed"):
            await app.schedule("again", run_at(START + timedelta(hours=2)), job="note")

    assert asking(tmp_path, say_again) == ["again", "late"]


def test_names_are_trimmed_and_found_with_white_space_around_them(tmp_path: Path) -> None:
    async def scene(app: Duly) -> None:
        made = await app.schedule(" a\t", MINUTELY, job="note")
        assert (await app.schedule("a ", MINUTELY, job="note", description="the same one")).id == made.id
        assert (await app.get(" a ")).id == (await app.get(f" {made.id} ")).id == made.id
        await app.pause("a ")
        assert await app.history(" a") == []

    assert asking(tmp_path, scene) == ["a"]


def test_a_deleted_schedule_can_be_restored_under_a_new_name(tmp_path: Path) -> None:
    async def scene(app: Duly) -> None:
        made = await app.schedule("a", MINUTELY, job="note")
        with pytest.raises(InvalidInputError, match="is not deleted"):
            await app.restore(made.id, name="b")
        await app.delete("a")
        await app.schedule("a", MINUTELY, job="note")
        with pytest.raises(InvalidInputError, match="the name is taken"):
            await app.restore(made.id)
        with pytest.raises(InvalidInputError, match="name must be 1 to 200 printable characters, got ''"):
            await app.restore(made.id, name=" ")
        back = await app.restore(made.id, name=" b ")
        assert (back.id, back.name, back.state.enabled) == (made.id, "b", False)

    assert asking(tmp_path, scene) == ["a", "b"]


@pytest.mark.parametrize(
    ("make", "complaint"),
    [
        (lambda: untyped.policy(timeout=timedelta.max), "timeout must not be longer than a hundred years"),
        (lambda: untyped.policy(catch_up_window=timedelta.max), "catch_up_window must not be longer"),
        (lambda: untyped.policy(stagger_key=5), "stagger_key must be text or None, got 5"),
        (lambda: untyped.policy(queue_limit=2**40), "queue_limit must not exceed"),
        (lambda: untyped.retry(delay=timedelta.max), "retry.delay must not be longer"),
        (lambda: untyped.retry(superseded="no"), "retry.superseded must be true or false, got 'no'"),
        (lambda: untyped.retry(jitter=True), "retry.jitter must lie between 0 and 1, got True"),
        (lambda: untyped.settings(lease=float("nan")), "lease must be a number of seconds greater than zero, got nan"),
        (lambda: untyped.settings(poll="5"), "poll must be a number of seconds greater than zero, got '5'"),
        (lambda: untyped.settings(max_concurrency=1.5), "max_concurrency must be a whole number"),
        (lambda: untyped.settings(max_prompts=0), "max_prompts must be a whole number of at least 1, got 0"),
        (lambda: untyped.settings(max_messages="9"), "max_messages must be a whole number"),
        (lambda: untyped.settings(owner_share=0), "owner_share must be more than 0 and at most 1"),
        (lambda: untyped.settings(owner_share=float("nan")), "owner_share must be more than 0 and at most 1"),
        (lambda: untyped.settings(owner_share=True), "owner_share must be more than 0 and at most 1"),
        (lambda: untyped.settings(grace=float("inf")), "grace must be a number of seconds and not negative, got inf"),
        (lambda: untyped.settings(retention=timedelta(0)), "retention must be longer than zero, got 0:00:00"),
        (lambda: untyped.app("x.db", threads=0), "threads must be a whole number of at least 1, got 0"),
        (lambda: untyped.app("x.db").job(name="")(asking), "has no name of its own: give the job one"),
        (lambda: untyped.app("x.db").job(5), "a job must be a function, got 5"),
        (
            lambda: untyped.app("x.db").job("clean"),
            "a job must be a function, got 'clean': its name goes into job.name='clean'.",
        ),
    ],
)
def test_values_that_cannot_be_stored_exactly_are_refused(make: Callable[[], object], complaint: str) -> None:
    with pytest.raises(InvalidInputError, match=complaint):
        make()


@pytest.mark.parametrize(
    ("ask", "complaint"),
    [
        (lambda app: app.tick(datetime(2030, 1, 1)), "now must be timezone-aware"),  # noqa: DTZ001
        (lambda app: app.tick("now"), "now must be a datetime, got 'now'"),
        (lambda app: app.history(limit=-1), "limit must be a whole number of at least 1, got -1"),
        (lambda app: app.history(statuses="failed"), "status must be one of .*, got 'f'"),
        (lambda app: app.backfill("a", datetime(2025, 1, 1), START), "start must be timezone-aware"),  # noqa: DTZ001
        (lambda app: app.backfill("a", START, datetime(2027, 1, 1)), "end must be timezone-aware"),  # noqa: DTZ001
        (lambda app: app.backfill("a", "2025", START), "start must be a datetime, got '2025'"),
        (lambda app: app.backfill("a", BEGINNING, BEGINNING + timedelta(days=9)), "holds more than 10000 fires"),
    ],
)
def test_queries_with_wrong_arguments_are_refused(tmp_path: Path, ask: Ask, complaint: str) -> None:
    async def with_a_schedule(app: Duly) -> None:
        await app.schedule("a", MINUTELY, job="note")
        await ask(app)

    with pytest.raises(InvalidInputError, match=complaint):
        asking(tmp_path, with_a_schedule)
