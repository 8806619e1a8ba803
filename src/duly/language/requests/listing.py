"""Read questions about what there is: a day, a week, or everything."""

from __future__ import annotations

from collections.abc import Iterator

from duly.language.requests.form import GAP, RequestWords
from duly.language.requests.requests import ListRequest
from duly.language.requests.times import TimeReader
from duly.language.requests.tokens import Words
from duly.recurrence import Once

_SPANS = ("today", "tomorrow", "week", "next_week", "weekend")


def read_list(words: Words, known: RequestWords, times: TimeReader, code: str) -> ListRequest | None:
    """Read a question about what there is; None when it is none."""
    if words.is_one_of(known, "nouns") or (words.is_one_of(known, "everything") and len(words) > 1):
        return ListRequest(lang=code, span="all")
    rest = _asked(words, known)
    asks = rest is not None
    shows = 0 if asks else words.begins(known, "shows")
    if rest is None:
        rest = words.part(shows)
    if not asks and not shows and not words.begins(known, "nouns"):
        # "next week?": the mark is the question.
        return _spanned(words, known, times, code) if words.asks else None
    has_noun = any((word,) in known.forms("nouns") for word in words.folded)
    if rest.is_one_of(known, "everything"):
        return ListRequest(lang=code, span="all") if shows or asks or has_noun else None
    if not len(_least(rest, known)):
        if asks and not has_noun:
            return ListRequest(lang=code, span="today") if not len(rest) else None
        return ListRequest(lang=code, span="all") if has_noun else None
    found = _spanned(rest, known, times, code)
    return None if found is not None and found.span == "day" and shows and not has_noun else found


def _asked(words: Words, known: RequestWords) -> Words | None:
    """Give the words behind a question, or between its two parts; None without one. The longest form counts."""
    size = words.begins(known, "asks_what")
    best = words.part(size) if size else None
    for form in known.forms("asks_what"):
        if GAP not in form or len(form) <= size:
            continue
        place = form.index(GAP)
        end = len(words) - (len(form) - place - 1)
        if end >= place and words.folded[:place] == form[:place] and words.folded[end:] == form[place + 1 :]:
            best = words.part(place, end)
            size = len(form)
    return best


def _spanned(words: Words, known: RequestWords, times: TimeReader, code: str) -> ListRequest | None:
    """Read the days that are asked for, with the fewest words left out around them."""
    for said in _stripped(words, known):
        for span in _SPANS:
            if said.is_one_of(known, span):
                return ListRequest(lang=code, span=span)
    for said in _stripped(words, known):
        phrase = times.read(f"{said.written} 12:00") if len(said) else None
        if phrase is not None and isinstance(phrase.trigger, Once):
            day = times.zone.localize(phrase.trigger.at).date()
            return ListRequest(lang=code, span="day", day=day)
    return None


def _stripped(words: Words, known: RequestWords) -> Iterator[Words]:
    """Give the words with fewer and fewer of those around the day that mean nothing."""
    front = words
    while True:
        back = front
        while True:
            yield back
            count = back.ends(known, "list_fillers")
            if not count:
                break
            back = back.part(0, len(back) - count)
        count = front.begins(known, "list_fillers")
        if not count:
            return
        front = front.part(count)


def _least(words: Words, known: RequestWords) -> Words:
    return min(_stripped(words, known), key=len)
