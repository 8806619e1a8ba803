"""Nodes: registering them, judging whether they are alive, and rescuing their runs."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping
from datetime import timedelta
from socket import gethostname
from typing import Any, NamedTuple

import apsw

from duly import failpoints
from duly.model.events import NODE_LOST, NODE_STARTED, NODE_STOPPED, Event
from duly.model.run import Status
from duly.planning.lease import Lease, Nearness, Owner, OwnerState, Place, judge, nearness
from duly.planning.poison import IsPoison, UnderWay
from duly.ports.records import NodeRecord, Rescued
from duly.processes import pid_space, pid_started
from duly.stores.run_records import error_result, given_up, lost_with, run_dead, run_rescued
from duly.stores.sqlite.clock import decided
from duly.stores.sqlite.cycle import cancelled, outcome, promote
from duly.stores.sqlite.rows import micros, time_of
from duly.stores.sqlite.suspects import clear, judged
from duly.stores.sqlite.transaction import SQL, write_events

_ALL = -1
AT_ONCE = 1000
"""Runs taken back in one transaction: a heartbeat has to wait for it."""


def register(connection: apsw.Connection, node: NodeRecord, boottime: float, now: int) -> None:
    """Register a node, or update the handlers it serves."""
    known = connection.execute(SQL.known_node, {"id": node.id}).get is not None
    connection.execute(
        SQL.register,
        {
            "id": node.id,
            "host": node.host,
            "pid": node.pid,
            "pid_started": node.pid_started,
            "boot_id": node.boot_id,
            "lease_seconds": node.lease_seconds,
            "beat_at": boottime,
            "handlers": json.dumps(node.handlers),
            "started_at": micros(node.started_at),
            "seen_at": now,
            "version": node.version,
        },
    )
    if not known:
        write_events(connection, [Event(NODE_STARTED, node.started_at, node_id=node.id, data={"pid": node.pid})])


def deregister(connection: apsw.Connection, node_id: str, now: int, keep: Collection[str]) -> None:
    """Remove a node that stops in good order; its runs become pending again, except those in `keep`."""
    for run_id, schedule_id, _, _, lost_before, in_line, *_ in list(
        connection.execute(SQL.owned, {"owner": node_id, "limit": _ALL})
    ):
        if run_id not in keep:
            reason = "handed back by a node that stopped"
            values = {"id": run_id, "now": now, "refund": 1, "reason": reason, "lost": lost_before, "due_at": now}
            stopped = _hand_back(connection, values, schedule_id, in_line=in_line)
            write_events(connection, [] if stopped is None else [stopped])
    if not keep and connection.execute(SQL.bury, {"id": node_id, "state": "stopped", "seen_at": now}).get is not None:
        write_events(connection, [Event(NODE_STOPPED, time_of(now), node_id=node_id)])
    decided(connection, now)


class Sightings:
    """What this process has seen of other nodes, and since when: heartbeats of other machines, and doubts."""

    def __init__(self) -> None:
        self._seen: dict[str, tuple[float, float]] = {}
        self._beating: set[str] = set()
        self._doubts: dict[str, tuple[float, float]] = {}

    def unchanged_for(self, owner: Owner, boottime: float) -> float:
        """Return for how long the last heartbeat of a node has been the same, as far as this process has seen."""
        beat_at, since = self._seen.get(owner.node_id, (None, boottime))
        if beat_at != owner.beat_at:
            if beat_at is not None:
                self._beating.add(owner.node_id)
            self._seen[owner.node_id] = (owner.beat_at, boottime)
            since = boottime
        return boottime - since

    def has_beaten(self, node_id: str) -> bool:
        """Tell whether a node has beaten since this process first saw it."""
        return node_id in self._beating

    def note_doubt(self, owner: Owner, boottime: float) -> None:
        """Remember the time at which a doubt was committed, so that the doubted node can read it."""
        if self._doubts.get(owner.node_id, (None, 0.0))[0] != owner.beat_at:
            self._doubts[owner.node_id] = (owner.beat_at, boottime)

    def time_left(self, owner: Owner, boottime: float) -> float:
        """Return how many seconds a doubted node still has to beat.

        A process counts only from the time it has seen the doubt itself.
        """
        beat_at, since = self._doubts.get(owner.node_id, (None, boottime))
        return Lease(owner.lease).time_to_answer - (boottime - since if beat_at == owner.beat_at else 0.0)


class Observation:
    """An observation of the other nodes from this process, begun at one moment."""

    def __init__(self, boottime: Callable[[], float], sightings: Sightings) -> None:
        self._boottime = boottime
        self._began = boottime()
        """Rows are read later than this, so a node may be judged more alive than it is, never less."""
        self._sightings = sightings

    def judge(self, owner: Owner) -> OwnerState:
        """Judge whether a node is alive, silent or gone."""
        here = Place(pid_space(), gethostname())
        elsewhere = nearness(owner, here) is Nearness.ELSEWHERE
        return judge(
            owner,
            here=here,
            boottime=self._began,
            pid_started=pid_started(owner.pid),
            unchanged_for=self._sightings.unchanged_for(owner, self._began) if elsewhere else 0.0,
        )

    def time_left(self, owner: Owner) -> float:
        """Return how many seconds a silent node has to beat before it is lost."""
        return self._sightings.time_left(owner, self._boottime())

    def note_doubts(self, owners: Iterable[Owner]) -> None:
        """Remember since when nodes are doubted; the caller has committed the doubts."""
        now = self._boottime()
        for owner in owners:
            self._sightings.note_doubt(owner, now)

    def strangers(self, connection: apsw.Connection, node_id: str) -> list[Owner]:
        """Find nodes of other machines that may be alive, for a node that is not registered yet."""
        if connection.execute(SQL.known_node, {"id": node_id}).get is not None:
            return []
        here = Place(pid_space(), gethostname())
        far = [owner for owner, _ in living(connection) if nearness(owner, here) is Nearness.ELSEWHERE]
        return [owner for owner in far if self.judge(owner) is OwnerState.ALIVE]


def living(connection: apsw.Connection) -> list[tuple[Owner, tuple[str, ...]]]:
    """Return the nodes not known to be gone, with the handlers they serve."""
    return [(_to_owner(*row), tuple(json.loads(handlers))) for *row, handlers in connection.execute(SQL.living)]


def _to_owner(
    node_id: str, boot_id: str, host: str, pid: int, started: str, beat_at: float, lease_seconds: float, doubted: int
) -> Owner:
    return Owner(
        node_id=node_id,
        place=Place(boot_id, host),
        pid=pid,
        pid_started=started,
        beat_at=beat_at,
        lease=lease_seconds,
        doubted=bool(doubted),
    )


class Others(NamedTuple):
    """The nodes that a rescue has to look at."""

    lost: list[str]
    """Gone, or silent although they were doubted for long enough; and owners of runs that are not registered."""
    doubted: list[Owner]
    """Silent and doubted: they still have time to beat."""
    to_doubt: list[Owner]
    """Silent, and not doubted yet."""


def others(connection: apsw.Connection, observed: Observation) -> Others:
    """Sort the nodes by what a rescue has to do about them."""
    found = Others([], [], [])
    for owner, _ in living(connection):
        verdict = observed.judge(owner)
        if verdict is OwnerState.GONE or (
            verdict is OwnerState.SILENT and owner.doubted and observed.time_left(owner) <= 0
        ):
            found.lost.append(owner.node_id)
        elif verdict is OwnerState.SILENT:
            (found.doubted if owner.doubted else found.to_doubt).append(owner)
    known = {*found.lost, *(owner.node_id for owner in (*found.doubted, *found.to_doubt))}
    found.lost.extend(row[0] for row in connection.execute(SQL.orphans) if row[0] not in known)
    return found


class Part(NamedTuple):
    """The runs of one owner that one transaction took back."""

    rescued: Rescued
    number: int
    more: bool
    """Whether the owner has more runs."""


def take_back(
    connection: apsw.Connection, node_id: str | None, now: int, is_poison: IsPoison, at_most: int, before: int
) -> Part | None:
    """Take back the runs of a node that is gone, or those that belong to none, after so many of them before."""
    buried = (
        node_id is not None
        and connection.execute(SQL.bury, {"id": node_id, "state": "lost", "seen_at": None}).get is not None
    )
    failpoints.hit("rescue.buried")
    limit = {"limit": at_most + 1}
    owned = connection.execute(SQL.unowned, limit)
    if node_id is not None:
        owned = connection.execute(SQL.owned, {"owner": node_id, **limit})
    left = list(owned)
    if not buried and not left:
        return None
    more = len(left) > at_most
    del left[at_most:]
    rescued = Rescued(node_id)
    events: list[Event] = []
    freed: list[str] = []
    at = time_of(now)
    reason = lost_with(node_id)
    connection.execute(SQL.note_lost, {"ids": json.dumps([row[0] for row in left]), "now": now, "reason": reason})
    decided = judged(connection, [UnderWay(run_id=row[0], policy=row[7], lost=row[4]) for row in left], is_poison)
    for (run_id, schedule_id, name, attempt, _, in_line, ran_at, _), fate in zip(left, decided, strict=True):
        due_at = now + fate.wait // timedelta(microseconds=1)
        values = {"id": run_id, "now": now, "refund": 0, "reason": reason, "lost": fate.lost, "due_at": due_at}
        if fate.dead:
            connection.execute(SQL.give_up, {**values, "reason": given_up(reason, fate.lost)})
            rescued.dead.append(run_id)
            freed += [schedule_id] if in_line else []
            end = outcome(schedule_id, Status.DEAD, ran_at, error_result(reason))
            connection.execute(SQL.note_outcome, end)
            events.append(run_dead(at, run_id, schedule_id, name, reason, attempt, node_id))
        elif (stopped := _hand_back(connection, values, schedule_id, in_line=in_line)) is not None:
            events.append(stopped)
        else:
            rescued.requeued.append(run_id)
            events.append(run_rescued(at, run_id, schedule_id, name, node_id))
    failpoints.hit("rescue.requeued")
    promote(connection, freed, now)
    if node_id is not None and not more:
        events.append(Event(NODE_LOST, at, node_id=node_id, data={"runs": before + len(left)}))
    write_events(connection, events)
    return Part(rescued, len(left), more)


def _hand_back(connection: apsw.Connection, values: dict[str, Any], schedule_id: str, *, in_line: bool) -> Event | None:
    """Make a run pending again; if it had been asked to stop, it is cancelled, and the event is returned."""
    status = connection.execute(SQL.requeue, values).get
    if status == Status.PENDING:
        return None
    if in_line:
        promote(connection, [schedule_id], values["now"])
    return cancelled(connection, [values["id"]], values["now"])[0]


class Rescue(NamedTuple):
    """What one transaction of a rescue did."""

    rescued: list[Rescued]
    numbers: dict[str | None, int]
    """How many runs it took back from each owner."""
    doubted: list[Owner]
    """Nodes that are doubted from now on: their time to beat begins with the commit."""
    more: bool
    """Whether there are more runs to take back, in another transaction."""


def needs_rescue(connection: apsw.Connection, observed: Observation) -> tuple[bool, list[Rescued]]:
    """Tell whether `rescue` has anything to do, and which nodes to look at again after a while.

    Nothing is written meanwhile, so what is read here is committed.
    """
    found = others(connection, observed)
    observed.note_doubts(found.doubted)
    looked_for = (SQL.has_unowned, SQL.stranded)
    needed = found.lost or found.to_doubt or any(connection.execute(each).get is not None for each in looked_for)
    return bool(needed), _look_again(found.doubted, observed)


def _look_again(owners: Iterable[Owner], observed: Observation) -> list[Rescued]:
    return [Rescued(owner.node_id, look_again_in=max(0.0, observed.time_left(owner))) for owner in owners]


def rescue(
    connection: apsw.Connection, now: int, observed: Observation, is_poison: IsPoison, before: Mapping[str | None, int]
) -> Rescue:
    """Take back some of the runs that no living node owns; at the end, promote waiting runs that were left behind.

    `before` says how many of each owner's runs this rescue has taken back already.
    """
    found = others(connection, observed)
    for owner in found.to_doubt:
        connection.execute(SQL.doubt, {"id": owner.node_id})
    taken: dict[str | None, Part] = {}
    for node_id in (*found.lost, None):
        free = AT_ONCE - sum(part.number for part in taken.values())
        part = take_back(connection, node_id, now, is_poison, free, before.get(node_id, 0))
        if part is not None:
            taken[node_id] = part
            if part.more:
                break
    more = any(part.more for part in taken.values())
    if any(part.rescued.dead for part in taken.values()):
        clear(connection, now)
    decided(connection, now)
    rescued = [part.rescued for part in taken.values()]
    if not more:
        promote(connection, [row[0] for row in list(connection.execute(SQL.stranded))], now)
        rescued += _look_again([*found.doubted, *found.to_doubt], observed)
    return Rescue(rescued, {node_id: part.number for node_id, part in taken.items()}, found.to_doubt, more)


def serving(connection: apsw.Connection, observed: Observation) -> dict[str, frozenset[str]]:
    """Return the handlers of each node that has beaten within its lease."""
    nodes = living(connection)
    return {
        owner.node_id: frozenset(handlers) for owner, handlers in nodes if observed.judge(owner) is OwnerState.ALIVE
    }


def not_gone(connection: apsw.Connection, observed: Observation) -> list[tuple[Owner, tuple[str, ...]]]:
    """Return the nodes that may be alive, with the handlers they serve: a silent one counts until it is lost."""
    return [(owner, handlers) for owner, handlers in living(connection) if observed.judge(owner) is not OwnerState.GONE]


def rest(connection: apsw.Connection, handler: str, observed: Observation) -> None:
    """Stop planning the schedules of a handler, unless a node that may be alive serves it."""
    if not any(handler in handlers for _, handlers in not_gone(connection, observed)):
        connection.execute(SQL.rest, {"handler": handler})
