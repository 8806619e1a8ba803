"""Serbian texts in Cyrillic: every letter of the Latin alphabet has its counterpart.

Places in braces stay as they are, and so do words that are commands or names of things to type.
"""

from __future__ import annotations

import re
from dataclasses import fields, replace
from typing import Any

from duly.language.spoken.form import Spoken

_PAIRS = {"lj": "љ", "nj": "њ", "dž": "џ", "Lj": "Љ", "LJ": "Љ", "Nj": "Њ", "NJ": "Њ", "Dž": "Џ", "DŽ": "Џ"}
_LETTERS = dict(
    zip("abcčćdđefghijklmnoprsštuvzž", "абцчћдђефгхијклмнопрсштувзж", strict=True),
)
_LETTERS |= {latin.upper(): cyrillic.upper() for latin, cyrillic in _LETTERS.items()}
_KEPT = re.compile(r"(\{[^{}]*\}|`[^`]*`|\bduly\b)")
_PAIR = re.compile("|".join(_PAIRS))
_TABLE = str.maketrans(_LETTERS)


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
