"""`read_request`: from the words of a chat to what a person asks for, in any language, the person's first.

A request is understood as a whole, or not at all: what is no request is None, and nothing is guessed.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from duly.language.moments import DayParts
from duly.language.parsing import Phrase
from duly.language.requests.form import GAP, Form, RequestWords
from duly.language.requests.requests import (
    Cancel,
    Help,
    ListRequest,
    Move,
    Pause,
    Remind,
    Request,
    Resume,
    UndoRequest,
    languages_of,
    request_words,
)
from duly.language.requests.sentences import TimeReader, led_words
from duly.language.requests.tokens import Words
from duly.language.text import LONGEST, fold
from duly.recurrence import Once
from duly.zones import Zone

_MOST_WORDS = 60
_SHORTEST_STEM = 4
_SPANS = ("today", "tomorrow", "week")


def read_request(
    text: str, *, now: datetime, zone: Zone, prefer: str | None = None, day_parts: DayParts | None = None
) -> Request | None:
    """Read what a person asks for; None when it is no request."""
    if len(text) > LONGEST:
        return None
    words = Words.of(text)
    if not 0 < len(words) <= _MOST_WORDS:
        return None
    for code in languages_of(prefer, text):
        found = _read(words, request_words(code), TimeReader(now, zone, code, day_parts=day_parts), code)
        if found is not None:
            return found
    return None


def is_yes(text: str, prefer: str | None = None) -> bool:
    """Tell whether a text says yes, and nothing else."""
    return _says(text, "yes", prefer)


def is_no(text: str, prefer: str | None = None) -> bool:
    """Tell whether a text says no, and nothing else."""
    return _says(text, "no", prefer)


def _says(text: str, field: str, prefer: str | None) -> bool:
    words = Words.of(text)
    for code in languages_of(prefer, text):
        known = request_words(code)
        if words.is_one_of(known, field) or words.without_courtesies(known).is_one_of(known, field):
            return True
    return False


def _read(words: Words, known: RequestWords, times: TimeReader, code: str) -> Request | None:
    if words.is_one_of(known, "helps"):
        return Help(lang=code)
    asked = words.without_courtesies(known)
    if not len(asked):
        return None
    if asked.is_one_of(known, "helps"):
        return Help(lang=code)
    if asked.is_one_of(known, "undos"):
        return UndoRequest(lang=code)
    for reader in (_listing, _cancelling, _reminding, _pausing, _resuming, _moving):
        found = reader(asked, known, times, code)
        if found is not None:
            return found
    return None


# remind


def _reminding(words: Words, known: RequestWords, times: TimeReader, code: str) -> Request | None:
    led = led_words(words, known, times)
    if led is None or not (led.written or led.phrase):
        return None
    return Remind(lang=code, text=led.written, phrase=led.phrase)


# list


def _listing(words: Words, known: RequestWords, times: TimeReader, code: str) -> Request | None:
    if words.is_one_of(known, "nouns") or (words.is_one_of(known, "everything") and len(words) > 1):
        return ListRequest(lang=code, span="all")
    asks = words.begins(known, "asks_what")
    shows = words.begins(known, "shows")
    rest = words.part(max(asks, shows))
    if not asks and not shows:
        # "reminders for tomorrow": the noun stands for the question.
        if not words.begins(known, "nouns"):
            return None
        rest = words
    named_all = rest.is_one_of(known, "everything")
    has_noun = any((word,) in known.forms("nouns") for word in words.folded)
    if named_all:
        return ListRequest(lang=code, span="all") if shows or asks or has_noun else None
    left = _without_fillers(rest, known)
    if not len(left):
        if asks and not has_noun:
            return ListRequest(lang=code, span="today") if not len(rest) else None
        return ListRequest(lang=code, span="all") if has_noun else None
    if not asks and shows and not has_noun and not _is_span(left, known):
        return None
    return _spanned(rest, left, known, times, code)


def _is_span(words: Words, known: RequestWords) -> bool:
    return any(words.is_one_of(known, span) for span in _SPANS)


def _spanned(rest: Words, left: Words, known: RequestWords, times: TimeReader, code: str) -> Request | None:
    for span in _SPANS:
        if left.is_one_of(known, span) or rest.is_one_of(known, span):
            return ListRequest(lang=code, span=span)
    for said in (left, rest):
        phrase = times.read(f"{said.written} 12:00") or times.read(said.written)
        if phrase is not None and isinstance(phrase.trigger, Once):
            day = times.zone.localize(phrase.trigger.at).date()
            return ListRequest(lang=code, span="day", day=day)
    return None


def _without_fillers(words: Words, known: RequestWords) -> Words:
    """Leave out what stands around the day at both ends and means nothing."""
    rest = words
    while count := rest.begins(known, "list_fillers"):
        if rest.begins(known, "week") > count:
            break
        rest = rest.part(count)
    while count := rest.ends(known, "list_fillers"):
        rest = rest.part(0, len(rest) - count)
    return rest


# verbs with a target


def _after_verb(words: Words, known: RequestWords, field: str) -> Words | None:
    """Give the words behind a verb, or between its two parts; None without the verb. The longest form counts."""
    best: Words | None = None
    longest = 0
    for form in known.forms(field):
        first, last = _halves(form)
        end = len(words) - len(last)
        fits = end >= len(first) and words.folded[: len(first)] == first and words.folded[end:] == last
        if fits and len(form) > longest:
            best = words.part(len(first), end)
            longest = len(form)
    return best


def _halves(form: Form) -> tuple[Form, Form]:
    place = form.index(GAP) if GAP in form else len(form)
    return form[:place], form[place + 1 :]


def _target(words: Words, known: RequestWords) -> str | None:
    """Give the name of the reminder that is meant, without articles; None where no words name one."""
    named = words.without(known, "articles")
    while (count := named.ends(known, "nouns")) and count < len(named):
        named = named.part(0, len(named) - count)  # the vitamins reminder
    return None if words.is_one_of(known, "pronouns") or named.is_one_of(known, "pronouns") else named.written or None


def _moving(words: Words, known: RequestWords, times: TimeReader, code: str) -> Request | None:
    rest = _after_verb(words, known, "moves")
    if rest is None:
        return None
    for at in range(1, len(rest)):
        count = rest.part(at).begins(known, "move_to")
        if not count:
            continue
        moved = _new_time(rest, at, count, known, times)
        target = _target(rest.part(0, at), known)
        if moved is not None and target is not None:
            phrase, clock_only = moved
            return Move(lang=code, target=target, phrase=phrase, clock_only=clock_only)
    return None


def _new_time(rest: Words, at: int, count: int, known: RequestWords, times: TimeReader) -> tuple[Phrase, bool] | None:
    """Read the time behind "to", with or without that word, which may be part of the time in some languages."""
    behind = rest.part(at + count).written
    if not behind:
        return None
    hour = known.at_hour
    day, _, number = behind.rpartition(" ")
    with_hour = f"{day} {hour} {number}".strip() if number.isdecimal() else behind
    phrase = times.read(behind) or times.read(rest.part(at).written) or times.read(with_hour)
    if phrase is None:
        return None
    # What can follow "today" names no day. At midnight no time of the day has passed.
    midnight = times.zone.localize(times.now).replace(hour=0, minute=0, second=0, microsecond=0)
    today = known.today.partition("|")[0]
    early = replace(times, now=midnight)
    ways = (behind, with_hour, rest.part(at).written)
    return phrase, any(early.read(f"{today} {way}") is not None for way in ways)


def _cancelling(words: Words, known: RequestWords, _times: TimeReader, code: str) -> Request | None:
    rest = _after_verb(words, known, "cancels")
    if rest is None or not len(rest):
        return None
    if rest.is_one_of(known, "everything"):
        return Cancel(lang=code, target=None)
    target = _target(rest, known)
    return None if target is None else Cancel(lang=code, target=target)


def _pausing(words: Words, known: RequestWords, times: TimeReader, code: str) -> Request | None:
    ends = [(at, until) for at in range(1, len(words)) if (until := _until(words.part(at), known, times)) is not None]
    end, until = ends[0] if ends else (len(words), None)
    named = _after_verb(words.part(0, end), known, "pauses")
    if named is None or (not len(named) and until is None):
        return None
    if not len(named) or named.is_one_of(known, "everything"):
        return Pause(lang=code, target=None, until=until)
    target = _target(named, known)
    return None if target is None else Pause(lang=code, target=target, until=until)


def _until(words: Words, known: RequestWords, times: TimeReader) -> datetime | None:
    """Read "until Monday" or "for a week" as a moment."""
    if count := words.begins(known, "until"):
        behind = words.part(count).written
        phrase = times.read(behind) or times.read(f"{known.at_hour} {behind}")
    elif count := words.begins(known, "for_length"):
        phrase = times.read(f"{known.from_now} {words.part(count).written}")
    else:
        return None
    return phrase.trigger.at if phrase is not None and isinstance(phrase.trigger, Once) else None


def _resuming(words: Words, known: RequestWords, _times: TimeReader, code: str) -> Request | None:
    rest = _after_verb(words, known, "resumes")
    if rest is None or not len(rest):
        return None
    if rest.is_one_of(known, "everything"):
        return Resume(lang=code, target=None)
    target = _target(rest, known)
    return None if target is None else Resume(lang=code, target=target)


def names_match(wanted: str, text: str) -> bool:
    """Tell whether every word of a name occurs in a text, by its stem: "vitamine" finds "uzmi vitamin C"."""
    named = Words.of(wanted).folded
    there = Words.of(text).folded
    return bool(named) and all(any(_is_form_of(word, each) for each in there) for word in named)


def _is_form_of(word: str, other: str) -> bool:
    """Tell whether two words have the same stem; short words have to be equal."""
    stem = _stem(word)
    return word == other or (len(word) >= _SHORTEST_STEM and (other.startswith(stem) or _stem(other) == stem))


def _stem(folded: str) -> str:
    """Cut the ending of a long word, which changes with its case and number."""
    word = fold(folded)
    keep = max(_SHORTEST_STEM, len(word) - 2)
    return word[:keep] if len(word) > keep else word
