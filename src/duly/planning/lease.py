"""How long an owner may be silent, and when it must stop by itself.

An owner beats three times per lease, and again soon after a beat that failed. It stops acting before others may take
over, so that two never act at once even when neither hears the other.

On one machine an owner may be silent because it could not write: another process holds the one write lock of the file.
That is no death. So there a node that finds another one silent first writes down that it doubts it, and takes over only
when that has stood in the store for a while and the owner has not beaten. An owner that cannot beat looks, which needs
no lock, whether it is doubted: as long as it is not, nobody takes over for that while, and it may go on.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum

DEFAULT_LEASE = 15.0
_BEATS_PER_LEASE = 3
_TRIES_PER_LEASE = 30
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

    @property
    def retry_every(self) -> float:
        """How soon to try again after a beat that failed. After a full pause, an owner whose beats are refused would
        learn that it has to stop only when the lease is over."""
        return self.seconds / _TRIES_PER_LEASE

    @property
    def time_to_answer(self) -> float:
        """For how long a doubt has to be there to read before anybody takes over: longer than from beat to beat."""
        return self.seconds / 2

    def must_stop(self, since_last_beat: float, since_last_look: float = math.inf) -> bool:
        """Whether an owner has to drop its work, because others may take over before long.

        `since_last_look` is how long ago it looked and was not doubted.
        """
        unsure_of_beat = since_last_beat >= self.seconds * _OWN_SHARE
        return unsure_of_beat and since_last_look >= self.time_to_answer * _OWN_SHARE


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
    doubted: bool = False
    """Another node has found it silent since its last beat."""


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


class Verdict(Enum):
    """What has become of an owner, as far as can be known from here."""

    ALIVE = "it has beaten within its lease"
    SILENT = "it has not beaten for a lease: it may be gone, or stand still, or wait for its turn to write"
    GONE = "its process is not there any more"


def judge(
    owner: Owner, *, here: Place, boottime: float, pid_started: str | None, unchanged_for: float = 0.0
) -> Verdict:
    """What has become of an owner: another boot, another process under its pid, silence.

    `pid_started` is the start time of the process that has the owner's pid here now; None when there is none.
    `unchanged_for` is for how long we have seen the same last beat of it: of an owner on another machine that is all
    that can be known, and a lease of it is enough.
    """
    near = nearness(owner, here)
    if near is Nearness.EARLIER_BOOT:
        return Verdict.GONE
    if near is Nearness.ELSEWHERE:
        return Verdict.GONE if unchanged_for > owner.lease else Verdict.ALIVE
    if near is Nearness.BESIDE and owner.pid_started != pid_started:
        return Verdict.GONE
    return Verdict.SILENT if boottime - owner.beat_at > owner.lease else Verdict.ALIVE


def pause_after(failures: int) -> float:
    """Seconds to wait before asking a store again that has failed so often in a row."""
    return min(_FIRST_PAUSE * float(1 << min(failures - 1, 10)), _LONGEST_PAUSE)
