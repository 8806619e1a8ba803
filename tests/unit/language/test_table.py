"""The table of phrases: nearly all of them as written, none that recurs as a single moment, no refusal overruled."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.unit.language.table import Case, answer, cases, comparable

TABLE = cases("time_phrases.json")
ENOUGH = 0.97
RECURRING = ("every", "daily", "weekly", "smart")


@pytest.fixture(scope="module", params=[True, False], ids=["language given", "language unknown"])
def graded(request: pytest.FixtureRequest) -> list[tuple[Case, dict[str, object]]]:
    return [(case, answer(case, case["lang"] if request.param else None)) for case in TABLE]


def test_the_table_is_complete() -> None:
    assert Counter(case["lang"] for case in TABLE) == {
        "en": 73,
        "de": 34,
        "hr": 34,
        "fr": 23,
        "es": 22,
        "it": 22,
        "sr": 11,
    }


def test_phrases_have_the_meaning_of_the_table(graded: list[tuple[Case, dict[str, object]]]) -> None:
    wrong = [
        (case["phrase"], case["expect"], got) for case, got in graded if comparable(got) != comparable(case["expect"])
    ]
    assert len(wrong) <= (1 - ENOUGH) * len(TABLE), wrong


def test_a_recurring_phrase_is_never_read_as_one_moment(graded: list[tuple[Case, dict[str, object]]]) -> None:
    assert not [case["phrase"] for case, got in graded if case["expect"]["kind"] in RECURRING and got["kind"] == "at"]


def test_phrases_to_be_refused_are_refused(graded: list[tuple[Case, dict[str, object]]]) -> None:
    assert not [case["phrase"] for case, got in graded if case["expect"]["kind"] == "error" and got["kind"] != "error"]
