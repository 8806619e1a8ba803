"""The judgement: what the phrases of a reply mean together.

The whole reply must consist of known phrases. A claim that it is done beats a refusal; otherwise an order to drop it
beats a wish for later, which beats consent. A reply that contradicts itself is not decided: an undecided reply costs a
question, a wrong acknowledgement costs the deed.
"""

from __future__ import annotations

from itertools import pairwise
from math import ceil
from typing import NamedTuple

from duly.language.replies.amounts import DAY, WEEK, ReplyAmount
from duly.language.replies.form import ReplyRole
from duly.language.replies.phrases import ReplyPhrase, split_phrases, value_of
from duly.language.replies.tokens import TokenizedReply
from duly.language.replies.vocabulary import ReplyVocabulary

_MAX_WORDS = 24
_CLAIMS = frozenset({ReplyRole.DONE, ReplyRole.ALREADY})
_SNOOZES = frozenset({ReplyRole.LATER, ReplyRole.REMIND, ReplyRole.ASK})
_DROPS = frozenset({ReplyRole.DROP, ReplyRole.REFUSE})
_REQUESTS = frozenset({ReplyRole.REMIND, ReplyRole.ASK})
_ASIDES = frozenset({ReplyRole.POLITE, ReplyRole.THANKS})
_ASSENT = frozenset({ReplyRole.YES, ReplyRole.HEARD})
"""Roles that contradict a no."""
_TO_CYRILLIC = str.maketrans("uza", "уза")
"""The letters of the two words that make a point in time of an amount in Serbian: у and за."""


class ReplyMeaning(NamedTuple):
    """The decision: yes, no, later and until when; or `OTHER`, when every word is known and nothing follows."""

    role: ReplyRole
    minutes: int | None = None
    until: str | None = None
    denied: bool = False
    """Whether it is later because a bare no said that it is not done, without a wish for a delay."""


def judge(vocabulary: ReplyVocabulary, tokens: TokenizedReply) -> ReplyMeaning | None:
    """Return what a reply means in one language; None if some of it is not understood."""
    if not 0 < len(tokens.items) <= _MAX_WORDS:
        return None
    words = []
    for token in tokens.items:
        word = token.word if token.word[0].isdigit() else vocabulary.word(token)
        if word is None:
            return None
        words.append(word)
    phrases = split_phrases(vocabulary, tokens.items, words)
    if not phrases:
        return None
    return _Judge(vocabulary, tokens, words, phrases).decide() or ReplyMeaning(ReplyRole.OTHER)


def _without_goodbye(phrases: list[ReplyPhrase]) -> list[ReplyPhrase]:
    """Read a goodbye as a courtesy beside a claim that it is done, else as a delay."""
    meant = ReplyRole.POLITE if any(phrase.role in _CLAIMS for phrase in phrases) else ReplyRole.LATER
    return [phrase._replace(role=meant) if phrase.role is ReplyRole.PARTING else phrase for phrase in phrases]


def _turned_down(phrases: list[ReplyPhrase]) -> bool:
    """Tell whether a no is more than "not done": it crosses the reminder out, or thanks for it and declines."""
    for place, phrase in enumerate(phrases, 1):
        if phrase.role is ReplyRole.CROSS:
            return True
        if phrase.role is ReplyRole.NO and place < len(phrases) and phrases[place].role is ReplyRole.THANKS:
            return True
    return False


class _Judge:
    """Decides about one reply."""

    def __init__(
        self, vocabulary: ReplyVocabulary, tokens: TokenizedReply, words: list[str], phrases: list[ReplyPhrase]
    ) -> None:
        self._vocabulary = vocabulary
        self._tokens = tokens
        self._words = words
        self._turned_down = _turned_down(phrases)
        self._phrases = [
            phrase._replace(role=ReplyRole.NO) if phrase.role is ReplyRole.CROSS else phrase
            for phrase in _without_goodbye(phrases)
            if phrase.role not in _ASIDES
        ]
        self._roles = [phrase.role for phrase in self._phrases]

    def decide(self) -> ReplyMeaning | None:
        """Return the meaning, or None if the reply says nothing or contradicts itself."""
        roles = set(self._roles)
        if not roles or self._unclear(roles):
            return None
        if self._tokens.asked:
            # Of all questions only one for a delay that says how long is understood.
            return self._snoozed() if roles - _ASSENT == {ReplyRole.ASK} and not self._amount_free() else None
        if roles & _CLAIMS:
            return self._claimed(roles)
        if roles & _DROPS:
            return ReplyMeaning(ReplyRole.NO) if self._amount_free() else None
        if roles & _SNOOZES:
            return None if self._roles[-1] is ReplyRole.NO else self._snoozed()
        if ReplyRole.NO in roles:
            return None if roles & _ASSENT else self._denied()
        consents = ReplyRole.YES in roles and ReplyRole.JOIN not in roles
        return ReplyMeaning(ReplyRole.YES) if consents else None

    def _denied(self) -> ReplyMeaning:
        """Read a no that stands alone: not done, so duly asks again; unless the person turned the reminder down."""
        if self._turned_down:
            return ReplyMeaning(ReplyRole.NO)
        return ReplyMeaning(ReplyRole.LATER, denied=True)

    def _unclear(self, roles: set[ReplyRole]) -> bool:
        """Tell whether it breaks off, speaks of something else, or sets a past time against what is not done."""
        if ReplyRole.OTHER in roles or self._roles[-1] is ReplyRole.JOIN:
            return True
        if ReplyRole.MOCK in roles and (roles & _CLAIMS or not roles & {*_DROPS, *_SNOOZES}):
            return True
        if ReplyRole.AGO in roles and roles & {ReplyRole.NO, *_DROPS, *_SNOOZES}:
            return True
        return self._ambiguous_no()

    def _claimed(self, roles: set[ReplyRole]) -> ReplyMeaning | None:
        """Read a claim that it is done, unless it is also to come or a refusal beside it could be its negation."""
        if ReplyRole.REFUSE in roles:
            return None
        if roles & _SNOOZES:
            asks_only = roles & _REQUESTS and not roles & {ReplyRole.LATER, ReplyRole.NO, ReplyRole.DROP}
            return self._snoozed() if asks_only else None
        if ReplyRole.JOIN in roles and not _CLAIMS & set(self._roles[self._roles.index(ReplyRole.JOIN) :]):
            return None
        if ReplyRole.NO in roles and (roles & _ASSENT or self._roles[-1] is ReplyRole.NO):
            return None
        if {ReplyRole.NO, ReplyRole.JOIN} <= roles and self._roles[-1] is not ReplyRole.ALREADY:
            return None
        return ReplyMeaning(ReplyRole.YES) if self._claims_stand_apart() else None

    def _claims_stand_apart(self) -> bool:
        """Tell whether no claim touches a refusal that might negate it, and none is followed by a bare no."""
        for before, after in pairwise(self._phrases):
            if before.role in _CLAIMS:
                dropped = after.role is ReplyRole.DROP and self._runs_on(before, after)
                if dropped or after.role is ReplyRole.NO:
                    return False
            refused = before.role in {ReplyRole.NO, ReplyRole.DROP}
            if refused and after.role in _CLAIMS and not self._apart(before, after):
                return False
        return True

    def _runs_on(self, before: ReplyPhrase, after: ReplyPhrase) -> bool:
        """Tell whether nothing separates the two: neither a pause nor a word."""
        return before.end == after.start and not self._tokens.items[after.start].pause

    def _apart(self, refusal: ReplyPhrase, claim: ReplyPhrase) -> bool:
        """Tell whether a refusal cannot be the negation of the claim after it.

        A comma keeps them apart. Without one, "no" is "not" in some languages ("no ya lo hice"), and elsewhere only a
        claim that is clearly in the past stands by itself ("no I already took it").
        """
        if not self._runs_on(refusal, claim):
            return True
        negates = refusal.role is ReplyRole.NO or self._ends_in_negation(refusal)
        if self._vocabulary.rules.no_negates and negates:
            return False
        return claim.role is ReplyRole.ALREADY

    def _ends_in_negation(self, phrase: ReplyPhrase) -> bool:
        return self._words[phrase.end - 1] in self._vocabulary.negations

    def _ambiguous_no(self) -> bool:
        """Tell whether a no or a not runs into an order without a pause: "no cancel" may mean either."""
        orders = _DROPS | _SNOOZES if self._vocabulary.rules.no_negates else _DROPS
        return any(
            (before.role is ReplyRole.NO or self._ends_in_negation(before))
            and after.role in orders
            and self._words[after.start] not in self._vocabulary.negations
            and self._runs_on(before, after)
            for before, after in pairwise(self._phrases)
        )

    def _amount_free(self) -> bool:
        return all(phrase.amount is None for phrase in self._phrases)

    def _snoozed(self) -> ReplyMeaning | None:
        """Read a wish for later; None if it names two different amounts."""
        amounts = {value_of(phrase.amount): phrase.amount for phrase in self._phrases if phrase.role in _SNOOZES}
        amounts.pop(None, None)
        if len(amounts) > 1:
            return None
        amount = next(iter(amounts.values()), None)
        if amount is None:
            return ReplyMeaning(ReplyRole.LATER)
        if amount.minutes is None:
            return ReplyMeaning(ReplyRole.LATER, until=self._point_in_time(amount))
        return self._for_minutes(amount, amount.minutes)

    def _for_minutes(self, amount: ReplyAmount, minutes: float) -> ReplyMeaning | None:
        """Give up to a day in minutes, up to a week as text for the time grammar, which knows the calendar."""
        if not 0 < minutes <= WEEK:
            return None
        if minutes <= DAY:
            return ReplyMeaning(ReplyRole.LATER, minutes=ceil(minutes))
        return ReplyMeaning(ReplyRole.LATER, until=self._say(self._vocabulary.rules.future, amount))

    def _point_in_time(self, amount: ReplyAmount) -> str:
        first = self._words[amount.start]
        needs_at = first[0].isdigit() or first in self._vocabulary.number_words
        return self._say(self._vocabulary.rules.at if needs_at else "", amount)

    def _say(self, lead: str, amount: ReplyAmount) -> str:
        """Return the words of the reply, in its own script, behind the word that makes a point in time of them."""
        first = self._tokens.items[amount.start]
        last = self._tokens.items[amount.end - 1]
        said = self._tokens.text[first.start : last.end]
        if self._tokens.cyrillic:
            lead = lead.translate(_TO_CYRILLIC)
        return f"{lead} {said}".strip()
