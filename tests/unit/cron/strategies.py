"""Hypothesis strategies for cron: expressions of every dialect, zones with a history, moments near clock changes."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from duly.cron import Cron, is_valid
from tests.support import tries
from tests.unit.cron.oracle import MONTHS, WEEKDAYS, Oracle, transitions

ZONES = (
    "UTC",
    "Europe/Berlin",
    "America/New_York",
    "Australia/Lord_Howe",  # half an hour
    "Pacific/Apia",  # no 30 December 2011
    "Africa/Casablanca",  # four changes a year
    "America/Santiago",  # at midnight
    "Asia/Kolkata",
    "Africa/Cairo",
    "Antarctica/Troll",  # two hours
    "Europe/Dublin",  # winter is the exception
    "Asia/Gaza",
    "America/Nuuk",  # changes on a Saturday evening
)
FIRST_YEAR = 2005
LAST_YEAR = 2045


def examples(number: int) -> settings:
    """How many to try; answers may take their time on a busy machine."""
    return settings(
        max_examples=tries(number),
        deadline=None,
        suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow],
    )


@dataclass(frozen=True)
class Case:
    """All that defines a `Cron`, so that the engine and the oracle are asked the same."""

    expression: str
    dialect: str
    zone: str
    dst: str
    day_match: str

    def cron(self) -> Cron:
        return Cron(self.expression, dialect=self.dialect, tz=self.zone, dst=self.dst, day_match=self.day_match)

    def oracle(self) -> Oracle:
        return Oracle(self.expression, self.zone, self.dst, self.day_match)


def numbers(low: int, high: int, names: dict[str, int] | None = None) -> st.SearchStrategy[str]:
    """One value of a field, as a number or by name."""
    plain = st.integers(low, high).map(str)
    return plain | st.sampled_from(sorted(names)) if names else plain


def _ranges(values: st.SearchStrategy[str], *, wrap: bool, key: dict[str, int]) -> st.SearchStrategy[str]:
    def written(ends: tuple[str, str]) -> str:
        ordered = ends if wrap else sorted(ends, key=lambda word: key[word] if word in key else int(word))
        return "-".join(ordered)

    return st.tuples(values, values).map(written)


def _stepped(spans: st.SearchStrategy[str], size: int) -> st.SearchStrategy[str]:
    return st.tuples(spans, st.integers(1, size)).map(lambda pair: f"{pair[0]}/{pair[1]}")


def _lists(items: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.lists(items, min_size=1, max_size=3).map(",".join)


def posix_fields(low: int, high: int) -> st.SearchStrategy[str]:
    """A field of the `posix` dialect."""
    values = numbers(low, high)
    return st.just("*") | _lists(values | _ranges(values, wrap=False, key={}))


def fields(
    low: int,
    high: int,
    names: dict[str, int] | None = None,
    *extra: st.SearchStrategy[str],
    top: int | None = None,
) -> st.SearchStrategy[str]:
    """A field of the `standard` dialect: `top` is the largest number that may be written (7 for Sunday)."""
    values = numbers(low, high if top is None else top, names)
    spans = _ranges(values, wrap=True, key=names or {})
    steps = _stepped(st.just("*") | values | spans, high - low + 2)
    return st.just("*") | _lists(st.one_of(values, spans, steps, *extra))


_DATE_SPECIALS = (
    st.just("L"),
    st.just("LW"),
    st.integers(0, 30).map(lambda number: f"L-{number}"),
    st.integers(0, 29).map(lambda number: f"L-{number}W"),
    st.integers(1, 31).map(lambda number: f"{number}W"),
    st.integers(1, 31).map(lambda number: f"{number}-L"),
)
_WEEKDAY_SPECIALS = (
    st.tuples(numbers(0, 7, WEEKDAYS), st.integers(1, 5)).map(lambda pair: f"{pair[0]}#{pair[1]}"),
    numbers(0, 7, WEEKDAYS).map(lambda day: f"{day}L"),
    st.integers(0, 7).map(lambda day: f"L{day}"),
)

SECONDS = st.sampled_from(["0", "*", "*/20", "0,30", "59"]) | fields(0, 59)
MINUTES = st.sampled_from(["0", "30", "*", "*/15", "0,30", "59", "15"]) | fields(0, 59)
# Clocks change in the small hours: most expressions ask for those.
HOURS = st.sampled_from(["*", "0", "1", "2", "3", "23", "1-3", "0,2", "*/2", "22-2", "1,2,3"]) | fields(0, 23)
DATES = st.sampled_from(["*", "*", "?"]) | fields(1, 31, None, *_DATE_SPECIALS)
MONTH_FIELDS = st.sampled_from(["*", "*", "*"]) | fields(1, 12, MONTHS)
WEEKDAY_FIELDS = st.sampled_from(["*", "*", "?"]) | fields(0, 6, WEEKDAYS, *_WEEKDAY_SPECIALS, top=7)

_STANDARD = st.tuples(MINUTES, HOURS, DATES, MONTH_FIELDS, WEEKDAY_FIELDS).map(" ".join)
_POSIX = st.tuples(
    posix_fields(0, 59), posix_fields(0, 23), posix_fields(1, 31), posix_fields(1, 12), posix_fields(0, 6)
).map(" ".join)
_SIX = st.tuples(SECONDS, _STANDARD).map(" ".join)

BY_DIALECT = {"standard": _STANDARD, "posix": _POSIX, "seconds": _STANDARD | _SIX}
ON_THE_MINUTE = {"standard": _STANDARD, "posix": _POSIX}
WITH_SECONDS = {"seconds": _SIX}


@st.composite
def cases(
    draw: st.DrawFn,
    dialects: dict[str, st.SearchStrategy[str]] | None = None,
    zones: tuple[str, ...] = ZONES,
) -> Case:
    """A legal expression with every option it can have."""
    choices = dialects or BY_DIALECT
    dialect = draw(st.sampled_from(sorted(choices)))
    day_match = draw(st.sampled_from(["or", "or", "and"]))
    expression = draw(choices[dialect].filter(lambda text: _fires(text, dialect, day_match)))
    return Case(
        expression, dialect, draw(st.sampled_from(zones)), draw(st.sampled_from(["once", "wallclock"])), day_match
    )


def _fires(expression: str, dialect: str, day_match: str) -> bool:
    if day_match == "or":
        return is_valid(expression, dialect=dialect)
    try:
        Cron(expression, dialect=dialect, day_match=day_match)
    except ValueError:
        return False
    return True


@st.composite
def moments(draw: st.DrawFn, zone: str, reach: timedelta = timedelta(days=2)) -> datetime:
    """An instant (UTC), mostly close to a change of the zone's offset, sometimes with a fraction of a second."""
    changes = transitions(zone, FIRST_YEAR, LAST_YEAR)
    anywhere = st.datetimes(datetime(FIRST_YEAR, 1, 1), datetime(LAST_YEAR, 1, 1)).map(_whole_utc)  # noqa: DTZ001
    if not changes or draw(st.integers(0, 9)) == 0:
        at = draw(anywhere)
    else:
        minutes = reach // timedelta(minutes=1)
        away = st.integers(-minutes, minutes).map(lambda number: timedelta(minutes=number))
        close = st.integers(-7300, 7300).map(lambda number: timedelta(seconds=number))
        at = draw(st.sampled_from(changes)) + draw(close | away | st.just(timedelta(0)))
    return at + timedelta(microseconds=draw(st.sampled_from([0, 0, 0, 1, 500_000, 999_999])))


def _whole_utc(face: datetime) -> datetime:
    return face.replace(microsecond=0, tzinfo=UTC)


@st.composite
def mutated(draw: st.DrawFn, texts: st.SearchStrategy[str]) -> str:
    """A text with one to three characters added, dropped or exchanged."""
    text = draw(texts)
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(text)))
        typed = draw(st.sampled_from(["", *"0123456789*,-/?LWHR#lwr \t@+.xmonsatjan"]))
        text = text[:at] + typed + text[at + draw(st.integers(0, 1)) :]
    return text
