"""Patterns: the phrases of a language, written compactly and recognised word by word.

A pattern is a row of words: `[x]` may be missing, `(x|y)` is a choice, `{name}` is another pattern. All patterns of a
language share one graph, so a reply is compared with all of them at once and nothing is ever matched inside a word.
`<duration>`, `<number>`, `<clock>` (the 8 or 7:30 of what was done) and `<time>` stand for the amounts that `amounts`
finds, `<doing>` for an unknown word with the ending of what is being done, and `,` for a pause: without one a phrase
stays within its clause. A word behind `=` counts only with its accents.

The whole graph of a language takes a tenth of a second. A reply needs the few patterns that begin as its phrases do,
so they are made when such a phrase is first met.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from duly.language.replies.form import ReplyRole

PAUSE = ","
MARKED = "="
"""Before a word: it counts only with its accents, because without them it is another word."""
_SYMBOLS = re.compile(r"[\[\]()|]|\{\w+\}|[^\s\[\]()|{}]+")
_SIGNS = frozenset("[]()|")
_CLOSED_BY = {"[": "]", "(": ")"}


class PatternNode:
    """A place in the graph: where each word leads, and the role of the phrase if it ends here."""

    __slots__ = ("edges", "role")

    def __init__(
        self, edges: Mapping[str, tuple[PatternNode, ...]] | None = None, role: ReplyRole | None = None
    ) -> None:
        self.edges = dict(edges or {})
        self.role = role


@dataclass(frozen=True, slots=True)
class RolePatterns:
    """The patterns of a role, as alternatives, and what may stand before and behind each of them."""

    role: ReplyRole
    either: str
    before: str = ""
    behind: str = ""


class PatternGraph:
    """All patterns of a language, of which those are compiled that a reply has begun with."""

    def __init__(self, patterns: Iterable[RolePatterns], macros: Mapping[str, str] | None = None) -> None:
        self.root = PatternNode()
        self._patterns = list(patterns)
        self._macros = dict(macros or {})
        self._expanded: dict[str, list[str]] = {}

    def words(self) -> set[str]:
        """Return all words and placeholders, with their marks."""
        texts = [text for each in self._patterns for text in (each.either, each.before, each.behind)]
        found = set(_SYMBOLS.findall(" ".join(texts)))
        names = [symbol for symbol in found if symbol[0] == "{"]
        while names:
            inside = set(_SYMBOLS.findall(self._macros[names.pop()[1:-1]])) - found
            names += [symbol for symbol in inside if symbol[0] == "{"]
            found |= inside
        return {symbol for symbol in found if symbol not in _SIGNS and symbol[0] != "{"}

    @cached_property
    def _waiting(self) -> dict[str, list[_Branch]]:
        """The patterns that are not compiled yet, by each symbol with which they may begin."""
        found: dict[str, list[_Branch]] = {}
        for branch in (branch for each in self._patterns for branch in self._branches(each)):
            for symbol in _first_symbols(branch):
                found.setdefault(symbol, []).append(branch)
        return found

    def grow(self, symbol: str) -> None:
        """Compile the phrases that begin with a symbol, if there are any and they are not there yet."""
        branches = self._waiting.get(symbol)
        if branches is None:
            return
        targets = tuple(dict.fromkeys(target for each in branches for target in each.node.edges[symbol]))
        # Most replies are decided by their first words, so the places after one word are made one place.
        self.root.edges[symbol] = _merged(targets) if len(targets) > 1 else targets
        self._waiting.pop(symbol, None)  # only now: another thread must not take a phrase for compiled before it is

    def _branches(self, patterns: RolePatterns) -> Iterator[_Branch]:
        """Yield each alternative of a role, and all of them together behind what may stand before them."""
        end = PatternNode(role=patterns.role)
        behind = self._symbols(patterns.behind)
        rest = _either((_Pattern(behind).before(end), end)) if behind else end
        alternatives = [_Branch(each, lambda: rest) for each in _alternatives(self._symbols(patterns.either))]
        yield from alternatives
        if patterns.before:
            onward = _Branch(["(", *self._symbols(patterns.before), ")"], _once(alternatives))
            yield onward

    def _symbols(self, text: str) -> list[str]:
        """Cut a pattern into words and signs, with every `{name}` replaced, also inside replacements."""
        found: list[str] = []
        for symbol in _SYMBOLS.findall(text):
            if symbol[0] != "{":
                found.append(symbol)
                continue
            if symbol not in self._expanded:
                self._expanded[symbol] = ["(", *self._symbols(self._macros[symbol[1:-1]]), ")"]
            found += self._expanded[symbol]
        return found


class _Branch:
    """A pattern that is compiled when it is needed."""

    def __init__(self, symbols: Sequence[str], rest: Callable[[], PatternNode]) -> None:
        self.symbols = symbols
        self._rest = rest

    @cached_property
    def node(self) -> PatternNode:
        """The place from which the pattern leads to what follows it."""
        return _Pattern(self.symbols).before(self._rest())


def _once(branches: Sequence[_Branch]) -> Callable[[], PatternNode]:
    return lambda: _either(branch.node for branch in branches)


def _alternatives(symbols: Sequence[str]) -> Iterator[Sequence[str]]:
    """Cut a pattern at each `|` that is in no brackets; refuse one whose brackets do not match."""
    start = 0
    closing: list[str] = []
    for at, symbol in enumerate(symbols):
        if symbol in _CLOSED_BY:
            closing.append(_CLOSED_BY[symbol])
        elif symbol in "])" and (not closing or closing.pop() != symbol):
            raise ValueError(f"unbalanced pattern {' '.join(symbols[start:]):.200}")
        elif symbol == "|" and not closing:
            yield symbols[start:at]
            start = at + 1
    if closing:
        raise ValueError(f"unbalanced pattern {' '.join(symbols[start:]):.200}")
    yield symbols[start:]


def _first_symbols(branch: _Branch) -> set[str]:
    """Return the symbols with which a pattern may begin."""
    found: set[str] = set()
    opens = True
    at = 0
    while opens:
        if at == len(branch.symbols):
            raise ValueError(f"the pattern {' '.join(branch.symbols):.200} may have no word at all")
        inner, opens, at = _first_of_part(branch.symbols, at)
        found |= inner
    return found


def _first_of_part(symbols: Sequence[str], at: int) -> tuple[set[str], bool, int]:
    """Return the first symbols of a word or group, whether it may be missing, and where the next part begins."""
    symbol = symbols[at]
    if symbol not in _CLOSED_BY:
        return {symbol.replace(MARKED, "")}, False, at + 1
    found, is_empty, end = _firsts(symbols, at + 1)
    return found, is_empty or symbol == "[", end + 1


def _firsts(symbols: Sequence[str], at: int) -> tuple[set[str], bool, int]:
    """Return the first symbols of the choice that begins here, whether it may be empty, and where it ends."""
    found: set[str] = set()
    is_empty = False
    opens = True
    while at < len(symbols) and (symbol := symbols[at]) not in "])":
        if symbol == "|":
            is_empty |= opens
            opens = True
            at += 1
        elif opens or symbol in _CLOSED_BY:
            inner, may_miss, at = _first_of_part(symbols, at)
            if opens:
                found |= inner
            opens = opens and may_miss
        else:
            at += 1
    return found, is_empty or opens, at


def _either(nodes: Iterable[PatternNode]) -> PatternNode:
    merged: dict[str, dict[PatternNode, None]] = {}
    role = None
    for node in nodes:
        role = role or node.role
        for word, targets in node.edges.items():
            merged.setdefault(word, {}).update(dict.fromkeys(targets))
    return PatternNode({word: tuple(targets) for word, targets in merged.items()}, role)


def _merged(nodes: tuple[PatternNode, ...]) -> tuple[PatternNode, ...]:
    """Return one place for all the ways on, and beside it one for each role that ends here."""
    ends = {node.role: PatternNode(role=node.role) for node in nodes if node.role}
    onward = _either(node if node.role is None else PatternNode(node.edges) for node in nodes)
    if len(ends) == 1:
        return (PatternNode(onward.edges, next(iter(ends))),)
    return (onward, *ends.values())


class _Pattern:
    """Reads a pattern by recursive descent.

    From right to left, because a node is made from the node that follows it.
    """

    def __init__(self, symbols: Sequence[str]) -> None:
        self._symbols = [symbol.replace(MARKED, "") for symbol in symbols]

    def before(self, rest: PatternNode) -> PatternNode:
        """Return the node from which this pattern leads to `rest`."""
        return self._choice(rest, opening=None)

    def _choice(self, rest: PatternNode, opening: str | None) -> PatternNode:
        branches: list[PatternNode] = []
        alone: dict[str, tuple[PatternNode, ...]] = {}
        node = rest
        while self._symbols and self._symbols[-1] != opening:
            symbol = self._symbols.pop()
            if symbol == "|":
                branches.append(node)
                node = rest
            elif symbol == "]":
                node = _either((self._group(node, "["), node))
            elif symbol == ")":
                node = self._group(node, "(")
            elif node is rest and self._symbols and self._symbols[-1] == "|":
                # A branch of one word needs no place of its own: most branches are such lists of words.
                alone[symbol] = (rest,)
                self._symbols.pop()
            else:
                node = PatternNode({symbol: (node,)})
        if alone:
            branches.append(PatternNode(alone))
        return _either((*branches, node)) if branches else node

    def _group(self, rest: PatternNode, opening: str) -> PatternNode:
        inside = self._choice(rest, opening)
        self._symbols.pop()
        return inside
