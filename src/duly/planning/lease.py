"""How long an owner may be silent, and when it must stop by itself.

An owner beats three times per lease. It stops acting before others may take over, so that two never act at once
even when neither hears the other.
"""

from __future__ import annotations

from dataclasses import dataclass

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
class Owner:
    """A process as its last beat described it."""

    node_id: str
    boot_id: str
    pid: int
    pid_started: str
    beat_at: float
    """Boot time of the last beat."""
    lease: float


def is_lost(owner: Owner, *, boot_id: str, boottime: float, pid_started: str | None) -> bool:
    """Whether an owner on this machine is gone: another boot, another process under its pid, or silence.

    `pid_started` is the start time of the process that has the owner's pid now; None when there is none.
    """
    if owner.boot_id != boot_id or owner.pid_started != pid_started:
        return True
    return boottime - owner.beat_at > owner.lease


def pause_after(failures: int) -> float:
    """Seconds to wait before asking a store again that has failed so often in a row."""
    return min(_FIRST_PAUSE * float(1 << min(failures - 1, 10)), _LONGEST_PAUSE)
