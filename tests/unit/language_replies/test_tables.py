"""Every reply of the tables has the meaning beside it, with its language given and without."""

from __future__ import annotations

from collections import Counter

import pytest

from duly.language.replies import ReplyKind, classify_reply
from tests.unit.language_replies.tables_of_replies import LANGUAGES, Case, given_cases, own_cases

_TOLD = pytest.mark.parametrize("told", [True, False], ids=["told", "guessed"])


def _wrong(case: Case, *, told: bool) -> str | None:
    """Return the difference between a case and its reading, if there is one."""
    reply = classify_reply(case.text, case.lang if told else None)
    if reply.kind in case.also:
        return None
    if (reply.kind, reply.minutes, reply.until) == (case.kind, case.minutes, case.until):
        return None
    return f"{case.text!r} became {reply}"


@_TOLD
@pytest.mark.parametrize("kind", list(ReplyKind))
@pytest.mark.parametrize("lang", LANGUAGES)
def test_replies_are_understood(lang: str, kind: ReplyKind, told: bool) -> None:
    cases = [case for case in own_cases() if (case.lang, case.kind) == (lang, kind)]
    assert len(cases) >= 15
    assert [wrong for case in cases if (wrong := _wrong(case, told=told))] == []


@_TOLD
@pytest.mark.parametrize("lang", LANGUAGES)
def test_given_replies_are_understood(lang: str, told: bool) -> None:
    cases = [case for case in given_cases() if case.lang == lang]
    assert cases
    assert [wrong for case in cases if (wrong := _wrong(case, told=told))] == []


def test_no_reply_stands_twice_with_different_meanings() -> None:
    meanings = Counter((case.lang, case.text) for case in own_cases())
    assert [text for text, count in meanings.items() if count > 1] == []
