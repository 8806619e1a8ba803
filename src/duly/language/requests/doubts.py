"""What is asked back: a sentence that may mean several things, or that holds a time which cannot be read.

Every sentence that says what and when passes the auditor here. What it does not let pass becomes a `Doubt`, with the
readings that the words may have, each complete: to choose one is to say it without doubt.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import combinations, pairwise

from duly.errors import PhraseError
from duly.language.atoms import AtomKind, Unit, WordRole
from duly.language.audit import audit, begun
from duly.language.borders import begins_with_day, ends_in_start, is_cut_short, is_torn
from duly.language.forms import longest, longest_end
from duly.language.grammar.clauses import Slot
from duly.language.grammar.cursor import UnsaidError
from duly.language.languages import LANGUAGES, language
from duly.language.lexicon import kinds_of, roles_of
from duly.language.loose import Loose, Stretch, TakenTime, WordPlace
from duly.language.parsing import Phrase
from duly.language.plan import RulesPlan, WeeklyRule
from duly.language.requests.form import RequestWords
from duly.language.requests.lasting import is_article
from duly.language.requests.lists import lists_of
from duly.language.requests.names import names_taken, unjoined_day
from duly.language.requests.parting import MOST_WORDS, Parted, before_time, plain
from duly.language.requests.requests import request_words
from duly.language.requests.times import TimeReader, run
from duly.language.requests.tokens import Words
from duly.language.seen import Fires, is_seen
from duly.language.text import LONGEST
from duly.recurrence import Once

MOST_READINGS = 4
_LONGEST_START = 3
_ONLY_LITTLE = frozenset({AtomKind.LITTLE})
_NOON = 12
_NEXT_TO = 2
"""Letters between a word and the one before it, with a mark."""
_FREQUENT = (Unit.DAY, Unit.WEEK)
_SERIES = frozenset({AtomKind.EVERY, AtomKind.WEEKDAYS, AtomKind.PER_DAY})
_SHORTEST_DAY = 3
_MOST_NUMBERS = 12
_MOST_LINES = 3
_MOST_WORDS_TRIED = 20
_LONGEST_TRIED = 6
_MOST_TRIES = 12
_MOST_REFUSED = 150
"""Stretches of which it is asked why they are refused, the longest first: more are no sentence of a person."""
_LISTED = (Loose.CLOCK, Loose.PART, Loose.DAY)
"""What may be one of several: at 8 and at 20."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence, taken apart."""

    text: str
    """What it is about."""
    phrase: Phrase
    """When."""


@dataclass(frozen=True, slots=True)
class Doubt:
    """A sentence that is asked back."""

    lang: str
    understood: str
    """Its words of time that were understood; empty for none."""
    missed: str
    """Its words that may be of the time, and were not; empty where it is the time itself that has several readings."""
    readings: tuple[Sentence, ...] = ()
    """What it may mean, the likeliest first."""
    fault: str = ""
    """Why its time is refused, for programs: as `PhraseError` has it."""
    reason: str = ""
    """The same in English."""


def audited(parted: Parted, words: Words, code: str, times: TimeReader) -> Sentence | Doubt | None:
    """Judge a sentence that was taken apart; None where it has no time, or nothing but a time.

    `code` is the language where it was read in any.
    """
    code = times.lang or (parted.phrase.lang if parted.phrase is not None else code)
    if parted.phrase is None:
        return _unread(parted, words, replace(times, lang=code))
    times = replace(times, lang=code)
    text = _text_words(parted)
    behind = 0 if parted.more is None else len(parted.text)
    claim = claim_of(parted.phrase, is_firm=parted.is_firm)
    found = audit(text.folded, _places(text, parted, code), claim, lists_of(code), behind)
    usual = _usual(parted, request_words(code), times)
    overlaps = _says_days_twice(parted.phrase) or _says_two_days(parted, words, code)
    names = list(names_taken(text, parted.claimed, words, request_words(code), code))
    lost = words.loses_number((text, *parted.claimed), request_words(code).forms("joints"))
    fires = Fires(parted.phrase.trigger, times.now, times.zone)
    if not is_seen((each.timely for each in parted.claimed), code, fires):
        return Doubt(code, parted.phrase.text, "")
    if (torn := _torn(parted, words, code, times)) is not None:
        return torn
    if found is None and usual is None and not (lost or overlaps or names or _hangs(parted, text, code)):
        return Sentence(parted.written, parted.phrase) if parted.written else None
    readings = [] if usual is None else usual
    readings = [*readings, *(each for name in names for each in _with_name(parted, text, *name, times))]
    if found is not None:
        about = text if usual is None else text.part(0, len(text) - _lasting(text, request_words(code)))
        often = [] if usual is None else _usually(parted, about, found, times)
        readings = [*often, *readings, *_joined(parted, about, found, times)]
    if usual is None:
        readings.append(Sentence(parted.written, parted.phrase))
    missed = "" if found is None else text.part(found.start, found.end).written
    return Doubt(code, parted.phrase.text, missed, _distinct(readings))


def _with_name(parted: Parted, text: Words, stretch: Words, at: int, times: TimeReader) -> Iterator[Sentence]:
    """Read a day or a month of the time as the name of a person, with the words of its stretch before it."""
    others = [each.written for each in parted.claimed if each is not stretch]
    rest = stretch.part(at + 1)
    phrase = times.read(*others, *([rest.written] if len(rest) else []))
    before, behind = text.beside(stretch)
    if phrase is not None:
        yield Sentence(before.followed(stretch.part(0, at + 1)).joined(behind), phrase)


def _hangs(parted: Parted, text: Words, code: str) -> bool:
    """Tell whether a word of the text belongs to the time beside it: "now and in 12 hours", "in 10 or 15 minutes"."""
    for claimed in parted.claimed:
        before, behind = text.beside(claimed)
        last = before.folded[-1] if len(before) else ""
        is_next = bool(last) and AtomKind.NEXT in kinds_of(last, code)  # sljedeća | 3 dana
        is_length = any(kinds_of(word, code) & {AtomKind.UNIT, AtomKind.SPAN} for word in claimed.folded)
        alternatives = request_words(code).forms("alternatives")
        if longest_end(alternatives, before.folded, len(before)) or longest(alternatives, behind.folded):
            return True  # in 10 or | 15 minutes
        hangs = is_next or (is_length and (last,) in request_words(code).forms("hangers"))
        if hangs or (last and roles_of(last, code) & WordRole.AND):
            return True
        follows = len(behind) > 1 and behind.place[0] - claimed.place[1] <= _NEXT_TO
        if follows and roles_of(behind.folded[0], code) & WordRole.AND and kinds_of(behind.folded[1], code):
            return True
    return False


def _torn(parted: Parted, words: Words, code: str, times: TimeReader) -> Doubt | None:
    """Ask about a bound that was torn off its time: "from | Monday at 8", "not | on Sundays".

    A word that only joins a text to its hour bounds nothing: "the concert starting at 8".
    """
    lists = lists_of(code)
    text = _text_words(parted)
    for claimed in parted.claimed:
        before, behind = words.beside(claimed)
        if len(behind) and is_cut_short(claimed.timely, behind.timely, lists):
            return Doubt(code, claimed.written, behind.part(0, 1).written)
        near = text.beside(claimed)[0]
        if len(near):
            follows = words.beside(near.part(len(near) - 1))[1]
            said = words.beside(follows)[0].timely
            if is_torn(said, follows.timely, lists, is_first=len(near) == 1):
                readings = _from_then_on(parted, words, claimed, times)
                return Doubt(code, claimed.written, near.part(len(near) - 1).written, readings)
        is_dropped = len(before) and before.places[-1] not in text.places
        if is_dropped and ends_in_start(before.timely, code) and begins_with_day(claimed.timely, code):
            readings = _from_then_on(parted, words, claimed, times)
            return Doubt(code, claimed.written, before.part(len(before) - 1).written, readings)
    return None


def _from_then_on(parted: Parted, words: Words, claimed: Words, times: TimeReader) -> tuple[Sentence, ...]:
    """Read a first day that was said without a rhythm as one of every day: "the pill from Monday at 8"."""
    if parted.phrase is None or not isinstance(parted.phrase.trigger, Once) or len(parted.claimed) > 1:
        return ()
    before = words.beside(claimed)[0]
    daily = language(times.lang or LANGUAGES[0]).templates.every_day
    for size in range(min(_LONGEST_START, len(before)), 0, -1):
        start = before.part(len(before) - size)
        series = times.read(daily, start.followed(claimed).written)
        if series is not None and not isinstance(series.trigger, Once):
            text = _text_words(parted)
            about = text.beside(start)[0].joined(text.beside(claimed)[1])
            return tuple(Sentence(about, each) for each in (series, parted.phrase)) if about else ()
    return ()


def _says_days_twice(phrase: Phrase) -> bool:
    """Tell whether a day has the times of two rules: "weekdays at 9, and Fridays at 8" may mean 8 instead of 9."""
    rules = phrase.plan.rules if isinstance(phrase.plan, RulesPlan) else ()
    days = [set(rule.days) for rule in rules if isinstance(rule, WeeklyRule) and rule.weeks == 1]
    return any(one < other or other < one for one, other in combinations(days, 2))


def _says_two_days(parted: Parted, words: Words, code: str) -> bool:
    """Tell whether two days are said and no series: "Tuesday Wednesday", "in the night from Friday to Saturday"."""
    kinds = [kinds_of(word, code) for word in words.timely]
    if parted.phrase is None or isinstance(parted.phrase.trigger, Once):
        return False
    if any(unjoined_day(each, code) is not None for each in parted.claimed):
        return True
    if _SERIES & frozenset().union(*kinds):
        return False
    days = [at for at, each in enumerate(kinds) if AtomKind.WEEKDAY in each and len(words.folded[at]) > _SHORTEST_DAY]
    if len(days) == 2 and any(AtomKind.PART in each for each in kinds):
        return True
    return any(two == one + 1 and not words.is_cut_off(two) for one, two in pairwise(days))


def _text_words(parted: Parted) -> Words:
    return parted.text if parted.more is None else parted.text.followed(parted.more)


def _places(text: Words, parted: Parted, code: str) -> list[WordPlace]:
    """Say where each word of a text stands."""
    last_claim = max((each.place[1] for each in parted.claimed), default=0)
    closed = next((at for at in range(len(text)) if text.stands_behind_colon(at, last_claim)), len(text))
    places = [WordPlace.OPEN if text.is_whole(at + 1) else WordPlace.JOINED for at in range(len(text))]
    return [
        WordPlace.APART if at >= closed or text.is_quoted(at) or _is_of_noun(text, at, code) else each
        for at, each in enumerate(places)
    ]


def _is_of_noun(text: Words, at: int, code: str) -> bool:
    """Tell whether a word is of a name or of a word with hyphens, and no hour: "tomorrow at 8-call mom"."""
    before = [roles_of(word, code) for word in text.folded[max(0, at - 2) : at]]
    says_when = (
        before
        and before[-1] & WordRole.AT
        and (not before[-1] & WordRole.THE or (len(before) > 1 and before[0] & WordRole.AT))
    )
    return text.is_of_text(at) and not says_when


def claim_of(phrase: Phrase, *, is_firm: bool) -> TakenTime:
    """Say what a reading has taken for the time, as the auditor sees it."""
    slots = phrase.slots
    recurs = not isinstance(phrase.trigger, Once)
    said = [] if phrase.reading is None else phrase.reading.clauses
    clocks = [each for clause in said for each in clause.times]
    has_part = Slot.PART in slots
    has_length = Slot.OFFSET in slots and Slot.TIMES not in slots and Slot.DAYS not in slots
    return TakenTime(
        recurs=recurs,
        is_frequent=recurs and all(each.every is None or each.every[1] in _FREQUENT for each in said),
        has_day=bool(slots & {Slot.DAYS, Slot.RHYTHM}) or phrase.reading is None,
        has_clock=bool(slots & {Slot.TIMES, Slot.PACE, Slot.WINDOW}) or phrase.reading is None,
        has_open_clock=not has_part and any(each.open and each.hour <= _NOON and not each.digital for each in clocks),
        has_length=has_length,
        has_bare_length=has_length and phrase.reading is not None and phrase.reading.current.loose_offset,
        is_firm=is_firm,
    )


def _usual(parted: Parted, known: RequestWords, times: TimeReader) -> list[Sentence] | None:
    """Return what a bare length may mean, "for ten days at 8" and "for 10 minutes"; None for any other time."""
    phrase = parted.phrase
    reading = None if phrase is None else phrase.reading
    offset = None if reading is None else reading.current.offset
    if phrase is None or reading is None or offset is None or not reading.current.loose_offset:
        return None
    if not isinstance(phrase.trigger, Once):
        return None  # for ten days at 8: a word says that it lasts
    count = _lasting(parted.text, known)
    text = parted.text.part(0, len(parted.text) - count).written or parted.written
    if parted.more is not None or offset.workdays:
        return None
    if not offset.calendar:
        return [Sentence(text, phrase)] if parted.lasts or count else None
    usual = times.read(*(phrase.stretches or (phrase.text,)), usual=True)
    return None if usual is None else [Sentence(text, usual), Sentence(text, phrase)]


def _lasting(text: Words, known: RequestWords) -> int:
    """Return how many words at the end of a text belong to a length behind it: "for" ten days."""
    return longest_end(known.forms("for_length"), text.folded, len(text))


def _usually(parted: Parted, text: Words, found: Stretch, times: TimeReader) -> list[Sentence]:
    """Read a bare length and a stretch of the text as people usually mean them: "… at 8 for 7 days"."""
    phrase = parted.phrase
    loose = text.part(found.start, found.end).written
    claimed = () if phrase is None else phrase.stretches or (phrase.text,)
    usual = times.read(loose, *claimed, usual=True) or times.read(*claimed, loose, usual=True)
    rest = before_time(text.part(0, found.start), request_words(times.lang or LANGUAGES[0]))
    about = rest.joined(text.part(found.end))
    return [Sentence(about, usual)] if usual is not None and about else []


def _joined(parted: Parted, text: Words, found: Stretch, times: TimeReader) -> list[Sentence]:
    """Read a stretch of a text as part of the time, in every way that fits."""
    phrase = parted.phrase
    known = request_words(times.lang or LANGUAGES[0])
    claimed = () if phrase is None else phrase.stretches or (phrase.text,)
    if found.says is Loose.LASTING:
        start = found.start - longest_end(known.forms("for_length"), text.folded, found.start)
        marked = text.folded[found.end : found.end + 1]
        lasted = bool(marked) and AtomKind.LASTED in kinds_of(marked[0], times.lang)
        found = replace(found, start=start, end=found.end + lasted)
    loose = text.part(found.start, found.end).written
    rest = before_time(text.part(0, found.start), known).joined(text.part(found.end))
    joined = times.read(*claimed, loose)
    if joined is None and found.says in _LISTED and len(claimed) == 1:
        joined = times.read_list(loose, *claimed)
        rest = _said_whole(parted, text) if found.says is Loose.CLOCK else rest
    return [] if joined is None or not rest else [Sentence(rest, joined)]


def _said_whole(parted: Parted, text: Words) -> str:
    """Give a text with the time beside it: each of several hours may have a text of its own."""
    if parted.is_firm or len(parted.claimed) != 1:
        return parted.written
    stretches = sorted((text, parted.claimed[0]), key=lambda each: each.place)
    return stretches[0].followed(stretches[1]).written


def _distinct(readings: Iterable[Sentence]) -> tuple[Sentence, ...]:
    """Leave out readings that mean the same."""
    found: list[Sentence] = []
    for each in readings:
        if not any(_means(each) == _means(other) for other in found):
            found.append(each)
    return tuple(found[:MOST_READINGS])


def _means(said: Sentence) -> tuple[object, ...]:
    return said.text, str(said.phrase.canonical()), said.phrase.leads, said.phrase.again_after


def _unread(parted: Parted, words: Words, times: TimeReader) -> Doubt | None:
    """Ask about words of which a part is a time; None where none is."""
    if parted.ways:
        readings = []
        for way in parted.ways:
            judged = audited(way, parted.text, times.lang or LANGUAGES[0], times) if way.phrase is not None else None
            readings += [judged] if isinstance(judged, Sentence) else []
        readings += [Sentence(way.written, way.phrase) for way in parted.ways[:2] if way.phrase is not None]
        understood = next((way.phrase.text for way in parted.ways if way.phrase is not None), "")
        if readings:
            return Doubt(times.lang or LANGUAGES[0], understood, "", _distinct(readings))
    begun = _begun(parted.text, times)
    if begun is not None and begun.fault == "beside":
        return begun
    return refused(parted.text, parted.text, times) or refused(words, parted.text, times) or begun


def _begun(words: Words, times: TimeReader) -> Doubt | None:
    """Say which words begin a time that cannot be built: "2 hours after lunch", "until the pack is empty"."""
    code = times.lang or LANGUAGES[0]
    found = begun(words.folded, [WordPlace.OPEN] * len(words), lists_of(code))
    if found is None:
        return None
    fault = "beside" if found.says is Loose.BESIDE else "unread"
    return Doubt(code, "", words.part(found.start, found.end).written, fault=fault)


def refused(words: Words, text: Words, times: TimeReader) -> Doubt | None:
    """Say why the longest time among words is refused, with what people usually mean by it; None where none is.

    `text` is what is left of them where the time stands outside of it.
    """
    found: tuple[Words, PhraseError] | None = None
    for stretch in times.stretches(words)[:_MOST_REFUSED]:
        if found is not None and len(stretch) <= len(found[0]):
            break
        if kinds_of(stretch.folded[-1], times.lang) == _ONLY_LITTLE or _ends_in_dose(stretch, words, times):
            continue
        error = times.refusal(stretch.written)
        if error is not None:
            found = stretch, error
    if found is None:
        return None
    stretch, error = found
    code = times.lang or LANGUAGES[0]
    if not isinstance(error.__cause__, UnsaidError):
        return Doubt(code, "", stretch.written, fault=error.fault, reason=error.reason)
    usual = times.read(stretch.written, usual=True)
    before, behind = text.beside(stretch)
    known = request_words(code)
    about = before_time(plain(before, known), known).joined(plain(behind, known) if not len(before) else behind)
    readings = (Sentence(about, usual),) if usual is not None and about else ()
    return Doubt(code, "", stretch.written, readings, fault="often", reason=error.reason)


def _ends_in_dose(stretch: Words, words: Words, times: TimeReader) -> bool:
    """Tell whether a number at the end of a refused time belongs to the words behind it: "3x a day 20 drops".

    So does an article that is a number elsewhere: "morgens um 8 eine Tablette".
    """
    behind = words.beside(stretch)[1]
    last = stretch.folded[-1]
    doses = request_words(times.lang or LANGUAGES[0]).forms("doses")
    counts = bool(longest(doses, behind.folded)) if last.isdecimal() else bool(len(behind)) and is_article(last, times)
    if not counts:
        return False
    return times.refusal(stretch.part(0, len(stretch) - 1).written) is not None


def is_too_much(text: str, words: Words) -> bool:
    """Tell whether a text is more than one sentence can say: very long, many numbers, many lines."""
    numbers = sum(any(map(str.isdecimal, word)) for word in words.folded)
    return len(text) > LONGEST or len(words) > MOST_WORDS or numbers > _MOST_NUMBERS or text.count("\n") >= _MOST_LINES


def too_much(words: Words, code: str, times: TimeReader) -> Doubt:
    """Ask for less at a time; say the first time that is found with little work."""
    begin = words.part(0, _MOST_WORDS_TRIED)
    understood = ""
    tries = 0
    for at in range(len(begin)):
        most = run(begin.timely[at:], times.may_be_time)
        for end in range(min(at + most, at + _LONGEST_TRIED), at, -1):
            tries += 1
            if not understood and tries <= _MOST_TRIES and times.part(begin, at, end) is not None:
                understood = begin.part(at, end).written
    reason = "it is more than one sentence: say one reminder at a time"
    return Doubt(code, understood, "", fault="long", reason=reason)
