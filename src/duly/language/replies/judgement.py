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
from duly.language.replies.vocabulary import DOING, ReplyVocabulary

_MAX_WORDS = 24
_CLAIMS = frozenset({ReplyRole.DONE, ReplyRole.ALREADY})
_SNOOZES = frozenset({ReplyRole.LATER, ReplyRole.REMIND, ReplyRole.ASK})
_DROPS = frozenset({ReplyRole.DROP, ReplyRole.REFUSE})
_REQUESTS = frozenset({ReplyRole.REMIND, ReplyRole.ASK})
_ASIDES = frozenset({ReplyRole.POLITE, ReplyRole.THANKS})
_WISHES = frozenset({ReplyRole.LATER, ReplyRole.REMIND})
_EXCUSABLE = frozenset({ReplyRole.STRANGE, ReplyRole.NOT_YET, ReplyRole.NO, ReplyRole.JOIN, *_WISHES, *_ASIDES})
"""What may stand beside an excuse that is not understood."""
_PLAIN = {ReplyRole.CROSS: ReplyRole.NO, ReplyRole.DENY: ReplyRole.NO, ReplyRole.NOT_YET: ReplyRole.LATER}
"""Roles that the decision itself does not tell apart."""
_ASSENT = frozenset({ReplyRole.YES, ReplyRole.HEARD})
"""Roles that contradict a no."""
_FEW_STRANGE = 2
"""Strange words that may stand before a time in its own clause: "buzz me in 20 minutes"."""
_TO_CYRILLIC = str.maketrans("uza", "уза")
"""The letters of the two words that make a point in time of an amount in Serbian: у and за."""


class ReplyMeaning(NamedTuple):
    """The decision: yes, no, later and until when; or `OTHER`, when every word is known and nothing follows."""

    role: ReplyRole
    minutes: int | None = None
    until: str | None = None
    denied: bool = False
    """Whether it is later because a bare no said that it is not done, without a wish for a delay."""


class JudgedReply(NamedTuple):
    """A reply as one language reads it."""

    meaning: ReplyMeaning
    words: list[str]
    """Its words without accents that were forgotten and slips of the finger."""
    phrases: list[ReplyPhrase]


def judge(vocabulary: ReplyVocabulary, tokens: TokenizedReply, *, lenient: bool = False) -> JudgedReply | None:
    """Return what a reply means in one language; None if some of it is not understood.

    A lenient reader takes a slip of the finger in a long word for the word, and lets an excuse pass unread.
    """
    if not 0 < len(tokens.items) <= _MAX_WORDS:
        return None
    words = []
    for token in tokens.items:
        word = token.word if token.word[0].isdigit() else vocabulary.word(token)
        if word is None:
            if not lenient:
                return None
            word = vocabulary.mistyped(token) or (DOING if vocabulary.is_doing(token) else token.word)
        words.append(word)
    phrases = split_phrases(vocabulary, tokens.items, words, lenient=lenient)
    if phrases and lenient:
        phrases = _without_excuse(phrases, tokens, negated=not vocabulary.negations.isdisjoint(words))
    if not phrases:
        return None
    meaning = _Judge(vocabulary, tokens, words, phrases).decide() or ReplyMeaning(ReplyRole.OTHER)
    return JudgedReply(meaning, words, phrases)


def _without_excuse(phrases: list[ReplyPhrase], tokens: TokenizedReply, *, negated: bool) -> list[ReplyPhrase]:
    """Leave out the strange words of an excuse; return nothing where they may be more than that.

    That is known beside a plain "not yet" at either end, and before a length of time or a time at the end: "on the
    phone, buzz me in 20 minutes". A negation among the strange words may be about that time.
    """
    strange = [place for place, phrase in enumerate(phrases) if phrase.role is ReplyRole.STRANGE]
    if not strange:
        return phrases
    if tokens.asked or not {phrase.role for phrase in phrases} <= _EXCUSABLE:
        return []
    before = phrases[: strange[0]]
    after = phrases[strange[-1] + 1 :]
    when = [phrase for phrase in after if phrase.role in _WISHES and _is_ahead(phrase)]
    plain = next((phrase for phrase in before if phrase.role not in {*_ASIDES, ReplyRole.NO}), None)
    if plain is not None and plain.role is ReplyRole.NOT_YET:
        # One word alone could begin another sentence: "later that day".
        return [*before, *when] if plain.end - plain.start > 1 or tokens.items[plain.end].pause else []
    if when and not negated and _is_excuse(phrases, tokens, when[0]):
        return when
    closes = after and after[0].role is ReplyRole.NOT_YET and tokens.items[after[0].start].pause
    return after if closes else []


def _is_excuse(phrases: list[ReplyPhrase], tokens: TokenizedReply, when: ReplyPhrase) -> bool:
    """Tell whether the strange words before a time ask for nothing themselves, as in "remind me to call in an hour"."""
    if sum(phrase.amount is not None for phrase in phrases) > 1:
        return False
    pauses = [place for place in range(1, when.start + 1) if tokens.items[place].pause]
    clause = [phrase for phrase in phrases if (pauses[-1] if pauses else 0) <= phrase.start < when.start]
    strange = sum(phrase.role is ReplyRole.STRANGE for phrase in clause)
    return strange <= _FEW_STRANGE and not (strange and any(phrase.role is ReplyRole.REMIND for phrase in clause))


def _is_ahead(phrase: ReplyPhrase) -> bool:
    """Tell whether a word such as "in" says that an amount of time lies ahead: "20 minutes" alone may be anything."""
    return phrase.amount is not None and phrase.start < phrase.amount.start


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
        self._fillers = {
            place for phrase in phrases if phrase.role is ReplyRole.POLITE for place in range(phrase.start, phrase.end)
        }
        self._denies = any(phrase.role is ReplyRole.DENY for phrase in phrases)
        self._phrases = [
            phrase._replace(role=_PLAIN.get(phrase.role, phrase.role))
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
            if self._amount_free():
                return ReplyMeaning(ReplyRole.NO)
            # "Not today, tomorrow" only puts it off.
            return self._snoozed() if ReplyRole.DROP not in roles and self._roles[-1] in _SNOOZES else None
        if roles & _SNOOZES:
            contradicts = self._roles[-1] is ReplyRole.NO or {ReplyRole.NO, ReplyRole.YES} <= roles
            return None if contradicts else self._snoozed()
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
        if ReplyRole.REFUSE in roles or self._denies:
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

    def _fillers_only(self, before: ReplyPhrase, after: ReplyPhrase) -> bool:
        """Tell whether only fillers stand between the two, and no pause."""
        between = range(before.end, after.start)
        if any(self._tokens.items[place].pause for place in (*between, after.start)):
            return False
        return all(place in self._fillers for place in between)

    def _apart(self, refusal: ReplyPhrase, claim: ReplyPhrase) -> bool:
        """Tell whether a refusal cannot be the negation of the claim after it.

        A comma keeps them apart. Without one, "no" is "not" in some languages ("no ya lo hice"), and elsewhere only a
        claim that is clearly in the past stands by itself ("no I already took it").
        """
        if not self._runs_on(refusal, claim) and not self._fillers_only(refusal, claim):
            return True
        negates = refusal.role is ReplyRole.NO or self._ends_in_negation(refusal)
        if self._vocabulary.rules.no_negates and negates:
            return False
        return claim.role is ReplyRole.ALREADY

    def _ends_in_negation(self, phrase: ReplyPhrase) -> bool:
        return self._words[phrase.end - 1] in self._vocabulary.negations

    def _ambiguous_no(self) -> bool:
        """Tell whether a no or a not touches an order without a pause: "no cancel" and "skip not today" mean either."""
        orders = _DROPS | _SNOOZES if self._vocabulary.rules.no_negates else _DROPS
        return any(
            (after.role in orders and not self._starts_negated(after) and self._negates(before, after))
            or (before.role in _DROPS and not self._starts_negated(before) and self._takes_back(after))
            for before, after in pairwise(self._phrases)
            if self._runs_on(before, after) or self._fillers_only(before, after)
        )

    def _starts_negated(self, phrase: ReplyPhrase) -> bool:
        return self._words[phrase.start] in self._vocabulary.negations

    def _takes_back(self, phrase: ReplyPhrase) -> bool:
        """Tell whether a phrase could be the negation of the order before it."""
        return phrase.role is ReplyRole.NO or (phrase.role is ReplyRole.REFUSE and self._starts_negated(phrase))

    def _negates(self, before: ReplyPhrase, after: ReplyPhrase) -> bool:
        """Tell whether a phrase could be the negation of the order after it: "can't right now" that of "skip it"."""
        if before.role in {ReplyRole.NO, ReplyRole.REFUSE} or self._ends_in_negation(before):
            return True
        said = self._words[before.start : before.end]
        return after.role in _DROPS and not self._vocabulary.negations.isdisjoint(said)

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
