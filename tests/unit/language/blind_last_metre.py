"""The blind set of the last metre: phrases and replies as people type them, graded against what their writer meant.

The writer had not seen the grammar. Run as a script (`python -m tests.unit.language.blind_last_metre`) it prints the
figures and what went wrong.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from duly.errors import PhraseError
from duly.phrases import classify_reply, parse

DATA = Path(__file__).parents[2] / "data"
FIRST = "blind_last_metre.json"
RIGHT = "right"
REFUSED = "refused wrongly"
ACCEPTED = "accepted wrongly"
FALSE_ACK = "false ack"
FALSE_DISMISSAL = "false dismissal"
OTHERWISE = "read otherwise"
Row = dict[str, Any]


class Graded(NamedTuple):
    """A row of the set, how it was read, and how that compares."""

    row: Row
    got: str
    grade: str


@cache
def blind_set(name: str = FIRST) -> dict[str, Any]:
    """The set as it was written."""
    found: dict[str, Any] = json.loads((DATA / name).read_text(encoding="utf-8"))
    return found


def graded_phrases(name: str = FIRST) -> list[Graded]:
    """Every phrase, read by a person of its language."""
    said = blind_set(name)
    now = datetime.fromisoformat(said["now"])
    return [_grade_phrase(row, now, said["zone"]) for row in said["phrases"]]


def _grade_phrase(row: Row, now: datetime, zone: str) -> Graded:
    try:
        phrase = parse(row["text"], now=now, tz=zone, prefer=row["lang"])
    except PhraseError as error:
        return Graded(row, str(error), RIGHT if row["kind"] == "refuse" else REFUSED)
    canonical = phrase.canonical()
    if row["kind"] == "refuse":
        return Graded(row, str(canonical), ACCEPTED)
    if row["kind"] == "once":
        wanted = [datetime.fromisoformat(each) for each in (row["expect"], row.get("or")) if each]
        right = canonical["kind"] == "at" and datetime.fromisoformat(canonical["at"]) in wanted
    else:
        right = _plain(canonical) == _wanted(row["expect"]["rule"], now, zone)
    return Graded(row, str(canonical), RIGHT if right else ACCEPTED)


def _plain(canonical: Row) -> Row:
    """A meaning without the distinction between one rule and several."""
    rules = canonical.get("rules")
    return rules[0] if rules is not None and len(rules) == 1 else canonical


def _wanted(rule: Row, now: datetime, zone: str) -> Row:
    """What the writer meant, as `canonical` says it."""
    if "daily" in rule:
        return {"kind": "daily", "times": rule["daily"]}
    if "weekly" in rule:
        return {"kind": "weekly", "days": rule["weekly"], "times": rule["times"]}
    if "every_minutes" in rule:
        return {"kind": "every", "seconds": rule["every_minutes"] * 60}
    if "monthly_day" in rule:
        return {"monthday": rule["monthly_day"], "times": rule["times"]}
    minute, hour, day, month, _ = rule["cron"].split()
    return {"month": int(month), "monthday": int(day), "times": [f"{int(hour):02}:{int(minute):02}"]}


def graded_replies(name: str = FIRST) -> list[Graded]:
    """Every reply, read by a person of its language."""
    return [_grade_reply(row) for row in blind_set(name)["replies"]]


def _grade_reply(row: Row) -> Graded:
    reply = classify_reply(row["text"], row["lang"])
    got = f"{reply.kind} {reply.minutes or reply.until or ''}".rstrip()
    if reply.kind in (row["expect"], row.get("or")) and ("minutes" not in row or reply.minutes == row["minutes"]):
        return Graded(row, got, RIGHT)
    wrong = {"ack": FALSE_ACK, "dismiss": FALSE_DISMISSAL, "unknown": REFUSED}
    return Graded(row, got, wrong.get(reply.kind, OTHERWISE))


def figures(graded: list[Graded]) -> str:
    """The grades for each language and for all of them, as lines."""
    lines = []
    for lang in (*dict.fromkeys(each.row["lang"] for each in graded), "all"):
        of_it = [each for each in graded if lang in (each.row["lang"], "all")]
        counts = Counter(each.grade for each in of_it)
        others = ", ".join(f"{count} {grade}" for grade, count in counts.items() if grade != RIGHT)
        lines.append(f"{lang}: {counts[RIGHT]} of {len(of_it)} right{', ' + others if others else ''}")
    return "\n".join(lines)


def main(name: str) -> None:
    """Print the figures and what went wrong."""
    for title, graded in (("phrases", graded_phrases(name)), ("replies", graded_replies(name))):
        print(f"{title}\n{figures(graded)}\n")
        for each in graded:
            if each.grade != RIGHT:
                wanted = each.row["expect"]
                print(f"  {each.grade}: {each.row['lang']} {each.row['text']!r} wanted {wanted}, got {each.got}")
        print()


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else FIRST)
