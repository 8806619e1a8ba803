"""Carry out reminders: take the steps that `planning.delivery` decides, and record each before the next.

A run of a message lives as long as its reminder: between two steps it is pending in the store, claimed by no engine, so
a crash costs at most the step under way. An answer makes it due at once.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any, NamedTuple

from duly.clock import Clock
from duly.delivery.addressees import Addressees, local_user
from duly.delivery.endings import Again, Endings
from duly.delivery.gathering import Gathering
from duly.delivery.messages import Link, ReminderDelivery, attempts_for, fresh_reminder, no_link
from duly.delivery.sending import InboxChannel, Sender, after_delivery, after_question
from duly.errors import InvalidInputError, RunFailedError
from duly.model.action import Message
from duly.model.reminder import AttemptKind, AttemptStatus, ReminderStatus
from duly.model.run import Origin
from duly.planning.delivery import (
    AskForAnswer,
    Deliver,
    Escalate,
    Finish,
    Gather,
    Redeliver,
    Step,
    Wait,
    after_failure,
    after_run_ended,
    after_telling,
    next_round,
    next_step,
)
from duly.planning.presets import read_presets
from duly.planning.reach import INBOX, Endpoint
from duly.ports.channels import Outgoing, ProactiveDelivery
from duly.ports.codec import decode_action, decode_trigger
from duly.ports.dispatch import Later, RunContext
from duly.ports.observers import EventListener
from duly.ports.people import LOCAL_USER, People, User, recipients
from duly.ports.records import Claimed
from duly.ports.reminders import DeliveryAttempt, LeftBehind, Reminder, Reminders
from duly.recurrence.early import Early
from duly.zones import Zone

HANDLER = "message"
_AT_ONCE = 100
"""Reminders that one call of `tend` ends."""
_EARLIER_RUNS = 6
_RECENT = timedelta(days=1)
"""How many earlier runs, and of what age, say which endpoints lost a reminder."""


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
        snoozes: str | None = None,
        again: Again | None = None,
        gathering: Gathering | None = None,
        link: Link = no_link,
        chance: Callable[[], float] = random.random,
        emit: EventListener = lambda _event: None,
    ) -> None:
        self._people = people
        self._addressees = Addressees(people)
        self._reminders = reminders
        self._clock = clock
        self._default_zone = default_zone
        self._snoozes = snoozes
        self._gathering = gathering or Gathering()
        self._link = link
        self._chance = chance
        inbox = InboxChannel(reminders, clock)
        self._sender = Sender(reminders=reminders, inbox=inbox, channels=channels, clock=clock, emit=emit)
        self._endings = Endings(reminders=reminders, people=people, sender=self._sender, clock=clock, again=again)

    def serves(self) -> Collection[str]:
        return (HANDLER,)

    async def dispatch(self, run: Claimed, context: RunContext) -> Any:
        """Take steps until the reminder waits for each of its people, or is over."""
        opened = await self._open(run)
        steps = [(await self._advance(each, context), each) for each in opened.deliveries]
        waiting = [(step, delivery) for step, delivery in steps if step is not None]
        if not waiting:
            return await self._endings.finish(opened.deliveries, opened.missing)
        step, delivery = min(waiting, key=lambda each: each[0].until)
        trouble = delivery.trouble if delivery.reminder.rounds else None
        return Later(step.until, step.reason, opened.missing or trouble)

    async def _advance(self, delivery: ReminderDelivery, context: RunContext) -> Wait | None:
        """Take steps until the reminder waits, or is over for this person: None."""
        while not delivery.is_settled:
            context.heartbeat()
            if delivery.stale:  # a vendor may have reported meanwhile that it lost a message
                attempts = await self._reminders.attempts(delivery.run.run_id)
                delivery.attempts = attempts_for(attempts, delivery.user.id)
            now = self._clock.now()
            delivery.stale = False
            step = next_step(
                delivery.message, delivery.state, now, delivery.quiet(now), self._gathering.digest(delivery)
            )
            if isinstance(step, Wait):
                await self._endings.show(delivery, self._link)
                return step
            if isinstance(step, Finish) and delivery.reminder.status is step.status:
                await self._endings.show(delivery, self._link)
                return None
            await self._take(delivery, step, context)
        return None

    async def _open(self, run: Claimed) -> _Opened:
        message = _message(run.name, run.action)
        now = self._clock.now()
        found: list[User] = []
        missing: list[str] = []
        for user_id in recipients(message, run.namespace):
            user = await self._addressees.user(user_id)
            if user is None and user_id != LOCAL_USER:
                missing.append(user_id)
            else:
                found.append(user or local_user(now))
        trouble = None
        if missing:
            names = ", ".join(repr(each) for each in missing)
            trouble = f"there is no user {names} to tell: {message.text!r:.200}; add them, or change it"
        if not found:
            raise RunFailedError(trouble or "it is for no person")
        fresh = [fresh_reminder(run.run_id, run.schedule_id, user.id, now) for user in found]
        reminders = await self._reminders.begin_shared(fresh)
        is_new = all(each.token == mine.token for each, mine in zip(reminders, fresh, strict=True))
        attempts = [] if is_new else await self._read_attempts(run.run_id)
        deliveries = [
            await self._delivery(run, message, user, reminder, attempts)
            for user, reminder in zip(found, reminders, strict=True)
        ]
        for delivery in deliveries:
            if message.lead_minutes and run.origin is Origin.SCHEDULE:
                await self._announce(delivery)
            if run.origin is Origin.MANUAL:
                delivery.lost = await self._lost(delivery)
        return _Opened(deliveries, trouble)

    async def _announce(self, delivery: ReminderDelivery) -> None:
        """Make it an announcement if its run is ahead of the reminder's time. That wants no answer."""
        stored = await self._reminders.trigger_of(delivery.run.schedule_id)
        trigger = None if stored is None else decode_trigger(stored)
        lead = trigger.lead_at(delivery.run.fire_at) if isinstance(trigger, Early) else None
        if lead is not None:
            delivery.announces = delivery.run.fire_at + lead
            delivery.message = replace(delivery.message, require_ack=False, ack_prompt=None)

    async def _delivery(
        self,
        run: Claimed,
        message: Message,
        user: User,
        reminder: Reminder,
        attempts: Sequence[DeliveryAttempt],
        *,
        end_of_run: str | None = None,
    ) -> ReminderDelivery:
        return ReminderDelivery(
            run=run,
            message=message,
            user=user,
            zone=Zone.of(user.timezone or self._default_zone),
            route=await self._addressees.route(user.id, message.channel or message.via),
            reminder=reminder,
            attempts=attempts_for(attempts, user.id),
            end_of_run=end_of_run,
            snoozes=read_presets(user.snoozes or self._snoozes),
        )

    async def _lost(self, delivery: ReminderDelivery) -> frozenset[Endpoint]:
        """Find the endpoints that took this reminder recently and reported later that they lost it."""
        since = self._clock.now() - _RECENT
        found: list[DeliveryAttempt] = []
        for earlier in await self._reminders.of_schedule(delivery.run.schedule_id, _EARLIER_RUNS):
            if earlier.run_id != delivery.run.run_id and earlier.created_at >= since:
                found += await self._reminders.attempts(earlier.run_id)
        mine = [
            each for each in found if each.user_id == delivery.user.id and each.permanent and each.sent_at is not None
        ]
        return frozenset(Endpoint(each.channel, each.address) for each in mine)

    async def _read_attempts(self, run_id: str) -> list[DeliveryAttempt]:
        """Read the earlier attempts; one that a crash left without a result may have arrived or not."""
        found: list[DeliveryAttempt] = []
        for attempt in await self._reminders.attempts(run_id):
            if attempt.status is AttemptStatus.PENDING:
                error = "the process ended before an answer came"
                attempt = replace(attempt, status=AttemptStatus.UNKNOWN, error_message=error)
                await self._reminders.end_attempt(attempt)
            found.append(attempt)
        return found

    async def _take(self, delivery: ReminderDelivery, step: Step, context: RunContext) -> None:
        if isinstance(step, Redeliver):
            await self._write(delivery, status=ReminderStatus.SENDING, rounds=0, nags=step.nags, wake_at=None)
        elif isinstance(step, Deliver):
            await self._deliver(delivery, context)
        elif isinstance(step, Gather):
            await self._gathering.leave(delivery, step.at, self._clock.now())
        elif isinstance(step, AskForAnswer):
            await self._ask(delivery)
        elif isinstance(step, Escalate):
            await self._escalate(delivery, step, context.heartbeat)
        elif isinstance(step, Finish):
            await self._write(delivery, status=step.status, wake_at=None)

    async def _write(self, delivery: ReminderDelivery, **fields: Any) -> None:
        """Record a change. If the person answered meanwhile, the answer stands and the next step is decided anew."""
        if not delivery.stale:
            wanted = replace(delivery.reminder, updated_at=self._clock.now(), **fields)
            written = await self._reminders.update(wanted)
            delivery.stale = written is None
            delivery.reminder = written or await self._current(delivery)

    async def _current(self, delivery: ReminderDelivery) -> Reminder:
        found = await self._reminders.get(delivery.run.run_id, delivery.reminder.user_id)
        return found or delivery.reminder

    async def _is_stale(self, delivery: ReminderDelivery) -> bool:
        """Whether the person answered since the step was decided."""
        current = await self._current(delivery)
        delivery.stale = delivery.stale or current.version != delivery.reminder.version
        delivery.reminder = current
        return delivery.stale

    # delivery

    async def _deliver(self, delivery: ReminderDelivery, context: RunContext) -> None:
        outgoing = delivery.compose(self._clock.now(), self._link)
        endpoints = delivery.open_endpoints(self._clock.now())
        asked = delivery.asked
        for endpoint in endpoints:
            context.heartbeat()
            if not self._sender.is_inbox(endpoint) and await self._is_stale(delivery):
                return  # the inbox finds out by itself
            if await self._sender.send(delivery, endpoint, outgoing, AttemptKind.REMINDER, then=after_delivery):
                await self._retire(delivery, asked)
                return
        if not await self._is_stale(delivery):
            await self._not_delivered(delivery, outgoing, tried=bool(endpoints))

    async def _retire(self, delivery: ReminderDelivery, asked: DeliveryAttempt | None) -> None:
        """Take the buttons off the message that asked in vain: the one that has just arrived asks now."""
        if asked is not None and delivery.message.require_ack and delivery.reminder.nags:
            is_question = asked.kind is AttemptKind.ACK_PROMPT
            text = delivery.message.ack_prompt if is_question else delivery.message.text
            await self._sender.rewrite(asked, text or delivery.message.text)

    async def _not_delivered(self, delivery: ReminderDelivery, outgoing: Outgoing, *, tried: bool) -> None:
        if delivery.route.copy is not None and not delivery.has_copy:
            await self._sender.send(delivery, delivery.route.copy, delivery.as_copy(outgoing), AttemptKind.COPY)
        floors = delivery.floors()
        now = self._clock.now()
        counts = tried or not floors  # a round in which every channel asked to be left alone has not failed
        rounds = delivery.reminder.rounds + counts
        wake_at = next_round(delivery.message.priority, max(rounds, 1), floors, now, self._chance())
        if rounds and not delivery.stale:
            delivery.reminder = delivery.reminder.with_escalation(after_failure(delivery.state, now))
        await self._write(delivery, rounds=rounds, wake_at=wake_at)

    async def _ask(self, delivery: ReminderDelivery) -> None:
        arrived = delivery.arrivals[-1]
        question = delivery.compose_question(arrived, self._clock.now(), self._link)
        if await self._is_stale(delivery):
            return
        there = Endpoint(arrived.channel, arrived.address)
        if await self._sender.send(delivery, there, question, AttemptKind.ACK_PROMPT, then=after_question):
            return
        if refused := delivery.refused_questions:
            floors = [delivery.attempts[-1].retry_at]
            wake_at = next_round(delivery.message.priority, refused, floors, self._clock.now(), self._chance())
            await self._write(delivery, wake_at=wake_at)

    # escalation

    async def _escalate(self, delivery: ReminderDelivery, step: Escalate, heartbeat: Callable[[], None]) -> None:
        admins = [each for each in await self._people.all() if each.is_admin]
        before = len(delivery.attempts)
        for admin in admins or [local_user(self._clock.now())]:
            heartbeat()
            if await self._is_stale(delivery):
                break
            await self._tell(delivery, admin, of_silence=step.of_silence)
        if not await self._is_stale(delivery):
            delivery.reminder = delivery.reminder.with_escalation(
                after_telling(delivery.state, of_silence=step.of_silence)
            )
            await self._write(delivery, status=step.then)
        elif not step.of_silence and any(each.status.arrived for each in delivery.attempts[before:]):
            await self._note_escalation(delivery)

    async def _note_escalation(self, delivery: ReminderDelivery) -> None:
        """Record that the admins know of a failed delivery, even if an answer came meanwhile: tell them once."""
        if not delivery.reminder.status.final:
            escalated = delivery.reminder.with_escalation(after_telling(delivery.state, of_silence=False))
            written = await self._reminders.update(escalated)
            delivery.reminder = written or await self._current(delivery)

    async def _tell(self, delivery: ReminderDelivery, admin: User, *, of_silence: bool) -> None:
        outgoing = delivery.compose_escalation(admin, of_silence=of_silence)
        way = await self._addressees.route(admin.id, None)
        for endpoint in filter(None, (*way.endpoints, way.copy)):
            if await self._sender.send(delivery, endpoint, outgoing, AttemptKind.ESCALATION, admin.id):
                return
            if await self._is_stale(delivery):
                return

    # reminders whose runs ended before them

    async def tend(self) -> None:
        """End the reminders whose runs were given up or failed; tell the admins of urgent ones."""
        for left in await self._reminders.left_behind(_AT_ONCE):
            try:
                delivery = await self._open_left_behind(left)
            except InvalidInputError:  # its action cannot be read, which may be why its run is over
                now = self._clock.now()
                await self._reminders.update(replace(left.reminder, status=ReminderStatus.FAILED, updated_at=now))
            else:
                await self._end_left_behind(delivery)

    async def _open_left_behind(self, left: LeftBehind) -> ReminderDelivery:
        reminder = left.reminder
        message = _message(left.name, left.action)
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
        attempts = await self._read_attempts(run.run_id)
        return await self._delivery(run, message, user, reminder, attempts, end_of_run=left.reason)

    async def _end_left_behind(self, delivery: ReminderDelivery) -> None:
        """Keep a copy of a message that never arrived, tell the admins, and record the failure, in this order.

        A process that dies on the way leaves the reminder to the next call, which counts the messages
        to admins that were lost.
        """
        if not delivery.arrivals and not delivery.has_copy:
            copy = delivery.as_copy(delivery.compose(self._clock.now(), self._link))
            await self._sender.send(delivery, Endpoint(INBOX, delivery.user.id), copy, AttemptKind.COPY)
        lost = sum(
            each.kind is AttemptKind.ESCALATION and each.status is AttemptStatus.UNKNOWN for each in delivery.attempts
        )
        step = after_run_ended(delivery.message, delivery.state, lost)
        if isinstance(step, Escalate):
            await self._escalate(delivery, step, lambda: None)
        else:
            await self._write(delivery, status=step.status, wake_at=None)
        await self._endings.plan_again([delivery])


class _Opened(NamedTuple):
    """A run of a message: the deliveries to its people, and why some of them get none."""

    deliveries: list[ReminderDelivery]
    missing: str | None


def _message(name: str, action: str) -> Message:
    message = decode_action(action)
    if not isinstance(message, Message):
        raise InvalidInputError(f"{name!r} is no message: its action is of another kind")
    return message
