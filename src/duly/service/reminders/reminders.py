"""Use cases on reminders: create, change, remove and answer them. Each person sees only their own.

A reminder is a schedule with a message, in its owner's namespace, which the engine carries out like any other.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from duly.clock import Clock
from duly.errors import InvalidInputError, NotFoundError
from duly.model.action import AnsweredBy, Message
from duly.model.checks import within
from duly.model.events import SCHEDULE_CREATED, Event
from duly.model.ids import RandomBits
from duly.model.reminder import ReminderStatus
from duly.model.trigger import Trigger
from duly.planning import lifecycle
from duly.ports.codec import decode_action, decode_trigger, encode_action
from duly.ports.people import User, namespace_of
from duly.ports.records import StoredSchedule
from duly.ports.reminders import DeliveryAttempt, Reminder
from duly.ports.row_reader import READER
from duly.ports.store import FullStore
from duly.recurrence import Once, as_trigger
from duly.service.access.audit import ITSELF, acting, audited, change_events
from duly.service.access.quotas import QuotaKeeper, check_row
from duly.service.access.scopes import Scope
from duly.service.people.people import PeopleService
from duly.service.reminders.answers import Answered, Answers, GivenAnswer
from duly.service.reminders.deliveries import Deliveries, DeliveryView, only_of
from duly.service.reminders.history import MOST_RUNS, ReminderHistory, runs_of
from duly.service.reminders.lists import ReminderLists
from duly.service.reminders.replies import ChatMessage, Classifier, Handled, ReplyReader
from duly.service.reminders.requests import (
    CHANGEABLE,
    RequestContext,
    check_request,
    context_of,
    move_to_zone,
    no_job,
    read_schedule,
    remind_target,
    reminder_policy,
    rescheduled_draft,
    with_options,
    words_after,
    words_of,
)
from duly.service.reminders.sharing import leave_shared, own_row, visible_row, with_people
from duly.service.reminders.timing import joined_notes, said_doubt, said_options, with_leads
from duly.service.reminders.views import ReminderView, view_of
from duly.service.schedules import values
from duly.service.schedules.attention import Attention
from duly.service.schedules.drafts import Draft, refuse_passed, to_row, trimmed_name
from duly.service.schedules.editing import check_version
from duly.service.schedules.overdue import Overdue
from duly.service.schedules.schedules import ScheduleService
from duly.zones import iso

_REMIND_ENDS = timedelta(minutes=1)
_MOVING = frozenset({"lead_minutes", "again_after_minutes"})  # options that change when it fires
When = Trigger | Mapping[str, Any]
"""A trigger, or a schedule as the scheduler tool describes it."""


class ReminderService:
    """The reminders of people."""

    def __init__(
        self,
        store: FullStore,
        clock: Clock,
        random_bits: RandomBits,
        *,
        wake: Callable[[], None] = lambda: None,
        default_zone: str = "UTC",
        classifier: Classifier | None = None,
        channels: Collection[str] | None = None,
        attention: Attention | None = None,
        quotas: QuotaKeeper | None = None,
        digest_at: str | None = None,
    ) -> None:
        """`channels` are the names of channels that a request may name; without it, any."""
        self._store = store
        self._channels = channels
        self._reminders = store.reminders
        self._clock = clock
        self._random_bits = random_bits
        self._wake = wake
        self._default_zone = default_zone
        self._attention = attention or Attention(store, clock)
        self._quotas = quotas or QuotaKeeper(store, clock)
        self._schedules = ScheduleService(store, clock, no_job, random_bits)
        self._answers = Answers(store, clock, self._schedules, wake, default_zone)
        self.replies = ReplyReader(self._answers, store.reminders, clock, default_zone, classifier)
        self.people = PeopleService(
            store.people, clock, random_bits, moved=self._moved, gone=self._remove_all, record=store.record
        )
        self.lists = ReminderLists(
            store, clock, self.people, self._attention, default_zone=default_zone, digest_at=digest_at
        )

    # creating and changing

    async def create(
        self,
        user_id: str,
        schedule: When,
        message: str,
        *,
        name: str | None = None,
        created_via: str | None = None,
        original_text: str | None = None,
        until_at: datetime | None = None,
        scope: Scope | None = None,
        **options: Any,
    ) -> ReminderView:
        """Create a reminder. Options are the fields of a `Message`: `priority`, `require_ack`, `channel`, `via`, …

        `scope` is that of the caller's token: its quota holds for the reminder.
        """
        user = await self._user(user_id)
        check_request(self._channels, schedule=schedule, message=message, name=name, **options)
        if isinstance(question := options.get("ack_prompt"), str):
            values.text(question, "ack_prompt")
        values.storable(created_via or "", "created_via")
        values.storable(original_text or "", "original_text")
        trigger, zone = self._trigger(schedule, user)
        options = await with_people(self.people, user, options, scope)
        action = with_options(Message(text=message, user_id=user.id), self._said(schedule, user) | options)
        draft = Draft(
            name=f"reminder-{secrets.token_hex(4)}" if name is None else name,
            namespace=namespace_of(user.id),
            trigger=trigger,
            action=action,
            policy=reminder_policy(trigger),
            until_at=until_at,
            timezone=zone,
            created_by=user.id,
            token_scope=None if scope is None else str(scope),
            created_via=created_via,
            original_text=original_text or words_of(schedule),
        )
        refuse_passed(draft, self._clock.now())
        draft = replace(draft, trigger=with_leads(trigger, action))
        row = to_row(draft, self._clock.now(), no_job, self._random_bits)
        event = audited(SCHEDULE_CREATED, self._clock.now(), acting(), None, row)
        await self._quotas.check(scope, row)
        await self._store.save([row], lifecycle.create, [event], await self._quotas.room(scope))
        self._wake()
        warning = await self._attention.warning(row.handler)
        view = view_of(row, None, context=self._context(user), default_zone=zone)
        noted = self.lists.noted(replace(view, warning=warning), row, user)
        return replace(noted, note=joined_notes(said_doubt(schedule, self._context(user)), noted.note))

    async def remind(
        self,
        user_id: str,
        message: str,
        channel: str | None = None,
        *,
        delay_minutes: int | None = None,
        remind_at: str | datetime | None = None,
        **options: Any,
    ) -> dict[str, Any]:
        """Create a reminder for once, after some minutes or at a time; give what was created, or the error."""
        if isinstance(remind_at, str):
            options.setdefault("original_text", remind_at.strip())
        try:
            target = remind_target(self._context(await self._user(user_id)), delay_minutes, remind_at)
            view = await self.create(
                user_id,
                Once(target),
                message,
                name=f"remind-{target:%Y%m%dT%H%M%S}-{secrets.token_hex(3)}",
                until_at=target + _REMIND_ENDS,
                channel=channel,
                **options,
            )
        except InvalidInputError as error:
            return {"status": "error", "error": str(error)}
        except OverflowError:
            return {"status": "error", "error": "that is beyond the end of the calendar: choose an earlier time"}
        when = {"remind_at": iso(target), "remind_at_local": view.next_run_local, "timezone": view.timezone}
        warned = {name: said for name in ("warning", "note") if (said := getattr(view, name)) is not None}
        return {"id": view.id, "status": "scheduled", **when, "channel": channel, "message": message, **warned}

    async def update(
        self,
        user_id: str,
        target: str,
        *,
        schedule: When | None = None,
        message: str | None = None,
        name: str | None = None,
        enabled: bool | None = None,
        scope: Scope | None = None,
        version: int | None = None,
        **options: Any,
    ) -> ReminderView:
        """Change the fields that are given, and whether it fires; with `version`, only if it was not changed since."""
        if not options and all(each is None for each in (schedule, message, name, enabled)):
            raise InvalidInputError(f"nothing to change in {target!r}: give at least one of {', '.join(CHANGEABLE)}")
        user = await self._user(user_id)
        check_request(self._channels, schedule=schedule, message=message, name=name, **options)
        options = self._said(schedule, user) | await with_people(self.people, user, options, scope)
        row = await own_row(self._store, user, target)
        now = self._clock.now()
        when = None if schedule is None else self._trigger(schedule, user)
        name = None if name is None else trimmed_name(name)
        quota = await self._quotas.of(scope)
        events = list[Event]()
        caller = acting()  # here, because the store may call `change` in another thread

        def change(before: StoredSchedule) -> StoredSchedule:
            check_version(before, version, {})
            action = decode_action(before.action)
            assert isinstance(action, Message)  # noqa: S101  `_row` gives no other
            action = with_options(action if message is None else replace(action, text=message), options)
            after = replace(
                before,
                action=encode_action(action),
                name=name or before.name,
                created_by=user.id,  # the person is responsible for it from now on, not a token
                changed_by=None,
                version=before.version + 1,
                updated_at=now,
            )
            if when is not None or options.keys() & _MOVING:
                trigger, zone = when or (decode_trigger(before.trigger), before.timezone or self._default_zone)
                draft = rescheduled_draft(after, with_leads(trigger, action), zone)
                after = lifecycle.reschedule(after, to_row(draft, now, no_job, self._random_bits))
            if schedule is not None:
                after = replace(after, original_text=words_after(before, schedule))
            if quota is not None and scope is not None:
                check_row(scope.namespace, quota, after, now)
            if enabled is not None:
                after = (lifecycle.resume(after, now, READER) or after) if enabled else lifecycle.pause(after, now)
            events[:] = change_events(now, caller, before, after)
            return after

        if not options and all(each is None for each in (schedule, message, name, version)):
            await (self._schedules.resume if enabled else self._schedules.pause)(row.id)
        else:
            await self._store.edit([row.id], change, events)
        self._wake()
        row = await own_row(self._store, user, row.id)
        return await self.lists.view(row, user, noted=bool(schedule or options or enabled))

    async def remove(self, user_id: str, target: str) -> ReminderView:
        """Delete a reminder; a run of it that waits for an answer ends."""
        user = await self._user(user_id)
        view = await self.lists.view(await own_row(self._store, user, target), user)
        await self._schedules.delete(view.id)
        self._wake()
        return view

    async def skip_next(self, user_id: str, target: str) -> ReminderView:
        """Record the next fire as skipped."""
        row = await own_row(self._store, await self._user(user_id), target)
        await self._schedules.skip_next(row.id)
        return await self.get(user_id, row.id)

    # reading

    async def get(self, user_id: str, target: str) -> ReminderView:
        """Give a reminder for a person, by id or name; another person's is refused like one that does not exist."""
        user = await self._user(user_id)
        return await self.lists.view(await visible_row(self._store, user, target), user)

    async def pending(self, user_id: str) -> list[Reminder]:
        """List the reminders that wait for this person's answer, newest first."""
        return await self._reminders.open_for((await self._user(user_id)).id)

    async def deliveries(self, user_id: str, run_id: str) -> list[DeliveryView]:
        """List every send of one run, the first one first."""
        user = await self._user(user_id)
        reminder = await self._answers.find(user, run_id)
        return await Deliveries(self._store, only_of(user.id)).sent(reminder.run_id)

    async def show(self, user_id: str, target: str, limit: int = 10) -> ReminderHistory:
        """Show a reminder with its latest runs: every send, answer and escalation."""
        user = await self._user(user_id)
        view = await self.get(user.id, target)
        within("limit", limit, 1, MOST_RUNS)
        answered_by = AnsweredBy(view.answered_by or AnsweredBy.FIRST)
        return ReminderHistory(job=view, runs=await runs_of(self._store, user.id, view.id, limit, answered_by))

    # answers

    async def answer(
        self,
        user_id: str,
        response: str,
        target: str | None = None,
        *,
        minutes: int | None = None,
        until: datetime | None = None,
        length: str | None = None,
        channel: str | None = None,
        shown: str | None = None,
    ) -> Answered:
        """Answer with `ack`, `snooze` or `dismiss` the reminder of a run or a schedule, or the only one that waits.

        `length` says in words how long to snooze, instead of `minutes` or `until`. `shown` is the run that the person
        was shown last, which is meant without a target.
        """
        user = await self._user(user_id)
        if length:
            minutes, until = self.replies.read_snooze(user, length)
        reminder = await self._answers.find(user, target, response, shown)
        said = GivenAnswer(response=response, minutes=minutes, until=until, channel=channel)  # type: ignore[arg-type]
        return await self._answers.give(user, reminder, said)

    async def handle_message(
        self,
        user_id: str,
        channel: str,
        text: str | None = None,
        *,
        quoted: str | None = None,
        button: str | None = None,
        message_id: str | None = None,
        reaction: str | None = None,
    ) -> Handled:
        """Handle a message from a chat if it is an answer; any other is not `consumed`, and is to be passed on."""
        user = await self._user(user_id)
        said = ChatMessage(
            channel=channel, text=text, quoted=quoted, button=button, message_id=message_id, reaction=reaction
        )
        return await self.replies.once(said, lambda: self.replies.answer(user, said))

    async def deliver_again(self, lost: DeliveryAttempt) -> bool:
        """Deliver a reminder once more, at once, whose vendor took a message and lost it.

        A reminder that waits for an answer goes out in the same run, unless it has arrived since; one that is over and
        never arrived fires anew.
        """
        newest = await self._reminders.of_schedule(lost.job_id, 1)
        latest = next((each for each in newest if each.user_id == lost.user_id), None)
        if latest is None or latest.run_id != lost.run_id:
            return False
        sends = await self._reminders.attempts(lost.run_id)
        reached = [each for each in sends if each.brought_it and each.user_id == lost.user_id]
        if latest.status is ReminderStatus.AWAITING_ACK:
            if any(each.attempt_number > lost.attempt_number for each in reached):
                return False
            if not await self._reminders.send_again(lost.run_id, lost.user_id, self._clock.now()):
                return False
        elif latest.status in (ReminderStatus.DELIVERED, ReminderStatus.UNACKED) and not reached:
            try:
                await self._schedules.trigger(latest.schedule_id, {**ITSELF, "reason": "a message was lost"})
            except NotFoundError:  # it was removed since
                return False
        else:
            return False
        self._wake()
        return True

    # starting

    async def recover_missed_jobs(self) -> list[Overdue]:
        """List the reminders whose time passed while no engine ran, and what the engine does with each at its start."""
        return await self.lists.overdue()

    # people who move or leave

    async def _moved(self, before: User, after: User) -> None:
        """Move the reminders in a person's own zone along: 8 in the morning is 8 in the morning there."""
        old = before.timezone or self._default_zone
        new = after.timezone or self._default_zone
        async for rows in self.lists.rows(after):
            ids = [row.id for row in rows if row.timezone == old and row.quarantine is None]
            await move_to_zone(self._store, ids, old, new, self._clock.now())
        self._wake()

    async def _remove_all(self, user: User) -> None:
        for schedule_id in await leave_shared(self._store, user, self._clock.now()):
            await self._schedules.delete(schedule_id)
        self._wake()

    async def _user(self, user_id: str) -> User:
        return (await self.people.get(user_id)).user

    def _context(self, user: User) -> RequestContext:
        return context_of(user, self._clock.now(), self._default_zone)

    def _trigger(self, schedule: When, user: User) -> tuple[Trigger, str]:
        context = self._context(user)
        if isinstance(schedule, Mapping):
            return read_schedule(schedule, context)
        return as_trigger(schedule), context.zone

    def _said(self, schedule: When | None, user: User) -> dict[str, Any]:
        return said_options(schedule, self._context(user))
