"""Find the time among the words of a text: "call mom tomorrow at 5pm".

The time stands at the beginning, at the end, or at both ("tomorrow call mom at 5pm"); only where neither end is a time
it is looked for in between. Its stretches are read each by itself and joined as readings. All words that are not the
time stay in the text, as they were typed; so does what stands behind a colon, or in quotes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from duly.language.atoms import AtomKind, WordRole
from duly.language.borders import find_border
from duly.language.forms import Form, longest, longest_end
from duly.language.grammar.clauses import Slot
from duly.language.lexicon import is_courtesy, is_elapsed_unit, kinds_of, roles_of
from duly.language.parsing import Phrase
from duly.language.requests.around import (
    NAME,
    NAMES_DAYS,
    begins_text,
    behind_noun,
    counts_from_other,
    is_name,
    is_of_noun,
    lasts,
    names_end,
    names_lead,
)
from duly.language.requests.form import RequestWords
from duly.language.requests.lasting import lasting_length, series_ends, series_of
from duly.language.requests.lists import lists_of
from duly.language.requests.numbers import counts_things, ends_of, is_dose_before_part, is_hour_of_part, is_part_noun
from duly.language.requests.requests import request_words
from duly.language.requests.times import LONGEST_TIME, TimeReader, run
from duly.language.requests.tokens import Words
from duly.recurrence import Once

MOST_WORDS = 40
"""Words of the longest text that is taken apart."""
_HOURS = frozenset({Slot.TIMES, Slot.PACE, Slot.WINDOW})
_LONGEST_DONE = 3
"""Words of the shortest text that ends in a length: "walk 10 minutes"."""
_MAY_BEGIN_TEXT = frozenset({AtomKind.LITTLE, AtomKind.NUMBER})
_AMOUNTS = frozenset({AtomKind.NUMBER, AtomKind.FRACTION})
_ONLY_LENGTH = frozenset({Slot.OFFSET})


@dataclass(frozen=True, slots=True)
class Parted:
    """The words of a text and the time that was found among them."""

    text: Words
    more: Words | None
    """The words behind a time that stands in between."""
    phrase: Phrase | None
    unsaid: str = ""
    """The text where none was typed."""
    claimed: tuple[Words, ...] = ()
    """The stretches of the time."""
    is_firm: bool = False
    """Whether a word that begins a text stands between the time and the text: what follows is of the text."""
    lasts: bool = False
    """Whether a word such as "for" stood between the text and the time."""
    ways: tuple[Parted, ...] = ()
    """How the words can be taken apart, where there are several ways and none counts."""

    @property
    def written(self) -> str:
        """The text as it was typed."""
        return (self.text.written if self.more is None else self.text.joined(self.more)) or self.unsaid


def part(words: Words, known: RequestWords | None, times: TimeReader) -> Parted:
    """Find the time among words. `known` has the words that join a text to its lead or its time."""
    if len(words) > MOST_WORDS:
        return unread(words)
    colon = words.behind_colon()
    found = _before_colon(words, colon, known, times) if colon else None
    return _part(words, known, times) if found is None else found


def _before_colon(words: Words, colon: int, known: RequestWords | None, times: TimeReader) -> Parted | None:
    """Read a time before a colon: what stands behind it is the text. None where the time is not said in full there."""
    found = _part(words.part(0, colon), known, times)
    if found.phrase is None or not _has_hour_of_its_own(found.phrase):
        return None
    rest = words.part(colon)
    if not len(found.text) or (known is not None and found.text.is_one_of(known, "joints")):
        return replace(found, text=rest)
    return replace(found, more=rest if found.more is None else found.more.followed(rest))


def _part(words: Words, known: RequestWords | None, times: TimeReader) -> Parted:
    size = len(words)
    head = _head(words, times)
    if head == size and size:
        return Parted(words.part(0, 0), None, times.part(words, 0, size), claimed=(words,))
    if not head and (joined := _joined_head(words, known, times)):
        return part(words.part(joined), known, times)
    if (cut := lasting_length(words, times)) is not None and head <= len(cut[0]):
        return _lasting(*cut, known, times)
    if head and known is not None and counts_from_other(words, head, known, times):
        return unread(words)
    if head:
        ends = ends_of(words, 0, head, known, times)
        return _chosen(words, [_with_head(words, known, times, end) for end in ends])
    tail = _tail(words, times)
    found = _with_tail(words, known, times, tail) if tail < size else _in_between(words, known, times)
    return _with_bound_in_front(found, known, times)


def _lasting(length: Words, rest: Words, known: RequestWords | None, times: TimeReader) -> Parted:
    """Read a sentence that begins with how long a series goes on: "for 5 days at 8 a pill"."""
    found = _part(rest, known, times)
    claimed = (length, *found.claimed)
    if found.phrase is not None and not isinstance(found.phrase.trigger, Once):
        series = times.read(*(each.written for each in claimed))
        return unread(rest) if series is None else replace(found, phrase=series, claimed=claimed)
    if found.phrase is not None:
        series = series_of(length, times, *(each.written for each in found.claimed))
        return unread(rest) if series is None else replace(found, phrase=series, claimed=claimed)
    for end, series in series_ends(length, rest, times):
        return Parted(plain(rest.part(end), known), None, series, claimed=(length, rest.part(0, end)))
    return Parted(plain(rest, known), None, times.read(length.written), claimed=(length,), lasts=True)


def _chosen(words: Words, ways: list[Parted]) -> Parted:
    """Choose the one way in which words can be taken apart; where there are several, none counts.

    The first has the most of them in its time: that the others cannot be read does not make it sure.
    """
    read = [way for way in ways if way.phrase is not None]
    if len(read) == 1 and (len(ways) == 1 or read[0] is not ways[0]):
        return read[0]
    return replace(unread(words), ways=tuple(read)) if read else ways[0]


def _with_head(words: Words, known: RequestWords | None, times: TimeReader, head: int) -> Parted:
    """Read a sentence that begins with a time."""
    tail = _tail(words, times, head)
    if head == 1 and is_part_noun(words, 0, known) and head < tail < len(words):
        return _chosen_part(words, known, times, tail)
    if (series := _with_end(words, known, times, head)) is not None:
        return series
    if tail < len(words):
        return _at_both_ends(words, known, times, head, tail)
    if not times.stands_alone(words, 0, head, known):
        return unread(words)
    return _after_time(words, known, times, head)


def _after_time(words: Words, known: RequestWords | None, times: TimeReader, head: int) -> Parted:
    """Take the time at the beginning; all that follows is the text."""
    rest = words.part(head)
    phrase = times.part(words, 0, head)
    text = _text_after(rest, known, phrase)
    return Parted(text, None, phrase, claimed=(words.part(0, head),), is_firm=len(text) < len(rest))


def _text_after(rest: Words, known: RequestWords | None, phrase: Phrase | None) -> Words:
    """Leave out the word that begins a text behind a time: where nothing asked for a reminder, only "to"."""
    if known is not None or phrase is None:
        return plain(rest, known)
    count = longest(request_words(phrase.lang).forms("infinitive"), rest.folded)
    return rest.part(count) if count < len(rest) else rest


def _with_tail(words: Words, known: RequestWords | None, times: TimeReader, tail: int) -> Parted:
    """Read a sentence that ends with a time."""
    size = len(words)
    if not times.stands_alone(words, tail, size, known) and not _says_how_long(words, known, times, tail):
        return unread(plain(words, known))
    found = _before(words, known, times, tail)
    if tail and is_hour_of_part(words, tail, times):  # nimm 2 morgens
        return replace(unread(words), ways=(found,))
    if is_dose_before_part(words, tail, times):  # call mom 7 in the evening
        return replace(unread(words), ways=(found, _before(words, known, times, tail - 1)))
    return found


def _with_bound_in_front(found: Parted, known: RequestWords | None, times: TimeReader) -> Parted:
    """Read a series whose first or last day stands before its text: "from Monday take the pill every day at 8".

    Only a word that bounds a series makes that day one of the time; alone it is none.
    """
    phrase = found.phrase
    text = found.text
    if phrase is None or isinstance(phrase.trigger, Once) or not len(text):
        return found
    if not begins_bound(text, phrase.lang):
        return found
    spoken = request_words(phrase.lang)
    for end in range(min(run(text.timely, times.may_be_time), len(text) - 1), 1, -1):
        if kinds_of(text.folded[end], phrase.lang) - _MAY_BEGIN_TEXT or longest(
            spoken.forms("leads"), text.folded, end
        ):
            continue  # from 1 | december
        first = text.part(0, end)
        claimed = (first, *found.claimed)
        whole = times.read(*(each.written for each in claimed)) if text.is_whole(end) else None
        if whole is not None and lasts(whole, phrase, times) and not isinstance(whole.trigger, Once):
            return replace(found, text=_text_after(text.part(end), known, whole), phrase=whole, claimed=claimed)
    return found


def begins_bound(words: Words, code: str) -> bool:
    """Tell whether a start, an end or an exception begins with the first word: "from Monday", "del 25 en adelante"."""
    return len(words) > 1 and find_border(words.timely, 0, lists_of(code)) is not None


def _says_how_long(words: Words, known: RequestWords | None, times: TimeReader, tail: int) -> bool:
    """Tell whether a length before a time says how long something is done: "walk for 10 minutes every day"."""
    phrase = times.part(words, tail, len(words))
    if phrase is None or tail < _LONGEST_DONE or not phrase.slots & (_HOURS | {Slot.RHYTHM}):
        return False
    first = tail - 1
    while first and (kinds_of(words.folded[first - 1], phrase.lang) & _AMOUNTS or words.folded[first - 1].isdecimal()):
        first -= 1
    if first == tail - 1 or not is_elapsed_unit(words.folded[tail - 1], phrase.lang):
        return False
    spoken = known or request_words(phrase.lang)
    first -= longest_end(spoken.forms("for_length"), words.folded, first)
    rest = words.part(0, first).followed(words.part(tail))
    return first > 0 and times.stands_alone(rest, first, len(rest), known)


def _before(words: Words, known: RequestWords | None, times: TimeReader, tail: int) -> Parted:
    """Take the time at the end; all before it is the text."""
    phrase = times.part(words, tail, len(words))
    spoken = known or (None if phrase is None else request_words(phrase.lang))
    lasts = spoken is not None and bool(longest_end(spoken.forms("for_length"), words.folded, tail))
    text = plain(before_time(words.part(0, tail), known), known)
    return Parted(text, None, phrase, claimed=(words.part(tail),), lasts=lasts)


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
    first = len(words) - run(words.timely[::-1], times.may_be_time)
    for at in range(max(first, head + 1), len(words)):
        end = words.part(at)
        whole = times.read(begin.written, end.written)
        if whole is not None and not is_series and whole.leads == phrase.leads:
            continue  # another time: which is meant is not known
        if whole is not None and not lasts(whole, phrase, times):
            whole = None
        if whole is not None:
            text = _text_after(before_time(words.part(head, at), known), known, whole)
            return Parted(text, None, whole, claimed=(begin, end))
        if is_series and longest(spoken.forms("behind_times"), words.folded, at):
            return unread(words)  # hasta el fin de semana: without "hasta" it would be another time
    behind = words.part(head + 1)
    in_it = replace(times, lang=phrase.lang)
    unknown = names_lead(behind, spoken, in_it) or (is_series and names_end(behind, spoken, in_it))
    return unread(words) if unknown else None


def unread(words: Words) -> Parted:
    """Leave words as they are, without a time."""
    return Parted(words, None, None)


def names_hour(words: Words, known: RequestWords, times: TimeReader) -> bool:
    """Tell whether words name an hour, at which something may have to be done."""
    phrase = part(words, known, times).phrase
    return phrase is not None and has_hour(phrase, known, times)


def has_hour(phrase: Phrase, known: RequestWords, times: TimeReader) -> bool:
    """Tell whether a time names an hour: then it takes no other one."""
    if phrase.reading is None or phrase.slots & _HOURS:
        return True
    return times.read(phrase.text, f"{known.at_hour} 11:47") is None


def _has_hour_of_its_own(phrase: Phrase) -> bool:
    """Tell whether a time is complete: a day or a rhythm with an hour, or a length."""
    return phrase.reading is None or bool(phrase.slots & (_HOURS | _ONLY_LENGTH))


def _joined_head(words: Words, known: RequestWords | None, times: TimeReader) -> int:
    """Return how many words join a time at the beginning to its lead: "set a reminder for tomorrow at 9".

    "Ponme un aviso para mañana" is no deadline, though "para mañana" alone is one.
    """
    if known is None:
        return 0
    count = longest(known.forms("danglers") | known.forms("joints"), words.folded)
    head = _head(words.part(count), times) if count else 0
    return count if head and not times.names_no_moment(words.part(0, count + head).written, but="deadline") else 0


def _at_both_ends(words: Words, known: RequestWords | None, times: TimeReader, head: int, tail: int) -> Parted:
    """Read a sentence whose beginning and end are times: one time in two pieces, or the end is part of the text.

    That is so behind a word that begins the text: "remind me at nine to prepare Friday's meeting on Friday".
    """
    size = len(words)
    first = words.part(0, head)
    last = words.part(tail, size)
    joined = known is not None and longest_end(known.forms("danglers") | known.forms("joints"), words.folded, tail)
    begun = times.part(words, 0, head)
    ended = times.part(words, tail, size)
    between = _text_after(before_time(words.part(head, tail), known), known, begun)
    of_other = ended is not None and is_of_noun(words, tail, ended.lang)  # the Monday may be one of the meeting
    if head <= tail and not joined and not of_other:
        phrase = times.read(first.written, last.written)
        if phrase is not None and begun is not None and lasts(phrase, begun, times):
            return Parted(between, None, phrase, claimed=(first, last))
    if begun is not None and ended is not None and _is_length_in_text(begun, ended):
        return _after_time(words, known, times, head)
    if of_other and ended is not None and ended.slots == {Slot.DAYS} and begun is not None and begun.slots & NAMES_DAYS:
        return _after_time(words, known, times, head)
    if begun is not None and known is not None and longest(known.forms("joints"), words.folded, head):
        return _after_time(words, known, times, head)
    if head == 1 and NAME.fullmatch(words.folded[0]) and times.stands_alone(words, tail, size, known):
        return _before(words, known, times, tail)
    # Two times: which is meant is not known, or both are.
    is_joined = bool(roles_of(words.folded[tail - 1], times.lang) & WordRole.AND)  # 1 pill and every evening 2
    both = None if is_joined else times.read_list(first.written, last.written)
    ways = [_after_time(words, known, times, head), _before(words, known, times, tail)]
    if both is not None and len(between):
        ways.insert(0, Parted(between, None, both, claimed=(first, last)))
    return replace(unread(plain(words, known)), ways=tuple(ways))


def _chosen_part(words: Words, known: RequestWords | None, times: TimeReader, tail: int) -> Parted:
    """Read "night cream every 2 days": the night is of the time or, where that is the same, of the cream."""
    of_text = _before(words, known, times, tail)
    both = times.read(words.part(0, 1).written, words.part(tail).written)
    if both is None or of_text.phrase is None or both.canonical() == of_text.phrase.canonical():
        return of_text
    text = before_time(words.part(1, tail), known)
    of_time = Parted(text, None, both, claimed=(words.part(0, 1), words.part(tail)))
    return replace(unread(words), ways=(of_time, of_text))


def _is_length_in_text(begun: Phrase, ended: Phrase) -> bool:
    """Tell whether a length at the end says how long something is done: "every 2 hours walk 10 minutes"."""
    offset = None if ended.reading is None else ended.reading.current
    bare = offset is not None and ended.slots == _ONLY_LENGTH and offset.loose_offset
    return bare and offset is not None and bool(begun.slots & {Slot.TIMES, Slot.PACE, Slot.RHYTHM, Slot.PART})


def _in_between(words: Words, known: RequestWords | None, times: TimeReader) -> Parted:
    """Look for one time in the middle. A single word counts only if it names a day: "daily" may be of a report."""
    size = len(words)
    found: list[tuple[int, int]] = []
    start = 1
    while start < size - 1:
        until = range(min(size - 1, start + LONGEST_TIME), start, -1)
        end = next((end for end in until if _is_time(words, times, start, end)), None)
        if end is not None and (end - start > 1 or AtomKind.RELATIVE_DAY in kinds_of(words.folded[start], times.lang)):
            found.append((start, end))
        start = start + 1 if end is None else end
    if len(found) != 1 or not times.stands_alone(words, *found[0], known):
        return unread(plain(_without_refused(words, known, times), known))
    start, last = found[0]
    before = plain(before_time(words.part(0, start), known), known)
    ends = ends_of(words, start, last, known, times)
    ways = [
        Parted(before, words.part(each), times.part(words, start, each), claimed=(words.part(start, each),))
        for each in ends
    ]
    return _chosen(words, ways)


def _without_refused(words: Words, known: RequestWords | None, times: TimeReader) -> Words:
    """Leave out a time at the beginning that is refused, so that another one is asked for: "by Friday to pay"."""
    joints = frozenset[Form]() if known is None else known.forms("joints")
    for end in range(run(words.timely, times.may_be_time), 0, -1):
        behind = end < len(words) and longest(joints, words.folded, end)
        if behind and times.names_no_moment(words.part(0, end).written):
            return words.part(end)
    return words


def _is_time(words: Words, times: TimeReader, start: int, end: int) -> bool:
    folded = words.timely[start:end]
    return words.is_whole(end) and all(map(times.may_be_time, folded)) and times.part(words, start, end) is not None


def _head(words: Words, times: TimeReader) -> int:
    """Return how many words at the beginning are a time, the most there are."""
    ends = (end for end in range(run(words.timely, times.may_be_time), 0, -1) if words.is_whole(end))
    found = next((end for end in ends if times.part(words, 0, end) is not None), 0)
    while 0 < found < len(words) and begins_text(words, found - 1, times):
        found -= 1
    return found


def _tail(words: Words, times: TimeReader, after: int = 0) -> int:
    """Return where the time at the end begins; the number of words if there is none.

    A bare number before a time stays in the text: "read chapter 5 tomorrow".
    """
    size = len(words)
    first = size - run(words.timely[::-1], times.may_be_time)
    start = next((at for at in range(max(first, 1, after), size) if times.part(words, at, size) is not None), size)
    if start < size and is_name(words.folded[start:], times.lang):
        return size
    if start < size and (later := behind_noun(words, start, times)):
        start = later
    while start < size - 1 and is_courtesy(words.folded[start], times.lang):
        start += 1  # say hi tomorrow
    if start < size - 1 and words.folded[start].isdecimal() and times.part(words, start + 1, size) is not None:
        return start + 1
    return start


def plain(words: Words, known: RequestWords | None) -> Words:
    """Leave out the word that joins a text to its lead or its time, unless it is all there is."""
    count = 0 if known is None else longest(known.forms("joints"), words.folded)
    if count >= len(words) or (known is not None and count and counts_things(words, count, known)):
        return words
    if known is not None and count and begins_bound(words, known.code):
        return words  # "mit Ausnahme von", "del lunes en adelante": the joint is of it
    return words.part(count)


def before_time(words: Words, known: RequestWords | None) -> Words:
    """Leave out the word that joins a time to the text before it, unless it is all there is."""
    is_said = words.ends_said or (len(words) > 0 and words.is_letter(len(words) - 1))
    count = 0 if known is None or is_said else longest_end(known.forms("danglers"), words.folded, len(words))
    if (
        known is not None
        and count
        and any(
            begins_bound(words.part(at), known.code)
            for at in range(max(0, len(words) - _LONGEST_DONE - count), len(words) - count)
        )
    ):
        return words  # vom 25. an | jeden Tag
    return words.part(0, len(words) - count) if count < len(words) else words
