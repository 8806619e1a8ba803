"""Find what there is to tell: the ends of runs in the journal, and schedules that work again.

Nothing is written for this while runs succeed and no rule asks for their answers. What is found becomes a row for each
recipient, in the same transaction that moves the cursor of the journal.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime

from duly.clock import Clock
from duly.config.notify import NotifySettings
from duly.errors import InvalidInputError
from duly.model.events import RUN_ANSWERED, RUN_DEAD, RUN_FAILED
from duly.model.notice import NoticeKind
from duly.model.policy import Policy
from duly.ports.codec import decode_policy
from duly.ports.notices import Happened, Notice
from duly.ports.records import StoredSchedule
from duly.ports.store import FullStore
from duly.service.notices.recipients import Recipient, Recipients

_ENDS = (RUN_ANSWERED.name, RUN_FAILED.name, RUN_DEAD.name)
_PAGE = 500
_MOST_RECOVERIES = 200
_REMINDERS = "message"
"""The handler of reminders: what cannot be delivered is escalated as such, and no notice would arrive either."""


class NoticeFinder:
    """Turns the ends of runs into notices."""

    def __init__(
        self,
        store: FullStore,
        clock: Clock,
        recipients: Recipients,
        settings: Callable[[], NotifySettings],
    ) -> None:
        """`settings` is called each time: they may change."""
        self._store = store
        self._clock = clock
        self._recipients = recipients
        self._settings = settings

    async def begin(self) -> None:
        """Tell nothing of what ended before this; does nothing in a store that has sent notices before."""
        await self._store.notices.begin()

    async def has_open(self) -> bool:
        """Tell whether a schedule has failed, as far as a recipient knows."""
        return await self._store.notices.has_open()

    async def find(self) -> int:
        """Read the journal up to its end, and look for recoveries; returns how many notices are new."""
        found = 0
        more = True
        while more:
            page = await self._store.notices.news(_ENDS, _PAGE)
            more = page.more
            if page.upto:
                found += await self._store.notices.add(await self._notices(page.ends), page.upto)
        return found + await self._find_recoveries()

    async def _notices(self, ends: list[Happened]) -> list[Notice]:
        """Make the notices about ends of runs; of the failures of one schedule only the first counts."""
        made: list[Notice] = []
        about = list({end.schedule_id for end in ends})
        rows = {row.id: row for row in await self._store.timeline.schedules(about)}
        failed = await self._store.notices.failing(about)  # of most of them it is known already, when many fail
        for end in ends:
            row = rows.get(end.schedule_id)
            if row is None or row.deleted_at is not None or row.handler == _REMINDERS:
                continue
            policy = _policy_of(row)
            if end.name == RUN_ANSWERED.name:
                made += [
                    _notice(NoticeKind.ANSWER, end, each, due_at=self._clock.now())
                    for each in await self._recipients.of_answers(row.namespace, policy)
                ]
            elif end.schedule_id not in failed:
                failed.add(end.schedule_id)
                made += await self._failures(end, row, policy)
        return made

    async def _failures(self, end: Happened, row: StoredSchedule, policy: Policy) -> list[Notice]:
        found = await self._recipients.of_failures(row.namespace, policy, self._settings())
        return [
            replace(
                _notice(NoticeKind.FAILURE, end, each, due_at=await self._due(end, each.name)),
                is_open=True,
            )
            for each in found
        ]

    async def _due(self, end: Happened, recipient: str) -> datetime:
        """Return when a notice of a failure is due: other failures may join it, and it keeps away from the last one."""
        settings = self._settings()
        due = end.at + settings.gather
        last = await self._store.notices.last_told(end.schedule_id, recipient)
        return due if last is None else max(due, last + settings.again)

    async def _find_recoveries(self) -> int:
        found = await self._store.notices.recovered(_MOST_RECOVERIES)
        rows = {row.id: row for row in await self._store.timeline.schedules([each.schedule_id for each in found])}
        sent = 0
        for failure in found:
            row = rows.get(failure.schedule_id)
            tells = failure.status.has_gone_out and row is not None and row.deleted_at is None
            await self._store.notices.close(failure, self._recovery(failure) if tells else None)
            sent += tells
        return sent

    def _recovery(self, failure: Notice) -> Notice:
        now = self._clock.now()
        return Notice(
            id=f"{failure.run_id}/{NoticeKind.RECOVERY}/{failure.recipient}",
            kind=NoticeKind.RECOVERY,
            schedule_id=failure.schedule_id,
            run_id=failure.run_id,
            recipient=failure.recipient,
            user_id=failure.user_id,
            channel=failure.channel,
            address=failure.address,
            priority=failure.priority,
            due_at=now + self._settings().gather,
            created_at=now,
        )


def _notice(kind: NoticeKind, end: Happened, recipient: Recipient, *, due_at: datetime) -> Notice:
    return Notice(
        id=f"{end.run_id}/{kind}/{recipient.name}",
        kind=kind,
        schedule_id=end.schedule_id,
        run_id=end.run_id,
        recipient=recipient.name,
        user_id=recipient.user_id,
        channel=recipient.channel,
        address=recipient.address,
        priority=recipient.priority,
        only_changes=recipient.only_changes,
        due_at=due_at,
        created_at=end.at,
    )


def _policy_of(row: StoredSchedule) -> Policy:
    """Decode the policy; of one that cannot be decoded the owner hears as usual."""
    try:
        return decode_policy(row.policy)
    except InvalidInputError:
        return Policy()
