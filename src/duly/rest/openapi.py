"""The OpenAPI document: from the routes, the views and the bodies, so that nothing is described twice."""

from __future__ import annotations

import ast
import dataclasses
import inspect
import json
import textwrap
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, get_args, get_type_hints

from fastapi.openapi.utils import get_openapi
from pydantic import TypeAdapter
from starlette.routing import BaseRoute

from duly._version import __version__
from duly.operations.ask import Group, Operation, PageOf
from duly.operations.parameters import fields_of
from duly.rest.answers import BASE
from duly.rest.problems import MEDIA_TYPE, Problem, plain_example
from duly.service.schedules.fields import described

_SCHEMAS = "#/components/schemas/"
_ABOUT = """\
Everything that duly can do, over HTTP. Requests need a token: `Authorization: Bearer …`; `duly token create` makes one.
Times in answers are in UTC; fields without a value are left out. Lists come in pages: `next_cursor` is the `cursor` of
the next request, and null on the last page. Every error is a problem document (RFC 9457). Unknown fields and parameters
are refused."""
_HEADERS = {
    "ETag": ("The version of the definition: send it as If-Match with a change.", {"type": "string"}),
    "Idempotency-Replayed": ("The answer of an earlier request with the same key.", {"const": "true"}),
    "Undo-Token": ("The token that takes the change back, with `POST /undo`.", {"type": "string"}),
    "Location": ("The address of what was made.", {"type": "string", "format": "uri-reference"}),
    "RateLimit-Limit": ("Requests that this token may send in a minute.", {"type": "integer"}),
    "RateLimit-Remaining": ("Requests that are left now.", {"type": "integer"}),
    "RateLimit-Reset": ("Seconds until all of them are there again.", {"type": "integer"}),
    "Retry-After": ("Seconds after which the request may be sent again.", {"type": "integer"}),
}
_TAKEN: dict[str, tuple[str, dict[str, Any]]] = {
    "Idempotency-Key": (
        "A text of your own, new for each request: a repetition within 24 hours gets the answer of the first.",
        {"type": "string", "pattern": "^[\\x21-\\x7e]{1,200}$"},
    ),
    "If-Match": ("The ETag of the version that the change is meant for.", {"type": "string"}),
    "Last-Event-ID": ("The id of the last event that was seen.", {"type": "string"}),
}
_RATES = ("RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset")
_FAULTS = {
    400: "The body is not JSON, or there is one where none is taken.",
    401: "There is no valid token.",
    403: "The token may not do this.",
    404: "There is no such thing, or the token may not see it.",
    409: "It contradicts what is there.",
    412: "It was changed since: the version is another one.",
    413: "The body is too large.",
    415: "The body is of another type than the operation reads, by its Content-Type.",
    422: "A value cannot be used.",
    429: "Too many requests.",
    503: "The store is away.",
}
_ALWAYS = (400, 401, 403, 422, 429, 503)
_WITH_BODY = (413, 415)
_NAMING = ("user", "schedule")
"""Parameters of queries that name something, which may not be there."""


def document_of(groups: Sequence[Group], routes: Sequence[BaseRoute]) -> dict[str, Any]:
    """Give the document of these operations, which have these routes."""
    document = get_openapi(
        title="duly",
        version=__version__,
        openapi_version="3.1.0",
        summary="A durable scheduler for AI agents and for the people they work for.",
        description=_ABOUT,
        routes=routes,
        tags=[{"name": group.tag, "description": group.words} for group in groups],
        servers=[{"url": BASE}],
        license_info={"name": "MIT", "identifier": "MIT"},
    )
    components = document.setdefault("components", {})
    schemas = components.setdefault("schemas", {})
    for name in ("HTTPValidationError", "ValidationError"):
        schemas.pop(name, None)
    operations = [operation for group in groups for operation in group.operations]
    schemas.update(_view_schemas(operations))
    components["headers"] = {name: _header(name) for name in _HEADERS}
    components["responses"] = {str(code): _fault(code) for code in _FAULTS}
    components["securitySchemes"] = {"bearer": {"type": "http", "scheme": "bearer"}}
    document["security"] = [{"bearer": []}]
    for operation in operations:
        described = document["paths"][operation.path][operation.method.lower()]
        described["description"] = _unwrapped(described["description"])
        described["parameters"] = [_parameter(each) for each in described.get("parameters", ())]
        taken = (*_headers_of(operation), *(("Idempotency-Key",) if operation.once else ()))
        described["parameters"] += [_taken(name) for name in taken]
        described["responses"] = _responses(operation, described)
    return document


def _headers_of(operation: Operation) -> list[str]:
    return [each.param.header for each in fields_of(operation) if each.where == "header"]


def _unwrapped(text: str) -> str:
    """Put each paragraph on one line."""
    return "\n\n".join(" ".join(part.split()) for part in text.split("\n\n"))


def _parameter(described: dict[str, Any]) -> dict[str, Any]:
    """Simplify a parameter: one that is left out is not null, and its description is said once."""
    schema = {name: each for name, each in described["schema"].items() if name not in ("title", "description")}
    kinds = [each for each in schema.pop("anyOf", ()) if each != {"type": "null"}]
    if "enum" in schema:
        schema["enum"] = [each for each in schema["enum"] if each is not None]
    return {**described, "schema": {**(kinds[0] if kinds else {}), **schema}}


def _taken(name: str) -> dict[str, Any]:
    words, schema = _TAKEN[name]
    return {"name": name, "in": "header", "required": False, "description": words, "schema": schema}


def _header(name: str) -> dict[str, Any]:
    words, schema = _HEADERS[name]
    return {"description": words, "schema": schema}


def _refer(kind: str, names: Sequence[str]) -> dict[str, Any]:
    return {name: {"$ref": f"#/components/{kind}/{name}"} for name in names}


def _responses(operation: Operation, described: dict[str, Any]) -> dict[str, Any]:
    headers = (*operation.headers, *(("Idempotency-Replayed",) if operation.once else ()), *_RATES)
    good: dict[str, Any] = {"description": "Done.", "headers": _refer("headers", headers)}
    if operation.gives is not None:
        is_text = operation.gives is bytes
        schema = {"type": "string"} if is_text else {"$ref": _SCHEMAS + schema_name(operation.gives)}
        content: dict[str, Any] = {"schema": schema}
        if operation.media == "application/json":
            content["example"] = _examples()[operation.id]
        good["content"] = {operation.media: content}
    codes = {*_ALWAYS, *operation.faults, *(_WITH_BODY if "requestBody" in described else ())}
    if operation.once:
        codes.add(409)
    if any(each["in"] == "path" or each["name"] in _NAMING for each in described["parameters"]):
        codes.add(404)
    faults = {str(code): {"$ref": f"#/components/responses/{code}"} for code in sorted(codes)}
    return {str(operation.status): good, **faults}


@cache
def _examples() -> dict[str, Any]:
    """Give an answer of each operation, as a daemon gave it."""
    found: dict[str, Any] = json.loads(Path(__file__).with_name("examples.json").read_text(encoding="utf-8"))
    return found


def _fault(code: int) -> dict[str, Any]:
    more = ("Retry-After",) if code in (429, 503) else ()
    return {
        "description": _FAULTS[code],
        "headers": _refer("headers", (*more, *(() if code in (401, 503) else _RATES))),
        "content": {MEDIA_TYPE: {"schema": {"$ref": _SCHEMAS + "Problem"}, "example": plain_example(code)}},
    }


# schemas of views


def schema_name(gives: Any) -> str:
    """Name the schema of what an operation gives: `ScheduleViewPage` for a page of `ScheduleView`."""
    return f"{gives.items.__name__}Page" if isinstance(gives, PageOf) else str(gives.__name__)


def _view_schemas(operations: Sequence[Operation]) -> dict[str, Any]:
    """Make the schemas of all views, with what the source says about each field."""
    given = [each.gives for each in operations if each.gives not in (None, bytes)]
    views = {each.items if isinstance(each, PageOf) else each for each in given} | {Problem}
    inputs = [(view, "validation", TypeAdapter(view)) for view in sorted(views, key=lambda view: str(view.__name__))]
    _, made = TypeAdapter.json_schemas(inputs, ref_template=_SCHEMAS + "{model}")  # type: ignore[arg-type]
    schemas: dict[str, Any] = _without_places(made.get("$defs", {}))
    for view in _reachable(views):
        described = schemas.get(view.__name__, {}).get("properties", {})
        for name, words in field_words(view).items():
            if name in described:
                described[name]["description"] = words
    for each in given:
        if isinstance(each, PageOf):
            schemas[schema_name(each)] = _page_schema(each.items.__name__)
    return schemas


def _without_places(schema: Any) -> Any:
    """Describe a pair as a list of two: many tools do not know schemas by place."""
    if isinstance(schema, list):
        return [_without_places(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    kept = {name: _without_places(each) for name, each in schema.items() if name != "prefixItems"}
    return {**kept, "items": {}} if "prefixItems" in schema else kept


def _page_schema(item: str) -> dict[str, Any]:
    return {
        "type": "object",
        "title": f"{item}Page",
        "description": "A page, and the cursor of the next one.",
        "required": ["items", "next_cursor"],
        "properties": {
            "items": {"type": "array", "items": {"$ref": _SCHEMAS + item}},
            "next_cursor": {"type": ["string", "null"], "description": "`cursor` of the next page; null on the last."},
            "search": {
                "type": "object",
                "description": "Of a search for a text that takes long: how far it has come. The page has what was "
                "found so far; the next one goes on.",
                "required": ["searched", "total"],
                "properties": {"searched": {"type": "integer"}, "total": {"type": "integer"}},
            },
        },
    }


def _reachable(views: set[Any]) -> Iterator[Any]:
    """Give views with those inside their fields."""
    waiting = list(views)
    seen: set[Any] = set()
    while waiting:
        view = waiting.pop()
        if view in seen or not dataclasses.is_dataclass(view):
            waiting += [] if view in seen else get_args(view)
            continue
        seen.add(view)
        yield view
        waiting += get_type_hints(view).values()


def field_words(view: Any) -> dict[str, str]:
    """Give what the source says about the fields of a view: the text below each, or what is said of the setting."""
    words: dict[str, str] = {}
    [found] = ast.parse(textwrap.dedent(inspect.getsource(view))).body
    assert isinstance(found, ast.ClassDef)  # noqa: S101  it is the source of a class
    for before, each in zip(found.body, found.body[1:], strict=False):
        is_text = (
            isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant) and isinstance(each.value.value, str)
        )
        if is_text and isinstance(before, ast.AnnAssign) and isinstance(before.target, ast.Name):
            words[before.target.id] = inspect.cleandoc(each.value.value)  # type: ignore[attr-defined]
    return {name: each.words[0].upper() + each.words[1:] for name, each in described(view).items()} | words
