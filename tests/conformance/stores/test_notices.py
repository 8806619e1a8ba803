"""Notices: the cursor of the journal, failures that are open, messages of several notices, and one taker at a time."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any, cast

from duly.model.events import RUN_FAILED, RUN_SKIPPED, Event
from duly.model.notice import NoticeKind, NoticeStatus
from duly.model.reminder import AttemptKind, AttemptStatus
from duly.ports.notices import Notice, NoticeOutcome, Notices
from duly.ports.records import NewRun
from duly.ports.reminders import DeliveryAttempt
from duly.ports.store import FullStore
from tests.conformance.stores.builders import START, at, new_run, schedule
from tests.conformance.stores.harness import StoreHarness, conformant
from tests.conformance.stores.test_corrections import HOURLY, MONTH, planned, turn

GATHER = timedelta(minutes=1)


def of(harness: StoreHarness) -> Notices:
    return cast(FullStore, harness.store).notices


async def with_run(harness: StoreHarness, name: str = "a", **fields: Any) -> NewRun:
    """Make a schedule, and a run of it."""
    await harness.add(row := schedule(name, **fields))
    await harness.put(run := new_run(row))
    return run


def notice(run: NewRun, kind: NoticeKind = NoticeKind.FAILURE, to: str = "ana", **fields: Any) -> Notice:
    values: dict[str, Any] = {
        "id": f"{run.id}/{kind}/{to}",
        "kind": kind,
        "schedule_id": run.schedule_id,
        "run_id": run.id,
        "recipient": to,
        "user_id": to,
        "is_open": kind is NoticeKind.FAILURE,
        "due_at": at(60),
        "created_at": START,
    }
    return Notice(**{**values, **fields})


TOLD = NoticeOutcome(NoticeStatus.SENT, told_at=at(61))


async def take(notices: Notices, seconds: float, node_id: str | None = None) -> list[Notice]:
    now = at(seconds)
    return await notices.take(now, now + timedelta(minutes=5), now + GATHER, node_id)


@conformant
async def test_the_journal_is_read_from_where_it_was_read_before(full_harness: StoreHarness) -> None:
    notices = of(full_harness)
    run = await with_run(full_harness)
    failed = Event(RUN_FAILED, START, run.schedule_id, run.id, data={"name": "a", "error": "e", "attempt": 1})
    await full_harness.store.record([failed])
    assert (await notices.news([RUN_FAILED.name], 10)).ends == []  # it was there before the first look
    skipped = Event(RUN_SKIPPED, START, run.schedule_id, run.id, data={"name": "a", "reason": "r", "count": 1})
    await full_harness.store.record([skipped, failed, failed])
    first = await notices.news([RUN_FAILED.name], 2)
    assert [(end.name, end.run_id, end.at) for end in first.ends] == [(RUN_FAILED.name, run.id, START)]
    assert first.more
    assert await notices.add([], first.upto) == 0
    second = await notices.news([RUN_FAILED.name], 2)
    assert [end.seq for end in second.ends] == [first.upto + 1]
    assert not second.more
    await notices.add([], second.upto)
    await notices.add([], first.upto)  # of a node that is slower
    assert (await notices.news([RUN_FAILED.name], 2)).ends == []


@conformant
async def test_the_same_thing_is_added_once_and_one_failure_is_open(full_harness: StoreHarness) -> None:
    notices = of(full_harness)
    run = await with_run(full_harness)
    await full_harness.put(later := replace(new_run(schedule("b")), schedule_id=run.schedule_id, fire_at=at(5)))
    assert await notices.add([notice(run), notice(run), notice(run, to="bob")], 1) == 2
    assert await notices.add([notice(later)], 1) == 0
    assert await notices.failing([run.schedule_id, "sched_other"]) == {run.schedule_id}
    gone = replace(notice(run, NoticeKind.ANSWER), id="x", run_id="run_gone")
    assert await notices.add([gone], 1) == 0
    assert [each.recipient for each in await notices.of_run(run.id)] == ["ana", "bob"]
    assert await notices.next_due() == at(60)


@conformant
async def test_notices_of_a_recipient_are_one_message_which_one_node_takes(full_harness: StoreHarness) -> None:
    notices = of(full_harness)
    first, second, third = [await with_run(full_harness, name) for name in "abc"]
    answer = notice(third, NoticeKind.ANSWER)
    late = notice(third, due_at=at(3600))
    await notices.add([notice(first), notice(second, due_at=at(100)), notice(second, to="bob"), answer, late], 1)
    assert await take(notices, 59) == []
    found = [await take(notices, 61) for _ in range(4)]
    assert sorted([each.recipient for each in message] for message in found) == [[], ["ana"], ["ana", "ana"], ["bob"]]
    assert [each.run_id for each in max(found, key=len)] == [first.id, second.id]
    assert await take(notices, 300) == []
    again = await take(notices, 362)  # the node that took it is gone
    assert again[0].version == 2


@conformant
async def test_what_a_lost_node_was_sending_is_due_at_once(full_harness: StoreHarness) -> None:
    notices = of(full_harness)
    await full_harness.join("node_a", "node_b")
    run = await with_run(full_harness)
    await notices.add([notice(run)], 0)
    [first] = await take(notices, 61, "node_a")
    assert await take(notices, 62, "node_b") == []
    await full_harness.silence("node_a")
    await full_harness.store.rescue(full_harness.now, lambda _run_id, _lost: False)
    [again] = await take(notices, 62, "node_b")
    assert (again.id, again.message) == (first.id, first.message)
    assert await take(notices, 62, "node_b") == []
    assert not await notices.end([first], TOLD, None)
    assert await notices.end([again], TOLD, None)
    await full_harness.silence("node_b")
    await full_harness.store.rescue(full_harness.now, lambda _run_id, _lost: False)
    assert await take(notices, 63) == [], "what has ended is not sent again"


@conformant
async def test_an_outcome_counts_for_the_node_that_has_it_and_is_written_with_the_attempt(
    full_harness: StoreHarness,
) -> None:
    notices = of(full_harness)
    reminders = cast(FullStore, full_harness.store).reminders
    run = await with_run(full_harness)
    await notices.add([notice(run)], 1)
    first = await take(notices, 60)
    second = await take(notices, 400)
    attempt = await reminders.add_attempt(
        DeliveryAttempt(
            run_id=run.id,
            job_id=run.schedule_id,
            run_number=0,
            attempt_number=0,
            user_id="ana",
            channel="chat",
            address="17",
            kind=AttemptKind.NOTICE,
            created_at=at(60),
        )
    )
    sent = replace(attempt, status=AttemptStatus.SENT, message_id="m1", sent_at=at(61))
    assert not await notices.end(first, TOLD, sent)
    assert [each.status for each in await reminders.attempts(run.id)] == [AttemptStatus.SENT]
    assert [each.status for each in await notices.of_run(run.id)] == [NoticeStatus.PENDING]
    assert await notices.end(second, TOLD, sent)
    [told] = await notices.of_run(run.id)
    assert (told.status, told.due_at, told.told_at, told.is_open) == (NoticeStatus.SENT, None, at(61), True)
    assert await notices.last_told(run.schedule_id, "ana") == at(61)
    assert await notices.next_due() is None


@conformant
async def test_a_failure_is_closed_when_its_schedule_works_again(full_harness: StoreHarness) -> None:
    notices = of(full_harness)
    fails = await with_run(full_harness, "a", failing_since=START)
    works = await with_run(full_harness, "b")
    await notices.add([notice(fails), notice(works)], 1)
    assert await notices.recovered(10) == []  # they are not told yet
    await notices.end(await take(notices, 60), TOLD, None)
    [recovered] = await notices.recovered(10)
    assert recovered.run_id == works.id
    await notices.close(recovered, recovery := notice(works, NoticeKind.RECOVERY))
    await notices.close(recovered, replace(recovery, id="twice"))
    assert await notices.recovered(10) == []
    assert [(each.kind, each.is_open) for each in await notices.of_run(works.id)] == [
        (NoticeKind.FAILURE, False),
        (NoticeKind.RECOVERY, False),
    ]


@conformant
async def test_a_message_may_fall_apart_and_close_what_it_told(full_harness: StoreHarness) -> None:
    notices = of(full_harness)
    first, second = [await with_run(full_harness, name) for name in "ab"]
    await notices.add([notice(first)], 1)
    waits = NoticeOutcome(NoticeStatus.PENDING, due_at=at(500), apart=True)
    await notices.end(await take(notices, 60), waits, None)
    await notices.add([notice(second, due_at=at(510))], 1)
    both = await take(notices, 501)
    assert [each.run_id for each in both] == [first.id, second.id]
    await notices.end(both, replace_outcome(TOLD, closed=(first.schedule_id,), digest="d"), None)
    assert [each.is_open for run in (first, second) for each in await notices.of_run(run.id)] == [False, True]


@conformant
async def test_the_last_answer_that_was_told_is_known_by_its_digest(full_harness: StoreHarness) -> None:
    notices = of(full_harness)
    run = await with_run(full_harness)
    assert await notices.last_digest(run.schedule_id, "ana") is None
    for seconds, status, digest in ((60, "sent", "one"), (70, "failed", "two"), (80, "silent", "one")):
        given = notice(run, NoticeKind.ANSWER, id=f"n{seconds}", due_at=at(seconds), created_at=at(seconds))
        await notices.add([given], 1)
        taken = await take(notices, seconds)
        await notices.end(taken, NoticeOutcome(NoticeStatus(status), digest=digest), None)
        assert await notices.last_digest(run.schedule_id, "ana") == "one"
    assert await notices.last_digest(run.schedule_id, "bob") is None


@conformant
async def test_after_a_clock_that_was_ahead_what_waits_for_it_is_due(full_harness: StoreHarness) -> None:
    notices = of(full_harness)
    run = await with_run(full_harness)
    await full_harness.join("node_a")
    await full_harness.add(planned("hourly", HOURLY))
    await turn(full_harness, START + MONTH)
    await notices.add([notice(run, due_at=START + MONTH)], 1)
    assert await notices.has_open()
    step = await full_harness.store.begin_correction(at(100))
    assert step is not None
    await full_harness.store.hasten(step, lambda due, *_more: due)
    assert await notices.next_due() == at(100)


def replace_outcome(outcome: NoticeOutcome, **fields: Any) -> NoticeOutcome:
    return outcome._replace(**fields)
