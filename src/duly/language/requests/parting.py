"""Find the time among the words of a text: "call mom tomorrow at 5pm".

The time stands at the beginning, at the end, or at both ("tomorrow call mom at 5pm"); only where neither end is a time
it is looked for in between. All words that are not the time stay in the text, as they were typed.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from duly.errors import InvalidInputError, PhraseError
from duly.language.atoms import AtomKind
from duly.language.languages import LANGUAGES
from duly.language.lexicon import is_courtesy, kinds_of, vocabulary
from duly.language.moments import DayParts
from duly.language.parsing import Phrase, parse
from duly.language.periods import end_of_period
from duly.language.requests.beside import LENGTHS, Neighbours
from duly.language.requests.form import Form, RequestWords, longest, longest_end
from duly.language.requests.requests import request_words
from duly.language.requests.tokens import Words
from duly.language.text import tokens
from duly.model.trigger import Trigger
from duly.recurrence import Once
from duly.zones import Zone

MOST_WORDS = 40
"""Words of the longest text that is taken apart."""
LONGEST_TIME = 16
"""Words of the longest time that is looked for."""
_NAME = re.compile(r"[a-z]+[0-9]+")
"""A word that may be a time, but is a name where another time is said: "U2 concert tomorrow at nine"."""
_REFUSED = frozenset({"deadline", "past", "impossible", "doubtful"})
_ENDS = frozenset({AtomKind.UNIT, AtomKind.MONTH, AtomKind.WEEKDAY, AtomKind.SPAN})
"""Words at the end of "until early March"."""
_ONLY_LITTLE = frozenset({AtomKind.LITTLE})
_LONGEST_END = 7
_SHORTEST_SERIES = timedelta(days=2)
_AT_ANOTHER_TIME = timedelta(minutes=97)
"""A length is the same then, a moment is not."""


@dataclass(frozen=True, slots=True)
class TimeReader:
    """Reads stretches of words as times, in one language or, without `lang`, in any."""

    now: datetime
    zone: Zone
    lang: str | None
    prefer: str | None = None
    day_parts: DayParts | None = None

    def read(self, written: str) -> Phrase | None:
        """Read words as a time; None when they are none."""
        if not written:
            return None
        try:
            return self._parsed(written)
        except (PhraseError, InvalidInputError, OverflowError):
            return None

    def _parsed(self, written: str) -> Phrase:
        return parse(written, now=self.now, tz=self.zone, lang=self.lang, prefer=self.prefer, day_parts=self.day_parts)

    def names_no_moment(self, written: str, *, but: str = "") -> bool:
        """Tell whether words are a time that is refused: a deadline ("by Friday"), past, impossible or doubtful.

        `but` names a fault that does not count.
        """
        error = self.refusal(written)
        return error is not None and error.fault != but

    def refusal(self, written: str) -> PhraseError | None:
        """Say why words that are a time are refused; None when they are none, or a time that is taken."""
        try:
            self._parsed(written)
        except PhraseError as error:
            return error if error.fault in _REFUSED else None
        except (InvalidInputError, OverflowError):
            return None
        return None

    def stretches(self, words: Words) -> list[Words]:
        """List the parts of a text that may be a time, the longest first."""
        found: list[tuple[int, int]] = []
        for start in range(len(words)):
            most = _run(words.folded[start:], self.may_be_time)
            found += [(start, end) for end in range(start + 1, start + most + 1) if words.is_whole(end)]
        return [words.part(*each) for each in sorted(found, key=lambda each: each[0] - each[1])]

    def stands_alone(self, words: Words, start: int, end: int, known: RequestWords | None) -> bool:
        """Tell whether no word beside a time belongs to it; otherwise it was understood only in part."""
        if Neighbours(words.folded, start, end, self.may_be_time, self.lang, known).belong_to_time():
            return False
        first = start - _run(words.folded[:start][::-1], self.may_be_time)
        last = end + _run(words.folded[end:], self.may_be_time)
        joint = 0 if known is None else longest(known.forms("joints"), words.folded, end)
        # An article at the end says nothing of the time, and the row that it breaks may have another, past reading:
        # "pasado mañana a mediodía la cita".
        ends = range(end + joint + 1, last + 1)
        behind = [each for each in ends if kinds_of(words.folded[each - 1], self.lang) != _ONLY_LITTLE]
        longer = [*((each, end) for each in range(first, start)), *((start, each) for each in behind)]
        return not any(self.names_no_moment(words.part(*each).written) for each in longer)

    def length(self, written: str, from_now: str = "") -> timedelta | None:
        """Read words as a length of time; None when they are a moment, or none."""
        said = f"{from_now} {written}".strip()
        lengths = []
        exact = self.now.replace(microsecond=0)  # moments are whole seconds, and so are the lengths between them
        for now in (exact, exact + _AT_ANOTHER_TIME):
            phrase = replace(self, now=now).read(said)
            if phrase is None or not isinstance(phrase.trigger, Once):
                return None
            lengths.append(phrase.trigger.at - now)
        return lengths[0] if lengths[0] == lengths[1] else None

    def end_of_period(self, written: str) -> datetime | None:
        """Read "until the end of the week" as the morning after it; None for other words."""
        if self.lang is None:
            return None
        return end_of_period(written, self.now, self.zone, self.lang, self.day_parts)

    def part(self, words: Words, start: int, end: int) -> Phrase | None:
        """Read some of the words."""
        return self.read(words.part(start, end).written)

    def may_be_time(self, folded: str) -> bool:
        """Tell whether a word can be one of a time. It only spares the work of reading."""
        mask = -1 if self.lang is None else 1 << LANGUAGES.index(self.lang)
        known = vocabulary()
        return all(token.kind != "word" or token.glued or known.get(token.text, 0) & mask for token in tokens(folded))


@dataclass(frozen=True, slots=True)
class Parted:
    """The words of a text and the time that was found among them."""

    text: Words
    more: Words | None
    """The words behind a time that stands in between."""
    phrase: Phrase | None
    unsaid: str = ""
    """The text where none was typed."""

    @property
    def written(self) -> str:
        """The text as it was typed."""
        return (self.text.written if self.more is None else self.text.joined(self.more)) or self.unsaid


def part(words: Words, known: RequestWords | None, times: TimeReader) -> Parted:
    """Find the time among words. `known` has the words that join a text to its lead or its time."""
    if len(words) > MOST_WORDS:
        return unread(words)
    size = len(words)
    head = _head(words, times)
    if head == size and size:
        return Parted(words.part(0, 0), None, times.part(words, 0, size))
    if not head and (joined := _joined_head(words, known, times)):
        return part(words.part(joined), known, times)
    if head and known is not None and _counts_from_other(words, head, known, times):
        return unread(words)
    if head and (series := _with_end(words, known, times, head)) is not None:
        return series
    tail = _tail(words, times)
    if head and tail < size:
        return _at_both_ends(words, known, times, head, tail)
    if head:
        alone = times.stands_alone(words, 0, head, known)
        return Parted(plain(words.part(head), known), None, times.part(words, 0, head)) if alone else unread(words)
    if tail < size:
        if not times.stands_alone(words, tail, size, known):
            return unread(plain(words, known))
        return Parted(plain(_before_time(words.part(0, tail), known), known), None, times.part(words, tail, size))
    return _in_between(words, known, times)


def _with_end(words: Words, known: RequestWords | None, times: TimeReader, head: int) -> Parted | None:
    """Read a time of which a part stands behind the text: "every day at 8am take the pill for 10 days".

    That is the end of a series, or what comes ahead of it: "…, and an hour before". One that is not understood leaves
    the whole unread: "until early March".
    """
    phrase = times.part(words, 0, head)
    if phrase is None:
        return None
    is_series = not isinstance(phrase.trigger, Once)
    begin = words.part(0, head)
    spoken = known or request_words(phrase.lang)
    first = len(words) - _run(words.folded[::-1], times.may_be_time)
    for at in range(max(first, head + 1), len(words)):
        end = words.part(at)
        whole = times.read(begin.joined(end))
        if whole is not None and not is_series and whole.leads == phrase.leads:
            continue  # another time: which is meant is not known
        if whole is None and is_series:
            whole = _ended_after(begin, end, phrase.trigger, known, times)
        if whole is not None:
            return Parted(plain(_before_time(words.part(head, at), known), known), None, whole)
        if is_series and longest(spoken.forms("behind_times"), words.folded, at):
            return unread(words)  # hasta el fin de semana: without "hasta" it would be another time
    behind = words.part(head + 1)
    in_it = replace(times, lang=phrase.lang)
    unknown = _names_lead(behind, spoken, in_it) or (is_series and _names_end(behind, spoken, in_it))
    return unread(words) if unknown else None


def _names_lead(words: Words, known: RequestWords, times: TimeReader) -> bool:
    """Tell whether the last words name something ahead of a time that cannot be read: "ping me a bit before"."""
    count = longest_end(known.forms("befores"), words.folded, len(words))
    before = words.folded[-count - 1 : -count] if count else ()
    return any(kinds_of(word, times.lang) & LENGTHS for word in before)


def _names_end(words: Words, known: RequestWords, times: TimeReader) -> bool:
    """Tell whether the last words name an end that cannot be read: "till early March"."""
    last = words.folded[-_LONGEST_END:]
    if not last or not kinds_of(last[-1], times.lang) & _ENDS:
        return False
    for at in range(len(last)):
        counted = any(AtomKind.NUMBER in kinds_of(word, times.lang) or word.isdecimal() for word in last[at:])
        if longest(known.forms("behind_times"), last, at) or (counted and longest(known.forms("for_length"), last, at)):
            return True
    return False


def _ended_after(
    series: Words, end: Words, trigger: Trigger, known: RequestWords | None, times: TimeReader
) -> Phrase | None:
    """Read a bare length as how long a series goes on: "svaki dan u 8 popij lijek 10 dana".

    It has room for two fires: "every year book 2 weeks" has no end.
    """
    length = None if known is None else times.length(end.written, known.from_now)
    first = None if length is None else trigger.get_next_occurrence(times.now)
    second = None if first is None else trigger.get_next_occurrence(first)
    if known is None or length is None or first is None or second is None:
        return None
    if length < max(2 * (second - first), _SHORTEST_SERIES):
        return None
    forms = sorted(" ".join(form) for form in known.forms("for_length"))
    return next((said for form in forms if (said := times.read(f"{series.written} {form} {end.written}"))), None)


def unread(words: Words) -> Parted:
    """Leave words as they are, without a time."""
    return Parted(words, None, None)


def names_hour(words: Words, known: RequestWords, times: TimeReader) -> bool:
    """Tell whether words name an hour, at which something may have to be done."""
    phrase = part(words, known, times).phrase
    return phrase is not None and has_hour(phrase, known, times)


def has_hour(phrase: Phrase, known: RequestWords, times: TimeReader) -> bool:
    """Tell whether a time names an hour: then it takes no other one."""
    return times.read(f"{phrase.text} {known.at_hour} 11:47") is None


def _joined_head(words: Words, known: RequestWords | None, times: TimeReader) -> int:
    """Return how many words join a time at the beginning to its lead: "set a reminder for tomorrow at 9".

    "Ponme un aviso para mañana" is no deadline, though "para mañana" alone is one.
    """
    if known is None:
        return 0
    count = longest(known.forms("danglers") | known.forms("joints"), words.folded)
    head = _head(words.part(count), times) if count else 0
    return count if head and not times.names_no_moment(words.part(0, count + head).written, but="deadline") else 0


def _counts_from_other(words: Words, head: int, known: RequestWords, times: TimeReader) -> bool:
    """Tell whether a length of time counts from something else than now: "2 hours before the flight"."""
    if not longest(known.forms("befores"), words.folded, head):
        return False
    return bool(kinds_of(words.folded[head - 1], times.lang or LANGUAGES[0]) & LENGTHS)


def _at_both_ends(words: Words, known: RequestWords | None, times: TimeReader, head: int, tail: int) -> Parted:
    """Read a sentence whose beginning and end are times: one time in two pieces, or the end is part of the text.

    That is so behind a word that begins the text: "remind me at nine to prepare Friday's meeting on Friday".
    """
    size = len(words)
    first = words.part(0, head)
    last = words.part(tail, size)
    joined = known is not None and longest_end(known.forms("danglers") | known.forms("joints"), words.folded, tail)
    if head <= tail and not joined:
        phrase = times.read(first.joined(last)) or times.read(last.joined(first))
        if phrase is not None:
            return Parted(plain(_before_time(words.part(head, tail), known), known), None, phrase)
    if known is not None and longest(known.forms("joints"), words.folded, head):
        return Parted(plain(words.part(head), known), None, times.part(words, 0, head))
    if head == 1 and _NAME.fullmatch(words.folded[0]) and times.stands_alone(words, tail, size, known):
        return Parted(plain(_before_time(words.part(0, tail), known), known), None, times.part(words, tail, size))
    return Parted(plain(words, known), None, None)  # two times: which is meant is not known


def _in_between(words: Words, known: RequestWords | None, times: TimeReader) -> Parted:
    """Look for one time in the middle. A single word counts only if it names a day: "daily" may be of a report."""
    size = len(words)
    found: list[tuple[int, int]] = []
    start = 1
    while start < size - 1:
        ends = range(min(size - 1, start + LONGEST_TIME), start, -1)
        end = next((end for end in ends if _is_time(words, times, start, end)), None)
        if end is not None and (end - start > 1 or AtomKind.RELATIVE_DAY in kinds_of(words.folded[start], times.lang)):
            found.append((start, end))
        start = start + 1 if end is None else end
    if len(found) != 1 or not times.stands_alone(words, *found[0], known):
        return Parted(plain(_without_refused(words, known, times), known), None, None)
    start, end = found[0]
    before = plain(_before_time(words.part(0, start), known), known)
    return Parted(before, words.part(end), times.part(words, start, end))


def _without_refused(words: Words, known: RequestWords | None, times: TimeReader) -> Words:
    """Leave out a time at the beginning that is refused, so that another one is asked for: "by Friday to pay"."""
    joints = frozenset[Form]() if known is None else known.forms("joints")
    for end in range(_run(words.folded, times.may_be_time), 0, -1):
        behind = end < len(words) and longest(joints, words.folded, end)
        if behind and times.names_no_moment(words.part(0, end).written):
            return words.part(end)
    return words


def _is_time(words: Words, times: TimeReader, start: int, end: int) -> bool:
    folded = words.folded[start:end]
    return words.is_whole(end) and all(map(times.may_be_time, folded)) and times.part(words, start, end) is not None


def _head(words: Words, times: TimeReader) -> int:
    """Return how many words at the beginning are a time, the most there are."""
    most = _run(words.folded, times.may_be_time)
    ends = (end for end in range(most, 0, -1) if words.is_whole(end))
    found = next((end for end in ends if times.part(words, 0, end) is not None), 0)
    while 0 < found < len(words) and is_courtesy(words.folded[found - 1], times.lang):
        found -= 1  # tomorrow at 9 thank the neighbours: the courtesy belongs to the text
    return found


def _tail(words: Words, times: TimeReader) -> int:
    """Return where the time at the end begins; the number of words if there is none.

    A bare number before a time stays in the text: "read chapter 5 tomorrow".
    """
    size = len(words)
    first = size - _run(words.folded[::-1], times.may_be_time)
    start = next((at for at in range(max(first, 1), size) if times.part(words, at, size) is not None), size)
    while start < size - 1 and is_courtesy(words.folded[start], times.lang):
        start += 1  # say hi tomorrow
    if start < size - 1 and words.folded[start].isdecimal() and times.part(words, start + 1, size) is not None:
        return start + 1
    return start


def _run(folded: tuple[str, ...], may_be_time: Callable[[str], bool]) -> int:
    limit = min(len(folded), LONGEST_TIME)
    return next((at for at in range(limit) if not may_be_time(folded[at])), limit)


def plain(words: Words, known: RequestWords | None) -> Words:
    """Leave out the word that joins a text to its lead or its time, unless it is all there is."""
    count = 0 if known is None else longest(known.forms("joints"), words.folded)
    return words.part(count) if count < len(words) else words


def _before_time(words: Words, known: RequestWords | None) -> Words:
    """Leave out the word that joins a time to the text before it, unless it is all there is."""
    count = 0 if known is None else longest_end(known.forms("danglers"), words.folded, len(words))
    return words.part(0, len(words) - count) if count < len(words) else words
