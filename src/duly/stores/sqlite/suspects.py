"""What is known of the runs that were lost with their process several times, for the decision which one ends them."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Sequence
from datetime import datetime

import apsw

from duly.planning.poison import Fate, IsPoison, Lost, UnderWay, fates, innocents
from duly.stores.sqlite.rows import time_near, time_of
from duly.stores.sqlite.transaction import SQL


def judged(connection: apsw.Connection, left: Sequence[UnderWay], is_poison: IsPoison) -> list[Fate]:
    """Decide about runs whose process died; the attempts that were lost with it are on record."""
    suspects = [run.run_id for run in left if run.lost]
    if not suspects:
        return fates(left, is_poison)
    histories = _histories(connection, suspects)
    known = [run._replace(history=histories.get(run.run_id, ())) for run in left]
    return fates(known, is_poison, _losses(connection))


def clear(connection: apsw.Connection, now: int) -> None:
    """Clear the runs that wait to be begun again and that nothing speaks against: another ended their processes."""
    lost: dict[str, int] = dict(connection.execute(SQL.suspects))
    if lost:
        cleared = innocents(lost, _histories(connection, lost), _losses(connection))
        connection.execute(SQL.clear, {"ids": json.dumps(cleared), "now": now})


def _histories(connection: apsw.Connection, ids: Collection[str]) -> dict[str, list[Lost]]:
    found: dict[str, list[Lost]] = defaultdict(list)
    for run_id, fence, began_at, heard_at, ended_at, lease in connection.execute(
        SQL.lost_attempts, {"ids": json.dumps(list(ids))}
    ):
        known = Lost(fence, time_near(began_at), time_near(heard_at), time_of(ended_at))
        found[run_id].append(known if lease is None else known._replace(lease=lease))
    return found


def _losses(connection: apsw.Connection) -> list[datetime]:
    return [time_near(row[0]) or time_of(0) for row in connection.execute(SQL.losses)]
