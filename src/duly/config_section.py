"""Read one section of the configuration, key by key.

Every reader of a table of `duly.toml` uses this: the settings, the channels and the spawners. A fault is a
`ConfigError` that names the key, the value and what to write instead; `config.reading` adds the file and the line.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import timedelta
from itertools import takewhile
from pathlib import Path
from typing import Any

from duly.errors import ConfigError, DulyError
from duly.model.checks import Choice, is_unknown, seconds_in
from duly.sealed import scripts_of

_TEXT = r"(?=.*\S)[^\0]+"
_BARE_KEY = re.compile(r"[\w-]+", re.ASCII)


class ConfigSection:
    """One table under its path. Ask for every key you know, then call `finish`, which refuses all others.

    A getter without a default requires its key.
    """

    def __init__(self, path: str, values: Mapping[str, Any]) -> None:
        self.path = path
        self.values = values
        self._asked: set[str] = set()

    def key(self, name: str) -> str:
        """Give the whole path of a key."""
        return f"{self.path}.{name}" if self.path else name

    def fault(self, name: str, reason: str) -> ConfigError:
        """Make the error about the value of a key."""
        return ConfigError(self.key(name), reason)

    def lacking(self, name: str, reason: str) -> DulyError:
        """Make the error about a required value that is not there."""
        return self.fault(name, reason)

    def finish(self, also: Iterable[str] = (), hint: str = "") -> None:
        """Refuse keys that were not asked for; `also` are further known keys, `hint` completes the list of them."""
        known = sorted(self._asked.union(also))
        for name in self.values:
            if name not in known:
                raise self.fault(name, f"{is_unknown(name, known, self.path or 'the file')}{hint}")

    # values

    def get(self, name: str) -> Any:
        """Give a value as it is; None if the key is not there."""
        self._asked.add(name)
        return self.values.get(name)

    def checked(self, name: str, must_be: str, fits: Callable[[Any], bool], default: Any = None) -> Any:
        """Give a value that fits."""
        value = self.get(name)
        if value is None and default is None:
            raise self.lacking(name, f"is missing: it must be {must_be}")
        if value is None:
            return default
        if not fits(value):
            raise self.fault(name, f"must be {must_be}, got {value!r}")
        return value

    def text(self, name: str, default: str | None = None) -> str:
        return str(self.checked(name, "a text that is not empty", lambda value: matches(_TEXT, value), default))

    def optional_text(self, name: str) -> str | None:
        return None if self.get(name) is None else self.text(name)

    def texts(
        self, name: str, must_be: str, default: Sequence[str] | None = None, *, each: str = _TEXT, at_least: int = 0
    ) -> tuple[str, ...]:
        """Read a list of texts that match a regular expression."""

        def fits(value: Any) -> bool:
            is_list = isinstance(value, list | tuple) and len(value) >= at_least
            return is_list and all(matches(each, item) for item in value)

        return tuple(self.checked(name, must_be, fits, default))

    def whole(self, name: str, default: int | None = None, *, low: int, high: int) -> int:
        must_be = f"a whole number from {low} to {high}"
        return int(self.checked(name, must_be, lambda value: is_number(value, int) and low <= value <= high, default))

    def number(self, name: str, default: float | None = None, *, at_most: int, of: str = "a number") -> float:
        must_be = f"{of} above 0, at most {at_most}"
        return float(self.checked(name, must_be, lambda value: is_number(value) and 0 < value <= at_most, default))

    def yes_or_no(self, name: str, default: bool | None = None) -> bool:
        return bool(self.checked(name, "true or false", lambda value: isinstance(value, bool), default))

    def one_of(self, name: str, options: Iterable[str], default: str | None = None) -> str:
        names = [str(option) for option in options]
        must_be = f"one of {', '.join(map(repr, names))}"
        return str(self.checked(name, must_be, lambda value: value in names, default))

    def choice(self, name: str, kind: type[Choice], default: Choice | None = None) -> Choice:
        return kind(self.one_of(name, kind, default))

    def length(self, name: str, *, at_most: int, hint: str = "") -> timedelta:
        """Read a length of time: seconds, or text such as 30s or 1h30m."""
        value = self.get(name)
        seconds = seconds_in(value)
        if seconds is None or not 0 <= seconds <= at_most:
            raise self.fault(name, f'must be seconds or text such as "30s" or "5m"{hint}, got {value!r}')
        return timedelta(seconds=seconds)

    def reference(self, name: str) -> str | None:
        """Read where a secret is, without reading the secret; the error does not repeat what may be one."""
        value = self.get(name)
        if value is not None and not matches(r"(env|file):[^\0]+", value):
            raise self.fault(name, 'must be "env:NAME" or "file:PATH", never the secret itself')
        return None if value is None else str(value)

    # tables

    def table(self, name: str) -> ConfigSection:
        """Give the table under a key; without one, an empty table."""
        value = self.get(name)
        if value is not None and not isinstance(value, Mapping):
            written = name if _BARE_KEY.fullmatch(name) else f'"{name}"'
            place = f"{self.path}.{written}" if self.path else written
            raise self.fault(name, f"must be a table, [{place}], got {value!r}")
        return ConfigSection(self.key(name), value or {})

    def tables(self, name: str) -> dict[str, ConfigSection]:
        """Give the tables in the table under a key, by their names."""
        around = self.table(name)
        return {each: around.table(each) for each in around.values}


def located_program(word: str, folder: Path | None) -> str:
    """Give a program that is named by a relative path as one from the folder of the file; other names as they are."""
    is_relative = "/" in word and not word.startswith("/") and folder is not None
    return os.path.normpath(folder / Path(word).expanduser()) if is_relative and folder is not None else word


def located_command(words: Sequence[Any], folder: Path | None) -> tuple[Any, ...]:
    """Give a command with its program, and the script of an interpreter, from the folder of the file.

    Words that are lists, as templates have, and words with a blank to fill in stay as they are.
    """
    if folder is None:
        return tuple(words)
    plain = list(takewhile(lambda word: isinstance(word, str) and "{" not in word, words))
    scripts = scripts_of(plain, folder)
    located = (located_program(word, folder) if n == 0 else scripts.get(n, word) for n, word in enumerate(plain))
    return (*located, *words[len(plain) :])


def matches(pattern: str, value: object) -> bool:
    """Tell whether a value is a text of which a regular expression describes the whole."""
    return isinstance(value, str) and re.fullmatch(pattern, value, re.DOTALL) is not None


def is_number(value: object, kind: type[int | float] = float) -> bool:
    """Tell whether a value is a number, or with `int` a whole number; True would count as 1."""
    return isinstance(value, (int, kind)) and not isinstance(value, bool)
