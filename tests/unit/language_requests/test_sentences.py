"""Message and time in one sentence: nothing of the message is lost, and nothing of the time stays in it."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duly.language.languages import LANGUAGES
from duly.language.requests import Sentence, read_request, read_sentence
from duly.language.requests.requests import request_words
from duly.language.requests.tokens import Words
from duly.zones import Zone
from tests.unit.language_requests.reading import NOW as HERE
from tests.unit.language_requests.reading import ZONE

NOW = datetime(2027, 3, 26, 13, 32, tzinfo=UTC)
BERLIN = Zone.of("Europe/Berlin")
FUNCTION_WORDS = ("courtesies", "askings", "leads", "joints", "danglers")
LEADS = {
    "en": ("remind me to {text} {time}", "remind me {time} to {text}", "{time} remind me to {text}", "{text} {time}"),
    "de": ("erinner mich {time} an {text}", "kannst du mich {time} an {text} erinnern", "{text} {time}"),
    "hr": ("podsjeti me {time} da {text}", "{text} {time}", "podsjeti me na {text} {time}"),
    "sr": ("podseti me {time} da {text}", "{text} {time}"),
    "es": ("recuérdame {text} {time}", "recuérdame {time} que {text}", "{time} recuérdame {text}"),
    "fr": ("rappelle-moi {time} de {text}", "rappelle-moi de {text} {time}", "{text} {time}"),
    "it": ("ricordami {time} di {text}", "ricordami di {text} {time}", "{text} {time}"),
}
TIMES = {
    "en": ("tomorrow at 9am", "in 20 minutes", "every day at 8:00", "on friday at 14:30", "every weekday at 7am"),
    "de": ("morgen um 9 Uhr", "in 20 Minuten", "jeden Tag um 8:00", "am Freitag um 14:30", "werktags um 7:00"),
    "hr": ("sutra u 9", "za 20 minuta", "svaki dan u 8:00", "u petak u 14:30", "radnim danom u 7:00"),
    "sr": ("sutra u 9", "za 20 minuta", "svaki dan u 8:00", "u petak u 14:30", "radnim danom u 7:00"),
    "es": (
        "mañana a las 9",
        "en 20 minutos",
        "todos los días a las 8:00",
        "el viernes a las 14:30",
        "entre semana a las 7:00",
    ),
    "fr": ("demain à 9:00", "dans 20 minutes", "tous les jours à 8:00", "vendredi à 14:30", "en semaine à 7:00"),
    "it": (
        "domani alle 9",
        "tra 20 minuti",
        "ogni giorno alle 8:00",
        "venerdì alle 14:30",
        "nei giorni feriali alle 7:00",
    ),
}
MESSAGE = st.lists(st.from_regex(r"[bk][rl][aou][xq][a-z]{0,5}", fullmatch=True), min_size=1, max_size=6).map(" ".join)


@pytest.mark.parametrize(
    ("sentence", "text", "time"),
    [
        ("stretch in 20 min", "stretch", "in 20 min"),
        ("remind me to stretch in 20 min", "stretch", "in 20 min"),
        ("call the vet tomorrow at 9", "call the vet", "tomorrow at 9"),
        ("tomorrow at 9 call the vet", "call the vet", "tomorrow at 9"),
        ("take medicine every day at 8", "take medicine", "every day at 8"),
        ("Vitamine jeden Morgen um 8", "Vitamine", "jeden Morgen um 8"),
        ("call mom tomorrow at 5pm", "call mom", "tomorrow at 5pm"),
        ("tomorrow call mom at 5pm", "call mom", "tomorrow at 5pm"),
        ("erinner mich morgen um 10 an den Zahnarzt", "Zahnarzt", "morgen um 10"),
    ],
)
def test_a_sentence_is_taken_apart(sentence: str, text: str, time: str) -> None:
    said = read_sentence(sentence, now=NOW, zone=BERLIN)
    assert isinstance(said, Sentence)
    assert said.text == text
    assert said.phrase.text == time


@pytest.mark.parametrize("sentence", ["", "stretch", "in 20 min", "pause backup-db", "a " * 200, "x" * 1000])
def test_a_sentence_without_text_or_time_is_none(sentence: str) -> None:
    assert not isinstance(read_sentence(sentence, now=NOW, zone=BERLIN), Sentence)


@given(st.sampled_from(LANGUAGES), st.data(), MESSAGE)
def test_text_and_time_are_told_apart_in_every_order(lang: str, data: st.DataObject, message: str) -> None:
    template = data.draw(st.sampled_from(LEADS[lang]))
    time = data.draw(st.sampled_from(TIMES[lang]))
    said = read_sentence(template.format(text=message, time=time), now=HERE, zone=ZONE, prefer=lang)
    assert isinstance(said, Sentence)
    assert (said.text, said.phrase.text) == (message, time)


_OF_NO_LANGUAGE = ("2027-01-01T09:00:00Z", "2027-01-01 09:00", "0 9 * * 1-5", "@daily")


@given(
    st.text(max_size=320) | st.sampled_from(_OF_NO_LANGUAGE) | st.sampled_from(_OF_NO_LANGUAGE).map("news {}".format),
    st.sampled_from([None, *LANGUAGES, "pt", "pt-BR", "de-AT", "", "no such tag"]),
)
def test_reading_is_total(text: str, lang: str | None) -> None:
    read_sentence(text, now=HERE, zone=ZONE, prefer=lang)
    read_request(text, now=HERE, zone=ZONE, prefer=lang)


def _soup() -> st.SearchStrategy[str]:
    """Words of every kind in any order: of requests, of times, and of neither."""
    request = [word for code in LANGUAGES for field in FUNCTION_WORDS for word in _typed(code, field)]
    time = [word for times in TIMES.values() for each in times for word in each.split()]
    words = st.one_of(
        st.sampled_from(request), st.sampled_from(time), st.sampled_from(["bravo", "Müll", "d'accord", "7"])
    )
    return st.lists(words, min_size=2, max_size=10).map(" ".join)


def _typed(code: str, field: str) -> list[str]:
    forms: str = getattr(request_words(code), field)
    return forms.split("|")[:8]


@given(_soup(), st.sampled_from([None, *LANGUAGES]))
def test_every_word_is_in_the_text_or_in_the_time_or_asks_for_the_reminder(sentence: str, lang: str | None) -> None:
    said = read_sentence(sentence, now=HERE, zone=ZONE, prefer=lang)
    if not isinstance(said, Sentence):
        return
    asking = {
        word
        for code in LANGUAGES
        for field in FUNCTION_WORDS
        for form in request_words(code).forms(field)
        for word in form
    }
    asking |= {word for code in LANGUAGES for pair in request_words(code).splits for form in pair for word in form}
    kept = [*Words.of(said.text).folded, *Words.of(said.phrase.text).folded]
    for word in Words.of(sentence).folded:
        assert word in kept or word in asking
    assert len(kept) <= len(Words.of(sentence))
    assert said.text in sentence or _in_pieces(said.text, sentence)


def _in_pieces(text: str, sentence: str) -> bool:
    """Tell whether a text is the sentence without one stretch in its middle."""
    pattern = ".*".join(re.escape(word) for word in text.split())
    return re.search(pattern, sentence, re.DOTALL) is not None
