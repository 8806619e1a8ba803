"""Whether a claim that it is done fits its reminder: in object, deed, doer and time, and as a whole.

A claim that does not fit is doubtful: duly asks. A wrong acknowledgement silences a reminder that was not acted on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from duly.language.replies.claims.form import Matter
from duly.language.replies.claims.lexicon import ClaimLexicon, ClaimSubject, Span, folded
from duly.language.replies.claims.times import ClaimTime
from duly.language.replies.form import ReplyRole
from duly.language.replies.phrases import ReplyPhrase
from duly.language.replies.tokens import ReplyToken

CLAIMS = (ReplyRole.DONE, ReplyRole.ALREADY)  # no sets: to hash a role takes longer than to compare it with three
_HALF_DAY = 12
_MEDICAL = frozenset({Matter.MEDICINE, Matter.VITAMINS})
_ASIDES = (ReplyRole.POLITE, ReplyRole.THANKS)


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
        subject: ClaimSubject,
        time: ClaimTime,
    ) -> None:
        """Take a reply as its language reads it; `words` are folded, without slips of the finger."""
        self._lexicon = lexicon
        self._tokens = tokens
        self._words = words
        self._phrases = phrases
        self._subject = subject
        self._time = time
        self._said = [word_fit(lexicon, subject, word) for word in words]

    def fit(self) -> ClaimFit:
        """Tell whether the claim fits, and what it names."""
        claims = [phrase for phrase in self._phrases if phrase.role in CLAIMS]
        is_timed = any([phrase.amount is not None for phrase in self._phrases])  # noqa: C419 - twice as fast
        is_plain = not is_timed and not self._lexicon.special.stands_in(self._words)
        fits = is_plain or (self._is_own(claims) and self._is_whole() and self._time_fits())
        names = False
        for place in self._spoken(is_plain=is_plain):
            said = self._said[place]
            fits = fits and said.fits
            names = names or said.names
        return ClaimFit(fits and (bool(claims) or not self._only_well()), names, bool(claims))

    def _spoken(self, *, is_plain: bool) -> Sequence[int]:
        """Give the places of words that may say what was done to what: no courtesies, amounts and circumstances."""
        left_out: set[int] = set()
        for phrase in self._phrases:
            if phrase.role in _ASIDES:
                left_out |= set(range(phrase.start, phrase.end))
            if phrase.amount is not None:
                left_out |= set(range(phrase.amount.start, phrase.amount.end))
        if not is_plain:
            for place, word in enumerate(self._words):
                if word not in self._lexicon.specific and self._is_beside(place) and not self._subject.names(word):
                    left_out.add(place)
            left_out |= {place for start, end in self._lexicon.parts.spans(self._words) for place in range(start, end)}
        places = range(len(self._words))
        return [place for place in places if place not in left_out] if left_out else places

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

    def _is_own(self, claims: Sequence[ReplyPhrase]) -> bool:
        """Tell whether no other person stands where the one does who did it."""
        for start, end in self._lexicon.persons.spans(self._words):
            if self._follows_deed(start, end):
                return False
            claim = next((each for each in claims if each.start <= end < each.end or each.start == end), None)
            if claim is None or (end < len(self._tokens) and self._tokens[end].pause):
                continue
            if start > claim.start or any(word in self._lexicon.mine for word in self._words[start : claim.end]):
                continue
            done = (self._lexicon.deeds.of(word) & self._subject.matters for word in self._words[end : claim.end])
            if start < claim.start or not any(done):
                return False
        return True

    def _follows_deed(self, start: int, end: int) -> bool:
        """Tell whether a person of whom the reminder says nothing is who did it, or to whom: "called dad"."""
        if not start or self._tokens[start].pause or any(map(self._subject.names, self._words[start:end])):
            return False
        if any(phrase.start <= start < phrase.end for phrase in self._phrases if phrase.amount is not None):
            return False  # il y a une heure
        deed = self._words[start - 1]
        return deed in self._lexicon.takes or bool(self._lexicon.deeds.of(deed))

    def _is_whole(self) -> bool:
        amounts = {
            place
            for phrase in self._phrases
            if phrase.amount is not None
            for place in range(phrase.amount.start, phrase.amount.end)
        }
        words = [
            word
            for place, word in enumerate(self._words)
            if place not in amounts
            and not (place and self._words[place - 1] in self._lexicon.beside)  # with some water
        ]
        if self._lexicon.partly.stands_in(words) and not self._names_all(words):
            return False
        return not self._lexicon.spent.stands_in(words)

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
            if amount is None or phrase.role not in (*CLAIMS, ReplyRole.AGO):
                continue
            if amount.minutes is not None and not self._time.fits_length(amount.minutes):
                return False
            if amount.label == "<clock>" and not self._fits_clock(amount.start, phrase.end):
                return False
        parts = (tuple(self._words[start:end]) for start, end in self._lexicon.parts.spans(self._words))
        return all(self._time.fits_part(self._lexicon.begins[part]) for part in parts)

    def _fits_clock(self, start: int, end: int) -> bool:
        hour, _, minute = self._words[start].replace(".", ":").partition(":")
        hours = int(hour)
        if hours < _HALF_DAY and self._lexicon.afternoon.stands_in(self._words[start + 1 : end + 2]):
            hours += _HALF_DAY
        return hours < 24 and int(minute or 0) < 60 and self._time.fits_clock(hours, int(minute or 0))

    def _only_well(self) -> bool:
        """Tell whether consent may be no answer: well-being with thanks, or praise with a thumb up behind it."""
        roles = {phrase.role for phrase in self._phrases}
        agrees = [self._words[phrase.start : phrase.end] for phrase in self._phrases if phrase.role is ReplyRole.YES]
        if ReplyRole.HEARD in roles and all(not word.isalnum() for words in agrees for word in words):
            return True
        return ReplyRole.THANKS in roles and all(self._lexicon.well.is_all(words) for words in agrees)


class WordFit(NamedTuple):
    """How one word of a claim fits a reminder."""

    fits: bool
    """Whether it is no deed and no object, or one of the reminder."""
    names: bool
    """Whether it is an object, and the reminder's."""


@lru_cache(maxsize=8192)
def word_fit(lexicon: ClaimLexicon, subject: ClaimSubject, word: str) -> WordFit:
    """Compare one word of a claim with a reminder."""
    if lexicon.is_deed(word):
        return WordFit(_deed_fits(lexicon, subject, word), names=False)
    if word in lexicon.articles or word in lexicon.mine:
        return WordFit(fits=True, names=False)
    matters = lexicon.things.of(word)
    names = subject.names(word) or subject.is_kind(word, matters)
    return WordFit(fits=names or not matters, names=names)


def _deed_fits(lexicon: ClaimLexicon, subject: ClaimSubject, word: str) -> bool:
    """Tell whether a deed is one of the reminder; "took it" also fits one that does not say what it is about."""
    if word in lexicon.takes and (subject.is_taken or not subject.matters or subject.matters & _MEDICAL):
        return True
    if lexicon.deeds.of(word) & subject.matters:
        return True
    is_plain = word in lexicon.plain and word not in lexicon.takes
    return is_plain or subject.names(word, ge=lexicon.given.ge)


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


def objects_in(lexicon: ClaimLexicon, words: Sequence[str], known: Sequence[bool], subject: ClaimSubject) -> list[Span]:
    """Find the stretches of a reply that name what the reminder is about, with their articles.

    `known` says which words the replies of the language know: those are objects only as names of things, or beside one.
    """
    spans: list[Span] = []
    place = 0
    while place < len(words):
        if not _names(lexicon, words[place], subject, known=known[place]):
            place += 1
            continue
        start = place
        end = place + 1
        while end < len(words) and (_may_follow(lexicon, words, end, subject)):
            end += 1
        first = spans[-1][1] if spans else 0
        while start > first and _may_lead(lexicon, words[start - 1], subject):
            start -= 1
        spans.append((start, end))
        place = end
    return spans


def _names(lexicon: ClaimLexicon, word: str, subject: ClaimSubject, *, known: bool) -> bool:
    if lexicon.is_deed(word) or word in lexicon.partly:  # "media" is no form of "medicina"
        return False
    matters = lexicon.things.of(word)
    if subject.names(word):
        return not known or bool(matters) or word in lexicon.persons
    return subject.is_kind(word, matters)


def _may_lead(lexicon: ClaimLexicon, word: str, subject: ClaimSubject) -> bool:
    return word in lexicon.articles or subject.counts(word) or _names(lexicon, word, subject, known=False)


def _may_follow(lexicon: ClaimLexicon, words: Sequence[str], place: int, subject: ClaimSubject) -> bool:
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
