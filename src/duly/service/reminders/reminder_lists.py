"""Lists of a person's reminders and messages, page by page."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from dataclasses import replace

from duly.clock import Clock
from duly.errors import DecodeError, NotFoundError, StoreUnavailableError
from duly.planning.attention import Concern, oldest_first
from duly.ports.codec import decode_trigger
from duly.ports.people import User, namespace_of
from duly.ports.records import ScheduleFilter, StoredSchedule
from duly.ports.reminders import InboxItem
from duly.ports.store import FullStore
from duly.service.pages import READABLE, cursor_of, fill, foreign, read_cursor
from duly.service.people.people import PeopleService
from duly.service.reminders.reminder_views import InboxView, ReminderView, view_of
from duly.service.schedules import values
from duly.service.schedules.attention import Attention
from duly.service.schedules.views import ConcernView, concern_view

_PAGE = 32
"""Rows that are read at once: each may be large."""
_MOST_CONCERNS = 20


class ReminderLists:
    """What a person has been and will be reminded of."""

    def __init__(
        self, store: FullStore, clock: Clock, people: PeopleService, attention: Attention, default_zone: str
    ) -> None:
        self._store = store
        self._reminders = store.reminders
        self._clock = clock
        self._people = people
        self._attention = attention
        self._default_zone = default_zone

    async def concerns(self, user_id: str) -> list[ConcernView]:
        """What is the matter with a person's reminders, the oldest trouble first; the first twenty."""
        found: list[Concern] = []
        judge = await self._attention.judge()
        async for rows in self.rows(await self._user(user_id)):
            found += [concern for row in rows for concern in judge(row)]
            found = sorted(found, key=oldest_first)[:_MOST_CONCERNS]
        return [concern_view(each, says_whose=True) for each in found]

    async def page(
        self,
        user_id: str,
        *,
        enabled: bool | None = None,
        cursor: str | None = None,
        limit: int = 100,
        localized: bool = False,
    ) -> tuple[list[ReminderView], str | None]:
        """A page of a person's reminders in order of name, long texts cut, and the cursor of the next page.

        With `localized`, `when` is in the person's language and zone.
        """
        user = await self._user(user_id)
        namespace = namespace_of(user.id)
        wanted = ScheduleFilter(namespace=namespace, handler="message", enabled=enabled)

        async def read(after: str | None, count: int) -> list[StoredSchedule]:
            seen = None if after is None else (namespace, after)
            return await self._store.schedules(replace(wanted, after=seen, limit=count))

        async def show(rows: Sequence[StoredSchedule]) -> list[ReminderView | None]:
            views: list[ReminderView | None] = []
            for row in rows:
                view = None
                with suppress(DecodeError):  # what is damaged is shown among the schedules, with the reason
                    view = await self.view(row) if row.quarantine is None else None
                if view is not None and localized:
                    view = replace(view, when=self._words(row, user))
                views.append(view)
            return views

        after = None if cursor is None else read_cursor(values.text(cursor, "cursor"), 1)[0]
        shown, last = await fill(read, show, lambda row: row.name, limit, after=after)
        return shown, None if last is None else cursor_of(last)

    async def inbox(
        self, user_id: str, *, unread: bool = True, limit: int = 50, read: bool = False, cursor: str | None = None
    ) -> tuple[list[InboxView], str | None]:
        """Messages in the store itself, the newest first, and the cursor of older ones; `read` marks them as seen.

        A long text is cut: `inbox_item` has all of it. While the store can be read but not written the messages are
        shown all the same, and stay unread: without `read_at`.
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

    async def inbox_item(self, user_id: str, item_id: int) -> InboxView:
        """One message in full."""
        user = await self._user(user_id)
        found = await self._reminders.inbox(user.id, unread=False, limit=1, before=item_id + 1)
        if not found or found[0].id != item_id:
            raise NotFoundError(f"there is no message {item_id} in the inbox")
        return InboxView.of(found[0])

    # inside

    async def rows(self, user: User) -> AsyncIterator[list[StoredSchedule]]:
        """Everything that reminds a person."""
        wanted = ScheduleFilter(namespace=namespace_of(user.id), handler="message", limit=_PAGE)
        while rows := await self._store.schedules(wanted):
            yield rows
            wanted = replace(wanted, after=(rows[-1].namespace, rows[-1].name))

    async def view(self, row: StoredSchedule) -> ReminderView:
        """A reminder as it stands."""
        latest = await self._reminders.of_schedule(row.id, 1)
        errors = await self._reminders.errors_in_a_row(row.id)
        return view_of(row, latest[0] if latest else None, errors, default_zone=self._default_zone)

    def _words(self, row: StoredSchedule, user: User) -> str:
        """Say when a reminder comes, in the language and zone of a person."""
        from duly.phrases import describe  # late: answers to reminders need no language

        language = (user.language or "en").partition("-")[0]
        zone = user.timezone or self._default_zone
        return describe(decode_trigger(row.trigger), language, tz=zone, now=self._clock.now())

    async def _user(self, user_id: str) -> User:
        return (await self._people.get(user_id)).user


def _number(cursor: str) -> int:
    if not (cursor.isascii() and cursor.isdecimal() and len(cursor) < 19):
        raise foreign(cursor)
    return int(cursor)
