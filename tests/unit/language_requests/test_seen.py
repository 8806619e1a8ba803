"""What was claimed is seen in the trigger: the second look of the auditor, tried with triggers that say others."""

from __future__ import annotations

from itertools import product

import pytest

from duly.language.languages import LANGUAGES
from duly.language.requests import Doubt, Sentence, doubts, read_sentence
from duly.language.requests.tokens import Words
from duly.language.seen import Fires, is_seen
from duly.phrases import parse
from tests.unit.language_requests.composed import MATERIAL, PLAIN_TEXTS
from tests.unit.language_requests.reading import NOW, ZONE

_ONCE = ("tomorrow 9", "in 20 min", "friday 14:30")


def fires(time: str, lang: str) -> Fires:
    return Fires(parse(time, now=NOW, tz=ZONE, lang=lang).trigger, NOW, ZONE)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_time_is_seen_in_its_own_trigger(lang: str) -> None:
    for time in MATERIAL[lang].times.values():
        assert is_seen([Words.of(time).folded], lang, fires(time, lang)), time


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_rhythm_is_not_seen_in_a_moment(lang: str) -> None:
    times = MATERIAL[lang].times
    for often, once in product(set(times) - set(_ONCE), _ONCE):
        assert not is_seen([Words.of(times[often]).folded], lang, fires(times[once], lang)), (often, once)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_day_a_clock_and_a_length_are_not_seen_in_another_trigger(lang: str) -> None:
    times = MATERIAL[lang].times
    unlike = {
        "friday 14:30": [key for key in times if key != "friday 14:30"],
        "weekdays 7:30": [key for key in times if key != "weekdays 7:30"],
        "every 2 h": [key for key in times if key != "every 2 h"],
        "in 20 min": [key for key in _ONCE if key != "in 20 min"],
    }
    for said, others in unlike.items():
        for other in others:
            assert not is_seen([Words.of(times[said]).folded], lang, fires(times[other], lang)), (said, other)


@pytest.mark.parametrize(
    ("lang", "end"),
    [
        ("en", "until 20 december"),
        ("de", "bis zum 20. Dezember"),
        ("hr", "do kraja mjeseca"),
        ("sr", "do kraja meseca"),
        ("es", "hasta el 20 de diciembre"),
        ("fr", "jusqu'au 20 décembre"),
        ("it", "fino al 20 dicembre"),
    ],
)
def test_an_end_is_not_seen_in_an_endless_series(lang: str, end: str) -> None:
    for key in ("daily 8", "every 2 h", "weekdays 7:30"):
        time = MATERIAL[lang].times[key]
        said = [Words.of(f"{time} {end}").folded]
        assert not is_seen(said, lang, fires(time, lang))
        assert is_seen(said, lang, fires(f"{time} {end}", lang))


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_sentence_whose_trigger_does_not_show_its_words_is_asked(lang: str, monkeypatch: pytest.MonkeyPatch) -> None:
    said = f"{MATERIAL[lang].times['daily 8']} {PLAIN_TEXTS[lang][0]}"
    assert isinstance(read_sentence(said, now=NOW, zone=ZONE, prefer=lang), Sentence)
    wrong = fires(MATERIAL[lang].times["tomorrow 9"], lang)
    monkeypatch.setattr(doubts, "Fires", lambda *_: wrong)
    assert isinstance(read_sentence(said, now=NOW, zone=ZONE, prefer=lang), Doubt)


def test_the_end_of_the_calendar_is_no_trouble() -> None:
    for time in ("on december 31 9999 at 9", "every day starting december 30 9999 at 9:30", "every 9999 hours"):
        assert isinstance(read_sentence(f"{time} call mom", now=NOW, zone=ZONE, prefer="en"), Sentence), time


@pytest.mark.parametrize(
    ("lang", "time"),
    [
        ("de", "heute in 2 Wochen um 9:30"),
        ("de", "von 9 bis 17 Uhr alle 30 Minuten"),
        ("de", "montags bis freitags um 6:45"),
        ("en", "weekdays at 7:00 and weekends at 9:30"),
        ("en", "mon wed fri 5:30pm until april 16"),
        ("es", "los sábados a las 10:30 hasta el 5 de junio"),
        ("fr", "tous les mardis, jeudis et samedis à 19h jusqu'au 30 septembre"),
    ],
)
def test_what_says_more_than_one_day_or_hour_is_seen(lang: str, time: str) -> None:
    assert isinstance(read_sentence(f"{time} {PLAIN_TEXTS[lang][0]}", now=NOW, zone=ZONE, prefer=lang), Sentence)
