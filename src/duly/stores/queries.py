"""Statements and schema changes live in `.sql` files; this module reads them.

Each statement has a name and a line of purpose. Those in `crud/queries` are written once for both databases:

- a value is `:name`, which PostgreSQL's driver wants as `%(name)s`;
- a value may be cast, `:name::text`, which only PostgreSQL needs;
- a list is `= ANY(:name)` or `<> ALL(:name)`, which SQLite reads from a JSON text.
"""

from __future__ import annotations

import re
from functools import cache
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace

_HEADER = re.compile(r"^-- name: (\w+)\n(?:--[^\n]*\n)+", re.MULTILINE)
_NUMBERED = re.compile(r"(\d{4})_\w+\.sql")
# Texts and comments come first in the pattern, so that a colon within them is never taken for a value.
_PORTABLE = re.compile(
    r"(?P<verbatim>'[^']*'|--[^\n]*)|::(?P<cast>\w+)|(?P<list>= ANY|<> ALL)\(:(?P<items>\w+)\)|:(?P<value>\w+)"
)
_LISTS = {"= ANY": "IN", "<> ALL": "NOT IN"}


@cache
def load(dialect: str) -> SimpleNamespace:
    """Read every named statement of a dialect, the shared ones included, as attributes."""
    shared = {name: _TRANSLATIONS[dialect](statement) for name, statement in read("crud").items()}
    own = read(dialect)
    if twice := shared.keys() & own.keys():
        raise ValueError(f"{dialect} has two statements named {min(twice)}")
    return SimpleNamespace(**shared, **own)


def read(folder: str) -> dict[str, str]:
    """Read the named statements of one folder, as they are written."""
    statements: dict[str, str] = {}
    for file in _folder(folder, "queries").iterdir():
        _before, *named = _HEADER.split(file.read_text(encoding="utf-8"))
        for name, statement in zip(named[::2], named[1::2], strict=True):
            if name in statements:
                raise ValueError(f"{folder} has two statements named {name}")
            statements[name] = statement.strip().rstrip(";")
    return statements


def _folder(dialect: str, kind: str) -> Path:
    """Give a folder of a dialect. `importlib.resources` would load archives and temporary files for it, in 10 ms."""
    return Path(import_module(f"duly.stores.{dialect}").__path__[0], kind)


def for_sqlite(statement: str) -> str:
    """Translate a shared statement for SQLite. Most are the same there, which is seen sooner than by the pattern."""
    if not any(mark in statement for mark in ("::", *_LISTS)):
        return statement

    def translate(found: re.Match[str]) -> str:
        if found["cast"]:
            return ""
        if found["list"]:
            return f"{_LISTS[found['list']]} (SELECT value FROM json_each(:{found['items']}))"  # noqa: S608  of our own files
        return found[0]

    return _PORTABLE.sub(translate, statement)


def for_postgres(statement: str) -> str:
    """Translate a shared statement for the driver of PostgreSQL."""

    def translate(found: re.Match[str]) -> str:
        if found["value"]:
            return f"%({found['value']})s"
        if found["list"]:
            return f"{found['list']}(%({found['items']})s)"
        return found[0]

    return _PORTABLE.sub(translate, statement.replace("%", "%%"))


_TRANSLATIONS = {"sqlite": for_sqlite, "postgres": for_postgres}


@cache
def newest_migration(dialect: str) -> int:
    """Give the number of the last schema change, without reading any: a store is compared with it when it is opened."""
    return len(_migration_files(dialect))


@cache
def migrations(dialect: str) -> tuple[tuple[int, str], ...]:
    """Read the numbered schema changes, in order, without gaps."""
    return tuple((number, file.read_text(encoding="utf-8")) for number, file in _migration_files(dialect))


def _migration_files(dialect: str) -> list[tuple[int, Path]]:
    files = _folder(dialect, "migrations").iterdir()
    found = sorted((int(match[1]), file) for file in files if (match := _NUMBERED.fullmatch(file.name)))
    if [number for number, _ in found] != list(range(1, len(found) + 1)):
        raise ValueError(f"{dialect} migrations are not numbered 1, 2, 3, …: {[number for number, _ in found]}")
    return found
