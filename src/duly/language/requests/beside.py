"""The words beside a time that was found in a text: whether they belong to it, so that it was understood only in part.

"In about 5 minutes", "today at 8am" in the evening, "3 days ago", "at 5 or 6", "29 February 2027": a part of each is a
time, and a wrong one. A reminder that comes at a wrong time is worse than a question, so such a time is not taken.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from duly.language.atoms import AtomKind
from duly.language.languages import LANGUAGES
from duly.language.lexicon import lexicon

_PAST = frozenset({"yesterday", "gestern", "vorgestern", "jucer", "juce", "ayer", "anteayer", "hier", "ieri"})
"""Days that are over."""
_AGO_BEFORE = frozenset(
    [
        "vor",
        "prije",
        "pre",
        "hace",
        "last",
        "letzten",
        "letzte",
        "letztes",
        "vorigen",
        "vorige",
        "prosli",
        "prosle",
        "proslog",
    ]
)
"""Before a length or a day: it is over."""
_AGO_BEHIND = frozenset({"ago", "fa", "passe", "passee", "pasado", "pasada", "scorso", "scorsa"})
_ENDS = frozenset({"until", "till", "til", "bis", "do", "hasta", "jusqu'a", "jusqu'au", "jusqu", "fino", "finche"})
"""Behind a time: its end follows, and was not understood."""
_OR = frozenset({"or", "oder", "ili", "o", "ou", "oppure"})
_AND = frozenset({"and", "und", "i", "y", "e", "et", "&", "+"})
_ZONES = frozenset(
    [
        "utc",
        "gmt",
        "z",
        "est",
        "edt",
        "cst",
        "cdt",
        "mst",
        "mdt",
        "pst",
        "pdt",
        "cet",
        "cest",
        "bst",
        "eet",
        "eest",
        "wet",
        "msk",
        "ist",
        "jst",
        "aest",
    ]
)
_ZONE_NOUNS = frozenset({"time", "zeit", "vrijeme", "vreme"})
_DAYS = frozenset(
    {AtomKind.WEEKDAY, AtomKind.WEEKDAYS, AtomKind.RELATIVE_DAY, AtomKind.DATE, AtomKind.TIME, AtomKind.FIXED_TIME}
)
_LENGTHS = frozenset({AtomKind.UNIT, AtomKind.SPAN})
_CLOCK = re.compile(r"[0-9]{1,2}[:.h][0-9]{2}.*|[0-9]{1,2}[ap]m")
_NUMBER = re.compile(r"[0-9]+.*")
_YEAR = re.compile(r"(?:19|20|21)[0-9]{2}")
_NEAR = 6


def belongs_before(words: Sequence[str], start: int, may_be_time: Callable[[str], bool], codes: Sequence[str]) -> bool:
    """Tell whether the words before a time belong to it."""
    near = list(reversed(words[max(0, start - _NEAR) : start]))
    if not near:
        return False
    if near[0] in _PAST | _AGO_BEFORE or AtomKind.ORDINAL in _kinds(near[0], codes):
        return True
    if near[:3] == ["a", "y", "il"] or near[:2] == ["unos", "en"]:
        return True
    run = list(_while(near, may_be_time))
    numbered = any(_NUMBER.fullmatch(word) or AtomKind.NUMBER in _kinds(word, codes) for word in run)
    kinds = {kind for word in run for kind in _kinds(word, codes)}
    has_clock = any(_CLOCK.fullmatch(word) for word in run)
    return has_clock or bool(kinds & _DAYS) or (numbered and bool(kinds & {*_LENGTHS, AtomKind.MONTH}))


def belongs_behind(words: Sequence[str], end: int, may_be_time: Callable[[str], bool], codes: Sequence[str]) -> bool:
    """Tell whether the words behind a time belong to it."""
    near = words[end : end + _NEAR]
    if not near:
        return False
    first = near[0].strip("()")
    if first in _PAST | _AGO_BEHIND | _ENDS | _ZONES or "/" in first or _YEAR.fullmatch(first):
        return True
    second = near[1].strip("()") if len(near) > 1 else ""
    if second in _ZONE_NOUNS:
        return True
    if first in _OR | _AND and second and may_be_time(second) and _is_of_time(second, codes):
        return True
    if _LENGTHS & _kinds(first, codes):
        return True
    run = list(_while(near, may_be_time))
    kinds = {kind for word in run for kind in _kinds(word, codes)}
    return any(_CLOCK.fullmatch(word) for word in run) or bool(kinds & (_DAYS | {AtomKind.ORDINAL, AtomKind.MONTH}))


def names_clock(words: Sequence[str]) -> bool:
    """Tell whether words that are not the time have an hour with minutes: which of the two is meant is not known."""
    return any(re.fullmatch(r"[0-9]{1,2}:[0-9]{2}.*", word) for word in words)


def _is_of_time(word: str, codes: Sequence[str]) -> bool:
    kinds = _kinds(word, codes)
    return bool(_NUMBER.fullmatch(word)) or bool(kinds & (_DAYS | _LENGTHS | {AtomKind.NUMBER, AtomKind.MONTH}))


def _kinds(word: str, codes: Sequence[str]) -> frozenset[AtomKind]:
    readings = (reading for code in codes or LANGUAGES for reading in lexicon(code).words.get(word, ()))
    return frozenset(atom.kind for reading in readings for atom in reading)


def _while(words: Sequence[str], may_be_time: Callable[[str], bool]) -> Iterator[str]:
    for word in words:
        if not may_be_time(word):
            return
        yield word
