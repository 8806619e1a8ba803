"""The heartbeat: a node renews its lease from a thread, so that a busy loop or a slow handler does not look dead.

The same thread watches the engine's loop, because a loop that stands still cannot report it.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from contextlib import suppress

from duly import failpoints
from duly.clock import Clock
from duly.planning.lease import Lease
from duly.ports.store import Pulse


class Heartbeat:
    """Renews the lease of one node. A thread or a task calls `step` for each beat."""

    def __init__(
        self,
        pulse: Pulse,
        node_id: str,
        lease: Lease,
        clock: Clock,
        on_lost: Callable[[str], None],
        joined_at: float,
    ) -> None:
        self._pulse = pulse
        self._node_id = node_id
        self._lease = lease
        self._clock = clock
        self._on_lost = on_lost
        self.last_beat = joined_at
        """Boot time of the last renewal that is known to have reached the store."""
        self._last_look = -math.inf
        self._failing = False
        self._suspect_since = -math.inf
        self.lost = False

    @property
    def every(self) -> float:
        """Seconds until the next beat; shorter after a beat that failed, and while a suspected run is young."""
        if self._failing:
            return self._lease.retry_every
        return self._lease.close_beat(self._clock.boottime() - self._suspect_since)

    def beat_closely(self) -> None:
        """Beat often for a while: a suspected run begins. The caller wakes who calls `step`."""
        self._suspect_since = self._clock.boottime()

    def may_act(self, asked_at: float = math.inf) -> bool:
        """Say whether no other node can have taken over: then an answer of the store since `asked_at` still holds."""
        now = self._clock.boottime()
        return not self._lease.must_stop(now - min(asked_at, self.last_beat), now - self._last_look)

    def step(self) -> None:
        """Renew the lease. If that failed for too long, report the lease as lost before other nodes may take over."""
        if self.lost:
            return
        if self._failing and self._must_stop():  # another beat could take longer than the lease lasts
            self._lose("could not renew its lease")
            return
        sent = self._clock.boottime()
        try:
            failpoints.hit("heartbeat.beat")
            alive = self._pulse.beat(self._node_id)
        except Exception:  # of any kind: the store has not recorded the beat
            self._failing = True
            if self._must_stop():
                self._lose("could not renew its lease")
            return
        self._failing = False
        if alive:
            self.last_beat = sent
        else:
            self._lose("was taken for dead")

    def _must_stop(self) -> bool:
        self._look()
        return not self.may_act()

    def _look(self) -> None:
        """Read whether another node doubts this one: a store that is too busy to write can still be read."""
        asked = self._clock.boottime()
        with suppress(Exception):  # then nothing new is known
            if self._pulse.is_undoubted(self._node_id):
                self._last_look = asked

    def _lose(self, why: str) -> None:
        self.lost = True
        self._on_lost(f"{self._node_id} {why}")

    def close(self) -> None:
        self._pulse.close()


class HeartbeatThread:
    """Beats, and calls `watch` after each beat, in a thread."""

    def __init__(self, heartbeat: Heartbeat, watch: Callable[[], None]) -> None:
        self._heartbeat = heartbeat
        self._watch = watch
        self._stopping = False
        self._awake = threading.Event()
        self._thread = threading.Thread(target=self._run, name="duly-heartbeat", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Stop beating. Idempotent; the thread has ended when this returns."""
        self._stopping = True
        self._awake.set()
        if self._thread.is_alive() and not self._heartbeat.lost:  # a lost one ends when its store answers
            self._thread.join()

    def wake(self) -> None:
        """Beat at once."""
        self._awake.set()

    def _run(self) -> None:
        try:
            while not self._heartbeat.lost:
                self._awake.wait(self._heartbeat.every)
                self._awake.clear()
                if self._stopping:
                    return
                self._heartbeat.step()
                self._watch()
        finally:
            self._heartbeat.close()
