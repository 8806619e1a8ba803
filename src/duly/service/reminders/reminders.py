"""Use cases on reminders: create, change, remove and answer them. Each person sees only their own.

A reminder is a schedule with a message, in its owner's namespace, which the engine carries out like any other.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from duly.errors import InvalidInputError
from duly.model.action import AnsweredBy, Message
from duly.model.checks import within
from duly.model.trigger import Trigger
from duly.planning import lifecycle
from duly.ports.people import User, namespace_of
from duly.ports.records import StoredSchedule
from duly.ports.reminders import DeliveryAttempt, Reminder
from duly.ports.row_reader import READER
from duly.recurrence import Once, as_trigger
from duly.service.access.audit import acting
from duly.service.access.quotas import check_row
from duly.service.access.scopes import Scope
from duly.service.changes import Changes, Recording
from duly.service.people.people import PeopleService
from duly.service.reminders.answers import Answered, Answers, GivenAnswer
from duly.service.reminders.deliveries import Deliveries, DeliveryView, only_of
from duly.service.reminders.delivering_again import deliver_again
from duly.service.reminders.history import MOST_RUNS, ReminderHistory, runs_of
from duly.service.reminders.lists import ReminderLists
from duly.service.reminders.redefining import Redefinition, When
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
    with_options,
    words_of,
)
from duly.service.reminders.sharing import leave_shared, own, own_row, visible_row, with_people
from duly.service.reminders.timing import joined_notes, said_doubt, said_options, with_leads
from duly.service.reminders.views import view_of
from duly.service.schedules import values
from duly.service.schedules.drafts import Draft, refuse_passed, to_row, trimmed_name
from duly.service.schedules.editing import check_version
from duly.service.schedules.fields import ReminderView
from duly.service.schedules.manual_fires import skip_recording
from duly.service.schedules.overdue import Overdue
from duly.service.schedules.schedules import ScheduleService
from duly.service.steps import WayBack, way_of_acting
from duly.zones import iso

if TYPE_CHECKING:
    from duly.service.services import Services

_REMIND_ENDS = timedelta(minutes=1)
_DONE = {"update": "changed", "pause": "paused", "resume": "resumed"}


class ReminderService:
    """The reminders of people."""

    def __init__(self, services: Services, classifier: Classifier | None = None) -> None:
        self._process = process = services.process
        self._store = store = services.store
        self._reminders = store.reminders
        self._clock = clock = services.clock
        self._default_zone = zone = process.zone
        self._attention = services.attention
        self._quotas = services.quotas
        self._schedules = ScheduleService(store, clock, no_job, process.random_bits)
        self.changes = Changes(store, clock, lambda *_: process.wake())
        self._answers = Answers(store, clock, self._schedules, process.wake, zone)
        self.replies = ReplyReader(self._answers, store.reminders, clock, zone, classifier)
        self.people = PeopleService(store, clock, process.random_bits, self._moved, self._remove_all)
        self.lists = ReminderLists(store, clock, self.people, zone, process.settings.digest_at)

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
        way: WayBack | None = None,
        **options: Any,
    ) -> ReminderView:
        """Create a reminder. Options are the fields of a `Message`: `priority`, `require_ack`, `channel`, `via`, …

        `scope` is that of the caller's token: its quota holds for the reminder. `way` says how it can be taken back, if
        not as a reminder that the caller made.
        """
        user = await self._user(user_id)
        check_request(self._process.channel_names, schedule=schedule, message=message, name=name, **options)
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
        row = to_row(draft, self._clock.now(), no_job, self._process.random_bits)
        await self._quotas.check(scope, row)
        recording = Recording(way=way or way_of_acting("create", f"{row.name} made"))
        await self.changes.make(row, acting(), recording, await self._quotas.room(scope))
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
        way: WayBack | None = None,
        **options: Any,
    ) -> ReminderView:
        """Change the fields that are given, and whether it fires; with `version`, only if it was not changed since.

        `way` says how it can be taken back, if not as a change of the caller.
        """
        if not options and all(each is None for each in (schedule, message, name, enabled)):
            raise InvalidInputError(f"nothing to change in {target!r}: give at least one of {', '.join(CHANGEABLE)}")
        user = await self._user(user_id)
        check_request(self._process.channel_names, schedule=schedule, message=message, name=name, **options)
        options = self._said(schedule, user) | await with_people(self.people, user, options, scope)
        row = await own_row(self._store, user, target)
        now = self._clock.now()
        when = None if schedule is None else self._trigger(schedule, user)
        name = None if name is None else trimmed_name(name)
        quota = await self._quotas.of(scope)
        is_defined = bool(options) or any(each is not None for each in (schedule, message, name, version))

        asked = Redefinition(
            schedule=schedule,
            when=when,
            text=message,
            name=name,
            options=options,
            by=user.id,
            default_zone=self._default_zone,
        )

        def changed(before: StoredSchedule) -> StoredSchedule | None:
            check_version(before, version, {})
            after = asked.of(before, now, self._process.random_bits) if is_defined else before
            if is_defined and quota is not None and scope is not None:
                check_row(scope.namespace, quota, after, now)
            if enabled is not None:
                switched = lifecycle.resume(after, now, READER) if enabled else lifecycle.pause(after, now)
                return switched or (after if is_defined else None)
            return after

        kind = "update" if is_defined or enabled is None else "resume" if enabled else "pause"
        done = Recording(way=way or way_of_acting(kind, f"{row.name} {_DONE[kind]}"))
        row, _ = await self.changes.one(row.id, own(user, changed), acting(), done, named=target)
        return await self.lists.view(row, user, noted=bool(schedule or options or enabled))

    async def remove(self, user_id: str, target: str, *, way: WayBack | None = None) -> ReminderView:
        """Delete a reminder; a run of it that waits for an answer ends, and stays so when this is taken back."""
        user = await self._user(user_id)
        row = await own_row(self._store, user, target)
        view = await self.lists.view(row, user)
        now = self._clock.now()
        done = Recording(way=way or way_of_acting("delete", f"{row.name} deleted"))
        delete = own(user, lambda before: lifecycle.delete(before, now))
        await self.changes.one(row.id, delete, acting(), done, named=target)
        return view

    async def skip_next(self, user_id: str, target: str) -> ReminderView:
        """Record the next fire as skipped."""
        user = await self._user(user_id)
        row = await own_row(self._store, user, target)
        way = way_of_acting("skip_next", f"next fire of {row.name} skipped")
        done = skip_recording(self._clock.now(), self._process.random_bits, Recording(way=way))
        skip = own(user, lambda before: lifecycle.skip_next(before, READER))
        row, _ = await self.changes.one(row.id, skip, acting(), done, named=target)
        return await self.lists.view(row, user)

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
        """Deliver a reminder once more, at once, whose vendor took a message and lost it."""
        again = await deliver_again(self._reminders, self._schedules, lost, self._clock.now())
        if again:
            self._process.wake()
        return again

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
            await move_to_zone(self.changes, ids, old, new, self._clock.now())

    async def _remove_all(self, user: User) -> None:
        for schedule_id in await leave_shared(self._store, self.changes, user):
            await self._schedules.delete(schedule_id)
        self._process.wake()

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
