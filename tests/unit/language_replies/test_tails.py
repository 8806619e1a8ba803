"""What stands beside a claim: with what it was done and what came of it take nothing from it, all else is asked."""

from __future__ import annotations

from itertools import product

import pytest

from duly.language.replies import Reply, ReplyKind, classify_reply
from tests.unit.language_replies.composing import EVERY, FIRED, NOW
from tests.unit.language_replies.tables_of_replies import LANGUAGES

TAILS = {
    "en": {
        "Take your pill": (
            "took it|just took it",
            "with toast|with a glass of water|with dinner|at home",
            "with half of it|with the wrong glass|from the other box|with breakfast|and threw up",
        ),
        "Call the dentist": (
            "called them|phoned them",
            ", appointment is next Tuesday|, they gave me a slot on friday at 9",
            ", nobody answered|, line was busy|, will call back Tuesday|, appointment only if cancelled",
        ),
        "Pay the rent": (
            "paid it|I paid it",
            "online|by app|with my card|at the bank",
            "partly by card|from the wrong account",
        ),
    },
    "de": {
        "Tablette nehmen": (
            "genommen|hab sie genommen",
            "mit Wasser|mit Toast|mit dem Abendessen",
            "mit der falschen|zur Hälfte|mit dem Frühstück",
        ),
        "Zahnarzt anrufen": (
            "hab angerufen",
            ", Termin ist am Donnerstag|, Termin bekommen für den 3. Mai",
            ", keiner da|, besetzt|, Termin muss ich noch machen",
        ),
        "Miete überweisen": (
            "bezahlt|hab sie bezahlt",
            "per App|mit der Karte|über das Handy",
            "vom falschen Konto|nur zum Teil per App",
        ),
    },
    "hr": {
        "popij tabletu": ("popio sam|popila sam", "s vodom|uz kruh|uz večeru", "s pola|uz krivu|uz doručak"),
        "nazovi zubara": (
            "nazvao sam|nazvala sam",
            ", termin je u četvrtak|, zakazao za petak",
            ", ne javlja se|, zauzeto je|, nema termina",
        ),
        "plati stanarinu": (
            "platio sam|platila sam",
            "preko aplikacije|karticom|na šalteru",
            "pola preko aplikacije|s krivog računa",
        ),
    },
    "sr": {
        "popij tabletu": ("popio sam|попила сам", "s vodom|uz hleb|уз вечеру", "s pola|uz pogrešnu|uz doručak"),
        "pozovi zubara": (
            "zvao sam|zvala sam",
            ", termin je u četvrtak|, zakazala za petak",
            ", ne javlja se|, zauzeto je|, nema termina",
        ),
        "plati kiriju": ("platio sam|платила сам", "preko aplikacije|у пошти", "pola preko aplikacije"),
    },
    "es": {
        "Toma la pastilla": (
            "tomada|me la tomé",
            "con agua|con el café|con la cena",
            "con la equivocada|a medias|con el desayuno",
        ),
        "Llamar al dentista": (
            "ya llamé|he llamado",
            ", me dieron cita el jueves|, tengo cita para el lunes",
            ", no contestan|, comunica|, no hay cita",
        ),
        "Pagar el alquiler": (
            "pagado|ya lo pagué",
            "con la tarjeta|por internet|desde la app",
            "a medias con la tarjeta",
        ),
    },
    "fr": {
        "Prends ton cachet": (
            "pris|je l'ai pris",
            "avec de l'eau|avec un café|avec du pain",
            "avec la moitié|avec le mauvais",
        ),
        "Appeler le dentiste": (
            "j'ai appelé",
            ", rdv jeudi|, rdv le 12 mai",
            ", personne ne répond|, occupé|, pas de rdv",
        ),
        "Payer le loyer": ("payé|je l'ai payé", "par carte|sur le site|en ligne", "la moitié par carte"),
    },
    "it": {
        "Prendi la pastiglia": (
            "presa|l'ho presa",
            "con acqua|con il caffè|con la cena",
            "con la metà|con quella sbagliata|con la colazione",
        ),
        "Chiamare il dentista": (
            "ho chiamato",
            ", appuntamento giovedì|, appuntamento per il 12 maggio",
            ", non risponde|, occupato|, niente appuntamento",
        ),
        "Pagare l'affitto": ("pagato|l'ho pagato", "con la carta|online|dalla app", "metà con la carta"),
    },
}
"""By reminder of 20:00: claims, what takes nothing from them, and what does; with bars between."""


def read(lang: str, text: str, about: str) -> Reply:
    return classify_reply(text, lang, about=about, fired=FIRED, now=NOW, every=EVERY)


def _said(claim: str, tail: str) -> str:
    return f"{claim}{tail}" if tail.startswith(",") else f"{claim} {tail}"


@pytest.mark.parametrize("lang", LANGUAGES)
def test_with_what_it_was_done_and_what_came_of_it_take_nothing_from_a_claim(lang: str) -> None:
    asked = []
    said = 0
    for about, (claims, honest, _) in TAILS[lang].items():
        for claim, tail in product(claims.split("|"), honest.split("|")):
            said += 1
            if read(lang, _said(claim, tail), about).kind is not ReplyKind.ACK:
                asked.append(_said(claim, tail))
    assert len(asked) <= 0.1 * said, asked


@pytest.mark.parametrize("lang", LANGUAGES)
def test_what_may_take_it_back_is_asked(lang: str) -> None:
    for about, (claims, _, others) in TAILS[lang].items():
        for claim, tail in product(claims.split("|"), others.split("|")):
            found = read(lang, _said(claim, tail), about)
            assert found.kind not in (ReplyKind.ACK, ReplyKind.DISMISS), _said(claim, tail)


@pytest.mark.parametrize(
    ("lang", "about", "whole", "less"),
    [
        ("en", "Inhaler, 2 puffs", "two puffs done|both puffs done|2 puffs done", "one puff done|3 puffs done"),
        ("de", "Inhalieren, 2 Hub", "2 Hub genommen|beide Hub genommen", "einen Hub genommen|1 Hub genommen"),
        ("hr", "Inhalator, 2 udaha", "oba udaha obavljena|2 udaha obavljena", "jedan udah obavljen|3 udaha obavljena"),
        ("es", "Inhalador, 2 inhalaciones", "las dos inhalaciones hechas", "una inhalación hecha"),
        ("fr", "Ventoline, 2 bouffées", "les deux bouffées sont prises", "une bouffée est prise"),
        ("it", "Inalatore, 2 spruzzi", "due spruzzi fatti", "uno spruzzo fatto"),
    ],
)
def test_a_number_of_the_reminder_is_of_its_name_and_another_one_is_not(
    lang: str, about: str, whole: str, less: str
) -> None:
    assert [text for text in whole.split("|") if read(lang, text, about).kind is not ReplyKind.ACK] == []
    assert [text for text in less.split("|") if read(lang, text, about).kind is ReplyKind.ACK] == []


@pytest.mark.parametrize(
    ("lang", "walk", "back", "no"),
    [
        ("en", "Walk the dog", "just got back from the walk", "not back from the walk"),
        (
            "de",
            "Mit dem Hund spazieren gehen",
            "sind grad wieder heim vom Gassi",
            "noch nicht heim vom Gassi",
        ),
        ("hr", "Prošetaj psa", "upravo smo se vratili iz šetnje", "još se nismo vratili iz šetnje"),
        (
            "es",
            "Pasear al perro",
            "acabamos de volver del paseo",
            "aún no hemos vuelto del paseo",
        ),
        (
            "fr",
            "Sortir le chien",
            "on vient de rentrer de la balade",
            "pas encore rentrés de la balade",
        ),
        (
            "it",
            "Portare fuori il cane",
            "siamo appena tornati dalla passeggiata",
            "non siamo tornati dalla passeggiata",
        ),
    ],
)
def test_who_is_back_from_a_walk_has_walked(lang: str, walk: str, back: str, no: str) -> None:
    assert read(lang, back, walk).kind is ReplyKind.ACK
    assert read(lang, no, walk).kind is not ReplyKind.ACK
    assert read(lang, back, "Take your pill").kind is not ReplyKind.ACK


def test_an_hour_is_read_as_the_french_write_it() -> None:
    assert read("fr", "pris à 20h10", "Prends ton cachet").kind is ReplyKind.ACK
    assert read("fr", "pris à 6h10", "Prends ton cachet").kind is not ReplyKind.ACK
