"""One section of the configuration, read key by key; every fault names its key."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from duly.errors import ChannelNotConfiguredError, DulyError, InvalidInputError

Resolve = Callable[[str], str]
"""From `env:NAME` or `file:PATH` to the secret there."""


class Settings:
    """The section `[channels.<kind>]`. Ask for everything you know, then call `finish`."""

    def __init__(self, kind: str, values: Mapping[str, Any], resolve: Resolve) -> None:
        self._kind = kind
        self._values = values
        self._resolve = resolve
        self._asked: set[str] = set()

    def optional(self, key: str) -> str | None:
        value = self._get(key)
        if value is not None and (not isinstance(value, str) or not value.strip()):
            raise InvalidInputError(f"{self._path(key)} must be a text, got {value!r}")
        return value

    def text(self, key: str, default: str | None = None) -> str:
        value = self.optional(key)
        if value is None:
            value = default
        if value is None:
            raise ChannelNotConfiguredError(f"{self._path(key)} is missing")
        return value

    def url(self, key: str, default: str | None = None) -> str:
        value = self.text(key, default)
        if not value.startswith(("https://", "http://")):
            raise InvalidInputError(f"{self._path(key)} must begin with https:// or http://, got {value!r}")
        return value

    def optional_secret(self, key: str) -> str | None:
        reference = self._get(key)
        return None if reference is None else self._secret(self._path(key), reference)

    def secret(self, key: str) -> str:
        found = self.optional_secret(key)
        if found is None:
            raise ChannelNotConfiguredError(f'{self._path(key)} is missing: write {key} = "env:NAME" or "file:PATH"')
        return found

    def secrets(self, key: str) -> dict[str, str]:
        """A table of secrets."""
        table = self._get(key)
        if not isinstance(table, Mapping) or not table:
            raise ChannelNotConfiguredError(f"{self._path(key)} must be a table of names and secrets")
        return {str(name): self._secret(f"{self._path(key)}.{name}", value) for name, value in table.items()}

    def number(self, key: str, default: float) -> float:
        value = self._get(key)
        if value is None:
            return default
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 1e6:
            raise InvalidInputError(f"{self._path(key)} must be a number above 0, got {value!r}")
        return value

    def count(self, key: str, default: int, *, at_most: int) -> int:
        value = self._get(key)
        if value is None:
            return default
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= at_most:
            raise InvalidInputError(f"{self._path(key)} must be a whole number from 0 to {at_most}, got {value!r}")
        return value

    def flag(self, key: str) -> bool:
        value = self._get(key)
        if value is not None and not isinstance(value, bool):
            raise InvalidInputError(f"{self._path(key)} must be true or false, got {value!r}")
        return bool(value)

    def texts(self, key: str) -> list[str]:
        value = self._get(key)
        if value is None:
            return []
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise InvalidInputError(f"{self._path(key)} must be a list of texts, got {value!r}")
        return value

    def finish(self, also: Iterable[str] = ()) -> None:
        """Refuse keys that nobody asked for; `also` are those that somebody else reads."""
        known = self._asked.union(also)
        for key in self._values:
            if key not in known:
                near = difflib.get_close_matches(key, known, 1)
                hint = f"did you mean {near[0]}?" if near else f"known are {', '.join(sorted(known))}"
                raise InvalidInputError(f"{self._path(key)} is unknown: {hint}")

    def _get(self, key: str) -> Any:
        self._asked.add(key)
        return self._values.get(key)

    def _path(self, key: str) -> str:
        return f"channels.{self._kind}.{key}"

    def _secret(self, path: str, reference: object) -> str:
        if not isinstance(reference, str):
            raise InvalidInputError(f'{path} must be "env:NAME" or "file:PATH"')
        try:
            found = self._resolve(reference).strip()
        except (DulyError, LookupError, OSError, ValueError) as error:
            raise ChannelNotConfiguredError(f"{path} cannot be read: {error}") from None
        if not found:
            raise ChannelNotConfiguredError(f"{path} is empty")
        return found
