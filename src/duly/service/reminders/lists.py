"""Look up a person's reminders and inbox, page by page, and the reminder that an event delivers."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Unpack

from duly.clock import Clock
from duly.errors import DecodeError, DulyError, NotFoundError, StoreUnavailableError
from duly.language.spoken import question
from duly.model.action import Message
from duly.model.events import RUN_STARTED, Event
from duly.model.reminder import ReminderStatus
from duly.model.run import Origin
from duly.planning.delivery import delivers_at
from duly.planning.reach import digest_time, quiet_until
from duly.ports.codec import decode_action, decode_trigger
from duly.ports.people import LOCAL_USER, User, namespace_of, recipients
from duly.ports.records import ScheduleFilter, StoredSchedule
from duly.ports.reminders import InboxItem, LatestReminder
from duly.ports.store import FullStore
from duly.service.access.audit import acting, is_anybody_acting
from duly.service.heavy_reads import HeavyReads
from duly.service.pages import READABLE, beginning, cursor_of, fill, foreign, read_cursor
from duly.service.people.people import PeopleService
from duly.service.reminders.requests import context_of
from duly.service.reminders.timing import Addressee, base_of, delivery_note
from duly.service.reminders.views import (
    FiredReminder,
    GatheredView,
    InboxView,
    ReminderFilters,
    reminder_filter,
    view_of,
)
from duly.service.schedules import values
from duly.service.schedules.fields import ReminderView
from duly.service.schedules.overdue import Overdue, overdue
from duly.zones import Zone, local_iso

_PAGE = 32
"""Rows that are read at once: each may be large."""
_MOST_OVERDUE = 1000
_MOST_GATHERED = 100


class ReminderLists:
    """The reminders and messages of people, as views."""

    def __init__(
        self,
        store: FullStore,
        clock: Clock,
        people: PeopleService,
        default_zone: str,
        digest_at: str | None = None,
    ) -> None:
        """`digest_at` is when people get their digest who have chosen no time."""
        self._store = store
        self._reminders = store.reminders
        self._clock = clock
        self._people = people
        self._default_zone = default_zone
        self.digest_at = digest_at
        self._heavy_reads = HeavyReads(clock)

    async def page(
        self,
        user_id: str,
        *,
        enabled: bool | None = None,
        cursor: str | None = None,
        limit: int = 100,
        **filters: Unpack[ReminderFilters],
    ) -> tuple[list[ReminderView], str | None]:
        """Give a page of a person's reminders in order of name, long texts cut, and the cursor of the next page.

        Filters are `status`, `priority`, `text` and `due_before`: with one, every reminder may be looked at.
        """
        if all(each is None for each in filters.values()):
            return await self._page(user_id, enabled, cursor, limit)
        async with self._heavy_reads.place_of(acting()["by"]):
            return await self._page(user_id, enabled, cursor, limit, **filters)

    async def _page(
        self, user_id: str, enabled: bool | None, cursor: str | None, limit: int, **filters: Unpack[ReminderFilters]
    ) -> tuple[list[ReminderView], str | None]:
        user = await self._user(user_id)
        fits = reminder_filter(**filters)
        namespace = namespace_of(user.id)
        wanted = ScheduleFilter(namespace=namespace, handler="message", enabled=enabled)

        async def read(after: str | None, count: int) -> list[StoredSchedule]:
            seen = None if after is None else (namespace, after)
            return await self._store.schedules(replace(wanted, after=seen, limit=count))

        async def show(rows: Sequence[StoredSchedule]) -> list[ReminderView | None]:
            latest = await self._reminders.latest_of([row.id for row in rows])
            views: list[ReminderView | None] = []
            for row in rows:
                view = None
                with suppress(DecodeError):  # `schedule list` shows a damaged row, with the reason
                    view = self._view(row, user, latest.get(row.id)) if row.quarantine is None else None
                views.append(view if view is not None and fits(view) else None)
            return views

        after = None if cursor is None else read_cursor(values.text(cursor, "cursor"), 1)[0]
        shown, last = await fill(read, show, lambda row: row.name, limit, after=after)
        return shown, None if last is None else cursor_of(last)

    async def inbox(
        self, user_id: str, *, unread: bool = True, limit: int = 50, read: bool = False, cursor: str | None = None
    ) -> tuple[list[InboxView], str | None]:
        """Give messages of the inbox, newest first, and the cursor of older ones; `read` marks them as read.

        A long text is cut: `inbox_item` has all of it. While the store can be read but not written, the messages are
        given all the same, and stay unread: without `read_at`.
        """
        user = await self._user(user_id)

        async def look(before: int | None, count: int) -> list[InboxItem]:
            return await self._reminders.inbox(user.id, unread, count, before=before, longest=READABLE - 1)

        async def show(items: Sequence[InboxItem]) -> list[InboxView]:
            return [InboxView.of(item) for item in items]

        before = None if cursor is None else _number(values.text(cursor, "cursor"))
        shown, last = await fill(look, show, lambda item: item.id or 0, limit, after=before, longest=READABLE)
        ids = [item.id for item in shown]
        if read and ids:
            with suppress(StoreUnavailableError):
                await self._reminders.mark_read(user.id, ids, now := self._clock.now())
                shown = [replace(item, read_at=item.read_at or now) for item in shown]
        return shown, None if last is None else str(last)

    async def fired(self, event: Event) -> list[FiredReminder]:
        """Give the reminders that a `run.started` event delivers, one for each person.

        A retry of a failed round delivers nothing new, and in quiet hours a person gets only critical messages.
        """
        if event.kind is not RUN_STARTED or event.schedule_id is None or event.run_id is None:
            return []
        try:
            # The reminders first: a moment later the engine will have delivered them, and their state tells less.
            reminders = {each.user_id: each for each in await self._reminders.of_run(event.run_id)}
            row = await self._store.get(event.schedule_id)
            message = None if row is None else decode_action(row.action)
            if row is None or not isinstance(message, Message):
                return []
            found: list[FiredReminder] = []
            for user_id in recipients(message, row.namespace):
                reminder = reminders.get(user_id)
                if delivers_at(message, None if reminder is None else reminder.delivery_state, event.at):
                    found += await self._fired_for(user_id, event, row, message)
        except (DulyError, ValueError):  # damaged rows and a closed store: the engine reports them
            return []
        return found

    async def _fired_for(
        self, user_id: str, event: Event, row: StoredSchedule, message: Message
    ) -> list[FiredReminder]:
        user = await self._store.people.get(user_id)
        attempts = await self._reminders.attempts(event.run_id or "")
        zone = Zone.of((None if user is None else user.timezone) or self._default_zone)
        quiet_from, quiet_to = (None, None) if user is None else (user.quiet_from, user.quiet_to)
        if quiet_until(quiet_from, quiet_to, zone, event.at, message.priority) is not None:
            return []
        digest_at = (None if user is None else user.digest_at) or self.digest_at
        if digest_time(digest_at, zone, event.at, message) is not None:
            run = await self._store.get_run(event.run_id or "")
            if run is not None and run.fire.origin is Origin.SCHEDULE:
                return []  # it waits for the digest
        asks = question(message, None if user is None else user.language)
        texts = {"message": message.text, "ack_prompt": asks or ""}
        earlier = [each for each in attempts if each.user_id == user_id and each.sent_at is not None]
        fired = FiredReminder(
            job_id=row.id,
            run_id=event.run_id or "",
            name=row.name,
            message=beginning(message.text),
            ack_prompt=None if asks is None else beginning(asks),
            truncated={name: len(text) for name, text in texts.items() if len(text) > READABLE} or None,
            priority=str(message.priority),
            require_ack=message.require_ack,
            fired_at=event.at,
            fired_at_local=local_iso(event.at, zone),
            timezone=zone.name,
            user_id=user_id,
            again=any(each.sent_at < event.at for each in earlier if each.sent_at is not None),
        )
        return [fired]

    async def gathered(self, user_id: str) -> list[GatheredView]:
        """Give what waits for the digest of a person, in the order in which it comes; at most a hundred."""
        user = await self._user(user_id)
        zone = Zone.of(user.timezone or self._default_zone)
        found: list[GatheredView] = []
        for notice in await self._store.notices.gathered(user.id, _MOST_GATHERED):
            reminder = await self._reminders.get(notice.run_id, user.id)
            row = await self._store.get(notice.schedule_id)
            is_waiting = reminder is not None and reminder.status is ReminderStatus.GATHERED
            if row is None or row.deleted_at is not None or not is_waiting:
                continue
            with suppress(ValueError):  # a damaged row is shown elsewhere, with the reason
                message = decode_action(row.action)
                comes = notice.due_at or self._clock.now()
                quiet = quiet_until(user.quiet_from, user.quiet_to, zone, comes, notice.priority)
                found.append(
                    GatheredView(
                        run_id=notice.run_id,
                        schedule_id=row.id,
                        name=row.name,
                        text=message.text if isinstance(message, Message) else row.name,
                        since=notice.created_at,
                        comes_at=quiet or comes,
                    )
                )
        return found

    async def inbox_item(self, user_id: str, item_id: int) -> InboxView:
        """Give one message in full."""
        user = await self._user(user_id)
        found = await self._reminders.inbox(user.id, unread=False, limit=1, before=item_id + 1)
        if not found or found[0].id != item_id:
            raise NotFoundError(f"there is no message {item_id} in the inbox")
        return InboxView.of(found[0])

    async def overdue(self) -> list[Overdue]:
        """List the reminders whose time passed while no engine ran, and what the engine does with each."""
        now = self._clock.now()
        found: list[Overdue] = []
        for schedule_id in await self._reminders.overdue(now, _MOST_OVERDUE):
            row = await self._store.get(schedule_id)
            if row is not None and row.next_fire_at is not None and row.next_run_at is not None:
                with suppress(DecodeError):  # a damaged row must not stop the start: the engine quarantines it
                    found.append(overdue(row, row.next_fire_at, row.next_run_at, now))
        return found

    # rows

    async def rows(self, user: User) -> AsyncIterator[list[StoredSchedule]]:
        """Read all schedules that remind a person, some at a time."""
        wanted = ScheduleFilter(namespace=namespace_of(user.id), handler="message", limit=_PAGE)
        while rows := await self._store.schedules(wanted):
            yield rows
            wanted = replace(wanted, after=(rows[-1].namespace, rows[-1].name))

    async def view(self, row: StoredSchedule, user: User, *, noted: bool = False) -> ReminderView:
        """Make the view of a person's reminder with the state of its latest run; `noted` as below."""
        latest = await self._reminders.latest_of([row.id])
        view = self._view(row, user, latest.get(row.id))
        return self.noted(view, row, user) if noted else view

    def noted(self, view: ReminderView, row: StoredSchedule, user: User) -> ReminderView:
        """Add when a reminder that was made or moved comes next, if that is not at its time."""
        message = decode_action(row.action)
        if not isinstance(message, Message) or not row.enabled:
            return view
        now = self._clock.now()
        own = (f"user:{user.id}", f"user:{user.name}")
        # Not the next run: what comes ahead of a reminder is one, too.
        at = base_of(decode_trigger(row.trigger)).get_next_occurrence(now)
        person = Addressee(
            user=user,
            zone=Zone.of(user.timezone or self._default_zone),
            tag=user.language,
            usual_digest=self.digest_at,
            in_person=user.id == LOCAL_USER or not is_anybody_acting() or acting()["scope"] in own,
        )
        return replace(view, note=delivery_note(person, message, at, now))

    def _view(self, row: StoredSchedule, user: User, latest: LatestReminder | None) -> ReminderView:
        context = context_of(user, self._clock.now(), self._default_zone)
        return view_of(row, latest, context=context, default_zone=self._default_zone)

    async def _user(self, user_id: str) -> User:
        return (await self._people.get(user_id)).user


def _number(cursor: str) -> int:
    if not (cursor.isascii() and cursor.isdecimal() and len(cursor) < 19):
        raise foreign(cursor)
    return int(cursor)
