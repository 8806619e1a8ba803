"""A claim ends a reminder only if it is one about it: composed replies, everyday replies, and the page of the law."""

from __future__ import annotations

import json
import random
import time
from datetime import timedelta
from pathlib import Path

import pytest

from duly.language.replies import Reply, ReplyDoubt, ReplyKind, classify_reply
from duly.language.replies.claims import fitting
from duly.language.replies.claims.fitting import WordFit
from duly.language.replies.claims.lexicon import ClaimSubject
from duly.service.reminders.choosing import chosen
from tests.support import EXPLORING, PROFILE
from tests.unit.language_replies.composing import EVERY, FIRED, NOW, Composed, composed
from tests.unit.language_replies.tables_of_replies import LANGUAGES

EVERYDAY = json.loads((Path(__file__).parents[2] / "data" / "everyday_replies.json").read_text(encoding="utf-8"))
"""Replies that people write every day when it is done, by language and reminder."""
_COUNT = 20_000 if EXPLORING else 300 if PROFILE == "repeatable" else 60
_SEED = random.SystemRandom().getrandbits(32) if EXPLORING else 28
_PROCESSOR_TIME = 20 / len(LANGUAGES)


def _read(lang: str, text: str, about: str) -> Reply:
    return classify_reply(text, lang, about=about, fired=FIRED, now=NOW, every=EVERY)


def _wrongly_ended(lang: str, reply: Composed) -> str | None:
    """Say what a reply wrongly ended; None if it ended nothing, or what it speaks of."""
    readings = [_read(lang, reply.text, about) for about in reply.waiting]
    if any(each.kind is ReplyKind.DISMISS for each in readings):
        return f"{reply.text!r} dismisses {reply.waiting}"
    meant = chosen(readings)
    acked = [place for place in meant if readings[place].kind is ReplyKind.ACK]
    if not acked or len(meant) > 1:
        return None
    [place] = acked
    if reply.ends == place or (reply.ends == -1 and len(reply.waiting) == 1):
        return None
    return f"{reply.text!r} ends {reply.waiting[place]!r} of {list(reply.waiting)}"


def _found_wrong(lang: str, count: int, seed: int) -> list[str]:
    chance = random.Random(f"{seed}/{lang}")
    found = (_wrongly_ended(lang, composed(lang, chance)) for _ in range(count))
    return [each for each in found if each is not None]


@pytest.mark.explored
@pytest.mark.parametrize("lang", LANGUAGES)
def test_no_composed_reply_ends_a_reminder_it_is_not_about(lang: str) -> None:
    print(f"seed {_SEED}")
    began = time.process_time()
    assert _found_wrong(lang, _COUNT, _SEED) == []
    assert EXPLORING or time.process_time() - began < 10 * _PROCESSOR_TIME


@pytest.mark.explored
@pytest.mark.parametrize("lang", LANGUAGES)
def test_most_honest_composed_replies_are_taken(lang: str) -> None:
    """A law that asks about everything would keep all others."""
    chance = random.Random(f"{_SEED}/{lang}")
    honest = [each for each in (composed(lang, chance) for _ in range(_COUNT)) if each.ends is not None]
    alone = [each for each in honest if len(each.waiting) == 1]
    missed = [each.text for each in alone if _read(lang, each.text, each.waiting[0]).kind is not ReplyKind.ACK]
    assert len(alone) > len(missed)
    assert len(missed) <= 0.1 * len(alone), (len(alone), sorted(missed)[:40])


@pytest.mark.parametrize("lang", LANGUAGES)
def test_everyday_replies_are_taken_without_a_question(lang: str) -> None:
    cases = [(about, text) for about, texts in EVERYDAY[lang].items() for text in texts]
    asked = [(about, text) for about, text in cases if _read(lang, text, about).kind is not ReplyKind.ACK]
    assert len(cases) >= 60
    assert len(asked) <= 0.03 * len(cases), asked


def _any_deed(*_: object) -> bool:
    return True


@pytest.mark.parametrize("planted", ["deed", "doer", "time", "whole", "object", "newest"])
def test_a_planted_bug_is_seen(planted: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where one part of a claim is not looked at, or the newest reminder is taken, composed replies end wrong ones."""
    fitting.word_fit.cache_clear()
    names = {"doer": "_is_own", "time": "_time_fits", "whole": "_is_whole"}
    if planted in names:
        monkeypatch.setattr(fitting.ClaimReader, names[planted], _any_deed)
    elif planted == "deed":
        monkeypatch.setattr(fitting, "_deed_fits", _any_deed)
    elif planted == "object":
        compared = fitting.word_fit
        monkeypatch.setattr(
            fitting,
            "word_fit",
            lambda lexicon, subject, word: (
                compared(lexicon, subject, word) if lexicon.is_deed(word) else WordFit(fits=True, names=False)
            ),
        )
    else:
        monkeypatch.setattr(f"{__name__}.chosen", lambda readings: [0] if readings else [])
    wrong = any(_found_wrong(lang, 600, 28) for lang in LANGUAGES)
    fitting.word_fit.cache_clear() if planted == "deed" else None
    assert wrong


@pytest.mark.parametrize(
    ("lang", "about", "text", "doubt"),
    [
        ("en", "Take your medicine", "took it 3 weeks ago", ReplyDoubt.DONE),
        ("en", "Take your medicine", "mum took it", ReplyDoubt.DONE),
        ("en", "Take your medicine", "my wife took it", ReplyDoubt.DONE),
        ("en", "Take your medicine", "I've eaten", ReplyDoubt.DONE),
        ("it", "Prendi le medicine", "sono finite", ReplyDoubt.DONE),
        ("en", "Take your medicine", "took my vitamins", ReplyDoubt.DONE),
        ("en", "Take your medicine", "took it yesterday", ReplyDoubt.DONE),
        ("en", "Take your medicine", "took it at 8", ReplyDoubt.DONE),
        ("en", "Take your medicine", "took half of it", ReplyDoubt.DONE),
        ("en", "Take your medicine", "I think I took it", ReplyDoubt.DONE),
        ("en", "Take your medicine", "I don't want to", ReplyDoubt.SKIP),
        ("de", "Medizin nehmen", "keine Lust", ReplyDoubt.SKIP),
        ("hr", "popij lijek", "neću", ReplyDoubt.SKIP),
        ("it", "prendi la medicina", "non mi va", ReplyDoubt.SKIP),
        ("en", "Take your medicine", "doctor told me to stop", ReplyDoubt.SKIP),
        ("fr", "prends ton cachet", "oublie", ReplyDoubt.SKIP),
        ("es", "toma la medicina", "bien gracias", ReplyDoubt.DONE),
        ("en", "Take your medicine", "all good thanks and you", None),
        ("en", "Take your medicine", "I'm fine", None),
        ("en", "Take your medicine", "what's the weather?", None),
    ],
)
def test_what_does_not_fit_is_asked_and_claims_nothing(
    lang: str, about: str, text: str, doubt: ReplyDoubt | None
) -> None:
    reply = _read(lang, text, about)
    assert (reply.kind, reply.doubt) == (ReplyKind.UNKNOWN, doubt)


@pytest.mark.parametrize(
    ("lang", "text", "kind"),
    [
        ("en", "ok", ReplyKind.ACK),
        ("it", "tutto ok", ReplyKind.ACK),
        ("en", "all good", ReplyKind.ACK),
        ("de", "alles gut", ReplyKind.ACK),
        ("fr", "plus la peine, oublie", ReplyKind.DISMISS),
        ("en", "skip it", ReplyKind.DISMISS),
        ("en", "I'll skip it today", ReplyKind.DISMISS),
        ("en", "took it 10 minutes ago", ReplyKind.ACK),
        ("en", "took it at 20:05", ReplyKind.ACK),
        ("en", "later", ReplyKind.SNOOZE),
    ],
)
def test_plain_words_are_taken_as_before(lang: str, text: str, kind: ReplyKind) -> None:
    assert _read(lang, text, "Medizin, medicine, médicament, medicina").kind is kind


def test_a_deed_before_the_reminder_counts_for_half_the_time_since_the_last_one() -> None:
    def kind(text: str, every: timedelta | None) -> ReplyKind:
        return classify_reply(text, "en", "Take your pill", fired=FIRED, now=NOW, every=every).kind

    assert kind("took it 5 hours ago", timedelta(hours=12)) is ReplyKind.ACK
    assert kind("took it 7 hours ago", timedelta(hours=12)) is ReplyKind.UNKNOWN
    assert kind("took it 7 hours ago", None) is ReplyKind.ACK
    assert kind("took it 13 hours ago", None) is ReplyKind.UNKNOWN


@pytest.mark.parametrize(
    ("lang", "about", "text"),
    [
        ("it", "Prendi la pastiglia della pressione", "ho preso l'aspirina"),
        ("en", "Take your blood pressure pill", "took the aspirin"),
        ("de", "Blutdrucktablette nehmen", "hab das aspirin genommen"),
        ("fr", "Prends ton médicament pour la tension", "j'ai pris l'aspirine"),
        ("es", "Toma la pastilla de la tensión", "me tomé el ibuprofeno"),
        ("hr", "Popij tabletu za tlak", "popio sam aspirin"),
        ("it", "Prendi la pastiglia della pressione", "ho misurato la pressione"),
        ("hr", "Popij tabletu za tlak", "izmjerio sam tlak"),
        ("en", "Take your pill after lunch", "had lunch"),
        ("en", "Take your pill after lunch", "I've eaten"),
        ("en", "Take the pill with water", "drank the water"),
        ("es", "Toma la pastilla después de comer", "ya comí"),
    ],
)
def test_what_a_medicine_is_for_or_goes_with_is_not_what_it_is(lang: str, about: str, text: str) -> None:
    assert _read(lang, text, about).kind is not ReplyKind.ACK


@pytest.mark.parametrize(
    ("lang", "about", "text"),
    [
        ("en", "Take your medicine", "took the ramipril"),
        ("en", "Measure your blood pressure", "measured it"),
        ("en", "Take your pill after lunch", "took it after lunch"),
        ("en", "Water the plants", "the plants are watered"),
        ("de", "Blutdruck messen und Tablette nehmen", "gemessen"),
        ("de", "Stromrechnung bezahlen", "Rechnung bezahlt"),
        ("de", "Müll rausbringen", "Müll ist raus"),
        ("de", "Mit dem Hund rausgehen", "war mit ihm gassi"),
        ("hr", "Odvezi Luku na trening", "odvezla sam ga na trening"),
        ("sr", "Izbaci đubre", "izbacio sam đubre"),
        ("fr", "Promener le chien", "oui je viens de le promener"),
        ("fr", "Sortir les poubelles", "les poubelles sont sorties"),
    ],
)
def test_a_deed_that_the_reminder_asks_for_ends_it(lang: str, about: str, text: str) -> None:
    assert _read(lang, text, about).kind is ReplyKind.ACK


def test_a_reminder_is_about_its_own_words_in_any_case_and_number() -> None:
    subject = ClaimSubject(words=("tableta",), matters=frozenset(), is_taken=False)
    assert subject.names("tabletu")
    assert not subject.names("vitamine")
