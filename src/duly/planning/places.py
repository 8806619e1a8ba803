"""Places: which pool a run belongs to, and which owner may begin how many runs. Pure.

An engine has a pool of places for messages, one for prompts and one for jobs, so that a message to a person never waits
behind a prompt or a job. Within a pool, each person and each project has a lane; all other schedules share one lane,
which has no limit. Stores say which runs wait, engines which are under way.
"""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import lru_cache
from math import ceil
from typing import Any, NamedTuple

SHARED_LANE = ""
"""The lane of schedules that belong to no person and no project: those of admins, applications and files."""

DEFAULT_JOBS = 500
"""Jobs under way at once in one process, for programs and daemons alike."""

_OWNERS = ("user:", "project:")


class PoolKind(StrEnum):
    """The three pools of an engine."""

    JOBS = "jobs"
    PROMPTS = "prompts"
    MESSAGES = "messages"


@lru_cache(maxsize=4096)  # called a few times for each run, with few names
def pool_kind(handler: str) -> PoolKind:
    """Give the pool that carries out the runs of a handler."""
    if handler == "message":
        return PoolKind.MESSAGES
    return PoolKind.PROMPTS if handler.startswith("prompt:") else PoolKind.JOBS


@lru_cache(maxsize=4096)
def lane_of(namespace: str) -> str:
    """Give the lane in which the runs of a namespace wait."""
    return namespace if namespace.startswith(_OWNERS) else SHARED_LANE


@dataclass(frozen=True, slots=True, kw_only=True)
class Pool:
    """The places that runs of some handlers have in one engine."""

    handlers: Collection[str]
    size: int
    held: Mapping[str, int] = field(default_factory=dict)
    """Runs under way, by lane."""
    owner_share: float = 1.0
    """The part of the places not held by others that one owner may hold."""
    ahead: int = 0
    """Runs of the shared lane that may be claimed beyond the places, where no owner waits: they begin as places become
    free, without another transaction."""

    @property
    def free(self) -> int:
        return max(0, self.size - sum(self.held.values()))

    @property
    def free_or_ahead(self) -> int:
        """How many runs of the shared lane may be claimed while no owner waits."""
        return max(0, self.size + self.ahead - sum(self.held.values()))

    def with_held(self, lanes: Iterable[str]) -> Pool:
        """Give the pool after one more run of each of these lanes has begun; a lane may come several times."""
        held = Counter(self.held)
        held.update(lanes)
        return replace(self, held=held)


class Ready(NamedTuple):
    """A pending run whose time has come. The runs of one lane begin in the order of the first two fields."""

    due_at: Any
    """A time as the store keeps it; it is only compared."""
    run_id: str
    lane: str


def share_out(pool: Pool, ready: Iterable[Ready]) -> list[str]:
    """List the runs to begin: the lane that holds the fewest places first, and in each lane the longest due run first.

    An owner may hold `owner_share` of the places that all others leave, but at least one. With a share of 0.5 the first
    owner leaves half of the places to owners who come later, the second owner half of that half, and so on: an owner
    without a place gets the next free one. The shared lane has no limit. It counts as if it held nothing: it goes
    before owners with runs under way, and takes turns by time with those without.
    """
    free = pool.free
    waiting: dict[str, list[Ready]] = defaultdict(list)
    for each in ready:
        waiting[each.lane].append(each)
    if waiting.keys() <= {SHARED_LANE}:
        return [each.run_id for each in sorted(waiting[SHARED_LANE])[:free]]
    held = defaultdict(int, pool.held)
    all_held = sum(held.values())
    turns: list[tuple[int, Ready]] = []
    for lane, runs in waiting.items():
        runs.sort(reverse=True)
        turns.append((_rank(held, lane), runs.pop()))
    heapq.heapify(turns)
    begun: list[str] = []
    while turns and len(begun) < free:
        _, first = heapq.heappop(turns)
        lane = first.lane
        if lane != SHARED_LANE and held[lane] >= _most(pool, all_held - held[lane]):
            continue  # others hold more after every turn, so this lane may only hold less: it is done for this call
        begun.append(first.run_id)
        held[lane] += 1
        all_held += 1
        if waiting[lane]:
            heapq.heappush(turns, (_rank(held, lane), waiting[lane].pop()))
    return begun


def _rank(held: Mapping[str, int], lane: str) -> int:
    return 0 if lane == SHARED_LANE else held.get(lane, 0)


def _most(pool: Pool, held_by_others: int) -> int:
    """Give how many places an owner may hold."""
    return max(1, ceil(pool.owner_share * (pool.size - held_by_others)))


def may_begin(pool: Pool, lane: str) -> bool:
    """Say whether a lane may have another place now."""
    held = pool.held.get(lane, 0)
    others = sum(pool.held.values()) - held
    return pool.free > 0 and (lane == SHARED_LANE or held < _most(pool, others))


def full_lanes(pool: Pool) -> list[str]:
    """List the owners who may not begin another run before one under way ends."""
    return sorted(lane for lane in pool.held if not may_begin(pool, lane))


def pools_of(
    handlers: Iterable[str],
    sizes: Mapping[PoolKind, int],
    held: Mapping[PoolKind, Mapping[str, int]],
    owner_share: float,
    ahead: Mapping[PoolKind, int],
) -> list[Pool]:
    """Give the pools of an engine that serves these handlers; a pool without handlers is left out.

    Nothing is claimed ahead in a pool in which owners have runs under way: they share its places.
    """
    served: dict[PoolKind, list[str]] = {}
    for handler in handlers:
        served.setdefault(pool_kind(handler), []).append(handler)
    return [
        Pool(
            handlers=frozenset(served[kind]),
            size=sizes[kind],
            held=held.get(kind, {}),
            owner_share=owner_share,
            ahead=ahead.get(kind, 0) if held.get(kind, {}).keys() <= {SHARED_LANE} else 0,
        )
        for kind in PoolKind
        if kind in served
    ]
