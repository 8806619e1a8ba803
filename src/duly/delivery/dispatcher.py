"""Reminders, carried out: each step is decided by `planning.delivery`, taken here, and written down before the next.

A run of a message lives as long as its reminder: between two steps it is pending in the store, owned by nobody, so a
crash costs at most the step under way. An answer makes it due at once.
"""

from __future__ import annotations

import random
import secrets
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from duly.clock import Clock
from duly.delivery.buttons import Link, make_buttons, no_link
from duly.delivery.case import Case
from duly.delivery.inbox import InboxChannel
from duly.delivery.sending import Sender
from duly.errors import InvalidInputError, RunFailedError
from duly.language.languages import clock_time, words
from duly.model.action import Message
from duly.model.reminder import AttemptKind, AttemptStatus, ReminderStatus
from duly.model.run import Origin
from duly.planning.delivery import (
    Again,
    Deliver,
    Escalate,
    Finish,
    Prompt,
    Step,
    Wait,
    after_arrival,
    after_death,
    after_failure,
    after_telling,
    next_round,
    next_step,
)
from duly.planning.routes import INBOX, Endpoint, Route, route
from duly.ports.channels import Outgoing, ProactiveDelivery
from duly.ports.codec import decode_action
from duly.ports.dispatch import Later, RunContext
from duly.ports.people import LOCAL_USER, People, User, owner_of
from duly.ports.records import Claimed
from duly.ports.reminders import LeftBehind, Reminder, Reminders
from duly.zones import Zone

HANDLER = "message"
_AT_ONCE = 100
_EARLIER = 6
_LATELY = timedelta(days=1)


class MessageDispatcher:
    """Carries out runs of messages."""

    def __init__(
        self,
        people: People,
        reminders: Reminders,
        channels: Mapping[str, ProactiveDelivery],
        clock: Clock,
        *,
        default_zone: str = "UTC",
        link: Link = no_link,
        chance: Callable[[], float] = random.random,
    ) -> None:
        self._people = people
        self._reminders = reminders
        self._clock = clock
        self._default_zone = default_zone
        self._link = link
        self._chance = chance
        self._sender = Sender(reminders, InboxChannel(reminders, clock), channels, clock)

    def serves(self) -> Collection[str]:
        return (HANDLER,)

    async def dispatch(self, run: Claimed, context: RunContext) -> Any:
        """Take steps until there is nothing to do for a while, or for good."""
        case = await self._open(run)
        while True:
            context.heartbeat()
            if case.stale:  # what was sent may be known to have been lost by now
                case.attempts = await self._reminders.attempts(run.run_id)
            now, case.stale = self._clock.now(), False
            step = next_step(case.message, case.standing, now, case.quiet(now))
            if isinstance(step, Wait):
                await self._show_answer(case)
                return Later(step.until, step.reason, case.trouble if case.reminder.rounds else None)
            if isinstance(step, Finish) and case.reminder.status is step.status:
                return await self._finish(case)
            await self._take(case, step, context)

    async def _open(self, run: Claimed) -> Case:
        message = decode_action(run.action)
        if not isinstance(message, Message):
            raise InvalidInputError(f"{run.name!r} is no message: its action is of another kind")
        now = self._clock.now()
        user_id = message.user_id or owner_of(run.namespace)
        user = await self._people.get(user_id)
        if user is None and user_id != LOCAL_USER:
            raise RunFailedError(f"there is no user {user_id!r} to tell: {message.text!r:.200}; add them, or change it")
        user = user or _whoever_sits_here(now)
        fresh = Reminder(
            run_id=run.run_id,
            schedule_id=run.schedule_id,
            user_id=user_id,
            run_number=0,
            token=secrets.token_urlsafe(12),
            status=ReminderStatus.SENDING,
            created_at=now,
            updated_at=now,
        )
        reminder = await self._reminders.begin(fresh)
        way = await self._route(user_id, message.channel or message.via)
        case = Case(run, message, user, Zone.of(user.timezone or self._default_zone), way, reminder, [])
        await self._read_attempts(case)
        if run.origin is Origin.MANUAL:
            case.lost = await self._lost(case)
        return case

    async def _lost(self, case: Case) -> frozenset[Endpoint]:
        """Where vendors took this reminder lately and could not bring it after all."""
        since, found = self._clock.now() - _LATELY, []
        for earlier in await self._reminders.of_schedule(case.run.schedule_id, _EARLIER):
            if earlier.run_id != case.run.run_id and earlier.created_at >= since:
                found += await self._reminders.attempts(earlier.run_id)
        mine = [each for each in found if each.user_id == case.user.id and each.permanent and each.sent_at is not None]
        return frozenset(Endpoint(each.channel, each.address) for each in mine)

    async def _route(self, user_id: str, wished: str | None) -> Route:
        own = [Endpoint(each.channel, each.address) for each in await self._people.channels(user_id)]
        return route(own, Endpoint(INBOX, user_id), wished)

    async def _read_attempts(self, case: Case) -> None:
        """What was tried before; a send that nobody finished recording may have arrived or not."""
        for attempt in await self._reminders.attempts(case.run.run_id):
            if attempt.status is AttemptStatus.PENDING:
                error = "the process ended before an answer came"
                attempt = replace(attempt, status=AttemptStatus.UNKNOWN, error_message=error)
                await self._reminders.end_attempt(attempt)
            case.attempts.append(attempt)

    async def _take(self, case: Case, step: Step, context: RunContext) -> None:
        if isinstance(step, Again):
            await self._write(case, status=ReminderStatus.SENDING, rounds=0, nags=step.nags, wake_at=None)
        elif isinstance(step, Deliver):
            await self._deliver(case, context)
        elif isinstance(step, Prompt):
            await self._prompt(case)
        elif isinstance(step, Escalate):
            await self._escalate(case, step, context.heartbeat)
        elif isinstance(step, Finish):
            await self._write(case, status=step.status, wake_at=None)

    async def _write(self, case: Case, **fields: Any) -> None:
        """Write a change down. If somebody answered meanwhile, the answer stands and the next step is decided anew."""
        if not case.stale:
            wanted = replace(case.reminder, updated_at=self._clock.now(), **fields)
            written = await self._reminders.update(wanted)
            case.stale = written is None
            case.reminder = written or await self._current(case)

    async def _current(self, case: Case) -> Reminder:
        found = await self._reminders.get(case.run.run_id)
        return found or case.reminder

    async def _is_stale(self, case: Case) -> bool:
        """Whether somebody answered since the step was decided."""
        current = await self._current(case)
        case.stale = case.stale or current.version != case.reminder.version
        case.reminder = current
        return case.stale

    # delivery

    async def _deliver(self, case: Case, context: RunContext) -> None:
        outgoing = self._compose(case)
        endpoints = case.open_endpoints(self._clock.now())
        for endpoint in endpoints:
            context.heartbeat()
            if await self._is_stale(case):
                return
            if await self._sender.send(case, endpoint, outgoing, AttemptKind.REMINDER, then=_arrived):
                return
        if not await self._is_stale(case):
            await self._not_delivered(case, outgoing, tried=bool(endpoints))

    async def _not_delivered(self, case: Case, outgoing: Outgoing, *, tried: bool) -> None:
        if case.route.copy is not None and not case.has_copy():
            copy = replace(outgoing, key=case.key(AttemptKind.COPY))
            await self._sender.send(case, case.route.copy, copy, AttemptKind.COPY)
        floors, now = case.floors(), self._clock.now()
        counts = tried or not floors  # channels that may not be asked yet have not failed
        rounds = case.reminder.rounds + counts
        wake_at = next_round(case.message.priority, max(rounds, 1), floors, now, self._chance())
        if rounds and not case.stale:
            case.reminder = case.reminder.owing(after_failure(case.standing, now))
        await self._write(case, rounds=rounds, wake_at=wake_at)

    def _compose(self, case: Case) -> Outgoing:
        buttons = self._buttons(case) if case.buttons_on_reminder else ()
        text, key = case.text(self._clock.now()), case.key(AttemptKind.REMINDER)
        return Outgoing(text=text, key=key, buttons=buttons, language=case.user.language)

    def _buttons(self, case: Case) -> Any:
        may_snooze, token = case.message.snooze_allowed, case.reminder.token
        return make_buttons(token, case.user.language, may_snooze=may_snooze, link=self._link)

    async def _prompt(self, case: Case) -> None:
        arrived = case.arrivals[-1]
        question = Outgoing(
            text=case.message.ack_prompt or "",
            key=case.key(AttemptKind.ACK_PROMPT),
            buttons=self._buttons(case),
            reply_to=arrived.message_id,
            language=case.user.language,
        )
        if await self._is_stale(case):
            return
        there = Endpoint(arrived.channel, arrived.address)
        if await self._sender.send(case, there, question, AttemptKind.ACK_PROMPT, then=_asked):
            return
        if refused := case.refused_questions:
            floor, now = case.attempts[-1].retry_at, self._clock.now()
            wake_at = next_round(case.message.priority, refused, [floor], now, self._chance())
            await self._write(case, wake_at=wake_at)

    # when it does not work out

    async def _escalate(self, case: Case, step: Escalate, heartbeat: Callable[[], None]) -> None:
        admins = [each for each in await self._people.all() if each.is_admin]
        before = len(case.attempts)
        for admin in admins or [_whoever_sits_here(self._clock.now())]:
            heartbeat()
            if await self._is_stale(case):
                break
            await self._tell(case, admin, of_silence=step.of_silence)
        if not await self._is_stale(case):
            case.reminder = case.reminder.owing(after_telling(case.standing, of_silence=step.of_silence))
            await self._write(case, status=step.then)
        elif not step.of_silence and any(each.status.arrived for each in case.attempts[before:]):
            await self._note_escalation(case)

    async def _note_escalation(self, case: Case) -> None:
        """Whatever came in meanwhile, that it could not be delivered is told once."""
        if not case.reminder.status.final:
            told = case.reminder.owing(after_telling(case.standing, of_silence=False))
            written = await self._reminders.update(told)
            case.reminder = written or await self._current(case)

    async def _tell(self, case: Case, admin: User, *, of_silence: bool) -> None:
        spoken = words(admin.language)
        said = spoken.unanswered if of_silence else spoken.undelivered
        lines = [said.format(name=case.user.name, text=case.message.text)]
        faults = {each.channel: each.error_message for each in case.attempts if each.error_message}
        lines += [f"{channel}: {error}" for channel, error in faults.items()]
        lines += [] if case.end_of_run is None else [case.end_of_run]
        why = "unacked" if of_silence else "undelivered"
        outgoing = Outgoing(text="\n".join(lines), key=f"{case.run.run_id}/{why}/{admin.id}", language=admin.language)
        way = await self._route(admin.id, None)
        for endpoint in filter(None, (*way.endpoints, way.copy)):
            if await self._sender.send(case, endpoint, outgoing, AttemptKind.ESCALATION, admin.id):
                return
            if await self._is_stale(case):
                return

    # when the run is over, and the reminder is not

    async def tend(self) -> None:
        """End the reminders whose runs were given up or failed: they fail visibly, and who must know is told."""
        for left in await self._reminders.left_behind(_AT_ONCE):
            try:
                case = await self._case_of(left)
            except InvalidInputError:  # its action cannot be read, which may be why its run is over
                now = self._clock.now()
                await self._reminders.update(replace(left.reminder, status=ReminderStatus.FAILED, updated_at=now))
            else:
                await self._end(case)

    async def _case_of(self, left: LeftBehind) -> Case:
        reminder, message = left.reminder, decode_action(left.action)
        if not isinstance(message, Message):
            raise InvalidInputError(f"{left.name!r} is no message: its action is of another kind")
        user = await self._people.get(reminder.user_id)
        user = user or User(id=reminder.user_id, name=reminder.user_id, created_at=reminder.created_at)
        run = Claimed(
            run_id=reminder.run_id,
            schedule_id=reminder.schedule_id,
            namespace=left.namespace,
            name=left.name,
            origin=Origin.SCHEDULE,
            fire_at=reminder.created_at,
            due_at=reminder.created_at,
            handler=HANDLER,
            attempt=0,
            fence=0,
            action=left.action,
            policy="",
        )
        way = await self._route(user.id, message.channel or message.via)
        zone = Zone.of(user.timezone or self._default_zone)
        case = Case(run, message, user, zone, way, reminder, [], end_of_run=left.reason)
        await self._read_attempts(case)
        return case

    async def _end(self, case: Case) -> None:
        """Keep a copy of what never arrived, tell who must know, and let it have failed, in this order: whatever dies
        on the way is taken up again, and no more often than a run would be.
        """
        if not case.arrivals and not case.has_copy():
            copy = replace(self._compose(case), key=case.key(AttemptKind.COPY))
            await self._sender.send(case, Endpoint(INBOX, case.user.id), copy, AttemptKind.COPY)
        unheard = sum(
            each.kind is AttemptKind.ESCALATION and each.status is AttemptStatus.UNKNOWN for each in case.attempts
        )
        step = after_death(case.message, case.standing, unheard)
        if isinstance(step, Escalate):
            await self._escalate(case, step, lambda: None)
        else:
            await self._write(case, status=step.status, wake_at=None)

    # the end

    async def _finish(self, case: Case) -> Any:
        await self._show_answer(case)
        status = case.reminder.status
        if status is ReminderStatus.FAILED:
            raise RunFailedError(case.trouble)
        return {"status": str(status), "channel": case.reminder.channel, "run_number": case.reminder.run_number}

    async def _show_answer(self, case: Case) -> None:
        """Have the message that asked say what was answered."""
        asked, spoken = case.asked, words(case.user.language)
        if asked is None or not case.message.require_ack:
            return
        texts = {
            ReminderStatus.ACKED: spoken.was_done,
            ReminderStatus.SNOOZED: spoken.was_snoozed,
            ReminderStatus.DISMISSED: spoken.was_dismissed,
        }
        if (text := texts.get(case.reminder.status)) is not None:
            now = self._clock.now()
            time = clock_time(case.reminder.wake_at or now, case.zone, now)
            await self._sender.rewrite(asked, text.format(text=case.message.text, time=time))


def _arrived(case: Case, endpoint: Endpoint, now: datetime) -> Reminder:
    """Where a reminder stands once a channel took it."""
    asks = case.message.require_ack
    return replace(
        case.reminder.owing(after_arrival(case.standing, now, asks=asks)),
        status=ReminderStatus.AWAITING_ACK if asks else ReminderStatus.DELIVERED,
        rounds=0,
        wake_at=None,
        channel=endpoint.channel,
        last_sent_at=now,
        updated_at=now,
    )


def _asked(case: Case, _endpoint: Endpoint, now: datetime) -> Reminder:
    """Where a reminder stands once a channel took its question."""
    return replace(case.reminder, wake_at=None, last_sent_at=now, updated_at=now)


def _whoever_sits_here(now: datetime) -> User:
    """The local user, who need not have been written down."""
    return User(id=LOCAL_USER, name=LOCAL_USER, is_admin=True, created_at=now)
