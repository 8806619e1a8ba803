"""The operations of the API: each is declared once, with what it gives, and becomes a route and a part of the document.

A function becomes an operation with `Operations.get`, `.post` and so on. Its name is the operation id, its docstring
the description, its return value (a view, a page of views) the answer.
"""

from __future__ import annotations

import functools
import hashlib
import inspect
import json
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Annotated, Any

from fastapi import APIRouter, Depends
from fastapi.responses import JSONResponse
from fastapi.routing import APIRoute
from starlette.requests import Request
from starlette.responses import Response

from duly.errors import InvalidInputError
from duly.expansion import REQUEST, bounded
from duly.rest.answers import CALLER
from duly.rest.problems import Problem, problem
from duly.service.access.scopes import Caller
from duly.service.limits import check_given
from duly.service.schedules.fields import ScheduleView
from duly.service.schedules.views import plain
from duly.service.searching import progress_of
from duly.service.services import Services

IDEMPOTENCY_KEY = "Idempotency-Key"
_KEPT = ("location", "etag", "undo-token")
"""The headers of an answer that a repetition gets, too."""
_JSON = "application/json"
Endpoint = Callable[..., Awaitable[Any]]


class ProblemError(Exception):
    """An error that only HTTP knows, such as a body that is no JSON; it is answered with its problem."""

    def __init__(self, found: Problem, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(found.detail)
        self.problem = found
        self.headers = dict(headers or {})


@dataclass(frozen=True, slots=True)
class Asked:
    """A request: its caller, and the use cases to answer it with."""

    services: Services
    caller: Caller
    request: Request

    def header(self, name: str) -> str | None:
        return self.request.headers.get(name)


async def _asked(request: Request) -> Asked:
    return Asked(services=request.app.state.services, caller=request.scope[CALLER], request=request)


By = Annotated[Asked, Depends(_asked)]
"""The request of an operation."""


@dataclass(frozen=True, slots=True)
class PageOf:
    """What an operation gives that answers in pages: items of one kind, and the cursor of the next page."""

    items: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerWith:
    """An answer with headers, or with another status than usual."""

    view: Any
    headers: Mapping[str, str] = field(default_factory=dict)
    status: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One operation of the API."""

    id: str
    method: str
    path: str
    gives: Any
    """The class of the view, `PageOf` it, or None for an answer without a body."""
    status: int = 200
    faults: tuple[int, ...] = ()
    """Status codes of its problems, besides those that every operation may answer with."""
    headers: tuple[str, ...] = ()
    """Headers of its answer, by their names in the document."""
    takes: tuple[str, ...] = ()
    """Headers that a request may have, by their names in the document."""
    once: bool = False
    """Whether an `Idempotency-Key` makes sure that it is carried out only once."""
    media: str = _JSON
    """The type of its answer."""
    reads: str = _JSON
    """The type of its body; one that is not JSON is text, which the function reads from the request."""


class Operations:
    """The operations about one subject."""

    def __init__(self, tag: str, words: str) -> None:
        self.tag = tag
        self.words = words
        self.router = APIRouter(route_class=ApiRoute, tags=[tag])
        self.all: list[Operation] = []

    def get(self, path: str, gives: Any, **more: Any) -> Callable[[Endpoint], Endpoint]:
        """Declare an operation that changes nothing."""
        return self._add("GET", path, gives, more)

    def post(self, path: str, gives: Any, **more: Any) -> Callable[[Endpoint], Endpoint]:
        """Declare an operation that makes something or acts."""
        return self._add("POST", path, gives, more)

    def patch(self, path: str, gives: Any, **more: Any) -> Callable[[Endpoint], Endpoint]:
        """Declare an operation that changes fields."""
        return self._add("PATCH", path, gives, more)

    def delete(self, path: str, gives: Any, **more: Any) -> Callable[[Endpoint], Endpoint]:
        """Declare an operation that removes something."""
        return self._add("DELETE", path, gives, more)

    def _add(self, method: str, path: str, gives: Any, more: dict[str, Any]) -> Callable[[Endpoint], Endpoint]:
        def register(function: Endpoint) -> Endpoint:
            made = Operation(id=_camel(function.__name__), method=method, path=path, gives=gives, **more)
            self.all.append(made)
            summary, _, rest = inspect.cleandoc(function.__doc__ or "").partition("\n")
            self.router.add_api_route(
                path,
                _answering(function, made),
                methods=[method],
                operation_id=made.id,
                summary=summary.rstrip("."),
                description=rest.strip() or summary,
                status_code=made.status,
                response_model=None,
                openapi_extra=None if made.reads == _JSON else {"requestBody": _text_body(made.reads)},
            )
            return function

        return register


def _text_body(media: str) -> dict[str, Any]:
    return {"required": True, "content": {media: {"schema": {"type": "string"}}}}


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(each.capitalize() for each in rest)


def _answering(function: Endpoint, operation: Operation) -> Endpoint:
    """Make an endpoint that renders what the function gives."""

    @functools.wraps(function)
    async def endpoint(**given: Any) -> Response:
        by: Asked = given["by"]
        key = by.header(IDEMPOTENCY_KEY) if operation.once else None
        with bounded(REQUEST):
            if key is not None:
                return await _once(by, key, lambda: function(**given), operation.status)
            return rendered(await function(**given), operation.status)

    return endpoint


async def _once(by: Asked, key: str, make: Callable[[], Awaitable[Any]], status: int) -> Response:
    """Carry out a request with a key; a repetition of it gets the answer of the first."""
    is_new = False

    async def first() -> dict[str, Any]:
        nonlocal is_new
        is_new = True
        answer = rendered(await make(), status)
        headers = {name: value for name, value in answer.headers.items() if name in _KEPT}
        return {"status": answer.status_code, "headers": headers, "body": json.loads(bytes(answer.body))}

    request = by.request
    said = f"{request.method} {request.url.path}?{request.url.query}".encode() + b"\n" + await request.body()
    kept = await by.services.idempotency.remember(by.caller, key, hashlib.sha256(said).hexdigest(), first)
    headers = {**kept["headers"], **({} if is_new else {"Idempotency-Replayed": "true"})}
    return ViewResponse(kept["body"], status_code=kept["status"], headers=headers)


def rendered(result: Any, status: int = 200) -> Response:
    """Make the answer of a view, of a page, of nothing, or of a view with headers."""
    if isinstance(result, Response):
        return result
    headers: Mapping[str, str] = {}
    if isinstance(result, AnswerWith):
        headers = result.headers
        status = result.status or status
        result = result.view
    if result is None:
        return Response(status_code=204, headers=dict(headers))
    if isinstance(result, tuple | list):
        return PageResponse(result, status_code=status, headers=dict(headers))
    return ViewResponse(plain(result), status_code=status, headers=dict(headers))


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
    _check_type(request, _JSON)
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
    if kind == wanted or (wanted == _JSON and kind.startswith("application/") and kind.endswith("+json")):
        return
    detail = f"the body is {kind[:100] or 'of no stated type'}, and only {wanted} is read"
    raise ProblemError(
        problem("unsupported-media-type", 415, detail, f"Send Content-Type: {wanted}", field="Content-Type")
    )


def all_of(groups: Sequence[Operations]) -> list[Operation]:
    """Give the operations of several subjects."""
    return [operation for group in groups for operation in group.all]
