"""Patterns: the phrases of a language, written compactly and recognised word by word.

A pattern is a row of words: `[x]` may be missing, `(x|y)` is a choice, `{name}` is another pattern. All patterns of a
language share one graph, so a reply is compared with all of them at once and nothing is ever matched inside a word.
`<duration>`, `<number>`, `<clock>` (the 8 or 7:30 of what was done) and `<time>` stand for the amounts that `amounts`
finds, `<doing>` for an unknown word with the ending of what is being done, and `,` for a pause: without one a phrase
stays within its clause.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from duly.language.replies.form import ReplyRole

PAUSE = ","
_SYMBOLS = re.compile(r"[\[\]()|]|[^\s\[\]()|]+")
_MACRO = re.compile(r"\{(\w+)\}")


class PatternNode:
    """A place in the graph: where each word leads, and the role of the phrase if it ends here."""

    __slots__ = ("edges", "role")

    def __init__(
        self, edges: Mapping[str, tuple[PatternNode, ...]] | None = None, role: ReplyRole | None = None
    ) -> None:
        self.edges = dict(edges or {})
        self.role = role


def compile_patterns(patterns: Iterable[tuple[ReplyRole, str]]) -> PatternNode:
    """Build the graph of all patterns, each given with its role, and return its root."""
    ends = {role: PatternNode(role=role) for role in ReplyRole}
    root = _either(_Pattern(text).before(ends[role]) for role, text in patterns)
    # Most replies are decided by their first words, so the places after one word are made one place.
    root.edges.update({word: _merged(targets) for word, targets in root.edges.items() if len(targets) > 1})
    return root


def expand(text: str, macros: Mapping[str, str]) -> str:
    """Replace every `{name}` of a pattern, also inside replacements."""
    while "{" in text:
        text = _MACRO.sub(lambda match: f"({macros[match[1]]})", text)
    return text


def words_of(text: str) -> set[str]:
    """Return all words and placeholders of a pattern."""
    return {symbol for symbol in _SYMBOLS.findall(text) if symbol not in "[]()|"}


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

    def __init__(self, text: str) -> None:
        self._symbols: list[str] = _SYMBOLS.findall(text)
        self._text = text

    def before(self, rest: PatternNode) -> PatternNode:
        """Return the node from which this pattern leads to `rest`."""
        node = self._choice(rest, opening=None)
        if self._symbols:
            raise ValueError(f"unbalanced pattern {self._text!r}")
        return node

    def _choice(self, rest: PatternNode, opening: str | None) -> PatternNode:
        branches: list[PatternNode] = []
        alone: dict[str, tuple[PatternNode, ...]] = {}
        node = rest
        while self._symbols and self._symbols[-1] != opening:
            symbol = self._symbols.pop()
            if symbol in "[(":
                raise ValueError(f"unbalanced pattern {self._text!r}")
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
        if not self._symbols:
            raise ValueError(f"unbalanced pattern {self._text!r}")
        self._symbols.pop()
        return inside
