"""Calendars: links to the feed, the calendar itself, and the import of calendar files."""

from __future__ import annotations

from typing import Annotated

from fastapi import Path
from pydantic import ConfigDict, Field
from starlette.responses import Response

from duly.rest.inputs import RequestBody, WhoseReminders, Yes, given
from duly.rest.leaving import until_gone
from duly.rest.operations import By, Operations, PageOf
from duly.service.calendar.calendar import CalendarLinkView, ImportReport, NewCalendarLink

calendar = Operations("calendar", "Calendars that subscribe to duly, and calendar files that become reminders.")
TEXT = "text/calendar"
LinkPath = Annotated[str, Path(description="Id (cal_…)")]


class NewLinkBody(RequestBody):
    """A link to make."""

    model_config = ConfigDict(extra="forbid", strict=True, json_schema_extra={"examples": [{"name": "phone"}]})
    name: str = Field("calendar", min_length=1, max_length=100, description="The name of the calendar")


@calendar.get("/calendar/links", PageOf(CalendarLinkView))
async def list_calendar_links(by: By) -> object:
    """List your calendar links, without their secrets; admins see all."""
    return await by.services.calendar.links(by.caller)


@calendar.post("/calendar/links", NewCalendarLink, status=201)
async def create_calendar_link(by: By, body: NewLinkBody | None = None) -> object:
    """Make a secret address at which calendar programs read what you may see.

    The answer has its secret, which is shown this once. `path` is the address below that of the daemon.
    """
    return await by.services.calendar.link(by.caller, given(body).get("name", "calendar"))


@calendar.post("/calendar/links/{link}/rotate", NewCalendarLink)
async def rotate_calendar_link(by: By, link: LinkPath) -> object:
    """Give a calendar link a new secret, which is shown this once; the address of before shows nothing any more."""
    return await by.services.calendar.rotate(by.caller, link)


@calendar.delete("/calendar/links/{link}", CalendarLinkView)
async def revoke_calendar_link(by: By, link: LinkPath) -> object:
    """Remove a calendar link; its address shows nothing any more."""
    return await by.services.calendar.revoke(by.caller, link)


@calendar.get("/calendar.ics", bytes, media=TEXT)
async def export_calendar(by: By, rhythms: Yes = False) -> object:
    """Give the calendar (RFC 5545) of what you may see: coming fires, and runs of the last two weeks.

    With `rhythms` it has the schedules that fire more than 24 times a day, too.
    """
    made = await by.services.calendar.export(by.caller, rhythms=rhythms)
    return Response(made, media_type=f"{TEXT}; charset=utf-8")


@calendar.post("/calendar/import", ImportReport, reads=TEXT)
async def import_calendar(by: By, user: WhoseReminders = None, dry_run: Yes = False) -> object:
    """Make reminders of the events and tasks of a calendar file (RFC 5545), at most a megabyte.

    Entries that were imported before are changed, those that no trigger can say are refused with the reason, and the
    others are done. With `dry_run` nothing is changed. A person has one import at a time; it ends when you close the
    connection.
    """
    data = await by.request.body()
    return await until_gone(by.request, by.services.calendar.import_ics(by.caller, data, user=user, dry_run=dry_run))
