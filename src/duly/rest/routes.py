"""Routes of the API from the catalogue: the fields of an ask say which parameters and which body its route takes."""

from __future__ import annotations

import inspect
import operator
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from functools import cache, reduce
from types import NoneType, UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from fastapi import APIRouter, Body, Path, Query
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, create_model
from pydantic_core import PydanticCustomError

from duly.operations import parameters
from duly.operations.ask import JSON, Group, Operation
from duly.operations.parameters import Param, fields_of
from duly.rest.bodies import MODELS, RequestBody
from duly.rest.operations import ApiRoute, By, answered


def router_of(group: Group) -> APIRouter:
    """Make the routes of the operations about one subject."""
    router = APIRouter(route_class=ApiRoute, tags=[group.tag])
    for each in group.operations:
        _add(router, each)
    return router


def _add(router: APIRouter, operation: Operation) -> None:
    summary, _, rest = inspect.cleandoc(operation.ask.__doc__ or "").partition("\n")
    router.add_api_route(
        operation.path,
        _endpoint(operation),
        methods=[operation.method],
        operation_id=operation.id,
        summary=summary.rstrip("."),
        description=rest.strip() or summary,
        status_code=operation.status,
        response_model=None,
        openapi_extra=None if operation.reads == JSON else _text_body(operation.reads),
    )


def _text_body(media: str) -> dict[str, Any]:
    return {"requestBody": {"required": True, "content": {media: {"schema": {"type": "string"}}}}}


def _endpoint(operation: Operation) -> Any:
    async def endpoint(by: By, **given: Any) -> Any:
        return await answered(operation, by, given)

    endpoint.__name__ = operation.name
    by = inspect.Parameter("by", inspect.Parameter.KEYWORD_ONLY, annotation=By)
    fields = fields_of(operation)
    taken = [_parameter(each) for where in ("path", "query") for each in fields if each.where == where]
    body = [_body(operation)] if operation.body else []
    endpoint.__signature__ = inspect.Signature([by, *taken, *body])  # type: ignore[attr-defined]
    return endpoint


# parameters


def _parameter(field: parameters.AskField) -> inspect.Parameter:
    param = field.param
    is_left_out = field.default == ()
    kind = _wire(field.kind) | None if is_left_out else _wire(field.kind)
    default = None if is_left_out else field.default
    about: Any = Path if field.where == "path" else Query
    more = {} if param.example is None else {"examples": [param.example]}
    lengths = {"min_length": param.shortest, "max_length": param.longest}
    extra = _shown(param) if not _is_day(field.kind) else {"type": "string", "format": "date"}
    shown = about(description=param.words or None, json_schema_extra=extra, **_given(lengths), **more)
    return inspect.Parameter(
        field.name,
        inspect.Parameter.KEYWORD_ONLY,
        default=inspect.Parameter.empty if field.needed else default,
        annotation=Annotated[_strict(kind, param), shown],
    )


def _shown(param: Param) -> dict[str, Any] | None:
    """Give what only the document says: the use case refuses other values."""
    if param.choices:
        return {"enum": [*param.choices, None]}
    return {"format": param.format} if param.format else None


def _is_day(kind: Any) -> bool:
    return date in (kind, *get_args(kind))


def _strict(kind: Any, param: Param) -> Any:
    """Refuse what pydantic would take for a value: 1.0 and 1_000 for a number, "yes" for a flag."""
    if _is_day(kind):
        return Annotated[Any, BeforeValidator(_read_day)]
    if bool in (kind, *get_args(kind)):
        return Annotated[kind, BeforeValidator(_flag if kind is bool else _optional_flag)]
    if int in (kind, *get_args(kind)):
        bounds = _given({"ge": param.least, "le": param.most})
        number = Annotated[int, Field(**bounds), BeforeValidator(_whole)]
        return number if kind is int else number | None
    return kind


def _whole(value: Any) -> Any:
    if isinstance(value, str) and not (value.isascii() and value.isdecimal() and len(value) < 19):
        raise PydanticCustomError("whole", "must be a whole number")
    return value


def _flag(value: Any) -> Any:
    if value in (True, False, "true", "false"):
        return value in (True, "true")
    raise PydanticCustomError("flag", "must be true or false")


def _optional_flag(value: Any) -> Any:
    return None if value is None else _flag(value)


def _read_day(value: Any) -> Any:
    try:
        return value if value is None else date.fromisoformat(value)
    except ValueError:
        raise PydanticCustomError("day", "must be a day such as 2026-11-16") from None


def _wire(kind: Any) -> Any:
    """Give the type of a value over HTTP: moments are texts, and what has a model is an object with its fields."""
    origin = get_origin(kind)
    if origin is Annotated:
        inner, *notes = get_args(kind)
        return reduce(lambda made, note: Annotated[made, _bounds(note)], notes, _wire(inner))
    if origin in (Union, UnionType):
        return reduce(operator.or_, dict.fromkeys(_wire(each) for each in get_args(kind)))
    if origin is Sequence:
        return list[_wire(get_args(kind)[0])]  # type: ignore[misc]
    if origin is Mapping:
        return dict[str, Any]
    return str if kind is datetime else kind


# bodies


@cache
def model_of(operation: Operation) -> type[BaseModel]:
    """Give the model of the body of an operation."""
    if operation.body in MODELS:
        return MODELS[operation.body]
    members: dict[str, Any] = {each.name: _member(each) for each in fields_of(operation) if each.where == "body"}
    made: type[BaseModel] = create_model(operation.body, __base__=RequestBody, __doc__=operation.about_body, **members)
    if operation.examples:
        made.model_config = ConfigDict(**made.model_config, json_schema_extra={"examples": list(operation.examples)})
        made.model_rebuild(force=True)
    return made


def _member(field: parameters.AskField) -> tuple[Any, Any]:
    param = field.param
    kind = _modelled(field.kind, MODELS[param.model]) if param.model else _wire(field.kind)
    more: dict[str, Any] = _bounds_of(param)
    if param.format:
        more["json_schema_extra"] = {"format": param.format}
    if param.example is not None:
        more["examples"] = [param.example]
    default: Any = ... if field.needed else list(field.default) if field.default == () else field.default
    return kind, Field(default, description=param.words or None, **more)


def _modelled(kind: Any, model: type[BaseModel]) -> Any:
    if get_origin(kind) is Sequence:
        return list[model]  # type: ignore[valid-type]
    return model | None if NoneType in get_args(kind) else model


def _bounds(note: Any) -> Any:
    return Field(**_bounds_of(note)) if isinstance(note, Param) else note


def _bounds_of(param: Param) -> dict[str, Any]:
    return _given({"ge": param.least, "le": param.most, "min_length": param.shortest, "max_length": param.longest})


def _given(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


def _body(operation: Operation) -> inspect.Parameter:
    model = model_of(operation)
    if operation.may_lack_body:
        return inspect.Parameter(
            "body", inspect.Parameter.KEYWORD_ONLY, default=None, annotation=Annotated[model | None, Body()]
        )
    return inspect.Parameter("body", inspect.Parameter.KEYWORD_ONLY, annotation=Annotated[model, Body()])
