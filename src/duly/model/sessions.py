"""The ids of sessions, as people and tools name them.

One session may be written in many ways: with blanks around it, in other cases, and a UUID without hyphens or as a URN.
All ways have the same key, by which duly finds out whose session it is.
"""

from __future__ import annotations

import re

_SESSION = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:-]{0,199}")  # nothing that a command line takes for an option or a path
_UUID = re.compile(r"(?:urn:uuid:)?[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|urn:uuid:[0-9a-f]{32}", re.IGNORECASE)
"""A UUID that has a canonical form; 32 digits alone are left as they are: some tools name their sessions so."""


def is_session(text: str) -> bool:
    """Tell whether a text can be the id of a session."""
    return _SESSION.fullmatch(text) is not None


def as_stored(text: str) -> str:
    """Return the id of a session as it is stored: without blanks around it, a UUID in its canonical form."""
    import uuid  # late: few commands are about a session

    text = text.strip()
    return str(uuid.UUID(text.lower())) if _UUID.fullmatch(text) else text


def session_key(text: str) -> str:
    """Return what all ways to write a session have in common. Stores index the same expression."""
    return text.strip().lower().replace("urn:uuid:", "").replace("-", "")
