"""Limits of input: how long texts may be, and how large lists and objects. Faces check them before they read more.

A field that is not named here has the limit `LONGEST_OTHER`, so that a new field is limited, too. Schedules of
`duly.toml`, and those that a program makes with the library, are not limited.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from duly.errors import InvalidInputError
from duly.model.codec import Json

LONGEST = {
    "prompt": 200_000,
    "job_args": 100_000,
    "positional": 100_000,
    "schedule": 30_000,
    "message": 20_000,
    "action": 20_000,
    "text": 20_000,
    "targets": 20_000,
    "description": 10_000,
    "name": 200,
    "display_title": 200,
    "channel": 200,
    "timeout": 100,
    "catch_up_window": 100,
    "cron_timezone": 100,
    "timezone": 100,
    "remind_at": 100,
    "start": 100,
    "end": 100,
    "start_at": 100,
    "end_at": 100,
    "until_at": 100,
}
"""Characters of a field; of a list or an object those of all texts and keys in it, together.

A schedule may be that of a reminder: what was understood, and the sentence it was understood from.
"""
LONGEST_OTHER = 2_000
_OF_FIELDS = ("schedule",)
"""Objects whose members are fields with limits of their own; those of others may be as long as the object."""
PAYLOADS = ("result", "progress", "lines", "error", "traceback")
"""Fields with what workers report. Those who read them bound what is kept: a report is never lost for its length."""
DEEPEST = 20
"""Lists and objects inside one another."""
MOST_MEMBERS = 2_000
"""Members of a list or an object, with those inside it."""
MOST_VALUES = 3 * MOST_MEMBERS
"""Lists, objects and their members in the whole of what a request or a frame brings as JSON."""


def check_json(text: bytes) -> None:
    """Raise for JSON with more values than any request needs, before it is parsed.

    Its values cost much more than its bytes: each unknown field becomes an error with a sentence of its own.
    """
    if _count_values(text) <= MOST_VALUES:
        return
    values = _count_values(text) if b"\0" in text else _count_outside_texts(text)  # NUL: its texts cannot be found
    if values > MOST_VALUES:
        raise InvalidInputError(f"this JSON has {values} values, at most {MOST_VALUES} are taken: send it in parts")


def _count_outside_texts(text: bytes) -> int:
    """Count the values of JSON, without what looks like some in its texts. Every step is one pass of C."""
    unescaped = text.replace(rb"\\", b"").replace(rb"\"", b"")
    texts = unescaped.count(b'"') // 2
    if texts > 2 * MOST_VALUES:  # a member has at most a key and a text
        return texts // 2
    return _count_values(b"".join(unescaped.split(b'"')[::2]))


def _count_values(text: bytes) -> int:
    return text.count(b",") + text.count(b"[") + text.count(b"{")


def check_given(given: Json) -> None:
    """Raise for fields that are too long, too deep or too many, in time linear in their size."""
    for name, value in given.items():
        if name in PAYLOADS:
            continue
        if isinstance(value, str):
            check_length(value, name)
        elif isinstance(value, list | tuple | Mapping):
            if isinstance(value, Mapping):
                _check_members(value, name)
            _check_structure(value, name)


def check_length(text: str, name: str) -> None:
    """Raise for a text that is longer than its field may be."""
    most = LONGEST.get(name, LONGEST_OTHER)
    if len(text) > most:
        raise _too_long(name, len(text), most)


def _check_members(value: Mapping[Any, Any], name: str) -> None:
    """Raise for a single member of an object that is too long, with its name."""
    for key, member in value.items():
        most = LONGEST.get(key if name in _OF_FIELDS else name, LONGEST_OTHER)
        if isinstance(member, str) and len(member) > most:
            raise _too_long(f"{name}.{key}", len(member), most)


def _too_long(name: str, length: int, most: int) -> InvalidInputError:
    return InvalidInputError(f"{name:.100} has {length} characters, at most {most} are taken: shorten it")


def _check_structure(value: Any, name: str) -> None:
    members = 0
    characters = 0
    depth = 0
    level = [value]
    while level:
        depth += 1
        if depth > DEEPEST:
            raise InvalidInputError(f"{name:.100} has lists and objects inside one another, at most {DEEPEST} deep")
        inside: list[Any] = []
        for each in level:
            members += len(each)
            parts = [*each.keys(), *each.values()] if isinstance(each, Mapping) else each
            characters += sum(len(part) for part in parts if isinstance(part, str))
            inside += [part for part in parts if isinstance(part, list | tuple | Mapping)]
        level = inside
    if members > MOST_MEMBERS:
        raise InvalidInputError(f"{name:.100} has {members} members, at most {MOST_MEMBERS} are taken: leave some out")
    most = LONGEST.get(name, LONGEST_OTHER)
    if characters > most:
        raise _too_long(name, characters, most)
