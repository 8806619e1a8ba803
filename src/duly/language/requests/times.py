"""Read stretches of the words of a text as times."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from duly.errors import InvalidInputError, PhraseError
from duly.language.atoms import AtomKind
from duly.language.forms import longest
from duly.language.grammar.clauses import Slot
from duly.language.grammar.stretches import stretches_of
from duly.language.languages import LANGUAGES
from duly.language.lexicon import kinds_of, vocabulary
from duly.language.moments import DayParts
from duly.language.parsing import Phrase, parse_stretches
from duly.language.periods import end_of_period
from duly.language.requests.beside import Neighbours
from duly.language.requests.form import RequestWords
from duly.language.requests.tokens import Words
from duly.language.text import tokens
from duly.recurrence import Once
from duly.zones import Zone

LONGEST_TIME = 16
"""Words of the longest time that is looked for."""
_REFUSED = frozenset({"deadline", "past", "impossible", "doubtful"})
_ONLY_LITTLE = frozenset({AtomKind.LITTLE})
_AT_ANOTHER_TIME = timedelta(minutes=97)
"""A length is the same then, a moment is not."""


@dataclass(frozen=True, slots=True)
class TimeReader:
    """Reads stretches of words as times, in one language or, without `lang`, in any."""

    now: datetime
    zone: Zone
    lang: str | None
    prefer: str | None = None
    day_parts: DayParts | None = None
    _known: dict[tuple[tuple[str, ...], bool], Phrase | None] = field(
        default_factory=dict, init=False, compare=False, repr=False
    )
    """What was read before: a sentence is read in many ways, and its stretches are always the same."""
    _refused: dict[tuple[str, ...], PhraseError | None] = field(
        default_factory=dict, init=False, compare=False, repr=False
    )

    def read(self, *stretches: str, usual: bool = False) -> Phrase | None:
        """Read words as a time; None when they are none. Several stretches are joined as readings.

        With `usual` a series that is not said in full is read as people usually mean it.
        """
        if not all(stretches):
            return None
        if (stretches, usual) not in self._known:
            self._known[stretches, usual] = self._read(*stretches, usual=usual)
        return self._known[stretches, usual]

    def _read(self, *stretches: str, usual: bool) -> Phrase | None:
        try:
            phrase = self._parsed(*stretches, usual=usual)
        except (PhraseError, InvalidInputError, OverflowError):
            return None
        return phrase if len(stretches) == 1 or usual or self._keeps_readings(phrase, stretches) else None

    def _keeps_readings(self, phrase: Phrase, stretches: tuple[str, ...]) -> bool:
        """Tell whether each stretch of a time says what it says by itself: "morgen" is no morning beside a Monday."""
        joined = [] if phrase.reading is None else stretches_of(phrase.reading)
        if joined and len(joined) < len(stretches):  # one says no time: "mal"
            return False
        for stretch, slots in zip(stretches, joined, strict=False):
            alone = self.read(stretch)
            begins = Slot.START in slots and alone is not None and alone.slots == {Slot.DAYS}  # da domani
            if alone is not None and alone.slots - slots and not begins and Slot.OFFSET not in alone.slots:
                return False
        return True

    def read_list(self, *stretches: str) -> Phrase | None:
        """Read several times as a list, and a list of parts of the day as one of every day; None when they are none."""
        for usual in (False, True):
            try:
                return self._parsed(*stretches, usual=usual, listed=True)
            except (PhraseError, InvalidInputError, OverflowError):
                continue
        return None

    def again(self, phrase: Phrase) -> Phrase | None:
        """Read the words of a phrase once more, at another time."""
        return self.read(*(phrase.stretches or (phrase.text,)))

    def _parsed(self, *stretches: str, usual: bool = False, listed: bool = False) -> Phrase:
        return parse_stretches(
            stretches,
            now=self.now,
            tz=self.zone,
            lang=self.lang,
            prefer=self.prefer,
            day_parts=self.day_parts,
            usual=usual,
            listed=listed,
        )

    def names_no_moment(self, written: str, *, but: str = "") -> bool:
        """Tell whether words are a time that is refused: a deadline ("by Friday"), past, impossible or doubtful.

        `but` names a fault that does not count.
        """
        error = self.refusal(written)
        return error is not None and error.fault != but

    def refusal(self, *stretches: str) -> PhraseError | None:
        """Say why words that are a time are refused; None when they are none, or a time that is taken."""
        if stretches not in self._refused:
            self._refused[stretches] = self._refusal(*stretches)
        return self._refused[stretches]

    def _refusal(self, *stretches: str) -> PhraseError | None:
        try:
            self._parsed(*stretches)
        except PhraseError as error:
            return error if error.fault in _REFUSED else None
        except (InvalidInputError, OverflowError):
            return None
        return None

    def stretches(self, words: Words) -> list[Words]:
        """List the parts of a text that may be a time, the longest first."""
        found: list[tuple[int, int]] = []
        for start in range(len(words)):
            most = run(words.timely[start:], self.may_be_time)
            found += [(start, end) for end in range(start + 1, start + most + 1) if words.is_whole(end)]
        return [words.part(*each) for each in sorted(found, key=lambda each: each[0] - each[1])]

    def stands_alone(self, words: Words, start: int, end: int, known: RequestWords | None) -> bool:
        """Tell whether no word beside a time belongs to it; otherwise it was understood only in part."""
        if Neighbours(words.timely, start, end, self.may_be_time, self.lang, known).belong_to_time():
            return False
        first = start - run(words.timely[:start][::-1], self.may_be_time)
        last = end + run(words.timely[end:], self.may_be_time)
        joint = 0 if known is None else longest(known.forms("joints"), words.folded, end)
        # An article at the end says nothing of the time, and the row that it breaks may have another, past reading:
        # "pasado mañana a mediodía la cita".
        ends = range(end + joint + 1, last + 1)
        behind = [each for each in ends if kinds_of(words.folded[each - 1], self.lang) != _ONLY_LITTLE]
        longer = [*((each, end) for each in range(first, start)), *((start, each) for each in behind)]
        return not any(self.names_no_moment(words.part(*each).written) for each in longer)

    def length(self, written: str, from_now: str = "") -> timedelta | None:
        """Read words as a length of time; None when they are a moment, or none."""
        said = f"{from_now} {written}".strip()
        lengths = []
        exact = self.now.replace(microsecond=0)  # moments are whole seconds, and so are the lengths between them
        for now in (exact, exact + _AT_ANOTHER_TIME):
            phrase = replace(self, now=now).read(said)
            if phrase is None or not isinstance(phrase.trigger, Once):
                return None
            lengths.append(phrase.trigger.at - now)
        return lengths[0] if lengths[0] == lengths[1] else None

    def end_of_period(self, written: str) -> datetime | None:
        """Read "until the end of the week" as the morning after it; None for other words."""
        if self.lang is None:
            return None
        return end_of_period(written, self.now, self.zone, self.lang, self.day_parts)

    def part(self, words: Words, start: int, end: int) -> Phrase | None:
        """Read some of the words."""
        return self.read(words.part(start, end).written)

    def may_be_time(self, folded: str) -> bool:
        """Tell whether a word can be one of a time. It only spares the work of reading."""
        mask = -1 if self.lang is None else 1 << LANGUAGES.index(self.lang)
        known = vocabulary()
        return all(token.kind != "word" or token.glued or known.get(token.text, 0) & mask for token in tokens(folded))


def run(folded: tuple[str, ...], may_be_time: Callable[[str], bool]) -> int:
    """Return how many words at the beginning may be a time."""
    limit = min(len(folded), LONGEST_TIME)
    return next((at for at in range(limit) if not may_be_time(folded[at])), limit)
