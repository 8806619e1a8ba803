"""Sending handovers to one executor: written down, published and noted in batches, so that ten thousand cost little.

Between any two of these steps the process may end. The record says what may have happened: an intended handover is sent
again with another token, and the message sent before, if there is one, is refused leave.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from random import random

from duly import failpoints
from duly.clock import Clock
from duly.errors import ExecutorUnreachableError
from duly.executors.batches import Batches
from duly.executors.calling import Calling
from duly.executors.terms import Terms
from duly.model.events import RUN_HANDED_OVER, Event
from duly.model.handover import Handover, HandoverKey
from duly.planning import handovers as planning
from duly.planning.handovers import Refusal, Revised, RunStanding, SentMessage
from duly.ports.executors import Executor, Handovers, SendResult, WorkOrder
from duly.ports.observers import EventListener

_FIRST_PAUSE = 1.0
_LONGEST_PAUSE = 60.0
_MOST_DOUBLED = 10
_NOT_TAKEN_PAUSE = 10.0
"""Seconds until an order is tried again that its executor did not take, although it could be reached."""


@dataclass(frozen=True, slots=True)
class Parcel:
    """One handover on its way, with the order that its executor gets but for the token."""

    handover: Handover
    """With the hash of the token in the order."""
    order: WorkOrder
    before: Handover | None = None
    """The handover as it was written down; None for a new one."""


@dataclass(frozen=True, slots=True)
class NotSent:
    """Why a handover was not sent now, and when to try again."""

    reason: str
    again_in: float


Delivered = Handover | NotSent | None
"""The record after sending; None when another process has written this handover down or is sending it."""


def hash_token(token: str) -> str:
    """Hash a token for the record. It is random and long, so a plain hash is enough."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def new_token() -> str:
    """Make a token for one message."""
    return secrets.token_urlsafe(24)


class Outbox:
    """Sends handovers to one executor, one batch at a time."""

    def __init__(
        self,
        name: str,
        handovers: Handovers,
        clock: Clock,
        calling: Calling,
        emit: EventListener,
        executor: Callable[[], tuple[Executor, Terms]],
        *,
        chance: Callable[[], float] = random,
    ) -> None:
        self._name = name
        self._handovers = handovers
        self._clock = clock
        self._calling = calling
        self._emit = emit
        self._executor = executor
        self._chance = chance
        self._batches: Batches[Parcel, Delivered] = Batches(self._send)
        self._failures = 0
        self._shut_until = 0.0
        """Until when it is not tried again, by the monotonic clock: the executor could not be reached."""
        self._error = ""

    async def send(self, parcel: Parcel) -> Delivered:
        """Send one handover, with others that are sent at the same time."""
        return await self._batches.ask(parcel)

    async def _send(self, parcels: list[Parcel]) -> Sequence[Delivered]:
        shut_for = self._shut_until - self._clock.monotonic()
        ours = await self._write_down(parcels, renew=shut_for <= 0)
        failpoints.hit("handover.intended")
        sending = [each for each in parcels if each.handover.key in ours]
        if shut_for > 0:
            sent: Mapping[HandoverKey, Delivered] = {each.handover.key: self._wait(shut_for) for each in sending}
        elif sending:
            sent = await self._publish(sending)
        else:
            sent = {}
        return [sent.get(each.handover.key) for each in parcels]

    async def _write_down(self, parcels: Sequence[Parcel], *, renew: bool) -> set[HandoverKey]:
        """Write down new handovers, and new tokens of those that were; returns those that are ours to send."""
        new = [each.handover for each in parcels if each.before is None]
        known = {each.handover.key: each for each in parcels if each.before is not None}
        ours = await self._handovers.intend(new) if new else set()
        if not known or not renew:
            return ours | known.keys()

        def decide(now: Handover, standing: RunStanding) -> Revised | None:
            parcel = known[now.key]
            seen = parcel.before or now
            return planning.renewed(now, standing, seen=seen, token_hash=parcel.handover.token_hash)

        judged = await self._handovers.change(list(known), decide, self._clock.now())
        return ours | {
            key
            for key, each in judged.items()
            if each.handover is not None and each.handover.token_hash == known[key].handover.token_hash
        }

    async def _publish(self, parcels: Sequence[Parcel]) -> Mapping[HandoverKey, Delivered]:
        orders = [each.order for each in parcels]
        executor, terms = self._executor()
        at = self._clock.now()
        try:
            results = await self._calling(lambda: executor.hand_over(orders))
        except ExecutorUnreachableError as error:
            wait = self._shut(error)
            return {each.key: self._wait(wait) for each in orders}
        self._failures = 0
        failpoints.hit("handover.published")
        answers = await self._note(parcels, results, at, terms)
        failpoints.hit("handover.noted")
        return answers

    async def _note(
        self, parcels: Sequence[Parcel], results: Sequence[SendResult], at: datetime, terms: Terms
    ) -> Mapping[HandoverKey, Delivered]:
        """Note in one transaction what came of each order."""
        pairs = {parcel.order.key: (parcel, result) for parcel, result in zip(parcels, results, strict=True)}
        tell_at = None if terms.not_begun_after is None else at + terms.not_begun_after
        now = self._clock.now()

        def decide(handover: Handover, standing: RunStanding) -> Revised | Refusal | None:
            parcel, result = pairs[handover.key]
            token_hash = parcel.handover.token_hash
            if result.error is not None:
                return planning.not_taken(handover, standing, token_hash=token_hash, error=result.error, now=now)
            message = SentMessage(token_hash, at, tell_at, result.is_begun, result.worker)
            if result.outcome is None or handover.token_hash != token_hash:
                return planning.sent(handover, message, now=now)
            return planning.end(handover, standing, result.outcome, start=None, now=now)

        noted = [key for key, (_, result) in pairs.items() if result.error is None or result.final]
        judged = await self._handovers.change(noted, decide, now) if noted else {}
        answers: dict[HandoverKey, Delivered] = {key: each.handover for key, each in judged.items()}
        for key, (parcel, result) in pairs.items():
            if result.error is not None and not result.final:
                answers[key] = NotSent(f"{self._name} does not take it: {result.error}", self._spread(_NOT_TAKEN_PAUSE))
            elif result.error is None:
                self._tell(parcel, now)
        return answers

    def _tell(self, parcel: Parcel, now: datetime) -> None:
        order = parcel.order
        data = {"name": order.schedule, "executor": self._name, "queue": order.queue, "number": order.key.number}
        self._emit(Event(RUN_HANDED_OVER, now, parcel.handover.schedule_id, order.key.run_id, data=data))

    # an executor that cannot be reached

    def _shut(self, error: ExecutorUnreachableError) -> float:
        """Try no run before a while, longer each time; returns the seconds."""
        self._error = str(error)
        wait = min(_FIRST_PAUSE * (1 << min(self._failures, _MOST_DOUBLED)), _LONGEST_PAUSE)
        self._failures += 1
        self._shut_until = self._clock.monotonic() + wait
        return wait

    def _wait(self, seconds: float) -> NotSent:
        return NotSent(f"executor {self._name} cannot be reached: {self._error}", self._spread(seconds))

    def _spread(self, seconds: float) -> float:
        """Spread what waits: the first of many finds out for the others whether it works again."""
        return seconds * (1 + self._chance() / 2)
