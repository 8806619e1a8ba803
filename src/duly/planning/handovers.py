"""Handovers: what is done with a run that an executor carries out, and what a report about it changes. Pure.

duly's record is the truth. A handover is written down before it is sent; a worker asks for leave before it begins; and
only the latest handover of a run that is not over is listened to. So a message may be sent, delivered and reported any
number of times: user code begins at most once for each handover, and one outcome is accepted.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, NamedTuple

from duly.model.handover import Handover, HandoverState

LONGEST_WAIT = timedelta(days=1)
"""A run whose handover nothing wakes is looked at again after so long."""
LOOK_AGAIN = timedelta(seconds=10)
"""For so long the watch over handovers has to end one whose time to begin has passed."""
MAY_BE_LOST_AFTER = timedelta(seconds=30)
"""After so long a message that no worker has begun may have been lost with its queue; each time it is sent, twice as
long."""
_MOST_DOUBLED = 10


# what a dispatcher does next


class MakeHandover(NamedTuple):
    """Write down a new handover with this number, and send it."""

    number: int


class SendAgain(NamedTuple):
    """Send a handover of which it is not known whether it was sent; its earlier message is void."""

    handover: Handover


class WaitFor(NamedTuple):
    """Wait: a report or the watch over handovers makes the run due."""

    until: datetime
    reason: str


class Accept(NamedTuple):
    """End the attempt with the outcome of this handover."""

    handover: Handover


Step = MakeHandover | SendAgain | WaitFor | Accept


def next_step(latest: Handover | None, *, taken: bool, now: datetime) -> Step:
    """Decide about a claimed run, given its latest handover.

    `taken` says that an attempt of the run has failed with the outcome of that handover: then this is a new attempt.
    """
    if latest is None:
        return MakeHandover(1)
    is_late = latest.begin_by is not None and now >= latest.begin_by
    if latest.state is HandoverState.INTENDED and not is_late:
        return SendAgain(latest)
    if not latest.state.final:
        return WaitFor(_wait_until(latest, now), waiting_for(latest))
    if taken or latest.state is HandoverState.CANCELLED:
        return MakeHandover(latest.number + 1)
    return Accept(latest)


def is_taken(handover: Handover, failed: Iterable[int]) -> bool:
    """Say whether an attempt has failed with the outcome of a handover, given the fences of those that failed.

    It may be the very attempt during which the handover ended, as when its executor answers at once.
    """
    return handover.ended_fence is not None and any(fence >= handover.ended_fence for fence in failed)


def _wait_until(handover: Handover, now: datetime) -> datetime:
    """Give the time at which the watch should have ended it, if nothing else did before."""
    longest = now + LONGEST_WAIT
    if handover.begin_by is None or not handover.state.begins_still:
        return longest
    return min(longest, max(now, handover.begin_by) + LOOK_AGAIN)


def waiting_for(handover: Handover) -> str:
    """Say what a run waits for whose handover is open."""
    if handover.state is HandoverState.BEGUN:
        return f"carried out by {handover.worker or handover.executor}"
    return f"handed over to {handover.executor}, not begun yet"


# what sending changes


class SentMessage(NamedTuple):
    """A message that was sent."""

    token_hash: str
    at: datetime
    """Before it left: its worker may begin before anything else can be noted."""
    tell_at: datetime | None
    is_begun: bool = False
    worker: str | None = None
    """Where it is carried out, if it is begun."""


def renewed(handover: Handover, standing: RunStanding, *, seen: Handover, token_hash: str) -> Revised | None:
    """Give a handover another token before it is sent again: an earlier message is void from now on.

    None when it was begun meanwhile, or is being sent by another process.
    """
    if handover.state is not HandoverState.INTENDED or handover.token_hash != seen.token_hash:
        return None
    return None if standing.run_is_over else Revised(replace(handover, token_hash=token_hash))


def sent(handover: Handover, message: SentMessage, *, now: datetime) -> Revised | None:
    """Note that an executor has a message. Its worker may have begun by now, or another message taken its place."""
    if handover.token_hash != message.token_hash or handover.state.final or handover.sent_at == message.at:
        return None
    facts: dict[str, Any] = {"sent": handover.sent + 1, "sent_at": message.at}
    if handover.state is HandoverState.INTENDED and message.is_begun:
        facts |= {"state": HandoverState.BEGUN, "begun_at": now, "heard_at": now, "worker": message.worker}
    elif handover.state is HandoverState.INTENDED:
        tell_at = message.tell_at if handover.sent == 0 else handover.tell_at
        facts |= {"state": HandoverState.HANDED_OVER, "tell_at": tell_at}
    return Revised(replace(handover, **facts))


def not_taken(
    handover: Handover, standing: RunStanding, *, token_hash: str, error: str, now: datetime
) -> Revised | None:
    """End a handover that its executor will never take."""
    if handover.state is not HandoverState.INTENDED or handover.token_hash != token_hash:
        return None
    return _ended(handover, standing, HandoverState.FAILED, now, error=error)


def is_refused_for_good(handover: Handover) -> bool:
    """Say whether its executor has never taken it, and never will."""
    return handover.state is HandoverState.FAILED and handover.sent == 0


def may_be_lost(handover: Handover, now: datetime) -> bool:
    """Say whether the message may have been lost with its queue. Only leave makes it safe to send another one."""
    if handover.state is not HandoverState.HANDED_OVER or not handover.reports or handover.sent_at is None:
        return False
    doublings = min(max(handover.sent - 1, 0), _MOST_DOUBLED)
    return now - handover.sent_at > MAY_BE_LOST_AFTER * (1 << doublings)


def lost_with_queue(handover: Handover, standing: RunStanding, *, seen: Handover) -> Revised | None:
    """Have a handover sent again whose message is nowhere any more; None when something has happened since."""
    if handover != seen or standing.run_is_over or standing.latest > handover.number:
        return None
    return Revised(replace(handover, state=HandoverState.INTENDED), wakes=True)


# what a report changes


class RunStanding(NamedTuple):
    """How the run of a handover stands when a report about it is judged."""

    latest: int
    """The number of the latest handover of the run."""
    run_is_over: bool
    """It has ended, or was called off: a node that has it may not have noticed yet."""
    fence: int
    """The fence of the run."""


class Refusal(StrEnum):
    """Why a report is not listened to."""

    UNKNOWN = "unknown"
    """There is no such handover, or the token is not that of the message sent last."""
    OVER = "over"
    """The run has ended, or was cancelled."""
    REPLACED = "replaced"
    """A later attempt was handed over, or this one was given up."""
    BEATING = "beating"
    """Another start of the same message has leave."""
    ENDED = "ended"
    """Its outcome is there already."""
    EXPIRED = "expired"
    """It came too late to begin."""
    NOT_BEGUN = "not_begun"
    """It reports about a start that never asked for leave."""


class Revised(NamedTuple):
    """What a report or the watch changes: a record to write, and whether its run is due now."""

    handover: Handover
    wakes: bool = False


def begin(
    handover: Handover, standing: RunStanding, *, start: str, worker: str, now: datetime, after: str | None = None
) -> Revised | Refusal:
    """A worker asks for leave to begin. Asking again for the same start is answered as before.

    `after` names the start that had leave and gave up its place for this one, as Celery does when it retries: of any
    number of copies of such a message, the first one takes the place.
    """
    if (refusal := _refusal(handover, standing)) is not None:
        return refusal
    if handover.state is HandoverState.BEGUN:
        if handover.start not in (start, after):
            return Refusal.BEATING
        return Revised(replace(handover, start=start, worker=worker, heard_at=_later(handover, now)))
    if handover.begin_by is not None and now >= handover.begin_by:
        return Refusal.EXPIRED
    begun = replace(
        handover,
        state=HandoverState.BEGUN,
        begun_at=now,
        heard_at=now,
        tell_at=None,
        start=start,
        worker=worker,
    )
    return Revised(begun)


def beat(handover: Handover, standing: RunStanding, *, start: str | None, now: datetime) -> Revised | Refusal:
    """A worker gives a sign of life. `start` None is the executor's word that a worker is at it."""
    if (refusal := _refusal(handover, standing)) is not None:
        return refusal
    if handover.state.begins_still:
        return Refusal.NOT_BEGUN
    if start is not None and start != handover.start:
        return Refusal.BEATING
    return Revised(replace(handover, heard_at=_later(handover, now)))


def seen_at_work(handover: Handover, standing: RunStanding, *, worker: str | None, now: datetime) -> Revised | Refusal:
    """An executor says that a worker is at it. One that asks for no leave has begun then."""
    if handover.reports or not handover.state.begins_still:
        return beat(handover, standing, start=None, now=now)
    if (refusal := _refusal(handover, standing)) is not None:
        return refusal
    begun = replace(
        handover,
        state=HandoverState.BEGUN,
        begun_at=now,
        heard_at=now,
        tell_at=None,
        worker=worker or handover.executor,
    )
    return Revised(begun)


class Outcome(NamedTuple):
    """How an attempt ended, as a worker or an executor says."""

    state: HandoverState
    """`succeeded` or `failed`."""
    result: str | None = None
    error: str | None = None


def end(
    handover: Handover, standing: RunStanding, outcome: Outcome, *, start: str | None, now: datetime
) -> Revised | Refusal:
    """A worker reports an outcome, or the executor knows it (`start` None). Reporting it again changes nothing."""
    if handover.state.final and handover.state is outcome.state and start in (None, handover.start):
        return Revised(handover)
    if (refusal := _refusal(handover, standing)) is not None:
        return refusal
    if start is not None and handover.state.begins_still:
        return Refusal.NOT_BEGUN
    if start is not None and start != handover.start:
        return Refusal.BEATING
    was_sent = max(handover.sent, 1)  # whether or not that was noted
    return _ended(handover, standing, outcome.state, now, result=outcome.result, error=outcome.error, sent=was_sent)


def give_up(handover: Handover, standing: RunStanding, *, hearing_since: datetime, now: datetime) -> Revised | None:
    """Decide whether a handover has lasted too long; None when it may go on.

    `hearing_since` is when this process began to listen: what was said before was not heard, so a lease
    begins anew then. A worker that was not heard may have ended in time, and has that lease to say so.
    """
    if handover.state.final:
        return None
    if standing.run_is_over or standing.latest > handover.number or handover.cancel_asked:
        return _ended(handover, standing, HandoverState.CANCELLED, now)
    if handover.state.begins_still:
        if handover.begin_by is not None and now >= handover.begin_by:
            error = f"no worker of {handover.executor} began it in time"
            return _ended(handover, standing, HandoverState.EXPIRED, now, error=error)
        return None
    if _is_too_long(handover, hearing_since, now):
        error = f"it ran longer than {handover.run_seconds:g} s on {handover.worker or handover.executor}"
        return _ended(handover, standing, HandoverState.FAILED, now, error=error)
    heard = max(handover.heard_at or handover.intended_at, hearing_since)
    if now - heard <= handover.lease:
        return None
    error = f"{handover.worker or handover.executor} gave no sign of life for {handover.lease_seconds:g} s"
    return _ended(handover, standing, HandoverState.LOST, now, error=error)


def _is_too_long(handover: Handover, hearing_since: datetime, now: datetime) -> bool:
    if handover.run_seconds is None or handover.begun_at is None:
        return False
    if handover.begun_at < hearing_since and now - hearing_since <= handover.lease:
        return False
    return now - handover.begun_at > timedelta(seconds=handover.run_seconds)


def _refusal(handover: Handover, standing: RunStanding) -> Refusal | None:
    """Say why nothing that is reported about a handover counts; None when it does."""
    if handover.state.final and handover.state is not HandoverState.CANCELLED:
        return _REFUSED_AFTER[handover.state]
    if standing.run_is_over:
        return Refusal.OVER
    if standing.latest > handover.number:
        return Refusal.REPLACED
    return Refusal.OVER if handover.cancel_asked or handover.state.final else None


_REFUSED_AFTER = {
    HandoverState.SUCCEEDED: Refusal.ENDED,
    HandoverState.FAILED: Refusal.ENDED,
    HandoverState.EXPIRED: Refusal.EXPIRED,
    HandoverState.LOST: Refusal.REPLACED,
}


def _ended(handover: Handover, standing: RunStanding, state: HandoverState, now: datetime, **facts: Any) -> Revised:
    ended = replace(handover, state=state, ended_at=now, ended_fence=standing.fence, tell_at=None, **facts)
    return Revised(ended, wakes=not standing.run_is_over and standing.latest == handover.number)


def _later(handover: Handover, now: datetime) -> datetime:
    """A node whose clock is behind does not take back a sign of life."""
    return now if handover.heard_at is None else max(now, handover.heard_at)


def say_not_begun(handover: Handover, now: datetime) -> Revised | None:
    """Note that people hear that it has not begun; None when they should not, or have heard it."""
    return Revised(replace(handover, tell_at=None)) if is_not_begun(handover, now) else None


def is_not_begun(handover: Handover, now: datetime) -> bool:
    """Say whether people should hear now that no worker has begun it."""
    return handover.state is HandoverState.HANDED_OVER and handover.tell_at is not None and now >= handover.tell_at
