"""Record the answers of people to reminders, each with a way back for five minutes, whichever face it came through."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from duly.clock import Clock
from duly.delivery.messages import fresh_reminder
from duly.errors import InvalidInputError, NotFoundError
from duly.language.spoken import answering_tag, words
from duly.language.spoken.moments import say_moment
from duly.model.action import Action, Message, Priority
from duly.model.checks import choice
from duly.model.events import REMINDER_ANSWERED, Event
from duly.model.ids import RUN
from duly.model.reminder import ReminderStatus, Response
from duly.planning.delivery import TAKEN_LATE, ends_for_all
from duly.planning.reach import quiet_until, snooze_until
from duly.ports.codec import decode_action
from duly.ports.people import User, namespace_of, recipients
from duly.ports.records import StoredSchedule
from duly.ports.reminders import Answer, Reminder
from duly.ports.store import FullStore
from duly.recurrence import Once
from duly.service.access.audit import acting
from duly.service.changes import Recording
from duly.service.reminders.admins import AdminMessages, is_taken_late
from duly.service.reminders.requests import reminder_policy
from duly.service.reminders.sharing import message_in, no_reminder, visible_row
from duly.service.schedules.drafts import Draft
from duly.service.schedules.schedules import ScheduleService, tell_saved
from duly.service.schedules.values import storable
from duly.service.steps import ANSWER_WITHIN, WayBack, new_token, step_of_answer, undo_owner
from duly.zones import Zone, iso

_STATUS = {
    Response.ACK: ReminderStatus.ACKED,
    Response.SNOOZE: ReminderStatus.SNOOZED,
    Response.DISMISS: ReminderStatus.DISMISSED,
}


@dataclass(frozen=True, slots=True)
class Answered:
    """An answer that counted."""

    reminder: Reminder
    message: Message
    response: Response
    until: datetime | None
    """When a snoozed reminder comes back."""
    text: str
    """The reply to the person: which reminder it was, and what happens to it."""
    undo: str | None = None
    """The token that takes it back within five minutes."""

    def to_json(self) -> dict[str, Any]:
        """Give the answer as every face shows it."""
        return {
            "job_id": self.reminder.schedule_id,
            "run_id": self.reminder.run_id,
            "text": self.text,
            "response": str(self.response),
            "until": iso(self.until),
            "undo": self.undo,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenAnswer:
    """An answer as it came in."""

    response: Response
    minutes: int | None = None
    until: datetime | None = None
    channel: str | None = None
    message_id: str | None = None
    text: str | None = None
    lang: str | None = None
    """The language in which the text was read."""
    denied: bool = False
    """A bare no: it is not done, and the person did not ask to be reminded later."""


class Answers:
    """Finds the reminder that an answer is for, and records the answer."""

    def __init__(
        self,
        store: FullStore,
        clock: Clock,
        schedules: ScheduleService,
        wake: Callable[[], None],
        default_zone: str,
    ) -> None:
        self._store = store
        self._reminders = store.reminders
        self._clock = clock
        self._schedules = schedules
        self._wake = wake
        self._default_zone = default_zone
        self._admins = AdminMessages(store, clock, schedules)

    # answers that name their reminder

    async def find(
        self, user: User, target: str | None, response: str | None = None, shown: str | None = None
    ) -> Reminder:
        """Find the reminder that a person means: by run, by schedule (id or name), or the only one that waits.

        Those that were put off count only if no other waits. A reminder that wants no answer can be snoozed all the
        same: without a target, the one that came last. `shown` is the run that the face showed the person last, which
        may not have been sent to a channel yet.
        """
        if target is None and shown is not None and (seen := await self._shown(user, shown)) is not None:
            return seen
        if target is None:
            return await self._only(user, response)
        found = await self._named(user, storable(target, "target"))
        if found is None:
            raise await no_reminder(self._store, user, target, " that could be answered")
        return found

    async def _only(self, user: User, response: str | None) -> Reminder:
        """Find the reminder that an answer without a name is for; refuse to choose among several."""
        pending = await self.waiting(user)
        active = [each for each in pending if each.status is not ReminderStatus.SNOOZED] or pending
        late = [] if active else await self.late(user, self._clock.now())
        if len(active or late) > 1:
            rows = [await self._row_of(each) for each in active or late]
            names = ", ".join(repr(row.name) for row in rows)
            raise InvalidInputError(f"{len(rows)} reminders wait for an answer: name the one that is meant, of {names}")
        found = next(iter(active or late), None)
        if found is None and response == Response.SNOOZE:
            found = await self._reminders.latest_for(user.id)
        if found is None:
            raise NotFoundError("no reminder waits for an answer")
        return found

    async def _shown(self, user: User, run_id: str) -> Reminder | None:
        """Find the reminder of a run that a face showed; None if the person has answered it, or it is gone.

        A face hears of a run before its reminder is recorded. Then it is recorded here: the delivery goes on from it.
        """
        found = await self._reminders.get(run_id, user.id)
        if found is None:
            run = await self._store.get_run(run_id)
            row = None if run is None else await self._store.get(run.fire.schedule_id)
            message = None if row is None else message_in(row)
            if run is None or run.status.final or row is None or message is None:
                return None
            # For all at once: an answer may end it for the others, too.
            now = self._clock.now()
            people = recipients(message, row.namespace)
            fresh = [fresh_reminder(run_id, row.id, each, now) for each in people]
            begun = await self._reminders.begin_shared(fresh) if user.id in people else []
            found = next((each for each in begun if each.user_id == user.id), None)
        if found is None:
            return None
        is_open = not found.status.final or found.status is ReminderStatus.DELIVERED
        return found if is_open or is_taken_late(found, self._clock.now()) else None

    async def waiting(self, user: User) -> list[Reminder]:
        """List the reminders that can be meant, the likeliest first: newest first, snoozed ones after all others."""
        found = await self._reminders.open_for(user.id)
        return sorted(found, key=lambda each: each.status is ReminderStatus.SNOOZED)

    async def late(self, user: User, now: datetime) -> list[Reminder]:
        """List the reminders that were given up without an answer and can still be answered."""
        return await self._reminders.late_for(user.id, now - TAKEN_LATE)

    async def subject_of(self, reminder: Reminder) -> tuple[Message, str]:
        """Give the message of a reminder, and its trigger as it is stored."""
        row = await self._row_of(reminder)
        return _message_in(row, reminder), row.trigger

    async def _named(self, user: User, target: str) -> Reminder | None:
        """Find the person's reminder of a run, or the latest of a schedule; a name may look like an id."""
        if target.startswith(RUN) and (found := await self._reminders.get(target, user.id)) is not None:
            return found
        try:
            row = await visible_row(self._store, user, target)
        except NotFoundError:
            return None
        latest = await self._reminders.of_schedule(row.id, 1)
        return next((each for each in latest if each.user_id == user.id), None)

    async def give(self, user: User, reminder: Reminder, said: GivenAnswer, *, in_person: bool = False) -> Answered:
        """Record an answer, which takes effect at once and can be taken back for five minutes.

        `in_person` says that the person wrote it, through whichever program: then it is theirs to take back.
        """
        storable(said.channel or "", "channel")
        now = self._clock.now()
        message = await self.message_of(reminder)
        response = choice(Response, said.response, "response")
        tag = answering_tag(user.language, said.text, said.lang)
        spoken = words(tag)
        until = None
        if response is Response.SNOOZE:
            if not message.snooze_allowed:
                raise InvalidInputError(spoken.not_snoozed.format(text=message.text))
            until = snooze_until(now, said.minutes, said.until)
        answer = Answer(
            run_id=reminder.run_id,
            job_id=reminder.schedule_id,
            user_id=user.id,
            run_number=reminder.run_number,
            response=response,
            snooze_minutes=None if until is None else max(1, round((until - now).total_seconds() / 60)),
            snooze_until=until,
            channel=said.channel,
            message_id=said.message_id,
            response_text=said.text,
            responded_at=now,
        )
        asked = acting()
        is_late = is_taken_late(reminder, now)
        about = {
            **asked,
            "user": user.id,
            "response": str(response),
            "channel": said.channel,
            "until": until,
            **({"late": True} if is_late else {}),
        }
        entry = Event(
            kind=REMINDER_ANSWERED, at=now, schedule_id=reminder.schedule_id, run_id=reminder.run_id, data=about
        )
        in_person = in_person or asked["scope"] in (f"user:{user.id}", f"user:{user.name}")
        owner = undo_owner(user.id) if in_person else asked["by"]
        reply = self.reply(user, message, response, until, tag=tag, denied=said.denied)
        sentence = reply.partition("\n")[0]
        undo: str | None
        if until is not None and (is_late or reminder.status is ReminderStatus.DELIVERED):
            way = WayBack(owner=owner, kind="answer", sentence=sentence, within=ANSWER_WITHIN)
            undo = await self._deliver_once_more(reminder, user, until, entry, way)
        else:
            undo = await self._answer(answer, reminder, message, until, entry, (owner, sentence))
            if undo is None:
                raise InvalidInputError(spoken.is_over.format(text=message.text))
        if is_late and reminder.silence_told:
            said_late = self._late_words(user, message, response)
            await self._admins.tell_who_heard(reminder, said_late)
        self._wake()
        return Answered(reminder=reminder, message=message, response=response, until=until, text=reply, undo=undo)

    def _late_words(self, user: User, message: Message, response: Response) -> Callable[[str | None], str]:
        """Say to admins, each in their language, that a person has answered after all."""

        def said(language: str | None) -> str:
            spoken = words(language)
            late = {Response.ACK: spoken.done_late, Response.DISMISS: spoken.dismissed_late}
            return late.get(response, spoken.snoozed_late).format(name=user.name, text=message.text)

        return said

    async def tell_unwilling(self, user: User, message: Message, text: str) -> None:
        """Tell the admins in which words a person does not want to do what a critical reminder asks for."""

        def said(language: str | None) -> str:
            return words(language).unwilling.format(name=user.name, text=message.text, words=text)

        await self._admins.tell_all(user, said)
        self._wake()

    async def _answer(
        self,
        answer: Answer,
        reminder: Reminder,
        message: Message,
        until: datetime | None,
        entry: Event,
        kept: tuple[str, str],
    ) -> str | None:
        """Record an answer; give the token that takes it back. None: the reminder is over already.

        `kept` says under whose name and in which words the answer can be taken back.

        Of a shared reminder the run goes on for the others: the time that is left behind lets its next step show the
        answer.
        """
        for_all = ends_for_all(message, answer.response)
        of_run = await self._reminders.of_run(answer.run_id) if for_all else []
        others = [each for each in of_run if each.user_id != answer.user_id and not each.status.final]
        step = step_of_answer(*kept, answer, reminder, others)
        wake_at = answer.responded_at if message.is_shared and until is None else until
        status = _STATUS[answer.response]
        taken = await self._reminders.answer(answer, status, wake_at, [entry], step, for_all=for_all)
        return step.token if taken else None

    async def _deliver_once_more(
        self, reminder: Reminder, user: User, until: datetime, event: Event, way: WayBack
    ) -> str | None:
        """Snooze a reminder that wanted no answer: its run is over, so a schedule of its own delivers it once more.

        The name of that schedule is the run's, so a second snooze before then only moves it. Give the token that takes
        this back.
        """
        row = await self._store.get(reminder.schedule_id)
        if row is None:
            raise NotFoundError(f"the reminder of run {reminder.run_id!r} is gone")
        trigger = Once(until)
        message = decode_action(row.action)
        if isinstance(message, Message) and message.priority is Priority.LOW:
            message = replace(message, priority=Priority.NORMAL)  # the person named a time: no digest is waited for
        draft = Draft(
            name=f"snoozed-{reminder.run_id.removeprefix(RUN)}",
            namespace=namespace_of(user.id),
            trigger=trigger,
            action=_for_one(message, user),
            policy=reminder_policy(trigger),
            timezone=row.timezone,
            description=f"{row.name}, put off",
            created_by=user.id,
            created_via=row.created_via,
            token_scope=row.token_scope,  # it counts for the same quota
        )
        token = new_token(event.at)
        way = replace(way, token=token)
        await self._schedules.save([draft], recording=Recording(tell=tell_saved, way=way, more=[event]))
        return token if await self._store.remembered.undo(token) is not None else None

    async def message_of(self, reminder: Reminder) -> Message:
        return _message_in(await self._row_of(reminder), reminder)

    async def _row_of(self, reminder: Reminder) -> StoredSchedule:
        row = await self._store.get(reminder.schedule_id)
        if row is None:
            raise NotFoundError(f"the reminder of run {reminder.run_id!r} is gone")
        return row

    def reply(
        self,
        user: User,
        message: Message,
        response: Response,
        until: datetime | None,
        *,
        tag: str | None,
        denied: bool = False,
    ) -> str:
        """Say which reminder it was, and what happens to it."""
        spoken = words(tag)
        now = self._clock.now()
        zone = Zone.of(user.timezone or self._default_zone)
        if until is None:
            said = spoken.was_done if response is Response.ACK else spoken.was_dismissed
            return said.format(text=message.text)
        said = spoken.asks_again if denied else spoken.was_snoozed
        reply = said.format(text=message.text, moment=say_moment(until, zone, now, tag))
        quiet = quiet_until(user.quiet_from, user.quiet_to, zone, until, message.priority)
        if quiet is None:
            return reply
        return f"{reply}\n{spoken.in_quiet_hours.format(moment=say_moment(quiet, zone, now, tag))}"


def _message_in(row: StoredSchedule, reminder: Reminder) -> Message:
    action = decode_action(row.action)
    if not isinstance(action, Message):
        raise NotFoundError(f"the reminder of run {reminder.run_id!r} is gone")
    return action


def _for_one(action: Action, user: User) -> Action:
    """Give a message for one of its people only."""
    return action.for_one(user.id) if isinstance(action, Message) and action.is_shared else action
