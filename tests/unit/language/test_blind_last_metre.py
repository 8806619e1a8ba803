"""The blind set of the last metre: nothing is accepted wrongly, and nearly all of it is understood.

Its first run, before any repair, read 221 of 300 phrases and 184 of 200 replies right and accepted 9 phrases wrongly.
"""

from __future__ import annotations

import pytest

from tests.unit.language.blind_last_metre import (
    ACCEPTED,
    FALSE_ACK,
    FALSE_DISMISSAL,
    RIGHT,
    Graded,
    figures,
    graded_phrases,
    graded_replies,
)

ENOUGH = 0.95


@pytest.fixture(scope="module")
def phrases() -> list[Graded]:
    return graded_phrases()


@pytest.fixture(scope="module")
def replies() -> list[Graded]:
    return graded_replies()


def test_no_phrase_is_accepted_wrongly(phrases: list[Graded]) -> None:
    assert not [each for each in phrases if each.grade == ACCEPTED]


def test_nearly_every_phrase_is_understood(phrases: list[Graded]) -> None:
    right = sum(each.grade == RIGHT for each in phrases)
    assert right >= ENOUGH * len(phrases), figures(phrases)


def test_no_reply_ends_a_question_that_it_does_not_answer(replies: list[Graded]) -> None:
    assert not [each for each in replies if each.grade in (FALSE_ACK, FALSE_DISMISSAL)]


def test_nearly_every_reply_is_understood(replies: list[Graded]) -> None:
    right = sum(each.grade == RIGHT for each in replies)
    assert right >= ENOUGH * len(replies), figures(replies)


def test_a_refusal_gives_a_reason(phrases: list[Graded]) -> None:
    refused = [each for each in phrases if each.row["kind"] == "refuse"]
    assert all(each.got.partition(" as a time: ")[2] for each in refused)
