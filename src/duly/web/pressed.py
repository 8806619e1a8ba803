"""Buttons that several screens have: answer, run again, run now, skip, seen, undo. Each is one use case and a toast."""

from __future__ import annotations

from dataclasses import replace

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from duly.errors import InvalidInputError, NotFoundError
from duly.web.inbox import SnoozeLength, answered_words, snooze_length
from duly.web.site import Site, text_of

_FIRST = "Stretch. This is your first reminder."


def make_pressed(site: Site) -> APIRouter:
    """Make the routes of shared buttons."""
    router = site.router()

    @router.post("/ui/answer")
    async def answer(request: Request) -> Response:
        """Answer a reminder: done, snooze (minutes, a moment or words) or dismiss."""
        form = await request.form()
        response = str(form.get("response") or "")
        snooze: SnoozeLength = snooze_length(form) if response == "snooze" else {}
        run_id = str(form.get("run_id") or "")
        try:
            answered = await site.services.inbox.answer(site.caller(request), run_id, response, **snooze)
        except InvalidInputError:
            said = await _answered_already(site, request, run_id)
            if said is None:
                raise
            return site.after(request, said, bad=True)
        return site.after(request, answered.text.partition("\n")[0], undo=answered.undo)

    @router.post("/ui/run-again")
    async def run_again(request: Request) -> Response:
        form = await request.form()
        done = await site.services.actions.run_again(site.caller(request), str(form.get("run_id") or ""))
        return site.done(request, done)

    @router.post("/ui/run-now")
    async def run_now(request: Request) -> Response:
        form = await request.form()
        done = await site.services.actions.trigger(site.caller(request), str(form.get("schedule") or ""))
        return site.done(request, done)

    @router.post("/ui/skip")
    async def skip(request: Request) -> Response:
        form = await request.form()
        schedule = str(form.get("schedule") or "")
        done = await site.services.actions.skip_next(site.caller(request), schedule, text_of(form, "at") or None)
        return site.done(request, done)

    @router.post("/ui/pause")
    async def pause(request: Request) -> Response:
        """Pause a schedule, or resume it with `resume=1`."""
        form = await request.form()
        actions = site.services.actions
        change = actions.resume if form.get("resume") else actions.pause
        return site.done(request, await change(site.caller(request), str(form.get("schedule") or "")))

    @router.post("/ui/pause-project")
    async def pause_project(request: Request) -> Response:
        return await _switch_project(site, request, "pause")

    @router.post("/ui/resume-project")
    async def resume_project(request: Request) -> Response:
        return await _switch_project(site, request, "resume")

    return router


async def _switch_project(site: Site, request: Request, action: str) -> Response:
    """Pause or resume all schedules of a project."""
    project = text_of(await request.form(), "project")
    filters = {"project": project, "enabled": action == "pause"}
    done = await site.services.actions.bulk(site.caller(request), action, filter=filters)
    return site.done(request, replace(done, sentence=f"{done.sentence} of {project}"))


async def _answered_already(site: Site, request: Request, run_id: str) -> str | None:
    """Say by whom and when a reminder was answered that is over; None for one that is not."""
    try:
        card = await site.services.inbox.answered(site.caller(request), run_id)
    except NotFoundError:
        return None
    if card.response == "snooze":
        return None
    return f"Answered already: {card.text.partition(chr(10))[0]}, {answered_words(card, site.viewer(request))}."


def make_steps(site: Site) -> APIRouter:
    """Make the routes of what is said to duly about the page itself: seen, undo, and the first reminder."""
    router = site.router()

    @router.post("/ui/seen")
    async def seen(request: Request) -> Response:
        form = await request.form()
        item = await site.services.needs.mark_seen(site.caller(request), str(form.get("item") or ""))
        return site.after(request, f"Seen: {item.title}. It comes back if it happens again.")

    @router.post("/ui/undo")
    async def undo(request: Request) -> Response:
        """Undo the action of a toast, or with the key `u` the latest one."""
        form = await request.form()
        caller = site.caller(request)
        token = str(form.get("token") or "")
        if not token:
            last = await site.services.undo.last(caller)
            if last is None:
                return site.after(request, "There is nothing to undo.", bad=True)
            token = last.token
        return site.after(request, await site.services.undo.undo(caller, token))

    @router.post("/ui/first-reminder")
    async def first(request: Request) -> Response:
        """Make the reminder of the first start, due in half a minute."""
        own = site.services.reminders.to_change(site.caller(request))
        await own.create({"type": "once", "at": "30s"}, _FIRST)
        return site.after(request, "It comes in 30 seconds, here and in your inbox.")

    return router
