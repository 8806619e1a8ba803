"""Reminders for several people: one record per run and person."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

from duly.model.reminder import AttemptKind, AttemptStatus, ReminderStatus, Response
from duly.model.run import Status
from duly.ports.records import StoredSchedule
from duly.ports.reminders import Reminder
from duly.ports.store import FullStore
from tests.conformance.stores.builders import at, ended, new_run, schedule
from tests.conformance.stores.harness import StoreHarness, conformant
from tests.conformance.stores.test_reminders import DEBT, attempt, fresh, of, owed_by, said

PEOPLE = ("ana", "bob", "eva")


async def begun(harness: StoreHarness, row: StoredSchedule, seconds: float = 0) -> list[Reminder]:
    await harness.put(run := new_run(row, seconds))
    return await of(harness).begin_shared(
        [fresh(run, user_id=each, token=f"{each}-{run.id}") for each in PEOPLE],
    )


async def waiting(
    harness: StoreHarness, row: StoredSchedule | None = None, seconds: float = 0, **fields: Any
) -> list[Reminder]:
    """Reminders of one run that have arrived and wait for an answer."""
    if row is None:
        await harness.add(row := schedule("shared"))
    found = []
    for reminder in await begun(harness, row, seconds):
        values = {"status": ReminderStatus.AWAITING_ACK, "last_sent_at": at(seconds), **fields}
        written = await of(harness).update(replace(reminder, **values))
        assert written is not None
        found.append(written)
    return found


async def statuses(harness: StoreHarness, run_id: str) -> list[str]:
    return [str(each.status) for each in await of(harness).of_run(run_id)]


@conformant
async def test_people_of_a_run_share_its_number_and_have_their_own_record(shared_harness: StoreHarness) -> None:
    await shared_harness.add(row := schedule())
    first = await begun(shared_harness, row, 0)
    second = await begun(shared_harness, row, 1)
    assert [each.run_number for each in (*first, *second)] == [1, 1, 1, 2, 2, 2]
    again = [replace(each, token=f"{each.token}-again") for each in first]
    assert await of(shared_harness).begin_shared(again) == first == await of(shared_harness).of_run(first[0].run_id)
    assert await of(shared_harness).get(first[0].run_id, "bob") == first[1]
    assert await of(shared_harness).get(first[0].run_id, "stranger") is None
    assert await of(shared_harness).by_token(first[2].token) == first[2]
    assert await of(shared_harness).of_schedule(row.id, 1) == second
    written = await of(shared_harness).update(replace(first[1], nags=2))
    assert written is not None
    assert [each.nags for each in await of(shared_harness).of_run(first[0].run_id)] == [0, 2, 0]
    latest = (await of(shared_harness).latest_of([row.id]))[row.id]
    assert [latest.reminder, *latest.others] == second


@conformant
async def test_people_come_in_the_order_of_their_ids_however_they_were_written(shared_harness: StoreHarness) -> None:
    await shared_harness.add(row := schedule())
    await shared_harness.put(run := new_run(row))
    await of(shared_harness).begin_shared([fresh(run, user_id=each, token=each) for each in reversed(PEOPLE)])
    latest = (await of(shared_harness).latest_of([row.id]))[row.id]
    assert [each.user_id for each in (latest.reminder, *latest.others)] == sorted(PEOPLE)


@conformant
async def test_the_next_run_inherits_for_each_person(shared_harness: StoreHarness) -> None:
    await shared_harness.add(row := schedule())
    [ana, bob, _eva] = await waiting(shared_harness, row, -2, **DEBT)
    assert await of(shared_harness).answer(said(bob, responded_at=at(-1)), ReminderStatus.ACKED, None)
    for run in await shared_harness.claim():
        await shared_harness.turn(ended(run))
    following = await begun(shared_harness, row, 60)
    assert [owed_by(each) == DEBT for each in following] == [True, False, True]
    assert await statuses(shared_harness, ana.run_id) == ["unacked", "acked", "unacked"]


@conformant
async def test_an_answer_ends_it_for_its_person_or_for_all(shared_harness: StoreHarness) -> None:
    own = await waiting(shared_harness)
    assert await of(shared_harness).answer(said(own[1]), ReminderStatus.ACKED, None)
    assert await statuses(shared_harness, own[0].run_id) == ["awaiting_ack", "acked", "awaiting_ack"]
    assert not await of(shared_harness).answer(said(own[1]), ReminderStatus.ACKED, None)
    assert await of(shared_harness).answer(said(own[0]), ReminderStatus.DISMISSED, None, for_all=True)
    assert await statuses(shared_harness, own[0].run_id) == ["dismissed", "acked", "dismissed"]
    assert [each.wake_at for each in await of(shared_harness).of_run(own[0].run_id)] == [None, None, at(30)]
    assert not await of(shared_harness).answer(said(own[2]), ReminderStatus.ACKED, None)
    assert [each.user_id for each in await of(shared_harness).answers(own[0].run_id)] == ["bob", "ana"]


@conformant
async def test_a_stranger_answers_nothing(shared_harness: StoreHarness) -> None:
    [ana, *_] = await waiting(shared_harness)
    assert not await of(shared_harness).answer(said(ana, user_id="stranger"), ReminderStatus.ACKED, None, for_all=True)
    assert await statuses(shared_harness, ana.run_id) == ["awaiting_ack"] * 3


@conformant
async def test_only_the_send_to_the_person_who_answered_is_acknowledged(shared_harness: StoreHarness) -> None:
    [ana, bob, _eva] = await waiting(shared_harness)
    for reminder in (ana, bob):
        sent = await of(shared_harness).add_attempt(attempt(reminder))
        await of(shared_harness).end_attempt(replace(sent, status=AttemptStatus.SENT))
    assert await of(shared_harness).answer(said(ana), ReminderStatus.ACKED, None)
    assert [str(each.status) for each in await of(shared_harness).attempts(ana.run_id)] == ["acked", "sent"]


@conformant
async def test_a_copy_is_open_for_its_person_only(shared_harness: StoreHarness) -> None:
    await shared_harness.add(row := schedule())
    [ana, *_] = await begun(shared_harness, row)
    copy = await of(shared_harness).add_attempt(attempt(ana, kind=AttemptKind.COPY))
    await of(shared_harness).end_attempt(replace(copy, status=AttemptStatus.DELIVERED))
    assert [each.user_id for each in await of(shared_harness).open_for("ana")] == ["ana"]
    assert await of(shared_harness).open_for("bob") == []


@conformant
async def test_an_answer_that_ended_it_for_all_is_taken_back_for_all(shared_harness: StoreHarness) -> None:
    desk = cast(FullStore, shared_harness.store).remembered
    [ana, bob, eva] = await waiting(shared_harness)
    snoozed = said(eva, Response.SNOOZE, snooze_until=at(600), responded_at=at(20))
    assert await of(shared_harness).answer(snoozed, ReminderStatus.SNOOZED, at(600))
    [_, _, later] = await of(shared_harness).of_run(ana.run_id)
    answer = said(ana)
    assert await of(shared_harness).answer(answer, ReminderStatus.ACKED, None, for_all=True)
    assert not await desk.take_back_answer("undo_1", snoozed, eva, at(31), [])  # it no longer counts: Ana has done it
    assert await desk.take_back_answer("undo_1", answer, ana, at(32), [], [bob, later])
    assert await statuses(shared_harness, ana.run_id) == ["awaiting_ack", "awaiting_ack", "snoozed"]
    found = await shared_harness.store.get_run(ana.run_id)
    assert found is not None
    assert (found.status, found.due_at) == (Status.PENDING, at(32))
