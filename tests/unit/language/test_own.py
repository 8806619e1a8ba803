"""Phrases of our own, over a thousand: every way of saying a time that the grammar is meant to know."""

from __future__ import annotations

import pytest

from tests.unit.language.own import own_cases
from tests.unit.language.table import answer, comparable

OWN = list(own_cases())
LENGTHS = ("2h", "1h30")
"""Without a language they are lengths, as the English read them; elsewhere they may be hours as well."""


@pytest.mark.parametrize("lang", sorted({case["lang"] for case in OWN}))
def test_every_phrase_means_what_is_written_beside_it(lang: str) -> None:
    wrong = [
        (case["phrase"], case["expect"], got)
        for case in OWN
        if case["lang"] == lang and comparable(got := answer(case, lang)) != comparable(case["expect"])
    ]
    assert not wrong


def test_without_a_language_a_phrase_means_the_same_or_is_refused() -> None:
    refused = []
    for case in OWN:
        got = answer(case, None)
        if comparable(got) != comparable(case["expect"]) and case["phrase"] not in LENGTHS:
            assert got["kind"] == "error", case["phrase"]
            refused.append(case["phrase"])
    assert len(refused) < 15, refused  # "alle 2h" is a rhythm in German and an hour in Italian, "9h" is two things


def test_each_language_has_enough_phrases() -> None:
    assert len(OWN) > 1000
    assert len({(case["phrase"], case["lang"]) for case in OWN}) == len(OWN)
