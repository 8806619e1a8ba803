"""Read requests to move a reminder: to another time, or by a length of time."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from duly.language.forms import longest
from duly.language.parsing import Phrase
from duly.language.requests.form import RequestWords
from duly.language.requests.notes import tells
from duly.language.requests.requests import IT, Move
from duly.language.requests.targets import after_verb, target_of
from duly.language.requests.times import TimeReader
from duly.language.requests.tokens import ARROWS, Words


def read_move(words: Words, known: RequestWords, times: TimeReader, code: str) -> Move | None:
    """Read a request to move a reminder; None when it is none."""
    arrow = next((at for at, word in enumerate(words.folded) if word in ARROWS), 0)
    if arrow:
        return _moved(words.part(0, arrow), words.part(arrow + 1), 0, known, times, code)
    if (count := words.begins(known, "move_it")) and (found := _it_moved(words.part(count), known, times, code)):
        return found
    rest = after_verb(words, known, "moves")
    if rest is not None and _is_unnamed(rest, known):
        return None
    if rest is not None:
        back = after_verb(words, known, "earlier_moves") is not None
        return (
            _to_time(rest, known, times, code)
            or _shift(rest, known, times, code, back=back)
            or _to_time(rest, known, times, code, to=None)
            or _to_time(rest, known, times, code, lengths=True)
        )
    rest = after_verb(words, known, "weak_moves")
    if rest is not None and not _is_unnamed(rest, known):
        found = _to_time(rest, known, times, code, to="weak_to")
        return None if found is None else replace(found, weak=True)
    return _verb_inside(words, known, times, code) if known.verb_last else None


def _it_moved(behind: Words, known: RequestWords, times: TimeReader, code: str) -> Move | None:
    """Read the time or the length behind "move it"."""
    if not len(behind):
        return None
    moved = _new_time(behind, behind.begins(known, "move_to"), known, times)
    if moved is not None and times.length(moved[0].text) is None:
        return Move(lang=code, target=IT, phrase=moved[0], clock_only=moved[1])
    shift = _length_of_shift(behind, known, times, back=False)
    return None if shift is None else Move(lang=code, target=IT, phrase=None, shift=shift)


def _is_unnamed(rest: Words, known: RequestWords) -> bool:
    """Tell whether the reminder is not named: "move that to Friday"."""
    count = rest.begins(known, "pronouns")
    behind = rest.part(count)
    return bool(count and (behind.begins(known, "move_to") or behind.begins(known, "move_by") or not len(behind)))


def _verb_inside(words: Words, known: RequestWords, times: TimeReader, code: str) -> Move | None:
    """Read an order that names the reminder first: "zubara pomakni na 15h"."""
    for at in range(1, len(words) - 1):
        count = longest(known.forms("moves"), words.folded, at)
        if not count:
            continue
        behind = words.part(at + count)
        return _moved(words.part(0, at), behind, behind.begins(known, "move_to"), known, times, code)
    return None


def _to_time(
    rest: Words,
    known: RequestWords,
    times: TimeReader,
    code: str,
    *,
    to: str | None = "move_to",
    lengths: bool = False,
) -> Move | None:
    """Read a name and a time, with or without "to" between them; a length of time may be how far it is moved."""
    for at in range(1, len(rest)):
        behind = rest.part(at)
        count = behind.begins(known, to) if to is not None else 0
        if to is not None and not count:
            continue
        found = _moved(rest.part(0, at), behind, count, known, times, code)
        if found is not None and found.phrase is not None and (lengths or times.length(found.phrase.text) is None):
            return found
    return None


def _moved(named: Words, behind: Words, count: int, known: RequestWords, times: TimeReader, code: str) -> Move | None:
    moved = _new_time(behind, count, known, times)
    target = target_of(named, known)
    if moved is None or target is None or tells(named, known):
        return None  # shift starts at nine
    phrase, clock_only = moved
    return Move(lang=code, target=target, phrase=phrase, clock_only=clock_only)


def _new_time(rest: Words, count: int, known: RequestWords, times: TimeReader) -> tuple[Phrase, bool] | None:
    """Read the time behind "to", with or without that word, which may be part of the time in some languages."""
    behind = rest.part(count).written
    if not behind:
        return None
    hour = known.at_hour
    day, _, number = behind.rpartition(" ")
    with_hour = f"{day} {hour} {number}".strip() if number.isdecimal() else behind
    phrase = times.read(behind) or times.read(rest.written) or times.read(with_hour)
    if phrase is None:
        return None
    # What can follow "today" names no day. At midnight no time of the day has passed.
    midnight = times.zone.localize(times.now).replace(hour=0, minute=0, second=0, microsecond=0)
    today = known.today.partition("|")[0]
    early = replace(times, now=midnight)
    ways = (behind, with_hour, rest.written)
    return phrase, any(early.read(f"{today} {way}") is not None for way in ways)


def _shift(rest: Words, known: RequestWords, times: TimeReader, code: str, *, back: bool) -> Move | None:
    """Read a name and a length of time: "push the dentist back an hour"."""
    for at in range(1, len(rest)):
        behind = rest.part(at)
        if behind.begins(known, "forwards") and not back:
            return None  # earlier or later: not known
        shift = _length_of_shift(behind, known, times, back=back)
        target = target_of(rest.part(0, at), known)
        if shift is not None and target is not None:
            return Move(lang=code, target=target, phrase=None, shift=shift)
    return None


def _length_of_shift(behind: Words, known: RequestWords, times: TimeReader, *, back: bool) -> timedelta | None:
    """Read by how much a reminder is moved; earlier, if negative. None when the words are no length."""
    if behind.begins(known, "forwards") and not back:
        return None
    behind = behind.part(behind.begins(known, "move_by"))
    sooner = behind.ends(known, "earlier")
    later = 0 if sooner else behind.ends(known, "later")
    length = times.length(behind.part(0, len(behind) - sooner - later).written, known.from_now)
    if length is None or length <= timedelta(0):
        return None
    return -length if back or sooner else length
