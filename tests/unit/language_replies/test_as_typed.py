"""Replies as people type them on a phone: every one is read as meant, and no doubt beside a claim leaves it a claim."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from duly.language.replies import ReplyKind, classify_reply
from duly.language.slips import is_slip
from tests.unit.language_replies.tables_of_replies import LANGUAGES
from tests.unit.language_replies.test_laws import NEGATIONS, answers_no

_ROWS: list[dict[str, Any]] = json.loads(
    (Path(__file__).parents[2] / "data" / "replies_as_typed.json").read_text(encoding="utf-8")
)
_CLAIMS = [row for row in _ROWS if row["expect"] == "ack"]
_DOUBTS = {
    "en": ["will", "gonna", "unless", "my wife", "he", "i think", "about to", "who", "except", "only"],
    "de": ["werde", "er hat", "meine frau", "glaub", "muss noch", "hätte", "wer hat", "ohne", "wäre", "nur halb"],
    "hr": ["ću", "budem", "valjda", "ona je", "muž je", "mislim da", "tko je", "bih", "moram", "umalo"],
    "sr": ["ћу", "ваљда", "она је", "муж је", "мислим да", "ко је", "бих", "морам", "умало"],
    "es": ["voy a", "creo que", "ella", "mi mujer", "debería", "tengo que", "quién", "ojalá", "medio"],
    "fr": ["vais", "je crois que", "elle", "ma femme", "dois", "faut", "qui", "à moitié", "sauf", "sans"],
    "it": ["devo", "credo che", "lei", "mia moglie", "dovrei", "chi", "mezzo", "a metà", "senza"],
}
"""Words to come, other people, beliefs and exceptions: with one of them in it a claim is none."""
_FORBIDS = {
    "en": ["don't", "please don't", "never", "i can't", "i won't"],
    "de": ["nicht", "bitte nicht", "ich kann nicht", "niemals"],
    "hr": ["ne", "nemoj", "nemoj molim te", "ne mogu", "nikad"],
    "sr": ["не", "немој", "никад"],
    "es": ["no", "nunca", "no puedo", "no quiero"],
    "fr": ["ne", "n'", "jamais", "je ne peux pas"],
    "it": ["non", "mai", "non posso", "non voglio"],
}
_ORDERS = {
    "en": ["skip it", "cancel it", "skip todays", "dismiss this", "delete it please", "ignore it", "drop it for today"],
    "de": ["überspringen", "abbrechen", "auslassen", "löschen bitte", "absagen", "überspring es", "lösch das"],
    "hr": ["otkaži", "preskoči", "zaboravi na to", "makni podsjetnik", "obriši to", "preskačem", "batali"],
    "sr": ["откажи", "прескочи", "заборави то", "обриши", "прескачем", "батали"],
    "es": ["cancela", "sáltalo", "cancelar", "saltar hoy", "bórralo", "olvídalo", "omitir", "elimina el recordatorio"],
    "fr": ["annule", "saute celui-là", "supprime le rappel", "oublie", "zappe", "sauter", "annuler"],
    "it": ["annulla", "saltala", "cancellalo", "annullare", "elimina", "lascia stare", "la salto"],
}


def _difference(row: dict[str, Any]) -> str | None:
    reply = classify_reply(row["text"], row["lang"])
    if (reply.kind, reply.minutes, reply.until) == (row["expect"], row.get("minutes"), row.get("until")):
        return None
    return f"{row['lang']}: {row['text']!r} became {reply}, not {row['expect']}"


def test_replies_are_read_as_meant() -> None:
    assert [difference for row in _ROWS if (difference := _difference(row))] == []
    counts = Counter(row["lang"] for row in _ROWS)
    assert set(counts) == set(LANGUAGES)
    assert min(counts.values()) >= 60


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_doubt_in_a_claim_leaves_no_claim(lang: str) -> None:
    texts = []
    for claim in (row["text"] for row in _CLAIMS if row["lang"] == lang):
        words = claim.split()
        texts += [f"{claim}?", f"¿{claim}", f"{claim} ?!"]
        for doubt in (*NEGATIONS[lang], *_DOUBTS[lang]):
            said = [" ".join([*words[:place], doubt, *words[place:]]) for place in range(len(words) + 1)]
            texts += [text for text in said if not answers_no(text, doubt)]
    assert len(texts) > 500
    assert [text for text in texts if classify_reply(text, lang).kind is ReplyKind.ACK] == []


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_forbidden_dismissal_is_none(lang: str) -> None:
    assert [order for order in _ORDERS[lang] if classify_reply(order, lang).kind is not ReplyKind.DISMISS] == []
    texts = [f"{forbid} {text}" for text in _ORDERS[lang] for forbid in _FORBIDS[lang]]
    assert [text for text in texts if classify_reply(text, lang).kind is ReplyKind.DISMISS] == []


def test_an_excuse_beside_a_plain_not_yet_is_let_pass_but_never_beside_a_claim() -> None:
    assert classify_reply("not yet, the baby is crying", "en").kind is ReplyKind.SNOOZE
    assert classify_reply("the baby is crying, not now", "en").kind is ReplyKind.SNOOZE
    assert classify_reply("estoy lavando el coche", "es").kind is ReplyKind.SNOOZE
    for text in ("done, the baby is crying", "the baby is not yet crying", "not yet, is the baby crying?"):
        assert classify_reply(text, "en").kind is ReplyKind.UNKNOWN
    assert classify_reply("not yet, the baby is crying").kind is ReplyKind.UNKNOWN  # whose language is not known


def test_a_slip_in_a_long_word_is_the_word_and_one_in_its_ending_is_not() -> None:
    for text, lang in (("finsihed", "en"), ("erledgit", "de"), ("termiando", "es"), ("zavrešno", "hr")):
        assert classify_reply(text, lang).kind is ReplyKind.ACK
    assert classify_reply("estoy terminando", "es").kind is not ReplyKind.ACK
    assert not is_slip("gedacht", "gemacht")  # "I thought so" is another word, and its keys do not touch
    assert not is_slip("terminando", "terminado")
    assert is_slip("genomen", "genommen")
