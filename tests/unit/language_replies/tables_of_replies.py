"""Reads the tables of replies and their meanings beside this file."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

LANGUAGES = ("de", "en", "es", "fr", "hr", "it", "sr")
TABLES = Path(__file__).parent / "tables"
_LINE = re.compile(r'(?P<kind>\w+)(?: (?P<minutes>\d+)| "(?P<until>.+?)")? \|(?: (?P<text>.*))?')


class Case(NamedTuple):
    """A reply and its expected meaning."""

    lang: str
    text: str
    kind: str
    minutes: int | None
    until: str | None
    also: tuple[str, ...] = ()


@cache
def own_cases() -> list[Case]:
    """The lines of `en.txt` and its siblings: `class [minutes or "until"] | reply`."""
    return [
        _case(path.stem, line)
        for path in sorted(TABLES.glob("*.txt"))
        for line in path.read_text(encoding="utf-8").splitlines()
        if not line.startswith("#")
    ]


@cache
def given_cases() -> list[Case]:
    """The replies of `replies.json`; some have a second answer that is as good."""
    records = json.loads((TABLES / "replies.json").read_text(encoding="utf-8"))
    return [
        Case(
            record["lang"],
            record["text"],
            record["expect"]["class"],
            record["expect"]["minutes"],
            None,
            tuple(record["expect"].get("also", ())),
        )
        for record in records
    ]


def _case(lang: str, line: str) -> Case:
    match = _LINE.fullmatch(line)
    assert match, f"{lang}: {line!r} is no case"
    minutes = match["minutes"]
    return Case(lang, match["text"] or "", match["kind"], int(minutes) if minutes else None, match["until"])
