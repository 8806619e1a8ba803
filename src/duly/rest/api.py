"""The application of the API: its routes, its document, and every error as a problem document."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from functools import cache
from typing import Any

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import compile_path

from duly._version import __version__
from duly.errors import DulyError, StoreError
from duly.operations.catalogue import CATALOGUE, operations
from duly.rest.answers import DOCUMENT, problem_response
from duly.rest.openapi import document_of
from duly.rest.operations import ProblemError
from duly.rest.problems import RETRY_AFTER, problem, problem_of, title_of_status
from duly.rest.routes import router_of
from duly.service.access.scopes import Caller
from duly.service.services import Services

_ROUTERS = [router_of(group) for group in CATALOGUE]
_PATTERNS = [(compile_path(each.path)[0], each) for each in operations()]
_NO_SUCH = "there is nothing at this address"
_MOST_FAULTS = 20
_DOCUMENTED = "The OpenAPI document lists all operations: GET /api/v1/openapi.json"


Stream = Callable[[Caller, Request], Awaitable[Response]]
"""Answers a request with the stream of what its caller may see."""


def make_api(services: Services, stream: Stream) -> FastAPI:
    """Make the application of the API. Its requests have their caller in the scope already."""
    app = FastAPI(
        title="duly", version=__version__, openapi_url=None, docs_url=None, redoc_url=None, redirect_slashes=False
    )
    app.state.services = services
    app.state.stream = stream
    for router in _ROUTERS:
        app.include_router(router)

    @app.api_route(DOCUMENT, methods=["GET", "HEAD"], include_in_schema=False)
    async def document() -> JSONResponse:
        return JSONResponse(openapi_document())

    handlers: dict[type[Exception], Callable[[Request, Any], Awaitable[Response]]] = {
        DulyError: _refused,
        ProblemError: _refused_by_http,
        RequestValidationError: _invalid,
        HTTPException: _http,
        Exception: _fault,
    }
    for kind, handler in handlers.items():
        app.add_exception_handler(kind, handler)
    return app


@cache
def openapi_document() -> dict[str, Any]:
    """Give the OpenAPI document; it is made when it is first asked for."""
    return document_of(CATALOGUE, [route for router in _ROUTERS for route in router.routes])


async def _refused(request: Request, error: DulyError) -> Response:
    seconds = RETRY_AFTER if isinstance(error, StoreError) else getattr(error, "retry_after", None)
    headers = {} if seconds is None else {"Retry-After": str(seconds)}
    return problem_response(problem_of(error), request.url.path, headers)


async def _refused_by_http(request: Request, error: ProblemError) -> Response:
    return problem_response(error.problem, request.url.path, error.headers)


async def _invalid(request: Request, error: RequestValidationError) -> Response:
    faults = [_fault_of(each) for each in error.errors()[:_MOST_FAULTS]]
    first = faults[0]
    detail = "; ".join(dict.fromkeys(each["detail"] for each in faults[:5]))
    found = problem(
        "invalid-input",
        422,
        detail,
        "Correct the fields as the detail says, and send the request again.",
        field=first["field"],
        errors=faults,
    )
    return problem_response(found, request.url.path)


def _fault_of(each: Mapping[str, Any]) -> dict[str, str]:
    """Say what is wrong with one value, without the names of pydantic's rules."""
    place, *parts = (str(part) for part in each["loc"])
    where = ".".join(part for part in parts if not part.startswith(("function-", "constrained-"))) or place
    if each["type"] == "missing":
        detail = f"{where} is required"
    elif each["type"] == "extra_forbidden":
        detail = f"{where} is not known: leave it out"
    else:
        detail = f"{where}: {each['msg']}, got {_short(each.get('input'))}"
    cleaned = {"field": where[:200], "detail": detail[:1000]}
    return {name: text.encode("utf-8", "replace").decode() for name, text in cleaned.items()}


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."


async def _http(request: Request, error: HTTPException) -> Response:
    """Answer what the framework refuses: an unknown path, a method that a path does not have."""
    headers = dict(error.headers or {})
    path = request.url.path
    if error.status_code == 404:
        return problem_response(problem("no-such-path", 404, _NO_SUCH, _DOCUMENTED), path)
    if error.status_code == 405:
        allowed = _allowed(request.scope)
        headers["Allow"] = ", ".join(allowed)
        detail = f"{request.method} is not for this address, {' and '.join(allowed)} are"
        return problem_response(problem("method-not-allowed", 405, detail, _DOCUMENTED), path, headers)
    found = problem(title_of_status(error.status_code), error.status_code, str(error.detail))
    return problem_response(found, path, headers)


def _allowed(scope: Mapping[str, Any]) -> list[str]:
    """Give the methods of an address: several operations may share it."""
    path = str(scope["path"]).removeprefix(scope.get("root_path", ""))
    if path == DOCUMENT:
        return ["GET"]
    return sorted({each.method for pattern, each in _PATTERNS if pattern.match(path)})


async def _fault(request: Request, _error: Exception) -> Response:
    found = problem("internal", 500, "an error in duly: the log of the daemon has it", "Report it with the log.")
    return problem_response(found, request.url.path)
