"""Send notices: one message at a time, each attempt recorded before it leaves and with its result afterwards.

A process that dies while it sends leaves the message to the one that takes it next, which sends it under the same key.
A message that no channel takes is tried in rounds, as a reminder is, and then kept in the person's inbox; its failure
is an event and causes no notice.
"""

from __future__ import annotations

import asyncio
import hashlib
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import NamedTuple
from urllib.parse import urlsplit

from duly import failpoints
from duly.clock import Clock
from duly.config.notify import NotifySettings
from duly.delivery.messages import no_link
from duly.delivery.sending import Sender
from duly.errors import InvalidInputError
from duly.language.spoken import spoken
from duly.model.events import NOTICE_FAILED, Event
from duly.model.notice import NoticeKind, NoticeStatus
from duly.model.reminder import AttemptKind, AttemptStatus
from duly.planning.delivery import next_round
from duly.planning.reach import INBOX, Endpoint, Route, quiet_until, route
from duly.ports.channels import Outgoing
from duly.ports.codec import decode_policy
from duly.ports.notices import Notice, NoticeOutcome
from duly.ports.observers import EventListener
from duly.ports.people import LOCAL_USER, User, owner_of
from duly.ports.reminders import DeliveryAttempt
from duly.ports.store import FullStore
from duly.service.notices.digests import DigestWriter
from duly.service.notices.recipients import WEBHOOK
from duly.service.notices.texts import (
    NoticedRun,
    NoticeVoice,
    RunLink,
    answers_of,
    digest_of,
    is_quiet,
    no_run_link,
    say_answer,
    say_ends,
)
from duly.zones import Zone

_LEASE = timedelta(minutes=5)
"""For how long a process may take to send a message through all channels; one that is lost has no more time."""
_MOST_ROUNDS = 4
"""As of a reminder: the first round, and three more."""
_KINDS = (AttemptKind.NOTICE, AttemptKind.DIGEST, AttemptKind.REMINDER)


class _Said(NamedTuple):
    """A message that was written."""

    text: str
    digest: str | None = None
    closed: tuple[str, ...] = ()
    """Schedules of which it tells the failure and the recovery."""
    kind: AttemptKind = AttemptKind.NOTICE


@dataclass(frozen=True, slots=True, kw_only=True)
class NoticeParts:
    """What a process gives to its notices."""

    settings: Callable[[], NotifySettings]
    default_zone: str = "UTC"
    link: RunLink = no_run_link
    digests: DigestWriter | None = None
    emit: EventListener = lambda _event: None
    node_id: Callable[[], str | None] = lambda: None
    chance: Callable[[], float] = random.random


class NoticeSender:
    """Sends the notices that are due."""

    def __init__(self, store: FullStore, clock: Clock, sender: Sender, parts: NoticeParts) -> None:
        self._store = store
        self._clock = clock
        self._sender = sender
        self._parts = parts
        self._digests = parts.digests or DigestWriter(store, no_link, None, None)
        self._on_its_way: asyncio.Task[DeliveryAttempt] | None = None
        self._is_cut_off = False

    def cut_off(self) -> None:
        """Wait no longer for the answer of a channel. Its message is due at once, for the next process to send.

        An answer that has come is recorded as always: only the waiting ends.
        """
        self._is_cut_off = True
        if self._on_its_way is not None:
            self._on_its_way.cancel()

    async def send_due(self, goes_on: Callable[[], bool] = lambda: True) -> datetime | None:
        """Send everything that is due, while `goes_on` says so; returns when the next notice is."""
        self._is_cut_off = False
        while goes_on():
            now = self._clock.now()
            taken = await self._store.notices.take(
                now, now + _LEASE, now + self._parts.settings().gather, self._parts.node_id()
            )
            if not taken:
                return await self._store.notices.next_due()
            failpoints.hit("notices.taken")
            await self._send(taken)
        return None

    async def _send(self, taken: Sequence[Notice]) -> None:
        lead = taken[0]
        user = None if lead.user_id is None else await self._user(lead.user_id)
        if user is None and lead.address is None:
            await self._give_up(taken, f"there is no person {lead.user_id!r}", None)
            return
        zone = Zone.of((user.timezone if user else None) or self._parts.default_zone)
        now = self._clock.now()
        quiet = None if user is None else quiet_until(user.quiet_from, user.quiet_to, zone, now, lead.priority)
        if quiet is not None:  # apart: what happens until then may go into the same message
            waits = NoticeOutcome(NoticeStatus.PENDING, due_at=quiet, rounds=lead.rounds, apart=not lead.rounds)
            await self._store.notices.end(taken, waits, None)
            return
        voice = NoticeVoice(
            language=None if user is None else user.language,
            zone=zone,
            now=now,
            longest=self._parts.settings().longest,
            link=self._parts.link,
        )
        about = await self._about(taken)
        if lead.kind is NoticeKind.REMINDER:
            await self._send_digest(taken, about, user, voice)
            return
        said = await self._say(about, voice)
        if isinstance(said, NoticeOutcome):
            await self._store.notices.end(taken, said, None)
        else:
            outgoing = Outgoing(text=said.text, key=_key(lead), language=voice.language)
            await self._deliver(taken, outgoing, said, user)

    async def _send_digest(
        self, taken: Sequence[Notice], about: Sequence[NoticedRun], user: User | None, voice: NoticeVoice
    ) -> None:
        digest = None if user is None else await self._digests.write(about, user, voice.zone, voice.now)
        if digest is None:
            await self._store.notices.end(taken, _silent("nothing of it is left to tell"), None)
            return
        said = _Said(digest.outgoing.text, kind=digest.kind)
        await self._deliver([replace(taken[0], channel=digest.channel), *taken[1:]], digest.outgoing, said, user)

    async def _user(self, user_id: str) -> User | None:
        found = await self._store.people.get(user_id)
        if found is None and user_id == LOCAL_USER:
            return User(id=LOCAL_USER, name=LOCAL_USER, is_admin=True, created_at=self._clock.now())
        return found

    async def _about(self, taken: Sequence[Notice]) -> list[NoticedRun]:
        """Read what notices are about; nothing is said of a deleted schedule."""
        rows = await self._store.timeline.schedules(list({each.schedule_id for each in taken}))
        kept = {row.id: row for row in rows if row.deleted_at is None}
        about: list[NoticedRun] = []
        for each in taken:
            run = await self._store.get_run(each.run_id)
            if run is not None and each.schedule_id in kept:
                about.append(NoticedRun(each, run, kept[each.schedule_id]))
        return about

    # what to say

    async def _say(self, about: Sequence[NoticedRun], voice: NoticeVoice) -> _Said | NoticeOutcome:
        """Write the message, or decide that there is nothing to tell."""
        if not about:
            return _silent("its schedule was deleted")
        if about[0].notice.kind is NoticeKind.ANSWER:
            return await self._say_answer(about[0], voice)
        # A schedule that fails again before its recovery was sent: the recipient thinks rightly that it fails.
        ends = [each for each in about if each.notice.kind is NoticeKind.FAILURE or each.works]
        if not ends:
            return _silent("it fails again")
        closed = tuple(each.schedule.id for each in ends if each.notice.kind is NoticeKind.FAILURE and each.works)
        return _Said(say_ends(ends, voice), closed=closed)

    async def _say_answer(self, about: NoticedRun, voice: NoticeVoice) -> _Said | NoticeOutcome:
        answers = answers_of(about.run.result)
        loud = [each for each in answers if not is_quiet(each.text, self._quiet_word(about))]
        if not loud:
            return _silent("it had nothing to report")
        digest = digest_of(loud)
        if about.notice.only_changes:
            before = await self._store.notices.last_digest(about.schedule.id, about.notice.recipient)
            if before == digest:
                return _silent("its answer has not changed", digest)
        return _Said(say_answer(about, loud, voice), digest=digest)

    def _quiet_word(self, about: NoticedRun) -> str:
        try:
            own = decode_policy(about.schedule.policy).quiet_word
        except InvalidInputError:
            own = None
        return own or self._parts.settings().quiet_word

    # sending

    async def _deliver(self, taken: Sequence[Notice], outgoing: Outgoing, said: _Said, user: User | None) -> None:
        """Try every channel once, and record how it went."""
        lead = taken[0]
        way = await self._route(lead, user)
        tried = await self._tried(lead)
        open_ways = [each for each in way.endpoints if not any(_is_closed(each, attempt) for attempt in tried)]
        last: DeliveryAttempt | None = None
        for endpoint in open_ways:
            if last is not None:
                await self._store.reminders.end_attempt(last)
            last = await self._try(lead, endpoint, outgoing, said.kind)
            tried.append(last)
            if last.status.arrived:
                await self._told(taken, said, last)
                return
            if self._is_cut_off:
                waits = NoticeOutcome(NoticeStatus.PENDING, due_at=self._clock.now(), rounds=lead.rounds)
                await self._store.notices.end(taken, waits, last)
                return
        error = "; ".join(dict.fromkeys(each.error_message for each in tried if each.error_message)) or None
        rounds = lead.rounds + 1
        left = [each for each in open_ways if not any(_is_closed(each, attempt) for attempt in tried)]
        if rounds < _MOST_ROUNDS and left:
            floors = [attempt.retry_at for attempt in tried[-len(open_ways) :]]
            due_at = next_round(lead.priority, rounds, floors, self._clock.now(), self._parts.chance())
            waits = NoticeOutcome(NoticeStatus.PENDING, due_at=due_at, error=error, rounds=rounds)
            await self._store.notices.end(taken, waits, last)
            return
        if last is not None:
            await self._store.reminders.end_attempt(last)
        if user is None:
            way, outgoing = await self._for_owner(lead, outgoing)
        copy = None if way.copy is None else await self._try(lead, way.copy, outgoing, said.kind)
        await self._give_up(taken, error or "no channel took it", copy or last)

    async def _for_owner(self, lead: Notice, outgoing: Outgoing) -> tuple[Route, Outgoing]:
        """Keep what a webhook did not take in the inbox of the schedule's owner, with a line that says so."""
        [row] = await self._store.timeline.schedules([lead.schedule_id])
        owner = await self._user(owner_of(row.namespace)) or await self._user(LOCAL_USER)
        if owner is None:
            return Route((), None), outgoing
        why = spoken(owner.language).notices.not_taken.format(host=urlsplit(lead.address or "").hostname or WEBHOOK)
        text = f"{outgoing.text}\n{why}"
        return Route((), Endpoint(INBOX, owner.id)), replace(outgoing, text=text, language=owner.language)

    async def _told(self, taken: Sequence[Notice], said: _Said, attempt: DeliveryAttempt) -> None:
        delivered = attempt.status is AttemptStatus.DELIVERED
        status = NoticeStatus.DELIVERED if delivered else NoticeStatus.SENT
        outcome = NoticeOutcome(
            status,
            told_at=self._clock.now(),
            digest=said.digest,
            closed=said.closed,
            rounds=taken[0].rounds,
        )
        await self._store.notices.end(taken, outcome, attempt)

    async def _give_up(self, taken: Sequence[Notice], error: str, attempt: DeliveryAttempt | None) -> None:
        """End a message that no channel took. A failed notice is no failed run, so it causes no other notice."""
        lead = taken[0]
        outcome = NoticeOutcome(NoticeStatus.FAILED, error=error, rounds=lead.rounds + 1)
        if await self._store.notices.end(taken, outcome, attempt):
            whom = lead.user_id or WEBHOOK  # the path of an address may be secret
            data = {"error": error if error.startswith(f"{whom}: ") else f"{whom}: {error}"}
            self._parts.emit(Event(NOTICE_FAILED, self._clock.now(), lead.schedule_id, lead.run_id, data=data))

    async def _route(self, lead: Notice, user: User | None) -> Route:
        if user is None:
            return Route((Endpoint(WEBHOOK, lead.address or ""),), None)
        own = [Endpoint(each.channel, each.address) for each in await self._store.people.channels(user.id)]
        return route(own, Endpoint(INBOX, user.id), lead.channel)

    async def _tried(self, lead: Notice) -> list[DeliveryAttempt]:
        """Read earlier attempts at this message; one that a crash left without a result may have arrived or not."""
        found: list[DeliveryAttempt] = []
        for attempt in await self._store.reminders.attempts(lead.run_id):
            if attempt.kind not in _KINDS or attempt.user_id != (lead.user_id or lead.recipient):
                continue
            if attempt.status is AttemptStatus.PENDING:
                error = "the process ended before an answer came"
                attempt = replace(attempt, status=AttemptStatus.UNKNOWN, error_message=error)
                await self._store.reminders.end_attempt(attempt)
            found.append(attempt)
        return found

    async def _try(self, lead: Notice, endpoint: Endpoint, outgoing: Outgoing, kind: AttemptKind) -> DeliveryAttempt:
        """Send once, and record the attempt before; the caller records its result, with what follows from it."""
        attempt = await self._store.reminders.add_attempt(
            DeliveryAttempt(
                run_id=lead.run_id,
                job_id=lead.schedule_id,
                run_number=0,
                attempt_number=0,
                user_id=lead.user_id or lead.recipient,
                channel=endpoint.channel,
                address=endpoint.address,
                kind=kind,
                created_at=self._clock.now(),
            )
        )
        failpoints.hit("notices.recorded")
        ended = await self._answer_to(attempt, outgoing)
        failpoints.hit("notices.sent")
        return ended

    async def _answer_to(self, attempt: DeliveryAttempt, outgoing: Outgoing) -> DeliveryAttempt:
        """Send, and wait for the answer of the channel, unless that is cut off."""
        self._on_its_way = asyncio.create_task(self._sender.try_once(attempt, outgoing))
        try:
            return await self._on_its_way
        except asyncio.CancelledError:
            if not (self._is_cut_off and self._on_its_way.cancelled()):
                raise
            error = "duly stopped before an answer came"
            return replace(attempt, status=AttemptStatus.UNKNOWN, error_message=error)
        finally:
            self._on_its_way = None


def _silent(reason: str, digest: str | None = None) -> NoticeOutcome:
    return NoticeOutcome(NoticeStatus.SILENT, error=reason, digest=digest)


def _is_closed(endpoint: Endpoint, attempt: DeliveryAttempt) -> bool:
    """Tell whether an attempt showed that trying an endpoint again is of no use."""
    return attempt.permanent and (attempt.channel, attempt.address) == endpoint


def _key(lead: Notice) -> str:
    """Name a message: the same in every attempt. It does not show whom it is for."""
    return f"{lead.run_id}/notice/{hashlib.sha256(lead.id.encode()).hexdigest()[:16]}"
