"""A reply as a row of known phrases: at each word the longest phrase of the pattern graph that begins there."""

from __future__ import annotations

from typing import NamedTuple

from duly.language.replies.amounts import AmountFinder, ReplyAmount
from duly.language.replies.form import ReplyRole
from duly.language.replies.patterns import PAUSE, PatternGraph, PatternNode
from duly.language.replies.tokens import ReplyToken
from duly.language.replies.vocabulary import ReplyVocabulary

_DEGREES = (
    (ReplyRole.YES, ReplyRole.DONE, ReplyRole.ALREADY),
    (ReplyRole.DENY, ReplyRole.LATER, ReplyRole.NOT_YET, ReplyRole.REMIND, ReplyRole.ASK),
    (ReplyRole.DROP, ReplyRole.REFUSE),
)
"""Roles that say the same more and more clearly."""

_COURTESIES = frozenset({ReplyRole.POLITE, ReplyRole.THANKS})

_Path = tuple[PatternNode, ReplyAmount | None]
"""A place in the graph, and the amount met on the way there."""


class ReplyPhrase(NamedTuple):
    """A stretch of a reply and its role in the whole."""

    role: ReplyRole
    start: int
    end: int
    amount: ReplyAmount | None


def split_phrases(
    vocabulary: ReplyVocabulary, tokens: tuple[ReplyToken, ...], words: list[str], *, lenient: bool = False
) -> list[ReplyPhrase] | None:
    """Return the reply as a row of the longest known phrases, or None if a word is left over.

    To a lenient reader a word left over is a phrase of its own, and strange.
    """
    amounts = AmountFinder(vocabulary, tokens, words)
    phrases: list[ReplyPhrase] = []
    position = 0
    while position < len(words):
        phrase = _longest(vocabulary.graph, amounts, tokens, words, position)
        if phrase is None and phrases:
            shorter, phrase = _before_courtesy(vocabulary.graph, amounts, tokens, words, phrases[-1])
            phrases[-1] = shorter
        if phrase is None:
            if not lenient:
                return None
            phrase = ReplyPhrase(role=ReplyRole.STRANGE, start=position, end=position + 1, amount=None)
        phrases.append(phrase)
        position = phrase.end
    return phrases


def _before_courtesy(
    graph: PatternGraph, amounts: AmountFinder, tokens: tuple[ReplyToken, ...], words: list[str], last: ReplyPhrase
) -> tuple[ReplyPhrase, ReplyPhrase | None]:
    """Give back the words that a phrase took from the courtesy behind it: "sutra molim te" is no "sutra molim"."""
    for start in range(last.end - 1, last.start, -1):
        courtesy = _longest(graph, amounts, tokens, words, start)
        if courtesy is None or courtesy.role not in _COURTESIES or courtesy.end <= last.end:
            continue
        shorter = _longest(graph, amounts, tokens, words[:start], last.start)
        if shorter is not None and shorter.end == start and shorter.role is last.role:
            return shorter, courtesy
    return last, None


def _longest(
    graph: PatternGraph, amounts: AmountFinder, tokens: tuple[ReplyToken, ...], words: list[str], start: int
) -> ReplyPhrase | None:
    """Return the longest phrase from here that stays within its clause; None also where it could be two things."""
    graph.grow(words[start])
    reached: dict[int, list[_Path]] = {start: [(graph.root, None)]}
    best = None
    for position in range(start, len(words) + 1):
        paths = reached.get(position, [])
        ended = [(node.role, amount) for node, amount in paths if node.role]
        if ended:
            best = _ended(ended, start, position)
        if position == len(words):
            break
        if position > start and tokens[position].pause:
            paths = [(target, amount) for node, amount in paths for target in node.edges.get(PAUSE, ())]
            if not paths:
                # No amount crosses a pause, so no path has jumped over this word either.
                break
        _advance(graph, paths, words[position], position, amounts, reached)
    return best


def _advance(
    graph: PatternGraph,
    paths: list[_Path],
    word: str,
    position: int,
    amounts: AmountFinder,
    reached: dict[int, list[_Path]],
) -> None:
    """Follow every path by one word, or by the amount that begins with it."""
    if not paths:
        return
    found = amounts.at(position)
    for one in found:
        graph.grow(one.label)
    for node, amount in paths:
        for target in node.edges.get(word, ()):
            reached.setdefault(position + 1, []).append((target, amount))
        for one in found:
            for target in node.edges.get(one.label, ()):
                reached.setdefault(one.end, []).append((target, one))


def _ended(ended: list[tuple[ReplyRole, ReplyAmount | None]], start: int, end: int) -> ReplyPhrase | None:
    """Return the phrase that ends here, unless it could be two things."""
    role = _clearest({role for role, _ in ended})
    amounts = {value_of(amount): amount for _, amount in ended}
    if role is None or len(amounts) > 1:
        return None
    _, amount = amounts.popitem()
    return ReplyPhrase(role=role, start=start, end=end, amount=amount)


def _clearest(roles: set[ReplyRole]) -> ReplyRole | None:
    """Return the clearest of several roles that one phrase can have; None where they contradict each other."""
    for degrees in _DEGREES:
        if roles <= set(degrees):
            return max(roles, key=degrees.index)
    return roles.pop() if len(roles) == 1 else None


def value_of(amount: ReplyAmount | None) -> object:
    """Return what makes two amounts equal: "another hour" and the hour in it are one."""
    return amount if amount is None or amount.minutes is None else (amount.label, amount.minutes)
