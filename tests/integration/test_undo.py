"""Every action that a person can take with one press can be taken back: the row is as it was, except its version."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import ExitStack, asynccontextmanager
from dataclasses import fields
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from duly.config.settings import Settings
from duly.errors import AccessDeniedError, ConflictError, InvalidInputError, NotFoundError
from duly.model.run import Status
from duly.ports.audit import AuditFilter
from duly.ports.records import RunFilter, StoredSchedule
from duly.runtime.runtime import Runtime
from duly.service.access.scopes import ADMIN, Caller, Face, Scope
from duly.service.actions import Done
from duly.testing.clock import VirtualClock
from tests.postgres_server import server
from tests.world import START, VirtualRuntime

ANN = Caller(ADMIN, "tok_ann", Face.GUI)
BOB = Caller(ADMIN, "tok_bob", Face.API)
ONLOOKER = Caller(Scope.parse("admin:ro"), "tok_see", Face.GUI)
STORES = pytest.mark.parametrize("kind", ["sqlite", "postgres"])
NOT_PUT_BACK = {"version", "updated_at"}


class Desk:
    """The services of one process, and a schedule or two."""

    def __init__(self, runtime: Runtime, clock: VirtualClock) -> None:
        self.runtime = runtime
        self.clock = clock
        self.services = runtime.services
        self.store = runtime.store

    async def make(self, name: str = "plants", **more: Any) -> str:
        form = {"name": name, "cron": "0 9 * * *", "prompt": "water the plants", **more}
        return (await self.services.use_cases.schedule_create(ANN, form)).id

    async def row(self, schedule_id: str) -> StoredSchedule:
        found = await self.store.get(schedule_id)
        assert found is not None
        return found

    async def columns(self, schedule_id: str) -> dict[str, Any]:
        row = await self.row(schedule_id)
        return {each.name: getattr(row, each.name) for each in fields(row) if each.name not in NOT_PUT_BACK}

    async def act(self, verb: str, schedule_id: str) -> str | None:
        actions = self.services.actions
        if verb == "update":
            return (await actions.update(ANN, schedule_id, {"cron": "30 7 * * 1-5", "description": "x"})).undo
        if verb == "rename":
            return (await actions.update(ANN, schedule_id, {"name": "other", "prompt": "water more"})).undo
        done: Done = await getattr(actions, verb)(ANN, schedule_id)
        return done.undo


@asynccontextmanager
async def desk(folder: Path, kind: str = "sqlite") -> AsyncIterator[Desk]:
    with ExitStack() as held:
        url = str(folder / "duly.db")
        if kind == "postgres":  # making its tables takes a loop of its own
            url = await asyncio.to_thread(held.enter_context, server().database())
        clock = VirtualClock(START)
        spawners = {"echo": {"new": ["cat"], "stdin": "prompt"}}
        made = Settings(data_dir=folder, store=url, spawners=spawners, default_spawner="echo")
        runtime = VirtualRuntime(made, clock=clock, environment={})
        await runtime.open()
        try:
            yield Desk(runtime, clock)
        finally:
            await runtime.close()


@STORES
@pytest.mark.parametrize("verb", ["pause", "skip_next", "delete", "update", "rename"])
async def test_an_action_is_taken_back(tmp_path: Path, kind: str, verb: str) -> None:
    async with desk(tmp_path, kind) as here:
        it = await here.make()
        before = await here.columns(it)
        token = await here.act(verb, it)
        assert token is not None
        assert await here.columns(it) != before
        last = await here.services.undo.last(ANN)
        assert last is not None
        assert last.token == token
        assert (await here.services.undo.undo(ANN, token)).startswith("undone: ")
        assert await here.columns(it) == before
        assert await here.services.undo.last(ANN) is None
        entries = await here.store.audit.entries(AuditFilter(limit=1))
        assert (entries[0].actor, json.loads(entries[0].data)["reason"]) == ("tok_ann", "undone")
        assert (await here.services.audit.verify(ANN)).whole


async def test_a_pause_of_a_reminder_and_a_resume_are_taken_back(tmp_path: Path) -> None:
    async with desk(tmp_path) as here:
        made = await here.runtime.services.reminder_service.create(
            "local", {"type": "daily", "time": "08:00"}, "Stretch"
        )
        before = await here.columns(made.id)
        paused = await here.services.actions.pause(ANN, made.id)
        off = await here.columns(made.id)
        resumed = await here.services.actions.resume(ANN, made.id)
        await here.services.undo.undo(ANN, resumed.undo or "")
        assert await here.columns(made.id) == off
        await here.services.undo.undo(ANN, paused.undo or "")
        assert await here.columns(made.id) == before


_VERBS = st.sampled_from(["pause", "resume", "skip_next", "update", "rename", "delete"])


@given(verbs=st.lists(_VERBS, max_size=6), hours=st.lists(st.integers(0, 40), min_size=6, max_size=6))
@settings(max_examples=30)
def test_steps_taken_back_in_reverse_give_the_row_as_it_was(
    tmp_path_factory: pytest.TempPathFactory, verbs: list[str], hours: list[int]
) -> None:
    async def play() -> None:
        async with desk(tmp_path_factory.mktemp("undo")) as here:
            it = await here.make()
            rows: list[tuple[str, dict[str, Any]]] = []
            for verb, minutes in zip(verbs, hours, strict=False):
                here.clock.advance(timedelta(minutes=minutes % 9))  # all within the hour
                before = await here.columns(it)
                try:
                    token = await here.act(verb, it)
                except (InvalidInputError, NotFoundError):  # it is deleted, or has no next fire
                    continue
                if token is not None and token not in dict(rows):  # a second pause is the step of the first
                    rows.append((token, before))
            for token, before in reversed(rows):
                await here.services.undo.undo(ANN, token)
                assert await here.columns(it) == before
            if not rows:
                return
            with pytest.raises(InvalidInputError, match="undone already"):
                await here.services.undo.undo(ANN, rows[0][0])

    asyncio.run(play())


async def test_a_skipped_fire_comes_after_all(tmp_path: Path) -> None:
    async with desk(tmp_path) as here:
        it = await here.make(cron="30 12 * * *")
        done = await here.services.actions.skip_next(ANN, it)
        await here.services.undo.undo(ANN, done.undo or "")
        await here.runtime.start_engine()
        await here.clock.travel(minutes=40)
        [run] = await here.store.runs(RunFilter(schedule_id=it))
        assert run.status is not Status.SKIPPED
        assert run.fire_at == START + timedelta(minutes=30)


@pytest.mark.parametrize(
    "meanwhile",
    [
        lambda cases, it: cases.update(BOB, it, {"description": "by Bob"}),
        lambda cases, it: cases.update(BOB, it, {"enabled": True}),
        lambda cases, it: cases.delete(BOB, it),
    ],
    ids=["updated", "resumed", "deleted"],
)
async def test_what_changed_meanwhile_is_left_alone(tmp_path: Path, meanwhile: Callable[..., Any]) -> None:
    async with desk(tmp_path) as here:
        it = await here.make()
        done = await here.services.actions.pause(ANN, it)
        await meanwhile(here.services.use_cases, it)
        before = await here.row(it)
        with pytest.raises(ConflictError, match="changed meanwhile"):
            await here.services.undo.undo(ANN, done.undo or "")
        assert await here.row(it) == before


async def test_an_edit_is_taken_back_after_it_has_fired(tmp_path: Path) -> None:
    async with desk(tmp_path) as here:
        it = await here.make()
        done = await here.services.actions.update(ANN, it, {"cron": "10 12 * * *"})
        await here.runtime.start_engine()
        await here.clock.travel(minutes=20)
        await here.services.undo.undo(ANN, done.undo or "")
        row = await here.row(it)
        assert row.next_fire_at == START.replace(hour=9) + timedelta(days=1)
        assert row.watermark == START + timedelta(minutes=10)


async def test_a_name_that_was_given_away_is_told(tmp_path: Path) -> None:
    async with desk(tmp_path) as here:
        it = await here.make()
        done = await here.services.actions.delete(ANN, it)
        await here.make()
        with pytest.raises(ConflictError, match="name is taken"):
            await here.services.undo.undo(ANN, done.undo or "")


async def test_a_step_is_for_its_caller_and_for_admins_and_expires(tmp_path: Path) -> None:
    async with desk(tmp_path) as here:
        it = await here.make()
        done = await here.services.actions.pause(ANN, it)
        person = Caller(Scope.parse("user:ana"), "tok_ana", Face.GUI)
        for stranger in (person, Caller(Scope.parse("project:shop"), "tok_shop", Face.MCP)):
            with pytest.raises(NotFoundError, match="nothing to undo"):
                await here.services.undo.undo(stranger, done.undo or "")
            assert await here.services.undo.last(stranger) is None
        with pytest.raises(AccessDeniedError, match="may only look"):
            await here.services.undo.undo(ONLOOKER, done.undo or "")
        assert await here.services.undo.last(ONLOOKER) is None
        here.clock.advance(timedelta(hours=1))
        with pytest.raises(InvalidInputError, match="could be undone for 60 minutes"):
            await here.services.undo.undo(ANN, done.undo or "")
        with pytest.raises(NotFoundError, match="nothing to undo"):
            await here.services.undo.undo_last(ANN)
        again = await here.services.actions.resume(ANN, it)
        assert await here.services.undo.undo(BOB, again.undo or "")  # an admin may


# many at once


@STORES
async def test_many_are_changed_and_taken_back_together(tmp_path: Path, kind: str) -> None:
    async with desk(tmp_path, kind) as here:
        made = [await here.make(f"plant-{number}") for number in range(4)]
        before = [await here.columns(each) for each in made]
        done = await here.services.actions.bulk(ANN, "delete", ids=[*made, "sched_none"])
        assert done.sentence == "deleted 4 schedules"
        assert [each for each, _ in done.failed] == ["sched_none"]
        await here.services.use_cases.restore(BOB, made[0])
        told = await here.services.undo.undo_last(ANN)
        assert "1 of 4 stay as they are" in told
        assert [await here.columns(each) for each in made[1:]] == before[1:]


async def test_many_are_found_by_a_filter(tmp_path: Path) -> None:
    async with desk(tmp_path) as here:
        made = [await here.make(f"plant-{number}") for number in range(3)]
        await here.make("backup")
        actions = here.services.actions
        done = await actions.bulk(ANN, "pause", filter={"text": "plant-"})
        assert (done.total, done.failed) == (3, [])
        assert [(await here.row(each)).enabled for each in made] == [False] * 3
        with pytest.raises(InvalidInputError, match="either ids or a filter"):
            await actions.bulk(ANN, "pause")
        with pytest.raises(InvalidInputError, match="action"):
            await actions.bulk(ANN, "explode", ids=made)
        with pytest.raises(AccessDeniedError, match="may only look"):
            await actions.bulk(ONLOOKER, "pause", ids=made)
        shop = Caller(Scope.parse("project:shop"), "tok_shop", Face.MCP)
        assert (await actions.bulk(shop, "resume", ids=made)).sentence == "resumed 0 schedules"


# runs, versions and entries of the audit


async def test_a_run_runs_again_once_it_has_ended(tmp_path: Path) -> None:
    async with desk(tmp_path) as here:
        it = await here.make()
        first = await here.services.actions.trigger(ANN, it)
        assert first.view is not None
        with pytest.raises(InvalidInputError, match="wait until it has ended"):
            await here.services.actions.run_again(ANN, first.view.id)
        done = await here.services.actions.cancel_run(ANN, first.view.id)
        assert done.sentence == "run of plants cancelled"
        again = await here.services.actions.run_again(ANN, first.view.id)
        assert again.view is not None
        assert again.view.id != first.view.id
        with pytest.raises(NotFoundError):
            await here.services.actions.run_again(Caller(Scope.parse("user:ana"), "tok_a", Face.GUI), first.view.id)


async def test_a_backfill_is_counted_before_it_is_made(tmp_path: Path) -> None:
    async with desk(tmp_path) as here:
        it = await here.make()
        span = (START - timedelta(days=3), START)
        dry = await here.services.actions.backfill(ANN, it, *span, dry_run=True)
        assert (dry.total, await here.store.runs(RunFilter(schedule_id=it))) == (3, [])
        assert (await here.services.actions.backfill(ANN, it, *span)).total == 3


async def test_what_is_paused_already_is_not_changed_and_keeps_its_way_back(tmp_path: Path) -> None:
    async with desk(tmp_path) as here:
        plants = await here.make()
        first = await here.services.actions.pause(ANN, plants)
        paused = await here.row(plants)
        again = await here.services.actions.pause(ANN, plants)
        assert (again.sentence, again.undo) == (first.sentence, first.undo)
        assert await here.row(plants) == paused
        assert (await here.services.actions.pause(BOB, plants)).undo is None
        with pytest.raises(AccessDeniedError):
            await here.services.actions.pause(ONLOOKER, plants)
        assert first.undo is not None
        await here.services.undo.undo(ANN, first.undo)
        assert (await here.row(plants)).enabled


async def test_a_stale_version_is_refused_with_what_is_stored(tmp_path: Path) -> None:
    async with desk(tmp_path) as here:
        it = await here.make()
        version = (await here.row(it)).version
        await here.services.use_cases.update(BOB, it, {"prompt": "by Bob"}, version=version)
        with pytest.raises(ConflictError, match="version 2 is stored") as refused:
            await here.services.actions.update(ANN, it, {"prompt": "by Ann", "name": "plants"}, version=version)
        assert (refused.value.current_version, refused.value.changed) == (2, {"prompt": "by Bob"})
        assert refused.value.details["currentVersion"] == 2


@STORES
async def test_a_definition_is_put_back_from_the_audit(tmp_path: Path, kind: str) -> None:
    async with desk(tmp_path, kind) as here:
        it = await here.make(description="old")
        before = await here.columns(it)
        await here.services.actions.update(BOB, it, {"cron": "0 8 * * *", "prompt": "wrong"}, ["description"])
        entries, _ = await here.services.audit.entries(ANN, schedule=it, kinds=["schedule.updated"])
        done = await here.services.actions.put_back(ANN, it, entries[-1].seq)
        after = await here.columns(it)
        who = ("created_by", "changed_by")
        assert {name: value for name, value in after.items() if name not in who} == {
            name: value for name, value in before.items() if name not in who
        }
        assert done.undo is not None
        await here.services.actions.delete(ANN, it)
        entries, _ = await here.services.audit.entries(ANN, schedule=it, kinds=["schedule.deleted"])
        await here.services.actions.put_back(ANN, it, entries[-1].seq)
        assert (await here.row(it)).enabled
        with pytest.raises(NotFoundError, match="no change"):
            await here.services.actions.put_back(ANN, it, 1)
        with pytest.raises(AccessDeniedError):
            await here.services.actions.put_back(ONLOOKER, it, entries[-1].seq)


@STORES
@pytest.mark.parametrize(
    "given",
    [
        {"description": "new"},
        {"until_at": "2027-05-01T00:00:00Z"},
        {"timeout": 60},
        {"description": "new", "display_title": "Garden"},
    ],
    ids=lambda given: "+".join(given),
)
async def test_a_field_that_was_empty_is_emptied_again(tmp_path: Path, kind: str, given: dict[str, Any]) -> None:
    async with desk(tmp_path, kind) as here:
        it = await here.make()
        before = await here.columns(it)
        await here.services.actions.update(ANN, it, given)
        assert await here.columns(it) != before
        [entry], _ = await here.services.audit.entries(ANN, schedule=it, kinds=["schedule.updated"])
        await here.services.actions.put_back(ANN, it, entry.seq)
        assert await here.columns(it) == before


async def test_a_creation_is_no_change_that_could_be_put_back(tmp_path: Path) -> None:
    async with desk(tmp_path) as here:
        it = await here.make(description="new")
        [entry], _ = await here.services.audit.entries(ANN, schedule=it, kinds=["schedule.created"])
        with pytest.raises(NotFoundError, match="no change"):
            await here.services.actions.put_back(ANN, it, entry.seq)


@pytest.mark.parametrize("scope", ["admin:ro", "user:ana:ro"])
async def test_who_may_only_look_is_denied_to_run_again_what_still_goes(tmp_path: Path, scope: str) -> None:
    async with desk(tmp_path) as here:
        it = await here.make()
        first = await here.services.actions.trigger(ANN, it)
        assert first.view is not None
        with pytest.raises(AccessDeniedError):
            await here.services.actions.run_again(Caller(Scope.parse(scope), "tok_see", Face.GUI), first.view.id)


async def test_the_latest_of_the_steps_of_one_instant_is_undone_first(tmp_path: Path) -> None:
    async with desk(tmp_path) as here:
        it = await here.make()
        texts = [f"step {number}" for number in range(6)]
        for text in texts:
            await here.services.actions.update(ANN, it, {"prompt": text})
        for text in reversed(texts):
            assert text in (await here.row(it)).action
            await here.services.undo.undo_last(ANN)
        assert "water the plants" in (await here.row(it)).action


async def test_one_that_is_named_twice_is_changed_once(tmp_path: Path) -> None:
    async with desk(tmp_path) as here:
        schedule = await here.make()
        done = await here.services.actions.bulk(ANN, "pause", ids=[schedule, "plants"])
        assert done.sentence == "paused 1 schedule"
        assert (await here.row(schedule)).version == 2
        assert done.undo is not None
        assert await here.services.undo.undo(ANN, done.undo) == "undone: paused 1 schedule"
