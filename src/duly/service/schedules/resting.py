"""Schedules that rest: what they need is missing just now. They go on by themselves when it is back.

A schedule that rests keeps its definition, its version, its next fire and whether a person paused it; it only has no
time at which it is dispatched. When it wakes, it goes on from that next fire, and its catch-up policy decides about the
fires it missed, as after any outage.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from datetime import datetime

from duly.clock import Clock
from duly.errors import InvalidInputError
from duly.model.action import Action, Prompt
from duly.model.events import SCHEDULE_AWAKE, SCHEDULE_RESTING, Event
from duly.planning.fire import dispatch_at
from duly.ports.codec import decode_action, decode_policy, decode_trigger
from duly.ports.records import StoredSchedule
from duly.ports.store import Store

_PAGE = 500
Missing = Callable[[Action], str | None]
"""What an action needs and this process does not have; None when it has everything."""
Needs = Callable[[Action], frozenset[str]]
"""What a node has to serve for an action."""


def put_to_rest(row: StoredSchedule, reason: str, now: datetime) -> StoredSchedule | None:
    """The schedule at rest; None when there is nothing to change, or it would not fire anyway."""
    if not row.enabled or row.deleted_at is not None or (row.resting == reason and row.next_run_at is None):
        return None
    return replace(row, resting=reason, resting_since=row.resting_since or now, next_run_at=None)


def woken(row: StoredSchedule) -> StoredSchedule | None:
    """The schedule awake; None when it was."""
    if row.resting is None:
        return None
    awake = replace(row, resting=None, resting_since=None)
    if not row.enabled or row.next_fire_at is None:
        return awake
    try:
        run_at = dispatch_at(decode_trigger(row.trigger), decode_policy(row.policy), row.next_fire_at)
    except InvalidInputError:  # the planner sets it aside, and says why
        run_at = row.next_fire_at
    return replace(awake, next_run_at=run_at)


def after_change(before: StoredSchedule, after: StoredSchedule) -> StoredSchedule:
    """A schedule that rests goes on resting through a change, unless it does something else from now on."""
    if before.resting is None:
        return after
    if after.action != before.action:
        return woken(after) or after
    return replace(after, next_run_at=None)


class Review:
    """Puts schedules to rest and wakes them, by what this process and the other nodes can carry out."""

    def __init__(
        self,
        store: Store,
        clock: Clock,
        missing: Missing,
        needs: Needs,
        *,
        own_node: Callable[[], str] = lambda: "",
    ) -> None:
        self._store = store
        self._clock = clock
        self._missing = missing
        self._needs = needs
        self._own_node = own_node

    async def look_at_resting(self) -> int:
        """Wake what can go on; gives how many schedules changed."""
        return await self._pages(resting=True)

    async def look_at_all(self) -> int:
        """The same, and put to rest what cannot be carried out; gives how many schedules changed."""
        return await self._pages(resting=False) + await self._pages(resting=True)

    async def look_at(self, ids: Collection[str]) -> int:
        """Look at some schedules: those of which a run has just failed."""
        rows = [row for each in ids if (row := await self._store.get(each)) is not None and _is_ours(row)]
        return await self._judge(rows, _Findings(self._missing))

    async def _pages(self, *, resting: bool) -> int:
        changed, after, findings = 0, "", _Findings(self._missing)
        while rows := await self._store.to_review(resting=resting, after=after, limit=_PAGE):
            changed += await self._judge(rows, findings)
            after = rows[-1].id
        return changed

    async def _judge(self, rows: Iterable[StoredSchedule], findings: _Findings) -> int:
        """Decide about each row, then write what has to change in one transaction."""
        others: list[frozenset[str]] | None = None
        reasons: dict[str, str | None] = {}
        for row in rows:
            try:
                action = decode_action(row.action)
            except InvalidInputError:
                continue  # the planner sets it aside, and says why
            reason = findings.about(action)
            if reason is not None:
                others = await self._other_nodes() if others is None else others
                if any(self._needs(action) <= served for served in others):
                    reason = None  # this node cannot carry it out, but another one can
            if reason != row.resting or (reason is not None and row.next_run_at is not None):
                reasons[row.id] = reason
        return await self._write(reasons) if reasons else 0

    async def _other_nodes(self) -> list[frozenset[str]]:
        serving, own = await self._store.serving(), self._own_node()
        return [served for node_id, served in serving.items() if node_id != own]

    async def _write(self, reasons: Mapping[str, str | None]) -> int:
        now, told = self._clock.now(), list[Event]()

        def change(row: StoredSchedule) -> StoredSchedule | None:
            reason = reasons[row.id]
            after = woken(row) if reason is None else put_to_rest(row, reason, now)
            if after is not None and reason is None:
                told.append(Event(SCHEDULE_AWAKE, now, row.id, data={"name": row.name}))
            elif after is not None and row.resting != reason:
                told.append(Event(SCHEDULE_RESTING, now, row.id, data={"name": row.name, "reason": reason}))
            return after

        await self._store.edit(list(reasons), change, told)
        return len(told)


class _Findings:
    """What is missing for actions, looked up once for all that need the same: the words of a prompt do not matter."""

    def __init__(self, missing: Missing) -> None:
        self._missing = missing
        self._known: dict[str, str | None] = {}

    def about(self, action: Action) -> str | None:
        key = repr(replace(action, text="?") if isinstance(action, Prompt) else action)
        if key not in self._known:
            self._known[key] = self._missing(action)
        return self._known[key]


def _is_ours(row: StoredSchedule) -> bool:
    """Whether a daemon answers for it: see `Store.to_review`."""
    made_here = row.source == "toml" or row.created_via is not None
    return made_here and row.deleted_at is None and row.handler != "message"
