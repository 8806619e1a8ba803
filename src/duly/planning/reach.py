"""When and where a person may be reached: their channels in order, their quiet hours, and how long they may snooze."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, time, timedelta
from typing import NamedTuple

from duly.errors import InvalidInputError, NaiveDatetimeError, SnoozeRangeError
from duly.model.action import Message, Priority
from duly.model.checks import at_least
from duly.zones import Zone, iso

INBOX = "inbox"
"""The channel that is always there."""
DEFAULT_SNOOZE = 10
"""Minutes of a snooze that says no length."""
MAX_MINUTES = 1440
MAX_AHEAD = timedelta(days=7)


# where


class Endpoint(NamedTuple):
    """An address on a channel."""

    channel: str
    address: str


class Route(NamedTuple):
    """The endpoints to try, in order."""

    endpoints: tuple[Endpoint, ...]
    copy: Endpoint | None
    """Keeps the message when no endpoint took it; that alone does not count as delivered."""


def route(own: Sequence[Endpoint], inbox: Endpoint, wished: str | None) -> Route:
    """Order a person's channels: the wished one first, then the others in the person's order of preference.

    A person without another channel than the inbox, or a message that wishes for it, is reached in the inbox.
    """
    others = [each for each in own if each.channel != INBOX]
    if wished == INBOX or not others:
        return Route((inbox,), None)
    first = [each for each in others if each.channel == wished]
    return Route((*first, *(each for each in others if each.channel != wished)), inbox)


# when


def quiet_until(
    begin: str | None, end: str | None, zone: Zone, moment: datetime, priority: Priority = Priority.NORMAL
) -> datetime | None:
    """Give the end of the quiet hours that hold a message back at a moment; None when it may be sent.

    `begin` and `end` are local times ("22:00"); a window may span midnight, and one without length is none. Critical
    messages do not wait.
    """
    if priority is Priority.CRITICAL:
        return None
    if begin is None or end is None or begin == end:
        return None
    first = time.fromisoformat(begin)
    last = time.fromisoformat(end)
    local = zone.localize(moment)
    clock = local.time()
    ends_on = local.date()
    if first < last:
        quiet = first <= clock < last
    else:
        # A window over midnight ends tomorrow for the evening, and today for the early morning.
        quiet = clock >= first or clock < last
        ends_on += timedelta(days=clock >= first)
    if not quiet:
        return None
    over = datetime.combine(ends_on, last)
    # Where clocks are set back the window may end twice; in a gap it ends when the gap does.
    ends = [*zone.instants(over), zone.first_instant(over)]
    return min((instant for instant in ends if instant > moment), default=None)


OFF = "off"
"""As the time of a digest: there is none, and every message is sent at once."""


def read_digest_time(text: str) -> str:
    """Read when a person wants their digest: a time on their clocks, or off."""
    given = text.strip().lower()
    if given == OFF:
        return OFF
    try:
        return f"{time.fromisoformat(given.zfill(5)):%H:%M}" if len(given) <= 5 and ":" in given else _no_time(text)
    except ValueError:
        return _no_time(text)


def _no_time(text: str) -> str:
    raise InvalidInputError(f'digest_at must be a time such as "18:00", or "off", got {text!r:.50}')


def digest_time(at: str | None, zone: Zone, fire_at: datetime, message: Message) -> datetime | None:
    """Give the time of the digest that brings a message; None when it is sent on its own.

    That is the first `at` ("18:00") on the person's clocks that is not before the message's own time. Only what has a
    low priority and wants no answer waits for it.
    """
    if at in (None, OFF) or message.priority is not Priority.LOW or message.require_ack:
        return None
    clock = time.fromisoformat(at or "")
    day = zone.localize(fire_at).date()
    # Where clocks are set back it comes at the first of two; in a gap it comes when the gap ends.
    today = zone.first_instant(datetime.combine(day, clock))
    return today if today >= fire_at else zone.first_instant(datetime.combine(day + timedelta(days=1), clock))


def snooze_until(now: datetime, minutes: int | None = None, until: datetime | None = None) -> datetime:
    """Give the moment at which a snoozed reminder returns: after some minutes (default: ten), or at `until`."""
    if minutes is not None and until is not None:
        raise InvalidInputError("say minutes or until, not both")
    if until is not None:
        if until.utcoffset() is None:
            raise NaiveDatetimeError("until", until)
        if not now < until <= now + MAX_AHEAD:
            got = f"got {iso(until)} when it is {iso(now)}"
            raise SnoozeRangeError(f"until must lie ahead and within {MAX_AHEAD.days} days, {got}", until)
        return until
    wanted = DEFAULT_SNOOZE if minutes is None else minutes
    at_least("minutes", wanted, 1)
    if wanted > MAX_MINUTES:
        raise InvalidInputError(f"minutes must not exceed {MAX_MINUTES} (a day), got {wanted}: say until instead")
    return now + timedelta(minutes=wanted)
