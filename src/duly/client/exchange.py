"""How a request is written, when it is tried again, and how its answer is read: the same for both clients."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, TypeVar

import httpx

from duly.client.decoding import decode
from duly.client.requests import Call, answer_of
from duly.errors import DulyError, InvalidInputError
from duly.operations.ask import JSON, Ask
from duly.rest.problems import error_of
from duly.service.live.events import LiveEvent

R = TypeVar("R")
BASE = "/api/v1"
TRIES = 4
_KEY = "Idempotency-Key"
_FIRST_PAUSE = 0.25
_LONGEST_PAUSE = 30.0
_LATER = (429, 502, 503, 504)


class ServerUnreachableError(DulyError):
    """Raised when a daemon does not answer at its address. Check the address, and that `duly up` runs there."""


def address_of(server: str) -> str:
    """Give the address of the API of a server."""
    if not server.startswith(("http://", "https://")):
        raise InvalidInputError(f"server must be an address such as http://127.0.0.1:8765, got {server!r}")
    return server.rstrip("/").removesuffix(BASE) + BASE


def options_of(server: str, token: str | None, timeout: float, transport: Any) -> dict[str, Any]:
    """Give the options of the HTTP client. `transport` is for tests."""
    headers = {"Accept": "application/json", **({} if token is None else {"Authorization": f"Bearer {token}"})}
    more = {} if transport is None else {"transport": transport}
    return {"base_url": address_of(server), "headers": headers, "timeout": timeout, "trust_env": False, **more}


def parts_of(call: Call) -> dict[str, Any]:
    """Give the parts of a request as the HTTP client takes them."""
    body = {"json": call.body} if call.content is None else {"content": call.content}
    return {"params": dict(call.query), "headers": dict(call.headers), **body}


def with_key(call: Call) -> Call:
    """Give a request that is carried out once a key of its own."""
    if not call.once or _KEY in call.headers:
        return call
    return replace(call, headers={**call.headers, _KEY: uuid.uuid4().hex})


def may_repeat(call: Call) -> bool:
    """Whether a request may be sent again although it may have arrived."""
    return call.method == "GET" or call.once


def pause_before(number: int, call: Call, failure: httpx.Response | httpx.HTTPError) -> float | None:
    """Give the seconds to wait before the try after try `number`; None when the failure is final."""
    if number >= TRIES:
        return None
    pause = min(_FIRST_PAUSE * 2.0 ** (number - 1), _LONGEST_PAUSE)
    if isinstance(failure, httpx.HTTPError):
        never_sent = isinstance(failure, httpx.ConnectError)
        return pause if never_sent or may_repeat(call) else None
    if failure.status_code not in _LATER or not (may_repeat(call) or failure.status_code == 429):
        return None
    said = failure.headers.get("retry-after", "")
    return min(max(pause, float(said)), _LONGEST_PAUSE) if said.isdecimal() else pause


def unreachable(server: httpx.URL, error: httpx.HTTPError) -> ServerUnreachableError:
    """Make the error for a daemon that does not answer."""
    why = str(error) or type(error).__name__
    place = str(server).removesuffix(BASE + "/")
    return ServerUnreachableError(f"cannot reach {place}: {why}; does duly up run there?")


def read_answer(ask: Ask[R], answer: httpx.Response) -> R:
    """Give what an ask was answered with; raise the error that a problem document tells of."""
    is_json = ask.operation.media == JSON
    content = check(answer) if is_json or not answer.is_success else None
    return answer_of(ask, content, answer.content, answer.headers.get("undo-token"))


def check(answer: httpx.Response) -> Any:
    """Give the JSON of an answer; raise the error that a problem document tells of."""
    try:
        content = answer.json()
    except ValueError:
        raise DulyError(
            f"{answer.request.url} answered {answer.status_code} without JSON: is there a daemon of duly?"
        ) from None
    if answer.is_success:
        return content
    document = content if isinstance(content, dict) else {}
    raise error_of({"status": answer.status_code, "detail": document.get("error") or answer.reason_phrase, **document})


class EventReader:
    """Reads server-sent events from lines, and remembers the last id."""

    def __init__(self, last_id: str | None = None) -> None:
        self.last_id = last_id

    def headers(self) -> dict[str, str]:
        """Give the headers with which the stream goes on where it ended."""
        going_on = {} if self.last_id is None else {"Last-Event-ID": self.last_id}
        return {"Accept": "text/event-stream", **going_on}

    def read(self, lines: Iterable[str]) -> Iterator[LiveEvent]:
        """Give the events of some lines."""
        for line in lines:
            if line.startswith("data: "):
                event = decode(LiveEvent, json.loads(line.removeprefix("data: ")))
                self.last_id = event.id
                yield event
