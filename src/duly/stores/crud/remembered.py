"""What faces keep for people: steps that can be undone, items that were seen, and answers to repeated requests."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any

from duly.model.events import Event
from duly.model.reminder import ReminderStatus, Response
from duly.ports.remembered import ChannelCount, KeptAnswer, SeenMark, UndoRecord, WaitingReminder
from duly.ports.reminders import Answer, Reminder
from duly.stores.crud import journal
from duly.stores.crud.database import Database, Transaction

_ANSWERED = {
    Response.ACK: ReminderStatus.ACKED,
    Response.SNOOZE: ReminderStatus.SNOOZED,
    Response.DISMISS: ReminderStatus.DISMISSED,
}


class StoredRemembered:
    """Implements `duly.ports.remembered.Remembered`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def undo(self, token: str) -> UndoRecord | None:
        return await self._database.read(lambda tx: tx.record(UndoRecord, "get_undo", token=token))

    async def last_undo(self, owner: str, now: datetime) -> UndoRecord | None:
        return await self._database.read(lambda tx: tx.record(UndoRecord, "last_undo", owner=owner, now=now))

    async def take_back_answer(
        self,
        token: str,
        answer: Answer,
        before: Reminder,
        now: datetime,
        events: Sequence[Event],
        others: Sequence[Reminder] = (),
    ) -> bool:
        return await self._database.write(
            lambda tx: _take_back_answer(tx, token, answer, [before, *others], now, events)
        )

    async def mark_seen(self, mark: SeenMark, events: Sequence[Event]) -> None:
        await self._database.write(lambda tx: _mark_seen(tx, mark, events))

    async def seen(self, items: Collection[str]) -> list[SeenMark]:
        return await self._database.read(lambda tx: tx.records(SeenMark, "seen_items", items=tx.texts(items)))

    async def awaiting(self, limit: int) -> list[WaitingReminder]:
        return await self._database.read(lambda tx: _with_schedules(tx, "awaiting_reminders", limit=limit))

    async def unacked(self, since: datetime, limit: int) -> list[WaitingReminder]:
        return await self._database.read(lambda tx: _with_schedules(tx, "unacked_reminders", since=since, limit=limit))

    async def lately(self, name: str, since: datetime, limit: int) -> list[Event]:
        return await self._database.read(lambda tx: journal.lately(tx, name, since, limit))

    async def answered(self, user_id: str, since: datetime, limit: int) -> list[Answer]:
        values = {"user_id": user_id, "since": since, "limit": limit}
        return await self._database.read(lambda tx: tx.records(Answer, "answers_of_person", **values))

    async def channel_counts(self, since: datetime) -> list[ChannelCount]:
        return await self._database.read(lambda tx: tx.records(ChannelCount, "channel_counts", since=since))

    async def failing_addresses(self, channel: str, since: datetime) -> list[ChannelCount]:
        return await self._database.read(
            lambda tx: tx.records(ChannelCount, "failing_addresses", since=since, channel=channel)
        )

    async def keep_answer(self, kept: KeptAnswer, stale: datetime) -> KeptAnswer | None:
        return await self._database.write(lambda tx: _keep_answer(tx, kept, stale))

    async def complete_answer(self, kept: KeptAnswer) -> None:
        await self._database.write(lambda tx: tx.rows("complete_answer", **tx.free_text_values(kept)))

    async def drop_answer(self, owner: str, key: str) -> None:
        await self._database.write(lambda tx: tx.rows("drop_answer", owner=owner, key=key))


async def _take_back_answer(
    tx: Transaction, token: str, answer: Answer, before: Sequence[Reminder], now: datetime, events: Sequence[Event]
) -> bool:
    run = {"run_id": answer.run_id}
    whose = {**run, "user_id": answer.user_id}
    await tx.lock("lock_run", **run)  # an answer at the same moment comes before or after
    await tx.lock("lock_reminder", **run)
    latest = await tx.value("latest_answer", **whose)
    if latest is None or tx.time(latest) != answer.responded_at or await tx.value("reopenable_run", **run) is None:
        return False
    given = {"now": now, "answered": str(_ANSWERED[answer.response])}
    own, *others = before
    if await tx.value("reopen_reminder", **tx.values(own), **given) is None:
        return False
    for other in others:  # one that was over already stays so
        await tx.rows("reopen_reminder", **tx.values(other), **given)
    await tx.rows("uncount_run", **run, schedule_id=answer.job_id)
    # At once: the message shows its question again, and other people's next steps may be due earlier than this one's.
    await tx.rows("reopen_run", **run, due_at=now)
    await tx.rows("remove_answer", **whose, responded_at=answer.responded_at)
    await tx.rows("unack_attempt", **whose, responded_at=answer.responded_at)
    await tx.rows("use_undo", token=token, now=now)
    await tx.note_decision(now)
    await tx.write_events(events)
    await tx.announce()
    return True


async def _mark_seen(tx: Transaction, mark: SeenMark, events: Sequence[Event]) -> None:
    await tx.rows("mark_seen", **tx.free_text_values(mark))
    await tx.write_events(events)


async def _with_schedules(tx: Transaction, statement: str, /, **values: Any) -> list[WaitingReminder]:
    reminders = tx.columns(Reminder)
    rows = await tx.rows(statement, **values)
    return [WaitingReminder(reminders.record(row[:-3]), *row[-3:]) for row in rows]


async def _keep_answer(tx: Transaction, kept: KeptAnswer, stale: datetime) -> KeptAnswer | None:
    if await tx.value("keep_answer", **tx.free_text_values(kept), stale=stale) is not None:
        return None
    return await tx.record(KeptAnswer, "get_kept_answer", owner=kept.owner, key=kept.key)
