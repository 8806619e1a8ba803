"""Properties of every reply: it never raises, and a negation is never an acknowledgement."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from duly.language.replies import Reply, ReplyKind, classify_reply
from tests.support import tries
from tests.unit.language_replies.tables_of_replies import LANGUAGES, Case, given_cases, own_cases

_CASES = own_cases() + given_cases()
_ACKS = [case for case in _CASES if case.kind == "ack"]
_PLAIN = [case for case in _ACKS if "no need to" not in case.text]  # where a negation cannot be the refusal's own
_WORDS = sorted({word for case in _CASES for word in case.text.split()})
NEGATIONS = {
    "en": ["not", "never", "don't", "didn't", "haven't", "isn't", "hardly", "without", "almost", "nearly"],
    "de": ["nicht", "nie", "kein", "keine", "noch nicht", "niemals", "kaum", "fast"],
    "hr": ["ne", "nisam", "nije", "nikad", "još ne", "skoro", "nismo"],
    "sr": ["не", "нисам", "није", "никад", "још не", "скоро"],
    "es": ["no", "nunca", "tampoco", "aún no", "todavía no", "casi"],
    "fr": ["pas", "ne", "jamais", "pas encore", "presque", "n'ai pas"],
    "it": ["non", "mai", "non ancora", "neanche", "quasi"],
}
_MOODS = {
    "en": ["if", "when", "should", "maybe", "will", "did you", "tomorrow", "later", "in 10 minutes", "but not", "once"],
    "de": ["wenn", "falls", "vielleicht", "später", "morgen", "in 10 Minuten", "soll ich", "dass", "ob"],
    "hr": ["ako", "kad", "možda", "kasnije", "sutra", "za 10 minuta", "da li", "hoću li", "kao da", "samo da"],
    "sr": ["ако", "кад", "можда", "касније", "сутра", "за 10 минута"],
    "es": ["cuando", "quizás", "luego", "mañana", "en 10 minutos", "ojalá", "que"],
    "fr": ["quand", "peut-être", "plus tard", "demain", "dans 10 minutes", "bientôt", "lorsque", "dès que"],
    "it": ["se", "quando", "forse", "più tardi", "domani", "tra 10 minuti", "che", "come se"],
}


_NOS = {
    "en": ["no", "nope", "nah", "naw", "no no", "negative", "no way"],
    "de": ["nein", "nee", "nö", "ne", "nein nein", "auf keinen Fall"],
    "hr": ["ne", "ne ne", "jok", "nikako"],
    "sr": ["не", "не не", "ne", "јок", "никако"],
    "es": ["no", "nop", "no no", "nel"],
    "fr": ["non", "nan", "non non", "mais non"],
    "it": ["no", "no no", "ma no"],
}
_ASIDES = {"en": "sorry", "de": "sorry", "hr": "oprosti", "sr": "извини", "es": "perdón", "fr": "désolé", "it": "scusa"}
_ORDERS = {
    "en": ["cancel", "stop", "skip it", "never mind"],
    "de": ["abbrechen", "stopp", "vergiss es", "nicht nötig"],
    "hr": ["otkaži", "prekini", "ne treba", "preskoči"],
    "sr": ["откажи", "прекини", "не треба", "прескочи"],
    "es": ["cancela", "olvídalo", "no hace falta", "sáltalo"],
    "fr": ["annule", "arrête", "laisse tomber", "pas besoin"],
    "it": ["annulla", "basta", "lascia perdere", "non serve"],
}
_HEARD = {
    "en": ["noted", "understood", "sounds good", "great", "got it", "perfect", "roger", "cool"],
    "de": ["verstanden", "alles klar", "prima", "toll", "sehr gut", "notiert", "klingt gut"],
    "hr": ["razumijem", "jasno", "primljeno", "odlično", "super", "zvuči dobro"],
    "sr": ["разумем", "јасно", "примљено", "одлично", "супер"],
    "es": ["entendido", "recibido", "perfecto", "genial", "muy bien", "suena bien"],
    "fr": ["compris", "entendu", "bien reçu", "noté", "parfait", "très bien", "génial"],
    "it": ["capito", "ricevuto", "perfetto", "ottimo", "benissimo", "chiaro"],
}
_THANKS = {"en": "thanks", "de": "danke", "hr": "hvala", "sr": "хвала", "es": "gracias", "fr": "merci", "it": "grazie"}
_YES = {"en": "ok", "de": "passt", "hr": "u redu", "sr": "у реду", "es": "vale", "fr": "d'accord", "it": "va bene"}
_LATER = Reply(ReplyKind.SNOOZE, denied=True)


def _inserted(case: Case, intruder: str, place: int) -> str:
    words = case.text.split()
    place %= len(words) + 1
    return " ".join([*words[:place], intruder, *words[place:]])


def answers_no(text: str, negation: str) -> bool:
    """Whether the word for no became an answer of its own: "no, ya lo hice" is an ack, and rightly so."""
    if negation not in {"no", "ne", "не"}:
        return False
    return re.search(rf"(?<!\w){negation}(\s*[,¡]| (no|ne|не|nema|hvala|хвала|gracias)\b)", text) is not None


def _acked(texts: Iterable[str], lang: str) -> list[str]:
    return [text for text in texts for told in (lang, None) if classify_reply(text, told).kind is ReplyKind.ACK]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_negated_ack_is_no_ack(lang: str) -> None:
    texts = [
        text
        for case in _PLAIN
        if case.lang == lang
        for negation in NEGATIONS[lang]
        for place in range(len(case.text.split()) + 1)
        if not answers_no(text := _inserted(case, negation, place), negation)
    ]
    assert len(texts) > 500
    assert _acked(texts, lang) == []


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_doubted_or_delayed_ack_is_no_ack(lang: str) -> None:
    acks = [case.text for case in _ACKS if case.lang == lang]
    texts = [text for ack in acks for mood in _MOODS[lang] for text in (f"{mood} {ack}", f"{ack} {mood}")]
    assert _acked(texts, lang) == []
    assert _acked([text for ack in acks for text in (f"{ack}?", f"¿{ack}")], lang) == []


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_bare_no_is_asked_again_and_never_dismisses(lang: str) -> None:
    nos = [*_NOS[lang], "👎", "🙅"]
    aside = _ASIDES[lang]
    texts = [text for no in nos for text in (no, no.upper(), f"{no}!", f"{no}.", f"{no} 🙂", f"{aside}, {no}")]
    readings = {text: classify_reply(text, lang) for text in texts}
    assert {text: read for text, read in readings.items() if replace(read, lang=None) != _LATER} == {}
    assert [no for no in nos if classify_reply(no).kind not in (ReplyKind.SNOOZE, ReplyKind.UNKNOWN)] == []


@pytest.mark.parametrize("lang", LANGUAGES)
def test_only_clear_words_dismiss(lang: str) -> None:
    thanks, (no, *_) = _THANKS[lang], _NOS[lang]
    clear = [*_ORDERS[lang], *(f"{no}, {order}" for order in _ORDERS[lang]), f"{no}, {thanks}", "❌"]
    assert [text for text in clear if classify_reply(text, lang).kind is not ReplyKind.DISMISS] == []
    assert classify_reply(f"{thanks}, {no}", lang).kind is ReplyKind.SNOOZE


@pytest.mark.parametrize("lang", LANGUAGES)
def test_words_that_claim_nothing_decide_nothing(lang: str) -> None:
    texts = [text for word in _HEARD[lang] for text in (word, f"{word}, {_THANKS[lang]}", f"{word}!", f"{word} 🙂")]
    assert [text for text in texts for told in (lang, None) if _kind(text, told) is not ReplyKind.UNKNOWN] == []
    assert [word for word in _HEARD[lang] if _kind(f"{_YES[lang]}, {word}", lang) is not ReplyKind.ACK] == []
    assert [word for word in _HEARD[lang] if _kind(f"{_NOS[lang][0]}, {word}", lang) is ReplyKind.ACK] == []


def _kind(text: str, lang: str | None) -> ReplyKind:
    return classify_reply(text, lang).kind


@given(st.text(max_size=60), st.sampled_from([None, "en", "de", "hr", "sr", "es", "fr", "it", "pl", "de-AT", ""]))
@settings(max_examples=tries(300), deadline=None)
def test_no_text_raises(text: str, lang: str | None) -> None:
    reply = classify_reply(text, lang)
    assert reply.minutes is None or 1 <= reply.minutes <= 1440
    assert reply.kind is ReplyKind.SNOOZE or (reply.minutes is None and reply.until is None)


@given(st.lists(st.sampled_from(_WORDS), max_size=7).map(" ".join), st.sampled_from([None, "en", "hr", "es"]))
@settings(max_examples=tries(600), deadline=None)
def test_no_row_of_known_words_raises(text: str, lang: str | None) -> None:
    reply = classify_reply(text, lang)
    assert reply.minutes is None or 1 <= reply.minutes <= 1440
    assert reply == classify_reply(f"  {text}\t", lang)


@given(
    st.sampled_from(_ACKS), st.sampled_from(["xyzzy", "pizza", "42", "@bob", "#", "http", "and pizza", "ništa", "🍕"])
)
@settings(max_examples=tries(200), deadline=None)
def test_a_word_left_over_is_unknown(case: Case, stranger: str) -> None:
    assert classify_reply(f"{case.text} {stranger}", case.lang).kind is ReplyKind.UNKNOWN
    assert classify_reply(f"{stranger} {case.text}", case.lang).kind is ReplyKind.UNKNOWN


@given(st.sampled_from(_CASES))
def test_case_and_closing_marks_change_nothing(case: Case) -> None:
    plain = classify_reply(case.text, case.lang)
    assert classify_reply(case.text.upper(), case.lang).kind is plain.kind
    assert classify_reply(case.text + "!", case.lang) == plain


@given(
    st.integers(0, 20_000), st.sampled_from(["in {} minutes", "{} min", "snooze {}m", "in {} Minuten", "za {} minuta"])
)
def test_minutes_are_limited(minutes: int, pattern: str) -> None:
    reply = classify_reply(pattern.format(minutes))
    if 1 <= minutes <= 1440:
        assert (reply.kind, reply.minutes) == (ReplyKind.SNOOZE, minutes)
    elif 1440 < minutes <= 7 * 1440:
        assert reply.kind is ReplyKind.SNOOZE
        assert reply.minutes is None
        assert str(minutes) in (reply.until or "")
    else:
        assert reply.kind is ReplyKind.UNKNOWN


def test_a_foreign_language_never_makes_an_answer_of_what_is_none() -> None:
    """The person's language reads first, then all: what is no answer in its own language is none for any person."""
    wrong = []
    for case in (*own_cases(), *given_cases()):
        for person in LANGUAGES:
            kind = classify_reply(case.text, person).kind
            ends = kind in (ReplyKind.ACK, ReplyKind.DISMISS)
            if ends and kind != case.kind and kind not in case.also and {person, case.lang} != {"hr", "sr"}:
                wrong.append((case.lang, person, case.text, kind))
    assert not wrong


@pytest.mark.parametrize(("text", "person"), [("da", "de"), ("ja", "hr"), ("si", "de"), ("ya", "fr")])
def test_a_short_foreign_yes_is_no_yes(text: str, person: str) -> None:
    assert classify_reply(text, person).kind is ReplyKind.UNKNOWN


@pytest.mark.parametrize(
    ("text", "person", "kind", "minutes"),
    [
        ("in 10 minutes", "de", ReplyKind.SNOOZE, 10),
        ("erledigt", "en", ReplyKind.ACK, None),
        ("za pola sata", "en", ReplyKind.SNOOZE, 30),
        ("готово", "de", ReplyKind.ACK, None),
        ("laisse tomber", "it", ReplyKind.DISMISS, None),
    ],
)
def test_a_reply_in_another_language_is_understood(
    text: str, person: str, kind: ReplyKind, minutes: int | None
) -> None:
    reply = classify_reply(text, person)
    assert (reply.kind, reply.minutes) == (kind, minutes)
