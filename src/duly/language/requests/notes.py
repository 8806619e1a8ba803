"""Notes: a time and what is to be done then, with no word that asks for a reminder: "tomorrow 9am dentist".

People write so to a thing that reminds them. They also chat, and what they tell names times, too ("see you at nine"): a
note is short, names an hour or how long from now, and has no word of a sentence that tells or asks something.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache

from duly.language.atoms import AtomKind
from duly.language.forms import longest
from duly.language.lexicon import kinds_of
from duly.language.parsing import Phrase
from duly.language.requests.doubts import Doubt, audited
from duly.language.requests.form import RequestWords
from duly.language.requests.parting import Parted, has_hour, part
from duly.language.requests.requests import Remind, request_words
from duly.language.requests.times import TimeReader
from duly.language.requests.tokens import Words

_MOST_WORDS = 7
_DAYS = frozenset({AtomKind.RELATIVE_DAY, AtomKind.WEEKDAY, AtomKind.WEEKDAYS, AtomKind.MONTH})
_TELLING = 5
"""Letters of a word of time that tells the language of a text."""
_LENGTH_IN_ENGLISH = re.compile(r"\b[0-9]+ ?h(?:[0-9]{2})?\b", re.IGNORECASE)
_OTHER_REQUESTS = ("moves", "cancels", "pauses", "resumes", "shows", "asks_what", "undos", "helps", "yes", "no")


def read_note(text: str, words: Words, codes: Sequence[str], times: Callable[[str], TimeReader]) -> Remind | None:
    """Read a note in the first language that finds a time in it; None where it may be anything else."""
    for code in codes:
        known = request_words(code)
        asked = words.without_courtesies(known, askings=False)
        if len(asked) < 2 or (code == "en" and _LENGTH_IN_ENGLISH.search(text)):
            continue  # 18h may be the clock of another language
        found = part(asked, known, times(code))
        if found.phrase is not None and any(map(_names_day, found.text.folded)):
            continue  # dentist Friday 9am: another language reads more of it
        if found.phrase is not None and tells(found.text, request_words(codes[0])):
            return None
        if found.phrase is not None:
            if not _is_certain(asked, found, found.phrase, known, times(code)):
                return None
            doubt = audited(found, asked, code, times(code))
            if isinstance(doubt, Doubt):
                return Remind(lang=code, text=found.written, phrase=None, doubt=doubt)
            return Remind(lang=code, text=found.written, phrase=found.phrase)
        if any(len(word) >= _TELLING and times(code).may_be_time(word) for word in asked.folded):
            return None  # it is this language, and no note
    return None


def _names_day(folded: str) -> bool:
    """Tell whether a word is a day or a month in any language."""
    return len(folded) >= _TELLING and bool(kinds_of(folded) & _DAYS)


def _is_certain(asked: Words, found: Parted, phrase: Phrase, known: RequestWords, times: TimeReader) -> bool:
    text = found.text
    if asked.asks or any(asked.begins(known, field) for field in _OTHER_REQUESTS):
        return False
    if found.more is not None or not 0 < len(text) <= _MOST_WORDS or text.has_clauses or tells(text, known):
        return False
    time_first = asked.written.startswith(phrase.text)
    if not time_first and not asked.written.startswith(text.written):
        return False  # I have the dentist at nine
    if not phrase.stretches and times.length(phrase.text) is not None:
        return time_first  # not "back in 10 min"
    if longest(known.forms("determiners"), asked.folded) and not time_first:
        return False  # the shop closes at nine
    return has_hour(phrase, known, times)


def tells(words: Words, known: RequestWords) -> bool:
    """Tell whether words have one of a sentence that tells or asks something."""
    words = words.without_said()  # say thanks
    forms = known.forms("statements")
    ends = _pattern(known.statement_ends)
    has_one = any(longest(forms, words.folded, at) or ends.search(word) for at, word in enumerate(words.folded))
    return has_one or words.is_one_of(known, "lone_statements")


@cache
def _pattern(expression: str) -> re.Pattern[str]:
    return re.compile(expression)
