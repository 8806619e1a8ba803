"""What a reading claims and what it leaves: compounds, "or", ends that include their day, rhythms behind a start."""

from __future__ import annotations

from itertools import product

import pytest

from duly.language.languages import LANGUAGES
from duly.language.requests import Doubt, Sentence, read_sentence
from tests.unit.language_requests.composed import MATERIAL, PLAIN_TEXTS
from tests.unit.language_requests.reading import NOW, ZONE


def read(text: str, lang: str) -> Sentence | Doubt | None:
    return read_sentence(text, now=NOW, zone=ZONE, prefer=lang)


COMPOUNDS = {
    "en": "the 7-o'clock-test|the 24-h-pharmacy|the 3-page report|a 5-minute-egg",
    "de": "die 7-Uhr-Messung|die 24-h-Apotheke|die 3-Seiten-Mail|das 5-Minuten-Ei|den 2-Tages-Test",
    "hr": "24-satna ljekarna|3-dijelni test|7-dnevna provjera",
    "sr": "24-časovna apoteka|3-delni test|7-dnevna provera",
    "es": "la 24-h-farmacia|el informe de 3-pags|el test 2-fases",
    "fr": "la 24-h-pharmacie|le 3-pages-bilan|le test 2-phases",
    "it": "la 24-h-farmacia|il 3-pagine-report|il test 2-fasi",
}
_OFTEN = ("tomorrow 9", "friday 14:30", "daily 8", "weekdays 7:30")


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_number_in_a_word_with_hyphens_is_of_that_word(lang: str) -> None:
    texts = [f"{lead}{each}" for lead, each in product(("", f"{PLAIN_TEXTS[lang][0]} "), COMPOUNDS[lang].split("|"))]
    asked = 0
    for key, text in product(_OFTEN, texts):
        time = MATERIAL[lang].times[key]
        for said, plain in ((f"{time} {text}", f"{time} x"), (f"{text} {time}", f"x {time}")):
            found, usual = read(said, lang), read(plain, lang)
            asked += not isinstance(found, Sentence)
            if isinstance(found, Sentence) and isinstance(usual, Sentence):
                assert (found.text, found.phrase.canonical()) == (text, usual.phrase.canonical()), said
    assert asked <= 0.1 * len(_OFTEN) * len(texts) * 2


@pytest.mark.parametrize("lang", LANGUAGES)
def test_an_hour_before_a_hyphen_is_never_lost(lang: str) -> None:
    day, hour = MATERIAL[lang].split["tomorrow 9"]
    for text in PLAIN_TEXTS[lang]:
        for number in ("7", "7:30"):
            at = hour.replace("9h", number).replace("9", number)
            found = read(f"{day} {at.removesuffix(' Uhr')}-{text}", lang)
            assert not isinstance(found, Sentence) or "T07:" in found.phrase.canonical()["at"], at


ALTERNATIVES = {
    "en": ("in 10 or 15 minutes|at 5 or 6|on monday or tuesday at 9|in 2 hours or 3|tomorrow at 9 or at 10", "or"),
    "de": ("in 10 oder 15 Minuten|um 5 oder 6|montags oder dienstags um 8|morgen um 9 oder um 10", "oder"),
    "hr": ("za 10 ili 15 minuta|u 5 ili 6|ponedjeljkom ili utorkom u 8|sutra u 9 ili u 10", "ili"),
    "sr": ("za 10 ili 15 minuta|u 5 ili 6|ponedeljkom ili utorkom u 8|sutra u 9 ili u 10", "ili"),
    "es": ("en 10 o 15 minutos|a las 5 o a las 6|el lunes o el martes a las 9|mañana a las 9 o a las 10", "o"),
    "fr": ("dans 10 ou 15 minutes|à 5h ou 6h|lundi ou mardi à 9h|demain à 9h ou à 10h", "ou"),
    "it": ("tra 10 o 15 minuti|alle 5 o alle 6|lunedì o martedì alle 9|domani alle 9 o alle 10", "o"),
}


@pytest.mark.parametrize("lang", LANGUAGES)
def test_one_of_two_times_is_asked(lang: str) -> None:
    times, word = ALTERNATIVES[lang]
    for time, text in product((*times.split("|"), f"{MATERIAL[lang].times['tomorrow 9']} {word}"), PLAIN_TEXTS[lang]):
        for said in (f"{time} {text}", f"{text} {time}", *(f.format(time=time, text=text) for f in ENDINGS)):
            assert not isinstance(read(said, lang), Sentence), said


ENDINGS = ("{time}, {text}", "{text}, {time}")


class Ends:
    """How a language says that a series ends on a day, and with it."""

    def __init__(self, often: str, day: str, *included: str) -> None:
        self.often = often
        self.day = day
        self.included = included


ENDS = {
    "en": Ends(
        "every tuesday at 21:00",
        "until 20 april",
        "until 20 april inclusive",
        "until april 20 included",
        "up to and including 20 april",
    ),
    "de": Ends(
        "jeden Dienstag um 21 Uhr",
        "bis 20. April",
        "bis einschließlich 20. April",
        "bis 20. April einschließlich",
        "bis zum 20. April inklusive",
    ),
    "hr": Ends(
        "svaki utorak u 21",
        "do 20. travnja",
        "zaključno s 20. travnja",
        "do 20. travnja zaključno",
        "do zaključno 20. travnja",
    ),
    "sr": Ends("svakog utorka u 21", "do 20. aprila", "zaključno sa 20. aprilom", "do 20. aprila zaključno"),
    "es": Ends(
        "todos los martes a las 21",
        "hasta el 20 de abril",
        "hasta el 20 de abril inclusive",
        "hasta el 20 de abril incluido",
    ),
    "fr": Ends(
        "tous les mardis à 21h",
        "jusqu'au 20 avril",
        "jusqu'au 20 avril inclus",
        "jusqu'au 20 avril compris",
        "jusqu'au 20 avril y compris",
    ),
    "it": Ends(
        "ogni martedì alle 21",
        "fino al 20 aprile",
        "fino al 20 aprile compreso",
        "fino al 20 aprile incluso",
    ),
}
_ORDERS = ("{often} {text} {end}", "{often} {text}, {end}", "{often} {end} {text}", "{text} {often} {end}")


@pytest.mark.parametrize("lang", LANGUAGES)
def test_an_end_that_includes_its_day_is_read_or_asked(lang: str) -> None:
    said = ENDS[lang]
    for text, order in product(PLAIN_TEXTS[lang], _ORDERS):
        usual = read(order.format(often=said.often, text=text, end=said.day), lang)
        for end in said.included:
            written = order.format(often=said.often, text=text, end=end)
            found = read(written, lang)
            if isinstance(found, Sentence) and isinstance(usual, Sentence):
                assert (found.text, found.phrase.canonical()) == (text, usual.phrase.canonical()), written
            assert not isinstance(found, Sentence) or "ends" in found.phrase.canonical(), written


STARTS = {
    "en": "starting friday every 8 hours|from monday on every 6 hours|until friday every 8 hours",
    "de": "ab Freitag alle 8 Stunden|beginnend Montag alle 6 Stunden|bis Freitag alle 8 Stunden",
    "hr": "od petka svakih 8 sati|počevši od ponedjeljka svakih 6 sati",
    "sr": "od petka svakih 8 sati|počevši od ponedeljka svakih 6 sati",
    "es": "a partir del viernes cada 8 horas|empezando el lunes cada 6 horas",
    "fr": "à partir de vendredi toutes les 8 heures|dès lundi toutes les 6 heures",
    "it": "a partire da venerdì ogni 8 ore|iniziando da lunedì ogni 6 ore",
}


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_rhythm_behind_a_start_is_never_left_in_the_text(lang: str) -> None:
    hour = MATERIAL[lang].split["tomorrow 9"][1]
    for start, text in product(STARTS[lang].split("|"), PLAIN_TEXTS[lang]):
        for written in (f"{start} {text}, {hour}", f"{start} {text} {hour}", f"{start} 1 {text} x, y {hour}"):
            found = read(written, lang)
            assert not isinstance(found, Sentence) or found.phrase.canonical()["kind"] != "at", written


KEPT = {
    "en": "remind me tomorrow at 10 that the rent is due = the rent is due",
    "de": "sag mir morgen um 10 Bescheid, dass der 2-Wochen-Plan fertig ist = der 2-Wochen-Plan fertig ist"
    "|erinnere mich morgen um 10 daran, dass der Müll raus muss = der Müll raus muss"
    "|erinnere mich morgen um 10 dass die Miete fällig ist = die Miete fällig ist",
    "es": "recuérdame mañana a las 10 y media que llame a Domingo = llame a Domingo"
    "|recuérdame mañana a las 10 que llame a Pedro = llame a Pedro"
    "|recuérdame mañana a las 10 que compre pan = compre pan",
    "fr": "rappelle-moi demain à 10h que j'appelle Pierre = j'appelle Pierre"
    "|rappelle-moi demain à 10h que l'avion part = l'avion part",
    "it": "ricordami domani alle 10 che io chiami Piero = io chiami Piero"
    "|ricordami domani alle 10 che l'affitto scade = l'affitto scade"
    "|ogni giorno alle 8 e alle 18 dai 3 gocce di vitamina al bimbo = dai 3 gocce di vitamina al bimbo"
    "|domani dai il latte al gatto = dai il latte al gatto"
    "|domani alle 8 dai da mangiare al gatto = dai da mangiare al gatto"
    "|domani alle 8, dai, il latte = il latte"
    "|dai ricordami domani alle 8 il latte = il latte",
    "hr": "podsjeti me sutra u 10 da nazovem Petra = nazovem Petra",
    "sr": "podseti me sutra u 10 da pozovem Petra = pozovem Petra",
}


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_verb_and_the_article_that_begin_a_text_stay_in_it(lang: str) -> None:
    for row in KEPT[lang].split("|"):
        written, text = row.split(" = ")
        found = read(written, lang)
        assert isinstance(found, Sentence), written
        assert found.text == text, written


ORDERS = {
    "es": "mira el buzón|perdona a Pedro|anda al banco",
    "fr": "écoute la radio|dis au docteur de venir|tiens la porte",
    "it": "dai 3 gocce al bimbo|guarda la posta|senti il dottore|ascolta la radio",
    "hr": "daj 5 kapi psu|daj kapi psu",
    "sr": "daj 5 kapi psu|daj kapi psu",
}
_TOMORROW = {
    "es": "mañana a las 8",
    "fr": "demain à 8h",
    "it": "domani alle 8",
    "hr": "sutra u 8",
    "sr": "sutra u 8",
}
_NO_ORDERS = {
    "es": "mira mañana a las 8 el buzón = el buzón|mira el lunes a las 8 el buzón = el buzón",
    "it": "senti un promemoria per domani alle 8: la posta = la posta|guarda il 15 marzo alle 8 la posta = la posta",
}


@pytest.mark.parametrize("lang", list(ORDERS))
def test_a_courtesy_that_is_the_verb_of_the_text_stays_in_it(lang: str) -> None:
    for text in ORDERS[lang].split("|"):
        found = read(f"{text} {_TOMORROW[lang]}", lang)
        assert isinstance(found, Sentence), text
        assert found.text == text


@pytest.mark.parametrize("lang", list(_NO_ORDERS))
def test_a_courtesy_before_a_time_or_what_asks_is_none_of_the_text(lang: str) -> None:
    for row in _NO_ORDERS[lang].split("|"):
        written, text = row.split(" = ")
        found = read(written, lang)
        assert isinstance(found, Sentence), written
        assert found.text == text, written


_UNTIL_A_MONTH = {
    "en": ("every monday at 10 swim {} september", ("until", "till", "til", "through", "up to")),
    "de": ("jeden montag um 10 schwimmen {} september", ("bis", "bis in den", "bis einschließlich")),
    "hr": ("svaki ponedjeljak u 10 bazen {} rujna", ("do", "sve do", "zaključno do")),
    "sr": ("svakog ponedeljka u 10 bazen {} juna", ("do", "sve do", "zaključno do")),
    "es": ("cada lunes a las 10 piscina {} septiembre", ("hasta", "hasta el mes de")),
    "fr": ("chaque lundi à 10h piscine {} septembre", ("jusqu'à", "jusqu'en", "jusqu'au mois de")),
    "it": ("ogni lunedì alle 10 piscina {} giugno", ("fino a", "sino a", "fino al mese di", "fin al")),
}


@pytest.mark.parametrize("lang", _UNTIL_A_MONTH)
def test_no_word_for_until_is_left_in_the_text_of_a_series(lang: str) -> None:
    sentence, words = _UNTIL_A_MONTH[lang]
    for word in words:
        found = read(sentence.format(word), lang)
        assert not isinstance(found, Sentence) or word not in found.text, word
