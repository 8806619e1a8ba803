"""The reminders of people for those who ask through a face: whose they may look at, and whose they may change.

`ReminderService` below does what a person wants, and does not ask who wants it: chats and the engine call it. A face
gets a person's reminders from here, to read or to change, and with them three things that it cannot forget: the check
of the caller's rights, made before anything else of the request is read; the scope, whose quota holds; and the caller
as the one whom the audit names.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Unpack

from duly.service.access.audit import acting_as
from duly.service.people.people import acts_for

if TYPE_CHECKING:
    from datetime import datetime

    from duly.ports.reminders import Reminder
    from duly.service.access.scopes import Caller
    from duly.service.people.people import Person
    from duly.service.reminders.answers import Answered
    from duly.service.reminders.deliveries import DeliveryView
    from duly.service.reminders.history import ReminderHistory
    from duly.service.reminders.redefining import When
    from duly.service.reminders.reminders import ReminderService
    from duly.service.reminders.views import InboxView, ReminderFilters
    from duly.service.schedules.fields import ReminderView
    from duly.service.steps import WayBack


class ReminderUseCases:
    """Gives callers the reminders of a person: their own, or for admins those of any person."""

    def __init__(self, service: ReminderService) -> None:
        self._service = service

    def to_read(self, caller: Caller, user: object = None) -> ReadableReminders:
        """Give the reminders of a person to a caller who may look at them; refuse any other caller."""
        return ReadableReminders(self._service, caller, user)

    def to_change(self, caller: Caller, user: object = None) -> ChangeableReminders:
        """Give the reminders of a person to a caller who may change them; refuse any other caller."""
        return ChangeableReminders(self._service, caller, user)


class ReadableReminders:
    """The reminders and the inbox of a person, as a caller may see them."""

    changes: ClassVar[bool] = False
    """Whether the caller has to be one who may change them."""

    def __init__(self, service: ReminderService, caller: Caller, user: object = None) -> None:
        self.who = acts_for(caller, user, changes=self.changes)
        """The id or name of the person."""
        self._service = service
        self._caller = caller

    async def person(self) -> Person:
        """Give the person with their channels."""
        with acting_as(self._caller):
            return await self._service.people.get(self.who)

    async def page(
        self,
        *,
        enabled: bool | None = None,
        cursor: str | None = None,
        limit: int = 100,
        **filters: Unpack[ReminderFilters],
    ) -> tuple[list[ReminderView], str | None]:
        """Give a page of reminders, long texts cut, and the cursor of the next page."""
        with acting_as(self._caller):
            return await self._service.lists.page(self.who, enabled=enabled, cursor=cursor, limit=limit, **filters)

    async def get(self, target: str) -> ReminderView:
        """Give a reminder, by id or name."""
        with acting_as(self._caller):
            return await self._service.get(self.who, target)

    async def show(self, target: str, limit: int) -> ReminderHistory:
        """Show a reminder with its latest runs: every send, answer and escalation."""
        with acting_as(self._caller):
            return await self._service.show(self.who, target, limit)

    async def pending(self) -> list[Reminder]:
        """List the reminders that wait for an answer, newest first."""
        with acting_as(self._caller):
            return await self._service.pending(self.who)

    async def deliveries(self, run_id: str) -> list[DeliveryView]:
        """List every send of one run, the first one first."""
        with acting_as(self._caller):
            return await self._service.deliveries(self.who, run_id)

    async def company(self, view: ReminderView) -> list[str]:
        """Give the names of the other people who get a reminder."""
        from duly.service.reminders.sharing import company_of

        with acting_as(self._caller):
            return await company_of(self._service.people, view)

    async def inbox(self, *, unread: bool, limit: int, cursor: str | None = None) -> tuple[list[InboxView], str | None]:
        """Give messages of the inbox, newest first, as they are, and the cursor of older ones."""
        with acting_as(self._caller):
            return await self._service.lists.inbox(self.who, unread=unread, limit=limit, cursor=cursor)

    async def inbox_item(self, item_id: int) -> InboxView:
        """Give one message in full."""
        with acting_as(self._caller):
            return await self._service.lists.inbox_item(self.who, item_id)


class ChangeableReminders(ReadableReminders):
    """The reminders and the inbox of a person, for a caller who may change them."""

    changes = True

    async def create(self, schedule: When, message: str, *, way: WayBack | None = None, **fields: Any) -> ReminderView:
        """Create a reminder; `way` says how it can be taken back, if not as a reminder that the caller made."""
        fields |= {"created_via": str(self._caller.face), "scope": self._caller.scope}
        with acting_as(self._caller):
            return await self._service.create(self.who, schedule, message, way=way, **fields)

    async def remind(self, message: str, channel: str | None = None, **fields: Any) -> dict[str, Any]:
        """Create a reminder for once, after some minutes or at a time; give what was created, or the error."""
        fields |= {"created_via": str(self._caller.face), "scope": self._caller.scope}
        with acting_as(self._caller):
            return await self._service.remind(self.who, message, channel, **fields)

    async def update(self, target: str, **changes: Any) -> ReminderView:
        """Change the fields that are given, and whether it fires; with `version`, only if it was not changed since."""
        with acting_as(self._caller):
            return await self._service.update(self.who, target, scope=self._caller.scope, **changes)

    async def remove(self, target: str) -> ReminderView:
        """Delete a reminder; a run of it that waits for an answer ends."""
        with acting_as(self._caller):
            return await self._service.remove(self.who, target)

    async def skip_next(self, target: str) -> ReminderView:
        """Record the next fire as skipped."""
        with acting_as(self._caller):
            return await self._service.skip_next(self.who, target)

    async def answer(
        self,
        response: str,
        target: str | None = None,
        *,
        channel: str,
        minutes: int | None = None,
        until: datetime | None = None,
        length: str | None = None,
        shown: str | None = None,
    ) -> Answered:
        """Answer with `ack`, `snooze` or `dismiss` the reminder of a run or a schedule, or the only one that waits."""
        with acting_as(self._caller):
            return await self._service.answer(
                self.who, response, target, minutes=minutes, until=until, length=length, channel=channel, shown=shown
            )

    async def read_inbox(
        self, limit: int, *, unread: bool = True, cursor: str | None = None
    ) -> tuple[list[InboxView], str | None]:
        """Mark messages as read, the newest first, and give them, with the cursor of older ones."""
        with acting_as(self._caller):
            return await self._service.lists.inbox(self.who, unread=unread, limit=limit, read=True, cursor=cursor)
