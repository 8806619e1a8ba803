"""Delete what is old, because a person asks for it. Engines do the same every hour, by the configured age."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta

from duly.clock import Clock
from duly.engine.maintenance import prune_round
from duly.errors import AccessDeniedError, InvalidInputError
from duly.model.events import STORE_PRUNE_ASKED, Event
from duly.ports.store import FullStore
from duly.service.access.audit import asked_by
from duly.service.access.scopes import Caller
from duly.service.schedules import values
from duly.zones import iso

YOUNGEST = timedelta(days=1)
"""What is younger stays: by it duly tells a message that a vendor sends again, and a request that a program repeats."""


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

    @property
    def records(self) -> int:
        """All that is no run."""
        return self.schedules + self.events + self.messages + self.others


Heard = Callable[[PruneView], None]


class PruneUseCases:
    """Prunes a store on request."""

    def __init__(self, store: FullStore, clock: Clock) -> None:
        self._store = store
        self._clock = clock

    async def prune(
        self, caller: Caller, older_than: str | timedelta, *, dry_run: bool = False, heard: Heard | None = None
    ) -> PruneView:
        """Delete runs and other records that are older than a length of time; a dry run only counts them. For admins.

        It goes in batches that keep other writers waiting for a moment at most, so it can be done beside engines, and
        stopped at any time. `heard` hears after each batch what was deleted so far. The audit has who asked, and
        stays: its own age is configured.
        """
        if not caller.scope.is_admin or caller.scope.read_only:
            raise AccessDeniedError("cannot prune: access denied, it is for admins")
        age = values.duration(older_than, "older_than")
        if age < YOUNGEST:
            raise InvalidInputError(
                f"older_than must be at least 1d, got {older_than}: by what is younger duly notices what comes twice"
            )
        now = self._clock.now()
        before = now - age
        shown = iso(before)
        expected = _view(shown, await self._store.prunable(before), dry_run=dry_run)
        if dry_run:
            return expected
        said = {**asked_by(caller), "before": shown, "runs": expected.runs, "records": expected.records}
        await self._store.record([Event(STORE_PRUNE_ASKED, now, data=said)])
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
