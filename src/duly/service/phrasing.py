"""Words to a trigger, for use cases that take either cron or words."""

from __future__ import annotations

from datetime import datetime

from duly.model.trigger import Trigger


def read_words(phrase: str, now: datetime, zone: str) -> Trigger:
    """What "weekdays at 7:30" means in a zone."""
    from duly.phrases import parse  # late: six languages are more than most commands need

    return parse(phrase, now=now, tz=zone).trigger
