"""Phrases of our own, in a short notation: tests/data/own_phrases.txt says how it is read."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from tests.unit.language.table import DATA, Case

NOW = datetime(2026, 11, 15, 10)  # noqa: DTZ001  # in the zone of each section


def own_cases() -> Iterator[Case]:
    """The phrases, in the form of the table."""
    lang, tz = "", ""
    for line in (DATA / "own_phrases.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            lang, tz = line.strip("[]").split()
        elif line and not line.startswith("#"):
            phrase, _, meaning = line.rpartition(" = ")
            now = NOW.replace(tzinfo=ZoneInfo(tz))
            yield {"phrase": phrase, "lang": lang, "tz": tz, "now": now.isoformat(), "expect": _expected(meaning, now)}


def _expected(meaning: str, now: datetime) -> dict[str, Any]:
    meaning, *bounds = meaning.split(" | ")
    return {**_times(meaning, now), **dict(_bound(each, now) for each in bounds)}


def _bound(bound: str, now: datetime) -> tuple[str, Any]:
    name, _, value = bound.partition(" ")
    if name == "count":
        return name, int(value)
    return name, datetime.fromisoformat(value).replace(tzinfo=now.tzinfo).isoformat()


def _times(meaning: str, now: datetime) -> dict[str, Any]:
    kind, _, rest = meaning.partition(" ")
    if kind == "no":
        return {"kind": "error"}
    if kind == "at":
        return {"kind": "at", "at": datetime.fromisoformat(rest).replace(tzinfo=now.tzinfo).isoformat()}
    if kind == "every":
        return {"kind": "every", "seconds": int(rest)}
    if kind == "daily":
        return {"kind": "daily", "times": rest.split()}
    if kind == "weekly":
        return {"kind": "weekly", **_rule(rest.split())}
    return {"kind": "smart", "rules": [_rule(rule.split()) for rule in rest.split("; ")]}


def _rule(words: list[str]) -> dict[str, Any]:
    first, *rest = words
    if first == "day":
        return {"monthday": int(rest[0]), "times": rest[1:]}
    if first == "nth":
        return {"nth": int(rest[0]), "day": rest[1], "times": rest[2:]}
    if first == "date":
        month, day = rest[0].split("-")
        return {"month": int(month), "monthday": int(day), "times": rest[1:]}
    if first.startswith("every"):
        count, unit = int(first[5:-1]), first[-1]
        if unit == "d":
            return {"every_days": count, "times": rest}
        return {f"every_{'weeks' if unit == 'w' else 'months'}": count, **_rule(rest)}
    days = first.split(",")
    if rest[0].startswith("/"):
        start, end = rest[1].split("-")
        return {"days": days, "every_seconds": int(rest[0][1:]), "from": start, "to": end}
    return {"days": days, "times": rest}
