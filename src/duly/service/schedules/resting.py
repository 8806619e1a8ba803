"""The review of schedules: rest those whose folder, program or job is missing, and wake those that have it again.

`planning.lifecycle` says what a row becomes; here is who looks, at which rows, and with which events.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from datetime import datetime

from duly.clock import Clock
from duly.errors import InvalidInputError
from duly.model.action import Action, Prompt
from duly.model.events import SCHEDULE_AWAKE, SCHEDULE_RESTING, Event
from duly.planning import lifecycle
from duly.ports.changes import Edited
from duly.ports.codec import decode_action
from duly.ports.records import StoredSchedule
from duly.ports.row_reader import READER
from duly.ports.store import Store
from duly.service.access.audit import ITSELF, Asked
from duly.service.changes import Changes, Recording

_PAGE = 500
Missing = Callable[[Action], str | None]
"""Says which thing that an action needs is missing in this process; None when it has everything."""
Needs = Callable[[Action], frozenset[str]]
"""Gives the handlers and other names that a node has to serve for an action."""


class Review:
    """Puts schedules to rest and wakes them: whether this process or another node can carry out their actions."""

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
        self._changes = Changes(store, clock)
        self._missing = missing
        self._needs = needs
        self._own_node = own_node

    async def look_at_resting(self) -> int:
        """Wake the resting schedules that can go on; gives how many schedules changed."""
        return await self._pages(resting=True)

    async def look_at_all(self) -> int:
        """Wake as above, and put to rest what no node can carry out; gives how many schedules changed."""
        return await self._pages(resting=False) + await self._pages(resting=True)

    async def look_at(self, ids: Collection[str]) -> int:
        """Review some schedules, such as those of which a run has just failed."""
        rows = [row for each in ids if (row := await self._store.get(each)) is not None and _is_ours(row)]
        return await self._judge(rows, _Findings(self._missing))

    async def _pages(self, *, resting: bool) -> int:
        changed = 0
        after = ""
        findings = _Findings(self._missing)
        while rows := await self._store.to_review(resting=resting, after=after, limit=_PAGE):
            changed += await self._judge(rows, findings)
            after = rows[-1].id
        return changed

    async def _judge(self, rows: Iterable[StoredSchedule], findings: _Findings) -> int:
        """Decide about each row, then write the changes in one transaction."""
        others: list[frozenset[str]] | None = None
        reasons: dict[str, str | None] = {}
        for row in rows:
            try:
                action = decode_action(row.action)
            except InvalidInputError:
                continue  # the planner puts it into quarantine, and says why
            reason = findings.about(action)
            if reason is not None:
                others = await self._other_nodes() if others is None else others
                if any(self._needs(action) <= served for served in others):
                    reason = None  # this node cannot carry it out, but another one can
            if reason != row.resting or (reason is not None and row.next_run_at is not None):
                reasons[row.id] = reason
        return await self._write(reasons) if reasons else 0

    async def _other_nodes(self) -> list[frozenset[str]]:
        serving = await self._store.serving()
        own = self._own_node()
        return [served for node_id, served in serving.items() if node_id != own]

    async def _write(self, reasons: Mapping[str, str | None]) -> int:
        now = self._clock.now()

        def change(row: StoredSchedule) -> StoredSchedule | None:
            reason = reasons[row.id]
            return lifecycle.wake(row, READER) if reason is None else lifecycle.rest(row, reason, now)

        changed = await self._changes.edit(list(reasons), change, ITSELF, Recording(tell=_tell, counts=False))
        return sum(len(_tell(now, ITSELF, each)) for each in changed.edited)


def _tell(now: datetime, _by: Asked, edited: Edited) -> list[Event]:
    """Say that a schedule rests, or goes on."""
    before, after = edited
    if after.resting is None:
        return [Event(SCHEDULE_AWAKE, now, after.id, data={"name": after.name})]
    if before is not None and before.resting == after.resting:
        return []
    return [Event(SCHEDULE_RESTING, now, after.id, data={"name": after.name, "reason": after.resting})]


class _Findings:
    """Remembers what is missing for actions, so that each need is looked up once. The text of a prompt is no need."""

    def __init__(self, missing: Missing) -> None:
        self._missing = missing
        self._known: dict[str, str | None] = {}

    def about(self, action: Action) -> str | None:
        key = repr(replace(action, text="?") if isinstance(action, Prompt) else action)
        if key not in self._known:
            self._known[key] = self._missing(action)
        return self._known[key]


def _is_ours(row: StoredSchedule) -> bool:
    """Whether a daemon is responsible for it: see `Store.to_review`."""
    made_here = row.source == "toml" or row.created_via is not None
    return made_here and row.deleted_at is None and row.handler != "message"
