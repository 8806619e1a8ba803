"""Phrases written after the table and its rules of reading alone, by someone who had not seen the grammar.

Those marked "informed" came later, from someone who had: they hold what was repaired and measure nothing. What is
marked "debatable" is not graded, and some of it was marked only after it had been read otherwise.
"""

from __future__ import annotations

from collections import Counter

import pytest

from tests.unit.language.table import Case, answer, cases, comparable

TABLE = cases("blind_time_phrases.json")
CERTAIN = [case for case in TABLE if not case.get("debatable")]
ENOUGH = 0.97
LANGUAGES = ("de", "en", "es", "fr", "hr", "it", "sr")
CATEGORIES = ("absolute", "dayref", "dst", "recurring", "reject", "relative", "smart")
RECURRING = ("every", "daily", "weekly", "smart")
Graded = list[tuple[Case, dict[str, object]]]


@pytest.fixture(scope="module", params=[True, False], ids=["language given", "language unknown"])
def graded(request: pytest.FixtureRequest) -> Graded:
    return [(case, answer(case, case["lang"] if request.param else None)) for case in CERTAIN]


def _wrong(graded: Graded, **wanted: str) -> tuple[list[str], int]:
    """The phrases that are read otherwise among those wanted, and how many are."""
    chosen = [(case, got) for case, got in graded if all(case[key] == value for key, value in wanted.items())]
    return [case["phrase"] for case, got in chosen if comparable(got) != comparable(case["expect"])], len(chosen)


def test_every_language_and_category_is_represented() -> None:
    assert len(CERTAIN) > 3000
    assert all(Counter(case["lang"] for case in CERTAIN)[lang] > 150 for lang in LANGUAGES)
    assert all(Counter(case["category"] for case in CERTAIN)[category] > 20 for category in CATEGORIES)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_each_language_reads_nearly_all_blind_phrases(graded: Graded, lang: str) -> None:
    wrong, count = _wrong(graded, lang=lang)
    assert len(wrong) <= (1 - ENOUGH) * count, wrong


@pytest.mark.parametrize("category", CATEGORIES)
def test_each_category_of_blind_phrases_is_read(graded: Graded, category: str) -> None:
    wrong, count = _wrong(graded, category=category)
    assert len(wrong) <= (1 - ENOUGH) * count, wrong


def test_a_recurring_phrase_is_never_read_as_one_moment(graded: Graded) -> None:
    assert not [case["phrase"] for case, got in graded if case["expect"]["kind"] in RECURRING and got["kind"] == "at"]


def test_phrases_to_be_refused_are_refused(graded: Graded) -> None:
    assert not [case["phrase"] for case, got in graded if case["expect"]["kind"] == "error" and got["kind"] != "error"]
