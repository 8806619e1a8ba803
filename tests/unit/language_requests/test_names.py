"""Names of people that are days or months: they stay in the text, or the sentence is asked."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from itertools import product
from typing import NamedTuple

import pytest

from duly.language.grammar.clauses import Slot
from duly.language.requests import Doubt, Sentence, read_sentence
from duly.service.schedules.times import preview
from duly.zones import Zone

NOW = datetime.fromisoformat("2027-03-10T10:00:00+01:00")  # a Wednesday
ZONE = Zone.of("Europe/Berlin")


class Speech(NamedTuple):
    """How a language says that somebody is to be called, and when."""

    calls: str
    """`{}` is the name, `[]` where a time may stand."""
    names: str
    titles: str
    """Behind them a name is read as one."""
    words: str
    """Titles that are words of their own: behind them it may be asked."""
    capital: bool
    """Whether a capital in the middle of a sentence says that it is a name."""
    times: tuple[str, ...]
    usual: tuple[str, ...]
    """Days in every typing, which are no names."""


SPEECH = {
    "en": Speech(
        "[] call {} []",
        "Friday Sunday Monday May April",
        "Mr Mrs. Ms",
        "Miss Dr. Professor",
        False,
        ("tomorrow at 17:30", "on Thursday at 17:30"),
        ("call Mom Friday at 17:30", "Friday at 17:30 call mom", "CALL MOM FRIDAY AT 17:30"),
    ),
    "de": Speech(
        "[] {} [] anrufen",
        "Freitag Sonntag Montag Mai April",
        "Herrn Herr",
        "Frau Dr. Professor",
        False,
        ("morgen um 17:30", "am Donnerstag um 17:30"),
        ("Mama Freitag um 17:30 anrufen", "Freitag um 17:30 Mama anrufen", "MAMA FREITAG UM 17:30 ANRUFEN"),
    ),
    "fr": Speech(
        "[] appeler {} []",
        "Samedi Dimanche Lundi Avril Mars",
        "Mme Mlle",
        "madame monsieur Mademoiselle",
        True,
        ("demain à 17h30", "jeudi à 17h30"),
        ("appeler maman vendredi à 17h30", "Vendredi à 17h30 appeler maman", "Appeler Mamie Jeanne Vendredi À 17h30"),
    ),
    "it": Speech(
        "[] chiamare {} []",
        "Sabato Domenica Venerdì Marzo Luglio",
        "dottor signor Sig. Sig.ra Dott.",
        "signora don",
        True,
        ("domani alle 17:30", "giovedì alle 17:30"),
        ("chiamare mamma venerdì alle 17:30", "Venerdì alle 17:30 chiamare mamma", "CHIAMARE MAMMA VENERDÌ ALLE 17:30"),
    ),
    "es": Speech(
        "[] llamar a {} []",
        "Domingo Viernes Sábado Abril Julio",
        "Sr. Sra. don",
        "señor señora San",
        True,
        ("mañana a las 17:30", "el jueves a las 17:30"),
        (
            "llamar a mamá el viernes a las 17:30",
            "El Viernes a las 17:30 llamar a mamá",
            "LLAMAR A MAMÁ EL VIERNES A LAS 17:30",
        ),
    ),
    "hr": Speech(
        "[] nazvati {} []",
        "Petak Nedjelju Petka Subotu",
        "gosp. gđu",
        "gospodina gospođu",
        True,
        ("sutra u 17:30", "u četvrtak u 17:30"),
        ("nazvati mamu petak u 17:30", "U Petak u 17:30 nazvati mamu", "NAZVATI MAMU U PETAK U 17:30"),
    ),
    "sr": Speech(
        "[] pozvati {} []",
        "Petak Nedelju Petka Subotu",
        "gosp. gđu",
        "gospodina gospođu",
        True,
        ("sutra u 17:30", "u četvrtak u 17:30"),
        ("pozvati mamu petak u 17:30", "U petak u 17:30 pozvati mamu", "ПОЗВАТИ МАМУ У ПЕТАК У 17:30"),
    ),
}
THURSDAY = "2027-03-11T17:30"
FRIDAY = "2027-03-12T17:30"


def composed(code: str, titles: str, *, capital: bool = True) -> Iterator[tuple[str, str]]:
    """Yield sentences in which somebody with the name of a day is to be called on Thursday, and the name."""
    speech = SPEECH[code]
    for title, name, time, place in product(titles.split(" "), speech.names.split(), speech.times, (0, 1)):
        said = f"{title} {name if capital else name.lower()}".strip()
        begin, middle, end = speech.calls.split("[]")
        first, last = (time, "") if place == 0 else ("", time)
        yield " ".join(f"{begin}{first}{middle.format(said)}{last}{end}".split()), said


def judged(text: str, code: str, name: str) -> str:
    found = read_sentence(text, now=NOW, zone=ZONE, prefer=code)
    if not isinstance(found, Sentence):
        return "asked"  # with its readings, or for a time that is clear
    times = [f"{ZONE.localize(at):%Y-%m-%dT%H:%M}" for at in preview(found.phrase.trigger, NOW, 2)]
    keeps = times == [THURSDAY] and f" {name.lower()} " in f" {found.text.lower()} "
    return "read" if keeps else f"{times} {found.text}"


@pytest.mark.parametrize("code", SPEECH)
def test_a_day_behind_a_title_is_a_name(code: str) -> None:
    for capital in (True, False):
        rows = {text: judged(text, code, name) for text, name in composed(code, SPEECH[code].titles, capital=capital)}
        assert {text: got for text, got in rows.items() if got not in ("read", "asked")} == {}
        assert sum(got == "read" for got in rows.values()) > 0.9 * len(rows)


@pytest.mark.parametrize("code", SPEECH)
def test_a_day_behind_a_title_that_is_another_word_as_well_is_never_lost(code: str) -> None:
    for capital in (True, False):
        rows = {text: judged(text, code, name) for text, name in composed(code, SPEECH[code].words, capital=capital)}
        assert {text: got for text, got in rows.items() if got not in ("read", "asked")} == {}


@pytest.mark.parametrize("code", [code for code in SPEECH if SPEECH[code].capital])
def test_a_day_with_a_capital_in_the_middle_of_a_sentence_is_never_lost(code: str) -> None:
    rows = {text: judged(text, code, name) for text, name in composed(code, "")}
    assert {text: got for text, got in rows.items() if got not in ("read", "asked")} == {}


@pytest.mark.parametrize(("code", "text"), [(code, text) for code in SPEECH for text in SPEECH[code].usual])
def test_a_day_that_is_written_as_days_are_is_no_name(code: str, text: str) -> None:
    found = read_sentence(text, now=NOW, zone=ZONE, prefer=code)
    assert isinstance(found, Sentence)
    assert next(f"{ZONE.localize(at):%Y-%m-%dT%H:%M}" for at in preview(found.phrase.trigger, NOW, 1)) == FRIDAY


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("es", "gimnasio Lunes, Miércoles y Viernes a las 8"),
        ("es", "llamar a mamá el Lunes a las 8"),
        ("es", "cena el 5 de Julio a las 20:00"),
        ("it", "corso di ballo Lunedì e Giovedì alle 8"),
        ("it", "dentista ogni Sabato alle 8"),
        ("it", "chiamare il dottore sabato alle 8"),
        ("fr", "appeler maman le Samedi à 8h"),
        ("fr", "appeler maman Samedi prochain à 8h"),
        ("hr", "nazvati mamu u Petak u 8"),
        ("en", "call my doctor Friday at 8"),
        ("en", "Dr Sunday at 8"),
        ("de", "meine Frau Freitag um 8 abholen"),
        ("de", "Doktor Samstag um 8"),
    ],
)
def test_what_stands_beside_a_day_says_that_it_is_one(code: str, text: str) -> None:
    found = read_sentence(text, now=NOW, zone=ZONE, prefer=code)
    assert isinstance(found, Sentence)
    assert found.phrase.reading is not None
    assert found.phrase.slots & {Slot.DAYS, Slot.RHYTHM}


@pytest.mark.parametrize(
    ("code", "text", "meant"),
    [
        ("es", "llamar a domingo el lunes a las 12:30", "llamar a domingo"),
        ("es", "llamar a Domingo el lunes a las 12:30", "llamar a Domingo"),
        ("en", "call Friday on monday at 12:30", "call Friday"),
        ("de", "an Freitag am Montag um 12:30 denken", None),
        ("fr", "appeler samedi le lundi à 12h30", "appeler samedi"),
        ("it", "chiamare domenica il lunedì alle 12:30", "chiamare domenica"),
        ("hr", "nazvati nedjelju u ponedjeljak u 12:30", None),
        ("sr", "pozvati petak u ponedeljak u 12:30", None),
    ],
)
def test_two_days_without_a_joint_are_no_list(code: str, text: str, meant: str | None) -> None:
    found = read_sentence(text, now=NOW, zone=ZONE, prefer=code)
    assert not isinstance(found, Sentence)
    if meant is not None:
        assert isinstance(found, Doubt)
        assert meant in [each.text for each in found.readings]


def test_a_name_behind_a_title_at_the_end_stays_in_the_text() -> None:
    found = read_sentence("alle 4 chiamare lo studio del dottor Sabato", now=NOW, zone=ZONE, prefer="it")
    assert isinstance(found, Sentence)
    assert found.text == "chiamare lo studio del dottor Sabato"
