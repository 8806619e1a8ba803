"""Tables of phrases with their meanings: read them and compare answers with them."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Any

from duly.errors import PhraseError
from duly.phrases import parse

DATA = Path(__file__).parents[2] / "data"
Case = dict[str, Any]


def cases(name: str) -> list[Case]:
    """The cases of a table."""
    found: list[Case] = json.loads((DATA / name).read_text(encoding="utf-8"))
    return found


def answer(case: Case, lang: str | None) -> dict[str, Any]:
    """Read a phrase and return its meaning in the form of the table."""
    try:
        phrase = parse(case["phrase"], now=datetime.fromisoformat(case["now"]), tz=case["tz"], lang=lang)
    except PhraseError:
        return {"kind": "error"}
    return phrase.canonical()


def comparable(meaning: dict[str, Any]) -> dict[str, Any]:
    """Instants as instants, rules in any order, reasons left out."""
    kept = {key: value for key, value in meaning.items() if key != "reason"}
    if "at" in kept:
        kept["at"] = datetime.fromisoformat(kept["at"]).timestamp()
    if "rules" in kept:
        kept["rules"] = sorted(kept["rules"], key=lambda rule: json.dumps(rule, sort_keys=True))
    return kept
