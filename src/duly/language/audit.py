"""The auditor: is a sentence understood to its last word?

It looks at the words that a reading leaves for the text, and knows nothing of the grammar. A word of time that could
have joined the time ("… in the evening", "… at 20"), or that begins an end, a start, an exception or a rhythm that
was not read ("until the pack is empty"), makes the reading doubtful. Words of time inside a noun phrase do not ("the
Monday report"), nor do all words behind a colon or in quotes. Everything it knows of a language is a closed list.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from duly.language.atoms import AtomKind, Atoms, Unit, WordRole
from duly.language.borders import CLOCK, NUMBER, find_border
from duly.language.forms import longest, longest_end
from duly.language.lexicon import forms_at, kinds_at, kinds_of, roles_of, vocabulary
from duly.language.loose import Lists, Loose, Stretch, TakenTime, WordPlace

_DOSE = re.compile(r"[0-3½]")
_TIMES_OF_SCHEME = 3
_HOURS = 24
_ONE = 1
_SHORTEST_NAME = 4
"""Letters of a weekday or month that may stand alone: "do", "sun" and "mar" are other words."""
_SHORTEST_FOREIGN = 5
_DAYS = frozenset({AtomKind.WEEKDAY, AtomKind.WEEKDAYS, AtomKind.RELATIVE_DAY, AtomKind.DATE})
_WHEN = WordRole.ON | WordRole.AT | WordRole.HABIT
_INSIDE = WordRole.OF | WordRole.FROM
_AMOUNTS = frozenset({AtomKind.NUMBER, AtomKind.FRACTION})
_LONGEST_AMOUNT = 4
"""Words of "half an hour", and the place of the unit among them."""
_BEGUN = (Loose.BESIDE, Loose.END, Loose.START, Loose.SINCE, Loose.EXCEPTION)
_PERIODS = (Unit.DAY, Unit.WEEK, Unit.MONTH, Unit.YEAR, Unit.WORKDAY)


def audit(
    text: Sequence[str], place: Sequence[WordPlace], claim: TakenTime, lists: Lists, behind: int = 0
) -> Stretch | None:
    """Return the first stretch of time in a text that makes a reading doubtful; None where it passes.

    `behind` is the place of the first word behind the time.
    """
    follows = claim.has_bare_length and behind < len(text) and place[behind] is WordPlace.OPEN
    if follows and longest(lists.befores, text, behind):
        return Stretch(behind, len(text), Loose.BESIDE)  # 30 minutes after the meal
    return next((each for each in _loose(text, place, lists) if _is_doubtful(each, claim)), None)


def begun(text: Sequence[str], place: Sequence[WordPlace], lists: Lists) -> Stretch | None:
    """Return the first stretch of a text that begins an end, a start or an exception, or counts from something else."""
    return next((each for each in _loose(text, place, lists) if each.says in _BEGUN), None)


def _is_doubtful(found: Stretch, claim: TakenTime) -> bool:
    says = found.says
    if says is Loose.LENGTH:
        return claim.has_length
    if says is Loose.LASTING:
        return claim.is_frequent or (claim.has_length and not claim.has_clock)
    if says is Loose.PERIOD:
        return not claim.has_clock and not claim.recurs and claim.has_length
    if says in (Loose.DAY, Loose.SINCE):
        return claim.recurs or not (claim.is_firm and claim.has_day and claim.has_clock)
    if says is Loose.PART:
        return claim.has_open_clock or not claim.has_clock
    if says in (Loose.TIMES, Loose.END, Loose.START, Loose.EXCEPTION):
        return claim.recurs
    return True


def _loose(text: Sequence[str], place: Sequence[WordPlace], lists: Lists) -> Iterator[Stretch]:
    at = 0
    while at < len(text):
        found = _at(text, at, lists) if place[at] is not WordPlace.APART else None
        said = [] if found is None else place[found.start : found.end]
        if found is not None and WordPlace.APART not in said and said[-1] is WordPlace.OPEN:
            yield found
        # In what begins an end or a start another time may stand.
        at = max(found.end, at + 1) if found is not None and found.says not in _BEGUN else at + 1


def _at(text: Sequence[str], at: int, lists: Lists) -> Stretch | None:
    for reader in (
        find_border,
        _part,
        _from_now,
        _now,
        _change,
        _beside,
        _length_or_times,
        _rhythm,
        _clock,
        _day,
        _foreign,
    ):
        found = reader(text, at, lists)
        if found is not None:
            return found
    return None


def _part(text: Sequence[str], at: int, lists: Lists) -> Stretch | None:
    size = longest(lists.parts, text, at)
    if not size or _is_inside(text, at, lists):
        return None
    is_another = at > 0 and roles_of(text[at - 1], lists.code) & WordRole.AND  # at noon one and in the evening two
    return Stretch(at, at + size, Loose.CLOCK if is_another else Loose.PART)


def _from_now(text: Sequence[str], at: int, lists: Lists) -> Stretch | None:
    """Find "in an hour", "in half an hour"."""
    role = roles_of(text[at], lists.code)
    if not role & WordRole.IN or role & (WordRole.AT | WordRole.LASTING | WordRole.BETWEEN):
        return None
    for place in range(at + 1, min(at + 4, len(text))):
        kinds = kinds_at(text, place, lists.code)
        if place > at + 1 and kinds & {AtomKind.UNIT, AtomKind.SPAN}:
            return Stretch(at, place + 1, Loose.FROM_NOW)
        if not kinds & {AtomKind.NUMBER, AtomKind.FRACTION}:
            return None
    return None


def _change(text: Sequence[str], at: int, lists: Lists) -> Stretch | None:
    """Find a length after which something else begins: "one pill, after a week two"."""
    start = at + longest(lists.befores, text, at)
    for place in range(start, min(start + 3, len(text))) if start > at else ():
        kinds = kinds_at(text, place, lists.code)
        twice = AtomKind.UNIT in kinds and AtomKind.UNIT in kinds_at(text, place + 1, lists.code)  # tjedan dana
        if AtomKind.SPAN in kinds or twice or (place > start and AtomKind.UNIT in kinds):
            return Stretch(at, place + 1, Loose.START)
        if not (kinds & _AMOUNTS or NUMBER.fullmatch(text[place])):
            return None
    return None


def _now(text: Sequence[str], at: int, lists: Lists) -> Stretch | None:
    size = longest(lists.nows, text, at)
    return Stretch(at, at + size, Loose.NOW) if size else None


def _beside(text: Sequence[str], at: int, lists: Lists) -> Stretch | None:
    """Find a length that counts from something else: "two hours after lunch", "half an hour before breakfast"."""
    code = lists.code
    for place in range(at, min(at + _LONGEST_AMOUNT, len(text))):
        for atoms, size in forms_at(text, place, code):
            kinds = [atom.kind for atom in atoms]
            end = place + size
            counted = place > at or size > 1 or len(kinds) > 1 or kinds[0] is AtomKind.SPAN
            if AtomKind.LEAD in kinds and kinds[0] in _AMOUNTS:
                return Stretch(at, len(text), Loose.BESIDE) if end < len(text) else None
            says_length = kinds[0] in (AtomKind.UNIT, AtomKind.SPAN) and counted
            if says_length and longest(lists.befores, text, end) and end + 1 < len(text):
                return Stretch(at, len(text), Loose.BESIDE)
        if not (kinds_at(text, place, code) & _AMOUNTS or NUMBER.fullmatch(text[place])):
            return None
    return None


def _length_or_times(text: Sequence[str], at: int, lists: Lists) -> Stretch | None:
    """Find a number with its unit, or with "times"."""
    code = lists.code
    for atoms, size in forms_at(text, at, code):  # dreimal, twice a week
        if atoms[-1].kind in (AtomKind.TIMES, AtomKind.PER_DAY) and atoms[0].kind is AtomKind.NUMBER:
            return Stretch(at, at + size, _how_often(atoms))
    if at + 1 >= len(text) or not (_is_number(text[at], code) or _lasts_one(text, at, lists)):
        return None
    for atoms, size in forms_at(text, at + 1, code):
        end = at + 1 + size
        kinds = [atom.kind for atom in atoms]
        if kinds[0] in (AtomKind.TIMES, AtomKind.PER_DAY):
            return None if end < len(text) and NUMBER.fullmatch(text[end]) else Stretch(at, end, _how_often(atoms))
        if kinds[0] in (AtomKind.UNIT, AtomKind.SPAN):
            return _length(text, at, end, atoms, lists)
    return None


def _lasts_one(text: Sequence[str], at: int, lists: Lists) -> bool:
    """Tell whether an article that is a number stands before a unit that lasts: "for a week", "eine Woche lang"."""
    is_marked = longest_end(lists.lasting, text, at) or AtomKind.LASTED in kinds_at(text, at + 2, lists.code)
    return bool(is_marked and _values(text[at], lists.code))


def _how_often(atoms: Atoms) -> Loose:
    """Tell a rhythm, "three times a day", from a count, "three times"."""
    kinds = {atom.kind for atom in atoms}
    return Loose.RHYTHM if kinds & {AtomKind.PER_DAY, AtomKind.EVERY} else Loose.TIMES


def _length(text: Sequence[str], at: int, end: int, atoms: Atoms, lists: Lists) -> Stretch | None:
    is_period = atoms[0].kind is AtomKind.UNIT and atoms[0].value in _PERIODS
    before = roles_of(text[at - 1], lists.code) if at else 0
    if before & WordRole.IN and not before & (WordRole.AT | WordRole.LASTING | WordRole.BETWEEN):
        return Stretch(at - 1, end, Loose.FROM_NOW)
    lasts = longest_end(lists.lasting, text, at)
    if is_period:
        is_named = _has_article(text, at, lists.code)  # the 3 day forecast
        return Stretch(at, end, Loose.LASTING if lasts or not is_named else Loose.PERIOD)
    attribute = end < len(text) and not roles_of(text[end], lists.code)  # the 24 hour pharmacy
    return None if lasts or attribute else Stretch(at, end, Loose.LENGTH)


def _rhythm(text: Sequence[str], at: int, lists: Lists) -> Stretch | None:
    code = lists.code
    scheme = tuple(text[at : at + 3])
    if len(scheme) == _TIMES_OF_SCHEME and all(map(_DOSE.fullmatch, scheme)):
        return Stretch(at, at + 3, Loose.RHYTHM)  # 1-0-1, as doctors write it
    for atoms, size in forms_at(text, at, code):
        if atoms[0].kind is not AtomKind.EVERY:
            continue
        end = at + size
        if len(atoms) > 1:  # daily, once a day
            is_last = end == len(text) and not _is_inside(text, at, lists) and not _has_article(text, at, code)
            return Stretch(at, end, Loose.RHYTHM) if size > 1 or is_last else None
        place = end
        while place < len(text) and roles_of(text[place], code) & WordRole.THE:
            place += 1
        kinds = kinds_at(text, place, code) if place < len(text) else frozenset()
        named = kinds & {AtomKind.UNIT, AtomKind.SPAN, AtomKind.WEEKDAY, AtomKind.WEEKDAYS, AtomKind.PART}
        counted = place + 1 < len(text) and (_is_number(text[place], code) or AtomKind.ORDINAL in kinds)
        if named or (counted and kinds_at(text, place + 1, code) & {AtomKind.UNIT, AtomKind.WEEKDAY}):
            return Stretch(at, min(len(text), place + 1 + bool(counted)), Loose.RHYTHM)
    return None


def _clock(text: Sequence[str], at: int, lists: Lists) -> Stretch | None:
    """Find an hour: behind its word, "at 8", or written as clocks show it."""
    code = lists.code
    if CLOCK.fullmatch(text[at]):
        follows = at + 1 < len(text) and not roles_of(text[at + 1], code)
        attribute = _has_article(text, at, code) or (follows and at > 0 and not _says_when(text, at, code))
        return None if attribute and not (at and roles_of(text[at - 1], code) & WordRole.AT) else _hour(at, at + 1)
    for atoms, size in forms_at(text, at, code):
        role = atoms[0].value if atoms[0].kind is AtomKind.LITTLE and len(atoms) == 1 else 0
        end = at + size
        if not role & (WordRole.AT | WordRole.AROUND) or end >= len(text):
            continue
        if AtomKind.FIXED_TIME in kinds_at(text, end, code) or CLOCK.fullmatch(text[end]):
            return _hour(at, end + 1)
        is_counted = bool(role & WordRole.THE and longest(lists.doses, text, end + 1))
        if _is_hour(text, end, code) and not is_counted:
            return _hour(at, end + 1)
    # 8 o'clock, 8 Uhr
    if _is_hour(text, at, code) and at + 1 < len(text) and AtomKind.OCLOCK in kinds_at(text, at + 1, code):
        return None if _has_article(text, at, code) else _hour(at, at + 2)
    return None


def _hour(start: int, end: int) -> Stretch:
    return Stretch(start, end, Loose.CLOCK)


def _is_hour(text: Sequence[str], at: int, code: str) -> bool:
    """Tell whether a number stands here that may be an hour: not one of something that is counted or measured."""
    if not _is_number(text[at], code) or (text[at].isdecimal() and int(text[at]) > _HOURS):
        return False
    if at + 1 == len(text):
        return True
    return not kinds_at(text, at + 1, code) & {AtomKind.UNIT, AtomKind.SPAN, AtomKind.ORDINAL_MARK, AtomKind.MONTH}


def _day(text: Sequence[str], at: int, lists: Lists) -> Stretch | None:
    code = lists.code
    for atoms, size in forms_at(text, at, code):
        kinds = {atom.kind for atom in atoms}
        end = at + size
        if atoms[0].kind in (AtomKind.NEXT, AtomKind.THIS) and len(atoms) == 1:
            follows = end < len(text) and kinds_at(text, end, code) & {AtomKind.WEEKDAY, AtomKind.UNIT, AtomKind.PART}
            return Stretch(at, end + 1, Loose.DAY) if follows and not _is_inside(text, at, lists) else None
        if not kinds & _DAYS or _is_inside(text, at, lists):
            continue
        if AtomKind.RELATIVE_DAY in kinds:
            return None if _has_article(text, at, code) else Stretch(at, end, Loose.DAY)
        announced = _says_when(text, at, code)
        named = size > 1 or len(text[at]) >= _SHORTEST_NAME
        last = end == len(text) and named and not _has_article(text, at, code)
        listed = bool(kinds_at(text, end, code) & _DAYS)  # on mon wed fri
        if last or (announced and (named or listed or end == len(text))):
            return Stretch(at, end, Loose.DAY)
    return None


def _foreign(text: Sequence[str], at: int, lists: Lists) -> Stretch | None:
    """Find a day, or an hour behind its word, in another language: the sentence is understood in part."""
    word = text[at]
    if word in vocabulary() and kinds_at(text, at, lists.code):
        return None
    if len(word) >= _SHORTEST_FOREIGN and kinds_of(word) & {AtomKind.RELATIVE_DAY, AtomKind.WEEKDAY}:
        return Stretch(at, at + 1, Loose.FROM_NOW)
    numbered = at + 1 < len(text) and (NUMBER.fullmatch(text[at + 1]) or CLOCK.fullmatch(text[at + 1]))
    if numbered and len(word) > 1 and roles_of(word) & WordRole.AT and not roles_of(word) & WordRole.THE:
        return Stretch(at, at + 2, Loose.CLOCK)
    return None


def _says_when(text: Sequence[str], at: int, code: str) -> bool:
    return at > 0 and bool(roles_of(text[at - 1], code) & _WHEN)


def _has_article(text: Sequence[str], at: int, code: str) -> bool:
    """Tell whether an article stands before a word that says no time by itself: "the daily report"."""
    role = roles_of(text[at - 1], code) if at else 0
    return bool(role & WordRole.THE) and not role & _WHEN


def _is_inside(text: Sequence[str], at: int, lists: Lists) -> bool:
    """Tell whether a word belongs to the noun before it: "the lesson of Monday", "the report for tomorrow"."""
    if not at:
        return False
    role = roles_of(text[at - 1], lists.code)
    if role & _INSIDE and not role & _WHEN:
        return True
    return not role & (_WHEN | WordRole.AND) and bool(longest_end(lists.links, text, at))


def _is_number(word: str, code: str) -> bool:
    return bool(NUMBER.fullmatch(word)) or any(value != _ONE for value in _values(word, code))


def _values(word: str, code: str) -> list[float]:
    return [atoms[0].value.value for atoms, _ in forms_at((word,), 0, code) if atoms[0].kind is AtomKind.NUMBER]
