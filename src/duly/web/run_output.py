"""The output of a run: its end for the page, parts of it for the script, and all of it to save."""

from __future__ import annotations

import re
from dataclasses import dataclass

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from duly.errors import NotFoundError
from duly.service.runs.views import OutputChunk, RunDetail
from duly.web import words
from duly.web.site import Site
from duly.web.viewer import Viewer

_TAIL = 48_000
"""Bytes of output that a page brings along; the script fetches the rest when it is scrolled to."""
_PART = 65_536
_ANSI = re.compile(r"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07]*(?:\x07|\x1b\\)|[@-Z\\-_])")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputLineView:
    """A line of output as the page shows it."""

    clock: str
    kind: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputView:
    """The output of one attempt at one target, from its end."""

    attempt: int
    target: str
    lines: list[OutputLineView]
    start: int
    end: int
    complete: bool
    total: int
    kept_limit: int
    left_out: int
    count: int


def make_output(site: Site) -> APIRouter:
    """Make the routes of the output of a run."""
    router = site.router()

    @router.get("/ui/runs/{run_id}/output")
    async def output(
        request: Request,
        run_id: str,
        attempt: int | None = None,
        target: str | None = None,
        offset: int = 0,
        limit: int = _PART,
    ) -> Response:
        """Give a part of the output to the script of the page; it names what it shows, once it shows something."""
        viewer = site.viewer(request)
        try:
            chunk = await site.services.runs.output(
                viewer.caller, run_id, attempt=attempt, target=target, offset=offset, limit=min(limit, 4 * _PART)
            )
        except NotFoundError as error:
            return JSONResponse({"error": str(error)}, status_code=404)
        return JSONResponse(
            {
                "attempt": chunk.attempt,
                "target": chunk.target,
                "lines": [[each.clock, each.kind, each.text] for each in _lines(chunk, viewer)],
                "offset": chunk.offset,
                "next": chunk.next_offset,
                "complete": chunk.complete,
                "total": chunk.total,
                "leftOut": chunk.left_out,
            }
        )

    @router.get("/runs/{run_id}/output.txt")
    async def save(request: Request, run_id: str, attempt: int = 1, target: str = "") -> Response:
        """Save the output as text."""
        parts: list[str] = []
        offset = 0
        while True:
            chunk = await site.services.runs.output(
                site.caller(request), run_id, attempt=attempt, target=target, offset=offset, limit=1_000_000
            )
            if chunk.left_out:
                parts.append(f"… {chunk.left_out:,} bytes were not kept …\n")
            parts.append(_clean(chunk.text, keep_lines=True))
            if chunk.next_offset <= offset or chunk.next_offset >= chunk.total:
                break
            offset = chunk.next_offset
        name = re.sub(r"[^\w.-]+", "_", f"{run_id}-attempt-{attempt}-{target}".rstrip("-")) + ".txt"
        headers = {"Content-Disposition": f'attachment; filename="{name}"'}
        return Response("".join(parts).encode(), media_type="text/plain; charset=utf-8", headers=headers)

    return router


def prints(detail: RunDetail) -> bool:
    """Tell whether a run is of those that print: of agents, and of workers of an executor."""
    return detail.kind == "agent" or bool(detail.handovers)


async def tail_of(site: Site, viewer: Viewer, detail: RunDetail, attempt: int, target: str) -> OutputView | None:
    """Give the end of an output; None where there is none to see, because nothing ran or nothing was printed."""
    if detail.hidden or not prints(detail):
        return None
    info = next((each for each in detail.outputs if (each.attempt, each.target) == (attempt, target)), None)
    if info is None and (detail.run.finished_at is not None or not detail.attempts):
        return None
    total = info.bytes if info else 0
    begin = max(0, total - _TAIL)
    try:
        chunk = await site.services.runs.output(
            viewer.caller, detail.run.id, attempt=attempt, target=target, offset=begin, limit=2 * _TAIL
        )
    except NotFoundError:
        return None
    return OutputView(
        attempt=attempt,
        target=target,
        lines=_lines(chunk, viewer),
        start=chunk.offset,
        end=chunk.next_offset,
        complete=chunk.complete,
        total=chunk.total,
        kept_limit=info.kept_limit if info else 0,
        left_out=info.left_out if info else 0,
        count=info.lines if info else 0,
    )


def _lines(chunk: OutputChunk, viewer: Viewer) -> list[OutputLineView]:
    return [
        OutputLineView(
            clock=words.clock(each.at, viewer.zone, seconds=True) if each.at.year > 1970 else "",
            kind=each.kind,
            text=_clean(each.text),
        )
        for each in chunk.lines
    ]


def _clean(text: str, *, keep_lines: bool = False) -> str:
    """Take colours and control characters of terminals out of a text."""
    bare = _ANSI.sub("", text)
    return bare if keep_lines else _CONTROL.sub("", bare)
