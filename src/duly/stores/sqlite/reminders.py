"""Reminders in SQLite."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, TypeVar

import apsw

from duly import failpoints
from duly.errors import NotFoundError
from duly.model.events import Event
from duly.model.reminder import ReminderStatus, Response
from duly.ports.reminders import Answer, DeliveryAttempt, InboxItem, LeftBehind, Reminder
from duly.stores.columns import Columns
from duly.stores.sqlite.clock import decided
from duly.stores.sqlite.connection import Gate
from duly.stores.sqlite.cycle import SQL, write_events
from duly.stores.sqlite.rows import STORED, micros, to_micros

T = TypeVar("T")

REMINDERS = Columns(Reminder, STORED)
ATTEMPTS = Columns(DeliveryAttempt, STORED)
ANSWERS = Columns(Answer, STORED)
ITEMS = Columns(InboxItem, STORED)


class SqliteReminders:
    """See `duly.ports.reminders.Reminders` for what each call promises."""

    def __init__(self, door: Callable[[], Gate]) -> None:
        self._door = door

    async def begin(self, reminder: Reminder) -> Reminder:
        return await self._door().write(lambda connection: _begin(connection, reminder))

    async def get(self, run_id: str) -> Reminder | None:
        return await self._one(REMINDERS, SQL.get_reminder, {"run_id": run_id})

    async def by_token(self, token: str) -> Reminder | None:
        return await self._one(REMINDERS, SQL.reminder_by_token, {"token": token})

    async def update(self, reminder: Reminder) -> Reminder | None:
        values = REMINDERS.values(reminder)
        return await self._door().write(lambda connection: _first(connection, REMINDERS, SQL.update_reminder, values))

    async def of_schedule(self, schedule_id: str, limit: int) -> list[Reminder]:
        return await self._all(REMINDERS, SQL.reminders_of_schedule, {"schedule_id": schedule_id, "limit": limit})

    async def errors_in_a_row(self, schedule_id: str) -> int:
        values = {"schedule_id": schedule_id}
        return await self._door().read(lambda connection: int(connection.execute(SQL.errors_in_a_row, values).get))

    async def open_for(self, user_id: str) -> list[Reminder]:
        return await self._all(REMINDERS, SQL.open_reminders, {"user_id": user_id})

    async def latest_for(self, user_id: str) -> Reminder | None:
        return await self._one(REMINDERS, SQL.latest_reminder, {"user_id": user_id})

    async def add_attempt(self, attempt: DeliveryAttempt) -> DeliveryAttempt:
        values = ATTEMPTS.values(attempt)
        return await self._door().write(lambda connection: _written(connection, ATTEMPTS, SQL.add_attempt, values))

    async def end_attempt(self, attempt: DeliveryAttempt, reminder: Reminder | None = None) -> Reminder | None:
        return await self._door().write(lambda connection: _end_attempt(connection, attempt, reminder))

    async def attempts(self, run_id: str) -> list[DeliveryAttempt]:
        return await self._all(ATTEMPTS, SQL.attempts_of, {"run_id": run_id})

    async def by_message(self, channel: str, message_id: str) -> DeliveryAttempt | None:
        return await self._one(ATTEMPTS, SQL.attempt_by_message, {"channel": channel, "message_id": message_id})

    async def answer(
        self, answer: Answer, status: ReminderStatus, wake_at: datetime | None, events: Sequence[Event] = ()
    ) -> bool:
        return await self._door().write(
            lambda connection: _answer(connection, answer, status, to_micros(wake_at), events)
        )

    async def send_again(self, run_id: str, now: datetime) -> bool:
        values = {"run_id": run_id, "now": micros(now)}
        return await self._door().write(lambda connection: _send_again(connection, values))

    async def left_behind(self, limit: int) -> list[LeftBehind]:
        rows = await self._door().read(lambda connection: list(connection.execute(SQL.left_behind, {"limit": limit})))
        return [_left_behind(row) for row in rows]

    async def answers(self, run_id: str) -> list[Answer]:
        return await self._all(ANSWERS, SQL.answers_of, {"run_id": run_id})

    async def put(self, item: InboxItem) -> InboxItem:
        return await self._door().write(lambda connection: _put(connection, item))

    async def inbox(
        self, user_id: str, unread: bool, limit: int, *, before: int | None = None, longest: int | None = None
    ) -> list[InboxItem]:
        values = {"user_id": user_id, "everything": not unread, "limit": limit, "before": before, "longest": longest}
        return await self._all(ITEMS, SQL.list_inbox, values)

    async def mark_read(self, user_id: str, ids: list[int], now: datetime) -> int:
        values = {"user_id": user_id, "ids": json.dumps(ids), "now": micros(now)}
        return await self._door().write(lambda connection: len(list(connection.execute(SQL.mark_read, values))))

    async def first_sight(self, channel: str, message_id: str, now: datetime) -> bool:
        return await self._door().write(lambda connection: _is_new(connection, channel, message_id, micros(now)))

    async def seen(self, channel: str, message_id: str) -> bool:
        values = {"channel": channel, "message_id": message_id}
        return await self._door().read(lambda connection: connection.execute(SQL.seen, values).get is not None)

    async def overdue(self, now: datetime, limit: int) -> list[str]:
        values = {"now": micros(now), "limit": limit}
        return await self._door().read(
            lambda connection: [row[0] for row in connection.execute(SQL.overdue_messages, values)]
        )

    async def cursor(self, name: str) -> str | None:
        found = await self._door().read(lambda connection: connection.execute(SQL.get_cursor, {"name": name}).get)
        return None if found is None else str(found)

    async def set_cursor(self, name: str, value: str) -> None:
        values = {"name": name, "value": value}
        await self._door().write(lambda connection: connection.execute(SQL.set_cursor, values).get)

    async def _one(self, kind: Columns[T], statement: str, values: dict[str, Any]) -> T | None:
        return await self._door().read(lambda connection: _first(connection, kind, statement, values))

    async def _all(self, kind: Columns[T], statement: str, values: dict[str, Any]) -> list[T]:
        return await self._door().read(
            lambda connection: [kind.record(row) for row in connection.execute(statement, values)]
        )


def _begin(connection: apsw.Connection, reminder: Reminder) -> Reminder:
    values = REMINDERS.values(reminder)
    for *before, is_over in list(connection.execute(SQL.previous_reminder, values)):
        values = REMINDERS.values(reminder.after(REMINDERS.record(before), is_over=bool(is_over)))
    try:
        connection.execute(SQL.begin_reminder, values)
    except apsw.ConstraintError as error:
        raise NotFoundError(f"there is no run {reminder.run_id!r}") from error
    connection.execute(SQL.close_replaced, values)
    return _written(connection, REMINDERS, SQL.get_reminder, values)


def _end_attempt(connection: apsw.Connection, attempt: DeliveryAttempt, reminder: Reminder | None) -> Reminder | None:
    connection.execute(SQL.end_attempt, ATTEMPTS.values(attempt))
    if reminder is None:
        return None
    return _first(connection, REMINDERS, SQL.update_reminder, REMINDERS.values(reminder))


def _answer(
    connection: apsw.Connection,
    answer: Answer,
    status: ReminderStatus,
    wake_at: int | None,
    events: Sequence[Event],
) -> bool:
    values = ANSWERS.values(answer)
    now, came_in = values["responded_at"], answer.channel is not None and answer.message_id is not None
    answered = {"run_id": answer.run_id, "status": str(status), "wake_at": wake_at, "now": now}
    if came_in and connection.execute(SQL.seen, values).get is not None:
        return False
    is_late = connection.execute(SQL.make_due, answered).get is None
    if is_late and status is ReminderStatus.SNOOZED:
        return False
    if connection.execute(SQL.answer_late if is_late else SQL.answer_reminder, answered).get is None:
        return False
    if came_in:
        connection.execute(SQL.first_sight, {**values, "now": now})
    connection.execute(SQL.add_answer, values)
    if answer.response is Response.ACK:
        connection.execute(SQL.ack_attempt, answered)
    decided(connection, now)
    write_events(connection, events)
    failpoints.hit("reminder.answered")
    return True


def _send_again(connection: apsw.Connection, values: dict[str, Any]) -> bool:
    if connection.execute(SQL.make_due, values).get is None:
        return False
    decided(connection, values["now"])
    return connection.execute(SQL.send_again, values).get is not None


def _is_new(connection: apsw.Connection, channel: str, message_id: str, now: int) -> bool:
    values = {"channel": channel, "message_id": message_id, "now": now}
    return connection.execute(SQL.first_sight, values).get is not None


def _put(connection: apsw.Connection, item: InboxItem) -> InboxItem:
    values = ITEMS.values(item)
    connection.execute(SQL.put_inbox, values)
    return _written(connection, ITEMS, SQL.inbox_item, values)


def _first(connection: apsw.Connection, kind: Columns[T], statement: str, values: dict[str, Any]) -> T | None:
    row = next(iter(connection.execute(statement, values)), None)
    return None if row is None else kind.record(row)


def _written(connection: apsw.Connection, kind: Columns[T], statement: str, values: dict[str, Any]) -> T:
    return kind.record(next(iter(connection.execute(statement, values))))


def _left_behind(row: Sequence[Any]) -> LeftBehind:
    *reminder, namespace, name, action, reason = row
    return LeftBehind(reminder=REMINDERS.record(reminder), namespace=namespace, name=name, action=action, reason=reason)
