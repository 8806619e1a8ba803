"""Serbian texts: in Cyrillic every letter of the Latin alphabet has its counterpart; words tell it from Croatian.

Places in braces stay as they are, and so do words that are commands or names of things to type.
"""

from __future__ import annotations

import re
from dataclasses import fields, replace
from typing import Any

from duly.language.spoken.form import Spoken
from duly.language.text import fold

_PAIRS = {"lj": "љ", "nj": "њ", "dž": "џ", "Lj": "Љ", "LJ": "Љ", "Nj": "Њ", "NJ": "Њ", "Dž": "Џ", "DŽ": "Џ"}
_LETTERS = dict(
    zip("abcčćdđefghijklmnoprsštuvzž", "абцчћдђефгхијклмнопрсштувзж", strict=True),
)
_LETTERS |= {latin.upper(): cyrillic.upper() for latin, cyrillic in _LETTERS.items()}
_KEPT = re.compile(r"(\{[^{}]*\}|`[^`]*`|\bduly\b)")
_PAIR = re.compile("|".join(_PAIRS))
_TABLE = str.maketrans(_LETTERS)
_SERBIAN = re.compile(
    r"\b(?:podseti\w*|podset(?:nik\w*|im)|seti me|sred[aue]|sredom|nedelj\w+|ponedelj\w+|posle|pre|sledec\w+"
    r"|poslednj\w+|uvek|uvece|ujutru|juce|mlek[ao]|lek(?:a|u|ove|ova|ovi|ar\w*)?|vreme|mesec\w*|dete|deca|decu"
    r"|vezb\w+|belesk\w+|hleb\w*|ovde|gde|pomeri\w*|obavesti\w*|avgust\w*|hteo|htela|zameni\w*|svetlo)\b"
)
"""Words that a Croat writes otherwise: "podsjeti", "srijeda", "poslije", "mlijeko", "studeni"."""


def is_serbian(text: str) -> bool:
    """Tell whether a text in the Latin alphabet, in Croatian or Serbian, has a word of Serbian only."""
    return _SERBIAN.search(fold(text)) is not None


def to_cyrillic(text: str) -> str:
    """Write a Serbian text in Cyrillic."""
    parts = _KEPT.split(text)
    return "".join(part if index % 2 else _written(part) for index, part in enumerate(parts))


def _written(text: str) -> str:
    return _PAIR.sub(lambda found: _PAIRS[found[0]], text).translate(_TABLE)


def in_cyrillic(spoken: Spoken) -> Spoken:
    """Write all texts of a language in Cyrillic."""
    return replace(spoken, **{each.name: _table(getattr(spoken, each.name)) for each in fields(spoken)})


def _table(texts: Any) -> Any:
    """Write the texts of a table, whose fields are texts or tables."""
    if isinstance(texts, str):
        return to_cyrillic(texts)
    if isinstance(texts, dict):
        return {key: _table(each) for key, each in texts.items()}
    if isinstance(texts, tuple):
        written = [_table(each) for each in texts]
        return type(texts)(*written) if hasattr(texts, "_fields") else tuple(written)
    return texts
