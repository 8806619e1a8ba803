"""The coming fires of an expression, as a table for people and as values for programs."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from duly.cli.moments import in_how_long, iso, readable
from duly.errors import CronCalculationError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from duly.cron import Cron
    from duly.zones import Zone


class Fire(NamedTuple):
    """One coming fire."""

    utc: datetime
    local: datetime
    in_seconds: int

    def to_dict(self) -> dict[str, object]:
        return {"utc": iso(self.utc), "local": iso(self.local), "in_seconds": self.in_seconds}


def coming_fires(cron: Cron, start: datetime, count: int, shown_in: Zone) -> list[Fire]:
    """The next fires after `start` (UTC), as many as there are up to `count`; an error if there is none."""
    fires = list(islice(_fires(cron, start, shown_in), count))
    if not fires:
        cause = f'"{cron.expression}" has no occurrence between {iso(start)} and the end of the calendar'
        raise CronCalculationError(cron.expression, start, cause)
    return fires


def _fires(cron: Cron, start: datetime, shown_in: Zone) -> Iterator[Fire]:
    at = start
    try:
        while True:
            at = cron.next(at).astimezone(UTC)
            yield Fire(at, shown_in.localize(at), int((at - start).total_seconds()))
    except (CronCalculationError, OverflowError):  # the calendar ends, in UTC or in the zone
        return


def table(fires: Sequence[Fire], zone: Zone) -> str:
    """Three columns: UTC, the local time with its offset, and how long until then."""
    seconds = any(fire.utc.second for fire in fires)
    rows = [("UTC", f"local: {zone.name}", "")]
    for fire in fires:
        local = f"{readable(fire.local, seconds=seconds)} {_offset(fire.local)}"
        rows.append((readable(fire.utc, seconds=seconds), local, in_how_long(fire.in_seconds)))
    widths = [max(len(row[column]) for row in rows) for column in range(2)]
    return "".join(f"{utc:{widths[0]}}  {local:{widths[1]}}  {wait}".rstrip() + "\n" for utc, local, wait in rows)


def _offset(moment: datetime) -> str:
    return "UTC" if moment.tzinfo is UTC else moment.isoformat()[19:]
