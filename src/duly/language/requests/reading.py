"""`read_request`: from the words of a chat to what a person asks for, in any language, the person's first.

A request is understood as a whole, or not at all: what is no request is None, and nothing is guessed.
"""

from __future__ import annotations

from datetime import datetime

from duly.language.languages import code_of
from duly.language.moments import DayParts
from duly.language.requests.doubts import Doubt, audited, is_too_much
from duly.language.requests.form import RequestWords
from duly.language.requests.listing import read_list
from duly.language.requests.moving import read_move
from duly.language.requests.notes import read_note
from duly.language.requests.requests import (
    IT,
    Cancel,
    Help,
    Pause,
    Remind,
    Request,
    UndoRequest,
    languages_of,
    request_words,
)
from duly.language.requests.sentences import led_words
from duly.language.requests.targets import read_cancel, read_pause, read_resume, read_skip
from duly.language.requests.times import TimeReader
from duly.language.requests.tokens import Words
from duly.language.stems import is_form_of
from duly.language.text import LONGEST
from duly.zones import Zone

_MOST_WORDS = 60


def read_request(
    text: str,
    *,
    now: datetime,
    zone: Zone,
    prefer: str | None = None,
    day_parts: DayParts | None = None,
    notes: bool = True,
) -> Request | None:
    """Read what a person asks for; None when it is no request. `notes` are requests that do not say "remind me"."""
    if len(text) > LONGEST:
        return None
    words = Words.of(text)
    if not 0 < len(words) <= _MOST_WORDS or is_too_much(text, words) or not (words.asks or any(map(str.isalnum, text))):
        return None
    codes = languages_of(prefer, text)
    words = words.saying(*map(request_words, codes))

    def times(code: str) -> TimeReader:
        return TimeReader(now, zone, code, day_parts=day_parts)

    weak: Request | None = None
    for code in codes:
        found = _read(words, request_words(code), times(code), code)
        if found is None or (weak is not None and not _has_end(found)):
            continue
        if not isinstance(found, Pause) or _has_end(found) or code == code_of(prefer):
            return found
        weak = found  # "pause bis Montag": another language may read more of it
    if weak is not None:
        return weak
    return read_note(text, words, codes, times) if notes else None


def _has_end(request: Request) -> bool:
    return isinstance(request, Pause) and request.until is not None


def is_yes(text: str, prefer: str | None = None) -> bool:
    """Tell whether a text says yes, and nothing else."""
    return _says(text, "yes", prefer)


def is_no(text: str, prefer: str | None = None) -> bool:
    """Tell whether a text says no, and nothing else."""
    return _says(text, "no", prefer)


def courtesy_in(text: str, prefer: str | None = None) -> str | None:
    """Give the language in which a text is a courtesy and nothing else: "thanks!"; None when it is more, or none."""
    words = Words.of(text)
    for code in languages_of(prefer, text):
        if len(words) and not len(words.without_courtesies(request_words(code), askings=False)):
            return code
    return None


def _says(text: str, field: str, prefer: str | None) -> bool:
    words = Words.of(text)
    for code in languages_of(prefer, text):
        known = request_words(code)
        if words.is_one_of(known, field) or words.without_courtesies(known).is_one_of(known, field):
            return True
    return False


def _read(words: Words, known: RequestWords, times: TimeReader, code: str) -> Request | None:
    if words.consists_of(known, "helps", "help_fillers", "courtesies", "askings"):
        return Help(lang=code)
    asked = words.without_courtesies(known)
    if not len(asked):
        return None
    is_order = not words.asks or words.without_courtesies(known, askings=False).begins(known, "askings")
    if is_order and asked.is_one_of(known, "cancel_it"):
        return Cancel(lang=code, target=IT)
    if asked.consists_of(known, "undos", "undo_fillers", "courtesies"):
        return UndoRequest(lang=code)
    for reader in (read_list, read_cancel, read_skip, _reminding, read_pause, read_resume, read_move):
        found = reader(asked, known, times, code)
        if found is not None:
            return found
    return None


def _reminding(words: Words, known: RequestWords, times: TimeReader, code: str) -> Request | None:
    led = led_words(words, known, times)
    if led is None or not (led.written or led.phrase):
        return None
    if led.phrase is None and led.more is None and led.text.is_one_of(known, "joints"):
        return None  # remind me to
    doubt = audited(led, words, code, times)
    if isinstance(doubt, Doubt):
        return Remind(lang=code, text=led.written, phrase=None, doubt=doubt)
    return Remind(lang=code, text=led.written, phrase=led.phrase)


def names_match(wanted: str, text: str) -> bool:
    """Tell whether every word of a name occurs in a text, by its stem: "vitamine" finds "uzmi vitamin C"."""
    named = Words.of(wanted).folded
    there = Words.of(text).folded
    return bool(named) and all(any(is_form_of(word, each) for each in there) for word in named)
