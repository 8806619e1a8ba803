"""Whether a claim that it is done fits its reminder: in object, deed, doer and time, and as a whole.

A claim that does not fit is doubtful: duly asks. A wrong acknowledgement silences a reminder that was not acted on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property

from duly.language.replies.claims.form import Matter
from duly.language.replies.claims.lexicon import ClaimLexicon, Span, Subject, folded
from duly.language.replies.form import ReplyRole
from duly.language.replies.phrases import ReplyPhrase
from duly.language.replies.tokens import ReplyToken

CLAIMS = frozenset({ReplyRole.DONE, ReplyRole.ALREADY})
MOST_AHEAD = timedelta(hours=12)
"""So long before its reminder a deed may have been done, at most."""
_A_DAY = timedelta(days=1)
_CLOCKS_DIFFER = timedelta(minutes=5)
_HALF_DAY = 12
_MEDICAL = frozenset({Matter.MEDICINE, Matter.VITAMINS})
_ASIDES = frozenset({ReplyRole.POLITE, ReplyRole.THANKS})
_AGREES = frozenset({ReplyRole.YES, *CLAIMS})


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimTime:
    """When a deed may have been done: since its reminder fired, or shortly before that."""

    now: datetime | None
    """On the clocks of the person."""
    longest: timedelta
    """So long ago it may be; exactly so long is too long."""

    @classmethod
    def of(cls, fired: datetime | None, now: datetime | None, every: timedelta | None) -> ClaimTime:
        """Take the time from when the reminder fired, and how long after the one before it."""
        ahead = MOST_AHEAD if every is None else min(MOST_AHEAD, every / 2)
        since = max(now - fired, timedelta()) if fired is not None and now is not None else timedelta()
        return cls(now=now, longest=since + ahead)

    def fits_length(self, minutes: float) -> bool:
        """Tell whether it may have been done so many minutes ago."""
        ago = timedelta(minutes=minutes)
        return ago < self.longest and ago < _A_DAY

    def fits_clock(self, hour: int, minute: int) -> bool:
        """Tell whether it may have been done at a time of day."""
        if self.now is None:
            return True
        at = self.now.replace(hour=hour, minute=minute, second=0, microsecond=0)
        if at > self.now + _CLOCKS_DIFFER:
            at -= _A_DAY
        return self.now - at < self.longest

    def fits_part(self, first: int) -> bool:
        """Tell whether it may have been done at any time of a part of the day, which begins with an hour."""
        if self.now is None:
            return True
        midnight = self.now.replace(hour=0, minute=0, second=0, microsecond=0)
        begins = midnight + timedelta(hours=first)
        if begins > self.now:
            begins -= _A_DAY
        return self.now - begins < self.longest


@dataclass(frozen=True, slots=True)
class ClaimFit:
    """How a claim fits its reminder."""

    fits: bool
    is_named: bool = False
    """Whether it names what the reminder is about."""
    is_claimed: bool = False
    """Whether it says that it is done, and does not only agree."""


class ClaimReader:
    """Compares one reply that was taken for a claim with a reminder."""

    def __init__(
        self,
        lexicon: ClaimLexicon,
        tokens: Sequence[ReplyToken],
        words: Sequence[str],
        phrases: Sequence[ReplyPhrase],
        subject: Subject,
        time: ClaimTime,
    ) -> None:
        """Take a reply as its language reads it; `words` are folded, without slips of the finger."""
        self._lexicon = lexicon
        self._tokens = tokens
        self._words = words
        self._phrases = phrases
        self._subject = subject
        self._time = time

    def fit(self) -> ClaimFit:
        """Tell whether the claim fits, and what it names."""
        claims = [phrase for phrase in self._phrases if phrase.role in CLAIMS]
        objects = [self._object(place) for place in self._spoken]
        fits = (
            all(each is not False for each in objects)
            and all(self._deed_fits(place) for place in self._spoken)
            and self._is_own(claims)
            and self._is_whole()
            and self._time_fits()
            and not self._only_well(claims)
        )
        return ClaimFit(fits, is_named=any(each is True for each in objects), is_claimed=bool(claims))

    @cached_property
    def _spoken(self) -> list[int]:
        """The places of words that may say what was done to what: no courtesies, amounts and circumstances."""
        left_out: set[int] = set()
        for phrase in self._phrases:
            if phrase.role in _ASIDES:
                left_out |= set(range(phrase.start, phrase.end))
            if phrase.amount is not None:
                left_out |= set(range(phrase.amount.start, phrase.amount.end))
        for place, word in enumerate(self._words):
            if word not in self._lexicon.specific and self._is_beside(place) and not self._subject.names(word):
                left_out.add(place)
        for times, _ in self._lexicon.parts:
            left_out |= {place for start, end in times.spans(self._words) for place in range(start, end)}
        return [place for place in range(len(self._words)) if place not in left_out]

    def _is_beside(self, place: int) -> bool:
        """Tell whether a word is what goes with the deed: "with water", "after my breakfast"."""
        before = place - 1
        if (
            before > 0
            and self._words[before] in self._lexicon.articles
            and self._words[before] not in self._lexicon.beside
        ):
            before -= 1
        return before >= 0 and self._words[before] in self._lexicon.beside

    def _is_deed(self, word: str) -> bool:
        lexicon = self._lexicon
        return (
            word in lexicon.specific or word in lexicon.takes or word in lexicon.plain or bool(lexicon.deeds.of(word))
        )

    def _object(self, place: int) -> bool | None:
        """Tell whether a word names what the reminder is about: None if it is no object, False if it is another one."""
        word = self._words[place]
        if self._is_deed(word) or word in self._lexicon.articles or word in self._lexicon.mine:
            return None
        matters = self._lexicon.things.of(word)
        if self._subject.names(word):
            return True
        if not matters:
            return None
        if self._subject.matters:
            return bool(matters & self._subject.matters)
        return self._subject.is_taken and Matter.MEDICINE in matters

    def _deed_fits(self, place: int) -> bool:
        word = self._words[place]
        lexicon = self._lexicon
        if word in lexicon.takes and self._may_be_taken:
            return True
        matters = lexicon.deeds.of(word)
        if matters & self._subject.matters:
            return True
        if word in lexicon.specific or matters or word in lexicon.takes:
            return (word in lexicon.plain and word not in lexicon.takes) or self._subject.names(
                word, ge=lexicon.given.ge
            )
        return True

    @property
    def _may_be_taken(self) -> bool:
        matters = self._subject.matters
        return not matters or bool(matters & _MEDICAL) or self._subject.is_taken

    def _is_own(self, claims: Sequence[ReplyPhrase]) -> bool:
        """Tell whether no other person stands where the one does who did it."""
        for start, end in self._lexicon.persons.spans(self._words):
            claim = next((each for each in claims if each.start <= end < each.end or each.start == end), None)
            if claim is None or (end < len(self._tokens) and self._tokens[end].pause):
                continue
            if start > claim.start or any(word in self._lexicon.mine for word in self._words[start : claim.end]):
                continue
            done = (self._lexicon.deeds.of(word) & self._subject.matters for word in self._words[end : claim.end])
            if start < claim.start or not any(done):
                return False
        return True

    def _is_whole(self) -> bool:
        amounts = {
            place
            for phrase in self._phrases
            if phrase.amount is not None
            for place in range(phrase.amount.start, phrase.amount.end)
        }
        words = [word for place, word in enumerate(self._words) if place not in amounts]
        if self._lexicon.partly.stands_in(words) and not self._names_all(words):
            return False
        matters = self._subject.matters
        return not (self._lexicon.spent.stands_in(words) and (not matters or matters & _MEDICAL))

    def _names_all(self, words: Sequence[str]) -> bool:
        """Tell whether each word of doubt is one of the reminder's own: "take half a pill"."""
        return all(
            end == start + 1 and words[start] in self._subject.words for start, end in self._lexicon.partly.spans(words)
        )

    def _time_fits(self) -> bool:
        outside = [word for word in self._words if not self._subject.names(word)]
        if self._lexicon.long_ago.stands_in(outside):
            return False
        for phrase in self._phrases:
            amount = phrase.amount
            if amount is None or phrase.role not in {*CLAIMS, ReplyRole.AGO}:
                continue
            if amount.minutes is not None and not self._time.fits_length(amount.minutes):
                return False
            if amount.label == "<clock>" and not self._fits_clock(amount.start, phrase.end):
                return False
        begins = [hour for times, hour in self._lexicon.parts if times.stands_in(self._words)]
        return all(self._time.fits_part(hour) for hour in begins)

    def _fits_clock(self, start: int, end: int) -> bool:
        hour, _, minute = self._words[start].replace(".", ":").partition(":")
        hours = int(hour)
        if hours < _HALF_DAY and self._lexicon.afternoon.stands_in(self._words[start + 1 : end + 2]):
            hours += _HALF_DAY
        return hours < 24 and int(minute or 0) < 60 and self._time.fits_clock(hours, int(minute or 0))

    def _only_well(self, claims: Sequence[ReplyPhrase]) -> bool:
        """Tell whether it may answer "how are you?": a word of well-being with thanks behind it."""
        if claims or not any(phrase.role is ReplyRole.THANKS for phrase in self._phrases):
            return False
        agrees = [phrase for phrase in self._phrases if phrase.role in _AGREES]
        return all(self._lexicon.well.is_all(self._words[phrase.start : phrase.end]) for phrase in agrees)


def is_unwilling(lexicon: ClaimLexicon, words: Sequence[str], phrases: Sequence[ReplyPhrase]) -> bool:
    """Tell whether a reply that was taken for an order to drop it only says that the person does not want to.

    So does one that hands on what a doctor said, and an order that may be meant as "I forgot".
    """
    if lexicon.advised.stands_in(words):
        return True
    orders = [words[phrase.start : phrase.end] for phrase in phrases if phrase.role is ReplyRole.DROP]
    if orders:
        return all(lexicon.either.is_all(each) for each in orders)
    refused = [words[phrase.start : phrase.end] for phrase in phrases if phrase.role is ReplyRole.REFUSE]
    return bool(refused) and not any(lexicon.skips.stands_in(each) for each in refused)


def objects_in(lexicon: ClaimLexicon, words: Sequence[str], known: Sequence[bool], subject: Subject) -> list[Span]:
    """Find the stretches of a reply that name what the reminder is about, with their articles.

    `known` says which words the replies of the language know: those are objects only as names of things, or beside one.
    """
    spans: list[Span] = []
    place = 0
    while place < len(words):
        if not _names(lexicon, words[place], subject, known=known[place]):
            place += 1
            continue
        start, end = place, place + 1
        while end < len(words) and (_may_follow(lexicon, words, end, subject)):
            end += 1
        first = spans[-1][1] if spans else 0
        while start > first and _may_lead(lexicon, words[start - 1], subject):
            start -= 1
        spans.append((start, end))
        place = end
    return spans


def _names(lexicon: ClaimLexicon, word: str, subject: Subject, *, known: bool) -> bool:
    if word in lexicon.takes or word in lexicon.plain or word in lexicon.specific or lexicon.deeds.of(word):
        return False
    if not known:
        return subject.names(word)
    return bool(lexicon.things.of(word)) and subject.names(word)


def _may_lead(lexicon: ClaimLexicon, word: str, subject: Subject) -> bool:
    return word in lexicon.articles or _names(lexicon, word, subject, known=False)


def _may_follow(lexicon: ClaimLexicon, words: Sequence[str], place: int, subject: Subject) -> bool:
    """Tell whether a name goes on: with another of its words, or with an article and one."""
    word = words[place]
    if _names(lexicon, word, subject, known=False):
        return True
    following = words[place + 1] if place + 1 < len(words) else ""
    return word in lexicon.articles and bool(following) and _names(lexicon, following, subject, known=False)


def without(tokens: Sequence[ReplyToken], spans: Sequence[Span], put: str | None) -> tuple[ReplyToken, ...]:
    """Leave stretches out of a reply, or put a word in their place."""
    kept: list[ReplyToken] = []
    place = 0
    pause = False
    for start, end in [*spans, (len(tokens), len(tokens))]:
        for token in tokens[place:start]:
            kept.append(token._replace(pause=True) if pause else token)
            pause = False
        if start < len(tokens):
            pause = pause or tokens[start].pause
            if put is not None:
                first = tokens[start]
                kept.append(ReplyToken(put, first.start, tokens[end - 1].end, pause, folded(put), ""))
                pause = False
        place = end
    return tuple(kept)
