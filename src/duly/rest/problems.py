"""Problem documents (RFC 9457): how the API says an error, and how a client reads the error back.

The type of a problem is the name of the error: `InvalidInputError` is `urn:duly:problem:invalid-input`. Nothing here
needs a web framework, because clients read problems, too.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from http import HTTPStatus
from typing import Any

from duly import errors
from duly.service.schedules.fields import SETTINGS

MEDIA_TYPE = "application/problem+json"
PREFIX = "urn:duly:problem:"
RETRY_AFTER = 5
"""Seconds after which a request may be tried again when the store is away."""
_LONGEST = 2000
_STATUS: tuple[tuple[type[errors.DulyError], int], ...] = (
    (errors.AccessDeniedError, 403),
    (errors.QuotaError, 403),
    (errors.NotFoundError, 404),
    (errors.TooManyRequestsError, 429),
    (errors.ConflictError, 409),
    (errors.ReportRefusedError, 409),
    (errors.InvalidInputError, 422),
    (errors.CronCalculationError, 422),
    (errors.ChannelTemporaryError, 503),
    (errors.ChannelPermanentError, 422),
    (errors.ChannelUnknownError, 504),
    (errors.ChannelError, 502),
    (errors.StoreUnavailableError, 503),
    (errors.StoreError, 503),
    (errors.DulyError, 500),
)
"""The first that fits counts."""
_FIXES: tuple[tuple[type[errors.DulyError], str], ...] = (
    (errors.AccessDeniedError, "Use a token whose scope and grants allow it; an admin makes one."),
    (errors.QuotaError, "Use less, or let an admin raise the quota in duly.toml."),
    (errors.ConflictError, "Read it again, and decide with what is there now."),
    (errors.TooManyRequestsError, "Wait as Retry-After says."),
    (errors.NotFoundError, "List what is there, and use an id of the list."),
    (errors.InvalidCronExpressionError, "Correct the expression at the position."),
    (errors.PhraseError, "Say the words in `missed` in another way, or use cron."),
    (errors.DoubtfulSentenceError, "Send `message` and `schedule` of one of the `readings`, or say it in other words."),
    (errors.InvalidInputError, "Correct the value as the detail says, and send the request again."),
    (errors.ChannelNotConfiguredError, "Configure the channel in duly.toml."),
    (errors.ChannelPermanentError, "Correct the address or the channel; the same request will fail again."),
    (errors.ChannelError, "Try again later."),
    (errors.StoreError, "Try again later; the daemon goes on by itself when the store is back."),
)
_SAFE_FACTS = (str, int, float, bool, type(None))
_WORD = re.compile(r"([a-z_]+)\b")


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """An error of the API, in the form of RFC 9457."""

    type: str
    """Which kind of error: `urn:duly:problem:` and its name."""
    title: str
    """The kind in words."""
    status: int
    """The status code of HTTP."""
    detail: str
    """What was wrong, with which value."""
    instance: str | None = None
    """The path of the request."""
    fix: str | None = None
    """What to do about it."""
    field: str | None = None
    """The field, parameter or header at fault, where it is one."""
    errors: list[dict[str, str]] | None = None
    """Each fault of a request that has several: `field` and `detail`."""
    readings: list[dict[str, Any]] | None = None
    """Of a sentence that is not clear: what it may mean, each as the body of a request that says it."""
    refusal: str | None = None
    """Why a report of a worker does not count, in one word."""
    facts: dict[str, Any] | None = None
    """The values that the error carries, such as the position in a cron expression."""


def problem(kind: str, status: int, detail: str, fix: str | None = None, **more: Any) -> Problem:
    """Make the problem of an error that HTTP has and the library has not."""
    return Problem(type=PREFIX + kind, title=_title(kind), status=status, detail=_clean(detail), fix=fix, **more)


def problem_of(error: errors.DulyError) -> Problem:
    """Make the problem of an error of the library."""
    kind = kind_of(type(error))
    return Problem(
        type=PREFIX + kind,
        title=_title(kind),
        status=next(code for each, code in _STATUS if isinstance(error, each)),
        detail=_clean(str(error)),
        fix=next((text for each, text in _FIXES if isinstance(error, each)), None),
        field=_field_of(error),
        readings=(error.readings or None) if isinstance(error, errors.DoubtfulSentenceError) else None,
        refusal=error.refusal if isinstance(error, errors.ReportRefusedError) else None,
        facts=_facts_of(error) or None,
    )


def kind_of(error: type[errors.DulyError]) -> str:
    """Name the kind of an error: `not-found` for `NotFoundError`."""
    return re.sub(r"(?<!^)(?=[A-Z])", "-", error.__name__.removesuffix("Error")).lower()


def error_of(document: Mapping[str, Any]) -> errors.DulyError:
    """Give the error that a problem document tells of, with its facts as attributes."""
    kind = str(document.get("type", "")).removeprefix(PREFIX)
    status = document.get("status")
    found = _kinds().get(kind) or _by_status(status if isinstance(status, int) else 500)
    error = found.__new__(found, str(document.get("detail") or document.get("title") or kind))
    error.args = (str(document.get("detail") or document.get("title") or kind),)
    facts = document.get("facts")
    error.__dict__.update(facts if isinstance(facts, dict) else {})
    if isinstance(error, errors.DoubtfulSentenceError):
        error.readings = list(document.get("readings") or [])
    return error


_EXAMPLES: dict[int, tuple[str, str, str | None]] = {
    400: ("malformed-body", "the body is not JSON at character 12", None),
    401: ("unauthorized", "send Authorization: Bearer <token>", "`duly token create` makes one."),
    403: ("access-denied", "cannot update schedule: scope project:shop:ro may only look", None),
    404: ("not-found", "there is no schedule 'morning-news'", None),
    409: ("conflict", "this Idempotency-Key was used for another request", None),
    412: ("conflict", "morning-news was changed since: it has version 8 now, and you had 7", None),
    413: ("too-large", "a request has at most 1000000 bytes", None),
    415: ("unsupported-media-type", "the body is text/plain, and only application/json is read", None),
    422: ("invalid-cron-expression", 'Invalid cron expression "61 * * * *": minute field must be 0-59', None),
    429: ("too-many-requests", "this token has sent 6000 requests in a minute", "Wait as Retry-After says."),
    503: ("store-unavailable", "the store is unavailable, try again later", "Try again later."),
}


def plain_example(status: int) -> dict[str, Any]:
    """Give an example of a problem with this status, for the document."""
    kind, detail, fix = _EXAMPLES[status]
    example = {"type": PREFIX + kind, "title": _title(kind), "status": status, "detail": detail}
    return {**example, "instance": "/api/v1/schedules", **({} if fix is None else {"fix": fix})}


@cache
def _kinds() -> dict[str, type[errors.DulyError]]:
    return {kind_of(each): each for each in _tree(errors.DulyError)}


def _tree(root: type[errors.DulyError]) -> Iterator[type[errors.DulyError]]:
    yield root
    for each in root.__subclasses__():
        yield from _tree(each)


def _by_status(status: int) -> type[errors.DulyError]:
    """Choose the error for a problem of HTTP itself: a body that is no JSON, a token that is missing."""
    if status in (401, 403):
        return errors.AccessDeniedError
    if status in (404, 410):
        return errors.NotFoundError
    if 400 <= status < 500:
        return errors.InvalidInputError
    return errors.StoreUnavailableError if status in (502, 503, 504) else errors.DulyError


def _title(kind: str) -> str:
    words = kind.replace("-", " ")
    return words[:1].upper() + words[1:]


def title_of_status(status: int) -> str:
    """Name a status code in words, as a kind of problem."""
    try:
        return HTTPStatus(status).phrase.lower().replace(" ", "-")
    except ValueError:
        return "error"


def _clean(text: str) -> str:
    """Keep a text short, and free of characters that UTF-8 cannot encode."""
    shown = text.encode("utf-8", "replace").decode()
    return shown if len(shown) <= _LONGEST else f"{shown[: _LONGEST - 1]}…"


def _field_of(error: errors.DulyError) -> str | None:
    """Give the field at fault: the errors about a value begin with the name of its field."""
    if isinstance(error, errors.InvalidCronExpressionError | errors.FieldParseError):
        return "cron"
    if isinstance(error, errors.PhraseError):
        return "when"
    first = _WORD.match(str(error)) if isinstance(error, errors.InvalidInputError) else None
    return first[1] if first is not None and first[1] in SETTINGS else None


def _facts_of(error: errors.DulyError) -> dict[str, Any]:
    facts: dict[str, Any] = {}
    for name, value in vars(error).items():
        if isinstance(value, str):
            facts[name] = _clean(value)
        elif isinstance(value, _SAFE_FACTS):
            facts[name] = value
        elif isinstance(value, list | tuple) and all(isinstance(each, _SAFE_FACTS) for each in value):
            facts[name] = [_clean(each) if isinstance(each, str) else each for each in value]
        elif isinstance(value, dict) and value:
            facts[name] = json.loads(json.dumps(value, default=str))
    return facts
