"""The attention box in words: what, why in the words of the record, since when, and where each item leads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from urllib.parse import urlencode

from duly.errors import AccessDeniedError, NotFoundError
from duly.service.attention.items import NeedItem
from duly.service.overview.views import SilentSpan
from duly.service.reminders.inbox import ReminderCard
from duly.service.services import Services
from duly.web import words
from duly.web.viewer import Viewer
from duly.zones import Zone

_KINDS = {
    "awaiting": ("ask", "question"),
    "failed": ("fail", "bang"),
    "dead": ("dead", "close"),
    "engine": ("fail", "nodes"),
    "unserved": ("miss", "warning"),
    "unacked": ("ask", "question"),
    "missed": ("miss", "frame"),
    "quarantined": ("dead", "quarantine"),
    "channel": ("fail", "channels"),
    "budget": ("miss", "money"),
    "limit": ("", "pause"),
    "clock_change": ("", "alarm"),
}
"""Shape and icon of each kind of item."""
_FAILED = ("failed", "dead")
_LONGEST = 160


@dataclass(frozen=True, slots=True, kw_only=True)
class NeedLine:
    """An item of the attention box as the page shows it."""

    item: NeedItem
    shape: str
    icon: str
    title: str
    ask: str
    """The question behind the title, said more quietly."""
    second: str
    see: str
    """Where its "see" leads."""


async def need_lines(
    services: Services, viewer: Viewer, items: Sequence[NeedItem], silent: Sequence[SilentSpan]
) -> list[NeedLine]:
    """Put items into words. A reminder's come from its card, a failure's from its run."""
    cards: dict[str, ReminderCard] = {}
    if any(item.kind == "awaiting" for item in items):
        with suppress(AccessDeniedError):  # a project's token has no inbox
            cards = {card.run_id: card for card in (await services.inbox.view(viewer.caller)).waiting}
    found = []
    for item in items:
        shape, icon = _KINDS.get(item.kind, ("miss", "warning"))
        title, ask, second = await _parts_of(services, viewer, item, cards, silent)
        line = NeedLine(
            item=item, shape=shape, icon=icon, title=title, ask=ask, second=" · ".join(second), see=_see(item)
        )
        found.append(line)
    return found


async def _parts_of(
    services: Services,
    viewer: Viewer,
    item: NeedItem,
    cards: Mapping[str, ReminderCard],
    silent: Sequence[SilentSpan],
) -> tuple[str, str, list[str]]:
    """Say an item: its title, a question, and the parts of its second line."""
    since = [] if item.since is None else [words.moment(item.since, viewer.now, viewer.zone)]
    if item.kind == "awaiting":
        card = cards.get(item.reminder_run_id or "")
        return (item.title, "", [*since, item.detail]) if card is None else _asked(card, viewer)
    if item.kind == "clock_change" and item.since is not None:
        return _clock_change(item, item.since, viewer)
    if item.kind == "missed":
        title = f"{item.title} while {item.cause}" if item.cause == "nothing was running" else item.title
        spans = [f"{words.clock(each.start, viewer.zone)} – {words.clock(each.end, viewer.zone)}" for each in silent]
        return title, "", [*(spans[-1:] or since), item.detail if spans else item.cause]
    if item.kind in _FAILED and item.run_id is not None:
        with suppress(NotFoundError):
            run = await services.schedules.run_get(viewer.caller, item.run_id)
            attempts = f", all {run.attempt} attempts" if run.attempt > 1 else ""
            return f"{item.title}{attempts}", "", [*since, _short(run.error or run.reason or item.cause)]
    title = item.title if item.schedule_ids else item.title[:1].upper() + item.title[1:]
    return (
        title,
        "",
        [*since, *(part for part in (_short(_local(item.cause, viewer)), item.detail) if part and part != item.title)],
    )


def _local(text: str, viewer: Viewer) -> str:
    return words.with_local_times(text, viewer.now, viewer.zone)


def _asked(card: ReminderCard, viewer: Viewer) -> tuple[str, str, list[str]]:
    where = card.deliveries[-1].channel.capitalize() + " " if card.deliveries else ""
    second = [f"{where}{words.clock(card.since, viewer.zone)}"]
    if card.asked:
        second.append(f"asked again {card.asked} of {card.max_asks} times")
    if card.next_ask_at is not None:
        at = card.next_ask_at
        second.append(f"next {words.clock(at, viewer.zone)}, {words.relative(at, viewer.now)}")
    return card.text.partition("\n")[0], (card.question or "").lower() if card.question else "", second


def _clock_change(item: NeedItem, at: datetime, viewer: Viewer) -> tuple[str, str, list[str]]:
    """Say which way the clocks go, if they are the viewer's clocks; otherwise what the item says."""
    turn = _turn(viewer.zone, at)
    if turn is None:
        return item.title[:1].upper() + item.title[1:], "", [words.moment(at, viewer.now, viewer.zone), item.cause]
    before, after = turn
    way = "forward" if after > before else "back"
    day = words.long_day(at, viewer.zone).partition(" ")[0]
    touched = item.detail if len(item.schedule_ids) <= 3 else f"{len(item.schedule_ids)} schedules"
    second = [words.day(at, viewer.now, viewer.zone), viewer.zone.name, f"{touched}: {_without_date(item.cause)}"]
    return f"Clocks go {way} on {day}: {before:%H:%M} becomes {after:%H:%M}", "", second


def _turn(zone: Zone, at: datetime) -> tuple[datetime, datetime] | None:
    """Find the change of a zone's clocks near a moment: what they show before and after it."""
    for moment, before, after in zone.transitions(at - timedelta(hours=12), at + timedelta(hours=12)):
        bare = moment.replace(tzinfo=None)
        return bare + before, bare + after
    return None


def _without_date(cause: str) -> str:
    """Shorten "02:30 does not exist on 2027-03-28 in Europe/Berlin: …": the line says day and zone already."""
    head, colon, tail = cause.partition(": ")
    return f"{head.partition(' on ')[0]}, {tail}" if colon else cause


def _short(text: str) -> str:
    first = text.partition("\n")[0]
    return first if len(first) <= _LONGEST else f"{first[: _LONGEST - 1]}…"


def _see(item: NeedItem) -> str:
    """Give the page that shows an item."""
    if item.kind in {"engine", "channel"}:
        return {"engine": "/nodes", "channel": "/channels"}[item.kind]
    if item.kind == "missed":
        return "/runs?" + urlencode({"status": "missed"})
    if item.kind == "clock_change" and item.since is not None:
        return "/calendar?" + urlencode({"view": "week", "from": f"{item.since:%Y-%m-%d}"})
    if item.run_id is not None and item.kind in _FAILED:
        return f"/runs/{item.run_id}"
    return f"/schedules/{item.schedule_ids[0]}" if len(item.schedule_ids) == 1 else "/schedules?sort=attention"
