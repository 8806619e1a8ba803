"""The law of bounds: a start, an end or an exception is seen in the fires or asked, wherever it stands."""

from __future__ import annotations

import random
from datetime import timedelta
from itertools import islice, product

import pytest

from duly.language.languages import LANGUAGES
from duly.language.requests import Doubt, Sentence, doubts, read_sentence
from duly.service.schedules.times import preview
from tests.support import EXPLORING
from tests.unit.language_requests.bounded import BOUNDS, Bounded, bounded, judge, unbuilt, verdict
from tests.unit.language_requests.composed import PLAIN_TEXTS
from tests.unit.language_requests.reading import NOW, ZONE

_COUNT = 20_000 if EXPLORING else 50
_STEP = 1 if EXPLORING else 7
_MOST_ASKED = 0.85
"""Of bounded sentences, whose pieces stand in any order; those of the usual ones are read, see below."""


@pytest.fixture(scope="module")
def seed() -> int:
    """Always the same, but for `make chaos`, which prints it."""
    chosen = random.SystemRandom().randrange(10**6) if EXPLORING else 1
    print(f"seed {chosen}")
    return chosen


def read(text: str, lang: str) -> Sentence | Doubt | None:
    return read_sentence(text, now=NOW, zone=ZONE, prefer=lang)


@pytest.mark.explored
@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_bound_is_shown_by_the_fires_or_asked(lang: str, seed: int) -> None:
    judged = [(each.written, judge(each)) for each in bounded(lang, seed, _COUNT)]
    assert {text: got for text, got in judged if got not in ("read", "asked")} == {}, f"seed {seed}"
    assert sum(got == "asked" for _, got in judged) <= _MOST_ASKED * len(judged)


@pytest.mark.explored
@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_bound_that_no_series_can_have_is_asked_wherever_it_stands(lang: str) -> None:
    sentences = list(islice(unbuilt(lang), LANGUAGES.index(lang) % _STEP, None, _STEP))
    assert len(sentences) >= 40
    assert [text for text in sentences if isinstance(read(text, lang), Sentence)] == []


_USUAL = (
    "{start} {often} {text}",
    "{start} {text} {often}",
    "{often} {start} {text}",
    "{often} {text} {start}",
    "{text} {often} {start}",
    "{text} {start} {often}",
)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_first_day_is_read_in_every_usual_place(lang: str) -> None:
    words = BOUNDS[lang]
    text = PLAIN_TEXTS[lang][0]
    often = words.often["daily"].replace("|", " ")
    for key, order in product(("tomorrow", "monday", "1 december"), _USUAL):
        written = order.format(start=words.starts[key].split("|")[0], often=often, text=text)
        assert judge(Bounded(lang, written, text, "daily", key, "", "")) == "read", written


ONCE = {
    "en": ("at 8:00", "the pill"),
    "de": ("um 8:00", "Tablette"),
    "hr": ("u 8:00", "lijek"),
    "sr": ("u 8:00", "lek"),
    "es": ("a las 8:00", "la pastilla"),
    "fr": ("à 8h00", "le cachet"),
    "it": ("alle 8:00", "la pillola"),
}


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_first_day_without_a_series_is_asked_and_never_one_time(lang: str) -> None:
    clock, text = ONCE[lang]
    for key in ("tomorrow", "monday", "1 december"):
        for start in BOUNDS[lang].starts[key].split("|"):
            for order in ("{s} {c} {t}", "{t} {s} {c}", "{s} {t} {c}"):
                written = order.format(s=start, c=clock, t=text)
                assert not isinstance(read(written, lang), Sentence), written


PACED = {
    "en": ("every {n} hours starting tomorrow at {h}:00", "for {d} days"),
    "de": ("alle {n} Stunden ab morgen um {h}:00 Uhr", "{d} Tage lang"),
    "hr": ("svakih {n} sati od sutra u {h}:00", "tijekom {d} dana"),
    "sr": ("svakih {n} sati od sutra u {h}:00", "tokom {d} dana"),
    "es": ("cada {n} horas desde mañana a las {h}:00", "durante {d} días"),
    "fr": ("toutes les {n} heures à partir de demain à {h}h00", "pendant {d} jours"),
    "it": ("ogni {n} ore da domani alle {h}:00", "per {d} giorni"),
}


@pytest.mark.parametrize("lang", LANGUAGES)
def test_hours_that_start_on_a_day_at_an_hour_begin_then_and_last_whole_days(lang: str) -> None:
    often, lasting = PACED[lang]
    text = PLAIN_TEXTS[lang][0]
    for pace, hour, days in product((5, 6, 8, 12), (6, 8, 20), (3, 10)):
        time = often.format(n=pace, h=hour)
        for written in (f"{time} {lasting.format(d=days)} {text}", f"{text} {time}"):
            found = read(written, lang)
            assert isinstance(found, Sentence), written
            fires = [ZONE.localize(each) for each in preview(found.phrase.trigger, NOW, 100)]
            assert (fires[0].day, fires[0].hour) == (19, hour), written
            assert fires[1] - fires[0] == timedelta(hours=pace), written
            assert len(fires) == (-(-24 * days // pace) if written.endswith(text) else 100), written


def test_the_law_sees_a_bound_that_is_left_in_the_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doubts, "audit", lambda *_: None)
    monkeypatch.setattr(doubts, "_torn", lambda *_: None)
    assert any(judge(each) not in ("read", "asked") for each in bounded("en", 1, 200))


def test_the_verdict_tells_fires_that_were_not_said() -> None:
    said = Bounded("en", "", "call mom", "daily", "monday", "14 days", "")
    assert verdict(said, read("from monday every day at 8:00 for 14 days call mom", "en")) == "read"
    for other in ("from tuesday every day at 8:00 for 14 days call mom", "from monday every day at 8:00 call mom"):
        assert verdict(said, read(other, "en")) not in ("read", "asked"), other
    assert verdict(said, None) == "asked"
