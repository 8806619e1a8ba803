"""The words of a request, each with its place in the text, so that every part can be given back as it was typed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property, lru_cache
from itertools import pairwise, product
from typing import NamedTuple

from duly.language.atoms import AtomKind
from duly.language.forms import Form, longest, longest_end
from duly.language.lexicon import kinds_of
from duly.language.requests.compounds import parts_of_compounds
from duly.language.requests.form import RequestWords
from duly.language.requests.orders import orders_thing
from duly.language.text import fold

_WORD = re.compile(r"[^\s'’‘´`\-–—]+")
_MARKS = '/.,;:!?…"“”„«»()[]¿¡*'
_CLAUSES = (",", ";", "!", "?", ". ", "\n")
_APOSTROPHES = ("'", "’", "‘", "´", "`")
_EDGES = ',;:!?"“”„«»¿¡ \t\n'
_NO_QUOTES = ",;:!? \t\n"
_PAIRS = (('"', '"'), ("“", "”"), ("„", "“"), ("«", "»"))
_GESTURE = re.compile(
    r"[\u2600-\u27bf\ufe0f\u200d\U0001f3fb-\U0001f3ff\U0001f440-\U0001f44f\U0001f493-\U0001f49f"
    r"\U0001f600-\U0001f64f\U0001f910-\U0001f93e\U0001f970-\U0001f97a]+|xd+|\^_*\^|<3"
)
"""Faces and hands, which say nothing at the end of a request."""
_COLON = re.compile(r":(?![0-9])")
_NO_TIME = "quoted…"
_MOST_BETWEEN = 2
"""Words that say to whom, between the verb and what is said: "tell my mom thanks"."""
_NAMES = frozenset({AtomKind.WEEKDAY, AtomKind.MONTH})
_SHORTEST_NAME = 4
"""Letters of a day that is a name without a capital: "sun" and "mar" are other words."""
_LONGEST_SHORT = 5
"""Letters of a short form with a full stop: "dott."."""
_SENTENCE_ENDS = ".!?:…"
_QUOTES = " \"“”„«»'’‘*(¿¡-–—"
_SHORTEST_CONTENT = 4
"""Letters of a word that has a capital where all words are typed with one."""
_BEFORE_TIME = frozenset({AtomKind.EVERY, AtomKind.LITTLE})
_QUOTED = re.compile(
    '"[^"]+"|\u201c[^\u201c\u201d]+\u201d|\u201e[^\u201e\u201c\u201d]+[\u201c\u201d]|\u00ab[^\u00ab\u00bb]+\u00bb'
    "|\u2018[^\u2018\u2019]{3,}\u2019(?!\\w)|(?<!\\w)'[^']{3,}'(?!\\w)"
)
ARROWS = frozenset({"→", ">", "=>", "➡", "➡️", "⇒"})
"""Stand between the name of a reminder and its new time; the beginning of "->" is cut off with the dashes."""


class SpokenWord(NamedTuple):
    """A word with its place in the text."""

    start: int
    end: int
    folded: str
    """Without case, accents and the marks around it."""
    is_said: bool = False
    """Whether it belongs to a courtesy that is what is to be said."""
    counts: bool = False
    """Whether it is a number that counts things, and no day: "an die 3 Pakete"."""
    is_name: bool = False
    """Whether it is the name of a person, and no day: "Mr Friday"."""
    is_bound: bool = False
    """Whether it is of a word with hyphens that is no time: "7-Uhr-Messung"."""

    @property
    def is_text(self) -> bool:
        """Whether it is of the text, and of no time."""
        return self.is_said or self.counts or self.is_name or self.is_bound


class Words:
    """A stretch of the words of a text."""

    def __init__(self, text: str, words: Sequence[SpokenWord]) -> None:
        self._text = text
        self._words = words
        self.folded = tuple(word.folded for word in words)

    @cached_property
    def timely(self) -> tuple[str, ...]:
        """The folded words, those in quotes, and what is to be said, as words that are no time."""
        if not _quotes(self._text) and not any(
            word.is_text or self.is_letter(at) for at, word in enumerate(self._words)
        ):
            return self.folded
        words = enumerate(self._words)
        return tuple(
            _NO_TIME if word.is_text or self.is_quoted(at) or self.is_letter(at) else word.folded for at, word in words
        )

    def is_letter(self, at: int) -> bool:
        """Tell whether a word is the letter of a vitamin, and no little word: "vitamine D chaque matin"."""
        word = self.folded[at]
        return len(word) == 1 and word.isalpha() and at > 0 and self.folded[at - 1].startswith("vitamin")

    @classmethod
    def of(cls, text: str) -> Words:
        """Cut a text into words."""
        found = (
            SpokenWord(match.start(), match.end(), fold(match[0].lower()).strip(_MARKS))
            for match in _WORD.finditer(text)
        )
        words = [word for word in found if word.folded]
        only_asks = not words and text.strip(" !?\n\t") == "" and "?" in text
        return cls(text, [SpokenWord(0, len(text), "?")] if only_asks else words)

    def __len__(self) -> int:
        return len(self._words)

    def part(self, start: int, end: int | None = None) -> Words:
        """Give some of the words."""
        return Words(self._text, self._words[start:end])

    def is_whole(self, end: int) -> bool:
        """Tell whether a typed word ends before a place: not within "tomorrow's"."""
        return end == 0 or self._text[self._words[end - 1].end : self._words[end - 1].end + 1] not in _APOSTROPHES

    @property
    def written(self) -> str:
        """The words as they were typed, with all that stands between them."""
        if not self._words:
            return ""
        start, end = self.place
        whole = self._text[start:end]
        stripped = whole.strip(_EDGES)
        # A quote that is opened in the text is closed in it.
        for opened, closed in _PAIRS:
            if stripped.count(opened) == 1 and whole.rstrip(_NO_QUOTES).endswith(closed):
                stripped += closed
        return stripped

    def joined(self, other: Words) -> str:
        """Give the words of two stretches one after the other."""
        return f"{self.written} {other.written}".strip()

    def followed(self, other: Words) -> Words:
        """Give the words of two stretches as one; what stands between them is part of what is written."""
        return Words(self._text, [*self._words, *other._words])

    def is_quoted(self, at: int) -> bool:
        """Tell whether a word stands in quotes that do not hold all of the text."""
        word = self._words[at]
        return any(start <= word.start and word.end <= end for start, end in _quotes(self._text))

    def behind_colon(self) -> int:
        """Return the place of the first word behind a colon; 0 without one."""
        between = enumerate(pairwise(self._words), 1)
        return next((at for at, (one, two) in between if ":" in self._text[one.end - 1 : two.start]), 0)

    def stands_behind_colon(self, at: int, after: int) -> bool:
        """Tell whether a word stands behind a colon that itself stands behind a place of the text."""
        start = self._words[at].start
        return after > 0 and _COLON.search(self._text, after - 1, start) is not None

    def loses_number(self, kept: Sequence[Words], frame: frozenset[Form]) -> bool:
        """Tell whether a word with a digit is in none of some stretches, and no word of the frame: "me 2 go"."""
        places = {place for each in kept for place in each.places}
        lost = (word for word in self._words if word.start not in places and any(map(str.isdecimal, word.folded)))
        return any((word.folded,) not in frame for word in lost)

    @property
    def places(self) -> list[int]:
        """Where each word begins in the text."""
        return [word.start for word in self._words]

    def beside(self, inner: Words) -> tuple[Words, Words]:
        """Give the words before a stretch, and those behind it."""
        first, last = inner.place
        before = [word for word in self._words if word.end <= first]
        behind = [word for word in self._words if word.start >= last]
        return Words(self._text, before), Words(self._text, behind)

    def outside(self, inner: Words) -> Words:
        """Give the words before a stretch, or those behind it where none are before."""
        first, last = inner.place
        before = [word for word in self._words if word.end <= first]
        return Words(self._text, before or [word for word in self._words if word.start >= last])

    @property
    def place(self) -> tuple[int, int]:
        """Where the stretch begins and ends in the text."""
        return (self._words[0].start, self._words[-1].end) if self._words else (0, 0)

    @property
    def asks(self) -> bool:
        """Whether the text ends as a question."""
        return self._text.rstrip(" !.\n\t)").endswith("?")

    @property
    def has_clauses(self) -> bool:
        """Whether marks cut the stretch into clauses."""
        return any(mark in self.written for mark in _CLAUSES)

    def is_cut_off(self, at: int) -> bool:
        """Tell whether a mark stands right before a word."""
        return 0 < at < len(self) and any(
            mark in self._text[self._words[at - 1].start : self._words[at].start] for mark in ",;.:!?\n"
        )

    def without_courtesies(self, known: RequestWords, *, askings: bool = True) -> Words:
        """Leave out the words at both ends that say nothing, and a question such as "can you"."""
        first = 0
        last = len(self)
        greetings = known.forms("courtesies")
        asks = known.forms("askings") if askings else frozenset()
        while first < last:
            count = longest(greetings, self.folded[:last], first) or longest(asks, self.folded[:last], first)
            is_said = self._words[first].is_said and not longest_end(known.forms("sayings"), self.folded, first)
            is_said = is_said or (not self.is_cut_off(first + 1) and orders_thing(self.folded[:last], first, known))
            if is_said or (not count and not _is_gesture(self.folded[first])):
                break
            first += count or 1
        while last > first:
            count = longest_end(greetings, self.folded, last)
            if self._words[last - 1].is_said:
                break
            if (not count and not _is_gesture(self.folded[last - 1])) or self._counts(last - 1):
                break
            last = max(first, last - (count or 1))
        return self.part(first, last)

    def _counts(self, at: int) -> bool:
        """Tell whether "mal" is that of "10 mal" here, and no courtesy."""
        number = self.folded[at - 1] if at else ""
        is_number = number.isdecimal() or AtomKind.NUMBER in kinds_of(number)
        return is_number and AtomKind.TIMES in kinds_of(self.folded[at])

    def saying(self, *languages: RequestWords) -> Words:
        """Mark the courtesies that are what is to be said, "tell mom thanks", and the numbers that count things.

        Those are counted in the first of the languages: the Italian "i 3" is a Croatian "and 3".
        """
        said: set[int] = set()
        for start, known in product(range(len(self)), languages):
            said.update(range(start, start + self._said_at(start, known)))
        counts = {at for at in range(1, len(self) - 1) if self._counts_things(at, languages[0])}
        may_be_names = [at for at in range(1, len(self)) if kinds_of(self.folded[at]) & _NAMES]
        names = {at for at, known in product(may_be_names, languages) if self._is_titled(at, known)}
        bound = parts_of_compounds(self.folded, [self._between(at) for at in range(len(self))])
        if not (said or counts or names or bound):
            return self
        marked = [
            word._replace(is_said=at in said, counts=at in counts, is_name=at in names, is_bound=at in bound)
            for at, word in enumerate(self._words)
        ]
        return Words(self._text, marked)

    def runs_on(self, at: int) -> bool:
        """Tell whether nothing but spaces stands between a word and the one before it."""
        return not self._between(at).strip()

    def is_of_text(self, at: int) -> bool:
        """Tell whether a word is the name of a person behind a title, or of a word with hyphens that is no time."""
        return self._words[at].is_name or self._words[at].is_bound

    def is_title(self, at: int, known: RequestWords) -> bool:
        """Tell whether a word is a title."""
        form = (self.folded[at],)
        return form in known.forms("titles") or form in known.forms("title_nouns")

    def _is_titled(self, at: int, known: RequestWords) -> bool:
        """Tell whether a day or a month stands behind a title, of which one stands only before names."""
        if len(self.folded[at]) < _SHORTEST_NAME and not self._capital(at):
            return False
        first = at
        while first and self.is_title(first - 1, known):
            first -= 1
        return any((word,) in known.forms("titles") for word in self.folded[first:at])

    def _capital(self, at: int) -> bool:
        word = self._text[self._words[at].start : self._words[at].end].lstrip(_MARKS)
        return word[:1].isupper() and not word[1:].isupper()

    def has_odd_capital(self, at: int) -> bool:
        """Tell whether a word has a capital that is not due to its place, nor to a typing that gives it to all."""
        word = self._words[at]
        before = self._text[: word.start].rstrip(_QUOTES)
        is_first = not any(map(str.isalnum, before)) or before[-1] in _SENTENCE_ENDS or "\n" in self._between(at)
        if before[-1:] == "." and at and len(self.folded[at - 1]) <= _LONGEST_SHORT:
            is_first = False  # the short form of a title
        return self._capital(at) and not is_first and not _is_all_capital(self._text)

    def _between(self, at: int) -> str:
        return self._text[self._words[at - 1].end if at else 0 : self._words[at].start]

    def _counts_things(self, at: int, known: RequestWords) -> bool:
        """Tell whether a number stands behind an article that no day of a month has: "die 3 Pakete", "los 3 paquetes".

        "Los 15" may be days as well, so that a plural has to follow there; "tous les 2 jours" is a rhythm.
        """
        before, number, behind = self.folded[at - 1 : at + 2]
        if not number[:1].isdecimal() or ":" in number or kinds_of(behind):
            return False
        if (before,) in known.forms("thing_articles"):
            return True
        if self.is_cut_off(at + 1) or (before,) not in known.forms("count_articles"):
            return False
        if at > 1 and kinds_of(self.folded[at - 2]) & _BEFORE_TIME:
            return False
        return bool(longest(known.forms("doses"), self.folded, at + 1)) or behind.endswith(
            tuple(known.plurals.split("|"))
        )

    def _said_at(self, start: int, known: RequestWords) -> int:
        """Return how many words at a place are a courtesy that is what is to be said."""
        count = longest(known.forms("courtesies"), self.folded, start)
        if count and longest_end(known.forms("sayings"), self.folded, start) and not self.is_cut_off(start):
            return count
        wish = longest(known.forms("greetings"), self.folded, start)
        return wish if wish and (self._is_said(start, known) or self._is_said_first(start + wish, known)) else 0

    @property
    def ends_said(self) -> bool:
        """Whether the words end in a courtesy that is what is to be said."""
        return bool(self._words) and self._words[-1].is_said

    def without_said(self) -> Words:
        """Leave out the courtesies that are what is to be said."""
        return Words(self._text, [word for word in self._words if not word.is_said])

    def _is_said(self, start: int, known: RequestWords) -> bool:
        """Tell whether a wish at a place is said to a person, or is not whole without the word before it."""
        if not start or self.is_cut_off(start):
            return False
        if longest_end(known.forms("unfinished"), self.folded, start) or self._is_joined(start, known):
            return True
        between = 0
        if longest_end(known.forms("greetings"), self.folded, start):
            return False  # say hi thanks
        for at in range(start - 1, 0, -1):
            between += not (self.folded[at].isdecimal() or kinds_of(self.folded[at]))
            if between > _MOST_BETWEEN or self.is_cut_off(at) or self.is_quoted(at):
                return False
            if longest_end(known.forms("tells_whom"), self.folded, at):
                return True
            if longest_end(known.forms("greetings"), self.folded, at):
                return False
        return False

    def _is_joined(self, end: int, known: RequestWords) -> bool:
        """Tell whether all that a lead or a time has before a place is what joins a text to it: "um 9 an danke"."""
        at = end - longest_end(known.forms("joints"), self.folded, end)
        if at in (0, end):
            return at == 0
        is_time = self.folded[at - 1].isdecimal() or bool(kinds_of(self.folded[at - 1]))
        return is_time or bool(longest_end(known.forms("leads"), self.folded, at))

    def _is_said_first(self, end: int, known: RequestWords) -> bool:
        """Tell whether a verb behind a wish makes it what is to be said: "danke sagen", "danke Mama sagen"."""
        verbs = known.forms("said_before")
        at = next((at for at in (end, end + 1) if longest(verbs, self.folded, at)), 0)
        return at > 0 and not any(map(self.is_cut_off, range(end, at + 1)))

    def consists_of(self, known: RequestWords, core: str, *fillers: str) -> bool:
        """Tell whether the words are forms of a field, with fillers around them and nothing else."""
        there = at = 0
        while at < len(self):
            count = longest(known.forms(core), self.folded, at)
            there += count
            count = count or max(longest(known.forms(each), self.folded, at) for each in fillers)
            if not count and not _is_gesture(self.folded[at]):
                return False
            at += count or 1
        return there > 0

    def begins(self, known: RequestWords, field: str) -> int:
        """Return how many words at the beginning are a form of a field."""
        return longest(known.forms(field), self.folded)

    def ends(self, known: RequestWords, field: str) -> int:
        """Return how many words at the end are a form of a field."""
        return longest_end(known.forms(field), self.folded, len(self))

    def is_one_of(self, known: RequestWords, field: str) -> bool:
        """Tell whether the words are a form of a field, and nothing else."""
        return self.folded in known.forms(field)

    def without(self, known: RequestWords, field: str) -> Words:
        """Leave out the forms of a field at the beginning, but keep the last word."""
        rest = self
        while (count := rest.begins(known, field)) and count < len(rest):
            rest = rest.part(count)
        return rest


@lru_cache(maxsize=256)
def _quotes(text: str) -> tuple[tuple[int, int], ...]:
    """Return where the quotes of a text begin and end, unless they hold all of it."""
    found = [match.span() for match in _QUOTED.finditer(text)]
    whole = text.strip()
    return tuple((start, end) for start, end in found if end - start < len(whole))


@lru_cache(maxsize=256)
def _is_all_capital(text: str) -> bool:
    """Tell whether all words that count are typed with a capital: two of them at least, as one may begin the text."""
    found = [match[0].strip(_MARKS) for match in _WORD.finditer(text)]
    long = [word for word in found if len(word) >= _SHORTEST_CONTENT and word.isalpha()]
    counts = [word for word in long if not kinds_of(fold(word.lower()))]
    return len(counts) > 1 and all(word[0].isupper() for word in counts)


def _is_gesture(folded: str) -> bool:
    return _GESTURE.fullmatch(folded) is not None
