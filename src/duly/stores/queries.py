"""SQL lives in `.sql` files, each statement under a name and a line of purpose; this reads them."""

from __future__ import annotations

import re
from functools import cache
from importlib import resources
from types import SimpleNamespace

_NAMED = re.compile(r"^-- name: (\w+)\n((?:--[^\n]*\n)+)(.+?)(?=^-- name:|\Z)", re.MULTILINE | re.DOTALL)
_NUMBERED = re.compile(r"(\d{4})_\w+\.sql")


@cache
def load(dialect: str) -> SimpleNamespace:
    """Every named statement of a dialect, as attributes."""
    statements: dict[str, str] = {}
    for file in (resources.files(f"duly.stores.{dialect}") / "queries").iterdir():
        for name, _purpose, statement in _NAMED.findall(file.read_text(encoding="utf-8")):
            if name in statements:
                raise ValueError(f"{dialect} has two statements named {name}")
            statements[name] = statement.strip().rstrip(";")
    return SimpleNamespace(**statements)


@cache
def migrations(dialect: str) -> tuple[tuple[int, str], ...]:
    """Numbered schema changes, in order, without gaps."""
    folder = resources.files(f"duly.stores.{dialect}") / "migrations"
    numbered = [(match, file) for file in folder.iterdir() if (match := _NUMBERED.fullmatch(file.name))]
    found = sorted((int(match[1]), file.read_text(encoding="utf-8")) for match, file in numbered)
    if [number for number, _ in found] != list(range(1, len(found) + 1)):
        raise ValueError(f"{dialect} migrations are not numbered 1, 2, 3, …: {[number for number, _ in found]}")
    return tuple(found)
