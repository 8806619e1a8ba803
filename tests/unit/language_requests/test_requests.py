"""What people ask for in a chat, in every language: one table for each, and what must not be taken for a request."""

from __future__ import annotations

import pytest

from duly.language.requests import read_request
from duly.language.requests.reading import names_match
from tests.unit.language_requests.reading import NOW, ZONE, shown

TABLES = {
    "en": """
        skip the vitamins tomorrow = skip vitamins on 2026-11-19
        skip the vitamins next time = skip vitamins on None
        remind me to call the bank tomorrow at 10 = remind call the bank @ 2026-11-19T10:00
        hey can you remind me in 20 min to check the oven? = remind check the oven @ 2026-11-18T10:40
        tomorrow remind me to call mom at 5pm = remind call mom @ 2026-11-19T17:00
        set a reminder for tomorrow 9am to pay rent = remind pay rent @ 2026-11-19T09:00
        remind me to read chapter 5 tomorrow = remind read chapter 5 @ 2026-11-19T09:00
        remind me about tomorrow's meeting at 3pm = remind tomorrow's meeting @ 2026-11-18T15:00
        remind me at 9pm to prepare for tomorrow = remind prepare for tomorrow @ 2026-11-18T21:00
        remind me to check the monday report tomorrow at 9 = remind check the monday report @ 2026-11-19T09:00
        remind me to call mom = remind call mom @ None
        remind me 2 hours before the flight = remind 2 hours before the flight @ None
        what's on today? = list today
        what do i have on friday = list 2026-11-20
        reminders for tomorrow = list tomorrow
        list = list all
        what reminders do i have? = list all
        any reminders today? = list today
        delete my vitamins reminder = cancel vitamins
        /list = list all
        move the dentist to friday 9 = move dentist @ 2026-11-20T09:00
        push the dentist back to friday at 9am = move dentist @ 2026-11-20T09:00
        cancel the vitamins = cancel vitamins
        stop reminding me about the vitamins = cancel vitamins
        cancel everything = cancel *
        pause everything until monday 8am = pause * until 2026-11-23T08:00
        pause the vitamins for a week = pause vitamins until 2026-11-25T10:20
        put the vitamins on hold = pause vitamins until None
        turn the vitamins back on = resume vitamins
        undo = undo
        /help = help
        ? = help
    """,
    "de": """
        lass die Vitamine morgen aus = skip Vitamine on 2026-11-19
        erinner mich morgen um 10 an den Zahnarzt = remind Zahnarzt @ 2026-11-19T10:00
        kannst du mich morgen um 9 ans Training erinnern = remind Training @ 2026-11-19T09:00
        erinnere mich daran, dass ich morgen um 8 die Tabletten nehme = remind die Tabletten nehme @ 2026-11-19T08:00
        was steht diese Woche an? = list week
        hab ich heute noch was? = list today
        was hab ich am Freitag? = list 2026-11-20
        zeig mir alle Erinnerungen = list all
        leg den Zahnarzt auf Freitag 9 Uhr = move Zahnarzt @ 2026-11-20T09:00
        sag den Zahnarzt ab = cancel Zahnarzt
        loesche die Erinnerung an die Miete = cancel Miete
        pausiere alles bis Montag 8 Uhr = pause * until 2026-11-23T08:00
        setz die Vitamine fort = resume Vitamine
        mach das rückgängig = undo
        Hilfe! = help
    """,
    "hr": """
        preskoči vitamine sutra = skip vitamine on 2026-11-19
        podsjeti me sutra u 10 da nazovem banku = remind nazovem banku @ 2026-11-19T10:00
        možeš li me podsjetiti na zubara u petak u 14h? = remind zubara @ 2026-11-20T14:00
        što imam u petak? = list 2026-11-20
        pokazi sve podsjetnike = list all
        prebaci zubara na ponedjeljak u 9 = move zubara @ 2026-11-23T09:00
        obriši podsjetnik za smeće = cancel smeće
        pauziraj vitamine do petka u 8 = pause vitamine until 2026-11-20T08:00
        nastavi s vitaminima = resume vitaminima
        poništi = undo
        pomoc = help
    """,
    "sr": """
        preskoči vitamine sutra = skip vitamine on 2026-11-19
        подсети ме сутра у 10 да позовем банку = remind позовем банку @ 2026-11-19T10:00
        шта имам сутра? = list tomorrow
        помери зубара на понедељак у 9 = move зубара @ 2026-11-23T09:00
        обриши подсетник за смеће = cancel смеће
        паузирај све до понедељка у 8 = pause * until 2026-11-23T08:00
        врати = undo
        podseti me za pola sata da iskljucim rernu = remind iskljucim rernu @ 2026-11-18T10:50
    """,
    "es": """
        sáltate las vitaminas mañana = skip vitaminas on 2026-11-19
        recuérdame llamar al banco mañana a las 10 = remind llamar al banco @ 2026-11-19T10:00
        el sabado a las 11 recuerdame comprar el regalo = remind comprar el regalo @ 2026-11-21T11:00
        qué tengo el viernes = list 2026-11-20
        que tengo esta semana? = list week
        pasa el dentista para mañana a las 11 = move dentista @ 2026-11-19T11:00
        borra el recordatorio del dentista = cancel dentista
        pon las vitaminas en pausa hasta el lunes = pause vitaminas until 2026-11-23T09:00
        reanuda todo = resume *
        deshacer = undo
        ayuda = help
    """,
    "fr": """
        saute les vitamines demain = skip vitamines on 2026-11-19
        rappelle-moi d'appeler la banque demain à 10:00 = remind appeler la banque @ 2026-11-19T10:00
        dans 20 minutes rappelle moi de sortir le linge stp = remind sortir le linge @ 2026-11-18T10:40
        qu'est-ce que j'ai demain ? = list tomorrow
        j'ai quoi vendredi = list 2026-11-20
        décale le dentiste à lundi 9:00 = move dentiste @ 2026-11-23T09:00
        supprime le rappel du dentiste svp = cancel dentiste
        mets les vitamines en pause jusqu'à lundi = pause vitamines until 2026-11-23T09:00
        réactive les vitamines = resume vitamines
        annule ça = undo
        aide = help
    """,
    "it": """
        salta le vitamine domani = skip vitamine on 2026-11-19
        ricordami di chiamare la banca domani alle 10 = remind chiamare la banca @ 2026-11-19T10:00
        tra un'ora ricordami di stendere i panni = remind stendere i panni @ 2026-11-18T11:20
        cosa ho venerdì? = list 2026-11-20
        fammi vedere tutti i promemoria = list all
        sposta l'affitto al 2 dicembre alle 10 = move affitto @ 2026-12-02T10:00
        cancella le vitamine = cancel vitamine
        metti in pausa tutto fino a lunedì = pause * until 2026-11-23T09:00
        riprendi le vitamine = resume vitamine
        annulla = undo
        aiuto = help
    """,
}
NO_REQUESTS = {
    "en": "never remind me tomorrow|remind everyone tomorrow|tell me a joke tomorrow|what's the weather today?|ok"
    "|thanks|show me the money|what is love|change the world|move on|pause|cancel|stop|hi|i will call mom tomorrow at 5"
    "|did you cancel it?|don't cancel it|what's up?|don't remind me about the vitamins",
    "de": "was ist das|na wie gehts|danke|bis morgen|ich hab morgen um 9 zahnarzt|nein",
    "hr": "kako si danas|hvala|sutra idem u grad|baš je hladno",
    "es": "hola que tal|gracias|nos vemos mañana a las 9",
    "fr": "salut ça va ?|merci|à demain",
    "it": "ciao come va|grazie|ci vediamo domani alle 9",
}
ROWS = [
    (lang, *(side.strip() for side in line.split(" = ")))
    for lang, table in TABLES.items()
    for line in table.strip().splitlines()
]
NEGATIVE = [(lang, text) for lang, texts in NO_REQUESTS.items() for text in texts.split("|")]


@pytest.mark.parametrize(("lang", "text", "meaning"), ROWS, ids=[row[1] for row in ROWS])
def test_a_request_is_understood(lang: str, text: str, meaning: str) -> None:
    assert shown(read_request(text, now=NOW, zone=ZONE, prefer=lang)) == meaning


@pytest.mark.parametrize(("lang", "text", "meaning"), ROWS, ids=[row[1] for row in ROWS])
def test_it_is_understood_in_capitals_and_with_courtesies(lang: str, text: str, meaning: str) -> None:
    loud = shown(read_request(f"  {text.upper()}!!", now=NOW, zone=ZONE, prefer=lang))
    assert loud.lower() == meaning.lower()


@pytest.mark.parametrize(("lang", "text", "meaning"), ROWS, ids=[row[1] for row in ROWS])
def test_most_requests_need_no_known_language(lang: str, text: str, meaning: str) -> None:
    """Another language may know a word too; it must never make another action of it."""
    found = shown(read_request(text, now=NOW, zone=ZONE))
    assert found.partition(" ")[0] in (meaning.partition(" ")[0], "none"), lang


@pytest.mark.parametrize(
    ("wanted", "text", "matches"),
    [
        ("vitamine", "uzmi vitamin C", True),
        ("vitamins", "take the vitamin", True),
        ("mom", "call mom", True),
        ("mom", "moment of silence", False),
        ("it", "italian class", False),
        ("call bank", "call the bank", True),
        ("bank vet", "call the bank", False),
        ("зубара", "идем код зубара", True),
        ("zubara", "идем код зубара", True),
        ("", "call the bank", False),
    ],
)
def test_a_name_means_the_reminders_that_have_all_its_words(wanted: str, text: str, matches: bool) -> None:
    assert names_match(wanted, text) is matches


@pytest.mark.parametrize(("lang", "text"), NEGATIVE, ids=[row[1] for row in NEGATIVE])
def test_other_messages_are_no_requests(lang: str, text: str) -> None:
    assert read_request(text, now=NOW, zone=ZONE, prefer=lang) is None
