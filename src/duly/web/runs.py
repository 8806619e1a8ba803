"""Runs: which runs were like this one? A table over all schedules; the address is the query."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlencode

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from duly.errors import DulyError, InvalidInputError
from duly.service.searching import progress_of
from duly.web.pins import pins_of
from duly.web.run_words import open_reminders, run_line
from duly.web.site import Site
from duly.web.viewer import Viewer

PAGE = 50
OUTCOMES = ("succeeded", "failed", "missed", "skipped", "cancelled", "dead", "running", "pending")
SPANS = {"": "any time", "1h": "last hour", "24h": "last 24 hours", "7d": "last 7 days", "30d": "last 30 days"}
KINDS = {"": "all kinds", "agent": "agents", "job": "jobs", "person": "people"}
ORIGINS = {"": "all origins", "schedule": "by the schedule", "manual": "by hand", "backfill": "for past times"}
_LENGTHS = {"1h": timedelta(hours=1), "24h": timedelta(days=1), "7d": timedelta(days=7), "30d": timedelta(days=30)}
_NAMES = ("status", "span", "project", "kind", "origin", "schedule", "q", "since", "until", "after")


@dataclass(frozen=True, slots=True, kw_only=True)
class WantedRuns:
    """Which runs a page shows, as its address says it."""

    status: str = ""
    span: str = ""
    project: str = ""
    kind: str = ""
    origin: str = ""
    schedule: str = ""
    q: str = ""
    since: str = ""
    until: str = ""
    after: str = ""

    @classmethod
    def of(cls, request: Request) -> WantedRuns:
        """Read it from the address."""
        given = {name: request.query_params.get(name, "").strip() for name in _NAMES}
        known = {"status": OUTCOMES, "span": SPANS, "kind": KINDS, "origin": ORIGINS}
        return cls(**{name: value for name, value in given.items() if name not in known or value in known[name]})

    def link(self, **changes: str) -> str:
        """Give the address of the same list with changes, from its first page on."""
        wanted = replace(self, **{"after": "", **changes})
        query = urlencode({name: getattr(wanted, name) for name in _NAMES if getattr(wanted, name)})
        return f"/runs?{query}" if query else "/runs"

    def filters(self, viewer: Viewer) -> dict[str, Any]:
        """Give the filters of the use case, but for the outcome."""
        given: dict[str, Any] = {
            "project": self.project,
            "kind": self.kind,
            "origin": self.origin,
            "schedule": self.schedule,
            "text": self.q,
            "since": _moment(self.since) or (viewer.now - _LENGTHS[self.span] if self.span in _LENGTHS else None),
            "until": _moment(self.until),
        }
        return {name: value for name, value in given.items() if value}

    @property
    def dropped(self) -> list[tuple[str, str]]:
        """Each filter in words, with the address of the list without it."""
        said = {
            "q": f"“{self.q}”",
            "status": self.status,
            "span": SPANS.get(self.span, ""),
            "kind": KINDS.get(self.kind, ""),
            "origin": ORIGINS.get(self.origin, ""),
            "project": f"project {self.project}",
            "schedule": "this schedule",
            "since": f"since {self.since}",
            "until": f"until {self.until}",
        }
        return [(text, self.link(**{name: ""})) for name, text in said.items() if getattr(self, name)]


def _moment(text: str) -> datetime | None:
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    return found if found.tzinfo else None


def make_runs(site: Site) -> APIRouter:
    """Make the routes of Runs."""
    router = site.router()

    @router.get("/runs")
    async def runs(request: Request) -> Response:
        viewer = site.viewer(request)
        wanted = WantedRuns.of(request)
        overview = site.services.overview
        filters = wanted.filters(viewer)
        statuses = [wanted.status] if wanted.status else []
        found, following = await overview.runs(
            viewer.caller, statuses=statuses, cursor=wanted.after or None, limit=PAGE, **filters
        )
        counts = await overview.run_counts(viewer.caller, **filters)
        allowed = await site.services.allowed.of(viewer.caller, {run.schedule_id for run in found})
        may = {run.id: allowed[run.schedule_id].change for run in found}
        asked = await open_reminders(site, viewer.caller, found)
        named = await _name(site, viewer, wanted.schedule)
        return await site.render(
            request,
            "runs.html",
            wanted=wanted,
            named=named,
            said=_said(wanted, named),
            pinned=any(each.href == wanted.link() for each in pins_of(request)),
            lines=[run_line(run, viewer, asked.get(run.id)) for run in found],
            may=may,
            counts=counts,
            chips=[
                (each, counts.waiting + counts.awaiting if each == "pending" else getattr(counts, each))
                for each in OUTCOMES
            ],
            spans=SPANS,
            kinds=KINDS,
            origins=ORIGINS,
            following=wanted.link(after=following) if following else None,
            search=progress_of(following),
        )

    @router.post("/runs/bulk")
    async def many(request: Request) -> Response:
        """Run many again, or stop them; what fails is named."""
        form = await request.form()
        ids = [str(each) for each in form.getlist("id")]
        actions = site.services.actions
        act = {"again": actions.run_again, "stop": actions.cancel_run}.get(str(form.get("action")))
        if act is None or not ids:
            raise InvalidInputError("nothing was selected: press v on a row, then choose what to do")
        failed: list[str] = []
        for each in ids:
            try:
                await act(site.caller(request), each)
            except DulyError as error:
                failed.append(str(error))
        word = "started again" if form.get("action") == "again" else "asked to stop"
        done = f"{len(ids) - len(failed)} of {len(ids)} {word}"
        reasons = "; ".join(dict.fromkeys(failed))
        return site.after(request, f"{done}: {reasons}" if failed else done, back="/runs", bad=bool(failed))

    return router


def _said(wanted: WantedRuns, named: str) -> str:
    """Name the list by its filters: "failed, last 7 days"."""
    parts = [named if text == "this schedule" else text for text, _ in wanted.dropped]
    return ", ".join(parts)


async def _name(site: Site, viewer: Viewer, schedule: str) -> str:
    """Give the name of the schedule that the list is narrowed to."""
    if not schedule:
        return ""
    return (await site.services.schedules.find.row(viewer.caller, schedule, deleted=None)).name
