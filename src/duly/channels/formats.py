"""Convert between our messages and the vendors' formats: text cut to a vendor's limits, and JSON read without trust."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from duly.errors import ChannelPermanentError, InboundRefusedError
from duly.model.addresses import fault_of_address
from duly.ports.channels import Outgoing

_MARK = "…"


def time_at(data: Any, *path: str) -> datetime | None:
    """Read a time in seconds; None where there is none."""
    given = text_at(data, *path) or ""
    try:
        return datetime.fromtimestamp(int(given), UTC) if given.isascii() and given.isdigit() else None
    except (ValueError, OverflowError, OSError):
        return None


def refuse_broken(channel: str, address: str) -> None:
    """Refuse an address that an older duly stored unchecked, before anything is sent."""
    if (fault := fault_of_address(channel, address)) is not None:
        raise ChannelPermanentError(f"{channel}: {address!r} {fault}")


# text for vendors


def shorten(text: str, limit: int) -> str:
    """Cut a text visibly when it has more than `limit` characters."""
    return text if len(text) <= limit else text[: limit - len(_MARK)].rstrip() + _MARK


def shorten_utf16(text: str, limit: int) -> str:
    """`shorten`, for vendors that count as JavaScript does: most emoji are two."""
    if _utf16_units(text) <= limit:
        return text
    kept: list[str] = []
    room = limit - len(_MARK)
    for character in text:
        room -= _utf16_units(character)
        if room < 0:
            break
        kept.append(character)
    return "".join(kept).rstrip() + _MARK


def _utf16_units(text: str) -> int:
    return len(text) + sum(character > "\uffff" for character in text)


def shorten_bytes(text: str, limit: int) -> str:
    """`shorten`, for vendors that count bytes of UTF-8."""
    data = text.encode()
    if len(data) <= limit:
        return text
    return data[: limit - len(_MARK.encode())].decode(errors="ignore").rstrip() + _MARK


def titled(outgoing: Outgoing) -> str:
    """Join title and text, for vendors without titles."""
    return f"{outgoing.title}\n\n{outgoing.text}" if outgoing.title else outgoing.text


def linked(outgoing: Outgoing) -> str:
    """Join title, text and the buttons' links, for vendors without buttons."""
    links = [f"{button.label}: {button.url}" for button in outgoing.buttons if button.url]
    return "\n".join([titled(outgoing), "", *links]) if links else titled(outgoing)


def digest(*parts: str) -> str:
    """Hash a key to 64 hexadecimal digits, for vendors that limit its length or its characters."""
    # The separator keeps ("ab", "c") and ("a", "bc") apart.
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


# JSON from vendors: a value that is missing or of another type is None, never an exception


def load_object(channel: str, body: bytes | str) -> dict[str, Any]:
    """Read the JSON object in a request; refuse any other body."""
    try:
        found = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise InboundRefusedError(f"{channel}: the body is no JSON ({type(error).__name__})") from None
    if not isinstance(found, dict):
        raise InboundRefusedError(f"{channel}: the body is no JSON object")
    return found


def value_at(data: Any, *path: str) -> Any:
    """Follow a path of names to its value, or to None."""
    for name in path:
        if not isinstance(data, dict):
            return None
        data = data.get(name)
    return data


def text_at(data: Any, *path: str) -> str | None:
    """Give a text or a number at a path, as text.

    Characters that no store can keep (half a surrogate pair, NUL) become question marks.
    """
    found = value_at(data, *path)
    if isinstance(found, str):
        return found.encode("utf-8", "replace").decode().replace("\0", "?") or None
    return str(found) if isinstance(found, int) and not isinstance(found, bool) else None


def objects_at(data: Any, *path: str) -> Iterator[dict[str, Any]]:
    """Give the objects of a list at a path."""
    found = value_at(data, *path)
    if isinstance(found, list):
        yield from (item for item in found if isinstance(item, dict))
