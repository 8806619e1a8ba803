"""A node that cannot renew its lease stops before the lease has expired, however its beats fail."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import pairwise

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


class Node:
    """A heartbeat, and the time at which it reported its lease as lost."""

    def __init__(self, takes: float) -> None:
        self.clock = VirtualClock(START)
        self.pulse = FailingPulse(self.clock, takes)
        self.joined_at = self.clock.boottime()
        self.lost_after: list[float] = []
        self.heartbeat = Heartbeat(self.pulse, "node", LEASE, self.clock, self._lost, self.joined_at)

    def _lost(self, _why: str) -> None:
        self.lost_after.append(self.clock.boottime() - self.joined_at)

    def beat_once(self) -> None:
        self.clock.advance(self.heartbeat.every)
        self.heartbeat.step()

    def beat_until_lost(self) -> float:
        while not self.heartbeat.lost:
            self.beat_once()
        (seconds,) = self.lost_after
        return seconds


@pytest.mark.parametrize("takes", [0.0, 0.5, 1.36, LEASE.seconds / 8])
def test_a_node_stops_before_its_lease_expires(takes: float) -> None:
    """Refused at once, or after a while, so that one beat fails just before it has to stop; or not answered at all."""
    assert LEASE.seconds * 0.75 <= Node(takes).beat_until_lost() <= LEASE.seconds * 0.875


def test_after_a_failed_beat_it_tries_again_soon_and_then_goes_on_as_before() -> None:
    node = Node(takes=0.0)
    node.beat_once()
    assert node.heartbeat.every == LEASE.retry_every
    node.pulse.works = True
    node.beat_once()
    assert node.heartbeat.every == LEASE.beat_every
    assert node.heartbeat.last_beat == node.clock.boottime()
    assert not node.heartbeat.lost


def test_a_machine_that_slept_past_its_lease_asks_before_it_gives_up() -> None:
    """It may be that no other node has noticed."""
    node = Node(takes=0.0)
    node.pulse.works = True
    node.clock.advance(3600)
    node.beat_once()
    assert not node.heartbeat.lost


def test_while_a_busy_store_says_that_no_node_doubts_it_it_goes_on() -> None:
    node = Node(takes=LEASE.retry_every)
    node.pulse.is_busy = True
    for _ in range(300):
        node.beat_once()
    assert not node.heartbeat.lost
    node.pulse.is_busy = False
    said = node.clock.boottime()
    node.beat_until_lost()
    assert node.clock.boottime() - said < LEASE.time_to_answer, "a doubt that is written down now has to stand so long"


def test_the_beats_are_close_while_a_suspected_run_is_young() -> None:
    """So close that they tell how long it was under way to within half of that."""
    node = Node(takes=0)
    node.pulse.works = True
    assert node.heartbeat.every == LEASE.beat_every
    node.heartbeat.beat_closely()
    began, ages = node.clock.boottime(), [0.0]
    while node.heartbeat.every < LEASE.beat_every:
        node.beat_once()
        ages.append(node.clock.boottime() - began)
    assert ages[1] == pytest.approx(LEASE.first_beat)
    assert all(later - earlier <= max(LEASE.first_beat, earlier / 2) + 1e-9 for earlier, later in pairwise(ages))
    assert ages[-1] >= LEASE.beat_every
    assert len(ages) < 15
