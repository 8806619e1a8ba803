"""Tokens of a phrase: words without case and diacritics, numbers, clock times and numeric dates.

People type "cetvrtak" for "četvrtak" and "naechste" for "nächste", and Serbian has two alphabets. `fold` makes one
form of all of them; a lexicon is folded the same way, in every spelling its words allow.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple
from unicodedata import combining, normalize

LONGEST = 300
"""The length limit of a phrase, in characters."""

_LATIN = "a b v g d đ e ž z i j k l lj m n nj o p r s t ć u f h c č dž š"
_CYRILLIC = dict(zip("абвгдђежзијклљмнњопрстћуфхцчџш", _LATIN.split(), strict=True))
_LETTERS = str.maketrans({**_CYRILLIC, "ß": "ss", "œ": "oe", "æ": "ae", "ł": "l"})
_PLAIN = str.maketrans({"đ": "d"})
_SPELLINGS = (("ä", "ae"), ("ö", "oe"), ("ü", "ue"), ("đ", "dj"))
_CHAT = re.compile(r"\b2(?:moro|morow|morrow|mrw|nite|night|day)\b")
_CHAT_WORDS = {
    "2moro": "tomorrow",
    "2morow": "tomorrow",
    "2morrow": "tomorrow",
    "2mrw": "tomorrow",
    "2nite": "tonight",
    "2night": "tonight",
    "2day": "today",
}
"""Words that are typed with a digit, which would be cut off as a number."""
_VULGAR = {"½": 0.5, "¼": 0.25, "¾": 0.75}

# The order of the alternatives decides: a date before a time before a number, because each begins like the next.
_TOKEN = re.compile(
    r"""
    [\s'’‘`´"“”„]*
    (?: (?P<word>(?![ap]\.[ ]?m\b)[^\W\d_½¼¾]+)
    | (?P<iso>[0-9]{4}(?:-[0-9]{1,2}-|/[0-9]{1,2}/)[0-9]{1,2})(?:t(?=[0-9]))?
    | (?P<date>[0-9]{1,2}(?P<sep>[./-])[ ]?[0-9]{1,2}(?P=sep)(?:[ ]?[0-9]{4}(?![0-9:h])|[0-9]{2}(?![0-9:h])))\.?
    | (?P<dayonly>[0-9]{1,2}\.[ ]?[0-9]{1,2}\.(?![0-9]) | [0-9]{1,2}/[0-9]{1,2}(?![0-9/]))
    | (?P<time>[0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?)(?![0-9:])
    | (?P<meridiem>\b[ap]\.[ ]?m\b\.?)
    | (?P<number>[0-9]{1,9}(?:[.,][0-9]{1,9})?(?![0-9]))(?P<dot>\.(?![0-9]))?
    | (?P<vulgar>[½¼¾])
    | (?P<other>\S)
    )
    """,
    re.VERBOSE | re.DOTALL,
)


class PhraseToken(NamedTuple):
    """A piece of the text."""

    kind: str
    """The name of the group that matched."""
    text: str
    """Folded, for a word; as typed otherwise."""
    glued: bool
    """Whether it stands right behind a number."""
    dot: bool = False


GAP_TOKEN = PhraseToken("gap", "", False)
"""Stands between the stretches of time of one sentence."""
COMMA_TOKEN = PhraseToken("other", ",", False)


@lru_cache(maxsize=4096)
def fold(word: str) -> str:
    """Return a word in lower case, in the Latin alphabet, without diacritics."""
    word = word.lower()
    if word.isascii():
        return word
    latin = word.translate(_LETTERS).translate(_PLAIN)
    return "".join(letter for letter in normalize("NFKD", latin) if not combining(letter))


def spellings(word: str) -> set[str]:
    """Return every folded form under which a word with special letters is typed."""
    forms = {fold(word)}
    for letter, pair in _SPELLINGS:
        if letter in word:
            forms |= {fold(word.replace(letter, pair)), *spellings(word.replace(letter, pair))}
    return forms


def tidy(text: str) -> str:
    """Prepare a text for `tokens`: composed characters, lower case, no punctuation at the end that says nothing."""
    composed = text if text.isascii() else normalize("NFC", text).replace("°", "º")
    tidied = composed.strip().rstrip("!…,;: ").lower()
    return _CHAT.sub(lambda found: _CHAT_WORDS[found[0]], tidied) if "2" in tidied else tidied


def tokens(text: str) -> list[PhraseToken]:
    """Cut a tidy text into tokens."""
    found: list[PhraseToken] = []
    after_number = -1
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup or "other"
        if kind == "word":
            word = match[kind]
            found.append(PhraseToken(kind, word if word.isascii() else fold(word), match.start(kind) == after_number))
            continue
        kind = _NUMERIC.get(kind, kind)
        piece = match[kind]
        glued = match.start(kind) == after_number
        found.append(PhraseToken(kind=kind, text=piece, glued=glued, dot=match["dot"] is not None))
        if kind in _GLUES:
            after_number = match.end()
    if found and found[-1].kind == "other" and found[-1].text == ".":
        found.pop()
    return found


_NUMERIC = {"sep": "date", "dot": "number"}  # inner groups
_GLUES = frozenset({"iso", "date", "dayonly", "time", "number", "vulgar"})


def vulgar(text: str) -> float:
    """Return the value of a fraction that is one character."""
    return _VULGAR[text]
