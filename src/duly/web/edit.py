"""Edit: when exactly will it run, and what happens if things go wrong?"""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from duly.errors import AccessDeniedError, ConflictError, InvalidInputError, NotFoundError
from duly.model.codec import Json
from duly.ports.people import owner_of
from duly.service.access.scopes import check_writes
from duly.service.overview.figure_views import ScheduleFigures
from duly.service.schedules.fields import ScheduleView
from duly.service.schedules.triggers import Explanation
from duly.web import about, edit_form, edit_reminder, words
from duly.web.edit_form import Typed
from duly.web.edit_preview import explained, preview_of
from duly.web.schedule import gone_page, last_change, waits_of
from duly.web.site import Site
from duly.web.viewer import Viewer

ZONES = (
    "UTC", "Europe/Berlin", "Europe/London", "Europe/Belgrade", "Europe/Zagreb", "Europe/Madrid", "Europe/Paris",
    "Europe/Rome", "America/New_York", "America/Chicago", "America/Los_Angeles", "Asia/Kolkata", "Asia/Tokyo",
    "Australia/Sydney",
)  # fmt: skip


class Editor:
    """Opens, previews and saves forms of schedules."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._services = site.services

    # opening

    async def form_of(self, viewer: Viewer, view: ScheduleView) -> Typed:
        """Write a schedule into a form."""
        asks = ""
        priority = "normal"
        options: Typed = {}
        if view.message is not None:
            theirs = self._services.reminders.to_read(viewer.caller, owner_of(view.namespace))
            reminder = await theirs.get(view.id)
            asks = (reminder.ack_prompt or "Done?") if reminder.require_ack else ""
            priority = reminder.priority
            people = await theirs.company(reminder)
            options = edit_reminder.typed_of(reminder, people)
        typed = edit_form.of_view(view, await self._said(viewer, view), viewer.zone, asks, priority)
        return typed | options

    async def new_form(self, request: Request) -> Typed:
        """Give the form of a new schedule: empty, a copy of another, or with a time that a calendar gives."""
        viewer = self._site.viewer(request)
        scope = viewer.caller.scope
        if scope.read_only:
            raise AccessDeniedError("This token may look at schedules, not make them.")
        query = request.query_params
        typed = edit_form.empty(viewer.zone)
        if copied := query.get("copy"):
            view = await self._services.schedules.schedule_get(viewer.caller, copied)
            typed = {**await self.form_of(viewer, view), "name": f"{view.name}-copy"}
        elif scope.kind == "project":
            typed["targets"] = scope.subject
        elif scope.kind == "user":
            typed["what"] = "message"
        if query.get("what") in ("prompt", "job", "message"):
            typed["what"] = query["what"]
        if said := query.get("when") or _said_time(query.get("at", ""), viewer):
            typed["words"] = said
        return typed

    async def _said(self, viewer: Viewer, view: ScheduleView) -> Explanation | None:
        given: dict[str, Any] = (
            {"cron": view.cron} if view.cron else {"when": about.said_time(view) or about.rhythm_of(view)}
        )
        found = await self._services.triggers.explain(viewer.caller, zone=view.when.zone or viewer.zone.name, **given)
        return None if found.fault else found

    async def show(
        self,
        request: Request,
        typed: Typed,
        *,
        view: ScheduleView | None = None,
        base: Typed | None = None,
        status: int = 200,
        **more: Any,
    ) -> Response:
        """Show the form, with the preview of what it has."""
        viewer = self._site.viewer(request)
        preview = await preview_of(self._site, viewer, typed, base, view.id if view else None)
        said = preview.said
        typed = {**typed, **self._other_ways(typed, said)}
        figures = None
        if view is not None:
            figures = (await self._services.overview.figures(viewer.caller, [view.id])).get(view.id)
        context = {
            "typed": typed,
            "labels": edit_form.LABELS,
            "view": view,
            "base": json.dumps(base) if base is not None else "",
            "preview": preview,
            "figures": figures or ScheduleFigures(outcomes=[]),
            "tips": about.tips_of(figures.outcomes, viewer.now, viewer.zone) if figures else [],
            "so_far": _so_far(figures) if figures else "",
            "zones": ZONES,
            "waits": waits_of({"max_attempts": 3, "delay": 10}),
            "last": await last_change(self._site, viewer, view.id) if view else None,
            "kinds": _kinds(viewer),
            "faults": {},
            "fault": None,
            "conflicts": [],
            "posted": False,
        }
        return await self._site.render(request, "edit.html", status=status, **{**context, **more})

    def _other_ways(self, typed: Typed, said: Explanation) -> Typed:
        """Fill the ways that are not chosen in, so that all three have one value."""
        if said.fault is not None:
            return {}
        others: Typed = {}
        if typed["way"] != "words" and said.words:
            others["words"] = said.words
        if typed["way"] != "cron" and said.cron:
            others["cron"] = said.cron
        return others if typed["way"] == "builder" else {**others, **edit_form.choices_typed(said.choices)}

    # saving

    async def save(self, request: Request, view: ScheduleView | None) -> Response:
        """Save a form: a fault leads back to the form with all that was typed."""
        form = await request.form()
        viewer = self._site.viewer(request)
        days = [str(each) for each in form.getlist("days")]
        typed = edit_form.typed_in({name: str(form[name]) for name in form}, days, viewer.zone)
        base = _base(str(form.get("base") or ""), viewer) if view is not None else None
        if (taken := str(form.get("take") or "")) != "":
            typed |= {"cron": taken} if typed["way"] == "cron" else {"way": "words", "words": taken}
        if form.get("take") is not None or form.get("look") is not None:
            return await self.show(request, typed, view=view, base=base, posted=True)
        if view is not None:
            choices = {str(key)[5:] for key in form if str(key).startswith("take:") and form[key] == "theirs"}
            if choices and base is not None:
                typed, _ = edit_form.merged(base, typed, base, viewer.zone, choices)
        sheet = edit_form.read(typed, viewer.zone)
        said = await explained(self._site, viewer, typed)
        if sheet.faults or said.fault is not None:
            return await self.show(request, typed, view=view, base=base, status=422, faults=sheet.faults, posted=True)
        try:
            saved, sentence, undo = await self._store(viewer, typed, sheet, view, base, str(form.get("version") or ""))
        except ConflictError:
            return await self._conflict(request, typed, view, base)
        except InvalidInputError as error:
            return await self.show(
                request, typed, view=view, base=base, status=422, fault=str(error), posted=True,
                faults=_placed(str(error), sheet.fields),
            )  # fmt: skip
        if form.get("run") is not None:
            done = await self._services.actions.trigger(viewer.caller, saved)
            sentence = f"{sentence}; {done.sentence}"
        return self._site.after(request, sentence, undo=undo, go=f"/schedules/{saved}")

    async def _store(
        self,
        viewer: Viewer,
        typed: Typed,
        sheet: edit_form.Sheet,
        view: ScheduleView | None,
        base: Typed | None,
        version: str,
    ) -> tuple[str, str, str | None]:
        if sheet.what == "message":
            return await self._store_message(viewer, typed, sheet, view, base, version)
        when = edit_form.when_fields(typed)
        if view is None or base is None:
            given = {name: value for name, value in sheet.fields.items() if value is not None}
            made = await self._services.use_cases.schedule_create(viewer.caller, {**given, **when})
            return made.id, f"{made.name} made", None
        names = edit_form.changed(base, typed, viewer.zone)
        given = {name: sheet.fields[name] for name in names if sheet.fields.get(name) is not None}
        clear = [name for name in names if name in sheet.fields and sheet.fields[name] is None]
        if "when" in names:
            given |= {name: value for name, value in when.items() if value is not None}
        if "what" in names:
            given["dispatch_mode"] = sheet.what
        if not given and not clear:
            return view.id, f"{view.name} is as it was", None
        done = await self._services.actions.update(
            viewer.caller, view.id, given, clear, version=int(version) if version.isdecimal() else None
        )
        return view.id, done.sentence, done.undo

    async def _store_message(
        self,
        viewer: Viewer,
        typed: Typed,
        sheet: edit_form.Sheet,
        view: ScheduleView | None,
        base: Typed | None,
        version: str,
    ) -> tuple[str, str, str | None]:
        fields = sheet.fields
        asks = fields["ack_prompt"]
        options: dict[str, Any] = {"priority": fields["priority"] or "normal", "require_ack": asks is not None}
        options |= {} if asks is None else {"ack_prompt": asks}
        kind = {"type": "cron", "expr": typed["cron"].strip()}
        if typed["way"] != "cron":
            kind = {"type": "smart", "text": edit_form.when_text(typed)}
        schedule = {**kind, "timezone": typed["zone"].strip() or viewer.zone.name}
        if view is None or base is None:
            options |= edit_reminder.options_of(fields)
            own = self._services.reminders.to_change(viewer.caller)
            made = await own.create(schedule, fields["message"], name=fields["name"], **options)
            return made.id, f"{made.name} made" if made.note is None else f"{made.name} made. {made.note}", None
        names = edit_form.changed(base, typed, viewer.zone)
        if not names:
            return view.id, f"{view.name} is as it was", None
        options |= edit_reminder.options_of(fields, set(names))
        given = {"message": fields["message"], "name": fields["name"], **options}
        if "when" in names:
            given["schedule"] = schedule
        done = await self._services.actions.update_reminder(
            viewer.caller, view.id, given, version=int(version) if version.isdecimal() else None
        )
        return view.id, done.sentence, done.undo

    async def _conflict(
        self, request: Request, typed: Typed, view: ScheduleView | None, base: Typed | None
    ) -> Response:
        """Show both versions, field by field: nothing is overwritten."""
        viewer = self._site.viewer(request)
        if view is None or base is None:
            raise InvalidInputError("it was changed meanwhile: open it again")
        current = await self._services.schedules.schedule_get(viewer.caller, view.id)
        theirs = await self.form_of(viewer, current)
        form, both = edit_form.merged(base, typed, theirs, viewer.zone, set())
        conflicts = [
            (name, edit_form.LABELS.get(name, name), edit_form.shown(name, theirs, viewer.zone),
             edit_form.shown(name, typed, viewer.zone))
            for name in both
        ]  # fmt: skip
        others = [each for each in edit_form.changes_between(base, theirs, viewer.zone) if each.name not in both]
        return await self.show(
            request, form, view=current, base=theirs, status=409, conflicts=conflicts, others=others, posted=True,
            conflict=True,
        )  # fmt: skip


def make_edit(site: Site) -> APIRouter:
    """Make the routes of the editor."""
    router = site.router()
    editor = Editor(site)

    @router.get("/schedules/new")
    async def new(request: Request) -> Response:
        check_writes(site.caller(request).scope, "create")  # no form that would be refused
        return await editor.show(request, await editor.new_form(request))

    @router.post("/schedules/new")
    async def create(request: Request) -> Response:
        return await editor.save(request, None)

    @router.get("/schedules/{schedule_id}/edit")
    async def edit(request: Request, schedule_id: str) -> Response:
        viewer = site.viewer(request)
        try:
            view = await site.services.schedules.schedule_get(viewer.caller, schedule_id)
        except NotFoundError:
            if (gone := await gone_page(site, request, schedule_id)) is None:
                raise
            return gone
        allowed = (await site.services.allowed.of(viewer.caller, [view.id]))[view.id]
        if not allowed.edit:
            return await site.render(request, "edit_not.html", view=view, allowed=allowed)
        typed = await editor.form_of(viewer, view)
        return await editor.show(request, typed, view=view, base=typed)

    @router.post("/schedules/{schedule_id}/edit")
    async def change(request: Request, schedule_id: str) -> Response:
        view = await site.services.schedules.schedule_get(site.caller(request), schedule_id)
        return await editor.save(request, view)

    @router.post("/ui/edit/preview")
    async def preview(request: Request) -> Response:
        """Answer what is typed: a fragment that is put in place of the one before."""
        form = await request.form()
        viewer = site.viewer(request)
        days = [str(each) for each in form.getlist("days")]
        typed = edit_form.typed_in({name: str(form[name]) for name in form}, days, viewer.zone)
        base = _base(str(form.get("base") or ""), viewer)
        own = str(form.get("own") or "") or None
        found = await preview_of(site, viewer, typed, base, own)
        return site.page(request, "edit_preview.html", viewer=viewer, preview=found, typed=typed, is_new=base is None)

    return router


def _kinds(viewer: Viewer) -> tuple[str, ...]:
    """Give what a token may have done: jobs are for admins, and a project has no people."""
    return {"project": ("prompt",), "user": ("prompt", "message")}.get(
        viewer.caller.scope.kind, ("prompt", "job", "message")
    )


def _said_time(at: str, viewer: Viewer) -> str:
    """Say a time that a calendar was pressed at."""
    try:
        moment = datetime.fromisoformat(at)
    except ValueError:
        return at
    there = viewer.zone.localize(moment) if moment.tzinfo else moment
    return f"{there:%Y-%m-%d %H:%M}"


def _base(text: str, viewer: Viewer) -> Typed | None:
    """Read the form as it was opened; None for a new schedule."""
    try:
        found = json.loads(text) if text else None
    except ValueError:
        return None
    if not isinstance(found, dict):
        return None
    empty = edit_form.empty(viewer.zone)
    return {**empty, **{name: str(value) for name, value in found.items() if name in empty}}


def _placed(error: str, fields: Json) -> dict[str, str]:
    """Put a refusal at the field that it names first."""
    named = [(error.find(name), name) for name in fields if name in error]
    return {min(named)[1]: error} if named else {}


def _so_far(figures: ScheduleFigures) -> str:
    if not figures.outcomes:
        return ""
    each = f" · {words.took(figures.median_seconds)} each" if figures.median_seconds is not None else ""
    return f"{about.outcomes_sentence(figures.outcomes)}{each}"
