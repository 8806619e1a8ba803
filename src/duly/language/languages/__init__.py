"""The languages that duly reads and speaks.

Each language is one file, which is loaded when it is first needed: most processes need one or two.
"""

from __future__ import annotations

from functools import cache, lru_cache
from importlib import import_module
from typing import TYPE_CHECKING

from duly.errors import InvalidInputError

if TYPE_CHECKING:
    from duly.language.languages.form import Language

FILES = {
    "en": "english",
    "de": "german",
    "hr": "croatian",
    "sr": "serbian",
    "es": "spanish",
    "fr": "french",
    "it": "italian",
}
LANGUAGES = tuple(FILES)
_ALIASES = {"bs": "hr", "sh": "hr", "cnr": "sr"}


@lru_cache(maxsize=64)
def code_of(tag: str | None) -> str | None:
    """Return the code of the language that a tag such as "de-AT" stands for; None if duly does not speak it."""
    code = "" if tag is None else tag.lower().replace("_", "-").partition("-")[0]
    code = _ALIASES.get(code, code)
    return code if code in FILES else None


def known_code(tag: str) -> str:
    """Return the code of the language that a tag stands for; refuse a tag of any other language."""
    code = code_of(tag)
    if code is None:
        raise InvalidInputError(f"unknown language {tag!r}: expected one of {', '.join(LANGUAGES)}")
    return code


@cache
def language(code: str) -> Language:
    """Load a language."""
    found: Language = import_module(f"duly.language.languages.{FILES[code]}").LANGUAGE
    return found
