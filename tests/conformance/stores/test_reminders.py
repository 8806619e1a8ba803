"""Reminders, their delivery attempts, answers and the inbox."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any, cast

import pytest

from duly.errors import NotFoundError
from duly.model.reminder import AttemptKind, AttemptStatus, ReminderStatus, Response
from duly.model.run import Status
from duly.ports.records import NewRun, StoredSchedule
from duly.ports.reminders import Answer, DeliveryAttempt, InboxItem, Reminder, Reminders
from duly.ports.store import FullStore
from tests.conformance.stores.builders import START, at, due_schedule, ended, new_run, schedule
from tests.conformance.stores.harness import StoreHarness, conformant


def of(harness: StoreHarness) -> Reminders:
    return cast(FullStore, harness.store).reminders


def fresh(run: NewRun, **fields: Any) -> Reminder:
    values: dict[str, Any] = {
        "run_id": run.id,
        "schedule_id": run.schedule_id,
        "user_id": "ana",
        "run_number": 0,
        "token": f"t-{run.id}",
        "status": ReminderStatus.SENDING,
        "created_at": START,
        "updated_at": START,
    }
    return Reminder(**{**values, **fields})


def attempt(of: Reminder, **fields: Any) -> DeliveryAttempt:
    values: dict[str, Any] = {
        "run_id": of.run_id,
        "job_id": of.schedule_id,
        "run_number": of.run_number,
        "attempt_number": 0,
        "user_id": of.user_id,
        "channel": "telegram",
        "address": "17",
        "created_at": START,
    }
    return DeliveryAttempt(**{**values, **fields})


def said(to: Reminder, response: Response = Response.ACK, **fields: Any) -> Answer:
    values: dict[str, Any] = {
        "run_id": to.run_id,
        "job_id": to.schedule_id,
        "user_id": to.user_id,
        "run_number": to.run_number,
        "response": response,
        "responded_at": at(30),
    }
    return Answer(**{**values, **fields})


async def begun(
    harness: StoreHarness, row: StoredSchedule | None = None, seconds: float = 0, **fields: Any
) -> Reminder:
    """A reminder of a run, of a new schedule unless one is named."""
    if row is None:
        await harness.add(row := schedule(f"s{seconds}"))
    await harness.put(run := new_run(row, seconds))
    return await of(harness).begin(fresh(run, **fields))


async def waiting(
    harness: StoreHarness, row: StoredSchedule | None = None, seconds: float = 0, **fields: Any
) -> Reminder:
    """One that has arrived and waits for an answer."""
    reminder = await begun(harness, row, seconds)
    values = {"status": ReminderStatus.AWAITING_ACK, "last_sent_at": at(seconds), **fields}
    written = await of(harness).update(replace(reminder, **values))
    assert written is not None
    return written


@conformant
async def test_runs_of_a_schedule_are_numbered(shared_harness: StoreHarness) -> None:
    await shared_harness.add(row := schedule(), other := schedule("b"))
    first = await begun(shared_harness, row, 0)
    second = await begun(shared_harness, row, 1)
    assert [first.run_number, second.run_number, (await begun(shared_harness, other, 2)).run_number] == [1, 2, 1]
    again = await of(shared_harness).begin(replace(first, nags=7, status=ReminderStatus.FAILED))
    assert again == first == await of(shared_harness).get(first.run_id)
    assert await of(shared_harness).by_token(first.token) == first
    assert await of(shared_harness).by_token("nobody") is None
    assert await of(shared_harness).of_schedule(row.id, 10) == [second, first]
    assert await of(shared_harness).of_schedule(row.id, 1) == [second]


@conformant
async def test_a_reminder_belongs_to_a_run(shared_harness: StoreHarness) -> None:
    await shared_harness.add(row := schedule())
    with pytest.raises(NotFoundError, match="no run"):
        await of(shared_harness).begin(fresh(new_run(row)))


@conformant
async def test_an_update_writes_every_field_and_counts(shared_harness: StoreHarness) -> None:
    reminder = await begun(shared_harness)
    wanted = replace(
        reminder,
        status=ReminderStatus.AWAITING_ACK,
        rounds=2,
        nags=1,
        escalated=True,
        channel="telegram",
        last_sent_at=at(1),
        wake_at=at(2.000001),
        silent_since=at(1),
        silence_told=True,
        failing_since=at(2),
        updated_at=at(3),
    )
    written = await of(shared_harness).update(wanted)
    assert written == replace(wanted, version=1) == await of(shared_harness).get(reminder.run_id)


@conformant
async def test_an_update_of_an_old_version_is_refused(shared_harness: StoreHarness) -> None:
    reminder = await waiting(shared_harness)
    assert await of(shared_harness).answer(said(reminder), ReminderStatus.ACKED, None)
    assert await of(shared_harness).update(replace(reminder, nags=1)) is None
    found = await of(shared_harness).get(reminder.run_id)
    assert found is not None
    assert (found.status, found.nags) == (ReminderStatus.ACKED, 0)


@conformant
async def test_the_next_one_ends_those_whose_runs_are_over(shared_harness: StoreHarness) -> None:
    await shared_harness.add(row := schedule())
    arrived, never = await waiting(shared_harness, row, -3), await begun(shared_harness, row, -2)
    open_still = await waiting(shared_harness, row, -1)
    for run in await shared_harness.claim():
        if run.run_id != open_still.run_id:
            await shared_harness.turn(ended(run))
    last = await begun(shared_harness, row, 60)
    statuses = [each.status for each in await of(shared_harness).of_schedule(row.id, 10)]
    assert statuses == ["sending", "awaiting_ack", "missed", "unacked"]
    assert [each.run_id for each in await of(shared_harness).open_for("ana")] == [open_still.run_id]
    assert (arrived.run_number, never.run_number, last.run_number) == (1, 2, 4)


DEBT: dict[str, Any] = {"silent_since": at(-50), "silence_told": True, "failing_since": at(-40), "escalated": True}


def owed_by(reminder: Reminder) -> dict[str, Any]:
    return {name: getattr(reminder, name) for name in DEBT}


@conformant
async def test_the_next_one_owes_what_the_one_it_replaces_owed(shared_harness: StoreHarness) -> None:
    await shared_harness.add(row := schedule())
    replaced = await waiting(shared_harness, row, -2, **DEBT)
    [run] = await shared_harness.claim()
    await shared_harness.turn(ended(run))
    following = await begun(shared_harness, row, -1)
    assert owed_by(following) == DEBT
    assert await of(shared_harness).begin(replace(following, escalated=False)) == following  # the same run again
    assert (await begun(shared_harness, row, 60)).escalated is False  # its run goes on: it pays for itself
    assert (await of(shared_harness).get(replaced.run_id) or replaced).status == "unacked"


@pytest.mark.parametrize("status", [ReminderStatus.SNOOZED, ReminderStatus.ACKED, ReminderStatus.FAILED])
@conformant
async def test_who_answered_or_came_to_his_own_end_leaves_no_debt(
    shared_harness: StoreHarness, status: ReminderStatus
) -> None:
    await shared_harness.add(row := schedule())
    await waiting(shared_harness, row, -2, **{**DEBT, "status": status})
    [run] = await shared_harness.claim()
    await shared_harness.turn(ended(run))
    following = await begun(shared_harness, row, -1)
    assert not any(owed_by(following).values())


@conformant
async def test_an_answer_settles_what_was_owed(shared_harness: StoreHarness) -> None:
    mine = await waiting(shared_harness, None, 1, **{**DEBT, "failing_since": at(1)})  # told by itself, not by others
    assert await of(shared_harness).answer(said(mine, Response.SNOOZE), ReminderStatus.SNOOZED, at(99))
    found = await of(shared_harness).get(mine.run_id)
    assert found is not None
    assert list(owed_by(found).values()) == [None, False, None, True]
    others = await waiting(shared_harness, None, 2, **DEBT)
    assert await of(shared_harness).answer(said(others, Response.SNOOZE), ReminderStatus.SNOOZED, at(99))
    found = await of(shared_harness).get(others.run_id)
    assert found is not None
    assert not any(owed_by(found).values())


async def lose_all(shared_harness: StoreHarness) -> list[str]:
    """Every run that is due is begun by a node that dies of it, and given up; gives their ids."""
    await shared_harness.join("node_lost")
    claimed = await shared_harness.claim("node_lost")
    await shared_harness.silence("node_lost")
    await shared_harness.store.rescue(at(5), lambda _policy, _lost: True)
    return [run.run_id for run in claimed]


@conformant
async def test_a_reminder_whose_run_is_over_is_found(shared_harness: StoreHarness) -> None:
    await shared_harness.add(row := schedule("a", namespace="user:ana"), other := schedule("b"))
    left = await waiting(shared_harness, row, -3)
    assert await of(shared_harness).left_behind(10) == []
    assert await lose_all(shared_harness) == [left.run_id]
    [found] = await of(shared_harness).left_behind(10)
    assert (found.reminder, found.namespace, found.name, found.action) == (left, row.namespace, "a", row.action)
    assert "fell silent" in str(found.reason)
    assert await of(shared_harness).left_behind(0) == []
    goes_on = await waiting(shared_harness, other, -2)
    [run] = await shared_harness.claim()
    await shared_harness.turn(ended(run, status=Status.FAILED))
    assert {each.reminder.run_id for each in await of(shared_harness).left_behind(10)} == {left.run_id, goes_on.run_id}
    for each in await of(shared_harness).left_behind(10):
        assert await of(shared_harness).update(replace(each.reminder, status=ReminderStatus.FAILED)) is not None
    assert await of(shared_harness).left_behind(10) == []


@conformant
async def test_what_the_next_fire_replaces_is_not_left_behind(shared_harness: StoreHarness) -> None:
    await shared_harness.add(row := schedule())
    replaced = await waiting(shared_harness, row, -3)
    [run] = await shared_harness.claim()
    await shared_harness.turn(ended(run, status=Status.FAILED, reason="superseded by the next fire"))
    assert await of(shared_harness).left_behind(10) == []
    await begun(shared_harness, row, -1)
    assert (await of(shared_harness).get(replaced.run_id) or replaced).status == "unacked"


@conformant
async def test_what_failed_with_its_run_can_still_be_answered_for_good(shared_harness: StoreHarness) -> None:
    dead, over = await waiting(shared_harness, None, -3), await waiting(shared_harness, None, 30)
    await of(shared_harness).add_attempt(attempt(dead, status=AttemptStatus.SENT, sent_at=at(-3)))
    await lose_all(shared_harness)
    for each in (dead, over):
        await of(shared_harness).update(replace(each, status=ReminderStatus.FAILED))
    assert not await of(shared_harness).answer(said(dead, Response.SNOOZE), ReminderStatus.SNOOZED, at(99))
    assert not await of(shared_harness).answer(said(over), ReminderStatus.ACKED, None)  # its run was not given up
    assert await of(shared_harness).answer(said(dead), ReminderStatus.ACKED, None)
    assert not await of(shared_harness).answer(said(dead), ReminderStatus.ACKED, None)
    found = await of(shared_harness).get(dead.run_id)
    assert found is not None
    assert found.status is ReminderStatus.ACKED
    assert [each.status for each in await of(shared_harness).attempts(dead.run_id)] == [AttemptStatus.ACKED]
    assert len(await of(shared_harness).answers(dead.run_id)) == 1


@conformant
async def test_what_became_of_a_send_and_of_the_reminder_is_one_thing(shared_harness: StoreHarness) -> None:
    reminder = await begun(shared_harness)
    sent = replace(await of(shared_harness).add_attempt(attempt(reminder)), status=AttemptStatus.SENT, sent_at=at(1))
    arrived = replace(reminder, status=ReminderStatus.AWAITING_ACK, last_sent_at=at(1))
    written = await of(shared_harness).end_attempt(sent, arrived)
    assert written == replace(arrived, version=1) == await of(shared_harness).get(reminder.run_id)
    assert await of(shared_harness).attempts(reminder.run_id) == [sent]
    second = replace(await of(shared_harness).add_attempt(attempt(reminder)), status=AttemptStatus.SENT, sent_at=at(2))
    assert await of(shared_harness).end_attempt(second, replace(arrived, nags=3)) is None  # read before the first was
    assert await of(shared_harness).attempts(reminder.run_id) == [sent, second]
    assert await of(shared_harness).get(reminder.run_id) == written
    assert await of(shared_harness).end_attempt(second) is None


@conformant
async def test_who_waits_is_listed_the_latest_first(shared_harness: StoreHarness) -> None:
    early = await waiting(shared_harness, None, 1)
    asleep = await waiting(shared_harness, None, 3, status=ReminderStatus.SNOOZED)
    again = await waiting(shared_harness, None, 2, status=ReminderStatus.SENDING)
    await waiting(shared_harness, None, 4, status=ReminderStatus.DELIVERED)
    await begun(shared_harness, None, 5)
    foreign = await begun(shared_harness, None, 6, user_id="ben")
    await of(shared_harness).update(replace(foreign, status=ReminderStatus.AWAITING_ACK, last_sent_at=at(6)))
    assert await of(shared_harness).open_for("ana") == [asleep, again, early]
    latest = await of(shared_harness).latest_for("ana")
    assert latest is not None
    assert (latest.status, latest.last_sent_at) == (ReminderStatus.DELIVERED, at(4))
    assert await of(shared_harness).latest_for("cleo") is None
    await shared_harness.store.cancel(early.run_id, at(9), "enough")
    assert await of(shared_harness).open_for("ana") == [asleep, again]


@conformant
async def test_errors_in_a_row_are_those_since_one_arrived(shared_harness: StoreHarness) -> None:
    await shared_harness.add(row := schedule())
    counted = []
    for number, status in enumerate(("failed", "failed", "missed", "failed", "acked", "failed", "sending")):
        reminder = await begun(shared_harness, row, number)
        await of(shared_harness).update(replace(reminder, status=ReminderStatus(status)))
        counted.append((await of(shared_harness).latest_of([row.id]))[row.id].errors)
    assert counted == [1, 2, 2, 3, 0, 1, 1]
    reminder = await begun(shared_harness, row, 60)
    await of(shared_harness).update(replace(reminder, status=ReminderStatus.MISSED, rounds=2))
    latest = (await of(shared_harness).latest_of([row.id, "sch_other"]))[row.id]
    assert latest.errors == 2  # it had tried: the next one only came sooner
    assert latest.reminder.run_id == reminder.run_id


@conformant
async def test_attempts_are_numbered_and_end_once(shared_harness: StoreHarness) -> None:
    reminder = await begun(shared_harness)
    first = await of(shared_harness).add_attempt(attempt(reminder))
    second = await of(shared_harness).add_attempt(attempt(reminder, channel="email", kind=AttemptKind.ACK_PROMPT))
    assert [(each.attempt_number, each.status) for each in (first, second)] == [(1, "pending"), (2, "pending")]
    failed = replace(first, status=AttemptStatus.FAILED, error_message="bl\0cked", permanent=True, retry_at=at(5))
    sent = replace(second, status=AttemptStatus.SENT, message_id="m1", sent_at=at(1), delivered_at=at(2))
    await of(shared_harness).end_attempt(failed)
    await of(shared_harness).end_attempt(sent)
    one, two = await of(shared_harness).attempts(reminder.run_id)
    assert (one.status, one.permanent, one.retry_at) == ("failed", True, at(5))
    assert str(one.error_message).startswith("bl")
    assert two == sent == await of(shared_harness).by_message("email", "m1")
    assert await of(shared_harness).by_message("telegram", "m1") is None
    assert await of(shared_harness).attempts("run_x") == []


@conformant
async def test_an_answer_is_recorded_and_makes_the_run_due(shared_harness: StoreHarness) -> None:
    await shared_harness.add(row := schedule())
    reminder = await waiting(shared_harness, row, 600)
    sent = await of(shared_harness).add_attempt(attempt(reminder))
    prompt = await of(shared_harness).add_attempt(attempt(reminder, kind=AttemptKind.ACK_PROMPT))
    for each in (sent, prompt):
        await of(shared_harness).end_attempt(replace(each, status=AttemptStatus.SENT, sent_at=at(600)))
    answer = said(reminder, channel="telegram", message_id="7", response_text="yes", responded_at=at(30))
    assert await of(shared_harness).answer(answer, ReminderStatus.ACKED, None)
    found = await of(shared_harness).get(reminder.run_id)
    assert found is not None
    assert (found.status, found.version) == (ReminderStatus.ACKED, reminder.version + 1)
    assert await of(shared_harness).answers(reminder.run_id) == [answer]
    assert [each.status for each in await of(shared_harness).attempts(reminder.run_id)] == ["sent", "acked"]
    assert (await shared_harness.seen(reminder.run_id)).due_at == at(30)
    assert await of(shared_harness).seen("telegram", "7")


@conformant
async def test_an_acknowledgement_is_not_lost_to_the_end_of_its_send(shared_harness: StoreHarness) -> None:
    reminder = await waiting(shared_harness)
    sent = await of(shared_harness).add_attempt(attempt(reminder))
    await of(shared_harness).end_attempt(replace(sent, status=AttemptStatus.SENT))
    await of(shared_harness).answer(said(reminder), ReminderStatus.ACKED, None)
    await of(shared_harness).end_attempt(replace(sent, status=AttemptStatus.DELIVERED, message_id="m"))
    [found] = await of(shared_harness).attempts(reminder.run_id)
    assert (found.status, found.acked_at, found.message_id) == ("acked", at(30), "m")


@conformant
async def test_what_is_over_takes_no_answer(shared_harness: StoreHarness) -> None:
    reminder = await waiting(shared_harness)
    assert await of(shared_harness).answer(said(reminder), ReminderStatus.ACKED, None)
    assert not await of(shared_harness).answer(said(reminder), ReminderStatus.ACKED, None)
    assert not await of(shared_harness).answer(said(reminder, Response.SNOOZE), ReminderStatus.SNOOZED, at(60))
    called_off = await waiting(shared_harness, None, 1)
    await shared_harness.store.cancel(called_off.run_id, at(9), "enough")
    assert not await of(shared_harness).answer(said(called_off), ReminderStatus.ACKED, None)
    assert len(await of(shared_harness).answers(reminder.run_id)) == 1
    assert await of(shared_harness).answers(called_off.run_id) == []


@conformant
async def test_a_message_answers_once(shared_harness: StoreHarness) -> None:
    one, two = await waiting(shared_harness, None, 1), await waiting(shared_harness, None, 2)
    same: dict[str, Any] = {"channel": "telegram", "message_id": "7"}
    assert await of(shared_harness).answer(said(two, **same), ReminderStatus.ACKED, None)
    assert not await of(shared_harness).answer(said(one, **same), ReminderStatus.ACKED, None)
    found = await of(shared_harness).get(one.run_id)
    assert found is not None
    assert found.status is ReminderStatus.AWAITING_ACK
    assert await of(shared_harness).answer(said(one, channel="slack", message_id="7"), ReminderStatus.ACKED, None)


@conformant
async def test_of_two_answers_at_once_one_counts(shared_harness: StoreHarness) -> None:
    reminder = await waiting(shared_harness)
    answers = [said(reminder, channel="telegram", message_id=str(number)) for number in range(6)]
    counted = await asyncio.gather(*(of(shared_harness).answer(each, ReminderStatus.ACKED, None) for each in answers))
    assert sum(counted) == 1
    assert len(await of(shared_harness).answers(reminder.run_id)) == 1


@conformant
async def test_a_snooze_may_be_answered_again(shared_harness: StoreHarness) -> None:
    reminder = await waiting(shared_harness)
    snooze = said(reminder, Response.SNOOZE, snooze_minutes=5, snooze_until=at(330))
    assert await of(shared_harness).answer(snooze, ReminderStatus.SNOOZED, at(330))
    found = await of(shared_harness).get(reminder.run_id)
    assert found is not None
    assert (found.status, found.wake_at) == (ReminderStatus.SNOOZED, at(330))
    assert await of(shared_harness).answer(said(reminder), ReminderStatus.ACKED, None)
    assert [each.response for each in await of(shared_harness).answers(reminder.run_id)] == ["snooze", "ack"]


@conformant
async def test_what_had_not_arrived_after_all_is_sent_again_at_once_unless_it_was_answered(
    shared_harness: StoreHarness,
) -> None:
    reminder = await waiting(shared_harness, None, 600, rounds=2, nags=1, wake_at=at(900))
    assert await of(shared_harness).send_again(reminder.run_id, reminder.user_id, at(700))
    found = await of(shared_harness).get(reminder.run_id)
    changed: dict[str, Any] = {
        "status": ReminderStatus.SENDING,
        "rounds": 0,
        "wake_at": None,
        "version": reminder.version + 1,
    }
    assert found == replace(reminder, **changed, updated_at=at(700))
    assert (await shared_harness.seen(reminder.run_id)).due_at == at(700)
    assert not await of(shared_harness).send_again(reminder.run_id, reminder.user_id, at(701))
    assert await of(shared_harness).answer(said(reminder), ReminderStatus.ACKED, None)
    assert not await of(shared_harness).send_again(reminder.run_id, reminder.user_id, at(702))
    assert await of(shared_harness).get(reminder.run_id) != found
    assert not await of(shared_harness).send_again("run_nobody", "ana", at(702))


@conformant
async def test_an_answer_during_a_step_is_heard_right_after_it(shared_harness: StoreHarness) -> None:
    await shared_harness.add(row := schedule())
    reminder = await waiting(shared_harness, row)
    [run] = await shared_harness.claim()
    assert await of(shared_harness).answer(said(reminder, responded_at=START), ReminderStatus.ACKED, None)
    await shared_harness.turn(ended(run, 0, Status.PENDING, retry_at=at(600), goes_on=True))
    seen = await shared_harness.seen(reminder.run_id)
    assert (seen.status, seen.attempt) == (Status.PENDING, 1)
    assert at(0) < seen.due_at <= at(1)
    [again] = (await shared_harness.turn(now=at(1), claim_limit=1)).claimed
    await shared_harness.turn(ended(again, 2, Status.PENDING, retry_at=at(600), goes_on=True))
    assert (await shared_harness.seen(reminder.run_id)).due_at == at(600)


@conformant
async def test_the_inbox_keeps_a_message_once(shared_harness: StoreHarness) -> None:
    item = InboxItem(user_id="ana", run_id="run_1", key="k1", text="take it", created_at=START)
    put = await of(shared_harness).put(item)
    assert put == replace(item, id=put.id, length=len(item.text))
    assert await of(shared_harness).put(replace(item, text="again")) == put
    second = await of(shared_harness).put(replace(item, key="k2", created_at=at(1)))
    await of(shared_harness).put(replace(item, key="k3", user_id="ben"))
    assert put.id is not None
    assert await of(shared_harness).inbox("ana", unread=False, limit=10) == [second, put]
    assert await of(shared_harness).inbox("ana", unread=False, limit=1) == [second]
    assert await of(shared_harness).mark_read("ben", [put.id], at(5)) == 0
    assert await of(shared_harness).mark_read("ana", [put.id], at(5)) == 1
    assert await of(shared_harness).mark_read("ana", [put.id], at(6)) == 0
    assert await of(shared_harness).inbox("ana", unread=True, limit=10) == [second]
    assert (await of(shared_harness).inbox("ana", unread=False, limit=10))[1].read_at == at(5)


@conformant
async def test_what_came_in_is_new_once(shared_harness: StoreHarness) -> None:
    assert not await of(shared_harness).seen("telegram", "1")
    assert await of(shared_harness).first_sight("telegram", "1", START)
    assert not await of(shared_harness).first_sight("telegram", "1", at(1))
    assert await of(shared_harness).first_sight("slack", "1", START)
    assert await of(shared_harness).seen("telegram", "1")


@conformant
async def test_places_are_remembered(shared_harness: StoreHarness) -> None:
    assert await of(shared_harness).cursor("telegram") is None
    for value in ("1", "2"):
        await of(shared_harness).set_cursor("telegram", value)
    assert await of(shared_harness).cursor("telegram") == "2"


@conformant
async def test_overdue_messages_are_found(shared_harness: StoreHarness) -> None:
    late, later = due_schedule("a", 20, handler="message"), due_schedule("b", 10, handler="message")
    await shared_harness.add(late, later, due_schedule("c", 90, handler="message"), due_schedule("d", 5))
    assert await of(shared_harness).overdue(at(60), 10) == [later.id, late.id]
    assert await of(shared_harness).overdue(at(60), 1) == [later.id]


@conformant
async def test_pruning_a_run_deletes_its_reminder(shared_harness: StoreHarness) -> None:
    reminder = await waiting(shared_harness)
    await of(shared_harness).add_attempt(attempt(reminder))
    await of(shared_harness).answer(said(reminder, responded_at=START), ReminderStatus.ACKED, None)
    item = InboxItem(user_id="ana", key="k", text="take it", created_at=START, read_at=at(1))
    await of(shared_harness).put(item)
    await of(shared_harness).first_sight("telegram", "1", START)
    [run] = await shared_harness.claim()
    await shared_harness.turn(ended(run, 31))
    assert (await shared_harness.store.prune(at(3600), 100)).runs == 1
    assert await of(shared_harness).get(reminder.run_id) is None
    assert await of(shared_harness).attempts(reminder.run_id) == []
    assert await of(shared_harness).inbox("ana", unread=False, limit=10) == []
    assert await of(shared_harness).seen("telegram", "1")  # a week longer: old requests are known again
    await shared_harness.store.prune(at(3600 + 8 * 86_400), 100)
    assert not await of(shared_harness).seen("telegram", "1")
