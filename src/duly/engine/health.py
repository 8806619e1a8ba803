"""Health: green, yellow or red, judged from counts of the store and the status of an engine, with the reasons."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import TYPE_CHECKING

from duly.errors import StoreError
from duly.planning.attention import LONG_OVER, LOOKED_AT, Concern, ConcernKind, concerns, oldest_first, unserved_reason
from duly.ports.codec import subject_of
from duly.ports.upkeep import Overview

if TYPE_CHECKING:
    from duly.planning.clock_marks import Corrected
    from duly.ports.store import Store

POLLS_UNTIL_RED = 3
COUNTED = 1000
"""Figures are counted up to this, so that health takes no longer in a large store."""
LATELY = timedelta(hours=1)
"""For so long after a correction of the clock, health is yellow."""
SHOWN = 20
"""At most so many concerns are listed."""


class Light(StrEnum):
    GREEN = "green"
    YELLOW = "yellow"
    RED = "red"


@dataclass(frozen=True, slots=True)
class EngineStatus:
    """The facts about itself by which an engine is judged."""

    since_turn: float
    """Seconds since the last turn of the loop."""
    store_error: str | None
    in_flight: int
    stuck: int
    leased: bool = True
    """Whether its lease was renewed in time, so that it may act."""
    clock_off: float = 0.0
    """Seconds by which the clock of the machine is ahead of the database's, if they disagree."""


@dataclass(slots=True)
class Health:
    """The judgement about a store and its engine."""

    light: Light = Light.GREEN
    reasons: list[str] = field(default_factory=list)
    lag_seconds: float = 0.0
    """For how long the oldest due fire has waited."""
    overview: Overview | None = None
    """Counts, each up to a thousand."""
    attention: list[Concern] = field(default_factory=list)
    """Schedules that need attention, at most twenty, the oldest trouble first."""
    attention_total: int = 0
    """How many there are; at most about fifty of each kind are counted."""
    concerns: list[Concern] = field(default_factory=list)
    """All that were found, of which `attention` has the first."""
    _for_admins: set[str] = field(default_factory=set, init=False, repr=False, compare=False)
    """The reasons that count what belongs to others, too, or are about how the process is set up."""
    words: list[str] = field(default_factory=list, init=False, compare=False)
    """The reasons without counts, times and names: for callers who have shown no token."""

    @property
    def state(self) -> Light:
        """The light, under the name that programs ask for."""
        return self.light

    def blame(self, light: Light, word: str, reason: str | None = None, *, for_admins: bool = False) -> None:
        """Add a reason, and its word for strangers; `for_admins` keeps it from all others."""
        reason = reason or word
        self.reasons.append(reason)
        if word not in self.words:
            self.words.append(word)
        if for_admins:
            self._for_admins.add(reason)
        if light is Light.RED or self.light is Light.GREEN:
            self.light = light

    def about(self, own: Sequence[Concern]) -> Health:
        """Give the health for a caller who sees only some schedules: nothing in it counts those of others."""
        seen = Health(lag_seconds=self.lag_seconds, attention=list(own[:SHOWN]), attention_total=len(own))
        for reason in self.reasons:
            if reason not in self._for_admins:
                seen.blame(self.light, reason)  # what is red counts nothing, so the light is theirs as well
        _judge_concerns(own, seen, frozenset(), engine_runs=self.overview is None or bool(self.overview.nodes))
        return seen


async def examine(
    store: Store, status: EngineStatus, now: datetime, poll: float, *, starting: str | None = None
) -> Health:
    """Judge a store and the engine that asks; `starting` says that a daemon starts on the store."""
    try:
        overview = await store.overview(now, COUNTED)
        found = await find_concerns(store, now)
    except StoreError as error:
        return judge(None, replace(status, store_error=str(error)), now, poll)
    return judge(overview, status, now, poll, found, starting=starting)


async def find_concerns(store: Store, now: datetime) -> list[Concern]:
    """List schedules that need attention, the oldest trouble first, in a time that does not grow with their number."""
    living = await store.serving()
    served = frozenset[str]().union(*living.values())
    troubled = await store.troubled(now, served, ended_after=now - LONG_OVER, limit=LOOKED_AT)
    found = [
        concern
        for row in troubled.rows
        for concern in concerns(subject_of(row, troubled), now=now, served=served, engine_runs=bool(living))
    ]
    return sorted(found, key=oldest_first)


def fault_of(status: EngineStatus, now: datetime, poll: float) -> str | None:
    """Give the reason why an engine cannot do its work, by its own status; None when it can."""
    health = judge(None, status, now, poll)
    return health.reasons[0] if health.light is Light.RED else None


def judge(
    overview: Overview | None,
    status: EngineStatus,
    now: datetime,
    poll: float,
    found: Sequence[Concern] = (),
    *,
    starting: str | None = None,
) -> Health:
    """Judge: red when the engine cannot do its work, yellow when a person should have a look."""
    health = Health(overview=overview, attention=list(found[:SHOWN]), attention_total=len(found), concerns=list(found))
    if status.since_turn > POLLS_UNTIL_RED * poll:
        health.blame(Light.RED, "the loop does not move", f"the loop has not moved for {status.since_turn:.0f} s")
    if status.store_error is not None:
        health.blame(Light.RED, "the store is unavailable", f"the store is unavailable: {status.store_error}")
    elif not status.leased:
        health.blame(Light.RED, "the lease of this engine was not renewed in time: others may have taken over its runs")
    if status.stuck:
        outlived = "runs outlived their timeout and cannot be stopped"
        health.blame(Light.YELLOW, outlived, f"{status.stuck} {outlived}", for_admins=True)
    if status.clock_off:
        ahead = "ahead of" if status.clock_off > 0 else "behind"
        health.blame(
            Light.YELLOW,
            "the clock of this machine is not the database's",
            f"the clock of this machine is {_duration(abs(status.clock_off))} {ahead} the database's, which the engine "
            "goes by: set it right",
        )
    if overview is not None:
        _judge_clock(overview.corrected, health, now)
        _judge_store(overview, health, now, poll, starting)
        _judge_schedules(found, overview, health)
    return health


def _judge_clock(corrected: Corrected | None, health: Health, now: datetime) -> None:
    if corrected is not None and now - corrected.at < LATELY:
        health.blame(
            Light.YELLOW,
            "the clock was corrected",
            f"the clock was {_duration(corrected.ahead_seconds)} ahead until "
            f"{corrected.at.isoformat(timespec='seconds')}; {corrected.schedules} schedules were moved back",
            for_admins=True,
        )


def _duration(seconds: float) -> str:
    return str(timedelta(seconds=round(seconds)))


def _judge_store(overview: Overview, health: Health, now: datetime, poll: float, starting: str | None) -> None:
    health.lag_seconds = _seconds_since(overview.oldest_due_at, now)
    if not overview.nodes and starting is not None:
        health.blame(Light.YELLOW, "duly is starting", starting)
        return
    if not overview.nodes:
        _judge_without_engine(overview, health, POLLS_UNTIL_RED * poll)
        return
    for handler, number in sorted(overview.unserved.items()):
        reason = f"{number} due runs of {handler} wait, and no node serves it"
        health.blame(Light.YELLOW, "due runs wait, and no node serves them", reason, for_admins=True)
    unplanned = _seconds_since(overview.oldest_unplanned_at, now)
    if unplanned > POLLS_UNTIL_RED * poll:
        health.blame(Light.RED, "due fires wait", f"the oldest due fire has waited {unplanned:.0f} s")


def _judge_without_engine(overview: Overview, health: Health, longest: float) -> None:
    """Judge a store without a living node: red once a fire was due, yellow before."""
    nothing_runs = "no engine runs on this store"
    if health.lag_seconds > longest:
        health.blame(
            Light.RED,
            f"{nothing_runs}, and fires are due",
            f"{nothing_runs}, and the oldest due fire has waited {health.lag_seconds:.0f} s: start one with duly up",
        )
    elif overview.enabled or overview.pending:
        health.blame(Light.YELLOW, nothing_runs, f"{nothing_runs}: start one with duly up")


def _judge_schedules(found: Sequence[Concern], overview: Overview, health: Health) -> None:
    if overview.quarantined:
        reason = f"{overview.quarantined} schedules cannot be read and are in quarantine"
        health.blame(Light.YELLOW, "schedules cannot be read", reason, for_admins=True)
    reported = frozenset(unserved_reason(handler) for handler in overview.unserved)
    _judge_concerns(found, health, reported, engine_runs=bool(overview.nodes))


def _judge_concerns(found: Sequence[Concern], health: Health, reported: Collection[str], *, engine_runs: bool) -> None:
    number = Counter(each.kind for each in found)
    for kind, (one, many) in _WORDS.items():
        if number[kind] and (engine_runs or kind is not ConcernKind.OVERDUE):
            health.blame(Light.YELLOW, f"schedules {many}", _many(number[kind], one, many), for_admins=True)
    coming = Counter(each.reason for each in found if each.kind is ConcernKind.UNSERVED and each.reason not in reported)
    for reason, schedules in sorted(coming.items()):
        reason = f"{_many(schedules, 'is', 'are')} served by no node: {reason}"
        health.blame(Light.YELLOW, "schedules are served by no node", reason, for_admins=True)


_WORDS = {
    ConcernKind.FAILING: ("fails", "fail"),
    ConcernKind.OVERDUE: ("is overdue", "are overdue"),
    ConcernKind.UNAUTHORIZED: ("was left by a token that ended", "were left by tokens that ended"),
    ConcernKind.RESTING: ("rests: something is missing here", "rest: something is missing here"),
}


def _many(number: int, one: str, many: str) -> str:
    least = "at least " if number >= LOOKED_AT else ""
    return f"{least}{number} schedule {one}" if number == 1 else f"{least}{number} schedules {many}"


def _seconds_since(moment: datetime | None, now: datetime) -> float:
    return 0.0 if moment is None else max(0.0, (now - moment).total_seconds())
