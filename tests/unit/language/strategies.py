"""Hypothesis strategies for phrases: correct sentences, spoilt ones, and words in any order."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import strategies as st

from duly.language.languages import LANGUAGES
from duly.language.lexicon import lexicon
from tests.unit.language.own import own_cases

ZONES = ("UTC", "Europe/Zagreb", "America/New_York", "Australia/Lord_Howe", "America/Santiago", "Pacific/Apia")
CLOCKS = ("2026-03-29T00:00", "2026-10-25T00:00", "2026-11-01T05:00", "2026-12-31T22:00", "2028-02-28T23:00")

zones = st.sampled_from(ZONES)
languages = st.sampled_from(LANGUAGES)


def _moment(parts: tuple[str, int, int]) -> datetime:
    start, seconds, micros = parts
    return datetime.fromisoformat(start).replace(tzinfo=UTC) + timedelta(seconds=seconds, microseconds=micros)


moments = st.tuples(st.sampled_from(CLOCKS), st.integers(-90_000, 90_000), st.sampled_from([0, 0, 1, 999_999])).map(
    _moment
)

_hours = st.integers(0, 23).map(lambda hour: f"{hour:02}")
_times = st.builds("{}:{:02}".format, _hours, st.integers(0, 59))
_clocks = st.lists(_times, min_size=1, max_size=3).map(" and ".join)
_weekdays = st.lists(
    st.sampled_from(["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]),
    min_size=1,
    max_size=4,
    unique=True,
).map(" and ".join)
_paces = st.builds("{} {}".format, st.integers(1, 400), st.sampled_from(["seconds", "minutes", "hours"]))
_few = st.integers(2, 9)
_DAYS_AHEAD = st.sampled_from(["tomorrow", "Monday", "1 December", "next Friday"])
_LATER_DAYS = st.sampled_from(["1 March 2029", "31 December 2031"])
_PARTS = st.sampled_from(["morning", "afternoon", "evening", "night"])
_clauses = st.one_of(
    st.builds("every {} at {}".format, _weekdays, _clocks),
    st.builds("every day at {}".format, _clocks),
    st.builds("weekdays at {}".format, _clocks),
    st.builds("every {} from {} to {} on {}".format, _paces, _times, _times, _weekdays),
    st.builds("on the {}. of every month at {}".format, st.integers(1, 31), _clocks),
    st.builds("on the last day of every month at {}".format, _clocks),
    st.builds(
        "on the {} {} of every month at {}".format,
        st.sampled_from(["first", "second", "third", "fourth", "fifth", "last"]),
        st.sampled_from(["Monday", "Wednesday", "Sunday"]),
        _clocks,
    ),
    st.builds("every {} weeks on {} at {}".format, _few, _weekdays, _clocks),
    st.builds("every {} days at {}".format, _few, _clocks),
    st.builds("every {} months on the {}. at {}".format, _few, st.integers(1, 31), _clocks),
    st.builds("every year on {} May at {}".format, st.integers(1, 31), _clocks),
)
sentences = st.one_of(
    st.lists(_clauses, min_size=1, max_size=3).map("; ".join),
    st.builds("every {}".format, _paces),
    st.builds("every {} days".format, _few),
    st.builds("every {} {}".format, _few, st.sampled_from(["months", "years"])),
    st.builds("every {} months at {}".format, _few, _clocks),
    st.sampled_from(["every month", "every year", "every quarter"]),
    st.builds("in {}".format, _paces),
    st.builds("in {} {}".format, st.integers(1, 60), st.sampled_from(["days", "weeks", "months", "years"])),
    st.builds("in {} weeks and {} days".format, st.integers(1, 60), st.integers(1, 40)),
    st.builds("{} at 24:00".format, st.sampled_from(["tomorrow", "Monday", "next Friday", "the 31st", "every day"])),
    st.builds(
        "{} {} at {}".format, st.sampled_from(["today", "Sunday"]), st.sampled_from(["week", "fortnight"]), _times
    ),
    st.builds("tomorrow at {}".format, _times),
    st.builds("{} at {}".format, st.sampled_from(["Monday", "next Friday", "this Sunday", "the 31st"]), _times),
    st.builds("every {} weeks on {} at {} starting tomorrow".format, _few, _weekdays, _times),
    st.builds("{} starting {}, until {}".format, _clauses, _DAYS_AHEAD, _LATER_DAYS),
    st.builds("{} for {} {}".format, _clauses, _few, st.sampled_from(["days", "weeks", "months"])),
    st.builds("every {} for {} {}".format, _paces, _few, st.sampled_from(["hours", "days", "weeks"])),
    st.builds("{}, {} times".format, _clauses, st.integers(1, 99)),
    st.builds("every {} until {} at {}".format, _paces, _LATER_DAYS, _times),
    st.builds("on the {} business day of every month at {}".format, st.sampled_from(["first", "last"]), _clocks),
    st.builds("in {} business days at {}".format, st.integers(1, 30), _times),
    st.builds("{} {}".format, st.sampled_from(["tomorrow", "Monday", "every day"]), _PARTS),
    st.builds("tomorrow around {}".format, st.integers(1, 12)),
)

_OWN = [(case["phrase"].split(), case["lang"]) for case in own_cases()]
_NUMBERS = [
    "1",
    "8",
    "15",
    "17:45",
    "20.30",
    "1,5",
    "25.12.",
    "2026-12-01",
    "3rd",
    "5pm",
    "17h",
    "1h30m",
    "½",
    ",",
    "-",
]


def _vocabulary(lang: str) -> list[str]:
    known = lexicon(lang)
    longer = {f"{first} {second}" for first, more in known.longer.items() for second in more}
    return sorted({*known.words, *longer}) + _NUMBERS


_WORDS = {lang: _vocabulary(lang) for lang in LANGUAGES}


@st.composite
def spoilt(draw: st.DrawFn) -> tuple[str, str]:
    """Take one of our phrases with a word more, a word less, or two words exchanged; and its language."""
    words, lang = draw(st.sampled_from(_OWN))
    words = list(words)
    place = draw(st.integers(0, len(words) - 1))
    change = draw(st.sampled_from(["none", "drop", "add", "replace", "swap", "join"]))
    if change == "drop":
        words.pop(place)
    elif change == "add":
        words.insert(place, draw(st.sampled_from(_WORDS[lang])))
    elif change == "replace":
        words[place] = draw(st.sampled_from(_WORDS[lang]))
    elif change == "swap":
        words[0], words[place] = words[place], words[0]
    elif change == "join":
        words = words[:place] + draw(st.sampled_from([each for each, code in _OWN if code == lang]))
    return " ".join(words), lang


@st.composite
def soups(draw: st.DrawFn) -> tuple[str, str]:
    """Words of one language in any order."""
    lang = draw(languages)
    return " ".join(draw(st.lists(st.sampled_from(_WORDS[lang]), max_size=7))), lang
