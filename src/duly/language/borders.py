"""The borders of a series that the auditor finds in a text: starts, ends and exceptions that no reading has claimed.

A word that bounds a series ("from", "until", "except", "not") counts with a time or an occasion behind it: "from
Monday", "not on holidays". One that stands right before a claimed time was torn off it: "from | Monday at 8".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from duly.language.atoms import AtomKind, WordRole
from duly.language.forms import longest
from duly.language.lexicon import forms_at, kinds_at, roles_of
from duly.language.loose import Lists, Loose, Stretch

CLOCK = re.compile(r"[0-9]{1,2}(?:[:.h][0-9]{2})(?:am|pm|h|uhr)?|[0-9]{1,2}(?:am|pm|uhr|h|hs)")
NUMBER = re.compile(r"[0-9]{1,4}")
_DATE = re.compile(r"[0-9]{1,2}[./][0-9]{1,2}(?:[./][0-9]{2,4})?|[0-9]{4}-[0-9]{2}-[0-9]{2}")
_DAY_NUMBER = re.compile(r"(?:[12]?[0-9]|3[01])(?:st|nd|rd|th|°|º|ª|er)?")
_TIMELY = frozenset(
    {
        AtomKind.WEEKDAY,
        AtomKind.WEEKDAYS,
        AtomKind.RELATIVE_DAY,
        AtomKind.DATE,
        AtomKind.MONTH,
        AtomKind.PART,
        AtomKind.FIXED_TIME,
        AtomKind.TIME,
        AtomKind.NEXT,
    }
)
_DAYS = _TIMELY - {AtomKind.PART, AtomKind.FIXED_TIME, AtomKind.TIME}
_NEXT_TO_ONWARD = frozenset({AtomKind.WEEKDAY, AtomKind.RELATIVE_DAY, AtomKind.MONTH, AtomKind.NUMBER})
_WHICH = frozenset({AtomKind.WEEKDAY, AtomKind.WEEKDAYS, AtomKind.UNIT, AtomKind.MONTH})
_COUNTED = frozenset({AtomKind.NUMBER, AtomKind.ORDINAL, AtomKind.ORDINAL_MARK, AtomKind.INCLUDED})
_COUNTED_BY = frozenset({AtomKind.TIMES, AtomKind.PER_DAY, AtomKind.UNIT})
_PERIODS = frozenset({AtomKind.UNIT, AtomKind.SPAN})
_STARTS = WordRole.START | WordRole.FROM
_LEAVES_OUT = WordRole.EXCEPT | WordRole.INSTEAD
_FARTHEST = 5
"""Words between which a bound names its time: "until the 20th of December"."""
_LONGEST_BOUND = 4


def find_border(text: Sequence[str], at: int, lists: Lists) -> Stretch | None:
    """Find what begins a start, an end or an exception at a place of a text."""
    size = longest(lists.bounds, text, at)
    if size and _names_time(text, at + size, lists):
        return Stretch(at, len(text), Loose.SINCE)
    for forms, says in ((lists.ends, Loose.END), (lists.starts, Loose.START), (lists.exceptions, Loose.EXCEPTION)):
        size = longest(forms, text, at)
        if size and (size > 1 or at + size < len(text)):
            is_since = says is Loose.START and _names_time(text, at + size, lists)
            return Stretch(at, len(text), Loose.SINCE if is_since else says)
    if AtomKind.ONWARD in kinds_at(text, at, lists.code) and (
        at == 0 or _NEXT_TO_ONWARD & kinds_at(text, at - 1, lists.code)
    ):
        return Stretch(at, at + 1, Loose.SINCE)
    for atoms, size in forms_at(text, at, lists.code):
        if atoms[0].kind is AtomKind.UNTIL_END:
            return Stretch(at, len(text), Loose.END)
        role = atoms[0].value if atoms[0].kind is AtomKind.LITTLE else 0
        bound = _bound_by(role, is_first=at == 0 or _goes_on(text, at + size, lists))
        names = _names_day if bound is Loose.SINCE else _names_time
        if bound is not None and names(text, at + size, lists):
            return Stretch(at, len(text), bound)
        if role & WordRole.TO and _begins_date(text, at + size, lists):
            return Stretch(at, len(text), Loose.END)
    return None


def is_torn(before: Sequence[str], behind: Sequence[str], lists: Lists, *, is_first: bool) -> bool:
    """Tell whether a word that bounds a series stands right before a time, or is cut in two there: "up | until".

    `is_first` says that the text begins with that word.
    """
    code = lists.code
    if _is_number(before[-1], code) and kinds_at(behind, 0, code) & _COUNTED_BY:
        return True
    for size in range(1, min(_LONGEST_BOUND, len(before)) + 1):
        said = tuple(before[-size:])
        if any(length > size for _, length in forms_at((*said, *behind[:_LONGEST_BOUND]), 0, code)):
            return True
        for forms in (lists.ends, lists.starts, lists.exceptions, lists.bounds):
            if said in forms or any(longest(forms, (*said, *behind[:more])) > size for more in (1, 2)):
                return True
    is_day = begins_with_day(behind, code)
    if len(before) > 1 and kinds_at(behind, 0, code) & _DAYS and _is_only_start(before[-2], code):
        return True  # ab kommendem | Montag
    begins = is_first and is_day  # von | Montag an
    return _is_left_of(before, behind, lists) or any(
        _bound_by(role, is_first=begins) is not None or (is_day and role & WordRole.EXCEPT)
        for role in _last_roles(before, code)
    )


def _is_left_of(before: Sequence[str], behind: Sequence[str], lists: Lists) -> bool:
    """Tell whether a start is cut before the word that says it goes on: "vom 25. | an jeden Tag"."""
    says_on = roles_of(behind[0], lists.code) == WordRole.ON and not begins_with_day(behind[1:2], lists.code)
    if not says_on and AtomKind.ONWARD not in kinds_at(behind, 0, lists.code):
        return False
    begins = range(max(0, len(before) - _FARTHEST), len(before) - 1)
    return any(roles_of(before[at], lists.code) & _STARTS and _names_day(before, at + 1, lists) for at in begins)


def _is_only_start(word: str, code: str) -> bool:
    role = roles_of(word, code)
    return bool(role & WordRole.START) and not role & WordRole.OF


def ends_in_start(before: Sequence[str], code: str) -> bool:
    """Tell whether the last words begin a series with the time behind them: "the pills from | Monday at 8"."""
    return any(role & WordRole.START for role in _last_roles(before, code))


def _last_roles(text: Sequence[str], code: str) -> Iterator[int]:
    for size in range(1, min(_LONGEST_BOUND, len(text)) + 1):
        for atoms, length in forms_at(text[-size:], 0, code):
            if length == size and atoms[0].kind is AtomKind.LITTLE:
                yield atoms[0].value


def _goes_on(text: Sequence[str], at: int, lists: Lists) -> bool:
    """Tell whether a word says behind a day that it is the first of a series: "vom 25. an", "del lunes en adelante"."""
    for place in range(at + 1, min(at + _FARTHEST, len(text))):
        is_last = place + 1 == len(text) and not kinds_at(text, place, lists.code) & _TIMELY
        if AtomKind.ONWARD in kinds_at(text, place, lists.code):
            return True
        if is_last and roles_of(text[place], lists.code) & WordRole.ON:
            return True
    return False


def begins_with_day(text: Sequence[str], code: str) -> bool:
    """Tell whether a time begins with a day, behind articles and numbers, and with no hour."""
    for place, word in enumerate(text):
        kinds = kinds_at(text, place, code)
        role = roles_of(word, code)
        if kinds & _DAYS or _DATE.fullmatch(word):
            return True
        is_hour = CLOCK.fullmatch(word) or role & (WordRole.AT | WordRole.ON) == WordRole.AT
        if is_hour or not (role or kinds & _COUNTED or _DAY_NUMBER.fullmatch(word)):
            return False
    return False


def is_cut_short(claimed: Sequence[str], behind: Sequence[str], lists: Lists) -> bool:
    """Tell whether the last word of a time needs what stands behind it: "december 10 | times", "al | 20 aprile"."""
    if _is_number(claimed[-1], lists.code) and kinds_at(behind, 0, lists.code) & {*_COUNTED_BY, AtomKind.MONTH}:
        return True
    if kinds_at(behind, 0, lists.code) & {AtomKind.LASTED, AtomKind.ONWARD}:
        return True  # 14 Tage | lang, da domani | in poi
    # lundi | prochain
    is_which = AtomKind.NEXT in kinds_at(behind, 0, lists.code) and not kinds_at(behind, 1, lists.code) & _WHICH
    if is_which and kinds_at(claimed, len(claimed) - 1, lists.code) & _WHICH:
        return True
    from_day = any(roles_of(word, lists.code) & WordRole.FROM for word in claimed)
    if from_day and roles_of(behind[0], lists.code) == WordRole.ON and not begins_with_day(behind[1:2], lists.code):
        return True  # von morgen | an
    is_little = bool(roles_of(claimed[-1], lists.code))
    return is_little and find_border((claimed[-1], *behind), 0, lists) is not None


def _is_number(word: str, code: str) -> bool:
    return NUMBER.fullmatch(word) is not None or AtomKind.NUMBER in kinds_at((word,), 0, code)


def _bound_by(role: int, *, is_first: bool) -> Loose | None:
    """Say what a little word bounds, with a time behind it; "of" may be "from" at the beginning of a text only."""
    if role & WordRole.START or (role & WordRole.FROM and (is_first or not role & WordRole.OF)):
        return Loose.SINCE
    if role & _LEAVES_OUT and not role & WordRole.LESS:
        return Loose.EXCEPTION
    if role & WordRole.TO and not role & (WordRole.AT | WordRole.BEFORE | WordRole.ON):
        return Loose.END
    return None


def _begins_date(text: Sequence[str], at: int, lists: Lists) -> bool:
    """Tell whether a date stands here, behind little words: "al | 20 aprile", "the 20th of April"."""
    while at < len(text) and roles_of(text[at], lists.code) and not NUMBER.fullmatch(text[at]):
        at += 1
    if at + 1 >= len(text) or not text[at][:1].isdecimal():
        return False
    of = at + 1 + bool(roles_of(text[at + 1], lists.code) & WordRole.OF)
    return AtomKind.MONTH in kinds_at(text, of, lists.code)


def _names_time(text: Sequence[str], at: int, lists: Lists) -> bool:
    """Tell whether a word of time or an occasion stands here, behind little words and numbers."""
    for place in range(at, min(at + _FARTHEST, len(text))):
        kinds = kinds_at(text, place, lists.code)
        if kinds & _TIMELY or CLOCK.fullmatch(text[place]) or _DATE.fullmatch(text[place]):
            return True
        if longest(lists.occasions, text, place):
            return True
        of_which = place > at and kinds_at(text, place - 1, lists.code) & {AtomKind.THIS, AtomKind.ORDINAL}
        if of_which and kinds & _PERIODS:
            return True
        counts = kinds & {*_COUNTED, AtomKind.THIS} or _DAY_NUMBER.fullmatch(text[place])
        if not (counts or roles_of(text[place], lists.code)):
            return False
    return False


def _names_day(text: Sequence[str], at: int, lists: Lists) -> bool:
    """Tell whether a time stands behind a word of a start, or a bare number that may be a day: "from the 25th"."""
    if _names_time(text, at, lists):
        return True
    if _is_only_start(text[at - 1], lists.code) and kinds_at(text, at + 1, lists.code) & _DAYS:
        return True  # ab kommendem Montag
    while at < len(text) and roles_of(text[at], lists.code) & WordRole.THE:
        at += 1
    if at >= len(text) or not _DAY_NUMBER.fullmatch(text[at]):
        return False
    return not longest(lists.doses, text, at + 1) and not kinds_at(text, at + 1, lists.code) & _PERIODS
