"""Where the API is, and how it refuses: what the gate before it needs without loading the API."""

from __future__ import annotations

from collections.abc import Mapping

from starlette.responses import JSONResponse

from duly.rest.problems import MEDIA_TYPE, Problem
from duly.service.schedules.views import plain

BASE = "/api/v1"
DOCUMENT = "/openapi.json"
"""The path of the OpenAPI document: it needs no token."""
CALLER = "duly.caller"
"""The place in the scope of a request that has its caller."""
WORKER = "duly.worker"
"""The same for a worker, which shows the token of its handover."""


def problem_response(found: Problem, path: str, headers: Mapping[str, str] | None = None) -> JSONResponse:
    """Make the answer with a problem; `path` is that of the request."""
    content = {**plain(found), "instance": path.encode("utf-8", "replace").decode()}
    return JSONResponse(content, status_code=found.status, headers=dict(headers or {}), media_type=MEDIA_TYPE)
