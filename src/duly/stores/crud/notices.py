"""Notices: messages that tell people and programs how runs ended."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import datetime

from duly import failpoints
from duly.model.notice import NoticeKind
from duly.model.reminder import AttemptKind, ReminderStatus
from duly.ports.notices import LONGEST_DIGEST, Happened, NewsPage, Notice, NoticeOutcome, digest_of
from duly.ports.reminders import DeliveryAttempt, Reminder
from duly.stores.crud.database import Database, Transaction

_CURSOR = "notices"
_MANY = 1_000_000


class StoredNotices:
    """Implements `duly.ports.notices.Notices`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def news(self, names: Collection[str], limit: int) -> NewsPage:
        page = await self._database.read(lambda tx: _news(tx, names, limit))
        if page is not None:
            return page
        await self.begin()
        return NewsPage([], 0, more=False)

    async def begin(self) -> None:
        await self._database.write(_begin)

    async def add(self, notices: Sequence[Notice], upto: int) -> int:
        return await self._database.write(lambda tx: _add(tx, notices, upto))

    async def recovered(self, limit: int) -> list[Notice]:
        return await self._database.read(lambda tx: tx.records(Notice, "recovered_notices", limit=limit))

    async def close(self, failure: Notice, recovery: Notice | None) -> None:
        await self._database.write(lambda tx: _close(tx, failure, recovery))

    async def last_told(self, schedule_id: str, recipient: str) -> datetime | None:
        async def read(tx: Transaction) -> datetime | None:
            at = await tx.value("last_told", schedule_id=schedule_id, recipient=recipient)
            return None if at is None else tx.time(at)

        return await self._database.read(read)

    async def last_digest(self, schedule_id: str, recipient: str) -> str | None:
        values = {"schedule_id": schedule_id, "recipient": recipient}
        found = await self._database.read(lambda tx: tx.value("last_digest", **values))
        return None if found is None else str(found)

    async def take(
        self, now: datetime, until: datetime, gather_until: datetime, node_id: str | None = None
    ) -> list[Notice]:
        return await self._database.write(lambda tx: _take(tx, now, until, gather_until, node_id))

    async def end(self, taken: Sequence[Notice], outcome: NoticeOutcome, attempt: DeliveryAttempt | None) -> bool:
        return await self._database.write(lambda tx: _end(tx, taken, outcome, attempt))

    async def gather(self, reminder: Reminder, notice: Notice) -> Reminder | None:
        return await self._database.write(lambda tx: _gather(tx, reminder, notice))

    async def gathered(self, user_id: str, limit: int) -> list[Notice]:
        values = {"recipient": digest_of(user_id), "limit": limit}
        return await self._database.read(lambda tx: tx.records(Notice, "gathered_notices", **values))

    async def next_due(self) -> datetime | None:
        async def read(tx: Transaction) -> datetime | None:
            at = await tx.value("next_notice")
            return None if at is None else tx.time(at)

        return await self._database.read(read)

    async def failing(self, schedule_ids: Collection[str]) -> set[str]:
        rows = await self._database.read(lambda tx: tx.rows("open_notices", ids=tx.texts(schedule_ids)))
        return {row[0] for row in rows}

    async def has_open(self) -> bool:
        return await self._database.read(lambda tx: tx.value("any_open_notice")) is not None

    async def of_run(self, run_id: str) -> list[Notice]:
        return await self._database.read(lambda tx: tx.records(Notice, "notices_of_run", run_id=run_id))


async def _news(tx: Transaction, names: Collection[str], limit: int) -> NewsPage | None:
    """Read a page of the journal after the cursor; None while there is no cursor."""
    cursor = await tx.value("get_cursor", name=_CURSOR)
    if cursor is None:
        return None
    with tx.snapshot():
        [(upto, count)] = await tx.rows("news_upto", after=int(cursor), limit=limit)
        rows = await tx.rows("news", after=int(cursor), upto=upto, names=tx.texts(names)) if count else []
    ends = [Happened(seq, name, schedule_id, run_id, tx.time(at)) for seq, name, schedule_id, run_id, at in rows]
    return NewsPage(ends, upto, more=count == limit)


async def _begin(tx: Transaction) -> None:
    if await tx.value("get_cursor", name=_CURSOR) is None:
        await tx.rows("begin_cursor", name=_CURSOR, value=str(await tx.value("journal_end")))


async def _add(tx: Transaction, notices: Sequence[Notice], upto: int) -> int:
    await tx.lock("lock_notices")
    added = 0
    for each in notices:
        added += await tx.value("add_notice", **tx.free_text_values(each)) is not None
    failpoints.hit("notices.added")
    cursor = await tx.value("get_cursor", name=_CURSOR)
    if cursor is None or int(cursor) < upto:  # another node may be further
        await tx.rows("set_cursor", name=_CURSOR, value=str(upto))
    return added


async def _gather(tx: Transaction, reminder: Reminder, notice: Notice) -> Reminder | None:
    written = await tx.record(Reminder, "update_reminder", **tx.values(reminder))
    if written is not None:
        await tx.rows("add_notice", **tx.free_text_values(notice))
        failpoints.hit("notices.gathered")
    return written


async def _close(tx: Transaction, failure: Notice, recovery: Notice | None) -> None:
    if await tx.value("close_notice", id=failure.id) is not None and recovery is not None:
        await tx.rows("add_notice", **tx.free_text_values(recovery))


async def _take(
    tx: Transaction, now: datetime, until: datetime, gather_until: datetime, node_id: str | None
) -> list[Notice]:
    await tx.lock("lock_notices")
    await tx.rows("free_notices", now=now)
    first = await tx.record(Notice, "first_due_notice", now=now)
    if first is None:
        return []
    if first.message is None:
        await tx.rows("name_message", message=first.id)
        if first.kind != "answer":
            values = {"message": first.id, "recipient": first.recipient, "priority": str(first.priority)}
            await tx.rows("gather_notices", **values, gather_until=gather_until, most=_most(first) - 1)
    taken = await tx.records(Notice, "take_message", message=first.message or first.id, until=until, node_id=node_id)
    return sorted(taken, key=lambda notice: (notice.created_at, notice.id))


def _most(first: Notice) -> int:
    """Give how many notices may share a message. What is said of failures is shortened; of a digest nothing is."""
    return LONGEST_DIGEST if first.kind is NoticeKind.REMINDER else _MANY


async def _end(
    tx: Transaction, taken: Sequence[Notice], outcome: NoticeOutcome, attempt: DeliveryAttempt | None
) -> bool:
    lead = taken[0]
    if attempt is not None:
        await tx.rows("end_attempt", **tx.free_text_values(attempt))
    message = {"message": lead.message}
    ended = await tx.rows(
        "end_message",
        **message,
        version=lead.version,
        status=str(outcome.status),
        due_at=outcome.due_at,
        error=tx.storable(outcome.error),
        rounds=outcome.rounds,
        told_at=outcome.told_at,
        digest=outcome.digest,
        apart=outcome.apart,
    )
    if ended and outcome.closed:
        await tx.rows("close_told", **message, ids=tx.texts(outcome.closed))
    if ended and outcome.due_at is None and lead.kind is NoticeKind.REMINDER:
        await _end_reminders(tx, taken, outcome, attempt)
    failpoints.hit("notices.ended")
    return bool(ended)


async def _end_reminders(
    tx: Transaction, taken: Sequence[Notice], outcome: NoticeOutcome, attempt: DeliveryAttempt | None
) -> None:
    """Give the reminders of a digest the status of their message, and their runs its attempt."""
    if attempt is None:
        return
    status = ReminderStatus.DELIVERED if outcome.status.has_gone_out else ReminderStatus.FAILED
    # Words that name no reminder mean the one that came last: of several in one message none did.
    is_alone = attempt.kind is AttemptKind.REMINDER
    for notice in taken:
        numbers = await tx.rows(
            "end_gathered",
            run_id=notice.run_id,
            user_id=notice.user_id,
            status=str(status),
            channel=attempt.channel,
            last_sent_at=attempt.sent_at if is_alone else None,
            now=attempt.sent_at or attempt.created_at,
        )
        if numbers and notice.run_id != attempt.run_id:
            same = replace(attempt, run_id=notice.run_id, job_id=notice.schedule_id, run_number=numbers[0][0])
            await tx.rows("add_attempt", **tx.free_text_values(same))
