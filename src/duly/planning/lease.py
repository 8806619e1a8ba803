"""How long an owner may be silent, and when it must stop by itself.

An owner beats three times per lease. It stops acting before others may take over, so that two never act at once
even when neither hears the other.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

DEFAULT_LEASE = 15.0
_BEATS_PER_LEASE = 3
_OWN_SHARE = 0.75
_FIRST_PAUSE = 0.1
_LONGEST_PAUSE = 5.0


@dataclass(frozen=True, slots=True)
class Lease:
    """A lease of so many seconds."""

    seconds: float = DEFAULT_LEASE

    @property
    def beat_every(self) -> float:
        return self.seconds / _BEATS_PER_LEASE

    def must_stop(self, since_last_beat: float) -> bool:
        """Whether an owner that could not beat for so long has to drop its work."""
        return since_last_beat >= self.seconds * _OWN_SHARE


@dataclass(frozen=True, slots=True)
class Place:
    """Where a process is."""

    boot_id: str
    """The machine since its last boot, and where the kernel tells it the namespace in which pids count, with a blank
    between the two: containers on one machine differ in it, and have processes of the same number."""
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


class Nearness(Enum):
    """What can be known of an owner from here."""

    BESIDE = "its pid means the same here, and its clock is ours"
    SAME_MACHINE = "its clock is ours; its pid means nothing here, for it is in another container"
    EARLIER_BOOT = "it was on this machine before the machine was booted"
    ELSEWHERE = "it is, or was, on another machine: neither its pid nor its clock means anything here"


def nearness(owner: Owner, here: Place) -> Nearness:
    """How near an owner is to us."""
    if owner.place.boot_id == here.boot_id:
        return Nearness.BESIDE
    if owner.place.boot == here.boot:
        return Nearness.SAME_MACHINE
    return Nearness.EARLIER_BOOT if owner.place.host == here.host else Nearness.ELSEWHERE


def is_lost(owner: Owner, *, here: Place, boottime: float, pid_started: str | None, unchanged_for: float = 0.0) -> bool:
    """Whether an owner is gone: another boot, another process under its pid, or silence.

    `pid_started` is the start time of the process that has the owner's pid here now; None when there is none.
    `unchanged_for` is for how long we have seen the same last beat of it.
    """
    near = nearness(owner, here)
    if near is Nearness.EARLIER_BOOT:
        return True
    if near is Nearness.ELSEWHERE:
        return unchanged_for > owner.lease
    if near is Nearness.BESIDE and owner.pid_started != pid_started:
        return True
    return boottime - owner.beat_at > owner.lease


def pause_after(failures: int) -> float:
    """Seconds to wait before asking a store again that has failed so often in a row."""
    return min(_FIRST_PAUSE * float(1 << min(failures - 1, 10)), _LONGEST_PAUSE)
