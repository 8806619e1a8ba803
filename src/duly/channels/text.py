"""Messages as vendors take them: plain text, short enough, with links where there are no buttons."""

from __future__ import annotations

import hashlib

from duly.ports.channels import Outgoing

_MARK = "…"


def shorten(text: str, limit: int) -> str:
    """The text, cut visibly when the vendor takes no more characters than `limit`."""
    return text if len(text) <= limit else text[: limit - len(_MARK)].rstrip() + _MARK


def shorten_utf16(text: str, limit: int) -> str:
    """`shorten`, for vendors that count as JavaScript does: most emoji are two."""
    if _units(text) <= limit:
        return text
    kept: list[str] = []
    room = limit - len(_MARK)
    for character in text:
        room -= _units(character)
        if room < 0:
            break
        kept.append(character)
    return "".join(kept).rstrip() + _MARK


def _units(text: str) -> int:
    return len(text) + sum(character > "\uffff" for character in text)


def shorten_bytes(text: str, limit: int) -> str:
    """`shorten`, for vendors that count bytes of UTF-8."""
    data = text.encode()
    if len(data) <= limit:
        return text
    return data[: limit - len(_MARK.encode())].decode(errors="ignore").rstrip() + _MARK


def titled(outgoing: Outgoing) -> str:
    """Title and text in one, for vendors that know no titles."""
    return f"{outgoing.title}\n\n{outgoing.text}" if outgoing.title else outgoing.text


def linked(outgoing: Outgoing) -> str:
    """Title, text and the buttons' links in one, for vendors that know no buttons."""
    links = [f"{button.label}: {button.url}" for button in outgoing.buttons if button.url]
    return "\n".join([titled(outgoing), "", *links]) if links else titled(outgoing)


def digest(*parts: str) -> str:
    """64 hexadecimal digits that stand for a key where the vendor takes no more, or no other characters."""
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()
