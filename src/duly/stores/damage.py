"""Stored values that cannot be read: which one it is, and whose."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from duly.errors import DecodeError
from duly.model.run import Origin, Status

Reader = Callable[[Any], object]
OF_RUNS: dict[str, Reader] = {"origin": Origin, "status": Status, "result": json.loads, "progress": json.loads}
"""How the columns of a run are read that every store keeps as text."""


def find_damage(what: str, row: Mapping[str, Any], readers: Mapping[str, Reader]) -> DecodeError:
    """The first column of a row that cannot be read; looked for once reading all of it has failed."""
    for name, read in readers.items():
        try:
            if row[name] is not None:
                read(row[name])
        except (ValueError, OverflowError) as error:
            return damaged(what, name, row, str(error))
    return DecodeError(what, dict(row), "cannot be read")


def damaged(what: str, column: str, row: Mapping[str, Any], reason: str) -> DecodeError:
    """A column that cannot be read, with a note that says in which schedule."""
    error = DecodeError(f"{what}.{column}", row[column], f"cannot be read ({reason})")
    error.add_note(f'in the persisted state of "{row["name"]}"')
    return error
