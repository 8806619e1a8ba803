"""Stretches of time in one sentence, which other words part: they are joined as readings, and only where they fit.

"Tomorrow … at 5pm" is a day and a clock, "every 12 hours … at 8" a rhythm and a clock. Two stretches of the same kind
are never joined: which of them is meant is not known. Nothing is read across the gap between them, so no number of one
is added to a number of the other.
"""

from __future__ import annotations

from itertools import combinations

from duly.language.atoms import AtomKind, Unit
from duly.language.grammar.clauses import PhraseReading, Slot
from duly.language.grammar.cursor import MisreadError

_UNFIT = (
    frozenset({Slot.OFFSET, Slot.DAYS}),
    frozenset({Slot.OFFSET, Slot.PART}),
    frozenset({Slot.RHYTHM, Slot.PACE}),
    frozenset({Slot.PACE, Slot.PART}),
    frozenset({Slot.PACE, Slot.DAYS}),
    frozenset({Slot.WINDOW, Slot.TIMES}),
)
"""Kinds of which two stretches make no time, besides two of the same kind."""
_BEHIND = frozenset({Slot.EXCEPT, Slot.END, Slot.BESIDE})
"""What may stand together behind the text of a series."""
_ONLY_PART = frozenset({Slot.PART})
_ONLY_LENGTH = frozenset({Slot.OFFSET})
_HOUR_OF_PART = frozenset({Slot.PART, Slot.TIMES})


def stretches_of(reading: PhraseReading) -> list[set[Slot]]:
    """Return what each stretch of a reading says, in the order in which they were said."""
    kinds = reading.cursor.kinds
    found: list[set[Slot]] = [set()]
    at = 0
    for piece in reading.pieces:
        if AtomKind.BREAK in kinds[at : piece.start]:
            found.append(set())
        at = piece.start
        found[-1].add(piece.slot)
    return found


def check_stretches(reading: PhraseReading) -> None:
    """Refuse stretches that do not fit together; another reading of the words may."""
    for one, other in combinations(stretches_of(reading), 2):
        if not fit(one, other, reading):
            raise MisreadError(reading.cursor.at, "is another time")


def fit(first: set[Slot], second: set[Slot], reading: PhraseReading) -> bool:
    """Tell whether two stretches are parts of one time."""
    if Slot.EXCEPT in second:
        return Slot.EXCEPT not in first and second <= _BEHIND
    if Slot.COUNT in first | second or (first & second) - {Slot.BESIDE}:
        return False
    if first == _ONLY_LENGTH and second == _HOUR_OF_PART and reading.current.loose_offset:
        return True  # for 5 days, in the morning at 8
    if any(len(pair & first) and len(pair & second) and pair <= first | second for pair in _UNFIT):
        return False
    # "At 8 … in the evening": the evening may be another time. "In the evening … at 8" is one.
    if second == _ONLY_PART and Slot.TIMES in first:
        return False
    # "Every week … on Monday", but not "every day … on Monday".
    days = (Slot.RHYTHM in first and Slot.DAYS in second) or (Slot.DAYS in first and Slot.RHYTHM in second)
    return not days or all(clause.every is None or clause.every[1] is not Unit.DAY for clause in reading.clauses)
