"""What a schedule remembers of its last run."""

from __future__ import annotations

import json

from duly.ports.records import Settlement


def last_result(settlement: Settlement) -> str | None:
    """The result of a run that ended well, an error object for one that did not."""
    return settlement.result if settlement.error is None else error_result(settlement.error)


def error_result(error: str | None) -> str | None:
    """The error object of a run that nobody settled; None when there is nothing to tell."""
    return None if error is None else json.dumps({"error": error})
