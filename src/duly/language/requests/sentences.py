"""Message and time in one sentence: "call mom tomorrow at 5pm", "erinner mich morgen um 10 an den Zahnarzt".

What asks for the reminder stands at the beginning, behind the time, at the end ("…, remind me") or around the rest
("kannst du mich … erinnern"). An alarm needs no text.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

from duly.errors import PhraseError
from duly.language.forms import Form, longest, longest_end
from duly.language.languages import LANGUAGES, code_of
from duly.language.moments import DayParts
from duly.language.parsing import Phrase
from duly.language.requests.around import is_of_noun
from duly.language.requests.doubts import Doubt, Sentence, audited, is_too_much, too_much
from duly.language.requests.form import RequestWords
from duly.language.requests.notes import tells
from duly.language.requests.parting import MOST_WORDS, Parted, begins_bound, part, plain
from duly.language.requests.requests import languages_of, request_words
from duly.language.requests.times import LONGEST_TIME, TimeReader
from duly.language.requests.tokens import Words
from duly.language.text import LONGEST
from duly.recurrence import Once
from duly.zones import Zone

_NOON = 12
_SHORTEST_FOREIGN = 5
"""Letters of a word that may be the only one of a time in a language that is not the person's."""


def read_sentence(
    text: str, *, now: datetime, zone: Zone, prefer: str | None = None, day_parts: DayParts | None = None
) -> Sentence | Doubt | None:
    """Take a sentence apart into a text and a time; None when it has no time, or nothing but a time.

    A sentence that may mean several things is a `Doubt`.
    """
    if not any(map(str.isalnum, text)):
        return None
    words = Words.of(text)
    if is_too_much(text, words):
        code = code_of(prefer) or LANGUAGES[0]
        return too_much(words, code, TimeReader(now, zone, code, day_parts=day_parts))
    if len(words) < 2:
        return None
    codes = languages_of(prefer, text)
    words = words.saying(*map(request_words, codes))
    doubt: Doubt | None = None
    for code in codes:
        known = request_words(code)
        times = TimeReader(now, zone, code, day_parts=day_parts)
        led = led_words(words.without_courtesies(known), known, times)
        judged = None if led is None else audited(led, words, code, times)
        if isinstance(judged, Doubt):
            doubt = doubt or judged
        elif led is not None and led.phrase is not None:
            return judged
    if doubt is not None:
        return doubt
    times = TimeReader(now, zone, None, prefer, day_parts)
    found = part(words, None, times)
    if found.phrase is not None:
        polite = words.without_courtesies(request_words(found.phrase.lang), askings=False)
        found = part(polite, None, times) if 1 < len(polite) < len(words) else found
    if found.phrase is not None and found.phrase.lang != code_of(prefer) and _is_chance(found):
        return None
    return audited(found, words, code_of(prefer) or LANGUAGES[0], times)


def _is_chance(found: Parted) -> bool:
    """Tell whether all that a language has read is a short word, which is another one elsewhere: "sat" is an hour."""
    said = [word for each in found.claimed for word in each.folded]
    return len(said) == 1 and len(said[0]) < _SHORTEST_FOREIGN


def why_unread(
    text: str, *, now: datetime, zone: Zone, prefer: str | None = None, day_parts: DayParts | None = None
) -> str:
    """Say why a sentence cannot be taken apart: its time is refused, its time is not clear, or it has none."""
    words = Words.of(text[:LONGEST])
    if is_too_much(text, words):
        return "it is more than one sentence: say one reminder at a time"
    refused: PhraseError | None = None
    has_time = False
    for code in (None, *languages_of(prefer, text)) if len(words) <= MOST_WORDS else ():
        times = TimeReader(now, zone, code, prefer, day_parts)
        for stretch in times.stretches(words):
            error = times.refusal(stretch.written)
            if error is not None and (refused is None or len(error.text) > len(refused.text)):
                refused = error
            has_time = has_time or times.read(stretch.written) is not None
    if refused is not None:
        return str(refused)
    return "it is not clear which of its words are the time" if has_time else "it names no time"


def led_words(words: Words, known: RequestWords, times: TimeReader) -> Parted | None:
    """Read words with a lead ("remind me"); None without one."""
    readers = (_alarm, _around, _in_front, _weakly_in_front, _at_the_end)
    return next((led for reader in readers if (led := reader(words, known, times)) is not None), None)


def _around(words: Words, known: RequestWords, times: TimeReader) -> Parted | None:
    """Read "kannst du mich … erinnern", and "sag mir in 10 Minuten Bescheid, dass …"."""
    for first, last in known.splits:
        if words.folded[: len(first)] != first:
            continue
        for end in range(len(words) - len(last), len(first), -1):
            if words.folded[end : end + len(last)] != last:
                continue
            between = words.part(len(first), end)
            behind = words.part(end + len(last)).without_courtesies(known)
            if not len(behind):
                return part(between, known, times)
            phrase = times.read(between.written)
            if phrase is not None:
                return Parted(plain(behind, known), None, phrase, claimed=(between,), is_firm=True)
    return None


def _in_front(words: Words, known: RequestWords, times: TimeReader) -> Parted | None:
    """Read a lead at the beginning or behind the time."""
    return _led_by(words, known, times, "leads")


def _led_by(words: Words, known: RequestWords, times: TimeReader, field: str) -> Parted | None:
    for at in range(min(len(words), LONGEST_TIME + 1)):
        count = longest(known.forms(field), words.folded, at)
        if not count or words.is_quoted(at):
            continue
        rest = words.part(at + count).without_courtesies(known)
        if at == 0:
            return part(rest, known, times)
        phrase = times.part(words, 0, at)
        if phrase is None and not begins_bound(words.part(0, at), known.code):
            continue
        more = part(rest, known, times)
        begin = words.part(0, at)
        claimed = (begin, *more.claimed)
        both = None if more.phrase is None else times.read(*(each.written for each in claimed))
        if phrase is None and (both is None or isinstance(both.trigger, Once)):
            continue
        if both is None:
            return Parted(plain(rest, known), None, phrase, claimed=(begin,), is_firm=more.phrase is None)
        return replace(more, phrase=both, claimed=claimed)
    return None


def _weakly_in_front(words: Words, known: RequestWords, times: TimeReader) -> Parted | None:
    """Read a lead that counts only together with a time: "note to self"."""
    count = longest(known.forms("weak_leads"), words.folded)
    if not count or words.asks:
        return None
    led = part(words.part(count).without_courtesies(known), known, times)
    return led if led.phrase is not None and led.written and not tells(led.text.part(0, 1), known) else None


def _at_the_end(words: Words, known: RequestWords, times: TimeReader) -> Parted | None:
    """Read a lead at the end, behind what is to be done and when: "I have to call the bank at ten, remind me"."""
    count = longest_end(known.forms("end_leads"), words.folded, len(words))
    end = len(words) - count
    if not count or not end:
        return None
    rest = words.part(0, end).without_courtesies(known)
    must = longest(known.forms("musts"), rest.folded)
    led = part(rest.part(must), known, times)
    if led.phrase is None or not led.written or _is_of_text(led, rest, words, end, known):
        return None
    return None if not must and not words.is_cut_off(end) and tells(led.text, known) else led


def _is_of_text(led: Parted, rest: Words, words: Words, end: int, known: RequestWords) -> bool:
    """Tell whether what asks for a reminder at the end is of the text before it: "test the smoke alarm".

    That is so right behind the text, without a mark between them, for a noun, and for a verb behind what joins it.
    """
    text = led.more or led.text
    if words.is_cut_off(end) or not len(text) or text.places[-1] != rest.places[-1]:
        return False
    things = known.forms("nouns") | {(word,) for word in Words.of(known.alarm_text).folded}
    behind = end + longest(known.forms("articles"), words.folded, end)
    joined = longest_end(known.forms("joints") | known.forms("danglers"), words.folded, end)
    return bool(joined) or any(longest(things, words.folded, at) for at in (end, behind))


# alarms


def _alarm(words: Words, known: RequestWords, times: TimeReader) -> Parted | None:
    """Read "wake me at seven", which means the morning, and "set an alarm for three"."""
    for field, choose in (("wakes", _morning), ("alarms", _in_doubt)):
        led = _led_by(words, known, times, field)
        if led is None:
            continue
        if tells(led.text, known):
            return None  # the alarm rang at seven
        if _names_thing(led, words, known.forms(field), times.lang):
            return None
        if led.phrase is None:
            led = _at_number(led, known, times)
        if led.phrase is None:
            return None if led.written else replace(led, unsaid=known.alarm_text)
        return replace(led, phrase=choose(led.phrase, times), unsaid=known.alarm_text)
    return None


def _names_thing(led: Parted, words: Words, forms: frozenset[Form], lang: str | None) -> bool:
    """Tell whether the one word that asks for an alarm is of the text: "alarm clock repair", "wecken der Kinder"."""
    if not len(led.text):
        return False
    text = words.places.index(led.text.places[0])
    ends = [text, *(at for at in (text - 1, text - 2) if is_of_noun(words, at + 1, lang))]
    return any(longest_end(forms, words.folded, at) == 1 for at in ends)


def _at_number(led: Parted, known: RequestWords, times: TimeReader) -> Parted:
    """Read a bare number as an hour: "an alarm for 7"."""
    number = led.text.folded[-1] if len(led.text) in (1, 2) else ""
    phrase = times.read(f"{known.at_hour} {number}") if number.isdecimal() else None
    return led if phrase is None else Parted(led.text.part(0, 0), None, phrase, claimed=(led.text,))


def _morning(phrase: Phrase, times: TimeReader) -> Phrase:
    """Choose the reading before noon of an hour that may also be one of the afternoon."""
    early = _half_a_day_off(phrase, times)
    return replace(early or phrase, other=None)


def _in_doubt(phrase: Phrase, times: TimeReader) -> Phrase:
    """Keep the reading before noon as the other one."""
    early = _half_a_day_off(phrase, times)
    return phrase if early is None else replace(phrase, other=replace(early, other=None))


def _half_a_day_off(phrase: Phrase, times: TimeReader) -> Phrase | None:
    """Read an hour of the afternoon as if it was said at midnight; None where it is the same then."""
    if not isinstance(phrase.trigger, Once):
        return None
    at = times.zone.localize(phrase.trigger.at)
    if at.hour < _NOON:
        return None
    midnight = times.zone.localize(times.now).replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(days=1)
    for early in (phrase.other, replace(times, now=midnight).again(phrase)):
        if early is not None and isinstance(early.trigger, Once):
            then = times.zone.localize(early.trigger.at)
            if (then.hour, then.minute) == (at.hour - _NOON, at.minute):
                return early
    return None
