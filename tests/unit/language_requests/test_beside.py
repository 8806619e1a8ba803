"""Words beside a time that belong to it: a time that was understood only in part is not taken."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from duly.language.requests import Pause, Remind, Resume, Sentence, read_request, read_sentence, why_unread
from duly.zones import Zone

NOW = datetime(2026, 11, 16, 10, 43, tzinfo=ZoneInfo("Europe/Zagreb"))
ZONE = Zone.of("Europe/Zagreb")
UNDERSTOOD_IN_PART = [
    ("en", "remind me in about 5 minutes to swim"),
    ("de", "erinnere mich in etwa 5 Minuten ans Schwimmen"),
    ("fr", "rappelle-moi dans environ 5 minutes de nager"),
    ("it", "ricordami tra circa 5 minuti di nuotare"),
    ("hr", "podsjeti me za otprilike 5 minuta da plivam"),
    ("sr", "подсети ме за око 5 минута да пливам"),
    ("es", "recuérdame en unos 5 minutos correr"),
    ("en", "remind me today at 8am to swim"),
    ("en", "remind me to call mom at half six tomorrow"),
    ("en", "remind me tomorrow at half six to call mom"),
    ("en", "wake me up at half six tomorrow"),
    ("de", "erinnere mich heute um 8 an den Müll"),
    ("en", "remind me yesterday at 9 to run"),
    ("de", "erinnere mich gestern um 9 ans Laufen"),
    ("hr", "podsjeti me jučer u 9 da trčim"),
    ("es", "recuérdame ayer a las 9 correr"),
    ("fr", "rappelle-moi hier à 9h de courir"),
    ("it", "ricordami ieri alle 9 di correre"),
    ("en", "remind me 3 days ago to run"),
    ("de", "erinnere mich vor 3 Tagen zu laufen"),
    ("fr", "rappelle-moi il y a 3 jours de courir"),
    ("es", "recuérdame hace 3 días correr"),
    ("it", "ricordami 3 giorni fa di correre"),
    ("hr", "podsjeti me prije 3 dana da trčim"),
    ("en", "remind me last Friday at 9 to run"),
    ("en", "remind me to file on 15 nov 2026 at 9am"),
    ("en", "call mom on 30 february at 9am"),
    ("de", "zahl Miete am 31. November um 9"),
    ("en", "call mom on 29 february 2027"),
    ("en", "call mom tomorrow at 9am for 2 weeks"),
    ("en", "remind me friday at 13:30pm to swim"),
    ("en", "remind me at 5 or 6 to swim"),
    ("en", "remind me monday or tuesday to swim"),
    ("en", "remind me tomorrow at 9 and 10 to swim"),
    ("en", "remind me every day until yesterday to swim"),
    ("en", "remind me on monday the 20th to swim"),
    ("en", "meeting 10:30 room 5 tomorrow"),
    ("en", "call mom tomorrow at 9am (America/New_York)"),
    ("en", "call mom tomorrow at 9am EST"),
    ("en", "call mom tomorrow at 9am UTC"),
    ("en", "call mom tomorrow at 9am Berlin time"),
    ("en", "remind me by Friday to pay"),
    ("en", "remind me within 2 hours to pay"),
    ("de", "erinnere mich binnen 2 Stunden zu zahlen"),
    ("de", "erinnere mich spätestens morgen um 9 zu zahlen"),
    ("hr", "podsjeti me u roku od 2 sata da platim"),
    ("sr", "подсети ме у року од 2 сата да платим"),
    ("es", "recuérdame en el plazo de 2 horas pagar"),
    ("fr", "rappelle-moi d'ici 2 heures de payer"),
    ("it", "ricordami entro 2 ore di pagare"),
    ("hr", "podsjeti me za vikend da perem auto"),
]


@pytest.mark.parametrize(("language", "text"), UNDERSTOOD_IN_PART)
def test_a_time_that_is_understood_in_part_makes_no_reminder(language: str, text: str) -> None:
    found = read_request(text, now=NOW, zone=ZONE, prefer=language)
    assert found is None or (isinstance(found, Remind) and found.phrase is None)  # it asks when
    assert not isinstance(read_sentence(text, now=NOW, zone=ZONE, prefer=language), Sentence)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("remind me every day at 8am to take the pill for 10 days", "take the pill"),
        ("rappelle-moi tous les jours à 8h de prendre la pilule pendant 10 jours", "prendre la pilule"),
        ("erinnere mich jeden Tag um 8 Uhr an die Pille für 10 Tage", "Pille"),
        ("podsjeti me svaki dan u 8 da popijem lijek 10 dana", "popijem lijek"),
        ("подсети ме сваки дан у 8 да попијем лек наредних 10 дана", "попијем лек"),
        ("recuérdame todos los días a las 8 tomar la pastilla durante 10 días", "tomar la pastilla"),
        ("ricordami ogni giorno alle 8 di prendere la pillola per 10 giorni", "prendere la pillola"),
    ],
)
def test_the_end_of_a_series_may_stand_behind_the_text(text: str, what: str) -> None:
    found = read_request(text, now=NOW, zone=ZONE)
    assert isinstance(found, Remind)
    assert found.text == what
    assert found.phrase is not None
    assert found.phrase.canonical()["ends"] == "2026-11-26T23:59:59+01:00"


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("remind me every day at 8am to take the pill till the end of the month", "take the pill"),
        ("remind me to take the pill every day at 8am until the end of the month", "take the pill"),
        ("erinnere mich jeden Tag um 8 an die Pille bis Ende November", "Pille"),
        ("erinnere mich bis Monatsende jeden Tag um 8 an die Pille", "Pille"),
        ("podsjeti me svaki dan u 8 da popijem lijek do kraja mjeseca", "popijem lijek"),
        ("podseti me svakog dana u 8 da popijem lek do kraja meseca", "popijem lek"),
        ("подсети ме сваког дана у 8 да попијем лек до краја месеца", "попијем лек"),
        ("recuérdame todos los días a las 8 tomar la pastilla hasta fin de mes", "tomar la pastilla"),
        ("rappelle-moi tous les jours à 8h de prendre la pilule jusqu'à la fin du mois", "prendre la pilule"),
        ("ricordami ogni giorno alle 8 di prendere la pillola fino a fine mese", "prendere la pillola"),
    ],
)
def test_a_series_goes_on_until_the_end_of_a_period(text: str, what: str) -> None:
    found = read_request(text, now=NOW, zone=ZONE)
    assert isinstance(found, Remind)
    assert found.text == what
    assert found.phrase is not None
    assert found.phrase.canonical()["ends"] == "2026-11-30T23:59:59+01:00"


@pytest.mark.parametrize(
    "text",
    [
        "Pause bis Montag 8 Uhr",
        "pause everything until monday 8am",
        "pause tout jusqu'à lundi 8h",
        "pausa tutto fino a lunedì alle 8",
    ],
)
def test_a_pause_is_read_in_the_language_that_reads_its_end(text: str) -> None:
    found = read_request(text, now=NOW, zone=ZONE)
    assert isinstance(found, Pause)
    assert (found.target, found.until) == (None, datetime(2026, 11, 23, 7, tzinfo=UTC))


@pytest.mark.parametrize(
    "text",
    [
        "every day at 8 call mom until the end of 2020",
        "every day at 8am take the pill until early March",
        "jeden Tag um 8 Pille nehmen bis Mitte November",
    ],
)
def test_a_sentence_whose_end_is_not_understood_makes_no_endless_series(text: str) -> None:
    assert not isinstance(read_sentence(text, now=NOW, zone=ZONE), Sentence)
    assert read_sentence("every day at 8am go through what there is to do", now=NOW, zone=ZONE) is not None


def test_an_article_behind_a_time_does_not_change_it() -> None:
    for said in ("pasado mañana a mediodía la cita", "pasado mañana a las 12 la cita"):
        found = read_request(f"recuérdame {said}", now=NOW, zone=ZONE)
        assert isinstance(found, Remind)
        assert found.text == "la cita"
        assert found.phrase is not None
        assert found.phrase.canonical() == {"kind": "at", "at": "2026-11-18T12:00:00+01:00"}


@pytest.mark.parametrize("text", ["weiter mit allem", "nastavi sa svim"])
def test_everything_is_inflected(text: str) -> None:
    found = read_request(text, now=NOW, zone=ZONE)
    assert isinstance(found, Resume)
    assert found.target is None


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "pause the vitamins until the end of the month"),
        ("de", "pausiere die Vitamine bis Monatsende"),
        ("hr", "pauziraj vitamine do kraja mjeseca"),
        ("es", "pausa las vitaminas hasta fin de mes"),
        ("fr", "mets en pause les vitamines jusqu'à la fin du mois"),
        ("it", "metti in pausa le vitamine fino a fine mese"),
    ],
)
def test_a_pause_ends_with_a_period(language: str, text: str) -> None:
    found = read_request(text, now=NOW, zone=ZONE, prefer=language)
    assert isinstance(found, Pause)
    assert found.target is not None
    assert found.target.lower().startswith("vitamin")
    assert found.until == datetime(2026, 12, 1, 8, tzinfo=UTC)  # in the morning after it


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("remind me friday at 9am to see the doctor and an hour before", "see the doctor"),
        ("erinnere mich am Freitag um 9 an den Arzt und eine Stunde vorher", "Arzt"),
        ("podsjeti me u petak u 9 na liječnika i sat vremena prije", "liječnika"),
        ("recuérdame el viernes a las 9 ir al médico y una hora antes", "ir al médico"),
        ("rappelle-moi vendredi à 9h d'aller chez le médecin et une heure avant", "aller chez le médecin"),
        ("ricordami venerdì alle 9 di andare dal medico e un'ora prima", "andare dal medico"),
    ],
)
def test_what_comes_ahead_may_stand_behind_the_text(text: str, what: str) -> None:
    found = read_request(text, now=NOW, zone=ZONE)
    assert isinstance(found, Remind)
    assert found.text == what
    assert found.phrase is not None
    assert found.phrase.leads == (timedelta(hours=1),)


@pytest.mark.parametrize(
    "text",
    [
        "remind me every weekday at 9am to check it",
        "remind me every business day at 9am to check it",
        "erinnere mich jeden Werktag um 9 daran, es zu prüfen",
        "podsjeti me svaki radni dan u 9 da provjerim",
    ],
)
def test_the_word_that_begins_the_text_is_no_part_of_the_time(text: str) -> None:
    found = read_request(text, now=NOW, zone=ZONE)
    assert isinstance(found, Remind)
    assert found.phrase is not None
    assert found.phrase.canonical()["days"] == ["mon", "tue", "wed", "thu", "fri"]


@pytest.mark.parametrize(
    "text",
    [
        "remind me every day at 8am to take the pill till early March",
        "erinnere mich jeden Tag um 8 an die Pille bis Mitte November",
        "podsjeti me svaki dan u 8 da popijem lijek do sredine mjeseca",
        "recuérdame todos los días a las 8 tomar la pastilla hasta mediados de mes",
        "recuérdame todos los días a las 8 tomar la pastilla hasta el fin de semana",
        "rappelle-moi tous les jours à 8h de prendre la pilule pendant les 10 prochains jours",
        "ricordami ogni giorno alle 8 di prendere la pillola fino a metà mese",
    ],
)
def test_an_end_of_a_series_that_is_not_understood_is_asked_back(text: str) -> None:
    found = read_request(text, now=NOW, zone=ZONE)
    assert isinstance(found, Remind)
    assert found.phrase is None


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("remind me every day at 8am to read 10 minutes", "read 10 minutes"),
        ("remind me every year on 1 may to book 2 weeks", "book 2 weeks"),
        ("remind me every friday at 9am to plan for the week", "plan for the week"),
        ("podsjeti me svaki dan u 8 da odem do banke", "odem do banke"),
    ],
)
def test_a_series_whose_text_ends_in_a_length_or_a_place_has_no_end(text: str, what: str) -> None:
    found = read_request(text, now=NOW, zone=ZONE)
    assert isinstance(found, Remind)
    assert found.text == what
    assert found.phrase is not None
    assert "ends" not in found.phrase.canonical()


@pytest.mark.parametrize(
    ("language", "text", "what"),
    [
        ("en", "remind me by Friday to pay", "pay"),
        ("fr", "rappelle-moi d'ici vendredi de payer le loyer", "payer le loyer"),
        ("hr", "podsjeti me za petnaest dana da platim", "platim"),
        ("en", "remind me to finish it by Friday", "finish it by Friday"),
    ],
)
def test_a_time_that_is_refused_in_front_of_the_text_is_no_part_of_it(language: str, text: str, what: str) -> None:
    found = read_request(text, now=NOW, zone=ZONE, prefer=language)
    assert isinstance(found, Remind)
    assert (found.text, found.phrase) == (what, None)


def test_a_reminder_of_nothing_is_none() -> None:
    assert read_request("remind me to", now=NOW, zone=ZONE) is None


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("meet Bob within 2 hours", "a deadline does not say when"),
        ("d'ici vendredi payer le loyer", "a deadline does not say when"),
        ("pay rent on 31 november", "there is no such date"),
        ("call mom yesterday at 9", "in the past"),
        ("appeler maman 9h", "say which language it is"),
        ("call mom at 5 or 6", "not clear which of its words are the time"),
        ("call mom", "it names no time"),
    ],
)
def test_a_refused_sentence_says_why(text: str, why: str) -> None:
    assert not isinstance(read_sentence(text, now=NOW, zone=ZONE), Sentence)
    assert why in why_unread(text, now=NOW, zone=ZONE)


@pytest.mark.parametrize("text", ["U2 concert tomorrow at 9am", "U2 koncert sutra u 21:00"])
def test_a_name_that_looks_like_an_hour_is_none_where_another_time_is_said(text: str) -> None:
    found = read_sentence(text, now=NOW, zone=ZONE)
    assert isinstance(found, Sentence)
    assert found.text.startswith("U2 ")


def test_a_number_of_the_text_stays_in_it() -> None:
    found = read_sentence("read chapter 5 tomorrow at 9am", now=NOW, zone=ZONE)
    assert isinstance(found, Sentence)
    assert found.text == "read chapter 5"
