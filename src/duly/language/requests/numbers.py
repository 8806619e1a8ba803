"""Words behind a time that may be of it, or of the text: minutes or a dose, a part of the day or "night cream".

"At 8 30 dentist" is half past eight, "at 8 20 drops" is eight o'clock and twenty drops. A number that may be either is
asked about, and no number is ever added to a time that is complete without it.
"""

from __future__ import annotations

from functools import cache

from duly.language.atoms import AtomKind, WordRole
from duly.language.forms import Form, longest
from duly.language.grammar.clauses import Slot
from duly.language.languages import LANGUAGES
from duly.language.lexicon import kinds_of, numbers_of, roles_of
from duly.language.requests.around import is_of_noun
from duly.language.requests.form import RequestWords
from duly.language.requests.requests import request_words
from duly.language.requests.times import TimeReader
from duly.language.requests.tokens import Words

_USUAL_MINUTES = frozenset({0, 15, 30, 45})
_LEAST_MINUTES = 10
"""That are said without a nought behind an hour."""
_DAYS = frozenset({AtomKind.WEEKDAY, AtomKind.WEEKDAYS, AtomKind.RELATIVE_DAY})
_HOURLY = frozenset({Slot.TIMES, Slot.PACE, Slot.OFFSET})


def ends_of(words: Words, start: int, end: int, known: RequestWords | None, times: TimeReader) -> tuple[int, ...]:
    """Return where a stretch of time ends that words follow: in one place, or in two if its last word is doubtful."""
    code = times.lang
    if ends := _before_part(words, start, end, known, times):
        return ends
    before = _before_number(words, start, end, code)
    if before is None:
        return (end,)
    shorter = _read_until(words, start, before, times)
    is_dose = end - before == 1 and bool(longest(_forms(known, "doses"), words.folded, end))
    if shorter is None:
        if is_dose and roles_of(words.folded[before - 1], code) & WordRole.AND:
            return (end, before - 1)  # at 8 and 20 drops
        # "At 8 to 5 mg" is no eight minutes before five, "um 7 an die 20 Tropfen" no twentieth.
        return (_before_little(words, start, before, times) or end,) if is_dose else (end,)
    behind_hour = Slot.TIMES in shorter
    number = _value(words, start, end, before, times)
    if end - before > 1:  # at 8 30 minutes walk
        return (end, before) if behind_hour or Slot.PACE in shorter else (end,)
    if is_dose or (number == 1 and not words.folded[before].isdecimal() and shorter & _HOURLY):
        return (before,)  # à 22h un comprimé: no minute, but an article
    if longest(_forms(known, "joints"), words.folded, end) or words.is_cut_off(end):
        return (end,)
    if behind_hour and AtomKind.OCLOCK in kinds_of(words.folded[before - 1], code) and number >= _LEAST_MINUTES:
        return (end,)
    if behind_hour and number in _USUAL_MINUTES and not _is_plural(words.folded[end], known):
        return (end,)
    return (end, before)


def _before_part(words: Words, start: int, end: int, known: RequestWords | None, times: TimeReader) -> tuple[int, ...]:
    """Return where a time ends whose last word may name the thing that follows; nothing where it cannot.

    In "at 21:00 night cream" the night adds nothing to the hour; "at 8 evening class" may be at 8 or at 20, and
    "every 2 days night cream" on these days, or in their nights. Behind the name of a day it is a part of that day, but
    for things that are known: "friday night", but "friday night cream".
    """
    last = end - 1
    may_name = is_part_noun(words, last, known) and start < last and end < len(words)
    behind_day = bool(kinds_of(words.folded[last - 1], times.lang) & _DAYS)
    if not may_name or (behind_day and not _names_thing(words, last, known, times)):
        return ()
    shorter = times.part(words, start, last)
    whole = times.part(words, start, end)
    if whole is None or (shorter is None and not behind_day):
        return ()
    return (last,) if shorter is not None and shorter.canonical() == whole.canonical() else (end, last)


def _before_little(words: Words, start: int, end: int, times: TimeReader) -> int:
    """Return where a time ends before little words at a place; 0 where it does not."""
    for at in range(end - 1, start, -1):
        if not roles_of(words.folded[at], times.lang):
            return 0
        if _read_until(words, start, at, times):
            return at
    return 0


def is_part_noun(words: Words, at: int, known: RequestWords | None) -> bool:
    """Tell whether a word may be a part of the day, or begin the name of a thing."""
    return (words.folded[at],) in _forms(known, "part_nouns")


def _names_thing(words: Words, at: int, known: RequestWords | None, times: TimeReader) -> bool:
    """Tell whether a part of the day at a place is of the name of a thing: "night cream", "noche de juegos"."""
    things = _forms(known, "part_things")
    if any(longest(things, words.folded, each) for each in (at, at + 1)):
        return True
    joined = known is not None and longest(known.forms("joints"), words.folded, at + 1)
    return not joined and is_of_noun(words, at + 1, times.lang)


def is_dose_before_part(words: Words, tail: int, times: TimeReader) -> bool:
    """Tell whether a number before "in the evening" may be its hour, or belong to the text: "take 2 in the evening"."""
    if not words.folded[tail - 1].isdecimal():
        return False
    phrase = times.part(words, tail, len(words))
    reading = None if phrase is None else phrase.reading
    begins = reading is not None and reading.pieces[0].slot is Slot.PART
    return begins and times.part(words, tail - 1, len(words)) is not None


def counts_things(words: Words, end: int, known: RequestWords | None) -> bool:
    """Tell whether a number before a place counts what stands there: "2 pills", but not "remind me 2 feed the cat"."""
    if not words.folded[end - 1].isdecimal() or end >= len(words):
        return False
    return bool(longest(_forms(known, "doses"), words.folded, end)) or _is_plural(words.folded[end], known)


def is_hour_of_part(words: Words, tail: int, times: TimeReader) -> bool:
    """Tell whether a time begins with a bare number before a part of the day, which may be a dose."""
    if not words.folded[tail].isdecimal() or tail + 1 >= len(words):
        return False
    return AtomKind.PART in kinds_of(words.folded[tail + 1], times.lang)


def _before_number(words: Words, start: int, end: int, code: str | None) -> int | None:
    """Return the place of a number at the end of a stretch, or of one before "minutes"; None without one."""
    last = end - 1
    if last > start + 1 and AtomKind.UNIT in kinds_of(words.folded[last], code):
        last -= 1
    if last <= start or not _is_number(words.folded[last], code):
        return None
    before = words.folded[last - 1]
    if not roles_of(before, code) & WordRole.AT or AtomKind.OCLOCK in kinds_of(before, code):
        return last
    is_counted = last - 1 > start and _is_number(words.folded[last - 2], code)
    return last if is_counted and AtomKind.UNIT in kinds_of(before, code) else None  # ogni 8 ore 20; at 8


def _is_number(word: str, code: str | None) -> bool:
    return (word.isdecimal() and len(word) <= 3) or AtomKind.NUMBER in kinds_of(word, code)


def _value(words: Words, start: int, end: int, at: int, times: TimeReader) -> float:
    """Return the number at a place of a stretch of time, in the language in which it is read."""
    word = words.folded[at]
    phrase = times.part(words, start, end)
    code = times.lang if phrase is None else phrase.lang
    return float(word) if word.isdecimal() else min(numbers_of(word, code), default=0)


def _read_until(words: Words, start: int, end: int, times: TimeReader) -> frozenset[Slot] | None:
    phrase = times.part(words, start, end)
    return None if phrase is None else phrase.slots


def _is_plural(word: str, known: RequestWords | None) -> bool:
    """Tell whether a word may be several things, which a number before it counts."""
    endings = [known.plurals] if known is not None else [request_words(code).plurals for code in LANGUAGES]
    return any(word.endswith(tuple(each.split("|"))) for each in endings)


@cache
def _of_all(field: str) -> frozenset[Form]:
    return frozenset().union(*(request_words(code).forms(field) for code in LANGUAGES))


def _forms(known: RequestWords | None, field: str) -> frozenset[Form]:
    return _of_all(field) if known is None else known.forms(field)
