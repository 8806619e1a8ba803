"""Phrases of our own, over a thousand: every way of saying a time that the grammar is meant to know."""

from __future__ import annotations

import pytest

from tests.unit.phrases.own import own_cases
from tests.unit.phrases.table import Case, answer, comparable

OWN = list(own_cases())


@pytest.mark.parametrize("lang", sorted({case["lang"] for case in OWN}))
def test_every_phrase_means_what_is_written_beside_it(lang: str) -> None:
    wrong = [
        (case["phrase"], case["expect"], got)
        for case in OWN
        if case["lang"] == lang and comparable(got := answer(case, lang)) != comparable(case["expect"])
    ]
    assert not wrong


def _other_reading(case: Case) -> str:
    return str(answer(case, None)["kind"])


def test_without_a_language_nothing_that_recurs_happens_once() -> None:
    recurring = [case for case in OWN if case["expect"]["kind"] not in ("at", "error")]
    assert not [case["phrase"] for case in recurring if _other_reading(case) == "at"]


def test_there_are_enough_of_them() -> None:
    assert len(OWN) > 1000
    assert len({(case["phrase"], case["lang"]) for case in OWN}) == len(OWN)
