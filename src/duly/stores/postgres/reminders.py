"""Reminders in PostgreSQL."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, TypeVar

from psycopg import errors

from duly import failpoints
from duly.errors import NotFoundError
from duly.model.events import Event
from duly.model.reminder import ReminderStatus, Response
from duly.ports.reminders import Answer, DeliveryAttempt, InboxItem, LeftBehind, Reminder
from duly.stores.columns import Codec, Columns
from duly.stores.postgres.clock import decided
from duly.stores.postgres.connection import Session
from duly.stores.postgres.cycle import SQL, announce, lock_schedules, write_events
from duly.stores.postgres.gate import Gate
from duly.stores.postgres.rows import storable

T = TypeVar("T")

_TEXT: dict[type, Codec] = {str: (storable, str)}  # what people and vendors say must not get lost over a character
REMINDERS = Columns(Reminder, {})
ATTEMPTS = Columns(DeliveryAttempt, _TEXT)
ANSWERS = Columns(Answer, _TEXT)
ITEMS = Columns(InboxItem, _TEXT)


class PostgresReminders:
    """See `duly.ports.reminders.Reminders` for what each call promises."""

    def __init__(self, door: Callable[[], Gate]) -> None:
        self._door = door

    async def begin(self, reminder: Reminder) -> Reminder:
        return await self._door().write(lambda session: _begin(session, reminder))

    async def get(self, run_id: str) -> Reminder | None:
        return await self._one(REMINDERS, SQL.get_reminder, {"run_id": run_id})

    async def by_token(self, token: str) -> Reminder | None:
        return await self._one(REMINDERS, SQL.reminder_by_token, {"token": token})

    async def update(self, reminder: Reminder) -> Reminder | None:
        values = REMINDERS.values(reminder)
        return await self._door().write(lambda session: _first(session, REMINDERS, SQL.update_reminder, values))

    async def of_schedule(self, schedule_id: str, limit: int) -> list[Reminder]:
        return await self._all(REMINDERS, SQL.reminders_of_schedule, {"schedule_id": schedule_id, "limit": limit})

    async def errors_in_a_row(self, schedule_id: str) -> int:
        values = {"schedule_id": schedule_id}
        return int(await self._door().read(lambda session: session.value(SQL.errors_in_a_row, values)))

    async def open_for(self, user_id: str) -> list[Reminder]:
        return await self._all(REMINDERS, SQL.open_reminders, {"user_id": user_id})

    async def latest_for(self, user_id: str) -> Reminder | None:
        return await self._one(REMINDERS, SQL.latest_reminder, {"user_id": user_id})

    async def add_attempt(self, attempt: DeliveryAttempt) -> DeliveryAttempt:
        return await self._door().write(lambda session: _add_attempt(session, attempt))

    async def end_attempt(self, attempt: DeliveryAttempt, reminder: Reminder | None = None) -> Reminder | None:
        return await self._door().write(lambda session: _end_attempt(session, attempt, reminder))

    async def attempts(self, run_id: str) -> list[DeliveryAttempt]:
        return await self._all(ATTEMPTS, SQL.attempts_of, {"run_id": run_id})

    async def by_message(self, channel: str, message_id: str) -> DeliveryAttempt | None:
        return await self._one(ATTEMPTS, SQL.attempt_by_message, {"channel": channel, "message_id": message_id})

    async def answer(
        self, answer: Answer, status: ReminderStatus, wake_at: datetime | None, events: Sequence[Event] = ()
    ) -> bool:
        return await self._door().write(lambda session: _answer(session, answer, status, wake_at, events))

    async def send_again(self, run_id: str, now: datetime) -> bool:
        return await self._door().write(lambda session: _send_again(session, {"run_id": run_id, "now": now}))

    async def left_behind(self, limit: int) -> list[LeftBehind]:
        rows = await self._door().read(lambda session: session.fetch(SQL.left_behind, {"limit": limit}))
        return [_left_behind(row) for row in rows]

    async def answers(self, run_id: str) -> list[Answer]:
        return await self._all(ANSWERS, SQL.answers_of, {"run_id": run_id})

    async def put(self, item: InboxItem) -> InboxItem:
        return await self._door().write(lambda session: _put(session, item))

    async def inbox(
        self, user_id: str, unread: bool, limit: int, *, before: int | None = None, longest: int | None = None
    ) -> list[InboxItem]:
        values = {"user_id": user_id, "everything": not unread, "limit": limit, "before": before, "longest": longest}
        return await self._all(ITEMS, SQL.list_inbox, values)

    async def mark_read(self, user_id: str, ids: list[int], now: datetime) -> int:
        values = {"user_id": user_id, "ids": ids, "now": now}
        return len(await self._door().write(lambda session: session.fetch(SQL.mark_read, values)))

    async def first_sight(self, channel: str, message_id: str, now: datetime) -> bool:
        values = {"channel": channel, "message_id": message_id, "now": now}
        return await self._door().write(lambda session: session.value(SQL.first_sight, values)) is not None

    async def seen(self, channel: str, message_id: str) -> bool:
        values = {"channel": channel, "message_id": message_id}
        return await self._door().read(lambda session: session.value(SQL.seen, values)) is not None

    async def overdue(self, now: datetime, limit: int) -> list[str]:
        values = {"now": now, "limit": limit}
        return [row[0] for row in await self._door().read(lambda session: session.fetch(SQL.overdue_messages, values))]

    async def cursor(self, name: str) -> str | None:
        found = await self._door().read(lambda session: session.value(SQL.get_cursor, {"name": name}))
        return None if found is None else str(found)

    async def set_cursor(self, name: str, value: str) -> None:
        values = {"name": name, "value": value}
        await self._door().write(lambda session: session.fetch(SQL.set_cursor, values))

    async def _one(self, kind: Columns[T], statement: str, values: dict[str, Any]) -> T | None:
        return await self._door().read(lambda session: _first(session, kind, statement, values))

    async def _all(self, kind: Columns[T], statement: str, values: dict[str, Any]) -> list[T]:
        rows = await self._door().read(lambda session: session.fetch(statement, values))
        return [kind.record(row) for row in rows]


async def _begin(session: Session, reminder: Reminder) -> Reminder:
    await lock_schedules(session, [reminder.schedule_id])  # or two of its runs might get one number
    values = REMINDERS.values(reminder)
    for *before, is_over in await session.fetch(SQL.previous_reminder, values):
        values = REMINDERS.values(reminder.after(REMINDERS.record(before), is_over=is_over))
    try:
        await session.fetch(SQL.begin_reminder, values)
    except errors.ForeignKeyViolation as error:
        raise NotFoundError(f"there is no run {reminder.run_id!r}") from error
    await session.fetch(SQL.close_replaced, values)
    return await _written(session, REMINDERS, SQL.get_reminder, values)


async def _add_attempt(session: Session, attempt: DeliveryAttempt) -> DeliveryAttempt:
    values = ATTEMPTS.values(attempt)
    await session.fetch(SQL.lock_reminder, values)  # or two owners, of whom one is gone, might get one number
    return await _written(session, ATTEMPTS, SQL.add_attempt, values)


async def _end_attempt(session: Session, attempt: DeliveryAttempt, reminder: Reminder | None) -> Reminder | None:
    written = None
    if reminder is not None:  # before the attempt, as an answer does: two that lock in another order wait forever
        written = await _first(session, REMINDERS, SQL.update_reminder, REMINDERS.values(reminder))
    await session.fetch(SQL.end_attempt, ATTEMPTS.values(attempt))
    return written


async def _answer(
    session: Session, answer: Answer, status: ReminderStatus, wake_at: datetime | None, events: Sequence[Event]
) -> bool:
    values = ANSWERS.values(answer)
    now, came_in = answer.responded_at, answer.channel is not None and answer.message_id is not None
    answered = {"run_id": answer.run_id, "status": str(status), "wake_at": wake_at, "now": now}
    is_late = await session.value(SQL.make_due, answered) is None
    if is_late and status is ReminderStatus.SNOOZED:
        return False
    # The run is locked now, so that of two answers one comes second.
    if came_in and await session.value(SQL.seen, values) is not None:
        return False
    if await session.value(SQL.answer_late if is_late else SQL.answer_reminder, answered) is None:
        return False
    if came_in:
        await session.fetch(SQL.first_sight, {**values, "now": now})
    await session.fetch(SQL.add_answer, values)
    if answer.response is Response.ACK:
        await session.fetch(SQL.ack_attempt, answered)
    await decided(session, now)
    failpoints.hit("reminder.answered")
    await write_events(session, events)
    await announce(session)
    return True


async def _send_again(session: Session, values: dict[str, Any]) -> bool:
    if await session.value(SQL.make_due, values) is None:
        return False
    if await session.value(SQL.send_again, values) is None:
        return False
    await decided(session, values["now"])
    await announce(session)
    return True


async def _put(session: Session, item: InboxItem) -> InboxItem:
    values = ITEMS.values(item)
    await session.fetch(SQL.put_inbox, values)
    return await _written(session, ITEMS, SQL.inbox_item, values)


async def _first(session: Session, kind: Columns[T], statement: str, values: dict[str, Any]) -> T | None:
    rows = await session.fetch(statement, values)
    return kind.record(rows[0]) if rows else None


async def _written(session: Session, kind: Columns[T], statement: str, values: dict[str, Any]) -> T:
    rows = await session.fetch(statement, values)
    return kind.record(rows[0])


def _left_behind(row: Sequence[Any]) -> LeftBehind:
    *reminder, namespace, name, action, reason = row
    return LeftBehind(reminder=REMINDERS.record(reminder), namespace=namespace, name=name, action=action, reason=reason)
