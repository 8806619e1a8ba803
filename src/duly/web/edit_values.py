"""Values as people type them into forms, read into what the use cases take; what cannot be read stays as it is."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

from duly.zones import Zone


def read_arguments(text: str) -> Any:
    """Read the arguments of a job: JSON, or lines such as `bucket=db`."""
    if not text.strip():
        return None
    try:
        return json.loads(text)
    except ValueError:
        pass
    found: dict[str, Any] = {}
    for line in text.splitlines():
        name, equals, value = line.partition("=")
        if not equals:
            return text
        try:
            found[name.strip()] = json.loads(value)
        except ValueError:
            found[name.strip()] = value.strip()
    return found


def read_whole(text: str) -> Any:
    """Read a whole number."""
    text = text.strip()
    return int(text) if text.isdecimal() else text or None


def read_number(text: str) -> Any:
    """Read an amount, maybe with a sign of dollars."""
    text = text.strip().lstrip("$").strip().replace(",", ".")
    try:
        return float(text) if text else None
    except ValueError:
        return text


def read_instant(text: str, zone: Zone) -> str | None:
    """Read a time of a field for local times."""
    try:
        naive = datetime.fromisoformat(text)
    except ValueError:
        return text or None
    return (naive if naive.tzinfo else zone.first_instant(naive)).isoformat()
