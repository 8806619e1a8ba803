"""What the answers of a service mean to an executor of kind "http"."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import cached_property
from typing import Any

from duly.errors import InvalidInputError
from duly.model.handover import HandoverState
from duly.outbound.masking import load_masked
from duly.planning.handovers import Outcome
from duly.ports.codec import encode_json

_LONGEST_COMPLAINT = 300
_LONGEST_ERROR = 4000
_TEMPORARY = frozenset({408, 425, 429})
_ENDED = {"succeeded": HandoverState.SUCCEEDED, "failed": HandoverState.FAILED}


@dataclass(frozen=True)
class ServiceAnswer:
    """What a service answered, without secrets."""

    status: int
    text: str
    headers: Mapping[str, str]
    """By their names in any case."""

    @cached_property
    def document(self) -> Any:
        """The answer as JSON; None where it is none, or too long to be read whole."""
        try:
            return load_masked(self.text)
        except (ValueError, RecursionError):
            return None

    @property
    def fields(self) -> Mapping[str, Any]:
        return self.document if isinstance(self.document, dict) else {}

    @property
    def state(self) -> str | None:
        """How far the service says it is."""
        found = self.fields.get("state")
        return found if isinstance(found, str) else None

    @property
    def is_final(self) -> bool:
        """Whether sending the same once more is of no use."""
        return 300 <= self.status < 500 and self.status not in _TEMPORARY

    def result(self) -> str | None:
        """Give the JSON of a result that is the whole answer; of a text, and of what is too long, the beginning."""
        if not self.text.strip():
            return None
        return _encoded(self.text[:_LONGEST_ERROR] if self.document is None else self.document)

    def outcome(self) -> Outcome | None:
        """Give the outcome that the answer to a look-up tells; None where it has not ended."""
        state = _ENDED.get(self.state or "")
        if state is None:
            return None
        if state is HandoverState.SUCCEEDED:
            return Outcome(state, result=_encoded(self.fields.get("result")))
        error = self.fields.get("error")
        given = error if isinstance(error, str) and error else "the service gave no reason"
        return Outcome(state, error=given[:_LONGEST_ERROR])

    def complaint(self) -> str:
        """Say why it did not take an order."""
        if 300 <= self.status < 400:
            return f"answered {self.status}: redirects are not followed, set url to where it leads"
        text = " ".join(self.text.split())
        shown = text if len(text) <= _LONGEST_COMPLAINT else f"{text[:_LONGEST_COMPLAINT]}…"
        return f"answered {self.status}: {shown or 'nothing'}"

    def retry_after(self, now: datetime) -> float | None:
        """Give the seconds after which it wants to be asked again: `Retry-After` has them, or a date."""
        given = self.headers.get("retry-after")
        if given is None:
            return None
        if given.strip().isdecimal():
            return float(given)
        try:
            at = parsedate_to_datetime(given)
        except ValueError:
            return None
        return max(0.0, (at.replace(tzinfo=at.tzinfo or UTC) - now).total_seconds())


def _encoded(value: Any) -> str | None:
    if value is None:
        return None
    try:
        return encode_json(value, "result")
    except InvalidInputError:
        return encode_json({"repr": json.dumps(value)[:_LONGEST_ERROR]}, "result")
