"""Tokens to atoms. A word with several readings makes several rows of atoms, the likeliest first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple
from unicodedata import category

from duly.language.atoms import (
    AM,
    BREAK,
    COMMA,
    DASH,
    PM,
    SEMICOLON,
    SHORT_UNITS,
    Atom,
    AtomKind,
    Atoms,
    Numeral,
    unit,
)
from duly.language.grammar.cursor import ImpossibleError
from duly.language.lexicon import TimeLexicon
from duly.language.text import LONGEST, PhraseToken, vulgar

MOST_READINGS = 48
_MOST_TOKENS_READ = MOST_READINGS * LONGEST
"""Limits the work as well: of a text with more tokens than a phrase has characters, fewer readings are tried."""

Option = tuple[Atoms, int]
"""Atoms, and the index of the token after those they stand for."""

_SHORTHAND: dict[str, Atoms] = {"am": (AM,), "pm": (PM,)} | {word: (unit(each),) for word, each in SHORT_UNITS.items()}
_MARKS: dict[str, Atoms] = {
    ",": (COMMA,),
    ";": (SEMICOLON,),
    ":": (COMMA,),
    "/": (COMMA,),
    "-": (DASH,),
    "–": (DASH,),
    "—": (DASH,),
    ".": (),
}
_PICTURES = frozenset({"So", "Sk", "Cf", "Mn"})
"""The categories of emojis and of what colours and joins them."""
_CENTURY = 2000


class Scan:
    """Looks up the tokens of a phrase in one language."""

    __slots__ = ("_lexicon", "_tokens", "unknown")

    def __init__(self, tokens: Sequence[PhraseToken], lexicon: TimeLexicon) -> None:
        self._tokens = tokens
        self._lexicon = lexicon
        self.unknown: list[PhraseToken] = []

    def options(self) -> list[list[Option]] | None:
        """Return what can stand at each token; None if a token is not part of any known form."""
        found = [self._options(index) for index in range(len(self._tokens))]
        if any(not atoms for ways in found for atoms, _ in ways):
            found = self._confined(found)
        if all(found):
            return found
        # A token without options may still be the inner word of a longer form that begins before it.
        covered = {at for index, options in enumerate(found) for _, end in options for at in range(index, end)}
        self.unknown = [token for index, token in enumerate(self._tokens) if index not in covered]
        return None if self.unknown else found

    def _confined(self, found: list[list[Option]]) -> list[list[Option]]:
        """Keep courtesies at the beginning, at the end, and before a preposition: "at 9 then 10" is not 9:10."""
        count = len(found)
        leads = [True] + [False] * count
        trails = [False] * count + [True]
        commas = [token.text == "," for token in self._tokens]
        for index, ways in enumerate(found):
            for end in [end for atoms, end in ways if not atoms] + [index + 1] * commas[index]:
                leads[end] |= leads[index]
        for index in range(count - 1, -1, -1):
            ends = [end for atoms, end in found[index] if not atoms] + [index + 1] * commas[index]
            trails[index] = any(trails[end] for end in ends)

        def fits(index: int, atoms: Atoms, end: int) -> bool:
            if atoms or leads[index] or trails[end] or self._tokens[index].text == ".":
                return True
            return any(next_atoms and next_atoms[0].kind is AtomKind.LITTLE for next_atoms, _ in found[end])

        return [[way for way in ways if fits(index, *way)] for index, ways in enumerate(found)]

    def _options(self, index: int) -> list[Option]:
        token = self._tokens[index]
        if token.kind in ("word", "other"):
            return self._words(index, token)
        if token.kind == "number":
            return [(atoms, index + 1) for atoms in self._number(token, self._hour_mark(index + 1))]
        if token.kind == "gap":
            return [((BREAK,), index + 1)]
        return [((self._numeric(token),), index + 1)]

    def _words(self, index: int, token: PhraseToken) -> list[Option]:
        tokens = self._tokens
        text = token.text
        # The order of the readings is the order of preference: a word glued to a number ("8a", "1er"), then the longest
        # form that begins here ("half an hour" before "half"), then the word alone.
        after_number = index > 0 and tokens[index - 1].kind in ("number", "time")
        found: list[Option] = []
        if token.glued:
            found += [(atoms[text], index + 1) for atoms in (self._lexicon.language.glued, _SHORTHAND) if text in atoms]
        if index + 1 < len(tokens) and (more := self._lexicon.longer.get(text)) is not None:
            for rest, atoms in more.get(tokens[index + 1].text, ()):
                end = index + 2 + len(rest)
                if not rest or tuple(token.text for token in tokens[index + 2 : end]) == rest:
                    found.append((atoms, end))
        found += [(atoms, index + 1) for atoms in self._lexicon.words.get(text, ())]
        if after_number and not token.glued and text in _SHORTHAND:
            found.append((_SHORTHAND[text], index + 1))
        if not found and text in _MARKS:
            found.append((_MARKS[text], index + 1))
        if not found and token.kind == "other" and category(text) in _PICTURES:
            found.append(((), index + 1))  # says how it is meant, not when
        return found

    def _hour_mark(self, index: int) -> int:
        """Return whether the word behind a number makes an hour of it."""
        follower = self._tokens[index] if index < len(self._tokens) else None
        return 0 if follower is None else self._lexicon.language.hour_marks.get(follower.text, 0)

    def _number(self, token: PhraseToken, hour_mark: int) -> list[Atoms]:
        text = token.text
        point = "." if "." in text else "," if "," in text else ""
        if not point:
            return [(Atom(AtomKind.NUMBER, Numeral(int(text), len(text), token.dot, hour_mark=hour_mark)),)]
        left, right = text.split(point)
        value = float(f"{left}.{right}")
        halves = (int(left), int(right))
        # "20.30" is a number, an hour with minutes or a date; "8,30" is a number or two numbers. The clock and length
        # readers decide by both halves; here are the readings with other atoms.
        whole = Numeral(value=value, digits=len(right), dotted=token.dot, halves=halves, point=point)
        found: list[Atoms] = [(Atom(AtomKind.NUMBER, whole),)]
        if point == ",":
            first = Numeral(halves[0], len(left))
            second = Numeral(halves[1], len(right), token.dot)
            found.append((Atom(AtomKind.NUMBER, first), COMMA, Atom(AtomKind.NUMBER, second)))
        elif self._lexicon.language.day_first:
            found.append((Atom(AtomKind.DATE, (None, halves[1], halves[0])),))
        return found

    def _numeric(self, token: PhraseToken) -> Atom:
        text = token.text
        if token.kind == "time":
            hour, minute, second = (int(piece) for piece in f"{text}:0".split(":")[:3])
            return Atom(AtomKind.TIME, (hour, minute, second, text.startswith("0")))
        if token.kind == "meridiem":
            return PM if text.startswith("p") else AM
        if token.kind == "vulgar":
            return Atom(AtomKind.FRACTION, vulgar(text))
        numbers = [
            int(piece) for piece in text.replace("/", "-").replace(".", "-").replace(" ", "").split("-") if piece
        ]
        if token.kind == "iso":
            return Atom(AtomKind.DATE, tuple(numbers))
        first, second, *named = numbers
        month, day = self._order(first, second, dotted="." in text)
        year = named[0] if named else None
        if year is not None and year < 100:
            year += _CENTURY
        return Atom(AtomKind.DATE, (year, month, day))

    def _order(self, first: int, second: int, *, dotted: bool) -> tuple[int, int]:
        """Return month and day of a numeric date. Where both orders are in use, only one of them may be possible."""
        if self._lexicon.language.day_first or dotted or first == second:
            return second, first
        if first <= 12 and second <= 12:
            raise ImpossibleError(f"{first}/{second} may be two dates: name the month", "doubtful")
        return (second, first) if first > 12 else (first, second)


def readings(options: list[list[Option]]) -> Iterator[tuple[list[Atom], list[int]]]:
    """Yield rows of atoms from the first token to the last, the likeliest first, each with the tokens of its atoms."""
    last = len(options)
    most = min(MOST_READINGS, max(1, _MOST_TOKENS_READ // max(1, last)))
    count = 0
    stack: list[tuple[int, _Step | None]] = [(0, None)]
    while stack and count < most:
        at, step = stack.pop()
        while at < last and (ways := options[at]):
            for atoms, end in reversed(ways[1:]):
                stack.append((end, _Step(step, atoms, at)))
            atoms, end = ways[0]
            step = _Step(step, atoms, at)
            at = end
        if at >= last:
            count += 1
            yield _row(step)


class _Step(NamedTuple):
    """A token as it is read, linked to the one before it.

    Readings share their beginnings: a copy for each token of each reading would take time by the square of the length.
    """

    before: _Step | None
    atoms: Atoms
    token: int


def _row(step: _Step | None) -> tuple[list[Atom], list[int]]:
    steps = []
    while step is not None:
        steps.append(step)
        step = step.before
    steps.reverse()
    return [atom for each in steps for atom in each.atoms], [each.token for each in steps for _ in each.atoms]
