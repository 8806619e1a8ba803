"""The scenario of a simulation: schedules, engines and faults, all drawn from a seed.

Times are drawn relative to the length of the whole, so that hours and weeks cost about the same number of turns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from random import Random

from duly.engine.settings import EngineSettings
from duly.service.schedules.drafts import Draft
from tests.sim.draws import draw_draft
from tests.sim.faults import Rates, seeded_random

JOBS = ("alpha", "beta")

# An hour or two before clocks change in the zones the schedules are read in.
_STARTS = (
    datetime(2026, 3, 28, 23, 20, tzinfo=UTC),  # Europe, forward
    datetime(2026, 10, 24, 23, 10, tzinfo=UTC),  # Europe, back
    datetime(2026, 3, 8, 5, 30, tzinfo=UTC),  # America, forward
    datetime(2026, 11, 1, 4, 15, tzinfo=UTC),  # America, back
    datetime(2026, 10, 3, 13, 50, tzinfo=UTC),  # Lord Howe, forward by half an hour
    datetime(2027, 12, 31, 22, tzinfo=UTC),
)

_LONGEST_LOCK = 2
LEASES_LONG = 24
"""A simulation is so many leases long before it calms down."""


@dataclass(frozen=True, slots=True)
class Scale:
    """How long a lease is, and how far apart fires are."""

    lease: float
    unit: float
    longest_outage: float
    """An engine asks again every few seconds, so this bounds the turns."""

    @property
    def length(self) -> float:
        return self.lease * LEASES_LONG


SCALES = (
    Scale(lease=300, unit=20 * 60, longest_outage=700),
    Scale(lease=90 * 60, unit=6 * 3600, longest_outage=900),
    Scale(lease=9 * 3600, unit=36 * 3600, longest_outage=900),
)


@dataclass(frozen=True, slots=True)
class EngineSpec:
    """An engine: what it serves, how wrong its wall clock is."""

    serves: tuple[str, ...]
    skew: timedelta
    by_hand: bool = False
    """It does not run by itself; it is ticked by hand once per poll."""


@dataclass(frozen=True, slots=True)
class Move:
    """One edit or fault, at a time."""

    at: float
    kind: str
    engine: int = 0
    seconds: float = 0.0
    back_after: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """Everything a seed decides before anything happens."""

    seed: int
    start: datetime
    scale: Scale
    settings: EngineSettings
    engines: tuple[EngineSpec, ...]
    drafts: tuple[Draft, ...]
    rates: Rates
    moves: tuple[Move, ...]

    @property
    def undisturbed(self) -> bool:
        """Whether only handlers fail, while the store may be locked for a while."""
        return self.rates == Rates(lost_hints=self.rates.lost_hints) and all(
            move.kind in (*EDITS, LOCK) for move in self.moves
        )

    @property
    def fault_free(self) -> bool:
        """Whether only handlers fail."""
        return self.undisturbed and all(move.kind != LOCK for move in self.moves)


LOCK = "lock"
EDITS = ("pause", "resume", "update", "delete", "trigger", "cancel_run", "skip_next", "backfill")
_FAULTS = ("crash", "freeze", "stop", "outage", "partition", "step", "suspend")


def draw_scenario(seed: int) -> Scenario:
    """The scenario of a seed."""
    chance = seeded_random("scenario", seed)
    scale = chance.choice(SCALES)
    start = chance.choice(_STARTS) + timedelta(seconds=chance.choice((0, 0, 0.25, chance.uniform(0, 3600))))
    engines = _draw_engines(chance)
    fault_free = chance.random() < 0.15
    number = chance.choice((5, 5, 6, 6, 7, 8, 9, 10, 12, chance.randint(12, 30)))
    return Scenario(
        seed=seed,
        start=start,
        scale=scale,
        settings=replace(
            _draw_settings(chance, scale), owner_share=seeded_random("share", seed).choice((0.25, 0.5, 1.0))
        ),
        engines=engines,
        drafts=_with_owners(
            seeded_random("owners", seed),
            [draw_draft(chance, f"s{n:02}", start, scale.unit, JOBS, poison=not fault_free) for n in range(number)],
        ),
        rates=Rates(lost_hints=chance.choice((0, 0.5, 1))) if fault_free else _draw_rates(chance, scale),
        moves=tuple(
            sorted(
                [
                    *_draw_moves(chance, scale, len(engines), fault_free),
                    *_draw_locks(seeded_random("locks", seed), scale),
                    *(() if fault_free else _draw_wrong_clock(seeded_random("wrong clock", seed), scale, len(engines))),
                ],
                key=lambda move: move.at,
            )
        ),
    )


def _with_owners(chance: Random, drafts: Sequence[Draft]) -> tuple[Draft, ...]:
    """Some deployments have persons and projects, each of which has a few of the schedules."""
    owners = chance.choice(((), (), ("user:ada",), ("user:ada", "user:ben", "project:cy")))
    return tuple(
        replace(draft, namespace=chance.choice(owners)) if owners and chance.random() < 0.7 else draft
        for draft in drafts
    )


def _draw_engines(chance: Random) -> tuple[EngineSpec, ...]:
    """The first serves everything, so that nothing waits for ever; the others may serve less."""
    number = chance.choice((1, 2, 2, 2, 3, 4))
    skewed = chance.random() < 0.2
    serving = [JOBS, *(chance.choice((JOBS, JOBS, JOBS[:1], JOBS[1:])) for _ in range(number - 1))]
    skews = [timedelta(seconds=round(chance.uniform(-2, 2), 3) if skewed else 0) for _ in serving]
    engines = [EngineSpec(serves, skew) for serves, skew in zip(serving, skews, strict=True)]
    if number < 4 and chance.random() < 0.15:
        engines.append(EngineSpec(JOBS, timedelta(0), by_hand=True))
    return tuple(engines)


def _draw_settings(chance: Random, scale: Scale) -> EngineSettings:
    return EngineSettings(
        threads=False,
        lease=scale.lease,
        poll=scale.lease * chance.choice((0.4, 1.0)),
        grace=scale.lease * chance.choice((0, 0.1, 1.0)),
        max_concurrency=chance.choice((1, 2, 4, 500)),
        batch=chance.choice((1, 3, 1000)),
        retention=timedelta(days=365) if chance.random() < 0.85 else timedelta(seconds=scale.length / 4),
        prune_every=scale.length / 5,
    )


def _draw_rates(chance: Random, scale: Scale) -> Rates:
    strength = chance.choice((0.0, 0.01, 0.03, 0.1, 0.3))
    return Rates(
        refuse=strength * chance.random(),
        forget=strength * chance.random(),
        late=strength * chance.random(),
        slow=strength * chance.random(),
        kill=min(strength, 0.1) * chance.choice((0, 0, 0.1)),
        longest_delay=scale.lease * chance.choice((0.01, 0.3, 1.5)),
        lost_hints=chance.choice((0, 0.3, 1)),
    )


def _draw_moves(chance: Random, scale: Scale, engines: int, fault_free: bool) -> list[Move]:
    moves = [Move(_when(chance, scale), chance.choice(EDITS)) for _ in range(chance.choice((0, 3, 6, 12)))]
    if fault_free:
        return moves
    for _ in range(chance.choice((0, 1, 3, 6, 10))):
        kind = chance.choice(_FAULTS)
        move = Move(
            _when(chance, scale),
            kind,
            chance.randrange(engines),
            _how_long(chance, scale, kind),
            scale.lease * chance.choice((0.05, 0.5, 3)),
        )
        moves.append(move)
    return moves


def _draw_locks(chance: Random, scale: Scale) -> list[Move]:
    """Draw times at which the write lock is held, some of them for longer than a lease."""
    if chance.random() < 0.6:
        return []
    longest = _LONGEST_LOCK * scale.longest_outage if scale.longest_outage > scale.lease else scale.longest_outage
    number = chance.choice((1, 2, 4))
    return [Move(_when(chance, scale), LOCK, seconds=chance.uniform(0.05, 1) * longest) for _ in range(number)]


def _draw_wrong_clock(chance: Random, scale: Scale, engines: int) -> list[Move]:
    """The clock is far ahead for a while and then right again; some engines are down when it is set right."""
    moves = []
    for _ in range(chance.choice((0, 0, 1, 1, 2))):
        begins = chance.uniform(0.05, 0.8) * scale.length
        lasts = chance.uniform(0.02, 0.1) * scale.length
        ahead = chance.choice((3, 24, 200)) * scale.unit
        moves.append(Move(begins, "wrong", seconds=ahead, back_after=lasts))
        if chance.random() < 0.5:
            moves += [Move(begins + lasts / 2, "crash", engine, back_after=lasts) for engine in range(engines)]
    return moves


def _when(chance: Random, scale: Scale) -> float:
    return chance.uniform(0.01, 0.95) * scale.length


def _how_long(chance: Random, scale: Scale, kind: str) -> float:
    if kind in ("outage", "partition"):
        return chance.uniform(0.1, 1) * scale.longest_outage
    if kind == "step":
        return chance.choice((-1, -0.2, -0.001, 0.5, 3, 8)) * scale.unit
    if kind == "suspend":
        return chance.choice((0.3, 2, 8)) * scale.lease
    return chance.choice((0.5, 0.9, 1.1, 3, 5)) * scale.lease
