"""Processes that die, and the runs they carry out: a small world around the rule that says which run is given up.

It knows only beats, beginnings and ends. Whatever ends processes from outside is drawn before anything else happens,
so it knows nothing of the runs.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from duly.planning.lease import Lease
from duly.planning.poison import Fate, Lost, UnderWay, fates

START = datetime(2026, 11, 16, 12, tzinfo=UTC)
LEASE = 15.0
NEVER = float("inf")


@dataclass
class Subject:
    """A run: how long it takes, and after which time under way it ends its process."""

    name: str
    length: float = NEVER
    kills_after: Callable[[], float] = lambda: NEVER
    due: float = 0.0
    began: float = 0.0
    fence: int = 0
    lost: int = 0
    history: list[Lost] = field(default_factory=list)
    status: str = "pending"
    deadly_at: float = NEVER


@dataclass
class Slot:
    """A place where a process is: it dies, and another comes."""

    kills: Sequence[float]
    """When something outside kills the process here."""
    up_at: float = 0.0
    under_way: list[Subject] = field(default_factory=list)

    def next_kill(self, after: float) -> float:
        place = bisect_left(self.kills, after)
        return self.kills[place] if place < len(self.kills) else NEVER


@dataclass
class World:
    """Slots and runs; `play` goes from death to death."""

    subjects: list[Subject]
    slots: list[Slot]
    down: float = 1.0
    judge: Callable[..., list[Fate]] = fates
    limit: int = 3
    deaths: int = 0
    now: float = 0.0
    losses: list[datetime] = field(default_factory=list)
    turn: int = 0

    def play(self, until: float, done: Callable[[], bool] = lambda: False) -> None:
        while self.now < until and not done():
            self._step(until)

    def _step(self, until: float) -> None:
        """Go to the next thing that happens, and do it."""
        waiting = [each for each in self.subjects if each.status == "pending"]
        up = [slot for slot in self.slots if slot.up_at <= self.now]
        if up:
            for each in [each for each in waiting if each.due <= self.now]:
                self.turn += 1
                self._begin(each, up[self.turn % len(up)])
            waiting = [each for each in waiting if each.status == "pending"]
        ahead = [each.due for each in waiting if each.due > self.now]
        ahead += [slot.up_at for slot in self.slots if slot.up_at > self.now]
        ends = [(each.began + each.length, each, slot) for slot in self.slots for each in slot.under_way]
        deaths = [(self._death(slot), slot) for slot in self.slots]
        end, subject, place = min(ends, key=lambda each: each[0], default=(NEVER, None, None))
        death, slot = min(deaths, key=lambda each: each[0])
        soonest = min([end, death, *ahead, until])
        self.now = soonest
        if soonest == death and death < until:
            self._die(slot)
        elif subject is not None and place is not None and soonest == end:
            place.under_way.remove(subject)
            subject.status = "succeeded"

    def _begin(self, subject: Subject, slot: Slot) -> None:
        subject.status, subject.began = "running", self.now
        subject.fence += 1
        subject.deadly_at = self.now + subject.kills_after()
        slot.under_way.append(subject)

    def _death(self, slot: Slot) -> float:
        outside = slot.next_kill(max(slot.up_at, self.now))
        return min([outside, *(each.deadly_at for each in slot.under_way)])

    def _die(self, slot: Slot) -> None:
        self.deaths += 1
        heard = self._heard(slot)
        insort(self.losses, moment(heard))
        left = []
        for each in slot.under_way:
            each.history.append(Lost(each.fence, moment(each.began), moment(heard), moment(self.now), LEASE))
            each.fence += 1
            left.append(UnderWay(each.name, str(self.limit), each.lost, each.history))
        slot.up_at = self.now + self.down
        for each, fate in zip(slot.under_way, self.judge(left, is_poison, self.losses), strict=True):
            each.status = "dead" if fate.dead else "pending"
            each.lost, each.due = fate.lost, self.now + fate.wait.total_seconds()
        slot.under_way = []
        self.now += 1e-6

    def _heard(self, slot: Slot) -> float:
        """The last beat: every third of a lease, and closely while a suspected run is young."""
        lease = Lease(LEASE)
        heard = slot.up_at + (self.now - slot.up_at) // lease.beat_every * lease.beat_every
        for each in slot.under_way:
            if each.lost >= 2:
                beat = each.began
                while beat <= self.now:
                    heard = max(heard, beat)
                    beat += lease.close_beat(beat - each.began)
                    if beat - each.began > lease.seconds:
                        break
        return heard


def moment(seconds: float) -> datetime:
    return START + timedelta(seconds=seconds)


def is_poison(policy: str, lost: int) -> bool:
    return lost >= int(policy)
