"""Quotas of persons and projects: checked when their tokens make or change a schedule, and before each run.

Only schedules that the token of a person or a project made are counted and limited. Those of admins, of the library, of
the declarative scheduler and of butlers' files are not.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from duly.clock import Clock
from duly.errors import QuotaError, RunSkippedError
from duly.model.events import QUOTA_REACHED, Event
from duly.planning.budgets import OwnerBudget
from duly.planning.places import PoolKind, pool_kind
from duly.planning.quotas import DAY, Quota, Quotas, smallest_interval
from duly.ports.codec import decode_trigger
from duly.ports.people import LOCAL_USER, owner_of
from duly.ports.quotas import Admission, Room, Usage
from duly.ports.records import Claimed, StoredSchedule
from duly.ports.store import FullStore
from duly.service.access.scopes import Caller, Scope
from duly.service.pages import cursor_of, fill, read_cursor

_LIMITED = ("user:", "project:")
_log = logging.getLogger("duly")
_TEXTS = ("name", "trigger", "action", "policy", "description", "original_text", "display_title", "calendar_event_id")


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotaView:
    """The use of an owner, and its limits; a limit that is None does not exist."""

    owner: str
    schedules: int
    max_schedules: int | None = None
    runs_in_24_hours: int = 0
    runs_per_day: int | None = None
    cost_in_24_hours: float = 0.0
    """In US dollars, with the budgets of runs under way."""
    cost_per_day: float | None = None
    min_interval_seconds: float | None = None
    max_size: int | None = None
    """Bytes of the texts of one schedule."""
    truncated: dict[str, int] | None = None


class QuotaKeeper:
    """Checks quotas, and shows their use. `rules` may be exchanged at any time."""

    def __init__(self, store: FullStore, clock: Clock, rules: Quotas | None = None) -> None:
        self._store = store
        self._clock = clock
        self.rules = rules or Quotas()
        self._reached: dict[str, datetime] = {}
        """When an event said last that the runs of an owner are used up."""
        self._warned: set[str] = set()
        """Unknown owners that were logged."""

    async def of(self, scope: Scope | None) -> Quota | None:
        """Give the quota of a scope; None for admins and where there is no scope."""
        return None if scope is None or scope.is_admin else await self._of(scope.namespace)

    async def of_owner(self, owner: str) -> Quota:
        """Give the quota of a namespace, for limits that hold for admins, too."""
        return await self._of(owner)

    async def _of(self, owner: str) -> Quota:
        """Find the quota by the namespace, or by the name of the person it belongs to."""
        if owner in self.rules.owners or not owner.startswith("user:") or not self.rules.owners:
            return self.rules.of(owner)
        person = await self._store.people.get(owner_of(owner))
        return self.rules.of(owner, *([] if person is None else [f"user:{person.name}"]))

    async def warn_of_unknown_owners(self, projects: Collection[str]) -> None:
        """Log each owner with a quota of its own who is neither a person nor a project: once per owner."""
        for owner in sorted(self.rules.owners.keys() - self._warned):
            kind, _, name = owner.partition(":")
            if name in projects if kind == "project" else await self._is_person(name):
                continue
            self._warned.add(owner)
            cure = "name it as in [projects]" if kind == "project" else "duly user list shows the names"
            _log.warning('[quotas."%s"] limits no one: there is no %s called %r; %s', owner, kind, name, cure)

    async def _is_person(self, name: str) -> bool:
        people = self._store.people
        return name == LOCAL_USER or await people.look_up(name) is not None

    # making and changing

    async def check(self, scope: Scope | None, row: StoredSchedule) -> None:
        """Refuse a schedule that is too large, or fires too often, for the scope that makes or changes it."""
        quota = await self.of(scope)
        if quota is not None and scope is not None:
            check_row(scope.namespace, quota, row, self._clock.now())

    async def room(self, scope: Scope | None) -> Room | None:
        """Give how many schedules a scope may have; None without a limit."""
        quota = await self.of(scope)
        if quota is None or scope is None or quota.schedules is None:
            return None
        owner = scope.namespace
        most = quota.schedules

        def refuse(count: int) -> QuotaError:
            return QuotaError(owner, "schedules", most, f"there are {count}: remove one that is not needed any more")

        return Room(namespace=owner, at_most=most, since=self._clock.now() - DAY, refuse=refuse)

    async def check_room(self, scope: Scope | None) -> None:
        """Raise if a scope has as many schedules as it may."""
        room = await self.room(scope)
        if room is not None and (count := (await self._usage(room.namespace)).schedules) >= room.at_most:
            raise room.refuse(count)

    async def runs_left(self, scope: Scope | None) -> int | None:
        """Give how many runs a scope may still ask for today; None without a limit. Raise when there are none left."""
        quota = await self.of(scope)
        if quota is None or scope is None or quota.runs_per_day is None:
            return None
        runs = (await self._usage(scope.namespace)).runs
        if runs >= quota.runs_per_day:
            raise QuotaError(
                scope.namespace, "runs_per_day", quota.runs_per_day, f"there were {runs} runs in the last 24 hours"
            )
        return quota.runs_per_day - runs

    # carrying out

    async def admit(self, run: Claimed) -> None:
        """Count an attempt for the quota of the run's owner; raise `RunSkippedError` when that is used up.

        Messages do not count: schedules and the smallest interval limit them, and a reminder is never skipped because
        of an owner's other runs. Nothing is counted, and nothing looked up, for schedules outside of the namespaces of
        persons and projects.
        """
        if pool_kind(run.handler) is PoolKind.MESSAGES:
            return
        scope = _scope_of(run)
        quota = await self.of(scope)
        if quota is None or scope is None or quota.runs_per_day is None:
            return
        owner = scope.namespace
        now = self._clock.now()
        admission = Admission(
            run_id=run.run_id,
            fence=run.fence,
            schedule_id=run.schedule_id,
            owner=owner,
            at=now,
            since=now - DAY,
            at_most=quota.runs_per_day,
        )
        count = await self._store.quotas.admit(admission)
        if count is None:
            return
        reason = str(QuotaError(owner, "runs_per_day", quota.runs_per_day, f"{count} were carried out in 24 hours"))
        await self._record_once(owner, reason, run, now)
        raise RunSkippedError(reason)

    async def budget_of(self, run: Claimed) -> OwnerBudget | None:
        """Give what the owner of a run may spend in a day; None without a limit."""
        scope = _scope_of(run)
        quota = await self.of(scope)
        if quota is None or scope is None or quota.cost_per_day is None:
            return None
        return OwnerBudget(scope.namespace, quota.cost_per_day)

    async def _record_once(self, owner: str, reason: str, run: Claimed, now: datetime) -> None:
        """Record an event for the first skipped run of a day; the history has all skipped runs."""
        last = self._reached.get(owner)
        if last is not None and now - last < DAY:
            return
        self._reached[owner] = now
        data = {"name": run.name, "reason": reason}
        await self._store.record([Event(QUOTA_REACHED, now, run.schedule_id, run.run_id, data=data)])

    # looking

    async def page(
        self, caller: Caller, cursor: str | None = None, limit: int = 100
    ) -> tuple[list[QuotaView], str | None]:
        """Give the use and the limits of owners: of all for admins, of the caller alone for others."""
        if not caller.scope.is_admin:
            return [await self._view(caller.scope.namespace)], None

        async def show(owners: Sequence[str]) -> list[QuotaView]:
            return [await self._view(owner) for owner in owners]

        after = None if cursor is None else read_cursor(cursor, 1)[0]
        shown, last = await fill(self._store.quotas.owners, show, lambda owner: owner, limit, after=after)
        return shown, None if last is None else cursor_of(last)

    async def _view(self, owner: str) -> QuotaView:
        used = await self._usage(owner)
        quota = await self._of(owner)
        return QuotaView(
            owner=owner,
            schedules=used.schedules,
            max_schedules=quota.schedules,
            runs_in_24_hours=used.runs,
            runs_per_day=quota.runs_per_day,
            cost_in_24_hours=round(used.spent + used.promised, 6),
            cost_per_day=quota.cost_per_day,
            min_interval_seconds=None if quota.min_interval is None else quota.min_interval.total_seconds(),
            max_size=quota.size,
        )

    async def _usage(self, owner: str) -> Usage:
        return await self._store.quotas.usage(owner, self._clock.now() - DAY)


def _scope_of(run: Claimed) -> Scope | None:
    """Give the scope of the token that made a run's schedule; None where no quota can hold.

    The claim read the token together with the run, so this costs no look-up.
    """
    if not run.namespace.startswith(_LIMITED):
        return None
    token = None if run.created_by is None else run.tokens.get(run.created_by)
    return None if token is None else Scope.parse(token.scope)


def check_row(owner: str, quota: Quota, row: StoredSchedule, now: datetime) -> None:
    """Raise for a row that is too large or fires too often."""
    size = sum(len(str(getattr(row, name) or "").encode()) for name in _TEXTS)
    if quota.size is not None and size > quota.size:
        raise QuotaError(owner, "size", f"{quota.size} bytes", f"the texts of {row.name!r} have {size} bytes together")
    if quota.min_interval is None or row.max_runs == 1:
        return
    shortest = smallest_interval(decode_trigger(row.trigger), now)
    if shortest is not None and shortest < quota.min_interval:
        raise QuotaError(
            owner,
            "min_interval",
            _length(quota.min_interval),
            f"{row.name!r} would fire again after {_length(shortest)}",
            quota.min_interval,
        )


def _length(length: timedelta) -> str:
    return f"{length.total_seconds():g} seconds"
