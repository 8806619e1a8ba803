"""Times, durations, amounts and outcomes in the words of the screens. Pure; the script has the same rules for times."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from duly.zones import Zone, with_instants_said

_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_LONG_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_LONG_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
_MINUTE = 60
_HOUR = 3600
_DAY = 86_400

SHAPES = {
    "succeeded": "ok",
    "done": "ok",
    "ok": "ok",
    "failed": "fail",
    "failing": "fail",
    "dead": "dead",
    "unreadable": "dead",
    "missed": "miss",
    "resting": "miss",
    "skipped": "skip",
    "paused": "pause",
    "off": "pause",
    "finished": "skip",
    "cancelled": "cancel",
    "dismissed": "cancel",
    "running": "run",
    "claimed": "run",
    "pending": "wait",
    "waiting": "wait",
    "awaiting": "ask",
    "awaiting_ack": "ask",
    "acked": "ok",
    "delivered": "ok",
    "snoozed": "ask",
    "gathered": "wait",
    "unacked": "ask",
    "coming": "coming",
}
"""The shape of each status: it also names its colour and its icon."""

_WORDS = {
    "awaiting": "awaiting answer",
    "awaiting_ack": "awaiting answer",
    "acked": "done",
    "unacked": "not answered",
    "gathered": "waits for the digest",
    "pending": "waiting",
    "claimed": "running",
}


ACTORS = {"local": "you, on this machine", "no-auth": "anyone on this machine (--no-auth)"}
"""Callers without a token, by their names in the audit."""
DOORS = {
    "mcp": "over MCP",
    "cli": "on the command line",
    "api": "over REST",
    "gui": "in the dashboard",
    "chat": "in a chat",
    "python": "from a program",
    "engine": "by itself",
}
"""The door through which a change came, by the face that the record names."""


def shape(status: str, reminder_status: str | None = None) -> str:
    """Give the shape of a run; an open reminder is drawn by what it waits for."""
    if reminder_status in {"awaiting", "awaiting_ack", "snoozed"}:
        return "ask"
    return SHAPES.get(status, "skip")


def status_words(status: str) -> str:
    """Name a status as the record does."""
    return _WORDS.get(status, status)


def took(seconds: float | None) -> str:
    """Say a duration: "0.3 s", "41 s", "1 min 35", "2 h 28", "2 d 16 h"."""
    if seconds is None:
        return ""
    if seconds < 1:
        return f"{max(seconds, 0):.1f} s"
    whole = round(seconds)
    if whole < _MINUTE:
        return f"{whole} s"
    if whole < 10 * _MINUTE:
        return f"{whole // _MINUTE} min" + (f" {whole % _MINUTE:02}" if whole % _MINUTE else "")
    return span(whole)


def span(seconds: float) -> str:
    """Say how far away a moment is, in seconds, minutes, hours or days, to the nearest: what is shown is never cut.

    19 minutes 59 are 20 minutes, and 2 hours 59 minutes 30 are 3 hours.
    """
    if (whole := _nearest(seconds, 1)) < _MINUTE:
        return f"{whole} s"
    if (minutes := _nearest(seconds, _MINUTE)) < 60:
        return f"{minutes} min"
    if minutes * _MINUTE < _DAY:
        return f"{minutes // 60} h" + (f" {minutes % 60:02}" if minutes % 60 else "")
    if (hours := _nearest(seconds, _HOUR)) < 240:
        return f"{hours // 24} d" + (f" {hours % 24} h" if hours % 24 else "")
    return f"{_nearest(seconds, _DAY)} d"


def _nearest(seconds: float, unit: int) -> int:
    return int(seconds / unit + 0.5)


def relative(at: datetime, now: datetime) -> str:
    """Say a moment as seen from now: "in 13 min", "2 h 28 ago", "now"."""
    seconds = (at - now).total_seconds()
    if abs(seconds) < 1:
        return "now"
    return f"in {span(seconds)}" if seconds > 0 else f"{span(-seconds)} ago"


def clock(at: datetime, zone: Zone, *, seconds: bool = False) -> str:
    """Say the time of day."""
    return f"{zone.localize(at):%H:%M:%S}" if seconds else f"{zone.localize(at):%H:%M}"


def day(at: datetime, now: datetime, zone: Zone) -> str:
    """Name a day: today, tomorrow, yesterday, else "Mon 29 Mar", with the year when it is another."""
    there = zone.localize(at)
    here = zone.localize(now)
    near = {0: "today", 1: "tomorrow", -1: "yesterday"}.get((there.date() - here.date()).days)
    if near is not None:
        return near
    year = "" if there.year == here.year else f" {there.year}"
    return f"{_DAYS[there.weekday()]} {there.day} {_MONTHS[there.month - 1]}{year}"


def moment(at: datetime, now: datetime, zone: Zone) -> str:
    """Say day and time: "today 14:45", "Mon 29 Mar 08:00"."""
    return f"{day(at, now, zone)} {clock(at, zone)}"


def with_local_times(text: str, now: datetime, zone: Zone) -> str:
    """Say the instants that a text of the record has in UTC as times of a zone; of today, only the time."""
    return with_instants_said(text, lambda at: moment(at, now, zone).removeprefix("today "))


def long_day(at: datetime, zone: Zone) -> str:
    """Name a day in full: "Friday 26 March"."""
    there = zone.localize(at)
    return f"{_LONG_DAYS[there.weekday()]} {there.day} {_LONG_MONTHS[there.month - 1]}"


def full(at: datetime, zone: Zone) -> str:
    """Say a moment so that it cannot be mistaken: local time with its offset, and UTC."""
    there = zone.localize(at)
    local = f"{_DAYS[there.weekday()]} {there.day} {_MONTHS[there.month - 1]} {there:%Y %H:%M:%S} {offset(at, zone)}"
    return f"{local}, {at.astimezone(UTC):%H:%M:%S} UTC"


def offset(at: datetime, zone: Zone) -> str:
    """Give a zone's offset at a moment: "+01:00"."""
    there = zone.localize(at).utcoffset() or timedelta(0)
    minutes = round(there.total_seconds() / _MINUTE)
    return f"{'-' if minutes < 0 else '+'}{abs(minutes) // 60:02}:{abs(minutes) % 60:02}"


def usd(amount: float | None) -> str:
    """Say an amount: "$3.84"."""
    return "" if amount is None else f"${amount:,.2f}"


def many(count: int, one: str, several: str | None = None) -> str:
    """Count things: "1 run", "3 runs"."""
    return f"{count:,} {one}" if count == 1 else f"{count:,} {several or one + 's'}"


def sentence(parts: list[str]) -> str:
    """Join parts with commas and "and"."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}" if parts else ""


def iso_utc(at: datetime) -> str:
    """Give a moment for the script and for `datetime=`: UTC, whole seconds."""
    return f"{at.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"


def local_input(at: datetime, zone: Zone) -> str:
    """Give a moment for a field of local time."""
    return f"{zone.localize(at):%Y-%m-%dT%H:%M}"


def size(count: int) -> str:
    """Say an amount of text: "2.1 KB", "1 MB"."""
    if count < 1000:
        return f"{count} bytes"
    return f"{count / 1000:.1f} KB" if count < 1_000_000 else f"{count / 1_048_576:.3g} MB"
