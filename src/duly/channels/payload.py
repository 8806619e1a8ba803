"""Careful hands for other people's JSON: what is not there, or not what it should be, is None and not a crash."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from duly.errors import InboundRefusedError


def load(channel: str, body: bytes | str) -> dict[str, Any]:
    """The JSON object that a request holds."""
    try:
        found = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise InboundRefusedError(f"{channel}: the body is no JSON ({type(error).__name__})") from None
    if not isinstance(found, dict):
        raise InboundRefusedError(f"{channel}: the body is no JSON object")
    return found


def dig(data: Any, *path: str) -> Any:
    """The value at the end of a path of names, or None."""
    for name in path:
        if not isinstance(data, dict):
            return None
        data = data.get(name)
    return data


def text(data: Any, *path: str) -> str | None:
    """A text or a number there, as text; what no store can keep, half a character or a NUL, is a question mark."""
    found = dig(data, *path)
    if isinstance(found, str):
        return found.encode("utf-8", "replace").decode().replace("\0", "?") or None
    return str(found) if isinstance(found, int) and not isinstance(found, bool) else None


def each(data: Any, *path: str) -> Iterator[dict[str, Any]]:
    """The objects in a list there."""
    found = dig(data, *path)
    if isinstance(found, list):
        yield from (item for item in found if isinstance(item, dict))
