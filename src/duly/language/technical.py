"""Times that belong to no language: ISO times and cron expressions."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from duly.errors import InvalidInputError, PhraseError
from duly.language.moments import has_passed
from duly.language.plan import CronPlan, MomentPlan, Plan
from duly.zones import Zone

_CRON = re.compile(r"(?:cron[: ]\s*)?((?:[-*/,?#\w]+\s+){4}[-*/,?#\w]+|@[a-z]+)")
_STAMP = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}[t ][0-9]{2}:[0-9]{2}\S*[0-9z]")


def technical_plan(text: str, words: str, zone: Zone, now: datetime) -> Plan | None:
    """Read an ISO time or a cron expression, which belong to no language; return None for any other text."""
    if words[0].isdecimal() and _STAMP.fullmatch(words):
        return _stamp(text, words, zone, now)
    if not ("*" in words or words.startswith(("cron", "@"))) or (cron := _CRON.fullmatch(words)) is None:
        return None
    try:
        plan = CronPlan(cron[1])
        plan.trigger(zone)
    except InvalidInputError as error:
        raise PhraseError(text, str(error)) from error
    return plan


def _stamp(text: str, words: str, zone: Zone, now: datetime) -> Plan | None:
    try:
        moment = datetime.fromisoformat(words.upper())
    except ValueError as error:
        raise PhraseError(text, f"it is no date and time ({error})") from error
    try:
        at = zone.shifted(moment) if moment.tzinfo is None else moment.astimezone(UTC)
    except OverflowError as error:
        raise PhraseError(text, "that is beyond the calendar") from error
    if at <= now:
        raise PhraseError(text, has_passed(at, zone), fault="past")
    return MomentPlan(at)
