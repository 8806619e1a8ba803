"""The inbox of a person as one page: what waits for an answer, what comes later, what was answered, and messages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from duly.errors import InvalidInputError, NotFoundError
from duly.language.spoken import question
from duly.model.action import Message
from duly.model.reminder import ReminderStatus, Response
from duly.planning.delivery import TAKEN_LATE, Wait, next_step
from duly.planning.presets import EVENING, Preset, offers, read_day_parts, read_presets
from duly.planning.reach import quiet_until
from duly.ports.codec import decode_action
from duly.ports.people import User
from duly.ports.records import StoredSchedule
from duly.ports.reminders import Answer, Reminder
from duly.service.access.audit import acting_as
from duly.service.access.scopes import Caller
from duly.service.people.people import acts_for
from duly.service.reminders.answers import Answered
from duly.service.reminders.deliveries import Deliveries, DeliveryView, masked_address
from duly.service.reminders.views import GatheredView, InboxView
from duly.service.schedules.values import storable
from duly.service.steps import ANSWER_WITHIN
from duly.zones import Zone

if TYPE_CHECKING:
    from duly.service.services import Services

_RESPONSES = {"done": Response.ACK, "ack": Response.ACK, "snooze": Response.SNOOZE, "dismiss": Response.DISMISS}
_RECENT = timedelta(hours=24)
_LONG_AGO = timedelta(days=365)
UNANSWERED_SHOWN = timedelta(days=7)
"""How long a reminder that was not answered is shown; then the record of its schedule has it."""
_MOST = 500
_LATE = timedelta(minutes=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class SnoozePreset:
    """A length of a snooze that is offered, with the moment that it means."""

    label: str
    minutes: int | None = None
    """None for a time of day: then `until` is what the answer is given."""
    until: datetime
    quiet_until: datetime | None = None
    """When quiet hours put it off to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReminderCard:
    """A reminder that waits for an answer, or that was put off."""

    run_id: str
    schedule_id: str
    name: str
    text: str
    question: str | None = None
    priority: str
    require_ack: bool
    since: datetime
    """When it was first due."""
    asked: int
    """How often it was delivered again because it was not answered."""
    max_asks: int
    next_ask_at: datetime | None = None
    snoozed_until: datetime | None = None
    late_seconds: float | None = None
    """How much later than its time it was sent, if that was more than a minute."""
    snooze_allowed: bool
    deliveries: list[DeliveryView] = field(default_factory=list)
    presets: list[SnoozePreset] = field(default_factory=list)
    zone: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AnsweredCard:
    """A reminder that was answered lately."""

    run_id: str
    schedule_id: str
    name: str
    text: str
    response: str
    at: datetime
    channel: str | None = None
    until: datetime | None = None
    """When a snoozed reminder comes back."""
    undo_until: datetime | None = None
    undo: str | None = None
    """The token that takes the answer back; only the caller's own latest answer has one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UnansweredCard:
    """A reminder that was given up without an answer, where none of its schedule came after it."""

    run_id: str
    schedule_id: str
    name: str
    text: str
    since: datetime
    """When it was first due."""
    asked: int
    """How often it was delivered again because it was not answered."""
    given_up_at: datetime
    answer_until: datetime
    """Until then a late answer is taken."""
    may_answer: bool
    """Whether one is taken now."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InboxPage:
    """The inbox of a person."""

    user_id: str
    zone: str
    waiting: list[ReminderCard]
    later: list[ReminderCard]
    answered: list[AnsweredCard]
    messages: list[InboxView]
    gathered: list[GatheredView] = field(default_factory=list)
    """What comes with the digest, in that order."""
    unanswered: list[UnansweredCard] = field(default_factory=list)
    """Those of the last week, the latest first."""


class InboxUseCases:
    """Shows the inbox, and takes answers."""

    def __init__(self, services: Services) -> None:
        self._process = services.process
        self._store = services.store
        self._clock = services.clock
        self._service = services.reminder_service
        self._undo = services.undo
        self._deliveries = Deliveries(services.store, masked_address)

    async def view(self, caller: Caller, user: str | None = None) -> InboxPage:
        """Show the inbox of a person: one's own, or for admins that of any person."""
        person = (await self._service.people.get(acts_for(caller, user, changes=False))).user
        now = self._clock.now()
        cards = [await self._card(person, each, now) for each in await self._service.pending(person.id)]
        found = [card for card in cards if card is not None]
        messages, _ = await self._service.lists.inbox(person.id, unread=False, limit=50)
        return InboxPage(
            user_id=person.id,
            zone=self._zone(person).name,
            waiting=[card for card in found if card.snoozed_until is None],
            later=[card for card in found if card.snoozed_until is not None],
            answered=await self._answered(caller, person, now),
            messages=messages,
            gathered=await self._service.lists.gathered(person.id),
            unanswered=await self._unanswered(person, now),
        )

    async def answered(self, caller: Caller, run_id: str) -> AnsweredCard:
        """Show how a reminder was answered last: for its person and for admins, to others it does not exist."""
        whose = acts_for(caller, changes=False)
        person = None if caller.scope.is_admin else whose
        reminder = await self._store.reminders.get(storable(run_id, "run_id"), person)
        if reminder is not None:
            row = await self._store.get(reminder.schedule_id)
            message = None if row is None else _message(row)
            given = await self._store.reminders.answers(run_id)
            if given and row is not None and message is not None:
                return _answered_card(given[-1], row, message, None)
        raise NotFoundError(f"there is no reminder {run_id!r:.100} that was answered")

    async def last_answers(self, caller: Caller, users: Sequence[str]) -> dict[str, AnsweredCard]:
        """Show the last answer of each of some people, of the last year; for admins, and for a person their own."""
        since = self._clock.now() - _LONG_AGO
        found: dict[str, AnsweredCard] = {}
        for user in users:
            acts_for(caller, user, changes=False)
            for answer in await self._store.remembered.answered(user, since, 1):
                row = await self._store.get(answer.job_id)
                message = None if row is None else _message(row)
                if row is not None and message is not None:
                    found[user] = _answered_card(answer, row, message, None)
        return found

    async def answer(
        self,
        caller: Caller,
        run_id: str,
        response: str,
        *,
        words: str | None = None,
        minutes: int | None = None,
        until: datetime | None = None,
        channel: str = "dashboard",
        user: str | None = None,
    ) -> Answered:
        """Answer a reminder: done, snooze or dismiss.

        `words` say how long to snooze, as in a chat, instead of `minutes` or `until`.
        """
        if response not in _RESPONSES:
            raise InvalidInputError(f"response must be done, snooze or dismiss, got {response!r:.100}")
        meant = _RESPONSES[response]
        who = acts_for(caller, user)
        if user is None and caller.scope.is_admin:
            who = await self._answers_for(who, run_id)
        with acting_as(caller):
            return await self._service.answer(
                who, meant, run_id, minutes=minutes, until=until, length=words, channel=channel
            )

    async def _answers_for(self, admin: str, run_id: str) -> str:
        """Choose for whom an admin answers who names no person: for themselves if it is theirs, else for its person."""
        people = [each.user_id for each in await self._store.reminders.of_run(run_id)]
        if not people or admin in people:
            return admin
        if len(people) > 1:
            names = ", ".join([(await self._service.people.get(each)).user.name for each in people])
            raise InvalidInputError(
                f"the reminder is for several people: say for whom you answer, user= one of {names}"
            )
        return people[0]

    # cards

    async def _card(self, user: User, reminder: Reminder, now: datetime) -> ReminderCard | None:
        row = await self._store.get(reminder.schedule_id)
        message = None if row is None else _message(row)
        run = await self._store.get_run(reminder.run_id)
        if row is None or message is None or run is None:
            return None
        zone = self._zone(user)
        usual = self._process.settings.snoozes
        snoozed = reminder.wake_at if reminder.status is ReminderStatus.SNOOZED else None
        step = next_step(message, reminder.delivery_state, now)
        late = reminder.created_at - run.fire_at
        asks_again = snoozed is None and isinstance(step, Wait) and reminder.nags < message.max_ack_reminders
        return ReminderCard(
            run_id=reminder.run_id,
            schedule_id=row.id,
            name=row.name,
            text=message.text,
            question=question(message, user.language),
            priority=str(message.priority),
            require_ack=message.require_ack,
            since=run.fire_at,
            asked=reminder.nags,
            max_asks=message.max_ack_reminders,
            next_ask_at=step.until if asks_again and isinstance(step, Wait) else None,
            snoozed_until=snoozed,
            late_seconds=late.total_seconds() if late > _LATE else None,
            snooze_allowed=message.snooze_allowed,
            deliveries=await self._deliveries.sent(reminder.run_id, user.id),
            presets=presets(user, zone, now, message, usual) if message.snooze_allowed else [],
            zone=zone.name,
        )

    async def _unanswered(self, user: User, now: datetime) -> list[UnansweredCard]:
        cards: list[UnansweredCard] = []
        for waiting in await self._store.remembered.unacked(now - UNANSWERED_SHOWN, _MOST):
            reminder = waiting.reminder
            row = await self._store.get(reminder.schedule_id) if reminder.user_id == user.id else None
            message = None if row is None else _message(row)
            run = await self._store.get_run(reminder.run_id)
            if row is None or message is None or run is None:
                continue
            until = reminder.updated_at + TAKEN_LATE
            card = UnansweredCard(
                run_id=reminder.run_id,
                schedule_id=row.id,
                name=row.name,
                text=message.text,
                since=run.fire_at,
                asked=reminder.nags,
                given_up_at=reminder.updated_at,
                answer_until=until,
                may_answer=now < until,
            )
            cards.append(card)
        return cards

    async def _answered(self, caller: Caller, user: User, now: datetime) -> list[AnsweredCard]:
        answers = await self._store.remembered.answered(user.id, now - _RECENT, _MOST)
        last = await self._undo.last(caller)
        cards: list[AnsweredCard] = []
        for answer in answers:
            row = await self._store.get(answer.job_id)
            message = None if row is None else _message(row)
            if row is None or message is None:
                continue
            own = last is not None and last.kind == "answer" and last.made_at == answer.responded_at
            cards.append(_answered_card(answer, row, message, last.token if own and last is not None else None))
        return cards

    def _zone(self, user: User) -> Zone:
        return Zone.of(user.timezone or self._process.zone)


def presets(user: User, zone: Zone, now: datetime, message: Message, usual: str | None = None) -> list[SnoozePreset]:
    """Give the lengths of a snooze that are offered, each with the moment that it means; `usual` is as configured."""
    return [
        SnoozePreset(
            label=_label(each.preset),
            minutes=each.preset.minutes,
            until=each.until,
            quiet_until=quiet_until(user.quiet_from, user.quiet_to, zone, each.until, message.priority),
        )
        for each in offers(read_presets(user.snoozes or usual), now, zone, read_day_parts(user.day_parts))
    ]


def _label(preset: Preset) -> str:
    if preset.part is not None:
        return "this evening" if preset.part == EVENING else "tomorrow morning"
    minutes = preset.minutes or 0
    hours = minutes // 60
    return f"{minutes} min" if minutes % 60 else f"{hours} hour{'' if hours == 1 else 's'}"


def _answered_card(answer: Answer, row: StoredSchedule, message: Message, token: str | None) -> AnsweredCard:
    return AnsweredCard(
        run_id=answer.run_id,
        schedule_id=row.id,
        name=row.name,
        text=message.text,
        response=str(answer.response),
        at=answer.responded_at,
        channel=answer.channel,
        until=answer.snooze_until,
        undo_until=None if token is None else answer.responded_at + ANSWER_WITHIN,
        undo=token,
    )


def _message(row: StoredSchedule) -> Message | None:
    try:
        action = decode_action(row.action)
    except ValueError:  # a damaged row is shown elsewhere, with the reason
        return None
    return action if isinstance(action, Message) else None
