"""Delete what is old, because a person asks for it. Engines do the same every hour, by the configured age."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from duly.clock import Clock
from duly.engine.maintenance import prune_round
from duly.errors import AccessDeniedError, ConflictError, DulyError, InvalidInputError
from duly.model.events import STORE_PRUNE_ASKED, Event
from duly.ports.store import FullStore
from duly.service.access.audit import asked_by
from duly.service.access.scopes import Caller
from duly.service.schedules import values
from duly.zones import iso

YOUNGEST = timedelta(days=1)
"""What is younger stays: by it duly tells a message that a vendor sends again, and a request that a program repeats."""
ANSWERED_AFTER = 5.0
"""Seconds after which a caller elsewhere hears what was deleted so far, while the rest is deleted."""
_log = logging.getLogger("duly")


@dataclass(frozen=True, slots=True, kw_only=True)
class PruneView:
    """What was deleted, or what a dry run would delete."""

    before: str
    """What is from before this time."""
    dry_run: bool
    runs: int = 0
    schedules: int = 0
    """Schedules that were removed before, with the last of their runs."""
    events: int = 0
    """Entries of the journal."""
    messages: int = 0
    """Messages of inboxes that were read."""
    others: int = 0
    """Engines that are gone, expired codes, and notes against doing things twice."""
    goes_on: bool = False
    """Whether more is being deleted, after this answer."""

    @property
    def records(self) -> int:
        """All that is no run."""
        return self.schedules + self.events + self.messages + self.others

    @property
    def listed(self) -> str:
        """What was deleted, in words: 3 runs, 1 message."""
        parts = (
            (self.runs, "run"),
            (self.schedules, "removed schedule"),
            (self.events, "entry of the journal"),
            (self.messages, "message"),
            (self.others, "other record"),
        )
        return ", ".join(f"{number:,} {_plural(what, number)}" for number, what in parts if number) or "nothing"

    def __str__(self) -> str:
        verb = "would delete" if self.dry_run else "deleted"
        return f"{verb} from before {self.before}: {self.listed}{', and goes on' if self.goes_on else ''}"


def _plural(what: str, number: int) -> str:
    return what if number == 1 else what.replace("entry", "entries") if "entry" in what else f"{what}s"


Heard = Callable[[PruneView], None]


class PruneUseCases:
    """Prunes a store on request."""

    def __init__(self, store: FullStore, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._under_way: asyncio.Task[PruneView] | None = None

    async def prune(
        self, caller: Caller, older_than: str | timedelta, *, dry_run: bool = False, heard: Heard | None = None
    ) -> PruneView:
        """Delete runs and other records that are older than a length of time; a dry run only counts them. For admins.

        It goes in batches that keep other writers waiting for a moment at most, so it can be done beside engines, and
        stopped at any time. `heard` hears after each batch what was deleted so far. The audit has who asked, and
        stays: its own age is configured.
        """
        before = self._before(caller, older_than)
        expected = await self._expected(before, dry_run=dry_run)
        if dry_run:
            return expected
        await self._note(caller, expected)
        return await self._delete(before, heard)

    async def begin(self, caller: Caller, older_than: str | timedelta, *, dry_run: bool = False) -> PruneView:
        """Do the same for a caller elsewhere, who does not wait for minutes.

        After some seconds the answer has what was deleted so far, and says that the rest is being deleted. Meanwhile
        no other pruning begins here.
        """
        before = self._before(caller, older_than)
        expected = await self._expected(before, dry_run=dry_run)
        if dry_run:
            return expected
        if self._under_way is not None:
            raise ConflictError("old records are being deleted already: wait until that has ended")
        so_far = [_view(iso(before), {})]
        task = asyncio.get_running_loop().create_task(self._asked(caller, before, expected, so_far))
        self._under_way = task
        task.add_done_callback(self._ended)
        done, _ = await asyncio.wait({task}, timeout=ANSWERED_AFTER)
        return task.result() if done else replace(so_far[0], goes_on=True)

    async def _asked(self, caller: Caller, before: datetime, expected: PruneView, so_far: list[PruneView]) -> PruneView:
        await self._note(caller, expected)
        return await self._delete(before, lambda view: so_far.__setitem__(0, view))

    def _ended(self, task: asyncio.Task[PruneView]) -> None:
        self._under_way = None
        if task.cancelled():
            return
        error = task.exception()
        if isinstance(error, DulyError):
            _log.warning("deleting old records ended early: %s", error)
        elif error is not None:
            _log.error("deleting old records failed", exc_info=error)

    def _before(self, caller: Caller, older_than: str | timedelta) -> datetime:
        """Give the time before which everything goes; refuse callers who may not, and ages that are too young."""
        if not caller.scope.is_admin or caller.scope.read_only:
            raise AccessDeniedError("cannot prune: access denied, it is for admins")
        age = values.duration(older_than, "older_than")
        if age < YOUNGEST:
            raise InvalidInputError(
                f"older_than must be at least 1d, got {older_than}: by what is younger duly notices what comes twice"
            )
        return self._clock.now() - age

    async def _expected(self, before: datetime, *, dry_run: bool) -> PruneView:
        return _view(iso(before), await self._store.prunable(before), dry_run=dry_run)

    async def _note(self, caller: Caller, expected: PruneView) -> None:
        said = {**asked_by(caller), "before": expected.before, "runs": expected.runs, "records": expected.records}
        await self._store.record([Event(STORE_PRUNE_ASKED, self._clock.now(), data=said)])

    async def _delete(self, before: datetime, heard: Heard | None) -> PruneView:
        shown = iso(before)
        deleted = Counter[str]()
        async for batch in prune_round(self._store, self._clock, before):
            deleted.update(batch.deleted)
            if heard is not None:
                heard(_view(shown, deleted))
        return _view(shown, deleted)


def _view(before: str, counted: Mapping[str, int], *, dry_run: bool = False) -> PruneView:
    named = {"runs", "schedules", "events", "inbox"}
    return PruneView(
        before=before,
        dry_run=dry_run,
        runs=counted.get("runs", 0),
        schedules=counted.get("schedules", 0),
        events=counted.get("events", 0),
        messages=counted.get("inbox", 0),
        others=sum(number for kind, number in counted.items() if kind not in named),
    )
