"""What faces keep: steps that can be undone, items that were seen, repeated requests, and the questions of screens."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import timedelta
from itertools import count
from typing import Any, cast

from duly.model.events import ATTENTION_SEEN, REMINDER_TAKEN_BACK, RUN_MISSED, Event
from duly.model.reminder import AttemptStatus, ReminderStatus, Response
from duly.model.run import Status
from duly.ports.audit import AuditFilter
from duly.ports.changes import Records
from duly.ports.records import Plan, StoredSchedule
from duly.ports.remembered import KeptAnswer, Remembered, SeenMark, UndoRecord
from duly.ports.store import FullStore
from duly.ports.upkeep import PrunePlace
from tests.conformance.stores.builders import START, Script, at, due_schedule, ended, new_run, schedule
from tests.conformance.stores.harness import StoreHarness, conformant
from tests.conformance.stores.test_reminders import attempt, of, said, waiting


def desk_of(harness: StoreHarness) -> Remembered:
    return cast(FullStore, harness.store).remembered


def step(name: str = "undo_1", **fields: Any) -> UndoRecord:
    values: dict[str, Any] = {
        "token": name,
        "owner": "local",
        "kind": "pause",
        "sentence": "plants paused",
        "data": "{}",
        "made_at": START,
        "expires_at": at(3600),
    }
    return UndoRecord(**{**values, **fields})


async def keep(harness: StoreHarness, undo: UndoRecord | None = None, **records: Any) -> None:
    """Write records beside a change of a schedule of their own."""
    await harness.store.save([schedule(f"s{next(_numbers)}")], _take, lambda _: Records(undo=undo, **records))


_numbers = count()


def _take(_before: StoredSchedule | None, row: StoredSchedule) -> StoredSchedule:
    return row


@conformant
async def test_a_step_comes_back_until_it_is_used_or_has_expired(full_harness: StoreHarness) -> None:
    desk = desk_of(full_harness)
    await keep(full_harness, step())
    await keep(full_harness, step("undo_2", made_at=at(1), sentence="Čaj \x00 paused"))
    await keep(full_harness, step("undo_3", owner="tok_1", made_at=at(2)))
    assert await desk.undo("undo_1") == step()
    assert await desk.undo("undo_9") is None
    latest = await desk.last_undo("local", at(10))
    assert latest is not None
    assert latest.made_at == at(1)
    await keep(full_harness, undone="undo_2", at=at(10))
    await keep(full_harness, undone="undo_2", at=at(11))
    used = await desk.undo("undo_2")
    assert used is not None
    assert used.used_at == at(10)
    earlier = await desk.last_undo("local", at(10))
    assert earlier is not None
    assert earlier == step()
    assert await desk.last_undo("local", at(3600)) is None


@conformant
async def test_of_the_steps_of_one_instant_the_last_one_kept_is_the_latest(full_harness: StoreHarness) -> None:
    desk = desk_of(full_harness)
    kept = ["undo_5", "undo_9", "undo_1", "undo_7", "undo_3"]
    for token in kept:
        await keep(full_harness, step(token))
    while kept:
        latest = await desk.last_undo("local", at(10))
        assert latest is not None
        assert latest.token == kept.pop()
        await keep(full_harness, undone=latest.token, at=at(10))
    assert await desk.last_undo("local", at(10)) is None


@conformant
async def test_only_a_skipped_fire_is_forgotten(full_harness: StoreHarness) -> None:
    await full_harness.add(row := schedule())
    skipped = replace(new_run(row, 5), status=Status.SKIPPED)
    await full_harness.put(skipped, other := new_run(row, 6))
    await keep(full_harness, unskipped=[other.id, skipped.id])
    assert await full_harness.store.get_run(skipped.id) is None
    assert await full_harness.store.get_run(other.id) is not None


@conformant
async def test_an_answer_is_taken_back_while_its_run_waits(full_harness: StoreHarness) -> None:
    before = await waiting(full_harness, wake_at=at(600), silent_since=at(1))
    until = at(3600)
    answer = said(before, Response.SNOOZE, snooze_until=until, snooze_minutes=59)
    assert await of(full_harness).answer(answer, ReminderStatus.SNOOZED, until)
    told = Event(REMINDER_TAKEN_BACK, at(40), before.schedule_id, before.run_id, data={"by": "local"})
    assert await desk_of(full_harness).take_back_answer("undo_1", answer, before, at(40), [told])
    after = await of(full_harness).get(before.run_id)
    assert after is not None
    assert replace(after, version=before.version, updated_at=before.updated_at) == before
    assert (await full_harness.seen(before.run_id)).due_at == at(40)  # at once: its message asks again
    assert await of(full_harness).answers(before.run_id) == []
    entries = await full_harness.store.audit.entries(AuditFilter(kinds=("reminder.taken_back",)))
    assert [entry.run_id for entry in entries] == [before.run_id]
    assert not await desk_of(full_harness).take_back_answer("undo_1", answer, before, at(41), [told])


@conformant
async def test_an_answer_is_taken_back_after_its_run_has_ended_well(full_harness: StoreHarness) -> None:
    before = await waiting(full_harness)
    await of(full_harness).add_attempt(attempt(before, status=AttemptStatus.DELIVERED, delivered_at=at(1)))
    answer = said(before)
    assert await of(full_harness).answer(answer, ReminderStatus.ACKED, None)
    full_harness.clock.advance(timedelta(seconds=35))
    [claimed] = await full_harness.claim()
    await full_harness.turn(ended(claimed, 35))
    runs = (await full_harness.saved(before.schedule_id)).total_runs
    assert await desk_of(full_harness).take_back_answer("undo_1", answer, before, at(60), [])
    run = await full_harness.seen(before.run_id)
    assert (run.status, run.finished_at, run.due_at) == (Status.PENDING, None, at(60))
    assert (await full_harness.saved(before.schedule_id)).total_runs == runs - 1
    [sent] = await of(full_harness).attempts(before.run_id)
    assert (sent.status, sent.acked_at) == (AttemptStatus.DELIVERED, None)
    [again] = await of(full_harness).open_for("ana")
    assert again.status is ReminderStatus.AWAITING_ACK


@conformant
async def test_an_answer_stays_when_another_came_after_it_or_its_step_is_under_way(full_harness: StoreHarness) -> None:
    desk = desk_of(full_harness)
    before = await waiting(full_harness)
    first = said(before, Response.SNOOZE, snooze_until=at(900))
    assert await of(full_harness).answer(first, ReminderStatus.SNOOZED, at(900))
    second = said(before, responded_at=at(50))
    assert await of(full_harness).answer(second, ReminderStatus.ACKED, None)
    assert not await desk.take_back_answer("undo_1", first, before, at(60), [])
    full_harness.clock.advance(timedelta(seconds=60))
    await full_harness.claim()
    assert not await desk.take_back_answer("undo_1", second, before, at(60), [])


@conformant
async def test_items_stay_seen_in_the_state_they_were_in(full_harness: StoreHarness) -> None:
    desk = desk_of(full_harness)
    mark = SeenMark(item="failed-1", mark="m1", by="local", at=START)
    await desk.mark_seen(mark, [Event(ATTENTION_SEEN, START, data={"by": "local", "item": "failed-1"})])
    await desk.mark_seen(replace(mark, by="tok_1", at=at(5)), [])
    await desk.mark_seen(replace(mark, mark="m2"), [])
    assert await desk.seen(["missed-1"]) == []
    found = await desk.seen(["failed-1", "missed-1"])
    assert {(each.mark, each.by) for each in found} == {("m1", "tok_1"), ("m2", "local")}
    assert len(await full_harness.store.audit.entries(AuditFilter(kinds=("attention.seen",)))) == 1


@conformant
async def test_reminders_that_wait_or_were_given_up_are_found(full_harness: StoreHarness) -> None:
    desk = desk_of(full_harness)
    first = await waiting(full_harness, seconds=1)
    second = await waiting(full_harness, seconds=2)
    assert [each.reminder.run_id for each in await desk.awaiting(10)] == [first.run_id, second.run_id]
    assert [each.name for each in await desk.awaiting(1)] == ["s1"]
    await of(full_harness).update(replace(second, status=ReminderStatus.UNACKED, updated_at=at(9)))
    assert [each.reminder.run_id for each in await desk.awaiting(10)] == [first.run_id]
    assert [each.reminder.run_id for each in await desk.unacked(at(9), 10)] == [second.run_id]
    assert await desk.unacked(at(10), 10) == []
    row = await full_harness.saved(second.schedule_id)
    await waiting(full_harness, row, 20)  # a later one of the same schedule takes its place
    assert await desk.unacked(START, 10) == []


@conformant
async def test_answers_channels_and_the_journal_of_late_are_found(full_harness: StoreHarness) -> None:
    desk = desk_of(full_harness)
    reminder = await waiting(full_harness)
    answer = said(reminder, channel="telegram")
    await of(full_harness).answer(answer, ReminderStatus.ACKED, None)
    assert await desk.answered("ana", START, 5) == [answer]
    assert await desk.answered("ana", at(31), 5) == []
    assert await desk.answered("ben", START, 5) == []
    await of(full_harness).add_attempt(attempt(reminder, status=AttemptStatus.DELIVERED, created_at=at(1)))
    failed = attempt(reminder, status=AttemptStatus.FAILED, error_message="401", created_at=at(2))
    await of(full_harness).add_attempt(failed)
    [count] = await desk.channel_counts(START)
    assert (count.channel, count.last_send_at, count.last_status) == ("telegram", at(2), "failed")
    assert (count.last_error, count.failures, count.waiting) == ("401", 1, 0)
    assert await desk.channel_counts(at(3)) == []
    assert await desk.failing_addresses("telegram", START) == [count]
    await of(full_harness).add_attempt(attempt(reminder, address="elsewhere", created_at=at(2)))
    assert await desk.failing_addresses("telegram", START) == [count], "another address takes messages"
    assert await desk.failing_addresses("webhook", START) == []
    missed = Event(RUN_MISSED, at(4), reminder.schedule_id, data={"name": "s0", "reason": "off", "count": 3})
    await full_harness.store.record([missed])
    assert [each.data["count"] for each in await desk.lately("run.missed", START, 5)] == [3]
    assert await desk.lately("run.missed", at(5), 5) == []


@conformant
async def test_a_key_is_used_once_until_it_is_too_old(full_harness: StoreHarness) -> None:
    desk = desk_of(full_harness)
    kept = KeptAnswer(owner="local", key="k", fingerprint="f", result=None, at=START)
    assert await desk.keep_answer(kept, at(-60)) is None
    assert await desk.keep_answer(replace(kept, fingerprint="g", at=at(1)), at(-60)) == kept
    await desk.complete_answer(replace(kept, result='{"id": 1}'))
    await desk.drop_answer("local", "k")  # only one that has no result is dropped
    assert await desk.keep_answer(kept, at(-60)) == replace(kept, result='{"id": 1}')
    assert await desk.keep_answer(replace(kept, owner="tok_1"), at(-60)) is None
    await desk.drop_answer("tok_1", "k")
    assert await desk.keep_answer(replace(kept, owner="tok_1"), at(-60)) is None
    assert await desk.keep_answer(replace(kept, at=at(99)), at(50)) is None


@conformant
async def test_what_is_old_is_pruned(full_harness: StoreHarness) -> None:
    desk = desk_of(full_harness)
    await keep(full_harness, step())
    await desk.mark_seen(SeenMark(item="i", mark="m", by="local", at=START), [])
    await desk.keep_answer(KeptAnswer(owner="local", key="k", fingerprint="f", result="1", at=START), at(-1))
    old = due_schedule("old")
    run = new_run(old, 0, Status.SUCCEEDED)
    await full_harness.store.save([old, replace(schedule("gone"), deleted_at=START)], lambda _before, row: row)
    await full_harness.store.plan([old.id], Script(Plan(runs=[run, new_run(old, 60)])))
    store = cast(FullStore, full_harness.store)
    counted = await store.prunable(at(7200))
    place: PrunePlace | None = PrunePlace()
    pruned = Counter[str]()
    while place is not None:
        batch = await store.prune(at(7200), 100, place)
        assert batch.rows == sum(batch.deleted.values())
        pruned.update(batch.deleted)
        place = batch.go_on_at
    assert pruned == counted == {"runs": 1, "schedules": 1, "undos": 1, "seen": 1, "answers": 1}
    assert await store.prunable(at(7200)) == {}
    assert await desk.undo("undo_1") is None
    assert await desk.seen(["i"]) == []
