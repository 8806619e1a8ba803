"""The items of the attention box: their kinds in order, and how troubles with the same cause become one item. Pure."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum


class NeedKind(StrEnum):
    """The kinds of items, in the order in which they are shown."""

    AWAITING = "awaiting"
    """A reminder waits for an answer."""
    FAILED = "failed"
    DEAD = "dead"
    ENGINE = "engine"
    """The engine does not do its work."""
    UNSERVED = "unserved"
    """No engine can carry it out, or something that it needs is missing."""
    UNACKED = "unacked"
    """A reminder was given up without an answer."""
    MISSED = "missed"
    QUARANTINED = "quarantined"
    CHANNEL = "channel"
    """A channel does not take messages."""
    BUDGET = "budget"
    LIMIT = "limit"
    """A run waits for the usage limit of its agent; not counted, it goes on by itself."""
    CLOCK_CHANGE = "clock_change"
    """The clocks change within a week; not counted."""


_ORDER = {kind: number for number, kind in enumerate((*NeedKind,))}
_STAYS = (NeedKind.AWAITING, NeedKind.ENGINE, NeedKind.CHANNEL)
"""Kinds that cannot be marked as seen: they go when they are put right, and until then they matter."""
_ACTIONS: dict[NeedKind, tuple[str, ...]] = {
    NeedKind.AWAITING: ("answer", "open"),
    NeedKind.FAILED: ("run_again", "see", "seen"),
    NeedKind.DEAD: ("run_again", "see", "seen"),
    NeedKind.ENGINE: ("see",),
    NeedKind.UNSERVED: ("open", "seen"),
    NeedKind.UNACKED: ("answer_late", "run_again", "open", "seen"),
    NeedKind.MISSED: ("see", "seen"),
    NeedKind.QUARANTINED: ("open", "seen"),
    NeedKind.CHANNEL: ("see",),
    NeedKind.BUDGET: ("open", "seen"),
    NeedKind.LIMIT: ("see", "seen"),
    NeedKind.CLOCK_CHANGE: ("see", "seen"),
}
_ONLY_LOOKING = ("see", "open")
_FOR_ONE = ("run_again",)


@dataclass(frozen=True, slots=True, kw_only=True)
class NeedItem:
    """Something that needs a person."""

    id: str
    """Stable while the cause is the same."""
    kind: str
    title: str
    """What."""
    detail: str
    """Where, or what to do."""
    cause: str
    """Why, in the words of the record."""
    since: datetime | None = None
    schedule_ids: list[str] = field(default_factory=list)
    run_id: str | None = None
    reminder_run_id: str | None = None
    counts: int = 1
    """How many times, runs or schedules it stands for."""
    actions: list[str] = field(default_factory=list)
    """The best action first; only those that the caller may take."""
    counted: bool = True
    mark: str = ""
    """Stands for the state in which it is: an item that was seen comes back when this changes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NeedsView:
    """The attention box."""

    items: list[NeedItem]
    total: int
    """How many items count; those beyond the limit included."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trouble:
    """One schedule's part in an item. Troubles of one kind with the same cause become one item."""

    kind: NeedKind
    cause: str
    schedule_id: str
    name: str
    since: datetime | None
    times: int = 1
    remedy: str = ""
    run_id: str | None = None
    changeable: bool = True
    """Whether the caller may change the schedule."""


def item_id(kind: NeedKind, cause: str) -> str:
    """Give the id of an item: the same for the same kind and cause."""
    return f"{kind}-{hashlib.sha256(f'{kind}/{cause}'.encode()).hexdigest()[:16]}"


def mark_of(parts: Iterable[object]) -> str:
    """Give a mark that stands for the state of an item."""
    return hashlib.sha256("|".join(sorted(map(str, parts))).encode()).hexdigest()[:16]


def is_lasting(kind: str) -> bool:
    """Tell whether an item of this kind stays until it is put right."""
    return kind in _STAYS


def actions_for(kind: NeedKind, *, one: bool, changeable: bool) -> list[str]:
    """Give the actions of an item that the caller may take."""
    return [each for each in _ACTIONS[kind] if (changeable or each in _ONLY_LOOKING) and (one or each not in _FOR_ONE)]


def grouped(troubles: Sequence[Trouble]) -> list[NeedItem]:
    """Make one item of troubles that have the same kind and cause."""
    groups: dict[tuple[NeedKind, str], list[Trouble]] = {}
    for each in troubles:
        groups.setdefault((each.kind, each.cause), []).append(each)
    return [_item(kind, cause, found) for (kind, cause), found in groups.items()]


def _item(kind: NeedKind, cause: str, found: Sequence[Trouble]) -> NeedItem:
    schedules = list(dict.fromkeys(each.schedule_id for each in found))
    one = len(schedules) == 1
    begun = [each.since for each in found if each.since is not None]
    times = sum(each.times for each in found)
    return NeedItem(
        id=item_id(kind, cause),
        kind=str(kind),
        title=_title(kind, found[0].name if one else None, len(schedules), times),
        detail=found[0].remedy if one else ", ".join(dict.fromkeys(each.name for each in found)),
        cause=cause,
        since=min(begun, default=None),
        schedule_ids=schedules,
        run_id=found[0].run_id if one else None,
        counts=times,
        counted=kind is not NeedKind.LIMIT,
        actions=actions_for(kind, one=one, changeable=all(each.changeable for each in found)),
        mark=mark_of(f"{each.schedule_id}@{each.since}" for each in found),
    )


def _title(kind: NeedKind, name: str | None, schedules: int, times: int) -> str:
    who = name or f"{schedules} schedules"
    if kind is NeedKind.FAILED:
        return f"{who} failed" if times <= schedules else f"{who} failed {times} times"
    if kind is NeedKind.DEAD:
        return f"{who} took its process down" if name else f"{who} took their processes down"
    if kind is NeedKind.MISSED:
        return f"{who} missed {times} run{'' if times == 1 else 's'}"
    words = {
        NeedKind.ENGINE: ("is overdue", "are overdue"),
        NeedKind.UNSERVED: ("cannot run", "cannot run"),
        NeedKind.QUARANTINED: ("cannot be read", "cannot be read"),
        NeedKind.BUDGET: ("has spent its budget", "have spent their budgets"),
        NeedKind.LIMIT: ("waits for its agent", "wait for their agents"),
    }
    singular, plural = words.get(kind, (str(kind), str(kind)))
    return f"{who} {singular if name else plural}"


def in_order(items: Iterable[NeedItem]) -> list[NeedItem]:
    """Sort items by kind, and the oldest first within a kind."""
    return sorted(items, key=lambda item: (_ORDER[NeedKind(item.kind)], item.since is None, str(item.since), item.id))
