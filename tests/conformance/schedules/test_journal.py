"""The journal through every way in: admins read all of it, others what is about schedules they may read."""

from __future__ import annotations

from datetime import timedelta

import pytest
from mcp import MCPError

from duly.errors import InvalidInputError, NaiveDatetimeError, NotFoundError
from duly.model.events import RUN_FAILED, Event
from duly.service.access.scopes import Caller
from tests.conformance.schedules.harness import DAILY, ScheduleHarness, scenario

TARGETS = {name: {**DAILY, "targets": [{"project_id": name}]} for name in ("a", "b")}


@scenario
async def test_what_happens_to_a_schedule_is_there_the_newest_last(harness: ScheduleHarness) -> None:
    made = await harness.create("plants")
    await harness.update("plants", description="new")
    harness.answers["water the plants"] = ValueError("no water")
    await harness.tick(days=1)
    told = await harness.events(made["id"])
    assert [each["event"] for each in told] == ["schedule.created", "schedule.updated", "run.failed"]
    assert [each["seq"] for each in told] == sorted(each["seq"] for each in told)
    created, _, failed = told
    assert (created["schedule_id"], created["schedule"], created["level"]) == (made["id"], "plants", "info")
    assert (failed["level"], failed["data"]["attempt"]) == ("error", 1)
    assert "no water" in failed["data"]["error"]
    assert failed["run_id"].startswith("run_")
    assert failed["at"].endswith("Z")


@scenario
async def test_admins_also_read_of_nodes_and_tokens(harness: ScheduleHarness) -> None:
    await harness.as_holder("project:a")
    harness.as_admin()
    await harness.tick(days=1)
    names = [each["event"] for each in await harness.events()]
    assert {"token.created", "node.started", "node.stopped"} <= set(names)


@pytest.mark.parametrize("scope", ["project:a", "project:a:ro", "user:ada"])
@scenario
async def test_others_read_only_what_is_about_their_schedules(harness: ScheduleHarness, scope: str) -> None:
    for name, fields in TARGETS.items():
        await harness.create(f"of-{name}", **fields)
    await harness.create("of-all", **DAILY)
    await harness.tick(days=1)
    await harness.as_holder(scope)
    told = await harness.events()
    assert {each.get("schedule") for each in told} == ({"of-a"} if scope.startswith("project") else set())
    assert not any("node_id" in each for each in told)
    for hidden in ("of-b", "of-all", "nowhere"):
        with pytest.raises((NotFoundError, MCPError), match=f"there is no schedule '{hidden}'"):
            await harness.events(hidden)


@scenario
async def test_others_are_not_told_what_is_not_theirs_to_know(harness: ScheduleHarness) -> None:
    both = {**DAILY, "targets": [{"project_id": "a"}, {"project_id": "b"}]}
    mine, ours = await harness.create("mine", **TARGETS["a"]), await harness.create("ours", **both)
    await harness.update("ours", targets=[{"project_id": "a"}, {"project_id": "c"}])
    for made in (mine, ours):
        data = {"name": made["name"], "error": "c: its secrets", "attempt": 1, "traceback": "File …"}
        await harness.store.record([Event(RUN_FAILED, harness.now, made["id"], data=data)])
    await harness.as_holder("project:a")
    told = await harness.events()
    assert [(each["schedule"], each["event"], each["data"]) for each in told] == [
        ("mine", "schedule.created", {}),
        ("ours", "schedule.created", {}),
        ("ours", "schedule.updated", {}),
        ("mine", "run.failed", {"error": "c: its secrets", "attempt": 1}),
        ("ours", "run.failed", {"attempt": 1}),
    ]


@scenario
async def test_a_deleted_schedule_still_has_its_events(harness: ScheduleHarness) -> None:
    made = await harness.create("plants")
    await harness.ask("schedule_delete", schedule_id="plants")
    assert [each["event"] for each in await harness.events(made["id"])] == ["schedule.created", "schedule.deleted"]


@scenario
async def test_events_are_chosen_by_kind_level_time_and_run(butler: ScheduleHarness) -> None:
    made = await butler.create("plants")
    butler.answers["water the plants"] = ValueError("no water")
    await butler.tick(days=1)
    noon = butler.now
    await butler.tick(days=1)
    journal, local = butler.journal, Caller()

    async def names(**filters: object) -> list[str]:
        found, _ = await journal.page(local, schedule="plants", **filters)  # type: ignore[arg-type]
        return [each.event for each in found]

    assert await names(kinds=["run.*"]) == ["run.failed", "run.failed"]
    assert await names(kinds=["RUN.*", "schedule.created"]) == ["schedule.created", "run.failed", "run.failed"]
    assert await names(level="warning") == ["run.failed", "run.failed"]
    assert await names(level="info") == ["schedule.created", "run.failed", "run.failed"]
    assert await names(kinds=["schedule.*"], level="error") == []
    assert await names(since=noon + timedelta(seconds=1)) == ["run.failed"]
    assert await names(until=noon) == ["schedule.created"]
    assert await names(limit=1) == ["run.failed"]
    [first, *_] = await butler.history("plants", limit=1)
    assert await names(run_id=first["id"]) == ["run.failed"]
    seen = [each.seq for each in (await journal.page(local, schedule=made["id"]))[0]]
    [newest], older = await journal.page(local, schedule="plants", after=seen[0], limit=1)
    before, none = await journal.page(local, schedule="plants", after=seen[0], cursor=older)
    assert ([*(each.seq for each in before), newest.seq], none) == (seen[1:], None)


@scenario
async def test_what_cannot_be_looked_for_is_refused_with_a_hint(butler: ScheduleHarness) -> None:
    page, local = butler.journal.page, Caller()
    for kinds, hint in (
        (["run.fail"], "did you mean run.failed?"),
        (["xyz"], r"a pattern such as run\.\*"),
        (["run.started"], "run.started is not kept in the journal"),
    ):
        with pytest.raises(InvalidInputError, match=hint):
            await page(local, kinds=kinds)
    with pytest.raises(InvalidInputError, match="level 'loud' is unknown: use debug, info, warning, error"):
        await page(local, level="loud")
    with pytest.raises(InvalidInputError, match="limit must lie between 1 and 500, got 0"):
        await page(local, limit=0)
    with pytest.raises(NaiveDatetimeError):
        await page(local, since=butler.now.replace(tzinfo=None))


@scenario
async def test_many_foreign_events_do_not_hide_the_own_ones(butler: ScheduleHarness) -> None:
    mine = await butler.create("mine", **TARGETS["a"])
    other = await butler.create("other", **TARGETS["b"])
    await butler.store.record([Event(RUN_FAILED, butler.now, other["id"])] * 700)
    await butler.as_holder("project:a")
    assert [each["schedule_id"] for each in await butler.events()] == [mine["id"]]
