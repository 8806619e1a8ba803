"""Properties of every phrase, sensible or not."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from duly.errors import PhraseError
from duly.language.languages import LANGUAGES
from duly.phrases import Phrase, describe, parse
from duly.recurrence import DayInterval, Once, trigger_from_dict
from tests.support import tries
from tests.unit.language.own import own_cases
from tests.unit.language.strategies import languages, moments, sentences, soups, spoilt, zones

OWN = [case for case in own_cases() if case["expect"]["kind"] != "error"]


def read(text: str, lang: str | None, now: datetime, tz: str) -> Phrase | None:
    try:
        return parse(text, now=now, tz=tz, lang=lang)
    except PhraseError:
        return None


def check_law(phrase: Phrase, now: datetime, tz: str) -> None:
    """Check that a phrase, said by `describe` in any language, is read as the same."""
    for lang in LANGUAGES:
        words = describe(phrase.trigger, lang, tz=tz, now=now)
        again = parse(words, now=now, tz=tz, lang=lang)
        assert again.trigger == phrase.trigger, words
        if not is_said_at_its_own_time(phrase, now):
            assert again.canonical() == phrase.canonical(), words


def is_said_at_its_own_time(phrase: Phrase, now: datetime) -> bool:
    """Whether "every 2 days at 08:00" is said at 08:00 sharp: then "every 2 days" is the same series, and shorter."""
    if not isinstance(phrase.trigger, DayInterval) or phrase.trigger.interval == 1:
        return False
    return phrase.trigger.on_times == (phrase.zone.localize(now).time().replace(microsecond=0),)


@settings(deadline=None, max_examples=tries(150))
@given(sentences, moments, zones)
@example("every 2 days at 00:00", datetime(2026, 3, 29, tzinfo=UTC), "UTC")
@example("every 25 hours from 00:00 to 00:01 on Monday for 2 days", datetime(2026, 3, 29, tzinfo=UTC), "UTC")
@example("every 2 weeks on Sunday at 00:00 starting tomorrow", datetime(2026, 3, 29, 0, 0, 0, 1, tzinfo=UTC), "UTC")
def test_parse_understands_what_describe_says(text: str, now: datetime, tz: str) -> None:
    phrase = read(text, "en", now, tz)
    assume(phrase is not None)
    assert phrase is not None
    check_law(phrase, now, tz)


@settings(deadline=None, max_examples=tries(150))
@given(spoilt() | soups(), moments, zones)
def test_parse_understands_what_describe_says_of_any_phrase(said: tuple[str, str], now: datetime, tz: str) -> None:
    phrase = read(*said, now, tz)
    if phrase is not None:
        check_law(phrase, now, tz)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_parse_understands_what_describe_says_of_our_phrases(lang: str) -> None:
    for case in OWN:
        if case["lang"] == lang:
            now = datetime.fromisoformat(case["now"])
            check_law(parse(case["phrase"], now=now, tz=case["tz"], lang=lang), now, case["tz"])


@settings(deadline=None, max_examples=tries(300))
@given(spoilt() | soups(), moments, zones)
def test_a_phrase_fires_in_the_future_and_survives_json(said: tuple[str, str], now: datetime, tz: str) -> None:
    phrase = read(*said, now, tz)
    if phrase is None:
        return
    following = phrase.trigger.get_next_occurrence(now)
    assert following is not None
    assert following > now
    assert trigger_from_dict(phrase.trigger.to_dict()) == phrase.trigger
    assert (phrase.kind == "once") is isinstance(phrase.trigger, Once)


@settings(deadline=None, max_examples=tries(300))
@given(st.text(max_size=40) | st.text(alphabet="0123456789:.,/-hapm ", max_size=20), st.none() | languages)
def test_any_text_is_understood_or_refused(text: str, lang: str | None) -> None:
    read(text, lang, datetime(2026, 11, 15, 10, tzinfo=UTC), "Europe/Berlin")


@settings(deadline=None, max_examples=tries(200))
@given(spoilt(), moments)
def test_case_and_decomposed_letters_make_no_difference(said: tuple[str, str], now: datetime) -> None:
    from unicodedata import normalize

    text, lang = said
    plain = read(text, lang, now, "Europe/Berlin")
    for other in (text.upper(), normalize("NFD", text)):
        if other.lower() == text.lower() or normalize("NFC", other) == text:
            again = read(other, lang, now, "Europe/Berlin")
            assert (again and again.trigger) == (plain and plain.trigger), other
