"""The command palette: go, do and make in one list. Anything that reads as a time and a text becomes a reminder."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from fastapi import APIRouter
from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response

from duly.errors import AccessDeniedError, DulyError, InvalidInputError
from duly.language.describe import describe
from duly.language.requests import Doubt, read_sentence, why_unread
from duly.model.trigger import Trigger
from duly.ports.codec import decode_trigger, encode_trigger
from duly.ports.people import namespace_of
from duly.recurrence import Once
from duly.service.access.scopes import Caller
from duly.service.reminders.doubts import doubt_error, meaning_of, why
from duly.service.reminders.timing import phrase_options
from duly.service.schedules.fields import ReminderView, ScheduleView
from duly.service.schedules.times import preview
from duly.service.searching import SearchProgress, progress_of
from duly.service.steps import new_token, way_back
from duly.web import words
from duly.web.frame import NavCounts, make_navigation
from duly.web.site import Site
from duly.web.today import local_midnight
from duly.web.viewer import Viewer
from duly.zones import iso

_MOST = 6
_VERBS = {
    "run": ("Run now", "play", "/ui/run-now", {}),
    "pause": ("Pause", "pause", "/ui/pause", {}),
    "resume": ("Resume", "play", "/ui/pause", {"resume": "1"}),
    "skip": ("Skip the next run of", "skip", "/ui/skip", {}),
}


_COUNTED = 100
_MANY = ("pause", "resume")
"""What can be done to all schedules of a project, and be undone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A line of the palette: a place to go to, or a form that is sent."""

    icon: str
    title: str
    more: str = ""
    second: str = ""
    href: str = ""
    post: str = ""
    fields: dict[str, str] = field(default_factory=dict)

    @property
    def fields_json(self) -> str:
        return json.dumps(self.fields)


@dataclass(frozen=True, slots=True)
class _Making:
    """What a new reminder is about, and when it comes."""

    text: str
    trigger: Trigger
    options: dict[str, Any]


def make_palette(site: Site) -> APIRouter:
    """Make the routes of the palette, and its page for browsers without script."""
    router = site.router()

    @router.get("/ui/palette")
    async def palette(request: Request, q: str = "") -> Response:
        return site.page(request, "palette.html", viewer=site.viewer(request), groups=await _found(site, request, q))

    @router.get("/search")
    async def search(request: Request, q: str = "") -> Response:
        return await site.render(request, "search.html", q=q, groups=await _found(site, request, q))

    @router.post("/ui/make")
    async def make(request: Request) -> Response:
        """Make a reminder of a sentence that says what and when."""
        form = await request.form()
        viewer = site.viewer(request)
        asked = str(form.get("q") or "")
        making = _chosen(form) or _making(asked, viewer)
        made, token = await _remind(site, viewer, making, asked)
        when = "" if made.next_run_at is None else f", {_when(making.trigger, viewer)}"
        note = "" if made.note is None else f". {made.note}"
        done = f"You will be reminded: {making.text}{when}{note}"
        return site.after(request, done, undo=token, back="/")

    return router


async def _found(site: Site, request: Request, asked: str) -> list[tuple[str, list[Hit]]]:
    """Find what the words may mean: to make, to do, to go to."""
    viewer = site.viewer(request)
    wanted = " ".join(asked.split())
    schedules, progress = await _schedules(site, viewer.caller, wanted)
    groups = [
        ("Make", _make(wanted, viewer)),
        ("Do", await _do(site, viewer, wanted, schedules) if viewer.may_write else []),
        ("Go to", await _go(site, viewer, wanted, schedules) + _search_on(wanted, progress)),
    ]
    return [(head, hits) for head, hits in groups if hits]


async def _schedules(site: Site, caller: Caller, wanted: str) -> tuple[list[ScheduleView], SearchProgress | None]:
    """Find a few schedules; with how far the search has come, if it takes long and found fewer."""
    verb, _, rest = wanted.partition(" ")
    text = rest if verb.lower() in _VERBS else wanted
    if not text:
        return [], None
    try:
        found, following = await site.services.schedules.schedule_list(caller, text=text, limit=_MOST)
    except (AccessDeniedError, InvalidInputError):
        return [], None
    return found, progress_of(following) if len(found) < _MOST else None


def _search_on(wanted: str, progress: SearchProgress | None) -> list[Hit]:
    """Offer to search the rest of very many schedules."""
    if progress is None:
        return []
    href = "/schedules?" + urlencode({"q": wanted})
    return [Hit(icon="search", title=f"Search all {progress.total:,} schedules", more=str(progress), href=href)]


def _make(wanted: str, viewer: Viewer) -> list[Hit]:
    if not wanted or not viewer.may_write:
        return []
    said = read_sentence(wanted, now=viewer.now, zone=viewer.zone)
    if said is None:
        return []
    if isinstance(said, Doubt):
        return _meanings(wanted, said, viewer)
    when = _when(said.phrase.trigger, viewer)
    words_of_time = said.phrase.text if not said.phrase.stretches else meaning_of(said, viewer.zone, viewer.now).words
    hits = []
    if viewer.caller.scope.kind != "project":
        hits.append(
            Hit(icon="person", title=f"Remind you: {said.text}", second=when, post="/ui/make", fields={"q": wanted})
        )
    new = "/schedules/new?" + urlencode({"kind": "agent", "prompt": said.text, "when": words_of_time})
    hits.append(Hit(icon="agent", title=f"Tell an agent: {said.text}", second=f"{when}, in …", href=new))
    return hits


def _meanings(wanted: str, doubt: Doubt, viewer: Viewer) -> list[Hit]:
    """Offer each thing that a doubtful sentence may mean; say what was not understood where it means none."""
    if not doubt.readings:
        return [Hit(icon="search", title="Not clear", second=why(doubt))]
    return [
        Hit(
            icon="person",
            title=f"Remind you: {each.text}",
            second=_when(each.phrase.trigger, viewer),
            post="/ui/make",
            fields={
                "q": wanted,
                "text": each.text,
                "trigger": encode_trigger(each.phrase.trigger),
                "leads": " ".join(str(lead) for lead in phrase_options(each.phrase).get("lead_minutes", ())),
            },
        )
        for each in doubt.readings
        if viewer.caller.scope.kind != "project"
    ]


def _chosen(form: FormData) -> _Making | None:
    """Give the reading of a doubtful sentence that was chosen: it is not audited again."""
    text = str(form.get("text") or "")
    trigger = str(form.get("trigger") or "")
    if not text or not trigger:
        return None
    leads = [int(each) for each in str(form.get("leads") or "").split() if each.isdecimal()]
    return _Making(text, decode_trigger(trigger), {"lead_minutes": tuple(leads)} if leads else {})


def _making(asked: str, viewer: Viewer) -> _Making:
    """Read a sentence; refuse one that says no time, or that is doubtful."""
    said = read_sentence(asked, now=viewer.now, zone=viewer.zone)
    if isinstance(said, Doubt):
        raise doubt_error(asked, said, viewer.zone, viewer.now)
    if said is None:
        reason = why_unread(asked, now=viewer.now, zone=viewer.zone)
        raise InvalidInputError(f"{reason}: say it as in “stretch in 20 min”")
    return _Making(said.text, said.phrase.trigger, phrase_options(said.phrase))


def _when(trigger: Trigger, viewer: Viewer) -> str:
    """Say a time as it was understood, with its next moment."""
    first = next(iter(preview(trigger, viewer.now, 1)), None)
    if isinstance(trigger, Once):
        return "in the past" if first is None else f"{_moment(first, viewer)}, once"
    said_so = describe(trigger, "en", tz=viewer.zone, now=viewer.now)
    return said_so if first is None else f"{said_so}; next {_moment(first, viewer)}"


def _said_when(schedule: ScheduleView, viewer: Viewer) -> str:
    """Say when a schedule comes; a single moment on the clocks of the viewer."""
    if not schedule.when.once:
        return schedule.when
    at = schedule.next_run_at
    return "once" if at is None else f"once, {words.moment(at, viewer.now, viewer.zone)}"


def _moment(at: datetime, viewer: Viewer) -> str:
    return f"{words.moment(at, viewer.now, viewer.zone)}, {words.relative(at, viewer.now)}"


async def _remind(site: Site, viewer: Viewer, making: _Making, asked: str) -> tuple[ReminderView, str]:
    """Make a reminder; give it, and the token that takes this back."""
    caller = viewer.caller
    own = site.services.reminders.to_change(caller)
    person = (await own.person()).user
    token = new_token(viewer.now)
    way = way_back(caller, "create", lambda edited: f"reminder {edited[0].after.name!r} made", token)

    async def create(name: str) -> ReminderView:
        return await own.create(
            making.trigger,
            making.text,
            name=name,
            original_text=asked,
            way=way,
            **making.options,
        )

    find = site.services.schedules.find
    return await find.create_under_free_name(namespace_of(person.id), making.text, create), token


async def _do(site: Site, viewer: Viewer, wanted: str, schedules: list[ScheduleView]) -> list[Hit]:
    """Offer actions on the schedules that were found: the verb that was typed, or all for a single one.

    A project of that name comes before schedules that only contain it: "pause shop" is not "pause shop-backup".
    """
    verb, _, rest = wanted.partition(" ")
    verb = verb.lower()
    if verb in _VERBS:
        project = await _project(site, viewer.caller, verb, rest) if verb in _MANY else []
        exact = [each for each in schedules if each.name == rest]
        others = [each for each in schedules if each not in exact]
        return [*(_action(verb, each) for each in exact), *project, *(_action(verb, each) for each in others)]
    if len(schedules) != 1:
        return []
    only = schedules[0]
    return [_action(each, only) for each in ("run", "skip", "pause" if only.enabled else "resume")]


async def _project(site: Site, caller: Caller, verb: str, rest: str) -> list[Hit]:
    """Offer to do it to all schedules of a project, if the words name one."""
    name = rest.removeprefix("project ").strip()
    try:
        find = site.services.schedules.schedule_list
        found, more = await find(caller, limit=_COUNTED, project=name, enabled=verb == "pause")
    except (AccessDeniedError, InvalidInputError):
        return []
    if not found:
        return []
    title, icon, _, _ = _VERBS[verb]
    many = f"{words.many(len(found), 'schedule')}{' and more' if more else ''}"
    return [
        Hit(icon=icon, title=f"{title} project {name}: {many}", post=f"/ui/{verb}-project", fields={"project": name})
    ]


def _action(verb: str, schedule: ScheduleView) -> Hit:
    title, icon, url, more = _VERBS[verb]
    meant = {"at": iso(schedule.next_run_at) or ""} if verb == "skip" else {}
    fields = {"schedule": schedule.id, **more, **meant}
    return Hit(icon=icon, title=f"{title}: {schedule.name}", post=url, fields=fields)


async def _go(site: Site, viewer: Viewer, wanted: str, schedules: list[ScheduleView]) -> list[Hit]:
    low = wanted.lower()
    hits = [
        Hit(icon="schedules", title=each.name, more=_said_when(each, viewer), href=f"/schedules/{each.id}")
        for each in schedules
    ]
    hits += [
        Hit(icon=item.icon, title=item.label, more=f"g {item.key}" if item.key else "", href=item.path)
        for item in make_navigation(viewer.caller.scope, NavCounts(executors=site.services.executors.configured))
        if low in item.label.lower()
    ]
    if wanted and low in "runs that failed today" and viewer.caller.scope.kind != "user":
        since = local_midnight(viewer.now, viewer.zone)
        try:
            counts = await site.services.overview.run_counts(viewer.caller, statuses=("failed",), since=since)
        except DulyError:
            return hits
        query = urlencode({"status": "failed", "since": words.iso_utc(since)})
        hits.append(Hit(icon="runs", title="Runs that failed today", more=str(counts.failed), href=f"/runs?{query}"))
    return hits
