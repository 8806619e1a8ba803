"""The words beside a time that was found in a text: whether they belong to it, so that it was understood only in part.

"In about 5 minutes", "today at 8am" in the evening, "3 days ago", "at 5 or 6", "29 February 2027": a part of each is a
time, and a wrong one. A reminder that comes at a wrong time is worse than a question, so such a time is not taken.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache
from itertools import pairwise, takewhile

from duly.language.atoms import AtomKind, WordRole
from duly.language.forms import Form, longest, longest_end
from duly.language.languages import LANGUAGES
from duly.language.lexicon import kinds_of, roles_of
from duly.language.requests.form import RequestWords
from duly.language.requests.requests import request_words

LENGTHS = frozenset({AtomKind.UNIT, AtomKind.SPAN})
_DAYS = frozenset(
    {AtomKind.WEEKDAY, AtomKind.WEEKDAYS, AtomKind.RELATIVE_DAY, AtomKind.DATE, AtomKind.TIME, AtomKind.FIXED_TIME}
)
_ZONE = re.compile(r"utc|gmt|z|[a-z]+/.*|(?:ce|ee|we)s?t|bst|msk|ist|jst|aest|[ecmp][sd]t")
_CLOCK = re.compile(r"[0-9]{1,2}[:.h][0-9]{2}.*|[0-9]{1,2}[ap]m")
_MINUTES = re.compile(r"[0-9]{1,2}:[0-9]{2}.*")
_NUMBER = re.compile(r"[0-9]+.*")
_YEAR = re.compile(r"(?:19|20|21)[0-9]{2}")
_BRACKETS = "()"
_ARTICLE = 2
"""Letters of a word that is a number only as "a" and "an" are: "half a pill"."""


class Neighbours:
    """The words of a text around a time, in one language or, without `code`, in any."""

    def __init__(
        self,
        words: Sequence[str],
        start: int,
        end: int,
        may_be_time: Callable[[str], bool],
        code: str | None,
        known: RequestWords | None,
    ) -> None:
        self._words = words
        self._start = start
        self._end = end
        self._may_be_time = may_be_time
        self._code = code
        self._known = known

    def belong_to_time(self) -> bool:
        """Tell whether some of them belong to the time."""
        others = (*self._words[: self._start], *self._words[self._end :])
        # An hour with minutes elsewhere in the text: which of the two is meant is not known.
        return self._before() or self._behind() or any(map(_MINUTES.fullmatch, others))

    def _before(self) -> bool:
        if longest_end(self._forms("before_times"), self._words, self._start):
            return True
        run = list(takewhile(self._may_be_time, reversed(self._words[: self._start])))
        if run and AtomKind.ORDINAL in self._kinds(run[0]):
            return True
        kinds = {kind for word in run for kind in self._kinds(word)}
        numbered = AtomKind.NUMBER in kinds or any(map(_NUMBER.fullmatch, run))
        dated = bool(kinds & _DAYS) or (numbered and bool(kinds & {*LENGTHS, AtomKind.MONTH}))
        return dated or self._has_half(run[::-1]) or any(map(_CLOCK.fullmatch, run))

    def _behind(self) -> bool:
        words = [word.strip(_BRACKETS) for word in self._words[self._end :]]
        if not words:
            return False
        if longest(self._forms("behind_times"), words):
            return True
        if _YEAR.fullmatch(words[0]) or _ZONE.fullmatch(words[0]) or longest(self._forms("zone_nouns"), words, 1):
            return True
        run = list(takewhile(self._may_be_time, words))
        kinds = {kind for word in run for kind in self._kinds(word)}
        dated = bool(kinds & (_DAYS | {AtomKind.ORDINAL, AtomKind.MONTH})) or bool(LENGTHS & self._kinds(words[0]))
        return dated or self._has_half(run) or any(map(_CLOCK.fullmatch, run)) or self._another_follows(words)

    def _has_half(self, run: Sequence[str]) -> bool:
        """Tell whether there is a "half six", which is two times of day in English, and none is read."""
        return any(
            AtomKind.FRACTION in self._kinds(first)
            and (AtomKind.NUMBER in self._kinds(second) or _NUMBER.fullmatch(second))
            and len(second) > _ARTICLE * (not second.isdecimal())
            for first, second in pairwise(run)
        )

    def _another_follows(self, words: Sequence[str]) -> bool:
        """Tell whether another time is joined to this one: "at 5 or 6", "at 9 and 10"."""
        joins = longest(self._forms("alternatives"), words) or roles_of(words[0], self._code) & WordRole.AND
        if not joins or len(words) == 1 or not self._may_be_time(words[1]):
            return False
        kinds = self._kinds(words[1]) & (_DAYS | LENGTHS | {AtomKind.NUMBER, AtomKind.MONTH})
        return bool(kinds) or _NUMBER.fullmatch(words[1]) is not None

    def _kinds(self, word: str) -> frozenset[AtomKind]:
        return kinds_of(word, self._code)

    def _forms(self, field: str) -> frozenset[Form]:
        return _of_all(field) if self._known is None else self._known.forms(field)


@cache
def _of_all(field: str) -> frozenset[Form]:
    """Return the forms of a field in all languages."""
    return frozenset().union(*(request_words(code).forms(field) for code in LANGUAGES))
