"""Leases: how long an owner of runs may be without a heartbeat, and when it must stop by itself. Pure.

An owner beats three times per lease, and again soon after a beat that failed. It stops before other nodes may take
over, so that two nodes never carry out the same run, even when they cannot reach each other.

On one machine an owner may miss beats because another process holds the one write lock of the file; the owner is alive.
So a node that finds an owner silent first writes to the store that it doubts the owner, and takes over only when that
doubt has stood for a while without a beat. An owner that cannot beat reads, which needs no lock, whether it is doubted:
while it is not, no node takes over before that while has passed, and it may go on.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum

DEFAULT_LEASE = 15.0
_BEATS_PER_LEASE = 3
_TRIES_PER_LEASE = 30
_LONGEST_FIRST_BEAT = DEFAULT_LEASE / _TRIES_PER_LEASE
_OWN_SHARE = 0.75
_FIRST_PAUSE = 0.1
_LONGEST_PAUSE = 5.0


@dataclass(frozen=True, slots=True)
class Lease:
    """The times that follow from a lease of so many seconds."""

    seconds: float = DEFAULT_LEASE

    @property
    def beat_every(self) -> float:
        return self.seconds / _BEATS_PER_LEASE

    @property
    def retry_every(self) -> float:
        """Seconds before the next try after a beat that failed. After a full pause between beats, an owner whose beats
        fail would learn that it has to stop only when the lease has expired."""
        return self.seconds / _TRIES_PER_LEASE

    @property
    def first_beat(self) -> float:
        """Seconds from the beginning of a suspected run to the next beat of its owner."""
        return min(self.retry_every, _LONGEST_FIRST_BEAT)

    def close_beat(self, age: float) -> float:
        """Seconds until the next beat when the youngest suspected run is so old: as long as it is young the beats are
        close, so that they show how long it was under way when its process died.
        """
        return min(self.beat_every, max(self.first_beat, age / 2))

    @property
    def time_to_answer(self) -> float:
        """Seconds for which a doubt must stand before a node takes over; longer than the time between two beats."""
        return self.seconds / 2

    def must_stop(self, since_last_beat: float, since_last_look: float = math.inf) -> bool:
        """Say whether an owner has to drop its runs, because other nodes may take over soon.

        `since_last_look` is how long ago it read that it was not doubted. The owner uses only three quarters of either
        time, so that it has stopped before another node begins.
        """
        unsure_of_beat = since_last_beat >= self.seconds * _OWN_SHARE
        return unsure_of_beat and since_last_look >= self.time_to_answer * _OWN_SHARE


@dataclass(frozen=True, slots=True)
class Place:
    """The machine and the container of a process."""

    boot_id: str
    """The boot id of the machine and, where the kernel tells it, the pid namespace, with a blank between the two.
    Containers on one machine have different pid namespaces, in which the same pid names different processes."""
    host: str

    @property
    def boot(self) -> str:
        return self.boot_id.partition(" ")[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Owner:
    """A process as its last beat described it."""

    node_id: str
    place: Place
    pid: int
    pid_started: str
    beat_at: float
    """Boot time of the last beat, by the clock of its machine."""
    lease: float
    doubted: bool = False
    """Another node has found it silent since its last beat."""


class Nearness(Enum):
    """What a node can know about an owner from where it is."""

    BESIDE = "its pid means the same here, and it has the same clock"
    SAME_MACHINE = "it has the same clock; its pid means nothing here, for it is in another container"
    EARLIER_BOOT = "it was on this machine before the machine was booted"
    ELSEWHERE = "it is, or was, on another machine: neither its pid nor its clock means anything here"


def nearness(owner: Owner, here: Place) -> Nearness:
    """Give how near an owner is to this process."""
    if owner.place.boot_id == here.boot_id:
        return Nearness.BESIDE
    if owner.place.boot == here.boot:
        return Nearness.SAME_MACHINE
    return Nearness.EARLIER_BOOT if owner.place.host == here.host else Nearness.ELSEWHERE


class OwnerState(Enum):
    """Whether an owner lives, as far as this node can know."""

    ALIVE = "it has beaten within its lease"
    SILENT = "it has not beaten for a lease: it may be dead, or stand still, or wait for the write lock"
    GONE = "its process is not there any more"


def judge(
    owner: Owner, *, here: Place, boottime: float, pid_started: str | None, unchanged_for: float = 0.0
) -> OwnerState:
    """Judge an owner by its boot, its process and its last beat.

    `pid_started` is the start time of the process that has the owner's pid here now; None when there is none.
    `unchanged_for` is for how long this node has seen the same last beat: of an owner on another machine nothing else
    can be known, so it is gone when that is longer than its lease.
    """
    near = nearness(owner, here)
    if near is Nearness.EARLIER_BOOT:
        return OwnerState.GONE
    if near is Nearness.ELSEWHERE:
        return OwnerState.GONE if unchanged_for > owner.lease else OwnerState.ALIVE
    if near is Nearness.BESIDE and owner.pid_started != pid_started:
        return OwnerState.GONE
    return OwnerState.SILENT if boottime - owner.beat_at > owner.lease else OwnerState.ALIVE


def pause_after(failures: int) -> float:
    """Give the seconds to wait before the next call of a store that has failed so often in a row: doubled each time."""
    doublings = min(failures - 1, 10)  # far beyond the longest pause, and no huge number after many failures
    return min(_FIRST_PAUSE * float(1 << doublings), _LONGEST_PAUSE)
