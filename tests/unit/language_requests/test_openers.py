"""A word that opens a length of time, right before a claimed one, belongs to the time, or the sentence is asked."""

from __future__ import annotations

from itertools import product

import pytest

from duly.language.languages import LANGUAGES
from duly.language.requests import Sentence, read_sentence
from tests.support import EXPLORING
from tests.unit.language_requests.bounded import BOUNDS
from tests.unit.language_requests.composed import PLAIN_TEXTS
from tests.unit.language_requests.reading import NOW, ZONE

OPENERS = {
    "en": "for|during|over|within|throughout|lasting|in",
    "de": "für|während|binnen|innerhalb von|über|auf",
    "hr": "tijekom|tokom|kroz|za|u roku od|u trajanju od|na",
    "sr": "tijekom|tokom|kroz|za|u roku od|u trajanju od|na",
    "es": "durante|por|en|a lo largo de|dentro de",
    "fr": "pendant|durant|pour|en|sur|au cours de",
    "it": "per|durante|in|entro|nel corso di|lungo",
}
LENGTHS = {
    "en": "14 days|the next 14 days|two weeks|10 minutes|2 hours",
    "de": "14 Tage|14 Tagen|zwei Wochen|10 Minuten|die nächsten 14 Tage|der nächsten 14 Tage",
    "hr": "14 dana|dva tjedna|10 minuta|sljedećih 14 dana",
    "sr": "14 dana|dve nedelje|10 minuta|sledećih 14 dana",
    "es": "14 días|dos semanas|10 minutos|los próximos 14 días",
    "fr": "14 jours|deux semaines|10 minutes|les 14 prochains jours",
    "it": "14 giorni|due settimane|10 minuti|i prossimi 14 giorni",
}
_ORDERS = (
    "{t} {r} {c} {p}",
    "{t} {p} {r} {c}",
    "{r} {c} {p} {t}",
    "{r} {c} {t} {p}",
    "{p} {r} {c} {t}",
    "{r} {p} {c} {t}",
    "{r} {t} {p} {c}",
    "{p} {t} {r} {c}",
    "{r} {p} {t} {c}",
    "{c} {r} {t} {p}",
)
_STEP = 1 if EXPLORING else 5
EVERYDAY = {
    "en": "hand in the report in 2 hours|log in every day at 8|come over at 5|walk for 10 minutes every day at 8",
    "de": "räum auf jeden Tag um 19 Uhr|hör auf in 10 Minuten|steh auf in 20 Minuten|jeden Tag um 8 Uhr spazieren",
    "hr": "za 10 minuta idem na trening|svaki dan u 8 hodati 10 minuta|lijek tijekom 14 dana svaki dan u 8",
    "sr": "za 10 minuta idem na trening|svaki dan u 8 šetati 10 minuta|lek tokom 14 dana svaki dan u 8",
    "es": "en 10 minutos sacar la basura|todos los días a las 8 la pastilla durante 14 días",
    "fr": "dans 10 minutes sortir les poubelles|tous les jours à 8h le cachet pendant 14 jours",
    "it": "tra 10 minuti buttare la spazzatura|ogni giorno alle 8 la pillola per 14 giorni",
}


@pytest.mark.explored
@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_word_that_opens_a_length_is_not_left_in_the_text_without_it(lang: str) -> None:
    """It may stand there with its whole length: that is how long something is done."""
    pieces = [f"{opener} {length}" for opener, length in product(OPENERS[lang].split("|"), LENGTHS[lang].split("|"))]
    often = [each.partition("|")[::2] for each in BOUNDS[lang].often.values()]
    cases = list(product(pieces, often, PLAIN_TEXTS[lang][:2], _ORDERS))[LANGUAGES.index(lang) % _STEP :: _STEP]
    torn = []
    for piece, (rhythm, clock), text, order in cases:
        written = order.format(t=text, r=rhythm, c=clock, p=piece)
        found = read_sentence(written, now=NOW, zone=ZONE, prefer=lang)
        if isinstance(found, Sentence) and found.text.casefold() != text.casefold():
            torn += [] if piece.casefold() in found.text.casefold() else [(written, found.text)]
    assert len(cases) >= 100
    assert torn == []


@pytest.mark.parametrize("lang", LANGUAGES)
def test_such_words_in_everyday_sentences_are_not_asked(lang: str) -> None:
    for text in EVERYDAY[lang].split("|"):
        assert isinstance(read_sentence(text, now=NOW, zone=ZONE, prefer=lang), Sentence), text
