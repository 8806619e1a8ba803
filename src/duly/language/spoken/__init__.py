"""What duly says to people, in their language and alphabet.

Each language is one file, which is loaded when it is first needed: most processes need one or two.
"""

from __future__ import annotations

import re
from functools import lru_cache
from importlib import import_module

from duly.language.languages import FILES, LANGUAGES, code_of
from duly.language.spoken.form import MessageTexts, Spoken
from duly.language.spoken.script import in_cyrillic, is_serbian
from duly.model.action import Message

CYRILLIC = "sr-Cyrl"
"""The tag of Serbian in its other alphabet."""
_CYRILLIC_LETTERS = re.compile(r"[\u0400-\u04ff]")


@lru_cache(maxsize=64)
def spoken(tag: str | None) -> Spoken:
    """Return what duly says in a language (`de`, `de-AT`, `sr-Cyrl`); in English if duly does not speak it."""
    code = code_of(tag) or LANGUAGES[0]
    found: Spoken = import_module(f"duly.language.spoken.{FILES[code]}").SPOKEN
    return in_cyrillic(found) if tag is not None and tag.lower().replace("_", "-").endswith("-cyrl") else found


def words(tag: str | None) -> MessageTexts:
    """Return what duly says about reminders in a language."""
    return spoken(tag).messages


def answering_tag(language: str | None, text: str | None, read_as: str | None = None) -> str | None:
    """Choose how to answer a text: in the person's language, and in Cyrillic if the text is.

    Where the person has chosen no language, `read_as` is the one in which the text was read.
    """
    said = text or ""
    if _CYRILLIC_LETTERS.search(said) and code_of(language) in (None, "sr", "hr"):
        return CYRILLIC
    if language is not None:
        return language
    return "sr" if read_as == "hr" and is_serbian(said) else read_as


def question(message: Message, tag: str | None) -> str | None:
    """Return the question of a reminder: its own, else whether it is done; None if it wants no answer.

    Words of consent ("ok", "vale") count as done, so the question has to be one to which they say that.
    """
    if not message.require_ack:
        return None
    return message.ack_prompt or words(tag).is_it_done
