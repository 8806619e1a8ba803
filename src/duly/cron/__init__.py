"""Text to `Cron`, and `Cron` to instants: three dialects, two DST policies, no clock and no I/O."""

from duly.cron.dialect import DayMatch, Dialect
from duly.cron.expression import Cron, is_valid
from duly.zones import DstPolicy

__all__ = ["Cron", "DayMatch", "Dialect", "DstPolicy", "is_valid"]
