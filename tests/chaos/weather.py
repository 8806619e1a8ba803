"""Which fault comes when: drawn from a seed, one after the other, on a fleet that is put right again each time.

Every kind of fault comes once, in an order of the seed, before any comes a second time.
"""

from __future__ import annotations

import heapq
import itertools
import random
import time
from collections.abc import Callable, Sequence

from tests.chaos.fleet import Diary, Place
from tests.postgres_server import OwnServer

Action = Callable[[], None]
_LOOK_EVERY = 0.1
_CALM = (0.5, 4.0)
"""Seconds between two faults."""
_AWAY = (0.0, 2.0)
"""Seconds until a process that was killed is started again."""
_LONG = (1.1, 2.2)
"""Leases for which a process is frozen or cut off, so that it loses its lease: on SQLite after one and a half."""
_BRIEF = (0.1, 0.5)
_FAULTS = {"kill": 30, "freeze": 12, "stop": 20}
_REMOTE_FAULTS = {"partition": 18, "server restart": 8, "cut commits": 12}


class Weather:
    """Does the faults, and what has to follow each of them."""

    def __init__(self, places: Sequence[Place], server: OwnServer | None, diary: Diary, seed: int) -> None:
        self._places = places
        self._server = server
        self._diary = diary
        self._chance = random.Random(f"weather/{seed}")
        self._rates = {**_FAULTS, **(_REMOTE_FAULTS if server is not None else {})}
        self._first_round = self._chance.sample([*self._rates], len(self._rates))
        self._ahead: list[tuple[float, int, Action]] = []
        self._numbers = itertools.count()

    def rage(self, until: float) -> None:
        """One fault after the other, until a moment of the monotonic clock, and until every kind has come once."""
        self._later(self._chance.uniform(*_CALM), self._strike)
        while time.monotonic() < until or self._first_round:
            self._act()
            time.sleep(_LOOK_EVERY)

    def clear_up(self) -> None:
        """No more faults: everything is put right, and every process runs."""
        self._ahead.clear()
        for place in self._places:
            if place.proxy is not None:
                place.proxy.cut_commits(0)
            place.connect_again()
            place.thaw()

    def keep_alive(self) -> None:
        """Notice processes that have ended, and start them again."""
        for place in self._places:
            place.look()
            if place.child is None:
                place.start()

    def _act(self) -> None:
        now = time.monotonic()
        while self._ahead and self._ahead[0][0] <= now:
            heapq.heappop(self._ahead)[2]()
        for place in self._places:
            had_one = place.child is not None
            place.look()
            if had_one and place.child is None:
                self._start_again(place)

    def _later(self, seconds: float, action: Action) -> None:
        heapq.heappush(self._ahead, (time.monotonic() + seconds, next(self._numbers), action))

    def _strike(self) -> None:
        sound = [place for place in self._places if place.child is not None and not place.is_troubled]
        if sound:
            self._do(self._next_fault(), self._chance.choice(sound))
        self._later(self._chance.uniform(*_CALM), self._strike)

    def _next_fault(self) -> str:
        if self._first_round:
            return self._first_round.pop()
        return self._chance.choices([*self._rates], [*self._rates.values()])[0]

    def _do(self, fault: str, place: Place) -> None:
        if fault == "server restart":
            self._restart_server()
        elif fault == "kill":
            self._kill(place)
        elif fault == "freeze":
            self._freeze(place)
        elif fault == "stop":
            self._stop(place)
        elif fault == "partition":
            self._partition(place)
        else:
            self._cut(place)

    def _kill(self, place: Place) -> None:
        """At any moment; now and then while it is frozen, cut off, or asked to stop."""
        worse = [each for each in self._places if each.child is not None and each.is_troubled]
        if worse and self._chance.random() < 0.3:
            place = self._chance.choice(worse)
        place.kill()
        self._start_again(place)

    def _start_again(self, place: Place) -> None:
        def start() -> None:
            if place.child is None:
                place.start()

        self._later(self._chance.uniform(*_AWAY), start)

    def _freeze(self, place: Place) -> None:
        place.freeze()
        self._later(self._length(place), place.thaw)

    def _stop(self, place: Place) -> None:
        """Now and then while nothing is answered."""
        if place.proxy is not None and self._chance.random() < 0.3:
            place.cut_off(answers_only=False)
            self._later(place.lease, place.connect_again)
        place.ask_to_stop()

    def _partition(self, place: Place) -> None:
        place.cut_off(answers_only=self._chance.random() < 0.3)
        reset = self._chance.random() < 0.5
        self._later(self._length(place), lambda: place.connect_again(reset=reset))

    def _cut(self, place: Place) -> None:
        proxy = place.proxy
        if proxy is not None:
            proxy.cut_commits(self._chance.choice((1, 2, 5)), unasked=self._chance.random() < 0.3)
            self._diary.note("cut commits", time.monotonic(), process=place.process)
            self._later(self._chance.uniform(1, 5), lambda: proxy.cut_commits(0))

    def _restart_server(self) -> None:
        if self._server is not None:
            begin = time.monotonic()
            self._server.restart("immediate")
            self._diary.note("server restart", begin, time.monotonic())

    def _length(self, place: Place) -> float:
        """Mostly longer than the lease."""
        share = self._chance.uniform(*(_LONG if self._chance.random() < 0.7 else _BRIEF))
        return share * place.lease
