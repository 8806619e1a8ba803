"""Injects faults into a fleet of processes, one after the other, in an order drawn from a seed.

Every kind of fault comes once, in an order of the seed, before any comes a second time.
"""

from __future__ import annotations

import heapq
import itertools
import random
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from tests.chaos.fleet import Diary, ProcessSlot
from tests.postgres_server import OwnServer

Action = Callable[[], None]
_LOOK_EVERY = 0.1
_AWAY = (0.0, 2.0)
"""Seconds until a process that was killed is started again."""
_LONG = (1.1, 2.2)
"""Leases for which a process is frozen or cut off, so that it loses its lease: on SQLite after one and a half."""
_BRIEF = (0.1, 0.5)


@dataclass(frozen=True, slots=True)
class Weather:
    """Which faults come, how often compared with each other, and in which distance."""

    faults: Mapping[str, int]
    remote_faults: Mapping[str, int]
    pause: tuple[float, float]
    """Seconds between two faults."""


CHANGEABLE = Weather(
    {"kill": 30, "freeze": 12, "stop": 20}, {"partition": 18, "server restart": 8, "cut commits": 12}, (0.5, 4.0)
)
STORM = Weather({"kill": 140, "freeze": 13}, {"server restart": 15}, (0.2, 1.9))
"""Mostly kills, one in a second: in it runs that had nothing to do with it used to be given up."""


class FaultInjector:
    """Injects faults, and repairs the fleet after each of them."""

    def __init__(
        self,
        slots: Sequence[ProcessSlot],
        server: OwnServer | None,
        diary: Diary,
        seed: int,
        weather: Weather = CHANGEABLE,
    ) -> None:
        self._slots = slots
        self._server = server
        self._diary = diary
        self._chance = random.Random(f"weather/{seed}")
        self._pause = weather.pause
        self._rates = {**weather.faults, **(weather.remote_faults if server is not None else {})}
        self._first_round = self._chance.sample([*self._rates], len(self._rates))
        self._ahead: list[tuple[float, int, Action]] = []
        self._numbers = itertools.count()

    def inject(self, until: float) -> None:
        """Inject faults until a moment of the monotonic clock, and until every kind has come once."""
        self._later(self._chance.uniform(*self._pause), self._inject_next)
        while time.monotonic() < until or self._first_round:
            self._act()
            time.sleep(_LOOK_EVERY)

    def repair_all(self) -> None:
        """End all faults: connect and thaw every process."""
        self._ahead.clear()
        for slot in self._slots:
            if slot.proxy is not None:
                slot.proxy.cut_commits(0)
            slot.connect_again()
            slot.thaw()

    def keep_alive(self) -> None:
        """Notice processes that have ended, and start them again."""
        for slot in self._slots:
            slot.look()
            if slot.child is None:
                slot.start()

    def _act(self) -> None:
        now = time.monotonic()
        while self._ahead and self._ahead[0][0] <= now:
            heapq.heappop(self._ahead)[2]()
        for slot in self._slots:
            had_one = slot.child is not None
            slot.look()
            if had_one and slot.child is None:
                self._start_again(slot)

    def _later(self, seconds: float, action: Action) -> None:
        heapq.heappush(self._ahead, (time.monotonic() + seconds, next(self._numbers), action))

    def _inject_next(self) -> None:
        sound = [slot for slot in self._slots if slot.child is not None and not slot.is_troubled]
        if sound:
            self._do(self._next_fault(), self._chance.choice(sound))
        self._later(self._chance.uniform(*self._pause), self._inject_next)

    def _next_fault(self) -> str:
        if self._first_round:
            return self._first_round.pop()
        return self._chance.choices([*self._rates], [*self._rates.values()])[0]

    def _do(self, fault: str, slot: ProcessSlot) -> None:
        if fault == "server restart":
            self._restart_server()
        elif fault == "kill":
            self._kill(slot)
        elif fault == "freeze":
            self._freeze(slot)
        elif fault == "stop":
            self._stop(slot)
        elif fault == "partition":
            self._partition(slot)
        else:
            self._cut(slot)

    def _kill(self, slot: ProcessSlot) -> None:
        """At any moment; now and then while it is frozen, cut off, or asked to stop."""
        worse = [each for each in self._slots if each.child is not None and each.is_troubled]
        if worse and self._chance.random() < 0.3:
            slot = self._chance.choice(worse)
        slot.kill()
        self._start_again(slot)

    def _start_again(self, slot: ProcessSlot) -> None:
        def start() -> None:
            if slot.child is None:
                slot.start()

        self._later(self._chance.uniform(*_AWAY), start)

    def _freeze(self, slot: ProcessSlot) -> None:
        slot.freeze()
        self._later(self._length(slot), slot.thaw)

    def _stop(self, slot: ProcessSlot) -> None:
        """Now and then while nothing is answered."""
        if slot.proxy is not None and self._chance.random() < 0.3:
            slot.cut_off(answers_only=False)
            self._later(slot.lease, slot.connect_again)
        slot.ask_to_stop()

    def _partition(self, slot: ProcessSlot) -> None:
        slot.cut_off(answers_only=self._chance.random() < 0.3)
        reset = self._chance.random() < 0.5
        self._later(self._length(slot), lambda: slot.connect_again(reset=reset))

    def _cut(self, slot: ProcessSlot) -> None:
        proxy = slot.proxy
        if proxy is not None:
            proxy.cut_commits(self._chance.choice((1, 2, 5)), unasked=self._chance.random() < 0.3)
            self._diary.note("cut commits", time.monotonic(), process=slot.process)
            self._later(self._chance.uniform(1, 5), lambda: proxy.cut_commits(0))

    def _restart_server(self) -> None:
        if self._server is not None:
            begin = time.monotonic()
            self._server.restart("immediate")
            self._diary.note("server restart", begin, time.monotonic())

    def _length(self, slot: ProcessSlot) -> float:
        """Mostly longer than the lease."""
        share = self._chance.uniform(*(_LONG if self._chance.random() < 0.7 else _BRIEF))
        return share * slot.lease
