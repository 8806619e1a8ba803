"""What a handler returned or raised, as text that every store can keep.

A handler may return any object and raise any error: what cannot be encoded is described, and never raises an error of
its own.
"""

from __future__ import annotations

import concurrent.futures
import traceback
from pathlib import Path
from types import TracebackType
from typing import Any

from duly.errors import DulyError, InvalidInputError, RunTimeoutError
from duly.outbound.masking import Mask
from duly.ports.codec import encode_json

_LONGEST = 4000
_CALLERS = (str(Path(__file__).parents[1]), str(Path(concurrent.futures.__file__).parent))


def encode_result(value: Any) -> str | None:
    """Encode a result as JSON; one that is not JSON as its description."""
    if value is None:
        return None
    try:
        return encode_json(value, "result")
    except (InvalidInputError, RecursionError):
        return encode_json({"repr": _describe(value)}, "result")


def _describe(value: Any) -> str:
    try:
        return repr(value)[:_LONGEST]
    except Exception:  # its own __repr__ fails
        return f"<{type(value).__name__}>"


def describe_error(error: BaseException) -> str:
    """Describe an error as the history shows it."""
    try:
        text = f"{type(error).__name__}: {error}"
    except Exception:  # its own __str__ fails
        text = type(error).__name__
    return Mask().text(printable(text))[:_LONGEST]


def summary_of(error: BaseException) -> dict[str, str]:
    """Give the summary that the log shows instead of a message that quotes an agent."""
    summary = error.summary if isinstance(error, DulyError) else None
    return {} if summary is None else {"summary": printable(f"{type(error).__name__}: {summary}")[:_LONGEST]}


def trace_of(error: BaseException) -> dict[str, str]:
    """Give the traceback of an error, unless duly raised it on purpose: then its message says everything.

    Of a timeout, it shows where the handler was when its time was up.
    """
    shown = error.__cause__ if isinstance(error, RunTimeoutError) else error
    if shown is None or isinstance(shown, DulyError):
        return {}
    lines = traceback.format_exception(type(shown), shown, _from_the_handler(shown.__traceback__))
    return {"traceback": Mask().text(printable("".join(lines)))[-_LONGEST:]}


def _from_the_handler(trace: TracebackType | None) -> TracebackType | None:
    """Leave out how duly called the handler: its own code is what failed; without any of it, all is shown."""
    found = trace
    while found is not None and found.tb_frame.f_code.co_filename.startswith(_CALLERS):
        found = found.tb_next
    return found or trace


def printable(text: str) -> str:
    """Make text that every store can keep: error messages quote binary data and file names that are not UTF-8."""
    return text.encode("utf-8", "backslashreplace").decode().replace("\0", "\\x00")
