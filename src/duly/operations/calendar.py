"""Calendars: links to the feed, the calendar itself, and the import of calendar files."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Annotated

from duly.operations.ask import Ask, Group, ListAsk, delete, get, post
from duly.operations.parameters import Param, Whose
from duly.service.calendar.calendar import CalendarLinkView, ImportReport, NewCalendarLink

if TYPE_CHECKING:
    from duly.service.access.scopes import Caller
    from duly.service.services import Services

LinkPath = Annotated[str, Param(words="Id (cal_…)")]
LinkName = Annotated[str, Param(words="The name of the calendar", shortest=1, longest=100)]
TEXT = "text/calendar"


@dataclass(frozen=True, slots=True)
class ListCalendarLinks(ListAsk[CalendarLinkView]):
    """List your calendar links, without their secrets; admins see all."""

    async def carry_out(self, services: Services, caller: Caller) -> list[CalendarLinkView]:
        return await services.calendar.links(caller)


@dataclass(frozen=True, slots=True)
class CreateCalendarLink(Ask[NewCalendarLink]):
    """Make a secret address at which calendar programs read what you may see.

    The answer has its secret, which is shown this once. `path` is the address below that of the daemon.
    """

    name: LinkName = "calendar"

    async def carry_out(self, services: Services, caller: Caller) -> NewCalendarLink:
        return await services.calendar.link(caller, self.name)


@dataclass(frozen=True, slots=True)
class RotateCalendarLink(Ask[NewCalendarLink]):
    """Give a calendar link a new secret, which is shown this once; the address of before shows nothing any more."""

    link: LinkPath

    async def carry_out(self, services: Services, caller: Caller) -> NewCalendarLink:
        return await services.calendar.rotate(caller, self.link)


@dataclass(frozen=True, slots=True)
class RevokeCalendarLink(Ask[CalendarLinkView]):
    """Remove a calendar link; its address shows nothing any more."""

    link: LinkPath

    async def carry_out(self, services: Services, caller: Caller) -> CalendarLinkView:
        return await services.calendar.revoke(caller, self.link)


@dataclass(frozen=True, slots=True)
class ExportCalendar(Ask[bytes]):
    """Give the calendar (RFC 5545) of what you may see: coming fires, and runs of the last two weeks.

    With `rhythms` it has the schedules that fire more than 24 times a day, too.
    """

    _: KW_ONLY
    rhythms: bool = False

    async def carry_out(self, services: Services, caller: Caller) -> bytes:
        return await services.calendar.export(caller, rhythms=self.rhythms)


@dataclass(frozen=True, slots=True)
class ImportCalendar(Ask[ImportReport]):
    """Make reminders of the events and tasks of a calendar file (RFC 5545), at most a megabyte.

    Entries that were imported before are changed, those that no trigger can say are refused with the reason, and the
    others are done. With `dry_run` nothing is changed. A person has one import at a time; it ends when you close the
    connection.
    """

    data: Annotated[bytes, Param(where="content")]
    _: KW_ONLY
    user: Whose = None
    dry_run: Annotated[bool, Param(where="query")] = False

    async def carry_out(self, services: Services, caller: Caller) -> ImportReport:
        return await services.calendar.import_ics(caller, self.data, user=self.user, dry_run=self.dry_run)


CALENDAR = Group(
    "calendar",
    "Calendars that subscribe to duly, and calendar files that become reminders.",
    (
        get(ListCalendarLinks, "/calendar/links"),
        post(
            CreateCalendarLink,
            "/calendar/links",
            status=201,
            body="NewLinkBody",
            about_body="A link to make.",
            examples=({"name": "phone"},),
            may_lack_body=True,
        ),
        post(RotateCalendarLink, "/calendar/links/{link}/rotate"),
        delete(RevokeCalendarLink, "/calendar/links/{link}"),
        get(ExportCalendar, "/calendar.ics", media=TEXT),
        post(ImportCalendar, "/calendar/import", reads=TEXT),
    ),
)
