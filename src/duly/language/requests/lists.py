"""The closed lists of the auditor, out of the words of requests of a language."""

from __future__ import annotations

from functools import cache

from duly.language.loose import Lists
from duly.language.requests.requests import request_words


@cache
def lists_of(code: str) -> Lists:
    """Return the closed lists of the auditor in a language."""
    known = request_words(code)
    return Lists(
        code=code,
        parts=known.forms("parts_said"),
        ends=known.forms("opens_end"),
        starts=known.forms("opens_start"),
        exceptions=known.forms("opens_exception"),
        bounds=known.forms("bounds"),
        occasions=known.forms("occasions"),
        befores=known.forms("befores"),
        links=known.forms("danglers") | known.forms("joints"),
        lasting=known.forms("for_length"),
        nows=known.forms("nows"),
        doses=known.forms("doses"),
    )
