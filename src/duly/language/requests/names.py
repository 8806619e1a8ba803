"""Days and months that may be names of people: "call Mr Friday at 8", "llamar a Domingo el lunes".

Behind a title that stands before nothing but a name, a day is one and stays in the text (`Words.saying`). Where it only
may be one, the sentence is asked: behind a title that is a word of its own as well ("Frau", "señor"), and with a
capital in the middle of a sentence whose language writes days without one.
"""

from __future__ import annotations

from collections.abc import Iterator

from duly.language.atoms import AtomKind, WordRole
from duly.language.lexicon import kinds_of, roles_of
from duly.language.requests.form import RequestWords
from duly.language.requests.tokens import Words

_NAMES = frozenset({AtomKind.WEEKDAY, AtomKind.MONTH})
_DAYS = frozenset({AtomKind.WEEKDAY, AtomKind.WEEKDAYS})
_TELL_WHICH = frozenset(
    {AtomKind.EVERY, AtomKind.NEXT, AtomKind.THIS, AtomKind.COMING, AtomKind.ORDINAL, AtomKind.RELATIVE_DAY}
)
"""Beside a day these say which one is meant: "next Monday"."""
_JOINS = WordRole.AND | WordRole.TO
_RELATES = (
    _JOINS | WordRole.FROM | WordRole.START | WordRole.EXCEPT | WordRole.INSTEAD | WordRole.BETWEEN | WordRole.AFTER
)
"""Between two days these say what they have to do with each other."""


def unjoined_day(stretch: Words, code: str) -> int | None:
    """Return the place of a day that only words such as "the" part from another: no list, "a Domingo el lunes"."""
    day = -1
    for at, word in enumerate(stretch.folded):
        role = roles_of(word, code)
        if kinds_of(word, code) & _DAYS:
            if 0 <= day < at - 1 and stretch.runs_on(at):
                return day
            day = at
        elif not role or role & _RELATES or not stretch.runs_on(at):
            day = -1
    return None


def names_taken(
    text: Words, claimed: tuple[Words, ...], words: Words, known: RequestWords, code: str
) -> Iterator[tuple[Words, int]]:
    """Yield the stretches of a time with the place of a word in each that may be a name."""
    for stretch in claimed if len(text) else ():
        named = [at for at, word in enumerate(stretch.folded) if kinds_of(word, code) & _NAMES]
        if not named or text.place[0] > stretch.place[0]:
            continue
        other = unjoined_day(stretch, code)
        for at in named:
            place = len(words.beside(stretch.part(at))[0])
            is_one = at == other or _is_titled(text, words, place, known)
            if is_one or (
                known.days_small
                and words.has_odd_capital(place)
                and not _is_announced(words, place, code)
                and not _is_listed(words, place, code)
            ):
                yield stretch, at


def _is_titled(text: Words, words: Words, at: int, known: RequestWords) -> bool:
    """Tell whether a day stands behind a title that may be all there is: "call the doctor Friday" says when."""
    if not at or (words.folded[at - 1],) not in known.forms("title_nouns") or len(text) == 1:
        return False
    return known.days_small or at < 2 or (words.folded[at - 2],) not in known.forms("determiners")


def _is_announced(words: Words, at: int, code: str) -> bool:
    """Tell whether the words beside a day or a month say that it is one: "el Lunes", "u Petak", "5 de Julio"."""
    before = words.folded[at - 1] if at else ""
    behind = words.folded[at + 1] if at + 1 < len(words) else ""
    kinds = kinds_of(before, code) | (kinds_of(behind, code) - {AtomKind.EVERY, AtomKind.ORDINAL})
    role = roles_of(before, code)
    if AtomKind.MONTH in kinds_of(words.folded[at], code):
        return before[:1].isdecimal() or AtomKind.NUMBER in kinds or bool(role & WordRole.OF)
    is_date = behind[:1].isdecimal() and AtomKind.MONTH in kinds_of("".join(words.folded[at + 2 : at + 3]), code)
    says_when = role & WordRole.ON or (role & WordRole.HABIT and not role & WordRole.OF)
    return bool(kinds & _TELL_WHICH) or is_date or bool(says_when and not role & WordRole.TO)


def _is_listed(words: Words, at: int, code: str) -> bool:
    """Tell whether a day is one of several that are joined: "Lunes y Jueves", "de Lunes a Viernes"."""
    return _is_joined(words, range(at + 1, len(words)), code) or _is_joined(words, range(at - 1, -1, -1), code)


def _is_joined(words: Words, places: range, code: str) -> bool:
    joined = False
    for place in places:
        word = words.folded[place]
        joined = joined or words.is_cut_off(max(place, place - places.step))
        if kinds_of(word, code) & _DAYS:
            return joined
        if not roles_of(word, code):
            return False
        joined = joined or bool(roles_of(word, code) & _JOINS)
    return False
