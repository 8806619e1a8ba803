"""Pages of schedules and of runs: every filter, alone and together, and the cursors."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Any

import pytest

from duly.model.action import Target
from duly.model.run import Origin, Status
from duly.ports.records import RunFilter, ScheduleFilter, StoredSchedule
from duly.stores.crud import narrowing
from tests.conformance.stores.builders import JOB, at, names, new_run, prompt, schedule
from tests.conformance.stores.harness import StoreHarness, conformant
from tests.memory_store.schedules import is_wanted

TROUBLE = "cannot be read"


FILTERED: list[tuple[dict[str, Any], list[str]]] = [
    ({}, ["a", "b", "c", "d"]),
    ({"namespace": "one"}, ["a", "b"]),
    ({"namespace": "three"}, []),
    ({"enabled": True}, ["a", "c", "d"]),
    ({"enabled": False}, ["b"]),
    ({"handler": "job:x"}, ["a", "c"]),
    ({"handler": "job:"}, []),
    ({"source": "toml"}, ["d"]),
    ({"quarantined": True}, ["c"]),
    ({"quarantined": False}, ["a", "b", "d"]),
    ({"resting": True}, ["a"]),
    ({"resting": False}, ["b", "c", "d"]),
    ({"deleted": True}, ["gone"]),
    ({"namespace": "one", "handler": "job:x", "enabled": True, "quarantined": False}, ["a"]),
    ({"namespace": "one", "source": "toml"}, []),
    ({"limit": 2}, ["a", "b"]),
    ({"limit": 0}, []),
    ({"after": ("one", "a")}, ["b", "c", "d"]),
    ({"after": ("one", "zzz")}, ["c", "d"]),
    ({"after": ("", "")}, ["a", "b", "c", "d"]),
    ({"after": ("two", "d")}, []),
    ({"after": ("one", "a"), "limit": 1, "namespace": "two"}, ["c"]),
]

FOUND = [
    ("", ["100% sure_thing", "report", "Ärzte anrufen"]),
    ("REPORT", ["report"]),
    ("weekly", ["report"]),
    ("numbers", ["report"]),
    ("%", ["100% sure_thing"]),
    ("e_t", ["100% sure_thing"]),
    ("rep%", []),
    ("Ärzte", ["Ärzte anrufen"]),
    ("äRZTE", ["Ärzte anrufen"]),
    ("žurno", ["Ärzte anrufen"]),
    ("'; --", []),
    ("sched_", []),
]


@conformant
async def test_schedules_are_filtered(harness: StoreHarness) -> None:
    await harness.add(
        schedule("d", namespace="two", source="toml", handler="job:y"),
        schedule("b", namespace="one", enabled=False, handler="job:y"),
        schedule("c", namespace="two", handler="job:x", quarantine=TROUBLE),
        schedule("a", namespace="one", handler="job:x", resting="job 'x' is missing"),
        schedule("gone", namespace="one", deleted_at=at(1)),
    )
    for wanted, expected in FILTERED:
        assert names(await harness.store.schedules(ScheduleFilter(**wanted))) == expected, wanted


@conformant
async def test_text_is_looked_for_in_name_description_and_action(harness: StoreHarness) -> None:
    await harness.add(
        schedule("report", description="Weekly figures", action='{"text": "Numbers"}'),
        schedule("100% sure_thing"),
        schedule("Ärzte anrufen", description="ŽURNO"),
    )
    for text, expected in FOUND:
        assert names(await harness.store.schedules(ScheduleFilter(text=text))) == expected, text


@conformant
async def test_walking_page_by_page_meets_every_schedule_once_in_order(harness: StoreHarness) -> None:
    pairs = [*product(["", "a", "A", "a/b", "é"], ["Z", "a", "_", "é", "ß", "10", "9", " x", "a b"])]
    await harness.add(*(schedule(name, namespace=namespace) for namespace, name in pairs))
    walked: list[tuple[str, str]] = []
    wanted = ScheduleFilter(limit=7)
    while page := await harness.store.schedules(wanted):
        walked += [(row.namespace, row.name) for row in page]
        wanted = replace(wanted, after=walked[-1])
    assert walked == sorted(pairs)


def varied() -> list[StoredSchedule]:
    """Make schedules that differ in everything by which a page is filtered; names are equal in two namespaces."""
    made: list[StoredSchedule] = []
    for number, (project, switch) in enumerate(product((None, "blog", "shop"), (None, "person", "finished", "file"))):
        for namespace in ("one", "two"):
            fields: dict[str, Any] = {
                "namespace": namespace,
                "enabled": switch is None,
                "disabled_by": switch,
                "next_run_at": at(number) if switch is None and number % 3 else None,
                "source": "toml" if number % 5 == 1 else "db",
                "quarantine": TROUBLE if number % 4 == 2 else None,
                "resting": "its project is gone" if number % 6 == 1 else None,
                "created_by": "tok_a" if number % 2 else None,
                "changed_by": "tok_a" if number % 3 == 0 else "tok_b" if number % 3 == 1 else None,
                "deleted_at": at(1) if number == 7 else None,
            }
            targets = [Target(project, "main"), Target(project, "test")] if project else []
            made.append(prompt(f"s{number:02}", *targets, **fields))
    return made


@pytest.mark.parametrize("few", [0, 3, 2000])
@conformant
async def test_pages_of_filtered_schedules_are_the_same_whether_few_or_many_are_left(
    harness: StoreHarness, few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(narrowing, "_FEW", few)
    rows = varied()
    await harness.add(*rows)
    for enabled, project, token, quarantined, resting, namespace, handler in product(
        (None, True, False), (None, "shop"), (None, "tok_a"), (None, True), (None, True), (None, "two"), (None, JOB)
    ):
        wanted = ScheduleFilter(
            enabled=enabled,
            project=project,
            token=token,
            quarantined=quarantined,
            resting=resting,
            namespace=namespace,
            handler=handler,
            limit=5,
        )
        expected = sorted((row.namespace, row.name) for row in rows if is_wanted(row, wanted))
        walked: list[tuple[str, str]] = []
        while page := await harness.store.schedules(replace(wanted, after=walked[-1] if walked else None)):
            walked += [(row.namespace, row.name) for row in page]
        assert walked == expected, wanted


@conformant
async def test_a_page_holds_whole_schedules(harness: StoreHarness) -> None:
    await harness.add(row := schedule("a", next_run_at=at(5), description="whole"))
    assert await harness.store.schedules(ScheduleFilter()) == [row]


async def history(harness: StoreHarness) -> tuple[StoredSchedule, StoredSchedule, list[str]]:
    """Six runs of two schedules, ids in the order they were made."""
    first, second = schedule("a"), schedule("b")
    await harness.add(first, second)
    runs = [
        new_run(first, 0, Status.MISSED),
        new_run(second, 0, Status.PENDING),
        new_run(first, 1, Status.SKIPPED),
        new_run(first, 1, Status.WAITING, origin=Origin.MANUAL),
        new_run(second, 1, Status.SKIPPED),
        new_run(first, 2, Status.PENDING),
    ]
    await harness.put(*runs)
    return first, second, [run.id for run in runs]


@conformant
async def test_runs_are_listed_the_newest_first(harness: StoreHarness) -> None:
    first, second, ids = await history(harness)
    assert [run.id for run in await harness.store.runs(RunFilter())] == ids[::-1]
    of_first = await harness.store.runs(RunFilter(schedule_id=first.id))
    assert [run.id for run in of_first] == [ids[5], ids[3], ids[2], ids[0]]
    assert {(run.namespace, run.name) for run in of_first} == {("default", "a")}
    assert len(await harness.store.runs(RunFilter(schedule_id=second.id))) == 2
    assert await harness.store.runs(RunFilter(schedule_id="sched_nobody")) == []


@conformant
async def test_runs_are_filtered_by_status(harness: StoreHarness) -> None:
    first, _, ids = await history(harness)

    async def found(**wanted: Any) -> list[str]:
        return [run.id for run in await harness.store.runs(RunFilter(**wanted))]

    assert await found(statuses=(Status.SKIPPED,)) == [ids[4], ids[2]]
    assert await found(statuses=(Status.SKIPPED, Status.MISSED)) == [ids[4], ids[2], ids[0]]
    assert await found(statuses=(Status.SKIPPED,), schedule_id=first.id) == [ids[2]]
    assert await found(statuses=(Status.DEAD,)) == []


@conformant
async def test_runs_are_walked_page_by_page(harness: StoreHarness) -> None:
    first, _, ids = await history(harness)
    for of, expected in ((None, ids[::-1]), (first.id, [ids[5], ids[3], ids[2], ids[0]])):
        walked: list[str] = []
        wanted = RunFilter(schedule_id=of, limit=2)
        while page := await harness.store.runs(wanted):
            assert len(page) <= 2
            walked += [run.id for run in page]
            wanted = replace(wanted, before=walked[-1])
        assert walked == expected
    assert await harness.store.runs(RunFilter(limit=0)) == []


@conformant
async def test_a_run_shows_what_was_recorded(harness: StoreHarness) -> None:
    await harness.add(row := schedule("a", namespace="butler"))
    recorded = new_run(row, 60, Status.MISSED, due_at=at(61), reason="no engine ran", skipped=5, handler="job:z")
    recorded.first_skipped_at = at(20)
    await harness.put(recorded)
    run = await harness.seen(recorded.id)
    assert (run.namespace, run.name, run.handler) == ("butler", "a", "job:z")
    assert (run.fire.schedule_id, run.fire.origin, run.fire.fire_at) == (row.id, Origin.SCHEDULE, at(60))
    assert run.key == f"{row.id}/schedule/2026-01-01T00:01:00+00:00"
    assert (run.status, run.due_at, run.reason) == (Status.MISSED, at(61), "no engine ran")
    assert (run.skipped, run.first_skipped_at) == (5, at(20))
    assert (run.attempt, run.fence, run.owner, run.started_at, run.finished_at) == (0, 0, None, None, harness.now)
    assert (run.result, run.error, run.progress, run.cancel_requested) == (None, None, None, False)
    assert await harness.store.get_run("run_nobody") is None
