"""Addresses of people at channels: one line of text each, and a mailbox where the channel is mail.

They are checked when they are stored and again before they are used: a line break in an address would begin another
header of a mail, or another line of a protocol.
"""

from __future__ import annotations

import re
import unicodedata

from duly.errors import InvalidInputError

EMAIL = "email"
_NO_LINE = frozenset(("Cc", "Cs", "Zl", "Zp"))
"""Categories of control characters, lone surrogates, and separators of lines and paragraphs."""
_LOOKS_LIKE_MAILBOX = re.compile(r"[^\s@<>,;:\"()\[\]\\]+@[^\s@<>,;:\"()\[\]\\]+")


def fault_of_address(channel: str, address: str) -> str | None:
    """Say what is wrong with an address; the text goes on after it. None if it can be stored and used."""
    if any(unicodedata.category(each) in _NO_LINE for each in address):
        return "has a line break or another control character: write it on one line"
    return _fault_of_mailbox(address) if channel == EMAIL else None


def check_address(channel: str, address: str) -> None:
    """Refuse an address that no message may be sent to."""
    if (fault := fault_of_address(channel, address)) is not None:
        raise InvalidInputError(f"{channel} address {address!r:.200} {fault}")


def _fault_of_mailbox(address: str) -> str | None:
    if not _LOOKS_LIKE_MAILBOX.fullmatch(address):
        return "is no mailbox such as ann@example.org"
    if (other := next((each for each in address if not each.isascii()), None)) is not None:
        shown = other if other.isprintable() else f"U+{ord(other):04X}"
        if not address.rpartition("@")[0].isascii() or not other.isprintable():
            return f"has the character {shown}, which no mailbox that duly writes to has: write it without"
        return f"has the character {shown} after the @: write the domain in ASCII, as it is registered (xn--…)"
    from email.headerregistry import Address as Mailbox  # late: it loads a lot, and few commands check a mailbox

    try:
        Mailbox(addr_spec=address)
    except (ValueError, IndexError) as error:
        return f"cannot be written to: {error}"
    return None
