"""Inbox: what do I have to answer?"""

from __future__ import annotations

from datetime import datetime, time, timedelta
from typing import TypedDict
from urllib.parse import urlencode

from fastapi import APIRouter
from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response

from duly.errors import InvalidInputError
from duly.ports.people import owner_of
from duly.service.overview.views import ScheduledFire
from duly.service.reminders.inbox import AnsweredCard, ReminderCard, SnoozePreset
from duly.web import words
from duly.web.site import Site, text_of
from duly.web.viewer import Viewer

"""The lengths in minutes of the presets that have a button; None are the times of day."""
_SHORT = {"this evening": "Evening", "tomorrow morning": "Tomorrow"}
_ANSWERED = {"ack": "Done", "snooze": "Snoozed", "dismiss": "Dismissed"}
_CHANNELS = {"dashboard": "here", "inbox": "here", "cli": "on the command line"}


def make_inbox(site: Site) -> APIRouter:
    """Make the routes of Inbox."""
    router = site.router()

    @router.get("/inbox")
    async def inbox(request: Request, user: str | None = None) -> Response:
        caller = site.caller(request)
        page = await site.services.inbox.view(caller, user)
        coming = await _coming(site, request, page.user_id)
        people, _ = await site.services.people.page(caller, limit=50)
        return await site.render(
            request,
            "inbox.html",
            page=page,
            coming=coming,
            firsts={each.schedule_id: each.run_at for each in reversed(coming)},
            offered=offered,
            short=_SHORT,
            through=through,
            others=[("/inbox?" + urlencode({"user": each.id}), each.name, each.id == page.user_id) for each in people],
            unread=[each for each in page.messages if each.read_at is None and _is_plain(each.run_id, page.waiting)],
            user=user,
        )

    @router.get("/ui/answered")
    async def answered(request: Request, run_id: str) -> Response:
        """Show what a card turns into when it was answered elsewhere."""
        card = await site.services.inbox.answered(site.caller(request), run_id)
        viewer = site.viewer(request)
        return site.page(request, "answered.html", viewer=viewer, card=card, said=answered_words(card, viewer))

    @router.post("/inbox/read")
    async def read(request: Request) -> Response:
        """Mark the messages that want no answer as read."""
        form = await request.form()
        theirs = site.services.reminders.to_change(site.caller(request), text_of(form, "user") or None)
        shown, _ = await theirs.read_inbox(500)
        count = len(shown)
        return site.after(request, f"{count} message{'' if count == 1 else 's'} read", back="/inbox")

    return router


async def _coming(site: Site, request: Request, user_id: str) -> list[ScheduledFire]:
    """Find the reminders of the person that come until midnight."""
    viewer = site.viewer(request)
    day = viewer.zone.localize(viewer.now).date() + timedelta(days=1)
    end = viewer.zone.first_instant(datetime.combine(day, time()))
    page = await site.services.overview.fires(viewer.caller, viewer.now, end, kind="person", limit=50)
    return [each for each in page.fires if owner_of(each.namespace) == user_id]


def offered(card: ReminderCard) -> list[SnoozePreset]:
    """Give the presets that have a button: four at most."""
    return card.presets[:4]


def through(channel: str | None) -> str:
    """Say through which channel an answer came."""
    if channel is None:
        return ""
    return _CHANNELS.get(channel, f"by {channel.capitalize()}")


def answered_words(card: AnsweredCard, viewer: Viewer) -> str:
    """Say how a reminder was answered: "Done 14:33 by Telegram"."""
    said = _ANSWERED.get(card.response, card.response)
    until = "" if card.until is None else f" until {words.moment(card.until, viewer.now, viewer.zone)},"
    at = words.clock(card.at, viewer.zone)
    return f"{said}{until} {at} {through(card.channel)}".rstrip()


def _is_plain(run_id: str | None, waiting: list[ReminderCard]) -> bool:
    return run_id not in {card.run_id for card in waiting}


class SnoozeLength(TypedDict, total=False):
    """How long to snooze, in one of three ways."""

    minutes: int
    until: datetime
    words: str


def snooze_length(form: FormData) -> SnoozeLength:
    """Read how long to snooze: minutes, a moment, or words as in a chat."""
    if words := text_of(form, "words"):
        return {"words": words}
    if until := text_of(form, "until"):
        try:
            return {"until": datetime.fromisoformat(until)}
        except ValueError:
            raise InvalidInputError(f"until {until!r:.100} is not a moment: use one of the buttons") from None
    minutes = text_of(form, "minutes") or "10"
    if not minutes.isdecimal() or len(minutes) > 6:
        raise InvalidInputError(f"minutes must be a whole number, got {minutes!r:.100}")
    return {"minutes": int(minutes)}
