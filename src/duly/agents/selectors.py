"""Selectors: paths to values in JSON documents and streams of events."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from duly.errors import ConfigError

_SYNTAX = re.compile(r"(?:(?P<event>[^?:|]+)(?:\?(?P<key>[^=:|]+)=(?P<value>[^:|]*))?:)?(?P<path>[^:?|]+)")


@dataclass(frozen=True, slots=True)
class Selector:
    """A path such as `usage.total` in a document, or `turn.completed:usage` in events of a type.

    `*` stands for every key or item. `item.completed?item.type=agent_message:item.text` adds a condition. Of
    alternatives, as in `errors.*|is_error`, the first that finds a value counts.
    """

    path: tuple[str, ...]
    event: str | None = None
    condition: tuple[tuple[str, ...], str] | None = None
    otherwise: Selector | None = None

    @classmethod
    def parse(cls, text: object, key: str) -> Selector:
        """Read a selector; `key` names its setting."""
        first, _, rest = text.partition("|") if isinstance(text, str) else ("", "", "")
        found = _SYNTAX.fullmatch(first)
        path = _split(found["path"]) if found else ()
        if found is None or not all(path):
            raise ConfigError(key, f"must be a path such as 'result' or 'turn.completed:usage', got {text!r}")
        condition = None if found["key"] is None else (_split(found["key"]), found["value"])
        otherwise = cls.parse(rest, key) if rest else None
        return cls(path=path, event=found["event"], condition=condition, otherwise=otherwise)

    def find(self, document: Any) -> list[Any]:
        """Return every value at the path except null."""
        return self._find(document) or ([] if self.otherwise is None else self.otherwise.find(document))

    def _find(self, document: Any) -> list[Any]:
        if self.event is not None and (not isinstance(document, dict) or document.get("type") != self.event):
            return []
        if self.condition is not None and self.condition[1] not in map(str, _walk(document, self.condition[0])):
            return []
        return [value for value in _walk(document, self.path) if value is not None]


def _split(path: str) -> tuple[str, ...]:
    return tuple(path.split("."))


def _walk(document: Any, path: tuple[str, ...]) -> list[Any]:
    found = [document]
    for step in path:
        mappings = [value for value in found if isinstance(value, dict)]
        if step == "*":
            lists = [value for value in found if isinstance(value, list)]
            found = [inner for value in mappings for inner in value.values()] + [
                each for items in lists for each in items
            ]
        else:
            found = [value[step] for value in mappings if step in value]
    return found


def add_up(values: list[Any]) -> Any:
    """Add numbers up, and objects key by key; of other values return the last."""
    if values and all(isinstance(value, dict) for value in values):
        keys = dict.fromkeys(key for value in values for key in value)
        return {key: add_up([value[key] for value in values if key in value]) for key in keys}
    if values and all(isinstance(value, int | float) and not isinstance(value, bool) for value in values):
        return sum(values)
    return values[-1] if values else None
