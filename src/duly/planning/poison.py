"""Poison: which run is given up because it ends the processes that carry it out. Pure.

A death does not say what caused it, so the deaths of a run prove nothing by themselves: something outside may kill
processes all the time. What proves something is chance. A run that died with its process twice is begun again at a
random moment of a window. Other causes of deaths know nothing of that moment, so they rarely come just after it:
when the moment is one of `n` that are equally likely, once in `n` times. A run that ends its process does so each time.

So each further death is a trial. It speaks against the run if the process was heard of for the last time before the
run had been under way for longer than the last two times, and then it weighs `log2` of the improbability, in bits. A
run that outlived that moment is cleared of all earlier trials. At `ENOUGH` bits the run is given up. Each run is judged
by its own trials alone, so it does not matter how many died with it. The derivation is in docs/engine.md.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple

from duly.planning.lease import DEFAULT_LEASE, Lease

if TYPE_CHECKING:
    from duly.model.policy import Retry

MAX_LOST_ATTEMPTS = 3
"""No run is given up before so many attempts were lost with their process, or more if its policy allows more."""
HOPELESS = 100
"""Lost attempts after which a run is given up without proof, so that none goes on for ever."""
ENOUGH = 20.0
"""Bits of proof: a run that has nothing to do with its deaths gets there once in a million deaths at most."""
LONGEST_WINDOW = timedelta(days=1)
UNSUSPECTED = 2
"""Attempts that raise the suspicion, if they are lost; those after them are trials."""
_FENCES_APART = 2  # between attempts that follow each other: one step when it is taken back, one when it is claimed
_FIRST_WINDOW = 32  # times the reach of the shortest trial
_LEAST_WORTH = 4.0  # bits: a trial that is worth less, or clears the run, is followed by one of twice the window
_LONGER = 1.5
_EARLY = timedelta(seconds=1)  # an engine may plan ahead by less than this

IsPoison = Callable[[str, int], bool]
"""Says whether a run of this policy may be given up after so many deaths; of a damaged policy, even after none."""


def is_poison(retry: Retry, lost: int) -> bool:
    """Say whether a run may be given up that lost so many attempts with their process; failures do not count."""
    return lost >= max(MAX_LOST_ATTEMPTS, retry.max_attempts or 0)


class Lost(NamedTuple):
    """An attempt that was lost with its process."""

    fence: int
    began_at: datetime | None
    heard_at: datetime | None
    """The last sign of life of the process; None when nothing is known of it."""
    taken_back_at: datetime
    lease: float = DEFAULT_LEASE
    """Seconds: they decide how often the process gave a sign of life."""


class UnderWay(NamedTuple):
    """A run that was under way when its process died."""

    run_id: str
    policy: str
    lost: int
    """The deaths it has been in before this one, since it was last cleared."""
    history: Sequence[Lost] = ()
    """The attempts that were lost, this one last; at the first death they are not asked for."""

    @property
    def deaths(self) -> int:
        """The deaths it has been in, this one included."""
        return self.lost + 1


class Fate(NamedTuple):
    """The decision about a run whose process died: given up, or begun again after a wait."""

    dead: bool
    lost: int
    """The deaths that stay on its record."""
    wait: timedelta = timedelta()


class Suspicion(NamedTuple):
    """What the deaths of a run so far say about it."""

    bits: float
    """The proof that it ends its processes."""
    window: timedelta
    """The time over which the moment of its next beginning is spread."""


def fates(left: Iterable[UnderWay], is_poison: IsPoison, losses: Sequence[datetime] = ()) -> list[Fate]:
    """Decide about runs that were under way when their process died, in the order given.

    `losses` are the last signs of life of all processes that died, in order.
    """
    damaged: dict[str, bool] = {}
    decided = []
    for run in left:
        if (unreadable := damaged.get(run.policy)) is None:
            unreadable = damaged[run.policy] = is_poison(run.policy, 0)
        decided.append(Fate(dead=True, lost=run.deaths) if unreadable else _fate(run, is_poison, losses))
    return decided


def _fate(run: UnderWay, is_poison: IsPoison, losses: Sequence[datetime]) -> Fate:
    history = run.history[-run.deaths :]
    if run.lost == 0 or not history:
        return Fate(dead=False, lost=run.deaths)
    suspicion = suspected(run.run_id, history, losses)
    if (suspicion.bits >= ENOUGH or run.deaths >= HOPELESS) and is_poison(run.policy, run.deaths):
        return Fate(dead=True, lost=run.deaths)
    wait = _share(run.run_id, history[-1].taken_back_at) * suspicion.window
    return Fate(dead=False, lost=run.deaths, wait=wait)


def innocents(
    lost: Mapping[str, int], histories: Mapping[str, Sequence[Lost]], losses: Sequence[datetime]
) -> list[str]:
    """Find, among runs that were lost so often, those that nothing speaks against: another run was found to have ended
    its processes, so they need not wait for their moment.
    """
    known = ((run_id, histories.get(run_id, ())[-times:]) for run_id, times in lost.items())
    return [run_id for run_id, history in known if not history or not suspected(run_id, history, losses).bits]


def suspected(run_id: str, history: Sequence[Lost], losses: Sequence[datetime]) -> Suspicion:
    """Judge a run by the attempts that were lost, in order."""
    bits = 0.0
    window = min(2 * _FIRST_WINDOW * max(map(_shortest, history[:UNSUSPECTED])), LONGEST_WINDOW)
    for number, attempt in enumerate(history, 1):
        if number > UNSUSPECTED:
            before = history[number - 1 - UNSUSPECTED : number - 1]
            soon = max(_shortest(attempt), *(_LONGER * _life(each) for each in before))
            due = before[-1].taken_back_at
            due += _share(run_id, due) * window
            worth = None
            if _dies_soon(attempt, before[-1], due, soon):
                worth = _worth(window / (2 * soon), _rank(attempt, before[-1].taken_back_at, due + soon, losses))
            bits = 0.0 if worth is None else max(0.0, bits + worth)
            if worth is None or worth < _LEAST_WORTH:
                window = min(2 * window, LONGEST_WINDOW)
    return Suspicion(bits, window)


def _shortest(attempt: Lost) -> timedelta:
    """Give the shortest life of a suspected run that differs from none: it is how often its process beats then."""
    return timedelta(seconds=Lease(attempt.lease).first_beat)


def _life(attempt: Lost) -> timedelta:
    """Give how long a run was under way for all that is known."""
    if attempt.began_at is None or attempt.heard_at is None:
        return timedelta()
    return attempt.heard_at - attempt.began_at


def _share(run_id: str, taken_back_at: datetime) -> float:
    """Give the place of a run in its window, from 0 to less than 1: a number that nothing else has to do with, and
    that anybody can compute again."""
    drawn = blake2b(f"{run_id} {taken_back_at.timestamp():.6f}".encode(), digest_size=8).digest()
    return int.from_bytes(drawn) / 2**64


def _dies_soon(attempt: Lost, before: Lost, due: datetime, soon: timedelta) -> bool:
    """Say whether an attempt was begun at its random moment, and nothing was heard of it when it should have been."""
    return (
        attempt.fence == before.fence + _FENCES_APART
        and attempt.began_at is not None
        and attempt.heard_at is not None
        and due - _EARLY <= attempt.began_at < due + soon
        and attempt.heard_at < due + soon
    )


def _rank(attempt: Lost, since: datetime, until: datetime, losses: Sequence[datetime]) -> int:
    """Say how many processes died in the window up to this death, this one included."""
    died = bisect_left(losses, until) - bisect_right(losses, since)
    counts_itself = attempt.heard_at is not None and since < attempt.heard_at < until
    return 1 + max(0, died - counts_itself)


def _worth(parts: float, rank: int) -> float:
    """Weigh a death that came in the one part of so many parts of the window that lies after the beginning.

    What ends processes anyway does that with one of its deaths as rarely as with another. So the proof of all of them
    together is shared out: half of it to the first death in the window, a sixth to the second, a twelfth to the third.
    """
    return math.log2(parts / (rank * (rank + 1)))
