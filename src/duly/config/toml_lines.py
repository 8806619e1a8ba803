"""The lines on which settings stand in a file. `tomllib` gives values without positions, so the text is scanned here.

The scan knows headers, keys with quotes and dots, and values of several lines. For a key that it does not find, such as
one in an inline table, it gives the line of the table around it.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Iterator

_PART = r"""[A-Za-z0-9_-]+|"(?:\\.|[^"\\])*"|'[^']*'"""
_KEY = re.compile(rf"\s*((?:{_PART})(?:\s*\.\s*(?:{_PART}))*)\s*")
_PARTS = re.compile(_PART)
_LAST = re.compile(r"(\.[^.\[\]]*|\[\d+\])$")
_QUOTES = ('"""', "'''", '"', "'")


def find_line(text: str, key: str) -> int | None:
    """Find the line of a key such as `butler.schedule[2].cron`, else of the table around it; None without both.

    A name that contains dots stands in a key without quotes: keys are taken as errors spell them.
    """
    lines = dict[str, int]()
    for name, number in _keys(text):
        lines.setdefault(name, number)
    while key not in lines and _LAST.search(key):
        key = _LAST.sub("", key)
    inside = (number for name, number in lines.items() if name.startswith((f"{key}.", f"{key}[")))
    return lines.get(key, next(inside, None))  # a table without a header: its first key


def first_key(text: str, sentence: str) -> str | None:
    """Find the longest key of a file that a sentence begins with."""
    names = [name for name, _ in _keys(text) if re.match(rf"{re.escape(name)}(?![\w-])", sentence)]
    return max(names, key=len, default=None)


def _keys(text: str) -> Iterator[tuple[str, int]]:
    """Give every table and key with its line, counted from 1."""
    table = ""
    counts = Counter[str]()
    scan = _ValueScan()
    for number, line in enumerate(text.split("\n"), start=1):
        if scan.goes_on:
            scan.feed(line)
            continue
        stripped = line.strip()
        if stripped.startswith("[") and (found := _KEY.match(stripped.lstrip("["))) is not None:
            table = _table(_PARTS.findall(found[1]), counts, repeated=stripped.startswith("[["))
            yield table, number
        elif (found := _KEY.match(line)) is not None and line[found.end() : found.end() + 1] == "=":
            name = table
            for part in _PARTS.findall(found[1]):
                name = f"{name}.{_plain(part)}" if name else _plain(part)
                yield name, number
            scan.feed(line[found.end() + 1 :])


def _table(parts: list[str], counts: Counter[str], *, repeated: bool) -> str:
    """Give the name of a table; a table of a `[[list]]`, and each table inside it, has its number in the name."""
    name = ""
    for index, part in enumerate(parts):
        name = f"{name}.{_plain(part)}" if name else _plain(part)
        if repeated and index == len(parts) - 1:
            counts[name] += 1
        if counts[name]:
            name = f"{name}[{counts[name] - 1}]"
    return name


def _plain(part: str) -> str:
    if part[0] not in "\"'":
        return part
    try:
        return str(tomllib.loads(f"key = {part}")["key"])
    except tomllib.TOMLDecodeError:
        return part[1:-1]


class _ValueScan:
    """Follows a value over several lines: through strings and comments, until every bracket is closed."""

    def __init__(self) -> None:
        self._quote = ""
        self._depth = 0

    @property
    def goes_on(self) -> bool:
        return self._depth > 0 or len(self._quote) == 3

    def feed(self, line: str) -> None:
        if len(self._quote) == 1:  # TOML ends a single-line string at the end of the line
            self._quote = ""
        at = 0
        while at < len(line):
            at = self._in_string(line, at) if self._quote else self._outside(line, at)

    def _in_string(self, line: str, at: int) -> int:
        if line[at] == "\\" and self._quote[0] == '"':
            return at + 2
        if line.startswith(self._quote, at):
            at += len(self._quote)
            self._quote = ""
            return at
        return at + 1

    def _outside(self, line: str, at: int) -> int:
        if line[at] == "#":
            return len(line)
        for quote in _QUOTES:
            if line.startswith(quote, at):
                self._quote = quote
                return at + len(quote)
        self._depth += {"[": 1, "{": 1, "]": -1, "}": -1}.get(line[at], 0)
        return at + 1
