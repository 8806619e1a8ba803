"""What duly says to people: every language says everything, moments and lengths as a person would, both alphabets."""

from __future__ import annotations

import string
from collections.abc import Iterator
from dataclasses import fields
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from duly.language.languages import LANGUAGES
from duly.language.spoken import answering_tag, spoken, words
from duly.language.spoken.moments import say_late, say_length, say_moment
from duly.language.spoken.script import to_cyrillic
from duly.zones import Zone

ZAGREB = Zone.of("Europe/Zagreb")
NOW = datetime(2026, 11, 18, 9, 20, tzinfo=UTC)  # a Wednesday, 10:20 in Zagreb
TAGS = (*LANGUAGES, "sr-Cyrl")


def _places(text: str) -> set[str]:
    return {field for _, field, _, _ in string.Formatter().parse(text) if field}


def _texts(table: Any, name: str = "") -> Iterator[tuple[str, str]]:
    """List the texts of a table with their names; of several forms the last, which every language has."""
    if isinstance(table, str):
        yield name, table
    elif hasattr(table, "_fields"):
        for field in table._fields:
            yield from _texts(getattr(table, field), f"{name}.{field}")
    elif isinstance(table, tuple) and table:
        yield f"{name}[-1]", table[-1]


OPTIONAL = (".at_one", ".days_ahead[-1]")


@pytest.mark.parametrize("tag", TAGS)
def test_every_language_says_everything(tag: str) -> None:
    for table in fields(spoken("en")):
        english = dict(_texts(getattr(spoken("en"), table.name)))
        theirs = dict(_texts(getattr(spoken(tag), table.name)))
        assert {name for name in theirs if name not in OPTIONAL} == set(english)
        for name, text in english.items():
            assert theirs[name], name
            assert _places(theirs[name]) == _places(text), name


MOMENTS = [
    ("en", "at 17:00", "tomorrow at 09:00", "on Friday at 09:00", "on Tuesday, 1st December at 09:00"),
    ("de", "um 17:00", "morgen um 09:00", "am Freitag um 09:00", "am Dienstag, den 1. Dezember um 09:00"),
    ("hr", "u 17:00", "sutra u 09:00", "u petak u 09:00", "u utorak, 1. prosinca u 09:00"),
    ("sr", "u 17:00", "sutra u 09:00", "u petak u 09:00", "u utorak, 1. decembra u 09:00"),
    ("sr-Cyrl", "у 17:00", "сутра у 09:00", "у петак у 09:00", "у уторак, 1. децембра у 09:00"),
    ("es", "a las 17:00", "mañana a las 09:00", "el viernes a las 09:00", "el martes, 1 de diciembre, a las 09:00"),
    ("fr", "à 17:00", "demain à 09:00", "vendredi à 09:00", "le mardi 1er décembre à 09:00"),
    ("it", "alle 17:00", "domani alle 09:00", "venerdì alle 09:00", "martedì 1 dicembre alle 09:00"),
]


@pytest.mark.parametrize(("tag", "today", "tomorrow", "friday", "december"), MOMENTS)
def test_a_moment_is_said_as_a_person_would(tag: str, today: str, tomorrow: str, friday: str, december: str) -> None:
    def said(*of: int) -> str:
        return say_moment(datetime(*of, tzinfo=UTC), ZAGREB, NOW, tag)  # type: ignore[arg-type,misc]  # numbers all

    assert said(2026, 11, 18, 16) == today
    assert said(2026, 11, 19, 8) == tomorrow
    assert said(2026, 11, 20, 8) == friday
    assert said(2026, 12, 1, 8) == december


def test_a_moment_in_another_year_names_the_year_and_one_in_the_past_the_day() -> None:
    assert (
        say_moment(datetime(2027, 1, 2, 8, tzinfo=UTC), ZAGREB, NOW, "en") == "on Saturday, 2nd January 2027 at 09:00"
    )
    assert say_moment(NOW - timedelta(days=1), ZAGREB, NOW, "en") == "yesterday at 10:20"
    assert say_moment(NOW, ZAGREB, NOW, "en", names_today=True) == "today at 10:20"
    assert say_moment(datetime(2026, 11, 19, 0, 5, tzinfo=UTC), ZAGREB, NOW, "es") == "mañana a la 01:05"


@pytest.mark.parametrize(
    ("tag", "length", "said", "ahead"),
    [
        ("en", timedelta(days=3), "3 days", "in 3 days"),
        ("en", timedelta(hours=1, minutes=30), "1 hour 30 minutes", "in 1 hour 30 minutes"),
        ("de", timedelta(days=3), "3 Tage", "in 3 Tagen"),
        ("hr", timedelta(minutes=22), "22 minute", "za 22 minute"),
        ("hr", timedelta(minutes=12), "12 minuta", "za 12 minuta"),
        ("sr-Cyrl", timedelta(hours=5), "5 сати", "за 5 сати"),
        ("es", timedelta(days=1), "1 día", "dentro de 1 día"),
        ("en", timedelta(seconds=5), "1 minute", "in 1 minute"),
    ],
)
def test_a_length_is_said_with_the_right_form(tag: str, length: timedelta, said: str, ahead: str) -> None:
    assert say_length(length, tag) == said
    assert say_length(length, tag, ahead=True) == ahead


@pytest.mark.parametrize(
    ("minutes", "tag", "note"),
    [
        (0, "en", ""),
        (60, "en", ""),
        (60.5, "en", "[Late 60m] "),
        (1440, "en", "[Late 1440m] "),
        (1441, "en", "[Late 1 day] "),
        (1501, "en", "[Late 1 day 1 hour] "),
        (3105, "en", "[Late 2 days 3 hours] "),
        (95, "de", "[Verspätet um 95m] "),
        (3105, "fr", "[En retard de 2 jours 3 heures] "),
        (3105, "hr", "[Kasni 2 dana 3 sata] "),
    ],
)
def test_a_reminder_says_how_late_it_is(minutes: float, tag: str, note: str) -> None:
    assert say_late(NOW - timedelta(minutes=minutes), NOW, tag) == note


def test_serbian_is_written_in_both_alphabets_and_places_stay() -> None:
    assert to_cyrillic("Ljubav, džem i Njegoš: {text} u `duly`") == "Љубав, џем и Његош: {text} у `duly`"
    assert words("sr-Cyrl").is_it_done == "Да ли је готово?"


def test_a_person_is_answered_in_the_alphabet_they_write() -> None:
    assert answering_tag("sr", "готово") == "sr-Cyrl"
    assert answering_tag("sr", "gotovo") == "sr"
    assert answering_tag(None, "готово") == "sr-Cyrl"
    assert answering_tag("de", "готово") == "de"


def test_without_a_language_the_answer_is_in_that_of_the_text_and_serbian_is_known_by_its_words() -> None:
    assert answering_tag(None, "remind me", "en") == "en"
    for serbian in ("podseti me sutra u 9", "pomeri zubara na sredu", "kupi mleko posle posla", "šta imam u nedelju"):
        assert answering_tag(None, serbian, "hr") == "sr", serbian
    for croatian in (
        "podsjeti me sutra u 9",
        "pomakni zubara na srijedu",
        "sredi sobu",
        "zovi Maju u ponedjeljak",
        "gotovo",
    ):
        assert answering_tag(None, croatian, "hr") == "hr", croatian
    assert answering_tag("hr", "podseti me", "hr") == "hr", "the person has chosen"
