"""From phrases to a decision.

The whole reply must fall into known phrases. A claim of completion beats a refusal; otherwise an order to drop it
beats a wish for later, which beats consent. Whatever contradicts itself stays undecided: an unread reply costs a
question, a wrong acknowledgement costs the deed.
"""

from __future__ import annotations

from itertools import pairwise
from math import ceil
from typing import NamedTuple

from duly.language.reply.amounts import DAY, WEEK, Amount, Amounts
from duly.language.reply.lexicon import Vocabulary
from duly.language.reply.pattern import PAUSE, Node
from duly.language.reply.roles import CLAIMS, SNOOZES, Role, clearest
from duly.language.reply.tokens import Token, Tokens

_MAX_WORDS = 24
_DROPS = frozenset({Role.DROP, Role.REFUSE})
_REQUESTS = frozenset({Role.REMIND, Role.ASK})
_ASIDES = frozenset({Role.POLITE, Role.THANKS})
_ASSENT = frozenset({Role.YES, Role.HEARD})
"""What is at odds with a no."""


class Phrase(NamedTuple):
    """A stretch of a reply and its part in the whole."""

    role: Role
    start: int
    end: int
    amount: Amount | None


class Verdict(NamedTuple):
    """The decision: yes, no, later and until when; or `OTHER`, when every word is known and nothing follows."""

    role: Role
    minutes: int | None = None
    until: str | None = None
    denied: bool = False
    """It is later because a bare no said that it is not done, not because anybody asked for a delay."""


def judge(vocabulary: Vocabulary, tokens: Tokens) -> Verdict | None:
    """What a reply means in one language; None when it is not wholly understood."""
    if not 0 < len(tokens.items) <= _MAX_WORDS:
        return None
    words = []
    for token in tokens.items:
        word = token.word if token.word[0].isdigit() else vocabulary.word(token)
        if word is None:
            return None
        words.append(word)
    phrases = _phrases(vocabulary, tokens.items, words)
    return (_Case(vocabulary, tokens, words, phrases).decide() or Verdict(Role.OTHER)) if phrases else None


def _phrases(vocabulary: Vocabulary, tokens: tuple[Token, ...], words: list[str]) -> list[Phrase] | None:
    """The reply as a row of the longest known phrases, or None if a word is left over."""
    amounts = Amounts(vocabulary, tokens, words)
    phrases: list[Phrase] = []
    position = 0
    while position < len(words):
        phrase = _longest(vocabulary.root, amounts, tokens, words, position)
        if phrase is None:
            return None
        phrases.append(phrase)
        position = phrase.end
    return phrases


def _longest(root: Node, amounts: Amounts, tokens: tuple[Token, ...], words: list[str], start: int) -> Phrase | None:
    """The longest phrase from here that stays within its clause; None also where it could be two things."""
    reached: dict[int, list[tuple[Node, Amount | None]]] = {start: [(root, None)]}
    best = None
    for position in range(start, len(words) + 1):
        paths = reached.get(position, ())
        ended = [(node.role, amount) for node, amount in paths if node.role]
        if ended:
            best = _settled(ended, start, position)
        if position == len(words):
            break
        if position > start and tokens[position].pause:
            paths = [(target, amount) for node, amount in paths for target in node.edges.get(PAUSE, ())]
            if not paths:
                break
        _advance(paths, words[position], position, amounts, reached)
    return best


def _settled(ended: list[tuple[Role, Amount | None]], start: int, end: int) -> Phrase | None:
    """The phrase that ends here, unless it could be two things."""
    role = clearest({role for role, _ in ended})
    amounts = {_value(amount): amount for _, amount in ended}
    return Phrase(role, start, end, amounts.popitem()[1]) if role is not None and len(amounts) == 1 else None


def _value(amount: Amount | None) -> object:
    """What makes two amounts the same: "another hour" and the hour in it are one."""
    return amount if amount is None or amount.minutes is None else (amount.label, amount.minutes)


def _advance(
    paths: list[tuple[Node, Amount | None]] | tuple[()],
    word: str,
    position: int,
    amounts: Amounts,
    reached: dict[int, list[tuple[Node, Amount | None]]],
) -> None:
    if not paths:
        return
    found = amounts.at(position)
    for node, amount in paths:
        for target in node.edges.get(word, ()):
            reached.setdefault(position + 1, []).append((target, amount))
        for one in found:
            for target in node.edges.get(one.label, ()):
                reached.setdefault(one.end, []).append((target, one))


def _without_goodbye(phrases: list[Phrase]) -> list[Phrase]:
    """The phrases with each goodbye read as what it is to them."""
    meant = Role.POLITE if any(phrase.role in CLAIMS for phrase in phrases) else Role.LATER
    return [phrase._replace(role=meant) if phrase.role is Role.PARTING else phrase for phrase in phrases]


def _turned_down(phrases: list[Phrase]) -> bool:
    """Whether a no is more than "not done": it crosses the reminder out, or thanks for it and declines."""
    declines = any(before.role is Role.NO and after.role is Role.THANKS for before, after in pairwise(phrases))
    return declines or any(phrase.role is Role.CROSS for phrase in phrases)


class _Case:
    """One reply before its judge."""

    def __init__(self, vocabulary: Vocabulary, tokens: Tokens, words: list[str], phrases: list[Phrase]) -> None:
        self._lexicon = vocabulary.lexicon
        self._tokens = tokens
        self._words = words
        self._turned_down = _turned_down(phrases)
        self._phrases = [
            phrase._replace(role=Role.NO) if phrase.role is Role.CROSS else phrase
            for phrase in _without_goodbye(phrases)
            if phrase.role not in _ASIDES
        ]
        self._roles = [phrase.role for phrase in self._phrases]

    def decide(self) -> Verdict | None:
        """The verdict, or None when there is no signal or more than one."""
        roles = set(self._roles)
        if not roles or self._unclear(roles):
            return None
        if self._tokens.asked:
            return self._snoozed() if roles - _ASSENT == {Role.ASK} and not self._amount_free() else None
        if roles & CLAIMS:
            return self._claimed(roles)
        if roles & _DROPS:
            return Verdict(Role.NO) if self._amount_free() else None
        if roles & SNOOZES:
            return None if self._roles[-1] is Role.NO else self._snoozed()
        if Role.NO in roles:
            return None if roles & _ASSENT else self._denied()
        return Verdict(Role.YES) if Role.YES in roles and Role.JOIN not in roles else None

    def _denied(self) -> Verdict:
        """What a no means that stands alone: not done, so it is asked again; unless it wants no further question."""
        return Verdict(Role.NO) if self._turned_down else Verdict(Role.LATER, denied=True)

    def _unclear(self, roles: set[Role]) -> bool:
        """Whether it breaks off, speaks of something else, or sets a time past against what is not done."""
        if Role.OTHER in roles or self._roles[-1] is Role.JOIN:
            return True
        if Role.MOCK in roles and (roles & CLAIMS or not roles & {*_DROPS, *SNOOZES}):
            return True
        return (Role.AGO in roles and bool(roles & {Role.NO, *_DROPS, *SNOOZES})) or self._ambiguous_no()

    def _claimed(self, roles: set[Role]) -> Verdict | None:
        """Done, unless it is also to come, or a refusal that could be its negation stands beside it."""
        if Role.REFUSE in roles:
            return None
        if roles & SNOOZES:
            return self._snoozed() if roles & _REQUESTS and not roles & {Role.LATER, Role.NO, Role.DROP} else None
        if Role.JOIN in roles and not CLAIMS & set(self._roles[self._roles.index(Role.JOIN) :]):
            return None
        if Role.NO in roles and (roles & _ASSENT or self._roles[-1] is Role.NO):
            return None
        if {Role.NO, Role.JOIN} <= roles and self._roles[-1] is not Role.ALREADY:
            return None
        return Verdict(Role.YES) if self._claims_stand_apart() else None

    def _claims_stand_apart(self) -> bool:
        """Whether no claim is touched by a refusal that might negate it, nor followed by a bare no."""
        for before, after in zip(self._phrases, self._phrases[1:], strict=False):
            if before.role in CLAIMS and (
                after.role is Role.NO or (after.role is Role.DROP and self._runs_on(before, after))
            ):
                return False
            if before.role in {Role.NO, Role.DROP} and after.role in CLAIMS and not self._apart(before, after):
                return False
        return True

    def _runs_on(self, before: Phrase, after: Phrase) -> bool:
        """Whether nothing separates the two: neither a pause nor a word."""
        return before.end == after.start and not self._tokens.items[after.start].pause

    def _apart(self, refusal: Phrase, claim: Phrase) -> bool:
        if not self._runs_on(refusal, claim):
            return True
        if self._lexicon.no_negates and (refusal.role is Role.NO or self._ends_in_negation(refusal)):
            return False
        return claim.role is Role.ALREADY

    def _ends_in_negation(self, phrase: Phrase) -> bool:
        return self._words[phrase.end - 1] in self._lexicon.negations

    def _ambiguous_no(self) -> bool:
        """Whether a no or a not runs into an order without a pause: "no cancel" may mean either."""
        orders = _DROPS | SNOOZES if self._lexicon.no_negates else _DROPS
        return any(
            (before.role is Role.NO or self._ends_in_negation(before))
            and after.role in orders
            and self._words[after.start] not in self._lexicon.negations
            and self._runs_on(before, after)
            for before, after in zip(self._phrases, self._phrases[1:], strict=False)
        )

    def _amount_free(self) -> bool:
        return all(phrase.amount is None for phrase in self._phrases)

    def _snoozed(self) -> Verdict | None:
        amounts = {_value(phrase.amount): phrase.amount for phrase in self._phrases if phrase.role in SNOOZES}
        amounts.pop(None, None)
        if len(amounts) > 1:
            return None
        amount = next(iter(amounts.values()), None)
        if amount is None:
            return Verdict(Role.LATER)
        if amount.minutes is None:
            return Verdict(Role.LATER, until=self._point_in_time(amount))
        return self._for_minutes(amount, amount.minutes)

    def _for_minutes(self, amount: Amount, minutes: float) -> Verdict | None:
        """Up to a day in minutes, up to a week as text for the grammar of times, which knows the calendar."""
        if not 0 < minutes <= WEEK:
            return None
        if minutes <= DAY:
            return Verdict(Role.LATER, minutes=ceil(minutes))
        return Verdict(Role.LATER, until=self._say(self._lexicon.amounts.future, amount))

    def _point_in_time(self, amount: Amount) -> str:
        first = self._words[amount.start]
        needs_at = first[0].isdigit() or first in self._lexicon.amounts.numbers
        return self._say(self._lexicon.times.at if needs_at else "", amount)

    def _say(self, lead: str, amount: Amount) -> str:
        """The words of the reply itself, in its own script, with what makes a point in time of them."""
        first, last = self._tokens.items[amount.start], self._tokens.items[amount.end - 1]
        said = self._tokens.text[first.start : last.end]
        if self._tokens.cyrillic:
            lead = lead.translate(str.maketrans("uza", "уза"))
        return f"{lead} {said}".strip()
