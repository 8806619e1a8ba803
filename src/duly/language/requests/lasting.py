"""A series that begins with how long it goes on: "for 5 days at 8 a pill", "5 Tage lang um 8 eine Tablette".

A word says that the period lasts, so it is no moment from now; nothing else says that the time comes again.
"""

from __future__ import annotations

from collections.abc import Iterator

from duly.language.atoms import AtomKind
from duly.language.forms import Form, longest
from duly.language.languages import LANGUAGES
from duly.language.lexicon import kinds_of, numbers_of
from duly.language.parsing import Phrase
from duly.language.requests.form import RequestWords
from duly.language.requests.requests import request_words
from duly.language.requests.times import TimeReader, run
from duly.language.requests.tokens import Words
from duly.recurrence import Once


def lasting_length(words: Words, times: TimeReader) -> tuple[Words, Words] | None:
    """Cut off the period at the beginning; None where there is none, or nothing behind it."""
    start = max((longest(_lasting_forms(known), words.folded) for known in _spoken(times)), default=0)
    end = start + 2
    if end >= len(words) or AtomKind.UNIT not in kinds_of(words.folded[end - 1], times.lang):
        return None
    number = words.folded[start]
    if not (number.isdecimal() or AtomKind.NUMBER in kinds_of(number, times.lang)):
        return None
    if words.folded.count(words.folded[end - 1]) > 1:
        return None  # two of them: which is meant is asked
    is_marked = AtomKind.LASTED in kinds_of(words.folded[end], times.lang)
    rest = words.part(end + is_marked)
    return (words.part(start, end), rest) if (start or is_marked) and len(rest) else None


def series_of(length: Words, times: TimeReader, *stretches: str) -> Phrase | None:
    """Read a period and the times of its days as a series; None where they are none."""
    phrase = times.read(length.written, *stretches, usual=True)
    return None if phrase is None or isinstance(phrase.trigger, Once) else phrase


def series_ends(length: Words, rest: Words, times: TimeReader) -> Iterator[tuple[int, Phrase]]:
    """Yield where the times of its days may end, and the series: "for 5 days | at 8 and 20 …"."""
    for end in range(run(rest.timely, times.may_be_time), 0, -1):
        series = series_of(length, times, rest.part(0, end).written) if _may_end(rest, end, times) else None
        if series is not None:
            yield end, series


def _may_end(words: Words, end: int, times: TimeReader) -> bool:
    """Tell whether a time may end at a place: not with a number that counts what follows."""
    if end == len(words):
        return True
    last = words.folded[end - 1]
    behind_number = end > 1 and words.folded[end - 2].isdecimal()
    return not (last.isdecimal() and behind_number) and not is_article(last, times)


def is_article(word: str, times: TimeReader) -> bool:
    """Tell whether a word is "one", which also is an article."""
    return not word.isdecimal() and min(numbers_of(word, times.lang), default=0) == 1


def _spoken(times: TimeReader) -> Iterator[RequestWords]:
    return map(request_words, LANGUAGES if times.lang is None else (times.lang,))


def _lasting_forms(known: RequestWords) -> frozenset[Form]:
    """Return what says that a length lasts; "za 5 dana" also is in five days."""
    return known.forms("for_length") - known.forms("from_now")
