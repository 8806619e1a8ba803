"""The languages duly speaks: one file each, loaded when it is first needed."""

from __future__ import annotations

from functools import cache
from importlib import import_module

from duly.errors import InvalidInputError
from duly.language.languages.form import Language

_FILES = {
    "en": "english",
    "de": "german",
    "hr": "croatian",
    "sr": "serbian",
    "es": "spanish",
    "fr": "french",
    "it": "italian",
}
LANGUAGES = tuple(_FILES)
_ALIASES = {"bs": "hr", "sh": "hr", "cnr": "sr"}


def code_of(tag: str | None) -> str | None:
    """Return the code of the language that a tag such as "de-AT" stands for; None if duly does not speak it."""
    code = "" if tag is None else tag.lower().replace("_", "-").partition("-")[0]
    code = _ALIASES.get(code, code)
    return code if code in _FILES else None


def known_code(tag: str) -> str:
    """Return the code of the language that a tag stands for; refuse a tag of any other language."""
    code = code_of(tag)
    if code is None:
        raise InvalidInputError(f"unknown language {tag!r}: expected one of {', '.join(LANGUAGES)}")
    return code


@cache
def language(code: str) -> Language:
    """Load a language."""
    found: Language = import_module(f"duly.language.languages.{_FILES[code]}").LANGUAGE
    return found
