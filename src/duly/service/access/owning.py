"""An admin takes over schedules whose tokens were revoked or have expired, and answers for them from then on."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime

from duly.clock import Clock
from duly.errors import AccessDeniedError, InvalidInputError, NotFoundError
from duly.model.events import SCHEDULE_UPDATED, Event
from duly.planning import lifecycle
from duly.ports.changes import Edited
from duly.ports.records import ScheduleFilter, StoredSchedule
from duly.ports.store import FullStore
from duly.service.access.audit import Asked
from duly.service.access.rights import answerable
from duly.service.access.scopes import Caller
from duly.service.changes import Changes, Recording
from duly.service.schedules.finding import Finder

_PAGE = 500


@dataclass(frozen=True, slots=True)
class Reowned:
    """A schedule that an admin took over, or would take over without `dry_run`."""

    id: str
    namespace: str
    name: str
    made_by: str | None
    """The token that made it."""
    changed_by: str | None
    """The token that last changed what it runs."""


class Ownership:
    """The use case `reown`, for admins."""

    def __init__(self, store: FullStore, clock: Clock, changes: Changes) -> None:
        self._store = store
        self._clock = clock
        self._changes = changes
        self._find = Finder(store)

    async def ended_tokens(self, row: StoredSchedule, in_use: str | None = None) -> set[str]:
        """Give the tokens behind a schedule that have ended; the caller who saves the schedule replaces them.

        `in_use` is the token of the caller, which is valid.
        """
        now = self._clock.now()
        ended: set[str] = set()
        for token_id, _ in answerable(row.created_by, row.changed_by):
            if token_id == in_use:
                continue
            token = await self._store.tokens.get(token_id)
            if token is None or token.ended_at(now) is not None:
                ended.add(token_id)
        return ended

    async def reown(
        self, caller: Caller, schedule: str | None = None, *, token: str | None = None, dry_run: bool = False
    ) -> list[Reowned]:
        """Take over one schedule, or all that a token made or last changed; with `dry_run`, only list them.

        Each keeps its namespace, its history and what it runs, and runs with the rights of the admin who asks.
        """
        if not caller.scope.is_admin or caller.scope.read_only:
            raise AccessDeniedError(f"cannot reown schedules: access denied, scope {caller.scope} is no admin's")
        if (schedule is None) == (token is None):
            raise InvalidInputError("name one schedule, or the token whose schedules to take over, not both")
        rows = [await self._find.row(caller, schedule)] if schedule is not None else await self._of(token or "")
        found = [_reowned(row) for row in rows]
        if not dry_run and rows:
            await self._take(caller, {row.id for row in rows})
        return found

    async def _of(self, token_id: str) -> list[StoredSchedule]:
        if await self._store.tokens.get(token_id) is None:
            raise NotFoundError(f"there is no token {token_id!r}: `duly token list` shows them")
        rows: list[StoredSchedule] = []
        wanted = ScheduleFilter(token=token_id, limit=_PAGE)
        while page := await self._store.schedules(wanted):
            rows += page
            wanted = replace(wanted, after=(page[-1].namespace, page[-1].name))
        return rows

    async def _take(self, caller: Caller, ids: set[str]) -> None:
        def change(row: StoredSchedule) -> StoredSchedule | None:
            if not list(answerable(row.created_by, row.changed_by)):
                return None  # no token answers for it: the local user made it
            return lifecycle.take_over(row, caller.answering, str(caller.scope))

        await self._changes.edit(ids, change, caller, Recording(tell=_tell))


def _tell(now: datetime, by: Asked, edited: Edited) -> list[Event]:
    """Say who answered for a schedule before, and who does from now on."""
    before, after = edited
    answered = {} if before is None else {"created_by": before.created_by, "changed_by": before.changed_by}
    data = {**by, "name": after.name, "before": answered, "after": {"created_by": by["by"]}}
    return [Event(SCHEDULE_UPDATED, now, after.id, data=data)]


def _reowned(row: StoredSchedule) -> Reowned:
    return Reowned(
        id=row.id,
        namespace=row.namespace,
        name=row.name,
        made_by=row.created_by,
        changed_by=row.changed_by,
    )
