"""Statements and schema changes live in `.sql` files; this module reads them.

Each statement has a name and a line of purpose. Those in `crud/queries` are written once for both databases:

- a value is `:name`, which PostgreSQL's driver wants as `%(name)s`;
- a value may be cast, `:name::text`, which only PostgreSQL needs;
- a list is `= ANY(:name)` or `<> ALL(:name)`, which SQLite reads from a JSON text.

What several statements of a folder have in common is a part, `-- part: NAME`, which a statement names as `{NAME}`. Of a
part that lists columns, `{NAME: @ = ?}` writes each column in place of the @; `{NAME but id: …}` leaves one out.
"""

from __future__ import annotations

import re
from functools import cache
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace

_HEADER = re.compile(r"^-- (name|part): (\w+)\n(?:--[^\n]*\n)+", re.MULTILINE)
_PART = re.compile(r"\{(?P<part>\w+)(?: but (?P<but>\w+))?(?:: (?P<each>[^}]+))?\}")
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
    """Read the named statements of one folder, as they are written, with the parts that they name."""
    found: dict[str, dict[str, str]] = {"name": {}, "part": {}}
    for file in _folder(folder, "queries").iterdir():
        _before, *pieces = _HEADER.split(file.read_text(encoding="utf-8"))
        for kind, name, text in zip(pieces[::3], pieces[1::3], pieces[2::3], strict=True):
            if name in found[kind]:
                raise ValueError(f"{folder} has two {'statements' if kind == 'name' else 'parts'} named {name}")
            found[kind][name] = text.strip().rstrip(";")
    parts = found["part"]
    return {name: _PART.sub(lambda use: _used(use, parts), text) for name, text in found["name"].items()}


def _used(use: re.Match[str], parts: dict[str, str]) -> str:
    """Give the text of a part where a statement names it."""
    if use["part"] not in parts:
        raise ValueError(f"there is no part named {use['part']}")
    text = parts[use["part"]]
    if use["each"] is None:
        return text
    columns = [each.strip() for each in text.split(",")]
    return ", ".join(use["each"].replace("@", each) for each in columns if each != use["but"])


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
