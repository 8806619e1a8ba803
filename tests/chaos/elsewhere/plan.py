"""What a campaign over Celery expects: series of fires, each with the task that carries them out.

Nothing of duly is used here.
"""

from __future__ import annotations

import random

from tests.chaos.plan import OVERLAPS, SECOND, Plan, Series

ONE_ATTEMPT = frozenset({"once", "retried"})
"""Tasks that duly does not try again: they may fail with the worker. The others are tried until they succeed."""
RETRIED_BY_CELERY = "retried"
HASTY = "hasty"
"""The task whose executor lets messages expire."""
_JOBS = ("work", "work", "early", "flaky", "once", "retried", "hasty")
_LENGTHS = ((0.1, 2.0), (2.0, 6.0), (6.0, 20.0))
_HOW_OFTEN = (75, 20, 5)


def draw(seed: int, start: int, seconds: float, *, fires: float = 1.2) -> Plan:
    """A plan from a seed: `fires` single ones in a second, and one series of each overlap."""
    chance = random.Random(f"elsewhere/{seed}")
    once = [
        Series(
            name=f"once-{number}",
            first=start + int(chance.uniform(0, seconds) * SECOND),
            every=SECOND,
            times=1,
            job=chance.choice(_JOBS),
            overlap="skip",
            seconds=round(chance.uniform(*chance.choices(_LENGTHS, _HOW_OFTEN)[0]), 3),
        )
        for number in range(int(seconds * fires))
    ]
    steady = [
        Series(
            name=f"steady-{overlap}",
            first=start,
            every=4 * SECOND,
            times=max(1, int(seconds / 4)),
            job=job,
            overlap=overlap,
            seconds=seconds_of_one,
        )
        for overlap, job, seconds_of_one in zip(OVERLAPS, ("work", "early", "flaky"), (2.5, 1.0, 5.0), strict=True)
    ]
    return Plan(seed=seed, start=start, seconds=seconds, series=(*once, *steady), messages=())
