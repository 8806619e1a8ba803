"""Runs that are claimed ahead: more are moved in one transaction than may be under way at once.

A handler that ends at once would cost a transaction for each round of places otherwise. A run that was claimed ahead
begins when a place becomes free. One that waits longer than a moment is handed back, so that other engines can have it,
and then nothing is claimed ahead until handlers end quickly again.

A run is also claimed a moment before its time comes, so that it is on disk by then and begins on time.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Callable, Mapping

from duly.clock import Cancel
from duly.engine.context import Context
from duly.engine.settings import EngineSettings
from duly.planning.places import PoolKind

HOLD = 1.0
"""Seconds for which a run that was claimed ahead may wait for a place before it is handed back."""
_QUICK = 0.05
_BATCHES = 2
"""While the runs of one batch begin, the next batch is planned."""
_ROUNDS = 20
"""So many runs are claimed ahead for each place at most: few places are for handlers that must not run side by side."""


class ClaimedAhead:
    """The places of this process by pool, and the runs that wait for one."""

    def __init__(self, settings: Callable[[], EngineSettings], monotonic: Callable[[], float]) -> None:
        """`settings` is called each time: they may change while the engine runs."""
        self._settings = settings
        self._known: EngineSettings | None = None
        self._places: dict[PoolKind, int] = {}
        self._monotonic = monotonic
        self._under_way: dict[PoolKind, int] = dict.fromkeys(PoolKind, 0)
        # In an ordinary dictionary, finding the first entry means passing all places of those that were removed.
        self._waiting: dict[PoolKind, OrderedDict[str, Context]] = {kind: OrderedDict() for kind in PoolKind}
        self._early: dict[str, Context] = {}
        """Runs whose time has not come."""
        self._quick: Counter[PoolKind] = Counter()
        self._most: dict[PoolKind, int] = {}
        """How many may be claimed ahead, where handlers were found not to end quickly."""

    @property
    def lacks_places(self) -> bool:
        """Whether more runs wait than there are free places: the others begin when the event loop comes round."""
        return any(len(waiting) > self._free(kind) for kind, waiting in self._waiting.items())

    def allowed(self) -> Mapping[PoolKind, int]:
        """Say how many runs may be claimed ahead in the next turn."""
        for kind, limit in list(self._most.items()):
            shown = 2 * self._quick[kind]
            if shown >= self._limit(kind):
                del self._most[kind]
            else:
                self._most[kind] = max(limit, shown)
        self._quick.clear()
        return {kind: min(self._limit(kind), self._most.get(kind, self._limit(kind))) for kind in PoolKind}

    def _limit(self, kind: PoolKind) -> int:
        settings = self._settings()
        places = settings.places(kind)
        # A prompt takes minutes, and one place is for what is long or must be alone: another engine may be free for it,
        # even while the only place here is taken by a handler that holds up the event loop.
        if kind is PoolKind.PROMPTS or places == 1:
            return 0
        return min(_BATCHES * settings.batch, _ROUNDS * places)

    def wait_for_its_time(self, context: Context, timer: Cancel) -> None:
        """Keep a run whose time has not come."""
        context.timer = timer
        self._early[context.id] = context

    def come(self, context: Context) -> bool:
        """Let a run wait for its time no longer; say whether it did so."""
        if self._early.get(context.id) is not context:
            return False
        del self._early[context.id]
        if context.timer is not None:
            context.timer()
            context.timer = None
        return True

    def enter(self, context: Context) -> bool:
        """Say whether a run may begin now; otherwise it waits for a place."""
        kind = context.kind
        if not self._waiting[kind] and self._has_place(kind):
            self._under_way[kind] += 1
            return True
        self.line_up(context)
        return False

    def line_up(self, context: Context) -> None:
        """Let a run wait for a place, even if there is one."""
        context.waits_since = self._monotonic()
        self._waiting[context.kind][context.id] = context

    def _has_place(self, kind: PoolKind) -> bool:
        return self._free(kind) > 0

    def _free(self, kind: PoolKind) -> int:
        """Count the places that are free; fewer than none after they were made fewer."""
        settings = self._settings()
        if settings is not self._known:  # worked out anew only for other settings
            self._known = settings
            self._places = {each: settings.places(each) for each in PoolKind}
        return self._places[kind] - self._under_way[kind]

    def leave(self, context: Context, seconds: float | None = None) -> None:
        """Give up the place of a run, or its turn; with `seconds`, its handler ended after so long."""
        if self.come(context):
            return
        kind = context.kind
        if context.waits_since is not None:
            del self._waiting[kind][context.id]
            context.waits_since = None
            return
        self._under_way[kind] -= 1
        if seconds is not None and seconds <= _QUICK:
            self._quick[kind] += 1

    @property
    def can_go_on(self) -> bool:
        """Whether a run waits for a place that is free."""
        return any(waiting and self._has_place(kind) for kind, waiting in self._waiting.items())

    def next(self, kind: PoolKind) -> Context | None:
        """Give the next run that has a place now in a pool."""
        waiting = self._waiting[kind]
        if not waiting or not self._has_place(kind):
            return None
        _, context = waiting.popitem(last=False)
        context.waits_since = None
        self._under_way[kind] += 1
        return context

    def overdue(self) -> list[Context]:
        """List runs to hand back: those of pools in which one has waited too long for a place."""
        found: list[Context] = []
        before = self._monotonic() - HOLD
        for kind, waiting in self._waiting.items():
            first = next(iter(waiting.values()), None)
            if first is None or first.waits_since is None or self._has_place(kind):
                continue
            if first.waits_since <= before:
                self._most[kind] = 0
                found += waiting.values()
        return found

    def all(self) -> list[Context]:
        """List every run that waits for its time or for a place."""
        return [*(context for each in self._waiting.values() for context in each.values()), *self._early.values()]
