"""Beside croniter: duly accepts the five-field expressions that croniter accepts, and fires at the same times.

Where duly differs on purpose, the difference has a name and an example here, and nothing else may differ.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

import pytest
from croniter import CroniterBadDateError, croniter
from hypothesis import assume, given
from hypothesis import strategies as st

from duly.cron import Cron, is_valid
from duly.errors import InvalidCronExpressionError
from tests.unit.cron.oracle import MONTHS, WEEKDAYS
from tests.unit.cron.strategies import examples, fields, mutated, numbers

HIGHEST = (59, 23, 31, 12, 6)
DAY = 2
MONTH = 3
WEEKDAY = 4
NAMES = {**MONTHS, **WEEKDAYS}

_DATES = fields(
    1,
    31,
    None,
    st.sampled_from(["L", "15-L", "1-L/5"]),
    st.integers(1, 31).map(lambda day: f"{day}W"),
    st.integers(1, 31).map(lambda day: f"W{day}"),
)
_WEEKDAYS = fields(
    0,
    6,
    WEEKDAYS,
    st.tuples(numbers(0, 7, WEEKDAYS), st.integers(1, 5)).map(lambda pair: f"{pair[0]}#{pair[1]}"),
    st.integers(0, 7).map(lambda day: f"L{day}"),
    st.sampled_from(["mon-wed#1", "sat-sun#2"]),
    top=7,
)
EXPRESSIONS = st.tuples(
    fields(0, 59), fields(0, 23), st.sampled_from(["*", "?"]) | _DATES, fields(1, 12, MONTHS), st.just("*") | _WEEKDAYS
).map(" ".join)


def ranges(words: list[str], column: int) -> list[tuple[int, int, bool]]:
    """The ranges of a field as (first, last, has a step), as croniter sees them: `5/2` is one, up to the end."""
    found = []
    for item in words[column].split(","):
        match = re.fullmatch(r"(\w+)(?:-(\w+))?(/\d+)?(?:#\d+)?", item)
        if match and (match[2] or match[3]):
            first = _number(match[1], column)
            last = _number(match[2] or str(HIGHEST[column]), column)
            found.append((first, last, bool(match[3])))
    return found


def _number(word: str, column: int) -> int:
    value = NAMES[word] if word in NAMES else HIGHEST[DAY] if word == "l" else int(word)
    return value % 7 if column == WEEKDAY else value


def both_restricted(words: list[str]) -> bool:
    return words[DAY] not in "*?" and words[WEEKDAY] not in "*?"


@dataclass(frozen=True)
class Difference:
    """Something duly does otherwise, how to recognise it, and the first fires in 2026 of an example."""

    name: str
    applies: Callable[[list[str]], bool]
    example: str
    theirs: str
    ours: str


DIFFERENCES = [
    Difference(
        "a range from a value to itself is that value, not everything",
        lambda words: any(first == last for column in range(5) for first, last, _ in ranges(words, column)),
        "0 0 * * 3-3",
        theirs="2026-01-02",
        ours="2026-01-07",
    ),
    Difference(
        "a step in a range that goes round the end goes on counting",
        lambda words: any(first > last and step for column in range(5) for first, last, step in ranges(words, column)),
        "0 0 * nov-feb/3 *",
        theirs="2026-11-01",
        ours="2026-02-01",
    ),
    Difference(
        "only a lone * or ? leaves the day to the other field",
        lambda words: both_restricted(words) and "*" in words[DAY] + words[WEEKDAY],
        "0 0 *,5 * mon",
        theirs="2026-01-05",
        ours="2026-01-02",
    ),
    Difference(
        "a date or an nth weekday: either is enough",
        lambda words: both_restricted(words) and bool(re.search("[#l]", words[WEEKDAY])),
        "0 0 2 * mon#1",
        theirs="2026-01-05",
        ours="2026-01-02",
    ),
    Difference(
        "a working day or a weekday: either is enough",
        lambda words: both_restricted(words) and "w" in words[DAY],
        "0 0 15W * mon",
        theirs="2026-01-15",
        ours="2026-01-05",
    ),
    Difference(
        "a date that never comes leaves the weekday to fire",
        lambda words: both_restricted(words) and not is_valid(" ".join([*words[:WEEKDAY], "*"])),
        "0 0 31 apr sun",
        theirs="never",
        ours="2026-04-05",
    ),
    Difference(
        "an nth weekday beside plain ones",
        lambda words: "," in words[WEEKDAY] and bool(re.search("[#l]", words[WEEKDAY])),
        "0 0 * * 0-6,1#1",
        theirs="2026-01-05",
        ours="2026-01-02",
    ),
]


def differs(expression: str) -> bool:
    words = expression.lower().split()
    return any(difference.applies(words) for difference in DIFFERENCES)


def theirs(expression: str) -> bool:
    """Whether croniter takes an expression."""
    return bool(croniter.is_valid(expression))


@pytest.mark.parametrize("difference", DIFFERENCES, ids=lambda difference: difference.name)
def test_a_difference_is_known(difference: Difference) -> None:
    start = datetime(2026, 1, 1, tzinfo=UTC)
    assert differs(difference.example)
    assert their_next(difference.example, start) == difference.theirs
    assert f"{Cron(difference.example).next(start):%Y-%m-%d}" == difference.ours


def their_next(expression: str, start: datetime) -> str:
    try:
        return f"{croniter(expression, start, ret_type=datetime).get_next():%Y-%m-%d}"
    except CroniterBadDateError:
        return "never"


@examples(250)
@given(EXPRESSIONS, st.datetimes(datetime(1990, 1, 1), datetime(2060, 1, 1)))  # noqa: DTZ001
def test_fires_at_the_same_times(expression: str, face: datetime) -> None:
    assume(not differs(expression) and theirs(expression) and is_valid(expression))
    cron = Cron(expression)
    start = face.replace(microsecond=0, tzinfo=UTC)
    forward = croniter(expression, start, ret_type=datetime)
    backward = croniter(expression, start, ret_type=datetime)
    later = earlier = start
    for _ in range(10):
        later = cron.next(later)
        earlier = cron.prev(earlier)
        assert later == forward.get_next()
        assert earlier == backward.get_prev()


def refused_on_purpose(expression: str) -> bool:
    """What croniter takes and duly refuses: random values, a 0 where there is none, dates that never come."""
    words = expression.lower().split()
    if any(re.match(r"[hr](\(|/|$)", word) for word in words):
        return True
    if any(last == 0 for column in (DAY, MONTH) for _, last, _ in ranges(words, column)):
        return True
    with pytest.raises(InvalidCronExpressionError, match="would never fire"):
        Cron(expression)
    return their_next(expression, datetime(2026, 1, 1, tzinfo=UTC)) == "never"


def ours_alone(expression: str) -> bool:
    """What duly takes and croniter does not: more days that depend on the month, alone and in lists."""
    if expression.strip().startswith("@"):
        return expression != expression.strip()
    words = expression.lower().split()
    return bool(
        re.search(r"l-|lw", words[DAY])
        or ("w" in words[DAY] and "," in words[DAY])
        or re.search(r"(\d|[a-z]{3})l|l[a-z]{3}|[\d*]#", words[WEEKDAY])
        or ("," in words[WEEKDAY] and re.search("[#l]", words[WEEKDAY]))
    )


@examples(500)
@given(EXPRESSIONS | mutated(EXPRESSIONS))
def test_accepts_the_same_expressions(expression: str) -> None:
    assume(len(expression.split()) == 5)
    if theirs(expression) and not is_valid(expression):
        assert refused_on_purpose(expression)
    if is_valid(expression) and not theirs(expression):
        assert ours_alone(expression)


@pytest.mark.parametrize(
    "expression", ["0 0 31 2 *", "0 0 30 feb *", "0 0 31 4,6,9,11 *", "0 0 9-0 * *", "0 0 * 3-0 *", "0 0 R * *"]
)
def test_duly_refuses_some_expressions_that_croniter_takes(expression: str) -> None:
    assert theirs(expression)
    assert not is_valid(expression)
