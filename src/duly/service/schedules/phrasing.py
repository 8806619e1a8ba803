"""Words to a trigger, for use cases that take either cron or words."""

from __future__ import annotations

from datetime import datetime

from duly.model.trigger import Trigger
from duly.service.schedules.zone_rule import Zones


def read_words(phrase: str, now: datetime, zones: Zones) -> Trigger:
    """What "weekdays at 7:30" means at a door with these zones."""
    from duly.phrases import parse  # late: six languages are more than most commands need

    return parse(phrase, now=now, tz=zones.of(phrase)).trigger
