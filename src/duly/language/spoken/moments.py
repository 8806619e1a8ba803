"""Moments and lengths of time as a person says them: "tomorrow at 09:00", "3 days"."""

from __future__ import annotations

from datetime import datetime, timedelta

from duly.language.languages import LANGUAGES, code_of
from duly.language.spoken import spoken
from duly.language.spoken.form import DateTexts
from duly.language.spoken.script import to_cyrillic
from duly.language.voice import voice
from duly.zones import Zone

_WEEK = 7
_MINUTE = 60
_HOUR = 3600
_DAY = 86_400
LATE = timedelta(minutes=60)
"""A reminder that comes later than this says so."""
_LATE_IN_MINUTES = timedelta(hours=24)


def say_moment(moment: datetime, zone: Zone, now: datetime, tag: str | None, *, names_today: bool = False) -> str:
    """Say a moment on a person's clocks: the time alone if it is today, else with its day.

    It reads on from a sentence: "I will remind you" "at 14:05", "tomorrow at 09:00", "on Friday at 18:00".
    """
    texts = spoken(tag).dates
    local = zone.localize(moment)
    here = zone.localize(now)
    days = (local.date() - here.date()).days
    at = _at(texts, local)
    if days == 0:
        return texts.today.format(at=at) if names_today else at
    if days in (1, -1):
        return (texts.tomorrow if days == 1 else texts.yesterday).format(at=at)
    names = voice(code_of(tag) or LANGUAGES[0])
    weekday = _in_script(names.weekdays[local.weekday()], tag)
    if 0 < days < _WEEK:
        return texts.on_weekday.format(weekday=weekday, at=at)
    template = texts.on_date if local.year == here.year else texts.on_date_of_year
    month = _in_script(names.months[local.month - 1], tag)
    return template.format(weekday=weekday, day=names.day(local.day), month=month, year=local.year, at=at)


def _at(texts: DateTexts, local: datetime) -> str:
    template = texts.at_one if local.hour == 1 and texts.at_one is not None else texts.at
    return template.format(time=f"{local:%H:%M}")


def _in_script(word: str, tag: str | None) -> str:
    return to_cyrillic(word) if tag is not None and tag.lower().endswith("cyrl") else word


def say_length(length: timedelta, tag: str | None, *, ahead: bool = False) -> str:
    """Say a length of time in its one or two largest units: "3 days", "1 hour 30 minutes".

    With `ahead` it says "in 3 days".
    """
    texts = spoken(tag).dates
    code = code_of(tag) or LANGUAGES[0]
    seconds = max(int(length.total_seconds()), 0)
    days_forms = texts.days_ahead if ahead and texts.days_ahead is not None else texts.days
    units = ((_DAY, days_forms), (_HOUR, texts.hours), (_MINUTE, texts.minutes))
    parts: list[str] = []
    for size, forms in units:
        count, seconds = divmod(seconds, size)
        if count:
            parts.append(_counted(count, forms, code))
        elif parts:
            break
    said = " ".join(parts[:2]) or _counted(1, texts.minutes, code)
    return texts.ahead.format(length=said) if ahead else said


def _counted(count: int, forms: tuple[str, ...], code: str) -> str:
    return voice(code).counted(count, forms)


def say_late(due: datetime, now: datetime, tag: str | None) -> str:
    """Say before a reminder how late it is if that is more than an hour.

    It is in minutes up to a day, then in days and hours, rounded down.
    """
    late = now - due
    if late <= LATE:
        return ""
    minutes = f"{int(late.total_seconds() // _MINUTE)}m"
    whole_hours = timedelta(hours=int(late.total_seconds() // _HOUR))
    length = minutes if late <= _LATE_IN_MINUTES else say_length(whole_hours, tag)
    return f"[{spoken(tag).dates.late.format(length=length)}] "
