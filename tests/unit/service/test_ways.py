"""Three ways of saying when: they agree about every fire, and a fault is told at its place."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duly.cron import Cron
from duly.errors import InvalidInputError
from duly.phrases import parse
from duly.recurrence import begun
from duly.service.schedules import forms
from duly.service.schedules.times import preview
from duly.service.schedules.triggers import fault_of
from duly.service.schedules.ways import Choices, bare_words, choices_of, cron_of, why_no_cron
from duly.zones import Zone

NOW = datetime(2027, 3, 26, 13, 32, tzinfo=UTC)
BERLIN = "Europe/Berlin"
_CLOCKS = st.builds("{:02}:{:02}".format, st.integers(0, 23), st.integers(0, 59))
_TIMES = st.lists(_CLOCKS, min_size=1, max_size=3, unique=True).map(lambda found: tuple(sorted(found)))
_DAYS = st.sets(st.integers(0, 6), min_size=1, max_size=6).map(lambda found: tuple(sorted(found)))
CHOICES = st.one_of(
    st.builds(Choices, unit=st.just("days"), number=st.integers(1, 9), times=_TIMES),
    st.builds(Choices, unit=st.just("weeks"), number=st.integers(1, 4), times=_TIMES, days=_DAYS),
    st.builds(
        Choices,
        unit=st.just("months"),
        number=st.integers(1, 6),
        times=_TIMES,
        month_day=st.integers(1, 28),
    ),
    st.builds(Choices, unit=st.just("hours"), number=st.integers(1, 12), times=st.just(())),
    st.builds(Choices, unit=st.just("minutes"), number=st.integers(1, 50), times=st.just(()), days=_DAYS | st.just(())),
)


@given(CHOICES)
def test_what_is_chosen_is_read_back(choices: Choices) -> None:
    trigger = begun(parse(choices.words(), now=NOW, tz=BERLIN).trigger, NOW)
    again = choices_of(trigger)
    assert again is not None
    assert preview(begun(parse(again.words(), now=NOW, tz=BERLIN).trigger, NOW), NOW, 20) == preview(trigger, NOW, 20)


@given(CHOICES)
def test_a_cron_expression_is_given_only_where_it_says_the_same(choices: Choices) -> None:
    trigger = begun(parse(choices.words(), now=NOW, tz=BERLIN).trigger, NOW)
    cron = cron_of(trigger, NOW)
    if cron is None:
        assert why_no_cron(trigger)
    else:
        assert preview(Cron(cron, tz=BERLIN), NOW, 100) == preview(trigger, NOW, 100)


@pytest.mark.parametrize(
    ("words", "cron"),
    [
        ("every night at half past two", "30 2 * * *"),
        ("every 15 minutes from 07:00 to 20:45, Monday to Friday", "*/15 7-20 * * 1-5"),
        ("every hour from 09:30 to 17:30, Monday to Friday", "30 9-17 * * 1-5"),
        ("on the last day of every month at 10", "0 10 L * *"),
        ("on the first Monday of every month at 9", "0 9 * * 1#1"),
        ("every 2 weeks on Friday at 9", None),
        ("in 20 minutes", None),
    ],
)
def test_words_as_cron(words: str, cron: str | None) -> None:
    assert cron_of(begun(parse(words, now=NOW, tz=BERLIN).trigger, NOW), NOW) == cron


@pytest.mark.parametrize("words", ["every night at half past two", "in 20 minutes", "every Monday and Friday at 8"])
def test_bare_words_say_the_same_without_the_zone(words: str) -> None:
    trigger = parse(words, now=NOW, tz=BERLIN).trigger
    bare = bare_words(trigger, Zone.of(BERLIN))
    assert "Berlin" not in bare
    assert preview(parse(bare, now=NOW, tz=BERLIN).trigger, NOW, 1) == preview(trigger, NOW, 1)


@pytest.mark.parametrize(
    ("text", "marked", "suggestion"),
    [
        ("every banana", "banana", None),
        ("wekdys at 7", "wekdys", "weekdays at 7"),
        ("every mondey at 9", "mondey", "every monday at 9"),
    ],
)
def test_words_that_were_not_understood_are_marked(text: str, marked: str, suggestion: str | None) -> None:
    with pytest.raises(InvalidInputError) as refused:
        parse(text, now=NOW, tz=BERLIN)
    fault = fault_of(refused.value, text)
    assert text[fault.start : fault.end] == marked
    assert fault.suggestion == suggestion


def test_the_place_of_a_fault_in_cron_is_told() -> None:
    text = "0 9 * * mon,fry"
    with pytest.raises(InvalidInputError) as refused:
        forms.read_cron(text, BERLIN)
    fault = fault_of(refused.value, text)
    assert text[fault.start : fault.end] == "fry"
    assert fault.suggestion == "0 9 * * mon,fri"
