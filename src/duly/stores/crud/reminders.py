"""Reminders, the attempts to deliver them, the answers of people, and the inbox."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import datetime

from duly import failpoints
from duly.errors import NotFoundError
from duly.model.events import Event
from duly.model.reminder import ReminderStatus, Response
from duly.planning.delivery import TAKEN_LATE
from duly.ports.remembered import UndoRecord
from duly.ports.reminders import Answer, DeliveryAttempt, InboxItem, Kept, LatestReminder, LeftBehind, Reminder
from duly.stores.crud.database import Database, Transaction


class StoredReminders:
    """Implements `duly.ports.reminders.Reminders`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def begin(self, reminder: Reminder) -> Reminder:
        [begun] = await self.begin_shared([reminder])
        return begun

    async def begin_shared(self, reminders: Sequence[Reminder]) -> list[Reminder]:
        return await self._database.write(lambda tx: _begin(tx, reminders))

    async def get(self, run_id: str, user_id: str | None = None) -> Reminder | None:
        if user_id is None:
            return next(iter(await self.of_run(run_id)), None)
        values = {"run_id": run_id, "user_id": user_id}
        return await self._database.read(lambda tx: tx.record(Reminder, "get_reminder", **values))

    async def of_run(self, run_id: str) -> list[Reminder]:
        return await self._database.read(lambda tx: tx.records(Reminder, "reminders_of_run", run_id=run_id))

    async def by_token(self, token: str) -> Reminder | None:
        return await self._database.read(lambda tx: tx.record(Reminder, "reminder_by_token", token=token))

    async def update(self, reminder: Reminder) -> Reminder | None:
        return await self._database.write(lambda tx: _update(tx, reminder))

    async def of_schedule(self, schedule_id: str, limit: int) -> list[Reminder]:
        values = {"schedule_id": schedule_id, "limit": limit}
        return await self._database.read(lambda tx: tx.records(Reminder, "reminders_of_schedule", **values))

    async def trigger_of(self, schedule_id: str) -> str | None:
        found = await self._database.read(lambda tx: tx.value("trigger_of_schedule", schedule_id=schedule_id))
        return None if found is None else str(found)

    async def latest_of(self, schedule_ids: Collection[str]) -> dict[str, LatestReminder]:
        return await self._database.read(lambda tx: _latest_of(tx, schedule_ids))

    async def open_for(self, user_id: str) -> list[Reminder]:
        return await self._database.read(lambda tx: tx.records(Reminder, "open_reminders", user_id=user_id))

    async def late_for(self, user_id: str, since: datetime) -> list[Reminder]:
        values = {"user_id": user_id, "since": since}
        return await self._database.read(lambda tx: tx.records(Reminder, "late_reminders", **values))

    async def latest_for(self, user_id: str) -> Reminder | None:
        return await self._database.read(lambda tx: tx.record(Reminder, "latest_reminder", user_id=user_id))

    async def add_attempt(self, attempt: DeliveryAttempt) -> DeliveryAttempt:
        return await self._database.write(lambda tx: _add_attempt(tx, attempt))

    async def end_attempt(self, attempt: DeliveryAttempt, reminder: Reminder | None = None) -> Reminder | None:
        return await self._database.write(lambda tx: _end_attempt(tx, attempt, reminder))

    async def attempts(self, run_id: str) -> list[DeliveryAttempt]:
        return await self._database.read(lambda tx: tx.records(DeliveryAttempt, "attempts_of", run_id=run_id))

    async def by_message(self, channel: str, message_id: str) -> DeliveryAttempt | None:
        values = {"channel": channel, "message_id": message_id}
        return await self._database.read(lambda tx: tx.record(DeliveryAttempt, "attempt_by_message", **values))

    async def answer(
        self,
        answer: Answer,
        status: ReminderStatus,
        wake_at: datetime | None,
        events: Sequence[Event] = (),
        step: UndoRecord | None = None,
        *,
        for_all: bool = False,
    ) -> bool:
        return await self._database.write(
            lambda tx: _answer(tx, answer, status, wake_at, events, step, for_all=for_all)
        )

    async def send_again(self, run_id: str, user_id: str, now: datetime) -> bool:
        return await self._database.write(lambda tx: _send_again(tx, run_id, user_id, now))

    async def left_behind(self, limit: int) -> list[LeftBehind]:
        return await self._database.read(lambda tx: _left_behind(tx, limit))

    async def answers(self, run_id: str) -> list[Answer]:
        return await self._database.read(lambda tx: tx.records(Answer, "answers_of", run_id=run_id))

    async def put(self, item: InboxItem) -> InboxItem:
        return await self._database.write(lambda tx: _put(tx, item))

    async def keep(self, item: InboxItem, attempt: DeliveryAttempt, reminder: Reminder | None = None) -> Kept | None:
        return await self._database.write(lambda tx: _keep(tx, item, attempt, reminder))

    async def inbox(
        self, user_id: str, unread: bool, limit: int, *, before: int | None = None, longest: int | None = None
    ) -> list[InboxItem]:
        values = {"user_id": user_id, "everything": not unread, "limit": limit, "before": before, "longest": longest}
        return await self._database.read(lambda tx: tx.records(InboxItem, "list_inbox", **values))

    async def mark_read(self, user_id: str, ids: list[int], now: datetime) -> int:
        return len(
            await self._database.write(
                lambda tx: tx.rows("mark_read", user_id=user_id, ids=tx.numbers(ids), now=now),
            )
        )

    async def first_sight(self, channel: str, message_id: str, now: datetime) -> bool:
        values = {"channel": channel, "message_id": message_id, "now": now}
        return await self._database.write(lambda tx: tx.value("first_sight", **values)) is not None

    async def seen(self, channel: str, message_id: str) -> bool:
        values = {"channel": channel, "message_id": message_id}
        return await self._database.read(lambda tx: tx.value("seen", **values)) is not None

    async def overdue(self, now: datetime, limit: int) -> list[str]:
        rows = await self._database.read(lambda tx: tx.rows("overdue_messages", now=now, limit=limit))
        return [row[0] for row in rows]

    async def cursor(self, name: str) -> str | None:
        found = await self._database.read(lambda tx: tx.value("get_cursor", name=name))
        return None if found is None else str(found)

    async def set_cursor(self, name: str, value: str) -> None:
        await self._database.write(lambda tx: tx.rows("set_cursor", name=name, value=value))


async def _begin(tx: Transaction, reminders: Sequence[Reminder]) -> list[Reminder]:
    # Two runs of one schedule would otherwise get the same number.
    await tx.lock("lock_schedules", ids=tx.texts([reminders[0].schedule_id]))
    begun: list[Reminder] = []
    for reminder in reminders:
        for *before, is_over in await tx.rows("previous_reminder", **tx.values(reminder)):
            reminder = reminder.after(tx.columns(Reminder).record(before), is_over=bool(is_over))
        try:
            made = await tx.record(Reminder, "begin_reminder", **tx.values(reminder))
        except tx.dangling as error:
            raise NotFoundError(f"there is no run {reminder.run_id!r}") from error
        if made is None:
            made = await tx.written(Reminder, "get_reminder", run_id=reminder.run_id, user_id=reminder.user_id)
        begun.append(made)
    if begun[0].run_number > 1:  # the first of a schedule has none before it
        await tx.rows("close_replaced", **tx.values(reminders[0]))
    return begun


async def _latest_of(tx: Transaction, schedule_ids: Collection[str]) -> dict[str, LatestReminder]:
    reminders = tx.columns(Reminder)
    found: dict[str, LatestReminder] = {}
    for *columns, errors in await tx.rows("latest_of_schedules", ids=tx.texts(schedule_ids)):
        reminder = reminders.record(columns)
        before = found.get(reminder.schedule_id)
        latest = LatestReminder(reminder, errors)
        if before is not None:
            latest = before._replace(others=(*before.others, reminder))
        found[reminder.schedule_id] = latest
    return found


async def _update(tx: Transaction, reminder: Reminder) -> Reminder | None:
    return await tx.record(Reminder, "update_reminder", **tx.values(reminder))


async def _add_attempt(tx: Transaction, attempt: DeliveryAttempt) -> DeliveryAttempt:
    # Two owners of a run, one of which is gone, would otherwise get the same number.
    await tx.lock("lock_reminder", run_id=attempt.run_id)
    return await tx.written(DeliveryAttempt, "add_attempt", **tx.free_text_values(attempt))


async def _end_attempt(tx: Transaction, attempt: DeliveryAttempt, reminder: Reminder | None) -> Reminder | None:
    # The reminder before the attempt, as `_answer` does: transactions that lock in another order block each other.
    written = None if reminder is None else await _update(tx, reminder)
    await tx.rows("end_attempt", **tx.free_text_values(attempt))
    return written


async def _answer(
    tx: Transaction,
    answer: Answer,
    status: ReminderStatus,
    wake_at: datetime | None,
    events: Sequence[Event],
    step: UndoRecord | None,
    *,
    for_all: bool,
) -> bool:
    now = answer.responded_at
    values = tx.free_text_values(answer)
    message = {"channel": values["channel"], "message_id": values["message_id"]}
    is_message = answer.channel is not None and answer.message_id is not None
    whose = {"run_id": answer.run_id, "user_id": answer.user_id}
    change = {**whose, "status": str(status), "now": now}
    await tx.lock("lock_run", run_id=answer.run_id)  # of two answers at once, one comes second
    if is_message and await tx.value("seen", **message) is not None:
        return False
    is_late = await tx.value("make_due", run_id=answer.run_id, now=now) is None
    if for_all and not is_late:
        await tx.lock("lock_reminder", run_id=answer.run_id)  # all of them at once, in one order
    found = None if is_late else await tx.value("answer_reminder", **change, wake_at=wake_at)
    if found is not None and for_all:
        await tx.rows("end_for_others", **change)
    if found is None and status is not ReminderStatus.SNOOZED:
        found = await tx.value("answer_late", **change, late_since=now - TAKEN_LATE)
    if found is None:
        return False
    if is_message:
        await tx.rows("first_sight", **message, now=now)
    await tx.rows("add_answer", **values)
    if step is not None:
        await tx.rows("keep_undo", **tx.free_text_values(step))
    if answer.response is Response.ACK:
        await tx.rows("ack_attempt", **whose, now=now)
    await tx.note_decision(now)
    failpoints.hit("reminder.answered")
    await tx.write_events(events)
    await tx.announce()
    return True


async def _send_again(tx: Transaction, run_id: str, user_id: str, now: datetime) -> bool:
    if await tx.value("make_due", run_id=run_id, now=now) is None:
        return False
    if await tx.value("send_again", run_id=run_id, user_id=user_id, now=now) is None:
        return False
    await tx.note_decision(now)
    await tx.announce()
    return True


async def _put(tx: Transaction, item: InboxItem) -> InboxItem:
    values = tx.free_text_values(item)
    added = await tx.record(InboxItem, "put_inbox", **values)
    return await tx.written(InboxItem, "inbox_item", key=values["key"]) if added is None else added


async def _keep(tx: Transaction, item: InboxItem, attempt: DeliveryAttempt, reminder: Reminder | None) -> Kept | None:
    await tx.lock("lock_reminder", run_id=attempt.run_id)
    written = None if reminder is None else await _update(tx, reminder)
    if written is None and reminder is not None:
        return None
    kept = await _put(tx, item)
    numbered = replace(attempt, message_id=str(kept.id))
    return Kept(await tx.written(DeliveryAttempt, "add_attempt", **tx.free_text_values(numbered)), written)


async def _left_behind(tx: Transaction, limit: int) -> list[LeftBehind]:
    reminders = tx.columns(Reminder)
    return [
        LeftBehind(
            reminder=reminders.record(reminder),
            namespace=namespace,
            name=name,
            action=action,
            reason=reason,
        )
        for *reminder, namespace, name, action, reason in await tx.rows("left_behind", limit=limit)
    ]
