"""Needs: what waits for a person, gathered from reminders, schedules, the engine and the channels.

An item goes by itself once its cause is put right. Marking it as seen hides it for every caller, on the record, until
the same happens again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from duly.engine.health import Light
from duly.errors import AccessDeniedError, InvalidInputError, NotFoundError
from duly.model.action import Message
from duly.model.events import ATTENTION_SEEN, QUOTA_REACHED, RUN_MISSED, RUN_SKIPPED, RUN_WAITS, Event
from duly.model.reminder import AttemptStatus
from duly.model.run import Status
from duly.planning.attention import LONG_OVER, LOOKED_AT, NO_DAEMON, NO_REASON, Concern, ConcernKind, concerns
from duly.planning.delivery import TAKEN_LATE
from duly.ports.codec import decode_action, subject_of
from duly.ports.records import RunFilter, StoredSchedule
from duly.ports.remembered import SeenMark, WaitingReminder
from duly.service.access.audit import asked_by
from duly.service.access.scopes import Caller, Owned, may_change, may_read
from duly.service.attention.clock_changes import ClockChanges
from duly.service.attention.items import (
    NeedItem,
    NeedKind,
    NeedsView,
    Trouble,
    actions_for,
    grouped,
    in_order,
    is_lasting,
    item_id,
    mark_of,
)
from duly.service.notices.recipients import WEBHOOK
from duly.service.pages import check_limit
from duly.service.reminders.inbox import UNANSWERED_SHOWN
from duly.service.schedules.finding import owned
from duly.service.schedules.values import text

if TYPE_CHECKING:
    from duly.service.services import Services

_DAY = timedelta(hours=24)
_WEEK = timedelta(days=7)
_MOST = 500
_KINDS = {
    ConcernKind.OVERDUE: NeedKind.ENGINE,
    ConcernKind.UNSERVED: NeedKind.UNSERVED,
    ConcernKind.RESTING: NeedKind.UNSERVED,
    ConcernKind.QUARANTINED: NeedKind.QUARANTINED,
    ConcernKind.UNAUTHORIZED: NeedKind.FAILED,
}
_OVER_BUDGET = ("over budget", "over quota")


class Needs:
    """Gathers what needs a person."""

    def __init__(self, services: Services) -> None:
        self._attention = services.attention
        self._store = services.store
        self._clock = services.clock
        self._find = services.schedules.find
        self._clock_changes = ClockChanges(self._store, self._clock, self._find)

    async def items(self, caller: Caller, *, limit: int = 50) -> NeedsView:
        """Give the items that the caller may see, in order; items that were seen are left out."""
        check_limit(limit)
        found = await self._unseen(await self._gather(caller))
        shown = [await self._with_run(item) for item in found[:limit]]
        return NeedsView(items=shown, total=sum(item.counted for item in found))

    async def mark_seen(self, caller: Caller, item_id: str) -> NeedItem:
        """Mark an item as seen, for every caller; it comes back when the same happens again."""
        if caller.scope.read_only:
            raise AccessDeniedError(f"cannot mark an item as seen: scope {caller.scope} may only look")
        wanted = text(item_id, "item_id")
        item = next((each for each in await self._gather(caller) if each.id == wanted), None)
        if item is None:
            raise NotFoundError(f"there is no item {item_id!r:.100}: it may have been put right meanwhile")
        if is_lasting(item.kind):
            raise InvalidInputError(f"{item.title!r} cannot be marked as seen: it goes by itself once it is put right")
        if "seen" not in item.actions:
            raise AccessDeniedError("cannot mark this item as seen: access denied, it is about schedules of others")
        now = self._clock.now()
        about = {**asked_by(caller), "item": item.id, "title": item.title}
        only = item.schedule_ids[0] if len(item.schedule_ids) == 1 else None
        mark = SeenMark(item=item.id, mark=item.mark, by=caller.name, at=now)
        await self._store.remembered.mark_seen(mark, [Event(ATTENTION_SEEN, now, only, data=about)])
        return item

    # gathering

    async def _gather(self, caller: Caller) -> list[NeedItem]:
        now = self._clock.now()
        engine = await self._engine(caller, now)
        troubles = [
            *await self._concerns(caller, now),
            *await self._missed(caller, now),
            *await self._budgets(caller, now),
            *await self._limits(caller, now),
        ]
        if engine:
            troubles = [each for each in troubles if each.kind is not NeedKind.ENGINE]
        return in_order(
            [
                *await self._awaiting(caller),
                *grouped(troubles),
                *engine,
                *await self._unacked(caller, now),
                *await self._channels(caller, now),
                *await self._clock_changes.items(caller, now),
            ]
        )

    async def _unseen(self, items: Sequence[NeedItem]) -> list[NeedItem]:
        marks = await self._store.remembered.seen([item.id for item in items]) if items else []
        seen = {(each.item, each.mark) for each in marks}
        return [item for item in items if (item.id, item.mark) not in seen]

    async def _with_run(self, item: NeedItem) -> NeedItem:
        """Add the run of which an item of one failing schedule tells."""
        if item.kind not in (NeedKind.FAILED, NeedKind.DEAD) or len(item.schedule_ids) != 1:
            return item
        wanted = RunFilter(schedule_id=item.schedule_ids[0], statuses=(Status.FAILED, Status.DEAD), limit=1)
        run = next(iter(await self._store.runs(wanted)), None)
        if run is None:
            return replace(item, actions=[each for each in item.actions if each != "run_again"])
        return replace(item, run_id=run.id)

    async def _concerns(self, caller: Caller, now: datetime) -> list[Trouble]:
        living = await self._store.serving()
        served = frozenset[str]().union(*living.values())
        troubled = await self._store.troubled(now, served, ended_after=now - LONG_OVER, limit=LOOKED_AT)
        return [
            self._trouble(caller, row, concern)
            for row in troubled.rows
            if self._find.sees(caller, row)
            for concern in concerns(subject_of(row, troubled), now=now, served=served, engine_runs=bool(living))
            if concern.reason != NO_DAEMON  # named once, as a trouble of the engine
        ]

    def _trouble(self, caller: Caller, row: StoredSchedule, concern: Concern) -> Trouble:
        failing = concern.kind is ConcernKind.FAILING
        reaches = may_change(replace(caller.scope, read_only=False), owned(row))
        kind = NeedKind.DEAD if failing and row.last_status == Status.DEAD else NeedKind.FAILED
        return Trouble(
            kind=kind if failing else _KINDS[concern.kind],
            cause=NO_REASON if failing and not reaches else concern.reason,
            schedule_id=row.id,
            name=row.name,
            since=concern.since,
            times=max(1, concern.times),
            remedy=concern.remedy,
            changeable=may_change(caller.scope, owned(row)),
        )

    async def _missed(self, caller: Caller, now: datetime) -> list[Trouble]:
        events = await self._store.remembered.lately(RUN_MISSED.name, now - _DAY, _MOST)
        return await self._from_journal(caller, NeedKind.MISSED, events, "see its history")

    async def _budgets(self, caller: Caller, now: datetime) -> list[Trouble]:
        quotas = await self._store.remembered.lately(QUOTA_REACHED.name, now - _DAY, _MOST)
        skipped = await self._store.remembered.lately(RUN_SKIPPED.name, now - _DAY, _MOST)
        spent = [each for each in skipped if str(each.data.get("reason", "")).startswith(_OVER_BUDGET)]
        once = {(each.schedule_id, each.data.get("reason")): each for each in (*quotas, *spent)}
        return await self._from_journal(caller, NeedKind.BUDGET, list(once.values()), "raise its budget, or wait a day")

    async def _limits(self, caller: Caller, now: datetime) -> list[Trouble]:
        """List runs that wait for the usage limits of their agents, as long as they do."""
        events = await self._store.remembered.lately(RUN_WAITS.name, now - _WEEK, _MOST)
        latest = {event.run_id: event for event in sorted(events, key=lambda event: event.at) if event.run_id}
        waiting = []
        for run_id, event in latest.items():
            run = await self._store.get_run(run_id)
            if run is not None and run.status is Status.PENDING and run.reason == event.data.get("reason"):
                waiting.append(event)
        return await self._from_journal(caller, NeedKind.LIMIT, waiting, "it goes on by itself")

    async def _from_journal(
        self, caller: Caller, kind: NeedKind, events: Sequence[Event], remedy: str
    ) -> list[Trouble]:
        """Make troubles of entries of the journal about schedules that the caller may see."""
        rows = {each: await self._store.get(each) for each in {event.schedule_id for event in events} if each}
        return [
            Trouble(
                kind=kind,
                cause=str(event.data.get("reason") or kind),
                schedule_id=row.id,
                name=row.name,
                since=event.at,
                times=int(event.data.get("count") or 1),
                remedy=remedy,
                run_id=event.run_id,
                changeable=may_change(caller.scope, owned(row)),
            )
            for event in events
            if (row := rows.get(event.schedule_id or "")) is not None
            and row.deleted_at is None
            and self._find.sees(caller, row)
        ]

    # reminders

    async def _awaiting(self, caller: Caller) -> list[NeedItem]:
        found = [(each, _message(each)) for each in _once(await self._store.remembered.awaiting(_MOST))]
        return [
            self._reminder(caller, NeedKind.AWAITING, each, message)
            for each, message in found
            if message is not None and may_read(caller.scope, Owned.of(each.namespace, message))
        ]

    async def _unacked(self, caller: Caller, now: datetime) -> list[NeedItem]:
        found = [
            (each, _message(each))
            for each in _once(await self._store.remembered.unacked(now - UNANSWERED_SHOWN, _MOST))
        ]
        return [
            self._reminder(caller, NeedKind.UNACKED, each, message)
            for each, message in found
            if message is not None and may_read(caller.scope, Owned.of(each.namespace, message))
        ]

    def _reminder(self, caller: Caller, kind: NeedKind, waiting: WaitingReminder, message: Message) -> NeedItem:
        reminder = waiting.reminder
        waits = kind is NeedKind.AWAITING
        asked = f"asked again {reminder.nags} of {message.max_ack_reminders} times"
        changeable = may_change(caller.scope, Owned.of(waiting.namespace, message))
        actions = actions_for(kind, one=True, changeable=changeable)
        if self._clock.now() >= reminder.updated_at + TAKEN_LATE:
            actions = [each for each in actions if each != "answer_late"]
        return NeedItem(
            id=item_id(kind, reminder.run_id),
            kind=str(kind),
            title=message.text.partition("\n")[0],
            detail=f"{waiting.name}, {asked}",
            cause="waits for an answer" if waits else "was not answered",
            since=reminder.silent_since or reminder.last_sent_at or reminder.created_at,
            schedule_ids=[reminder.schedule_id],
            run_id=reminder.run_id,
            reminder_run_id=reminder.run_id,
            actions=actions,
            mark=reminder.run_id,
        )

    # the engine and the channels

    async def _engine(self, caller: Caller, now: datetime) -> list[NeedItem]:
        health = await self._attention.health()
        idle = health.overview is not None and not health.overview.nodes and health.light is not Light.GREEN
        if health.light is not Light.RED and not idle:
            return []
        first, *others = health.reasons or ["the engine does not work"]
        return [
            NeedItem(
                id=item_id(NeedKind.ENGINE, "engine"),
                kind=str(NeedKind.ENGINE),
                title="nothing runs" if idle else "the engine does not do its work",
                detail="; ".join(others),
                cause=first,
                since=now - timedelta(seconds=health.lag_seconds) if health.lag_seconds else None,
                actions=actions_for(NeedKind.ENGINE, one=False, changeable=not caller.scope.read_only),
            )
        ]

    async def _channels(self, caller: Caller, now: datetime) -> list[NeedItem]:
        if not caller.scope.is_admin:
            return []
        counts = [each for each in await self._store.remembered.channel_counts(now - _DAY) if each.channel != WEBHOOK]
        # Each webhook is another program: that one takes messages says nothing about the others.
        counts += (await self._store.remembered.failing_addresses(WEBHOOK, now - _DAY))[:1]
        return [
            NeedItem(
                id=item_id(NeedKind.CHANNEL, each.channel),
                kind=str(NeedKind.CHANNEL),
                title=f"{each.channel} does not take messages",
                detail=f"{each.failures} sends failed in 24 hours",
                cause=each.last_error or "no reason was given",
                since=each.last_send_at,
                counts=each.failures,
                actions=actions_for(NeedKind.CHANNEL, one=False, changeable=not caller.scope.read_only),
                mark=mark_of([each.channel]),
            )
            for each in counts
            if each.last_status == AttemptStatus.FAILED
        ]


def _once(waiting: Sequence[WaitingReminder]) -> list[WaitingReminder]:
    """Give one reminder of each run: a shared one waits for several people, and is one item."""
    return list({each.reminder.run_id: each for each in reversed(waiting)}.values())[::-1]


def _message(waiting: WaitingReminder) -> Message | None:
    try:
        action = decode_action(waiting.action)
    except ValueError:  # the engine quarantines the row, and that is reported
        return None
    return action if isinstance(action, Message) else None
