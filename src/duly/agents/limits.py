"""Usage limits in the words of a tool: that its window is spent, and when it resets. Pure.

Tools tell the reset as an epoch (`…|1755615600`), as a time of day or a date with or without a zone (`3pm
(Europe/Zagreb)`, `Oct 9th, 2026 11:52 PM`), or as a length of time (`2 days 17 hours`, `8h44m7s`). What cannot be read
for certain counts as no reset: then the run asks again after a while.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from enum import StrEnum
from zoneinfo import ZoneInfo

from duly.model.checks import seconds_in

_FARTHEST = timedelta(days=400)
_JUST_NOW = timedelta(minutes=10)
"""A time of day that passed so recently is meant as today's: tools round it, and their clock may be behind."""
_HALF_YEAR = timedelta(days=183)
_LAST_YEAR_HERE = 9000
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_ABBREVIATED = {
    **dict.fromkeys(("pt", "pst", "pdt"), "America/Los_Angeles"),
    **dict.fromkeys(("et", "est", "edt"), "America/New_York"),
    **dict.fromkeys(("z", "utc", "gmt"), "UTC"),
}
_CLOCK = re.compile(
    r"""(?:(?P<day_word>today|tomorrow)(?:,|\s+at)?\s+)?
    (?:(?P<weekday>mon|tue|wed|thu|fri|sat|sun)[a-z]*(?:,|\s+at)?\s+)?
    (?:(?P<iso>\d{4}-\d\d-\d\d)(?:T|,?\s+(?:at\s+)?)
      |(?P<month>[a-z]{3,9})\.?\s+(?P<day>\d{1,2})(?:st|nd|rd|th)?(?:,?\s+(?P<year>\d{4}))?(?:,|\s+at)?\s+)?
    (?P<hour>\d{1,2})(?::(?P<minute>\d\d)(?::\d\d(?:\.\d+)?)?)?
    \s*(?P<half>[ap]\.?m\.?(?![a-z]))?
    \s*(?:\(\s*(?P<zone>[a-z][\w+/-]*)\s*\)|(?P<bare_zone>[a-z][\w+/-]*))?\.?""",
    re.IGNORECASE | re.VERBOSE | re.ASCII,
)
_ABBREVIATIONS = {"hr": "h", "hrs": "h", "wk": "w", "wks": "w", "millisecond": "ms", "milliseconds": "ms"}
_ABBREVIATED_UNIT = re.compile(rf"(?<![a-z])(?:{'|'.join(_ABBREVIATIONS)})(?![a-z])")
_FILLER = re.compile(r"(?<!\d)[.,]|[.,](?!\d)|\b(?:and|about|approximately|less than)\b")
_ONE = re.compile(r"\ban?\b")


class ResetForm(StrEnum):
    """How a tool tells the time at which its limit resets."""

    EPOCH = "epoch"
    CLOCK = "clock"
    """A time of day, maybe with a date and a zone."""
    LENGTH = "length"
    NONE = "none"
    """It does not tell it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitPattern:
    """Words of a tool that say that its limit is reached."""

    match: str
    """A regular expression; its group has the reset."""
    reset: ResetForm = ResetForm.NONE
    value: str | None = None
    """The reset, where the words only say which limit it is: `12am (America/Los_Angeles)`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SpentWindow:
    """A limit that is reached."""

    reset: datetime | None
    """When the tool may be asked again; None if it does not say so."""


def spent_window(patterns: Iterable[LimitPattern], text: str, now: datetime, zone: str) -> SpentWindow | None:
    """Find out whether words of a tool say that its limit is reached; None when they do not.

    The first pattern whose reset can be read counts. `zone` is that of times without one.
    """
    found = False
    for pattern in patterns:
        for words in reversed([*re.finditer(pattern.match, text)]):  # tools that try again by themselves say it often
            found = True
            said = pattern.value if pattern.value is not None else words[min(1, words.re.groups)]
            if (reset := limit_reset(said or "", now, zone, pattern.reset)) is not None:
                return SpentWindow(reset=reset)
    return SpentWindow(reset=None) if found else None


def limit_reset(text: str, now: datetime, zone: str, form: ResetForm) -> datetime | None:
    """Read the time at which a limit resets; None for words that cannot be read for certain.

    It may lie a few minutes back: tools round it.
    """
    text = text.strip()
    reset: datetime | None = None
    if form is ResetForm.EPOCH:
        reset = _epoch(text)
    elif form is ResetForm.LENGTH:
        length = _length(text)
        reset = None if length is None else now + length
    elif form is ResetForm.CLOCK:
        reset = _clock(text, now, zone)
    return None if reset is None or abs(reset - now) > _FARTHEST else reset


def reset_value(value: object, now: datetime) -> datetime | None:
    """Read a reset that a tool tells as a number: an epoch, or, when it is small, seconds from now."""
    text = str(value).strip() if isinstance(value, int | float | str) and not isinstance(value, bool) else ""
    if re.fullmatch(r"\d{10,13}(\.\d+)?", text):
        return limit_reset(text, now, "UTC", ResetForm.EPOCH)
    return limit_reset(text, now, "UTC", ResetForm.LENGTH)


def _epoch(text: str) -> datetime | None:
    found = re.fullmatch(r"(\d{10}|\d{13})(?:\.\d+)?", text)
    if found is None:
        return None
    return datetime.fromtimestamp(int(found[1]) / (1000 if len(found[1]) == len("1755615600000") else 1), UTC)


def _length(text: str) -> timedelta | None:
    """Read a length of time in the words of a tool: "about an hour and 5 mins."."""
    said = _FILLER.sub(" ", _ONE.sub("1", text.lower()))
    seconds = seconds_in(_ABBREVIATED_UNIT.sub(lambda found: _ABBREVIATIONS[found[0]], said))
    return None if seconds is None or seconds > _FARTHEST.total_seconds() else timedelta(seconds=seconds)


def _clock(text: str, now: datetime, default_zone: str) -> datetime | None:
    found = _CLOCK.fullmatch(text)
    zone = None if found is None else _zone(found["zone"] or found["bare_zone"] or default_zone)
    if found is None or zone is None or (at := _time_of_day(found)) is None:
        return None
    here = now.astimezone(zone)
    for day in _days(found, here.date()):
        try:
            reset = datetime.combine(day, at, zone).astimezone(UTC)
        except (ValueError, OverflowError):
            return None
        dated = found["iso"] or found["year"] or found["day_word"]
        if dated or reset >= now - (_HALF_YEAR if found["month"] else _JUST_NOW):
            return reset
    return None


def _days(found: re.Match[str], today: date) -> Iterator[date]:
    """Give the days that may be meant, the earliest first; none when the words name no day that exists."""
    if today.year > _LAST_YEAR_HERE:
        return
    if found["iso"]:
        try:
            yield date.fromisoformat(found["iso"])
        except ValueError:
            return
    elif found["month"]:
        month = found["month"].lower()[:3]
        if month not in _MONTHS:
            return
        for year in [int(found["year"])] if found["year"] else [today.year, today.year + 1]:
            try:
                yield date(year, _MONTHS.index(month) + 1, int(found["day"]))
            except ValueError:
                continue
    elif found["weekday"]:
        ahead = (_WEEKDAYS.index(found["weekday"].lower()) - today.weekday()) % 7
        yield from (today + timedelta(days=ahead), today + timedelta(days=ahead + 7))
    elif found["day_word"]:
        yield today + timedelta(days=found["day_word"].lower() == "tomorrow")
    else:
        yield from (today + timedelta(days=days) for days in (-1, 0, 1))


def _time_of_day(found: re.Match[str]) -> time | None:
    hour = int(found["hour"])
    minute = int(found["minute"] or 0)
    if found["half"]:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if found["half"][0].lower() == "p" else 0)
    elif not found["minute"]:
        return None  # a bare number is not a time for certain
    return time(hour, minute) if hour < 24 and minute < 60 else None


def _zone(name: str) -> tzinfo | None:
    known = _ABBREVIATED.get(name.lower(), name)
    if known == "UTC":
        return UTC
    try:
        return ZoneInfo(known)
    except (ValueError, OSError, KeyError):  # no such zone
        return None
