"""An expression in the words a person would use, for every legal expression.

Two expressions that fire at different times never read the same; ones that fire at the same times mostly do. A few
times of day make a sentence about days ("every weekday at 09:30"), anything busier one about a rhythm ("every 5
minutes, Monday to Friday").
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from duly.cron.describe_days import describe_days
from duly.cron.describe_times import describe_times
from duly.cron.parser import read_columns

if TYPE_CHECKING:
    from duly.cron.expression import Cron


def describe(cron: Cron) -> str:
    """What `cron` says, in lower case and without a full stop; the zone is named unless it is UTC."""
    columns = read_columns(cron.expression, cron.dialect)
    days = describe_days(columns, cron.day_match)
    times = describe_times(columns, over_midnight=not days.after)
    sentence = f"{days.before} at {times.text}" if times.listed else times.text + days.after
    return sentence if cron.tz == "UTC" else f"{sentence} ({cron.tz})"
