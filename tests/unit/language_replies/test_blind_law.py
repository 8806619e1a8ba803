"""Replies that were written from the law alone, half of them no claim about the reminder, several with two waiting.

First runs: of four sets of 200, no reply ended or dropped a reminder wrongly. Of the rows that are clear, 186, 161, 162
and 165 of 191, 181, 189 and 177 were answered without a question back; promises and reasons are taken for "later" at
times. Set 5, of 70: two ended a reminder wrongly, each with a relative behind the deed; 61 of 66 clear ones were read.
Set 6, of 200: none ended or dropped a reminder wrongly; 181 of 193. Set 7, of 100: none; 84 of 99, for
words of hanging, fetching and taking out were missing. Set 8, of 100: one ended a pill for the blood pressure wrongly,
with an aspirin; 85 of 96. Set 9, of 100: none; 86 of 89. Set 10, of 100: none; 86 of 97, for bare
deeds ("locked") and refusals with a reason were missing. Set 11, of 200: none ended or dropped a reminder wrongly; 76
of 96, for what stands beside a claim ("with toast", "appointment is next Tuesday") was not read. Set 12, of 200: none
(in eight rows, by their note, another reminder waits that the reply names: it is that one that ends, as the law wants
and as sets 8 and 9 mark it); 61 of 81, for numbers of the reminder ("two puffs done") and returns from a walk were not
read. Sets 10 to 12 were written by those who had read the law only.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from duly.language.replies import Reply, classify_reply
from duly.service.reminders.choosing import chosen

DATA = Path(__file__).parents[2] / "data"
_EVERY = {
    "once": None,
    "8 hours": timedelta(hours=8),
    "12 hours": timedelta(hours=12),
    "day": timedelta(days=1),
    "week": timedelta(weeks=1),
    "month": timedelta(days=30),
}
_LEAST_ANSWERED = 0.85
_OF_ANOTHER = "other reminder that waits"
"""The note of a row whose reply names the other reminder."""


@pytest.mark.parametrize("number", [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])
def test_no_reply_ends_or_drops_a_reminder_wrongly(number: int) -> None:
    rows = json.loads((DATA / f"blind_law_replies_{number}.json").read_text(encoding="utf-8"))
    wrong = [(row["about"], row["text"]) for row in rows if _kind(row) in {"ack", "dismiss", "other"} - _wanted(row)]
    assert wrong == []
    clear = [row for row in rows if row["mark"] == "clear"]
    assert sum(_kind(row) in row["want"] for row in clear) >= _LEAST_ANSWERED * len(clear)


def _wanted(row: Mapping[str, Any]) -> set[str]:
    return {*row["want"], *(["other"] if _OF_ANOTHER in row["note"] else [])}


def _kind(row: Mapping[str, Any]) -> str:
    """What the reply does to the reminder; `other` if it ends another one that waits."""
    readings = [_read(row, row["about"], row["ack_prompt"]), *(_read(row, each) for each in row["also_waiting"])]
    if len(readings) == 1:
        return str(readings[0].kind)
    places = chosen(readings)
    if len(places) != 1 or readings[places[0]].kind == "unknown":
        return "unknown"
    return str(readings[0].kind) if places == [0] else "other"


def _read(row: Mapping[str, Any], about: str, question: str | None = None) -> Reply:
    fired, now = (datetime.fromisoformat(f"{row[name]}:00+01:00") for name in ("fired", "now"))
    return classify_reply(
        row["text"], row["lang"], about=f"{about}\n{question or ''}", fired=fired, now=now, every=_EVERY[row["every"]]
    )
