"""Argument lists with places to fill in. An inner list is left out when a place in it has no value.

`["claude", "-p", ["--model", "{model}"]]` gives `claude -p` where no model is asked for.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from duly.errors import InvalidInputError

Template = tuple[str | tuple[str, ...], ...]

ALWAYS = frozenset({"prompt", "prompt_file", "session_id", "cwd", "name", "state_dir"})
SOMETIMES = frozenset({"model", "max_cost"})
"""Only in inner lists."""
_WORDS = frozenset({"prompt", "name"})
"""Free text: with a blank in front of it, it is still the same text."""
_PLACE = re.compile(r"\{(\w+)\}")


def check_template(template: object, key: str) -> None:
    """Refuse what could not be filled in; `key` names the setting."""
    if not isinstance(template, tuple):
        raise InvalidInputError(f"{key} must be a list of arguments, not one text: no shell takes it apart")
    for index, entry in enumerate(template):
        group = entry if isinstance(entry, tuple) else (entry,)
        if not group or not all(isinstance(part, str) and part and "\0" not in part for part in group):
            raise InvalidInputError(f"{key}[{index}] must be text, or a list of texts, got {entry!r}")
        allowed = ALWAYS | SOMETIMES if isinstance(entry, tuple) else ALWAYS
        for place in places(group):
            if place not in allowed:
                fix = "put it into an inner list" if place in SOMETIMES else f"there are {', '.join(sorted(allowed))}"
                raise InvalidInputError(f"{key}[{index}] cannot contain {{{place}}}: {fix}")
    if template and (isinstance(template[0], tuple) or _PLACE.search(template[0])):
        raise InvalidInputError(f"{key}[0] must be the program itself, got {template[0]!r}")


def mentions(template: Template, place: str) -> bool:
    """Whether a template has such a place."""
    return any(place in places(entry if isinstance(entry, tuple) else (entry,)) for entry in template)


def fill(template: Template, values: Mapping[str, str | None]) -> list[str]:
    """The arguments. What is filled in is never read again: a prompt may talk about {cwd}."""
    arguments: list[str] = []
    for entry in template:
        group = entry if isinstance(entry, tuple) else (entry,)
        if all(values.get(place) is not None for place in places(group)):
            arguments += [_filled(part, values) for part in group]
    return arguments


def _filled(part: str, values: Mapping[str, str | None]) -> str:
    """One argument. Only what the template itself begins with a dash can be an option of the command line."""
    text = _PLACE.sub(lambda found: values[found[1]] or "", part)
    begins = _PLACE.match(part)
    if begins is None or not text.startswith("-"):
        return text
    if begins[1] in _WORDS:
        return f" {text}"
    raise InvalidInputError(
        f"{{{begins[1]}}} is {text!r} here, which the command line would take for an option: it must not begin with '-'"
    )


def places(parts: Iterable[str]) -> list[str]:
    """The places to fill in, by name."""
    return [place for part in parts for place in _PLACE.findall(part)]
