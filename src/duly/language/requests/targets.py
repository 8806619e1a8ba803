"""Read verbs that do something to a reminder, and the name of the reminder: cancel, pause, resume."""

from __future__ import annotations

from datetime import datetime, timedelta

from duly.language.forms import Form, longest
from duly.language.requests.form import GAP, RequestWords
from duly.language.requests.parting import has_hour, names_hour, part
from duly.language.requests.requests import IT, Cancel, LeaveOut, Pause, Request, Resume
from duly.language.requests.times import TimeReader
from duly.language.requests.tokens import Words
from duly.recurrence import Once

_ANYWHERE = frozenset({("it",), ("that",), ("this",), ("them",)})
"""Name no reminder, in a chat of any language."""
_SHORTEST = timedelta(minutes=1)
"""The shortest pause."""


def after_verb(words: Words, known: RequestWords, field: str) -> Words | None:
    """Give the words behind a verb, or around its parts; None without the verb. The longest form counts."""
    best: Words | None = None
    longest_form = 0
    for form in known.forms(field):
        if len(form) <= longest_form:
            continue
        first, last = _halves(form)
        end = len(words) - len(last)
        if end >= len(first) and words.folded[: len(first)] == first and words.folded[end:] == last:
            best = words.part(len(first), end)
            longest_form = len(form)
        elif known.verb_last and not last and words.folded[len(words) - len(first) :] == first:
            best = words.part(0, len(words) - len(first))
            longest_form = len(form)
    return best


def _halves(form: Form) -> tuple[Form, Form]:
    place = form.index(GAP) if GAP in form else len(form)
    return form[:place], form[place + 1 :]


def target_of(words: Words, known: RequestWords) -> str | None:
    """Give the name of the reminder that is meant, without articles; None where no words name one."""
    words = words.without_courtesies(known)
    named = words.without(known, "articles")
    while (count := named.ends(known, "nouns")) and count < len(named):
        named = named.part(0, len(named) - count)  # the vitamins reminder
    if words.folded in _ANYWHERE or named.folded in _ANYWHERE:
        return None
    if any(words.is_one_of(known, field) or named.is_one_of(known, field) for field in ("pronouns", "move_to")):
        return None
    return named.written or None


def read_cancel(words: Words, known: RequestWords, times: TimeReader, code: str) -> Request | None:
    """Read a request to remove a reminder."""
    rest = after_verb(words, known, "cancels")
    lead = max(words.begins(known, "leads"), words.begins(known, "weak_leads"))
    if rest is None or not len(rest) or lead > len(words) - len(rest):
        return None  # "n'oublie pas" is no "oublie"
    if not words.begins(known, "sure_cancels") and part(rest, known, times).phrase is not None:
        return None  # drop the kids at school at eight
    if rest.is_one_of(known, "everything"):
        return Cancel(lang=code, target=None)
    target = target_of(rest, known)
    return None if target is None else Cancel(lang=code, target=target)


def read_skip(words: Words, known: RequestWords, times: TimeReader, code: str) -> Request | None:
    """Read a request to leave out one time of a reminder: "skip the vitamins tomorrow"."""
    if count := words.begins(known, "skip_it"):
        return _skipped_it(words.part(count), known, times, code)
    rest = after_verb(words, known, "skips")
    if rest is None or not len(rest):
        return None
    found = part(rest, known, times)
    day = None
    if found.phrase is not None:
        if found.more is not None or not isinstance(found.phrase.trigger, Once) or has_hour(found.phrase, known, times):
            return None
        day = times.zone.localize(found.phrase.trigger.at).date()
        rest = found.text
    rest = rest.part(0, len(rest) - rest.ends(known, "skip_ends"))
    target = target_of(rest, known)
    return None if target is None else LeaveOut(lang=code, target=target, day=day)


def _skipped_it(rest: Words, known: RequestWords, times: TimeReader, code: str) -> LeaveOut | None:
    """Read what follows "skip it": nothing, the next time, or a day."""
    if not len(rest) or rest.is_one_of(known, "skip_ends"):
        return LeaveOut(lang=code, target=IT)
    phrase = times.read(rest.written)
    if phrase is None or not isinstance(phrase.trigger, Once) or has_hour(phrase, known, times):
        return None
    return LeaveOut(lang=code, target=IT, day=times.zone.localize(phrase.trigger.at).date())


def read_pause(words: Words, known: RequestWords, times: TimeReader, code: str) -> Request | None:
    """Read a request to pause a reminder or all, with or without an end, which may stand anywhere."""
    for start in range(len(words)):
        if not longest(known.forms("until") | known.forms("for_length"), words.folded, start):
            continue
        for end in range(len(words), start + 1, -1):
            until = _until(words.part(start, end), known, times)
            if until is None:
                continue
            rest = words.part(0, start).followed(words.part(end)).without_courtesies(known)
            for field in ("pauses", "weak_pauses"):
                found = _paused(rest, known, times, code, until, field)
                if found is not None:
                    return found
    return _paused(words, known, times, code, None, "pauses")


def _paused(
    words: Words, known: RequestWords, times: TimeReader, code: str, until: datetime | None, field: str
) -> Pause | None:
    named = after_verb(words, known, field)
    if named is None or (not len(named) and until is None):
        return None
    if until is None and named.begins(known, "for_length") and not named.begins(known, "articles"):
        return None  # pause for a second
    if not len(named) or named.without_courtesies(known).is_one_of(known, "everything"):
        return Pause(lang=code, target=None, until=until)
    target = None if names_hour(named, known, times) else target_of(named, known)  # turn off the oven at five
    return None if target is None else Pause(lang=code, target=target, until=until)


def _until(words: Words, known: RequestWords, times: TimeReader) -> datetime | None:
    """Read "until Monday" or "for a week" as a moment."""
    if count := words.begins(known, "until"):
        behind = words.part(count).written
        phrase = times.read(behind) or times.read(f"{known.at_hour} {behind}")
        if phrase is None:
            return times.end_of_period(words.written)
    elif count := words.begins(known, "for_length"):
        phrase = times.read(f"{known.from_now} {words.part(count).written}")
    else:
        return None
    if phrase is None or not isinstance(phrase.trigger, Once) or phrase.trigger.at < times.now + _SHORTEST:
        return None
    return phrase.trigger.at


def read_resume(words: Words, known: RequestWords, times: TimeReader, code: str) -> Request | None:
    """Read a request to go on with a reminder, or with all."""
    rest = after_verb(words, known, "resumes")
    if rest is None or not len(rest):
        return None
    if rest.is_one_of(known, "everything"):
        return Resume(lang=code, target=None)
    target = None if names_hour(rest, known, times) else target_of(rest, known)
    return None if target is None else Resume(lang=code, target=target)
