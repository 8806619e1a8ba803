"""The library's front door on virtual time: what a user's program does and sees."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from duly import Clock, Cron, Duly, Event, NotFoundError, Policy, Retry, Status, current_run, every
from duly.delivery.dispatcher import MessageDispatcher
from duly.errors import DulyError, InvalidInputError, StoreNotOpenError
from duly.ports.store import FullStore
from duly.testing import VirtualClock

START = datetime(2026, 1, 1, tzinfo=UTC)


@asynccontextmanager
async def started(tmp_path: Path, **options: Any) -> AsyncIterator[tuple[Duly, VirtualClock]]:
    """Start an app with one job on virtual time; its store is a file that outlives it."""
    clock = VirtualClock(START)
    app = Duly(str(tmp_path / "duly.db"), clock=clock, **options)

    @app.job
    async def note(text: str = "") -> str:
        return text

    async with app:
        yield app, clock


async def test_a_schedule_fires_on_virtual_time(tmp_path: Path) -> None:
    async with started(tmp_path) as (app, clock):
        await app.schedule("payroll", Cron("0 9 15 * *"), job="note", args={"text": "paid"})
        await clock.travel(days=31)
        assert app.runs("payroll") == 1
        (run,) = await app.history("payroll")
        assert (run.status, run.result, run.attempt) == (Status.SUCCEEDED, "paid", 1)
        assert run.key == f"{run.fire.schedule_id}/schedule/2026-01-15T09:00:00+00:00"


async def test_scheduling_a_name_again_updates_it_and_keeps_its_history(tmp_path: Path) -> None:
    async with started(tmp_path) as (app, clock):
        first = await app.schedule("a", every(1).hours(), job="note")
        await clock.travel(hours=3)
        again = await app.schedule("a", every(2).hours(), job="note")
        assert again.id == first.id
        assert len(await app.history("a")) == 3
        assert again.state.next_fire_at == clock.now() + timedelta(hours=2)


async def test_dispatch_takes_a_recurrence_builder(tmp_path: Path) -> None:
    async with started(tmp_path) as (app, clock):
        info = await app.dispatch("note", lambda recurring: recurring.run_now().then().every(1).hours().max_runs(3))
        await clock.travel(days=1)
        assert app.runs(info.name) == 3
        assert (await app.get(info.id)).state.disabled_by == "finished"


async def test_pause_resume_skip_trigger_and_backfill(tmp_path: Path) -> None:
    async with started(tmp_path) as (app, clock):
        await app.schedule("a", Cron("0 * * * *"), job="note")
        await app.pause("a")
        await clock.travel(hours=5, minutes=30)
        assert app.runs("a") == 0
        run = await app.trigger("a")
        await clock.travel(seconds=1)
        assert (run.fire.origin, app.runs("a")) == ("manual", 1)
        assert (await app.resume("a")).state.next_fire_at == START + timedelta(hours=6)
        assert (await app.skip_next("a")).state.next_fire_at == START + timedelta(hours=7)
        runs = await app.backfill("a", START, START + timedelta(hours=3))
        await clock.travel(minutes=40)
        assert [each.fire.fire_at.hour for each in runs] == [0, 1, 2, 3]  # both ends are meant
        assert app.runs("a") == 5
        made = [each.fire.fire_at.hour for each in await app.history("a") if each.fire.origin == "backfill"]
        assert made == [3, 2, 1, 0]  # the newest first, although they were made together
        skipped = await app.history("a", statuses=(Status.SKIPPED,))
        assert [(each.fire.fire_at.hour, each.reason) for each in skipped] == [(6, "skipped by request")]


async def test_changes_through_the_library_emit_the_same_events_as_other_faces(tmp_path: Path) -> None:
    heard: list[Event] = []

    async with started(tmp_path, on_event=heard.append) as (app, _clock):
        await app.schedule("a", Cron("0 * * * *"), job="note")
        run = await app.trigger("a")
        await app.backfill("a", START - timedelta(hours=2), START - timedelta(hours=1))
        await app.skip_next("a")
        await app.pause("a")
        await app.resume("a")
        told = [event for event in heard if event.kind.name.startswith("schedule.")]
        assert [event.kind.name.removeprefix("schedule.") for event in told] == [
            *("created", "fired", "fired", "updated", "paused", "resumed"),
        ]
        assert {event.data["name"] for event in told} == {"a"}
        _, fired, backfilled, skipped, *_ = told
        assert fired.run_id == run.id
        assert backfilled.data["fires"] == 2
        assert skipped.data["before"] == {"next_run_at": "2026-01-01T01:00:00Z"}
        assert skipped.data["after"] == {"next_run_at": "2026-01-01T02:00:00Z"}


async def test_run_forever_starts_and_stops_the_engine(tmp_path: Path) -> None:
    clock = VirtualClock(START)
    app = Duly(tmp_path / "duly.db", clock=clock)  # a path does as well as its text

    @app.job
    async def note() -> None:
        """Nothing to do."""

    await app.open()
    await app.schedule("a", every(1).hours(), job="note")
    for _ in range(2):
        running = asyncio.ensure_future(app.run_forever())
        await clock.travel(hours=2, seconds=1)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        assert not app.engine.running
    assert app.runs("a") == 4
    await app.close()


async def test_a_name_that_looks_like_an_id_is_a_name(tmp_path: Path) -> None:
    async with started(tmp_path) as (app, clock):
        info = await app.schedule("sched_backup", every(1).hours(), job="note")
        assert (await app.get("sched_backup")).id == (await app.get(info.id)).id == info.id
        await app.trigger("sched_backup")
        await clock.travel(seconds=1)
        assert len(await app.history("sched_backup")) == 1
        with pytest.raises(NotFoundError, match="no schedule 'sched_nobody'"):
            await app.pause("sched_nobody")


async def test_delete_keeps_the_history_and_restore_brings_the_schedule_back(tmp_path: Path) -> None:
    async with started(tmp_path) as (app, clock):
        info = await app.schedule("a", every(1).hours(), job="note")
        await clock.travel(hours=2)
        await app.delete("a")
        with pytest.raises(NotFoundError, match="no schedule 'a'"):
            await app.get("a")
        await clock.travel(hours=2)
        assert app.runs("a") == 2
        assert (await app.restore(info.id)).state.enabled is False
        assert len(await app.history("a")) == 2
        await app.resume("a")
        await clock.travel(hours=1)
        assert app.runs("a") == 3


async def test_retries_carry_the_same_key(tmp_path: Path) -> None:
    keys: list[tuple[str, int]] = []

    async with started(tmp_path) as (app, clock):

        @app.job
        async def flaky() -> None:
            run = current_run()
            keys.append((run.key, run.attempt))
            if run.attempt < 3:
                raise RuntimeError("not yet")

        policy = Policy(retry=Retry(max_attempts=5, delay=timedelta(seconds=10)))
        await app.schedule("a", Cron("0 9 * * *"), job=flaky, policy=policy)
        await clock.travel(hours=10)
    assert [attempt for _, attempt in keys] == [1, 2, 3]
    assert len({key for key, _ in keys}) == 1


async def test_fires_missed_while_no_engine_ran_are_caught_up_once(tmp_path: Path) -> None:
    path = str(tmp_path / "duly.db")

    async def life(start: datetime, hours: int) -> list[Any]:
        clock = VirtualClock(start)
        app = Duly(path, clock=clock)
        app.jobs.register(_noop, "noop")
        async with app:
            await app.schedule("a", Cron("0 * * * *"), job="noop")
            await clock.travel(hours=hours)
            return await app.history("a")

    await life(START, 2)
    runs = await life(START + timedelta(hours=10, minutes=30), 0)
    missed = [run for run in runs if run.status is Status.MISSED]
    assert [(run.skipped, run.first_skipped_at, run.fire.fire_at) for run in missed] == [
        (7, START + timedelta(hours=3), START + timedelta(hours=9))
    ]
    assert [run.fire.fire_at.hour for run in runs if run.status is Status.SUCCEEDED] == [10, 2, 1]


async def _noop() -> None:
    return None


async def test_tick_carries_out_all_due_runs_in_order(tmp_path: Path) -> None:
    order: list[str] = []

    clock = VirtualClock(START)
    app = Duly(str(tmp_path / "duly.db"), clock=clock)

    @app.job
    async def note(name: str) -> None:
        order.append(name)
        if name == "b":
            raise ValueError("no")

    await app.open()
    for name, minutes in (("c", 3), ("a", 1), ("b", 2)):
        await app.schedule(name, every(minutes).minutes(), job="note", args={"name": name})
    assert await app.tick(START + timedelta(minutes=3)) == 2
    assert (await app.get("b")).state.last_result == {"error": "ValueError: no"}
    assert (await app.get("b")).state.next_fire_at == START + timedelta(minutes=4)
    await app.close()
    assert order == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "say exactly one of job, prompt and message, got none"),
        ({"job": "note", "prompt": "x"}, "got job and prompt"),
        ({"prompt": "x", "args": {}}, "args go with a job"),
        ({"job": "nobody"}, "unknown job 'nobody': registered are note"),
        ({"job": "note", "args": {"colour": 1}}, "cannot be called with"),
        ({"job": "note", "max_run": 1}, "unexpected keyword argument 'max_run'"),
    ],
)
async def test_a_refused_schedule_is_not_stored(tmp_path: Path, options: dict[str, Any], message: str) -> None:
    async with started(tmp_path) as (app, _clock):
        with pytest.raises(InvalidInputError, match=message):
            await app.schedule("a", every(1).hours(), **options)
        assert await app.schedules() == []


async def test_prompts_and_messages_wait_until_an_engine_serves_them(tmp_path: Path) -> None:
    async with started(tmp_path) as (app, clock):
        await app.schedule("brief", every(1).hours(), prompt="Summarise")
        await app.schedule("tea", every(1).hours(), message="Tea!")
        await clock.travel(hours=1)
        health = await app.health()
        assert health.light == "yellow"
        assert "1 due runs of message wait, and no node serves it" in health.reasons


async def test_a_program_may_add_dispatchers(tmp_path: Path) -> None:
    stores: list[FullStore] = []

    def messages(store: FullStore, clock: Clock) -> MessageDispatcher:
        stores.append(store)
        return MessageDispatcher(store.people, store.reminders, {}, clock)

    async with started(tmp_path, dispatchers=[messages]) as (app, clock):
        await app.schedule("tea", every(1).hours(), message="Tea!")
        await clock.travel(hours=1)
        (item,) = await stores[0].reminders.inbox("local", True, 10)
        assert item.text == "Tea!"
        assert (await app.health()).light == "green"


async def test_preview_stores_nothing_and_has_limits(tmp_path: Path) -> None:
    async with started(tmp_path) as (app, _clock):
        assert [at.hour for at in app.preview(every(6).hours().max_runs(3), 10)] == [6, 12, 18]
        with pytest.raises(InvalidInputError, match="between 1 and 1000, got 0"):
            app.preview(Cron("* * * * *"), 0)
        assert await app.schedules() == []


async def test_on_event_is_called_with_each_event(tmp_path: Path) -> None:
    heard: list[str] = []

    async with started(tmp_path, on_event=lambda event: heard.append(event.kind.name)) as (app, clock):
        await app.schedule("a", every(1).hours(), job="note")
        await clock.travel(hours=1)
    assert heard == ["node.started", "schedule.created", "run.started", "run.succeeded", "node.stopped"]


def test_sync_needs_start_and_run_needs_a_handler(tmp_path: Path) -> None:
    with pytest.raises(DulyError, match="call start"):
        _ = Duly(str(tmp_path / "duly.db")).sync
    with pytest.raises(DulyError, match="inside handlers only"):
        current_run()


async def test_a_call_before_the_store_is_open_says_where_to_make_it(tmp_path: Path) -> None:
    app = Duly(tmp_path / "a.db")
    with pytest.raises(StoreNotOpenError, match=r"a\.db is not open: call this inside `async with app:`"):
        await app.get("a")


async def test_a_schedule_at_the_prompt_is_one_line(tmp_path: Path) -> None:
    async with started(tmp_path) as (app, _):
        info = await app.schedule("a", every(2).hours(), job="note")
        assert repr(info) == f"<ScheduleInfo 'a': every 2 hours; next 2026-01-01T02:00:00Z; {info.id}>"
        assert repr(await app.pause("a")) == f"<ScheduleInfo 'a': every 2 hours; paused; {info.id}>"


async def test_a_name_that_is_not_there_is_answered_with_one_like_it(tmp_path: Path) -> None:
    async with started(tmp_path) as (app, _):
        await app.schedule("nightly", every(2).hours(), job="note")
        with pytest.raises(NotFoundError, match=r"^there is no schedule 'nihgtly': did you mean nightly[?]$"):
            await app.pause("nihgtly")
