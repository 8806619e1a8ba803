"""Every reply of the tables means what it says there, with its language named and without."""

from __future__ import annotations

from collections import Counter

import pytest

from duly.phrases.replies import ReplyKind, classify_reply
from tests.unit.phrases_replies.tables_of_replies import Case, given_cases, own_cases


def _name(case: Case) -> str:
    return f"{case.lang}: {case.text}"


@pytest.mark.parametrize("case", own_cases(), ids=_name)
@pytest.mark.parametrize("told", [True, False], ids=["told", "guessed"])
def test_a_reply_is_understood(case: Case, told: bool) -> None:
    reply = classify_reply(case.text, case.lang if told else None)
    assert (reply.kind, reply.minutes, reply.until) == (case.kind, case.minutes, case.until)


@pytest.mark.parametrize("case", given_cases(), ids=_name)
@pytest.mark.parametrize("told", [True, False], ids=["told", "guessed"])
def test_a_given_reply_is_understood(case: Case, told: bool) -> None:
    reply = classify_reply(case.text, case.lang if told else None)
    assert reply.kind in {case.kind, *case.also}
    if reply.kind is ReplyKind.SNOOZE and case.kind == "snooze":
        assert reply.minutes == case.minutes


def test_the_table_is_broad() -> None:
    """Every language has every class, and the languages are not one list translated."""
    kinds = Counter((case.lang, case.kind) for case in own_cases())
    assert len(kinds) == 7 * 4
    assert min(kinds.values()) >= 9
    assert sum(kinds.values()) > 800
