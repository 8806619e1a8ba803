"""What around a time belongs to it, or to the text: an end that is not understood, a length, a name with a number."""

from __future__ import annotations

import re
from datetime import timedelta

from duly.language.atoms import AtomKind, WordRole
from duly.language.forms import longest, longest_end
from duly.language.grammar.clauses import Slot
from duly.language.languages import LANGUAGES
from duly.language.lexicon import is_courtesy, is_elapsed_unit, kinds_of, may_be_courtesy, roles_of
from duly.language.parsing import Phrase
from duly.language.requests.beside import LENGTHS
from duly.language.requests.form import RequestWords
from duly.language.requests.times import TimeReader
from duly.language.requests.tokens import Words

NAME = re.compile(r"[a-z]+[0-9]+")
"""A word that may be a time, but is a name where another time is said: "U2 concert tomorrow at nine"."""
NAMES_DAYS = frozenset({Slot.DAYS, Slot.RHYTHM, Slot.PACE})
_ENDS = frozenset({AtomKind.UNIT, AtomKind.MONTH, AtomKind.WEEKDAY, AtomKind.SPAN})
"""Words at the end of "until early March"."""
_LONGEST_END = 7
_SHORTEST_SERIES = timedelta(days=2)
_DAY_WORDS = frozenset({AtomKind.WEEKDAY, AtomKind.WEEKDAYS, AtomKind.RELATIVE_DAY})
_SHORT = 2


def lasts(whole: Phrase, series: Phrase, times: TimeReader) -> bool:
    """Tell whether a bare length can be how long a series goes on: it has room for two fires.

    "Svaki dan u 8 popij lijek 10 dana" has, "every year book 2 weeks" has not.
    """
    bounds = None if whole.reading is None else whole.reading.bounds
    if bounds is None or bounds.lasting is None:
        return True
    length = timedelta(days=bounds.lasting.days + 30 * bounds.lasting.months)
    first = series.trigger.get_next_occurrence(times.now)
    second = None if first is None else series.trigger.get_next_occurrence(first)
    if first is None or second is None:
        return False
    return length >= max(2 * (second - first), _SHORTEST_SERIES if bounds.is_bare else timedelta())


def names_lead(words: Words, known: RequestWords, times: TimeReader) -> bool:
    """Tell whether the last words name something ahead of a time that cannot be read: "ping me a bit before"."""
    count = longest_end(known.forms("befores"), words.folded, len(words))
    before = words.folded[-count - 1 : -count] if count else ()
    return any(kinds_of(word, times.lang) & LENGTHS for word in before)


def counts_from_other(words: Words, head: int, known: RequestWords, times: TimeReader) -> bool:
    """Tell whether a length of time counts from something else than now: "2 hours before the flight"."""
    if not longest(known.forms("befores"), words.folded, head):
        return False
    return bool(kinds_of(words.folded[head - 1], times.lang or LANGUAGES[0]) & LENGTHS)


def names_end(words: Words, known: RequestWords, times: TimeReader) -> bool:
    """Tell whether the last words name an end that cannot be read: "till early March"."""
    last = words.folded[-_LONGEST_END:]
    if not last or not kinds_of(last[-1], times.lang) & _ENDS or is_elapsed_unit(last[-1], times.lang):
        return False  # for ten minutes
    for at in range(len(last)):
        counted = any(AtomKind.NUMBER in kinds_of(word, times.lang) or word.isdecimal() for word in last[at:])
        if longest(known.forms("behind_times"), last, at) or (counted and longest(known.forms("for_length"), last, at)):
            return True
    return False


def is_name(folded: tuple[str, ...], lang: str | None) -> bool:
    """Tell whether the last word is a name with a number: "call Bob about U2"."""
    letters = folded[-1].rstrip("0123456789")
    return bool(NAME.fullmatch(folded[-1])) and len(folded) <= _SHORT and not roles_of(letters, lang)


def behind_noun(words: Words, start: int, times: TimeReader) -> int:
    """Return where a time begins behind a day that belongs to the noun before it; 0 where none does.

    "Preparar la reunión del lunes todos los días a las 8": the Monday is one of the meeting, if the rest has its days.
    """
    size = len(words)
    if not start or not is_of_noun(words, start, times.lang):
        return 0
    phrase = times.part(words, start, size)
    reading = None if phrase is None else phrase.reading
    if reading is None or reading.pieces[0].slot is not Slot.DAYS or len(reading.pieces) < 2:
        return 0
    day = next((at for at in range(start, size) if kinds_of(words.folded[at], times.lang) & _DAY_WORDS), start)
    for at in range(day + 1, size):
        rest = times.part(words, at, size)
        if rest is not None:
            return at if rest.slots & NAMES_DAYS else 0
    return 0


def is_of_noun(words: Words, at: int, lang: str | None) -> bool:
    """Tell whether a day at a place is joined to the noun before it: "of"."""
    roles = [roles_of(word, lang) for word in words.folded[max(0, at - 1) : at + 1]]
    return any(role & WordRole.OF and not role & (WordRole.AT | WordRole.ON) for role in roles)


def begins_text(words: Words, last: int, times: TimeReader) -> bool:
    """Tell whether the last word of a time is of the text behind it: "tomorrow at 9 thank the neighbours".

    So is one that is a little word only with a time behind it: "alle 8 dai 3 gocce al bimbo".
    """
    if is_courtesy(words.folded[last], times.lang):
        return True
    if words.is_cut_off(last + 1) or not may_be_courtesy(words.folded[last], times.lang):
        return False
    return AtomKind.LITTLE in kinds_of(words.folded[last], times.lang)
