"""Schemas without what no agent reads: titles, null defaults, "or null". Every character costs in each session."""

from __future__ import annotations

from typing import Any


def compact(schema: dict[str, Any]) -> dict[str, Any]:
    """The same schema in fewer words; properties that happen to be called `title` stay."""
    result: dict[str, Any] = {}
    for key, value in schema.items():
        if key == "title" and isinstance(value, str):
            continue
        if key == "default" and value is None:
            continue
        if key == "properties":
            result[key] = {name: compact(each) for name, each in value.items()}
        elif key == "anyOf":
            result |= _without_null([compact(each) for each in value])
        elif isinstance(value, dict):
            result[key] = compact(value)
        else:
            result[key] = value
    return result


def _without_null(choices: list[dict[str, Any]]) -> dict[str, Any]:
    real = [choice for choice in choices if choice != {"type": "null"}]
    return real[0] if len(real) == 1 else {"anyOf": real}
