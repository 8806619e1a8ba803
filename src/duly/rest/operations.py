"""How a request becomes an ask of the catalogue, and its answer a response."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import replace
from datetime import date
from typing import Annotated, Any
from urllib.parse import quote

from fastapi import Depends
from fastapi.responses import JSONResponse
from fastapi.routing import APIRoute
from starlette.requests import Request
from starlette.responses import Response

from duly.errors import ConflictError, InvalidInputError
from duly.operations.ask import JSON, Operation, WorkerAsk
from duly.operations.parameters import fields_of, is_whole_body
from duly.rest.answers import CALLER, WORKER
from duly.rest.leaving import until_gone
from duly.rest.problems import Problem, problem, problem_of
from duly.service.access.scopes import Caller
from duly.service.executions.executions import Worker, unknown_handover
from duly.service.limits import check_given
from duly.service.people.use_cases import PersonView
from duly.service.schedules.fields import ReminderView, ScheduleView
from duly.service.schedules.run_views import RunView
from duly.service.schedules.views import plain
from duly.service.searching import progress_of
from duly.service.services import Services

IDEMPOTENCY_KEY = "Idempotency-Key"
_KEPT = ("location", "etag", "undo-token")
"""The headers of an answer that a repetition gets, too."""
_EVENTS = "text/event-stream"
_ETAG = re.compile(r'"(\d+)"')
_PLACES: Mapping[type, str] = {
    ScheduleView: "/schedules",
    ReminderView: "/reminders",
    RunView: "/runs",
    PersonView: "/people",
}
"""Where views are that have an address."""


class ProblemError(Exception):
    """An error that only HTTP knows, such as a body that is no JSON; it is answered with its problem."""

    def __init__(self, found: Problem, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(found.detail)
        self.problem = found
        self.headers = dict(headers or {})


class ApiRequest:
    """A request, and the use cases to answer it with."""

    def __init__(self, request: Request) -> None:
        self.request = request
        self.services: Services = request.app.state.services

    @property
    def caller(self) -> Caller:
        return self.request.scope[CALLER]  # type: ignore[no-any-return]

    def header(self, name: str) -> str | None:
        return self.request.headers.get(name)


By = Annotated[ApiRequest, Depends(ApiRequest)]
"""The request of an operation."""


async def answered(operation: Operation, by: ApiRequest, given: Mapping[str, Any]) -> Response:
    """Answer a request for an operation with what its ask is answered with."""
    ask = operation.ask(**await _values(operation, by, given))
    if isinstance(ask, WorkerAsk):
        return rendered(await ask.carry_out(by.services, _worker(by, ask)), operation.status)
    if operation.media == _EVENTS:
        return await by.request.app.state.stream(by.caller, by.request)  # type: ignore[no-any-return]
    asking = by.services.ask(by.caller, ask)
    try:
        if operation.reads != JSON:
            return _shown(operation, by, await until_gone(by.request, asking))
        key = by.header(IDEMPOTENCY_KEY) if operation.once else None
        if key is None:
            return _shown(operation, by, await asking)
        return await _once(by, key, asking, lambda result: _shown(operation, by, result))
    except ConflictError as error:
        raise (error if getattr(ask, "version", None) is None else is_stale(error)) from error


async def _values(operation: Operation, by: ApiRequest, given: Mapping[str, Any]) -> dict[str, Any]:
    """Give the fields of an ask, as a request says them; those that it leaves out are not there."""
    values = {name: value for name, value in given.items() if name != "body"}
    body = given.get("body")
    said = {} if body is None else body.model_dump(exclude_unset=True)
    for field in fields_of(operation):
        if field.where == "header":
            values[field.name] = await _wanted_version(by, values)
        elif field.where == "content":
            values[field.name] = await by.request.body()
        elif is_whole_body(field):
            values[field.name] = said
        elif field.where == "body" and field.name in said:
            values[field.name] = said[field.name]
        elif values.get(field.name, ...) is None:
            del values[field.name]
    return values


def _worker(by: ApiRequest, ask: WorkerAsk[Any]) -> Worker:
    worker: Worker | None = by.request.scope.get(WORKER)
    if worker is None or worker.key != (ask.run, ask.number):
        raise unknown_handover()
    return worker


def _shown(operation: Operation, by: ApiRequest, result: Any) -> Response:
    """Render the answer, with the headers that the catalogue names."""
    if operation.media != JSON:
        return Response(result, media_type=f"{operation.media}; charset=utf-8")
    view = result if operation.wire is None else operation.wire.view(result)
    headers = {}
    if "ETag" in operation.headers:
        headers["ETag"] = f'"{view.version}"'
    if "Location" in operation.headers:
        headers["Location"] = f"{by.request.scope['root_path']}{_PLACES[type(view)]}/{quote(view.id)}"
    if "Undo-Token" in operation.headers and result.undo is not None:
        headers["Undo-Token"] = result.undo
    return rendered(view, operation.status, headers)


async def _wanted_version(by: ApiRequest, given: Mapping[str, Any]) -> int | None:
    """Give the version that a change is meant for; None for any."""
    said = by.header("If-Match")
    if said is None or said.strip() == "*":
        return None
    versions = [int(each) for each in _ETAG.findall(said) if len(each) < 10]
    if len(versions) == 1:
        return versions[0]
    schedule = given.get("schedule") or given["reminder"]
    current = (await by.services.schedules.schedule_get(by.caller, schedule)).version
    if current in versions:
        return current
    raise is_stale(ConflictError(f"If-Match names no version of ours: it is {current} now", current_version=current))


def is_stale(error: ConflictError) -> ProblemError:
    """Give the problem of a change whose If-Match names an older version."""
    return ProblemError(replace(problem_of(error), status=412, field="If-Match"))


async def _once(
    by: ApiRequest, key: str, asking: Coroutine[Any, Any, Any], show: Callable[[Any], Response]
) -> Response:
    """Carry out a request with a key; a repetition of it gets the answer of the first.

    It stays with HTTP: what is kept are the status, the headers and the body of an answer, under the request as it was
    written, and rows of the version before have to be answered with the same.
    """
    is_new = False

    async def first() -> dict[str, Any]:
        nonlocal is_new
        is_new = True
        answer = show(await asking)
        headers = {name: value for name, value in answer.headers.items() if name in _KEPT}
        return {"status": answer.status_code, "headers": headers, "body": json.loads(bytes(answer.body))}

    request = by.request
    said = f"{request.method} {request.url.path}?{request.url.query}".encode() + b"\n" + await request.body()
    try:
        kept = await by.services.idempotency.remember(by.caller, key, hashlib.sha256(said).hexdigest(), first)
    finally:
        asking.close()
    headers = {**kept["headers"], **({} if is_new else {"Idempotency-Replayed": "true"})}
    return ViewResponse(kept["body"], status_code=kept["status"], headers=headers)


def rendered(view: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """Make the answer of a view, or of a page."""
    if isinstance(view, tuple | list):
        return PageResponse(view, status_code=status, headers=dict(headers or {}))
    return ViewResponse(plain(view), status_code=status, headers=dict(headers or {}))


class ViewResponse(JSONResponse):
    """An answer in JSON, with days and with views inside of objects."""

    def render(self, content: Any) -> bytes:
        return _ENCODER.encode(content).encode()


class PageResponse(ViewResponse):
    """A page of views with its cursor. Texts of views are remembered: pages are asked for again and again."""

    def render(self, content: Any) -> bytes:
        items, cursor = content if isinstance(content, tuple) else (content, None)
        listed = ",".join([_text_of(each) for each in items])
        progress = progress_of(cursor)
        search = "" if progress is None else f',"search":{_text_of(progress)}'
        return f'{{"items":[{listed}],"next_cursor":{json.dumps(cursor)}{search}}}'.encode()


_ENCODER = json.JSONEncoder(
    ensure_ascii=False,
    allow_nan=False,
    separators=(",", ":"),
    default=lambda value: value.isoformat() if isinstance(value, date) else plain(value),
)
_MOST_KEPT = 2048
_KEPT_CHARACTERS = 4000
_TEXTS: dict[int, tuple[Any, str]] = {}
"""Views and their texts, by the identity of the view; it holds the view, so that no other can have its identity."""


def _text_of(view: Any) -> str:
    """Write a view of a page as JSON. Views do not change, and those of schedules are kept as long as their rows."""
    known = _TEXTS.get(id(view))
    if known is not None and known[0] is view:
        return known[1]
    text = _ENCODER.encode(plain(view))
    if len(text) <= _KEPT_CHARACTERS and isinstance(view, ScheduleView):
        if len(_TEXTS) >= _MOST_KEPT:
            _TEXTS.clear()
        _TEXTS[id(view)] = (view, text)
    return text


class ApiRoute(APIRoute):
    """A route that refuses what it would ignore: unknown parameters, repeated ones, and bodies of other types."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()
        known: dict[str, bool] | None = None
        texts = list((self.openapi_extra or {}).get("requestBody", {}).get("content", ()))

        async def handler(request: Request) -> Response:
            nonlocal known
            if known is None:
                known = {each.alias: _takes_many(each) for each in self.dependant.query_params}
            _check_query(request, known)
            if texts:
                _check_type(request, texts[0])
            else:
                await _check_body(request, takes=self.body_field is not None)
            return await handle(request)

        return handler


def _takes_many(parameter: Any) -> bool:
    return "list[" in str(parameter.field_info.annotation)


def _check_query(request: Request, known: Mapping[str, bool]) -> None:
    seen: set[str] = set()
    for name in (key for key, _ in request.query_params.multi_items()):
        if name not in known:
            choices = f"there are {', '.join(known)}" if known else "this operation takes none"
            raise ProblemError(
                problem("unknown-parameter", 422, f"unknown parameter {name!r:.100}: {choices}", field=name[:100])
            )
        if name in seen and not known[name]:
            raise ProblemError(
                problem("repeated-parameter", 422, f"parameter {name} is given twice: say it once", field=name)
            )
        seen.add(name)


async def _check_body(request: Request, *, takes: bool) -> None:
    body = await request.body()
    if not body:
        return
    if not takes:
        raise ProblemError(problem("unexpected-body", 400, "this operation takes no body: send none"))
    _check_type(request, JSON)
    try:
        given = await request.json()
    except (ValueError, RecursionError) as error:
        place = f" at character {error.pos}" if isinstance(error, json.JSONDecodeError) else ""
        raise ProblemError(problem("malformed-body", 400, f"the body is not JSON{place}")) from None
    if not isinstance(given, dict):
        raise InvalidInputError(f"the body must be a JSON object, got {type(given).__name__}")
    check_given(given)


def _check_type(request: Request, wanted: str) -> None:
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind == wanted or (wanted == JSON and kind.startswith("application/") and kind.endswith("+json")):
        return
    detail = f"the body is {kind[:100] or 'of no stated type'}, and only {wanted} is read"
    raise ProblemError(
        problem("unsupported-media-type", 415, detail, f"Send Content-Type: {wanted}", field="Content-Type")
    )
