"""A series that begins with how long it lasts, an hour of two parts of the day, and numbers that count things."""

from __future__ import annotations

import time

import pytest

from duly.language.requests import Doubt, Sentence, read_sentence
from duly.service.schedules.times import preview
from tests.unit.language_requests.reading import NOW, ZONE

_MANY = 20
_MOST_TIMES = 20  # of what it costs to say it once: six times on a quiet machine


def read(lang: str, text: str) -> Sentence | Doubt | None:
    return read_sentence(text, now=NOW, zone=ZONE, prefer=lang)


def hours(said: Sentence) -> list[str]:
    return [f"{ZONE.localize(at):%H:%M}" for at in preview(said.phrase.trigger, NOW, _MANY)]


@pytest.mark.parametrize(
    ("lang", "text", "about"),
    [
        ("en", "for 5 days at 8 a pill", "a pill"),
        ("en", "for 5 days in the morning at 8 a pill", "a pill"),
        ("en", "for 5 days at 8 20 drops", "20 drops"),
        ("en", "for 5 days take a pill at 8", "take a pill"),
        ("de", "5 Tage lang um 8 eine Tablette", "eine Tablette"),
        ("de", "5 Tage lang morgens um 8 eine Tablette Pantoprazol 40 mg", "eine Tablette Pantoprazol 40 mg"),
        ("fr", "pendant 5 jours le matin à 8h un comprimé", "un comprimé"),
        ("es", "durante 5 días por la mañana a las 8 una pastilla", "una pastilla"),
        ("it", "per 5 giorni alle 8 una pastiglia", "una pastiglia"),
        ("hr", "idućih 5 dana u 8 jednu tabletu", "jednu tabletu"),
        ("hr", "sljedećih 5 dana u 8 jednu tabletu", "jednu tabletu"),
        ("sr", "narednih 5 dana u 8 jednu tabletu", "jednu tabletu"),
    ],
)
def test_how_long_a_series_lasts_may_stand_at_its_beginning(lang: str, text: str, about: str) -> None:
    found = read(lang, text)
    assert isinstance(found, Sentence)
    assert found.text == about
    assert hours(found) == ["08:00"] * 5


def test_what_lasts_and_names_no_hour_is_asked() -> None:
    found = read("en", "for 5 days take a pill")
    assert isinstance(found, Doubt)
    assert [each.text for each in found.readings] == ["take a pill"] * 2


def test_a_moment_from_now_is_no_length() -> None:
    found = read("hr", "za 5 dana u 8 zubar")
    assert isinstance(found, Sentence)
    assert hours(found) == ["08:00"]


@pytest.mark.parametrize(
    ("lang", "text"),
    [
        ("en", "every morning and evening at 8 a pill"),
        ("de", "morgens und abends um 8 die Tablette"),
        ("fr", "chaque matin et soir à 8h le comprimé"),
        ("hr", "svako jutro i večer u 8 tableta"),
        ("es", "todos los días por la mañana y por la noche a las 8 la pastilla"),
        ("it", "ogni mattina e ogni sera alle 8 la pastiglia"),
    ],
)
def test_an_hour_behind_two_parts_of_the_day_is_one_of_both(lang: str, text: str) -> None:
    found = read(lang, text)
    assert isinstance(found, Sentence)
    assert set(hours(found)) == {"08:00", "20:00"}


def test_two_hours_behind_two_parts_of_the_day_are_asked() -> None:
    assert not isinstance(read("en", "every morning and evening at 8 and 9 a pill"), Sentence)


@pytest.mark.parametrize(
    ("lang", "text", "about", "hour"),
    [
        ("de", "erinner mich morgen um 7 an die 20 Tropfen Vitamin D", "20 Tropfen Vitamin D", "07:00"),
        ("de", "erinner mich jeden Abend an die 3 Tabletten", "3 Tabletten", "19:00"),
        ("de", "erinner mich um 19 Uhr an die 3 Pakete", "3 Pakete", "19:00"),
        ("de", "erinner mich am Freitag um 9 an die 2. Rate", "2. Rate", "09:00"),
        ("es", "recuérdame mañana a las 7 los 3 paquetes", "los 3 paquetes", "07:00"),
        ("es", "las 2 pastillas todos los días a las 8", "las 2 pastillas", "08:00"),
        ("it", "ogni giorno alle 8 le 2 pastiglie", "le 2 pastiglie", "08:00"),
        ("fr", "tous les 2 jours les 3 cachets à 8h", "les 3 cachets", "08:00"),
    ],
)
def test_a_number_that_counts_things_is_no_day(lang: str, text: str, about: str, hour: str) -> None:
    found = read(lang, text)
    assert isinstance(found, Sentence)
    assert found.text == about
    assert set(hours(found)) == {hour}


@pytest.mark.parametrize(
    ("lang", "text", "day"),
    [("de", "erinner mich am 20. an die Miete", 20), ("es", "los 15 de cada mes pagar el alquiler", 15)],
)
def test_a_day_of_the_month_stays_one(lang: str, text: str, day: int) -> None:
    found = read(lang, text)
    assert isinstance(found, Sentence)
    assert ZONE.localize(preview(found.phrase.trigger, NOW, 1)[0]).day == day


@pytest.mark.parametrize(
    ("lang", "text", "about"),
    [
        ("de", "morgens um 8 eine Tablette", "eine Tablette"),
        ("fr", "le soir à 8h un comprimé", "un comprimé"),
        ("it", "la mattina alle 8 20 gocce", "20 gocce"),
    ],
)
def test_a_part_of_the_day_that_may_be_of_every_day_is_asked_with_every_day_first(
    lang: str, text: str, about: str
) -> None:
    found = read(lang, text)
    assert isinstance(found, Doubt)
    assert found.readings[0].text == about
    assert len(hours(found.readings[0])) == _MANY


@pytest.mark.parametrize(
    ("lang", "text"),
    [
        ("en", "every day at 8 prednisolone 20 mg for 5 days then 10 mg for 5 days"),
        ("de", "jeden Tag um 8 20 mg Prednisolon 5 Tage lang, dann 10 mg"),
        ("fr", "tous les jours à 8h 20 mg de cortisone pendant 5 jours puis 10 mg"),
        ("hr", "svaki dan u 8 i 20 10 dana 1 amoksicilin"),
        ("en", "every day at 8 one pill, after a week two"),
        ("it", "ogni giorno alle 8 una compressa, dopo 3 giorni due"),
        ("hr", "svaki dan u 8 jednu, nakon tjedan dana dvije"),
        ("en", "every year book the cottage for 2 weeks"),
        ("en", "every day at 8 40 mg for a week, then 20 mg"),
        ("en", "every 2 hours to walk for an hour"),
    ],
)
def test_a_length_that_ends_or_changes_a_series_is_not_left_in_its_text(lang: str, text: str) -> None:
    assert not isinstance(read(lang, text), Sentence)


@pytest.mark.parametrize(
    ("lang", "text"),
    [
        ("en", "take pill now and in 12 hours"),
        ("hr", "popij tabletu sad i za 12 sati"),
        ("de", "nimm jetzt eine Tablette und in 6 Stunden noch eine"),
        ("fr", "prends un cachet maintenant et un autre dans 6 heures"),
        ("de", "in 4 und in 8 Stunden Paracetamol"),
        ("fr", "midi et minuit des gouttes tous les jours"),
        ("en", "every day at 8 and 20 drops"),
        ("hr", "svaki dan u 8 i 20 tableta"),
        ("es", "por la mañana media pastilla y por la noche una entera"),
        ("it", "al mattino mezza compressa e alla sera una intera"),
        ("fr", "au matin un demi cachet et le soir un entier"),
        ("es", "al mediodía una y por la noche dos cápsulas"),
        ("en", "next 3 days at 8 the pill"),
        ("en", "warfarin 3 mg on mon wed fri and 4 mg on other days at 18"),
    ],
)
def test_one_of_two_times_is_asked_about(lang: str, text: str) -> None:
    found = read(lang, text)
    assert isinstance(found, Doubt)
    assert found.readings


@pytest.mark.parametrize(
    ("lang", "text"),
    [
        ("de", "morgens 1, abends 2 Tabletten"),
        ("en", "every morning 1 and every evening 2 pills"),
        ("fr", "matin 1, soir 2 comprimés"),
        ("it", "mattina 1, sera 2 pastiglie"),
        ("es", "por la mañana 1 y por la noche 2 pastillas"),
        ("de", "1-0-1 Metformin 500 ab morgen"),
    ],
)
def test_a_dose_for_each_part_of_the_day_is_no_hour(lang: str, text: str) -> None:
    assert isinstance(read(lang, text), Doubt)


def test_an_hour_for_each_part_of_the_day_is_one() -> None:
    found = read("de", "morgens 7, abends 19 Uhr Tabletten")
    assert isinstance(found, Sentence)
    assert set(hours(found)) == {"07:00", "19:00"}


@pytest.mark.parametrize(
    ("lang", "text"),
    [
        ("es", "todos los días a las 8 20 mg de prednisona 5 días y luego 10"),
        ("es", "cada 4 horas menos de noche colirio"),
        ("es", "ibuprofeno 600 cada 8 horas si duele"),
        ("sr", "brufen 600 na 8 sati ako boli"),
        ("hr", "brufen 600 na 8 sati"),
    ],
)
def test_a_part_of_the_time_that_is_not_read_is_asked_about(lang: str, text: str) -> None:
    assert not isinstance(read(lang, text), Sentence)


@pytest.mark.parametrize(("lang", "text"), [("es", "jarabe a las 8, 14 y 20"), ("hr", "sirup u 8, 14 i 20")])
def test_a_list_of_hours_is_offered_as_one(lang: str, text: str) -> None:
    found = read(lang, text)
    assert isinstance(found, Doubt)
    assert set(hours(found.readings[0])) == {"08:00", "14:00", "20:00"}


def test_a_period_said_many_times_is_refused_at_once() -> None:
    text = "for 5 days " * 8
    assert not isinstance(read("en", text), Sentence)
    assert _cost(text) < _MOST_TIMES * _cost("for 5 days at 8 a pill")


def _cost(text: str) -> float:
    """Give the processor time of the quickest of several readings."""
    taken: list[float] = []
    for _ in range(5):
        began = time.process_time()
        read("en", text)
        taken.append(time.process_time() - began)
    return min(taken)
