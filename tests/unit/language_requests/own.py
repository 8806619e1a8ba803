"""Own chat sentences as people type them, each with what it means; a table for every language in `tests/data`.

Run as a script (`python -m tests.unit.language_requests.own`) it prints the figures and what went wrong.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from pathlib import Path
from typing import NamedTuple

from duly.language.requests import Request, read_request
from duly.language.text import fold
from duly.phrases import Phrase
from tests.unit.language_requests.reading import NOW, ZONE, shown

TABLE = Path(__file__).parents[2] / "data" / "own_chat_sentences.txt"
_SECTION = re.compile(r"\[(\w+) (\w+)\]")
RIGHT = "right"
ASKED = "refused or asked back"
WRONG = "wrong"


class OwnRow(NamedTuple):
    """A sentence and what it means."""

    lang: str
    part: str
    text: str
    meaning: str


@cache
def own_rows() -> tuple[OwnRow, ...]:
    """Every sentence of the table."""
    found: list[OwnRow] = []
    lang = part = ""
    for line in TABLE.read_text(encoding="utf-8").splitlines():
        if section := _SECTION.fullmatch(line):
            lang, part = section.groups()
        elif line and not line.startswith("#"):
            text, _, meaning = line.rpartition(" = ")
            found.append(OwnRow(lang, part, text, meaning))
    return tuple(found)


def grade(row: OwnRow) -> tuple[str, str]:
    """Read a sentence; give its grade and what was understood."""
    found = read_request(row.text, now=NOW, zone=ZONE, prefer=row.lang)
    got = _short(found)
    if _same(row.meaning, got):
        return RIGHT, got
    return (ASKED if got == "none" or got.endswith(" @ None") else WRONG), got


def _short(request: Request | None) -> str:
    phrase = getattr(request, "phrase", None)
    said = shown(request)
    return f"{said.partition(' @ ')[0]} @ {_time(phrase)}" if isinstance(phrase, Phrase) else said


def _time(phrase: Phrase) -> str:
    canonical = phrase.canonical()
    rules = canonical.get("rules", [])
    if canonical["kind"] == "at":
        return str(canonical["at"])[:16]
    if canonical["kind"] == "every":
        return f"every {canonical['seconds']}"
    if len(rules) == 1 and "monthday" in rules[0]:
        return f"monthday {rules[0]['monthday']} {','.join(rules[0]['times'])}"
    times = ",".join(canonical.get("times", []))
    return f"weekly {','.join(canonical['days'])} {times}" if "days" in canonical else f"{canonical['kind']} {times}"


def _same(meaning: str, got: str) -> bool:
    mark = next((mark for mark in (" @ ", " until ") if mark in meaning), " by ")
    wanted, _, time = meaning.partition(mark)
    have, _, at = got.partition(mark)
    do, _, target = wanted.partition(" ")
    done, _, name = have.partition(" ")
    exact = do == "list" or target == "*"
    named = target == name if exact else fold(target) in fold(name) and (bool(target) or not name)
    return do == done and named and _full(time) == at


def _full(time: str) -> str:
    """Write a time of the table as `shown` writes it."""
    moment = re.fullmatch(r"(?:(\d\d)-)?(\d\d) (\d\d:\d\d)", time)
    return f"2026-{moment[1] or '11'}-{moment[2]}T{moment[3]}" if moment else time


def main() -> None:
    """Print the figures and what went wrong."""
    counts: dict[tuple[str, str], Counter[str]] = {}
    for row in own_rows():
        judged, got = grade(row)
        counts.setdefault((row.lang, row.part), Counter())[judged] += 1
        if judged != RIGHT:
            print(f"{judged}: {row.lang} {row.text!r} wanted {row.meaning}, got {got}")
    for (lang, part), each in counts.items():
        print(f"{lang} {part}: {each[RIGHT]} of {each.total()} right, {each[WRONG]} wrong")


if __name__ == "__main__":
    main()
