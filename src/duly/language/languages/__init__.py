"""The languages duly speaks, and what it says to people in them.

Each language is one file, which is loaded when it is first needed: most processes need one or two.
"""

from __future__ import annotations

from datetime import datetime
from functools import cache, lru_cache
from importlib import import_module
from typing import TYPE_CHECKING

from duly.errors import InvalidInputError
from duly.model.action import Message
from duly.zones import Zone

if TYPE_CHECKING:
    from duly.language.languages.form import Language, MessageTexts

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


@lru_cache(maxsize=64)
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


def words(tag: str | None) -> MessageTexts:
    """Return the texts of a language (`de`, `de-AT`), the English ones if duly does not speak it."""
    return language(code_of(tag) or LANGUAGES[0]).messages


def question(message: Message, tag: str | None) -> str | None:
    """Return the question of a reminder: its own, else whether it is done; None if it wants no answer.

    Words of consent ("ok", "vale") count as done, so the question has to be one to which they say that.
    """
    if not message.require_ack:
        return None
    return message.ack_prompt or words(tag).is_it_done


def clock_time(moment: datetime, zone: Zone, now: datetime) -> str:
    """Say a moment on a person's clocks; with its date unless that is today."""
    local = zone.localize(moment)
    is_today = local.date() == zone.localize(now).date()
    return f"{local:%H:%M}" if is_today else f"{local:%Y-%m-%d %H:%M}"
