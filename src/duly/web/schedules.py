"""Schedules: is each of them all right, and when does it run? The list, and what is done to one or to many."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from duly.errors import InvalidInputError, NotFoundError
from duly.service.actions import Done
from duly.service.overview.figure_views import ScheduleFigures
from duly.service.overview.views import ScheduleCounts
from duly.service.schedules.allowed import NOTHING, Allowed
from duly.service.schedules.fields import ScheduleView
from duly.service.searching import progress_of
from duly.web import about, words
from duly.web.site import Site, text_of
from duly.web.viewer import Viewer
from duly.zones import iso

PAGE = 50
SORTS = {"attention": "Needs attention first", "next": "Next run first", "name": "By name"}
STATES = {"failing": "Failing", "awaiting": "Awaiting answer", "running": "Running", "paused": "Paused"}
KINDS = {"agent": "Agents", "job": "Jobs", "person": "People"}
_COUNTED = {"agent": "agents", "job": "jobs", "person": "people"}
_NO_FIGURES = ScheduleFigures(outcomes=[])


@dataclass(frozen=True, slots=True, kw_only=True)
class WantedSchedules:
    """Which schedules a page shows, as its address says it."""

    state: str = ""
    kind: str = ""
    project: str = ""
    text: str = ""
    sort: str = "attention"
    after: str = ""

    @classmethod
    def of(cls, request: Request) -> WantedSchedules:
        """Read it from the address; what is unknown is left out."""
        given = request.query_params
        return cls(
            state=given.get("state", "") if given.get("state") in STATES else "",
            kind=given.get("kind", "") if given.get("kind") in KINDS else "",
            project=given.get("project", "").strip(),
            text=given.get("q", "").strip(),
            sort=given["sort"] if given.get("sort") in SORTS else "attention",
            after=given.get("after", ""),
        )

    def link(self, **changes: str) -> str:
        """Give the address of the same list with changes, from its first page on."""
        asked = replace(self, **{"after": "", **changes})
        parts = {
            "state": asked.state,
            "kind": asked.kind,
            "project": asked.project,
            "q": asked.text,
            "sort": "" if asked.sort == "attention" else asked.sort,
            "after": asked.after,
        }
        query = urlencode({name: value for name, value in parts.items() if value})
        return f"/schedules?{query}" if query else "/schedules"

    @property
    def filters(self) -> dict[str, Any]:
        """The filters of the use case."""
        given = {"state": self.state, "kind": self.kind, "project": self.project, "text": self.text}
        return {**{name: value for name, value in given.items() if value}, "sort": self.sort}

    @property
    def dropped(self) -> list[tuple[str, str]]:
        """Each filter in words, with the address of the list without it."""
        said = {
            "text": f"“{self.text}”",
            "state": STATES.get(self.state, ""),
            "kind": KINDS.get(self.kind, ""),
            "project": f"project {self.project}",
        }
        return [(text, self.link(**{name: ""})) for name, text in said.items() if getattr(self, name)]


def row_of(view: ScheduleView, figures: ScheduleFigures, allowed: Allowed, viewer: Viewer) -> about.ScheduleRow:
    """Make a line of the list."""
    return about.ScheduleRow(
        view=view,
        kind=about.kind_of(view),
        detail=about.detail_of(view),
        when=about.rhythm_of(view),
        zone=view.when.zone,
        pill=about.pill_of(view),
        why=about.reason_of(view),
        next_at=view.next_run_at if view.enabled else None,
        meant=iso(view.next_run_at) or "",
        marks=figures.outcomes,
        tips=about.tips_of(figures.outcomes, viewer.now, viewer.zone),
        typical=words.took(figures.median_seconds),
        spend=words.usd(figures.spend_7_days),
        may_change=allowed.change,
        may_fire=allowed.fire,
        may_edit=allowed.edit,
        command=about.command_of(view),
    )


async def rows_of(site: Site, viewer: Viewer, views: list[ScheduleView]) -> list[about.ScheduleRow]:
    """Make the lines of a page, with one question each for figures and for what is allowed."""
    ids = [view.id for view in views]
    figures = await site.services.overview.figures(viewer.caller, ids)
    allowed = await site.services.allowed.of(viewer.caller, ids)
    return [row_of(view, figures.get(view.id, _NO_FIGURES), allowed.get(view.id, NOTHING), viewer) for view in views]


def sentence_of(counts: ScheduleCounts) -> tuple[str, str]:
    """Say whether each of them is all right: first what is not, then the rest."""
    if not counts.all:
        return "", "Nothing is scheduled yet."
    every = f"{counts.all:,}{'' if counts.is_exact else '+'} schedules" if counts.all > 1 else "one schedule"
    said = {
        "failing": ("fails", "fail"),
        "awaiting": ("waits for an answer", "wait for an answer"),
        "running": ("runs now", "run now"),
        "paused": ("is paused", "are paused"),
    }
    parts = [(name, count, said[name][count != 1]) for name in said if (count := getattr(counts, name))]
    lead = f"{counts.failing:,} of {every} {said['failing'][counts.failing != 1]}." if counts.failing else ""
    rest = ", ".join(f"{count:,} {word}" for name, count, word in parts if name != "failing" or not lead)
    if not lead:
        lead = f"None of {every} fails." if counts.all > 1 else "It does not fail."
    return lead, f"{rest[:1].upper()}{rest[1:]}." if rest else ""


def make_schedules(site: Site) -> APIRouter:
    """Make the routes of Schedules."""
    router = site.router()

    @router.get("/schedules")
    async def schedules(request: Request) -> Response:
        viewer = site.viewer(request)
        asked = WantedSchedules.of(request)
        found, following = await site.services.schedules.schedule_list(
            viewer.caller, cursor=asked.after or None, limit=PAGE, **asked.filters
        )
        counts = await site.services.overview.schedule_counts(viewer.caller)
        states = [(key, text, getattr(counts, key)) for key, text in STATES.items()]
        kinds = [(key, text, getattr(counts, _COUNTED[key])) for key, text in KINDS.items()]
        rows = await rows_of(site, viewer, found)
        projects = sorted({each.project_id for view in found for each in view.targets} | ({asked.project} - {""}))
        return await site.render(
            request,
            "schedules.html",
            asked=asked,
            rows=rows,
            counts=counts,
            sentence=sentence_of(counts),
            states=states,
            kinds=kinds,
            sorts=SORTS,
            projects=projects,
            following=asked.link(after=following) if following else None,
            search=progress_of(following),
        )

    @router.get("/ui/schedules/{schedule_id}/next")
    async def next_three(request: Request, schedule_id: str) -> Response:
        view = await site.services.schedules.schedule_get(site.caller(request), schedule_id)
        fires = await coming(site, request, view, 3)
        return site.page(request, "schedule_next.html", viewer=site.viewer(request), fires=fires, view=view)

    _add_actions(site, router)
    return router


async def coming(site: Site, request: Request, view: ScheduleView, count: int) -> list[Any]:
    """Give the next fires of a schedule with the notes of clock changes."""
    if view.quarantine or not view.enabled:
        return []
    return await site.services.triggers.coming(site.caller(request), view.id, count)


def _add_actions(site: Site, router: APIRouter) -> None:
    """Add what is done to one schedule with one press, and to many."""
    actions = {
        "run": lambda caller, each: site.services.actions.trigger(caller, each),
        "skip": lambda caller, each: site.services.actions.skip_next(caller, each),
        "pause": lambda caller, each: site.services.actions.pause(caller, each),
        "resume": lambda caller, each: site.services.actions.resume(caller, each),
        "delete": lambda caller, each: site.services.actions.delete(caller, each),
    }
    bulk = {"run": "trigger", "skip": "skip_next", "pause": "pause", "resume": "resume", "delete": "delete"}

    @router.post("/schedules/bulk")
    async def many(request: Request) -> Response:
        form = await request.form()
        ids = [str(each) for each in form.getlist("id")]
        action = bulk.get(str(form.get("action")))
        if action is None or not ids:
            raise InvalidInputError("nothing was selected: press v on a row, then choose what to do")
        done = await site.services.actions.bulk(site.caller(request), action, ids=ids)
        if done.failed:
            reasons = "; ".join(dict.fromkeys(reason for _, reason in done.failed))
            done = replace(done, sentence=f"{done.sentence}; {len(done.failed)} not: {reasons}")
        return site.done(request, done, back="/schedules")

    @router.post("/schedules/{schedule_id}/restore")
    async def restore(request: Request, schedule_id: str) -> Response:
        view = (await site.services.actions.restore(site.caller(request), schedule_id)).schedule
        return site.after(request, f"{view.name} restored, paused", go=f"/schedules/{view.id}")

    @router.post("/schedules/{schedule_id}/{action}")
    async def act(request: Request, schedule_id: str, action: str) -> Response:
        if action not in actions:
            raise NotFoundError(f"there is nothing called {action!r} to do with a schedule")
        caller = site.caller(request)
        meant = text_of(await request.form(), "at")
        if action == "skip" and meant:
            done: Done = await site.services.actions.skip_next(caller, schedule_id, meant)
        else:
            done = await actions[action](caller, schedule_id)
        is_own_page = (request.headers.get("referer") or "").endswith(f"/schedules/{schedule_id}")
        go = "/schedules" if action == "delete" and is_own_page else None
        return site.done(request, done, back="/schedules", go=go)
