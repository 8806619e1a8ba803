"""Nodes: who is there, who fell silent, and what becomes of their runs."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection
from typing import Any

import apsw

from duly import failpoints
from duly.model.events import NODE_LOST, NODE_STARTED, NODE_STOPPED, RUN_DEAD, RUN_RESCUED, Event
from duly.model.run import Status
from duly.planning.lease import Owner, is_lost
from duly.ports.records import NodeRecord, Rescued
from duly.processes import boot_id, pid_started
from duly.stores.outcomes import error_result, given_up
from duly.stores.sqlite.cycle import SQL, cancelled, outcome, promote, write_events
from duly.stores.sqlite.rows import micros, time_of

_LOST = "its owner {} fell silent"


def register(connection: apsw.Connection, node: NodeRecord, boottime: float) -> None:
    """A node joins, or tells anew what it serves."""
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
        },
    )
    if not known:
        write_events(connection, [Event(NODE_STARTED, node.started_at, node_id=node.id, data={"pid": node.pid})])


def deregister(connection: apsw.Connection, node_id: str, now: int, keep: Collection[str]) -> None:
    """A node leaves in good order and hands back what it could not finish, except what it cannot stop."""
    for run_id, schedule_id, _, _, in_line, _ in list(connection.execute(SQL.owned, {"owner": node_id})):
        if run_id not in keep:
            values = {"id": run_id, "now": now, "refund": 1, "reason": "handed back by a node that stopped"}
            stopped = _hand_back(connection, values, schedule_id, in_line=in_line)
            write_events(connection, [] if stopped is None else [stopped])
    if not keep and connection.execute(SQL.bury, {"id": node_id, "state": "stopped"}).get is not None:
        write_events(connection, [Event(NODE_STOPPED, time_of(now), node_id=node_id)])


def living(connection: apsw.Connection) -> list[tuple[Owner, tuple[str, ...]]]:
    """Nodes not known to be gone, with what they serve."""
    return [
        (Owner(node_id, boot, pid, started, beat_at, lease), tuple(json.loads(handlers)))
        for node_id, boot, pid, started, beat_at, lease, handlers in connection.execute(SQL.living)
    ]


def is_silent(owner: Owner, boottime: float) -> bool:
    """Whether a node has gone without a word."""
    return is_lost(owner, boot_id=boot_id(), boottime=boottime, pid_started=pid_started(owner.pid))


def lost(connection: apsw.Connection, boottime: float) -> list[str]:
    """Owners that are gone: nodes that fell silent, and any that left runs without being there at all."""
    silent = [owner.node_id for owner, _ in living(connection) if is_silent(owner, boottime)]
    return silent + [row[0] for row in connection.execute(SQL.orphans) if row[0] not in silent]


def take_back(
    connection: apsw.Connection, node_id: str, now: int, is_poison: Callable[[str, int], bool]
) -> Rescued | None:
    """Take back the runs of a node that is gone."""
    buried = connection.execute(SQL.bury, {"id": node_id, "state": "lost"}).get is not None
    failpoints.hit("rescue.buried")
    left = list(connection.execute(SQL.owned, {"owner": node_id}))
    if not buried and not left:
        return None
    rescued, events, freed, at = Rescued(node_id), [], [], time_of(now)
    reason = _LOST.format(node_id)
    for run_id, schedule_id, attempt, lost_before, in_line, policy in left:
        values = {"id": run_id, "now": now, "refund": 0, "reason": reason}
        if is_poison(policy, lost_before + 1):
            connection.execute(SQL.give_up, {**values, "reason": given_up(reason, lost_before + 1)})
            rescued.dead.append(run_id)
            freed += [schedule_id] if in_line else []
            end = outcome(schedule_id, Status.DEAD, now, error_result(reason))
            connection.execute(SQL.note_outcome, end)
            events.append(Event(RUN_DEAD, at, schedule_id, run_id, node_id, {"reason": reason, "attempt": attempt}))
        elif (stopped := _hand_back(connection, values, schedule_id, in_line=in_line)) is not None:
            events.append(stopped)
        else:
            rescued.requeued.append(run_id)
            events.append(Event(RUN_RESCUED, at, schedule_id, run_id, node_id, {"owner": node_id}))
    failpoints.hit("rescue.requeued")
    promote(connection, freed, now)
    events.append(Event(NODE_LOST, at, node_id=node_id, data={"runs": len(left)}))
    write_events(connection, events)
    return rescued


def _hand_back(connection: apsw.Connection, values: dict[str, Any], schedule_id: str, *, in_line: bool) -> Event | None:
    """Make a run ready again; if somebody had asked it to stop, it did now, and that is what there is to tell."""
    status, reason = connection.execute(SQL.requeue, values).get
    if status == Status.PENDING:
        return None
    if in_line:
        promote(connection, [schedule_id], values["now"])
    return cancelled(schedule_id, values["id"], reason, values["now"])


def needs_rescue(connection: apsw.Connection, boottime: float) -> bool:
    """Whether there is anything for `rescue` to do."""
    return bool(lost(connection, boottime)) or connection.execute(SQL.stranded).get is not None


def rescue(
    connection: apsw.Connection, now: int, boottime: float, is_poison: Callable[[str, int], bool]
) -> list[Rescued]:
    """Take back the runs of every node that is gone, and put lines in motion that have come to a stop."""
    taken = [take_back(connection, node_id, now, is_poison) for node_id in lost(connection, boottime)]
    promote(connection, [row[0] for row in list(connection.execute(SQL.stranded))], now)
    return [rescued for rescued in taken if rescued is not None]


def serving(connection: apsw.Connection, boottime: float) -> dict[str, frozenset[str]]:
    """What each living node serves."""
    nodes = living(connection)
    return {owner.node_id: frozenset(handlers) for owner, handlers in nodes if not is_silent(owner, boottime)}


def rest(connection: apsw.Connection, handler: str, boottime: float) -> None:
    """Let the schedules of a handler sleep, unless somebody serves it."""
    if not any(handler in handlers for handlers in serving(connection, boottime).values()):
        connection.execute(SQL.rest, {"handler": handler})
