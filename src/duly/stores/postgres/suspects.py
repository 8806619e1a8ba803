"""What is known of the runs that were lost with their process several times, for the decision which one ends them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from datetime import datetime

from duly.planning.poison import Fate, IsPoison, Lost, UnderWay, fates, innocents
from duly.stores.postgres.arrays import TextArray
from duly.stores.postgres.connection import Session
from duly.stores.postgres.transaction import SQL
from duly.stores.postgres.unreadable import nearest, readable
from duly.stores.quarantine import EARLIEST


async def judged(session: Session, left: Sequence[UnderWay], is_poison: IsPoison) -> list[Fate]:
    """Decide about runs whose process died; the attempts that were lost with it are on record."""
    suspects = [run.run_id for run in left if run.lost]
    if not suspects:
        return fates(left, is_poison)
    histories = await _histories(session, suspects)
    known = [run._replace(history=histories.get(run.run_id, ())) for run in left]
    return fates(known, is_poison, await _losses(session))


async def clear(session: Session, now: datetime) -> None:
    """Clear the runs that wait to be begun again and that nothing speaks against: another ended their processes."""
    lost: dict[str, int] = dict(await session.fetch(SQL.suspects))
    if lost:
        cleared = innocents(lost, await _histories(session, lost), await _losses(session))
        await session.fetch(SQL.clear, {"ids": TextArray(cleared), "now": now})


async def _histories(session: Session, ids: Collection[str]) -> dict[str, list[Lost]]:
    found: dict[str, list[Lost]] = defaultdict(list)
    for run_id, fence, began_at, heard_at, ended_at, lease in await session.fetch_leniently(
        SQL.lost_attempts, {"ids": TextArray(list(ids))}
    ):
        known = Lost(fence, readable(began_at), readable(heard_at), nearest(ended_at) or EARLIEST)
        found[run_id].append(known if lease is None else known._replace(lease=lease))
    return found


async def _losses(session: Session) -> list[datetime]:
    rows = await session.fetch_leniently(SQL.losses)
    return [moment for row in rows if (moment := readable(row[0])) is not None]
