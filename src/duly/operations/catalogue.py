"""The catalogue: every operation of duly, by subject."""

from __future__ import annotations

from collections.abc import Sequence

from duly.operations.access import ACCESS, PEOPLE, TOKENS
from duly.operations.actions import ACTIONS, ATTENTION, CHANNELS, CONFIGURATION
from duly.operations.ask import Group, Operation
from duly.operations.calendar import CALENDAR
from duly.operations.choices import CHOICES
from duly.operations.executions import EXECUTIONS
from duly.operations.overview import OVERVIEW
from duly.operations.records import EVENTS, HEALTH, RECORDS
from duly.operations.reminders import INBOX, REMINDERS
from duly.operations.runs import RUNS
from duly.operations.schedules import SCHEDULES

CATALOGUE: Sequence[Group] = (
    SCHEDULES,
    CHOICES,
    OVERVIEW,
    RUNS,
    EXECUTIONS,
    ACTIONS,
    ATTENTION,
    EVENTS,
    REMINDERS,
    INBOX,
    CALENDAR,
    PEOPLE,
    CHANNELS,
    ACCESS,
    TOKENS,
    RECORDS,
    CONFIGURATION,
    HEALTH,
)


def operations() -> list[Operation]:
    """Give every operation."""
    return [each for group in CATALOGUE for each in group.operations]
