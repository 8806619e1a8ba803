"""The law of the sentence: every word is used once, and what could be read otherwise is asked back.

Composed sentences are read as composed, or asked; everyday sentences are not asked; what says nothing changes nothing.
Three bugs are planted, and the law sees each of them.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from itertools import islice, product
from pathlib import Path
from typing import Any, TypeVar

import pytest

from duly.language.languages import LANGUAGES, code_of, language
from duly.language.requests import Doubt, Sentence, doubts, parting, read_sentence, times
from duly.language.requests.requests import request_words
from duly.language.requests.tokens import Words
from duly.language.text import fold
from tests.support import EXPLORING
from tests.unit.language_requests.composed import (
    BESIDE,
    MATERIAL,
    MUST_ASK,
    PLAIN_TEXTS,
    Composed,
    composed,
    judge,
    verdict,
)
from tests.unit.language_requests.reading import NOW, ZONE

Case = TypeVar("Case")
EVERYDAY = Path(__file__).parents[2] / "data" / "everyday_sentences.txt"
_COUNT = 20_000 if EXPLORING else 300
_MOST_ASKED = 0.12
"""Of composed sentences, many of which are made to be doubtful."""
_EVERYDAY = 200
_MOST_EVERYDAY_ASKED = 0.03


@pytest.fixture(scope="module")
def seed() -> int:
    """Always the same, but for `make chaos`, which prints it."""
    chosen = random.SystemRandom().randrange(10**6) if EXPLORING else 1
    print(f"seed {chosen}")
    return chosen


def usual(given: Iterable[Case], step: int) -> Iterator[Case]:
    """Give every so many of some cases, the others only to `make chaos`."""
    return islice(given, 0, None, 1 if EXPLORING else step)


def read(text: str, lang: str) -> Sentence | Doubt | None:
    return read_sentence(text, now=NOW, zone=ZONE, prefer=lang)


@pytest.mark.explored
@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_composed_sentence_is_read_as_composed_or_asked(lang: str, seed: int) -> None:
    judged = [(each, judge(each)) for each in composed(lang, seed, _COUNT)]
    wrong = {each.written: got for each, got in judged if got not in ("read", "asked")}
    assert wrong == {}, f"seed {seed}"
    counts = Counter(got for _, got in judged)
    assert counts["asked"] <= _MOST_ASKED * len(judged), counts


@pytest.mark.parametrize(("lang", "text"), [(lang, text) for lang, texts in MUST_ASK.items() for text in texts])
def test_what_may_be_read_in_two_ways_is_asked(lang: str, text: str) -> None:
    assert not isinstance(read(text, lang), Sentence)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_length_that_counts_from_something_else_is_asked_wherever_it_stands(lang: str) -> None:
    lengths, anchors = BESIDE[lang]
    often = MATERIAL[lang].times["mornings"] if "mornings" in MATERIAL[lang].times else MATERIAL[lang].times["daily 8"]
    for length, anchor, text in product(lengths, anchors, PLAIN_TEXTS[lang]):
        beside = f"{length} {anchor}"
        for said in (f"{beside} {text}", f"{text} {beside}", f"{often} {text} {beside}", f"{text} {beside} {often}"):
            assert not isinstance(read(said, lang), Sentence), said


@pytest.mark.parametrize(
    ("lang", "said"),
    [
        ("en", "alarm clock repair"),
        ("en", "timer repair"),
        ("de", "Wecker reparieren"),
        ("de", "aufwecken der Kinder"),
        ("hr", "probuditi djecu"),
        ("sr", "budilnik odneti na popravku"),
        ("es", "despertador de los niños"),
        ("fr", "réveil des enfants"),
        ("it", "sveglia i bambini"),
        ("en", "test the smoke alarm"),
        ("en", "send the payment reminder"),
        ("en", "tell Bob to remind me"),
        ("de", "neuer Wecker"),
        ("de", "Rechnung und Erinnerung"),
        ("hr", "poslati podsjetnik"),
        ("es", "enviar el recordatorio"),
        ("fr", "envoyer un rappel"),
        ("it", "inviare il promemoria"),
    ],
)
def test_a_word_for_an_alarm_is_of_the_text_where_it_names_what_is_to_be_done(lang: str, said: str) -> None:
    time = MATERIAL[lang].times["weekdays 7:30"]
    for written in (f"{time} {said}", f"{said} {time}"):
        found = read(written, lang)
        assert isinstance(found, Sentence), written
        assert found.text == said


@pytest.mark.parametrize(
    ("lang", "text", "dose"),
    [("de", "3x täglich 20 Tropfen", "20 Tropfen"), ("en", "3 times a day 2 pills", "2 pills")],
)
def test_no_reading_of_a_doubt_loses_a_dose(lang: str, text: str, dose: str) -> None:
    said = read(text, lang)
    assert isinstance(said, Doubt)
    assert [each.text for each in said.readings] == [dose]


@pytest.mark.parametrize(
    ("lang", "said", "text"),
    [
        ("it", "domani alle 21:30 «sveglia di Marco alle 6»", "sveglia di Marco alle 6"),
        ("en", 'tomorrow at 9 "alarm for the boys"', "alarm for the boys"),
        ("it", "ricordami alle 16 della riunione del lunedì", "riunione del lunedì"),
        ("de", "in 2 Stunden nach Hause gehen", "nach Hause gehen"),
        ("de", "täglich 1x um 10 Vitamin B12 nehmen", "Vitamin B12 nehmen"),
    ],
)
def test_a_text_keeps_what_is_quoted_and_what_belongs_to_its_nouns(lang: str, said: str, text: str) -> None:
    found = read(said, lang)
    assert isinstance(found, Sentence)
    assert found.text == text


@pytest.mark.parametrize(
    ("lang", "said", "text"),
    [
        ("en", "run for 30 minutes every day at 7", "run for 30 minutes"),
        ("en", "meditate for half an hour every morning", "meditate for half an hour"),
        ("es", "caminar durante 30 minutos todos los días a las 7", "caminar durante 30 minutos"),
        ("fr", "marcher pendant 30 minutes tous les jours à 7h", "marcher pendant 30 minutes"),
        ("it", "camminare per 30 minuti ogni giorno alle 7", "camminare per 30 minuti"),
        ("hr", "trčati 30 minuta svaki dan u 7", "trčati 30 minuta"),
        ("de", "laufen 30 Minuten jeden Tag um 7", "laufen 30 Minuten"),
    ],
)
def test_how_long_something_is_done_is_of_the_text_before_a_time(lang: str, said: str, text: str) -> None:
    found = read(said, lang)
    assert isinstance(found, Sentence)
    assert found.text == text


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("antibiotics at 8 for 3 days", "antibiotics"),
        ("1 pill at 8 and 2 pills at 20", "1 pill at 8 and 2 pills at 20"),
        ("take 1 pill at 8 and 2 pills at 20 every day", "take 1 pill at 8 and 2 pills at 20 every day"),
    ],
)
def test_the_first_reading_of_a_doubt_is_what_people_mean(said: str, text: str) -> None:
    found = read(said, "en")
    assert isinstance(found, Doubt)
    assert found.readings[0].text == text
    assert found.readings[0].phrase.canonical()["times"][0] == "08:00"


@pytest.mark.parametrize(
    ("lang", "said", "missed"),
    [
        ("en", "drops every 4 hours until the bottle is empty", "until the bottle is empty"),
        ("de", "Tropfen alle 4 Stunden bis die Flasche leer ist", "bis die Flasche leer ist"),
        ("it", "gocce ogni 4 ore finché il flacone non è vuoto", "finché il flacone non è vuoto"),
    ],
)
def test_an_end_that_cannot_be_built_is_named(lang: str, said: str, missed: str) -> None:
    found = read(said, lang)
    assert isinstance(found, Doubt)
    assert found.missed == missed


def test_once_a_day_is_no_end() -> None:
    found = read("täglich einmal um 10 Vitamin nehmen", "de")
    assert isinstance(found, Sentence)
    assert found.phrase.canonical() == {"kind": "daily", "times": ["10:00"]}


@cache
def everyday() -> dict[str, list[str]]:
    """Sentences of every day of each language: written ones first, then plain texts with every time and frame."""
    found: dict[str, list[str]] = {}
    lang = ""
    for line in EVERYDAY.read_text(encoding="utf-8").splitlines():
        if section := re.fullmatch(r"\[(\w+)\]", line):
            lang = section[1]
        elif line and not line.startswith("#"):
            found.setdefault(lang, []).append(line)
    for code, lines in found.items():
        material = MATERIAL[code]
        lines += [
            frame.format(time=time, text=text)
            for text in PLAIN_TEXTS[code]
            for frame in material.frames
            for time in material.times.values()
        ]
        found[code] = lines[:_EVERYDAY]
    return found


@pytest.mark.parametrize("lang", LANGUAGES)
def test_everyday_sentences_are_not_asked(lang: str) -> None:
    sentences = everyday()[lang]
    asked = [text for text in sentences if not isinstance(read(text, lang), Sentence)]
    assert len(sentences) == _EVERYDAY
    assert len(asked) <= _MOST_EVERYDAY_ASKED * len(sentences), asked


DOSES = {
    "en": "take ramipril {n}",
    "de": "Ramipril {n}",
    "hr": "popijem ramipril {n}",
    "sr": "popijem ramipril {n}",
    "es": "tomar ramipril {n}",
    "fr": "prendre ramipril {n}",
    "it": "prendere ramipril {n}",
}


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_dose_in_the_text_changes_no_time(lang: str) -> None:
    material = MATERIAL[lang]
    for frame in material.frames:
        for time in material.times.values():
            plain = read(frame.format(time=time, text=DOSES[lang].format(n="").strip()), lang)
            for dose in ("5", "10", "20 mg", "2", "40"):
                said = read(frame.format(time=time, text=DOSES[lang].format(n=dose)), lang)
                if isinstance(said, Sentence) and isinstance(plain, Sentence):
                    assert said.phrase.canonical() == plain.phrase.canonical(), (frame, time, dose)
                    assert Words.of(said.text).folded[-1] in Words.of(dose).folded


@pytest.mark.explored
@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_dose_behind_a_time_is_of_the_text_or_asked(lang: str) -> None:
    doses = sorted(" ".join(form) for form in request_words(lang).forms("doses"))
    for place, (time, dose) in enumerate(usual(product(MATERIAL[lang].times.values(), doses), 11)):
        text = f"{(2, 20, 5)[place % 3]} {dose}"
        plain, said = read(f"{time} {PLAIN_TEXTS[lang][0]}", lang), read(f"{time} {text}", lang)
        if isinstance(plain, Sentence) and isinstance(said, Sentence):
            assert (said.text, said.phrase.canonical()) == (text, plain.phrase.canonical()), (time, text)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_number_in_words_behind_an_hour_is_of_the_text_or_asked(lang: str) -> None:
    numbers = language(code_of(lang) or lang).numbers
    times = [time for kind, time in MATERIAL[lang].times.items() if kind not in ("in 20 min", "10 days")]
    spoken = [word for value in range(1, 10) for word in numbers[value].split("|")]
    for time, word in product(times, spoken):
        plain, said = read(f"{time} {PLAIN_TEXTS[lang][0]}", lang), read(f"{time} {word} ramipril", lang)
        if isinstance(plain, Sentence) and isinstance(said, Sentence):
            assert said.phrase.canonical() == plain.phrase.canonical(), (time, word)
            assert fold(said.text).split()[0] in fold(word), (time, word)


@pytest.mark.parametrize(
    ("lang", "parts", "thing"),
    [
        ("en", "morning|afternoon|evening|night", "cream"),
        ("de", "vormittag|mittag|nachmittag|abend|nacht", "creme"),
        ("fr", "soir|soirée|matinée|nuit", "de gala"),
        ("es", "tarde|noche", "de juegos"),
        ("it", "sera|serata|mattinata", "di gala"),
        ("hr", "večer|večera|jutro|noć", "s Anom"),
        ("sr", "veče|večera|jutro|noć", "sa Anom"),
    ],
)
def test_a_part_of_the_day_that_names_a_thing_is_of_the_text_or_asked(lang: str, parts: str, thing: str) -> None:
    times = [time for kind, time in MATERIAL[lang].times.items() if kind not in ("mornings", "evenings")]
    for time, part in product((*times, "friday 21:00"), parts.split("|")):
        plain, said = read(f"{time} {PLAIN_TEXTS[lang][0]}", lang), read(f"{time} {part} {thing}", lang)
        if isinstance(plain, Sentence) and isinstance(said, Sentence):
            assert (said.text, said.phrase.canonical()) == (f"{part} {thing}", plain.phrase.canonical()), time


SAID = {
    "en": ("say {}", "tell mom {}", "write {}", "send Ana a {}"),
    "de": ("{} sagen", "sag {}", "sag Mama {}", "schreib ein {}"),
    "hr": ("reci {}", "reci Ani {}", "pošalji jedno {}"),
    "sr": ("reci {}", "reci Ani {}", "pošalji jedno {}"),
    "es": ("decir {}", "dile a Ana {}", "dar las {}"),
    "fr": ("dire {}", "dire à Ana {}", "envoyer un {}"),
    "it": ("dire {}", "dire a Marco {}", "mandare un {}"),
}
"""What is to be said ends in a courtesy, or begins with it."""


@pytest.mark.explored
@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_courtesy_that_is_to_be_said_is_of_the_text(lang: str) -> None:
    material = MATERIAL[lang]
    times = [material.times[kind] for kind in ("daily 8", "tomorrow 9", "every 2 h")]
    orders = ("{time} {text}", "{text} {time}", *material.frames)
    ends = ("", *(f",{each}" for each in material.polite if each.startswith(" ")))
    wishes = sorted({" ".join(form) for form in request_words(lang).forms("greetings")})
    read_whole = 0
    cases = list(usual(product(times, product(SAID[lang], wishes), orders), 11))
    for time, (said, wish), order in cases:
        text = said.format(wish)
        found = read(order.format(time=time, text=text) + ends[len(wish) % len(ends)], lang)
        if isinstance(found, Sentence):
            assert Words.of(found.text).folded[-len(text.split()) :] == Words.of(text).folded, (order, time, text)
            read_whole += 1
    assert read_whole > 0.85 * len(cases)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_courtesy_behind_a_comma_is_not_of_the_text(lang: str) -> None:
    time = MATERIAL[lang].times["tomorrow 9"]
    wishes = sorted({" ".join(form) for form in request_words(lang).forms("greetings")})
    for text, wish in product((*PLAIN_TEXTS[lang], SAID[lang][0].format(wishes[0])), wishes):
        found = read(f"{time} {text}, {wish}", lang)
        assert not isinstance(found, Sentence) or found.text == text, (text, wish)


PART_THINGS = {
    "en": ("morning class", "evening shift", "night cream"),
    "de": ("Abend Kurs", "Nacht Creme"),
    "hr": ("večera s Anom",),
    "sr": ("večera sa Anom",),
    "es": ("noche de juegos", "tarde de cine"),
    "fr": ("soirée de gala", "matinée de travail"),
    "it": ("serata di gala", "mattinata di lavoro"),
}
"""Things that are named by a part of the day."""
OPEN_TIMES = {
    "en": ("every 2 days", "on friday", "friday", "tomorrow", "every monday", "every day", "on the 1st of every month"),
    "de": ("alle 2 Tage", "am Freitag", "morgen", "jeden Montag", "jeden Tag", "am 1. jedes Monats"),
    "hr": ("svaka 2 dana", "u petak", "sutra", "svaki ponedjeljak", "svaki dan", "petkom"),
    "sr": ("svaka 2 dana", "u petak", "sutra", "svaki ponedeljak", "svaki dan", "petkom"),
    "es": ("cada 2 días", "el viernes", "mañana", "cada lunes", "todos los días"),
    "fr": ("tous les 2 jours", "vendredi", "demain", "tous les lundis", "tous les jours"),
    "it": ("ogni 2 giorni", "venerdì", "domani", "ogni lunedì", "ogni giorno"),
}
"""Days and rhythms without an hour."""


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_part_of_the_day_before_a_thing_is_never_split_off_where_no_hour_is_said(lang: str) -> None:
    for rhythm, thing in product(OPEN_TIMES[lang], PART_THINGS[lang]):
        for written in (f"{rhythm} {thing}", f"{thing} {rhythm}"):
            found = read(written, lang)
            assert not isinstance(found, Sentence) or found.text == thing, written
            if isinstance(found, Doubt) and found.readings:
                assert thing in [each.text for each in found.readings], written


@pytest.mark.parametrize(
    ("lang", "condition"),
    [
        ("en", "as needed"),
        ("de", "bei Bedarf"),
        ("fr", "si besoin"),
        ("es", "si me duele"),
        ("it", "al bisogno"),
        ("hr", "po potrebi"),
        ("sr", "po potrebi"),
    ],
)
def test_a_condition_on_a_series_is_asked_wherever_it_stands(lang: str, condition: str) -> None:
    for kind, text in product(("daily 8", "every 2 h"), PLAIN_TEXTS[lang]):
        time = MATERIAL[lang].times[kind]
        for written in (f"{condition} {time} {text}", f"{time} {text} {condition}", f"{condition} {text} {time}"):
            assert not isinstance(read(written, lang), Sentence), written
    once = read(f"{MATERIAL[lang].times['tomorrow 9']} {PLAIN_TEXTS[lang][0]} {condition}", lang)
    assert isinstance(once, Sentence)


@pytest.mark.explored
@pytest.mark.parametrize("lang", LANGUAGES)
def test_what_says_nothing_changes_nothing(lang: str) -> None:
    for each in composed(lang, 7, 60 if EXPLORING else 24):
        plain = each.written.rstrip(" .!🙏")
        before = read(plain, lang)
        for more in (".", "!", " 🙏", *MATERIAL[lang].polite):
            after = read(plain + more, lang)
            if isinstance(before, Sentence):
                assert isinstance(after, Sentence), plain + more
                assert after.phrase.canonical() == before.phrase.canonical()
                assert Words.of(after.text).folded == Words.of(before.text).folded, plain + more


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_time_at_the_end_means_what_it_means_at_the_front_or_is_asked(lang: str) -> None:
    for time in MATERIAL[lang].times.values():
        for text in PLAIN_TEXTS[lang]:
            front = read(f"{time} {text}", lang)
            end = read(f"{text} {time}", lang)
            if isinstance(front, Sentence) and isinstance(end, Sentence):
                assert front.phrase.canonical() == end.phrase.canonical(), (time, text)
                assert front.text == end.text


# planted bugs


def _bugs_seen(lang: str = "en") -> list[str]:
    """What the law finds wrong."""
    found = [got for each in composed(lang, 1, 400) if (got := judge(each)) not in ("read", "asked")]
    found += [text for text in MUST_ASK[lang] if isinstance(read(text, lang), Sentence)]
    return found


def test_the_law_sees_stretches_that_are_added(monkeypatch: pytest.MonkeyPatch) -> None:
    honest: Callable[..., Any] = times.TimeReader.read
    assert _bugs_seen() == []

    def added(self: times.TimeReader, *stretches: str, usual: bool = False) -> Any:
        return honest(self, " ".join(stretches), usual=usual)

    monkeypatch.setattr(times.TimeReader, "read", added)
    monkeypatch.setattr(doubts, "audit", lambda *_: None)
    assert _bugs_seen()


def test_the_law_sees_a_number_that_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    honest: Callable[..., Any] = parting.plain

    def dropped(words: Words, known: Any) -> Words:
        text: Words = honest(words, known)
        return text.part(0, len(text) - 1) if len(text) > 1 and text.folded[-1].isdecimal() else text

    monkeypatch.setattr(parting, "plain", dropped)
    monkeypatch.setattr(Words, "loses_number", lambda *_: False)
    assert _bugs_seen()


def test_the_auditor_alone_sees_a_number_that_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    honest: Callable[..., Any] = parting.plain

    def dropped(words: Words, known: Any) -> Words:
        text: Words = honest(words, known)
        return text.part(0, len(text) - 1) if len(text) > 1 and text.folded[-1].isdecimal() else text

    monkeypatch.setattr(parting, "plain", dropped)
    assert isinstance(read("remind me every day at 8 to take ramipril 10", "en"), Doubt)


def test_the_law_sees_one_of_two_times_that_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doubts, "audit", lambda *_: None)
    assert _bugs_seen()


def test_the_verdict_tells_a_wrong_time_and_a_wrong_text() -> None:
    said = Composed("en", "", "take ramipril 10", {"kind": "daily", "times": ["08:00"]})
    right = read("remind me every day at 8 to take ramipril 10", "en")
    assert verdict(said, right) == "read"
    assert verdict(said, None) == "asked"
    assert verdict(said, read("remind me every day at 9 to take ramipril 10", "en")) not in ("read", "asked")
    assert verdict(said, read("remind me every day at 8 to take ramipril 5", "en")) not in ("read", "asked")
