"""Targets of prompts: in step with their schedules, with sessions to go on with."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from duly import failpoints
from duly.errors import InvalidInputError
from duly.model.action import Target
from duly.ports.records import ScheduleFilter, StoredSchedule
from tests.conformance.stores.builders import JOB, at, definition, names, prompt, schedule
from tests.conformance.stores.harness import StoreHarness, conformant, full
from tests.support import tries


async def in_project(harness: StoreHarness, project: str, **wanted: Any) -> list[str]:
    return names(await harness.store.schedules(ScheduleFilter(project=project, **wanted)))


async def redefine(harness: StoreHarness, row: StoredSchedule, **fields: Any) -> None:
    await harness.store.edit([row.id], lambda before: replace(before, **fields))


async def pins(harness: StoreHarness, row: StoredSchedule, **sessions: str) -> None:
    for project, session in sessions.items():
        await full(harness.store).targets.pin_session(row.id, project, "", session)


async def sessions_of(harness: StoreHarness, row: StoredSchedule, *projects: str) -> list[str | None]:
    return [await full(harness.store).targets.session(row.id, project, "") for project in projects]


# finding schedules by project


@conformant
async def test_schedules_are_found_by_the_projects_of_their_targets(harness: StoreHarness) -> None:
    await harness.add(
        prompt("both", Target("blog"), Target("shop", "main")),
        prompt("two workspaces", Target("shop", "main"), Target("shop", "test")),
        prompt("none"),
        schedule("job", action=definition(Target("blog"))),
        prompt("elsewhere", Target("blog"), namespace="other"),
    )
    assert await in_project(harness, "blog") == ["both", "elsewhere"]
    assert await in_project(harness, "shop") == ["both", "two workspaces"]
    assert await in_project(harness, "shop", limit=1) == ["both"]
    assert await in_project(harness, "blog", namespace="default") == ["both"]
    assert await in_project(harness, "BLOG") == []
    assert await in_project(harness, "main") == []
    assert len(await harness.store.schedules(ScheduleFilter())) == 5


@conformant
async def test_an_edit_moves_a_prompt_to_other_projects(harness: StoreHarness) -> None:
    await harness.add(row := prompt("a", Target("blog")), prompt("b", Target("blog")))
    await redefine(harness, row, action=definition(Target("shop")))
    assert (await in_project(harness, "blog"), await in_project(harness, "shop")) == (["b"], ["a"])
    await redefine(harness, row, handler=JOB, action='{"kind":"job","name":"a"}')
    assert (await in_project(harness, "blog"), await in_project(harness, "shop")) == (["b"], [])
    await redefine(harness, row, handler="prompt:other", action=definition(Target("blog"), Target("shop")))
    assert (await in_project(harness, "blog"), await in_project(harness, "shop")) == (["a", "b"], ["a"])


@conformant
async def test_saving_again_moves_a_prompt_to_other_projects(harness: StoreHarness) -> None:
    await harness.add(row := prompt("a", Target("blog")), prompt("b", Target("blog")))
    await harness.add(replace(row, action=definition(Target("shop"))))
    assert (await in_project(harness, "blog"), await in_project(harness, "shop")) == (["b"], ["a"])
    await harness.add(replace(row, handler=JOB))
    assert (await in_project(harness, "blog"), await in_project(harness, "shop")) == (["b"], [])
    await harness.store.save([replace(row, action=definition(Target("shop")))], lambda _before, _row: None)
    assert await in_project(harness, "shop") == []


@conformant
async def test_the_last_of_one_name_in_a_batch_counts(harness: StoreHarness) -> None:
    row = prompt("a", Target("blog"))
    await harness.add(row, replace(row, handler=JOB), replace(row, action=definition(Target("shop"))))
    assert (await in_project(harness, "blog"), await in_project(harness, "shop")) == ([], ["a"])
    await harness.add(replace(row), replace(row, handler=JOB))
    assert (await in_project(harness, "blog"), await in_project(harness, "shop")) == ([], [])


@conformant
async def test_a_deleted_prompt_is_found_among_the_deleted(harness: StoreHarness) -> None:
    await harness.add(row := prompt("a", Target("blog")))
    await redefine(harness, row, deleted_at=at(1))
    assert await in_project(harness, "blog") == []
    assert await in_project(harness, "blog", deleted=True) == ["a"]


@pytest.mark.parametrize(
    "action",
    [
        "not JSON",
        "[" * 100_000,
        "[]",
        '{"kind":"prompt","targets":{"project_id":"blog"}}',
        '{"kind":"prompt","targets":[null,7,"blog",{},{"project_id":8},{"project_id":"blog","workspace_id":[1]}]}',
    ],
)
@conformant
async def test_an_action_that_cannot_be_decoded_has_no_targets(harness: StoreHarness, action: str) -> None:
    await harness.add(row := prompt("a", Target("blog")), prompt("b", Target("blog")))
    await redefine(harness, row, action=action)
    assert await in_project(harness, "blog") == ["b"]
    assert (await harness.saved(row.id)).action == action


@conformant
async def test_a_definition_of_a_newer_duly_keeps_its_targets(harness: StoreHarness) -> None:
    await harness.add(row := prompt("a"))
    newer = '{"kind":"prompt","mood":"good","targets":[{"project_id":"blog","colour":"red"},{"project_id":"blog"}]}'
    await redefine(harness, row, action=newer)
    assert await in_project(harness, "blog") == ["a"]


@conformant
async def test_names_are_kept_to_the_letter(harness: StoreHarness) -> None:
    odd = ["Žurnal „x“ 🥐", '"; DROP TABLE schedule_targets; --', "\\", "%", "[1]", " ", "null", "5", "a\nb"]
    await harness.add(*(prompt(str(number), Target(f"x{name}", name)) for number, name in enumerate(odd)))
    for number, name in enumerate(odd):
        assert await in_project(harness, f"x{name}") == [str(number)]


@conformant
async def test_many_prompts_and_many_jobs_in_one_batch(harness: StoreHarness) -> None:
    rows = [prompt(f"p{n}", Target(f"project {n % 10}"), Target("all", str(n))) for n in range(300)]
    await harness.add(*rows, *(schedule(f"j{n}") for n in range(300)))
    assert len(await in_project(harness, "all", limit=1000)) == 300
    assert len(await in_project(harness, "project 7")) == 30
    await harness.store.edit([row.id for row in rows[:150]], lambda row: replace(row, action=definition()))
    assert len(await in_project(harness, "all", limit=1000)) == 150


# sessions


@conformant
async def test_a_target_goes_on_with_the_session_pinned_last(full_harness: StoreHarness) -> None:
    await full_harness.add(
        row := prompt("a", Target("blog"), Target("blog", "main")), other := prompt("b", Target("blog"))
    )
    targets = full(full_harness.store).targets
    assert await sessions_of(full_harness, row, "blog") == [None]
    await pins(full_harness, row, blog="first")
    await pins(full_harness, row, blog="second")
    assert await sessions_of(full_harness, row, "blog") == ["second"]
    assert await targets.schedules_of_session("first") == []
    assert await targets.schedules_of_session(" SEC-ond") == [row.id]
    assert await targets.session(row.id, "blog", "main") is None
    assert await sessions_of(full_harness, other, "blog") == [None]
    await targets.pin_session(row.id, "blog", "", None)
    assert await sessions_of(full_harness, row, "blog") == [None]


@conformant
async def test_targets_that_stay_keep_their_session(full_harness: StoreHarness) -> None:
    await full_harness.add(row := prompt("a", Target("blog"), Target("shop")))
    await pins(full_harness, row, blog="b1", shop="s1")
    await redefine(full_harness, row, enabled=False)
    await redefine(full_harness, row, action=definition(Target("new"), Target("blog")))
    assert await sessions_of(full_harness, row, "blog", "shop", "new") == ["b1", None, None]
    await full_harness.add(replace(row, action=definition(Target("shop"), Target("blog"))))
    assert await sessions_of(full_harness, row, "blog", "shop") == ["b1", None]


@conformant
async def test_a_target_that_is_gone_has_no_session(full_harness: StoreHarness) -> None:
    await full_harness.add(row := prompt("a", Target("blog")), job := schedule("job"))
    await redefine(full_harness, row, action=definition(Target("shop")))
    await pins(full_harness, row, blog="late")
    await pins(full_harness, job, blog="never")
    await full(full_harness.store).targets.pin_session("sched_nobody", "blog", "", "never")
    assert await sessions_of(full_harness, row, "blog") == [None]
    assert await sessions_of(full_harness, job, "blog") == [None]
    assert await in_project(full_harness, "blog") == []


@conformant
async def test_a_prompt_without_targets_has_a_session_too(full_harness: StoreHarness) -> None:
    await full_harness.add(row := prompt("a"))
    await full(full_harness.store).targets.pin_session(row.id, "", "", "mine")
    await redefine(full_harness, row, enabled=False)
    assert await sessions_of(full_harness, row, "") == ["mine"]
    await redefine(full_harness, row, action=definition(Target("blog")))
    assert await sessions_of(full_harness, row, "", "blog") == [None, None]


PLACES = [Target("a"), Target("a", "x"), Target("b")]
STEPS = st.lists(st.tuples(st.sets(st.sampled_from(PLACES)), st.sampled_from(PLACES), st.booleans()), max_size=8)


@settings(max_examples=tries(25), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=STEPS)
def test_sessions_and_projects_follow_every_change(full_harness: StoreHarness, steps: list[Any]) -> None:
    """A target is there when the latest definition has it; its session is the one pinned since it came."""

    @conformant
    async def check(full_harness: StoreHarness) -> None:
        row = await _bare(full_harness)
        there: dict[Target, str | None] = {}
        for number, (wanted, pinned, is_saved) in enumerate(steps):
            row = replace(row, action=definition(*wanted))
            await (full_harness.add(row) if is_saved else redefine(full_harness, row, action=row.action))
            there = {place: there.get(place) for place in wanted}
            targets = full(full_harness.store).targets
            await targets.pin_session(row.id, pinned.project_id, pinned.workspace_id or "", f"s{number}")
            if pinned in there:
                there[pinned] = f"s{number}"
            for place in PLACES:
                seen = await targets.session(row.id, place.project_id, place.workspace_id or "")
                assert seen == there.get(place)
            for project in ("a", "b"):
                assert bool(await in_project(full_harness, project)) == any(
                    each.project_id == project for each in there
                )

    asyncio.run(check(full_harness=full_harness))


async def _bare(harness: StoreHarness) -> StoredSchedule:
    """The schedule of the examples: made by the first one, without targets again for each of the others."""
    row = await harness.store.find("default", "a") or prompt("a")
    row.action = definition()
    await harness.add(row)
    return row


# all or nothing


@conformant
async def test_a_change_that_fails_leaves_targets_and_sessions(full_harness: StoreHarness) -> None:
    await full_harness.add(row := prompt("a", Target("blog")), prompt("b"))
    await pins(full_harness, row, blog="b1")

    def refuse(before: StoredSchedule) -> StoredSchedule:
        return replace(before, action=definition(Target("shop")), name="b")

    with pytest.raises(InvalidInputError, match="taken"):
        await full_harness.store.edit([row.id], refuse)
    for place in ("sqlite.before_commit", "postgres.before_commit"):
        failpoints.arm(place)
    try:
        with pytest.raises(failpoints.FailpointError):
            await redefine(full_harness, row, action=definition(Target("shop")))
    finally:
        failpoints.disarm()
    assert await sessions_of(full_harness, row, "blog", "shop") == ["b1", None]
    assert (await in_project(full_harness, "blog"), await in_project(full_harness, "shop")) == (["a"], [])


def test_the_definition_of_targets_is_what_the_stores_read() -> None:
    """The stores look for these names in the text without knowing the rest of it."""
    assert json.loads(definition(Target("blog"), Target("shop", "main")))["targets"] == [
        {"project_id": "blog"},
        {"project_id": "shop", "workspace_id": "main"},
    ]
