"""A node that cannot renew its lease stops before the lease is over, whatever way its beats fail."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from duly.engine.heartbeat import Heartbeat
from duly.errors import StoreUnavailableError
from duly.planning.lease import Lease
from duly.testing.clock import VirtualClock

START = datetime(2026, 1, 1, tzinfo=UTC)
LEASE = Lease(12.0)


class FailingPulse:
    """A store that hears no beat, or only some; each answer takes so long."""

    def __init__(self, clock: VirtualClock, takes: float) -> None:
        self._clock = clock
        self._takes = takes
        self.works = False
        self.is_busy = False
        """Whether it can be read all the same, and says that no other node doubts us."""
        self.beats = 0

    def beat(self, node_id: str) -> bool:
        self.beats += 1
        self._clock.advance(self._takes)
        if not self.works:
            raise StoreUnavailableError(f"no answer to {node_id}")
        return True

    def is_undoubted(self, node_id: str) -> bool:
        return self.is_busy and bool(node_id)

    def close(self) -> None:
        pass


class Patient:
    """A heart and when it gave up."""

    def __init__(self, takes: float) -> None:
        self.clock = VirtualClock(START)
        self.pulse = FailingPulse(self.clock, takes)
        self.joined_at = self.clock.boottime()
        self.lost_after: list[float] = []
        self.heart = Heartbeat(self.pulse, "node", LEASE, self.clock, self._lost, self.joined_at)

    def _lost(self, _why: str) -> None:
        self.lost_after.append(self.clock.boottime() - self.joined_at)

    def beat_once(self) -> None:
        self.clock.advance(self.heart.every)
        self.heart.step()

    def beat_until_lost(self) -> float:
        while not self.heart.lost:
            self.beat_once()
        (seconds,) = self.lost_after
        return seconds


@pytest.mark.parametrize("takes", [0.0, 0.5, 1.36, LEASE.seconds / 8])
def test_it_stops_with_time_to_spare(takes: float) -> None:
    """Refused at once, or after a while, so that one beat fails just before it has to stop; or not answered at all."""
    assert LEASE.seconds * 0.75 <= Patient(takes).beat_until_lost() <= LEASE.seconds * 0.875


def test_after_a_failed_beat_it_tries_again_soon_and_then_goes_on_as_before() -> None:
    patient = Patient(takes=0.0)
    patient.beat_once()
    assert patient.heart.every == LEASE.retry_every
    patient.pulse.works = True
    patient.beat_once()
    assert patient.heart.every == LEASE.beat_every
    assert patient.heart.last_beat == patient.clock.boottime()
    assert not patient.heart.lost


def test_a_machine_that_slept_past_its_lease_asks_before_it_gives_up() -> None:
    """It may be that no other node has noticed."""
    patient = Patient(takes=0.0)
    patient.pulse.works = True
    patient.clock.advance(3600)
    patient.beat_once()
    assert not patient.heart.lost


def test_while_a_busy_store_says_that_no_node_doubts_it_it_goes_on() -> None:
    patient = Patient(takes=LEASE.retry_every)
    patient.pulse.is_busy = True
    for _ in range(300):
        patient.beat_once()
    assert not patient.heart.lost
    patient.pulse.is_busy = False
    said = patient.clock.boottime()
    patient.beat_until_lost()
    assert patient.clock.boottime() - said < LEASE.time_to_answer, (
        "a doubt that is written down now has to stand so long"
    )
