"""Templates of argument lists, with placeholders. An inner list is left out when a placeholder in it has no value.

`["claude", "-p", ["--model", "{model}"]]` becomes `claude -p` for a prompt without a model.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from duly.errors import ConfigError, InvalidInputError

Template = tuple[str | tuple[str, ...], ...]

ALWAYS = frozenset({"prompt", "prompt_file", "session_id", "cwd", "name", "state_dir"})
SOMETIMES = frozenset({"model", "max_cost"})
"""Placeholders that may have no value: only in inner lists."""
_WORDS = frozenset({"prompt", "name"})
"""Placeholders of free text: a blank before it does not change its meaning."""
_PLACEHOLDER = re.compile(r"\{(\w+)\}")


def check_template(template: object, key: str) -> None:
    """Refuse a template that could not be filled in; `key` names the setting."""
    if not isinstance(template, tuple):
        raise ConfigError(key, "must be a list of arguments, not one text: no shell takes it apart")
    for index, entry in enumerate(template):
        group = _group(entry)
        if not group or not all(isinstance(part, str) and part and "\0" not in part for part in group):
            raise ConfigError(f"{key}[{index}]", f"must be text, or a list of texts, got {entry!r}")
        allowed = ALWAYS | SOMETIMES if isinstance(entry, tuple) else ALWAYS
        for name in placeholders(group):
            if name not in allowed:
                fix = "put it into an inner list" if name in SOMETIMES else f"there are {', '.join(sorted(allowed))}"
                raise ConfigError(f"{key}[{index}]", f"cannot contain {{{name}}}: {fix}")
    if template and (isinstance(template[0], tuple) or _PLACEHOLDER.search(template[0])):
        raise ConfigError(f"{key}[0]", f"must be the program itself, got {template[0]!r}")


def mentions(template: Template, name: str) -> bool:
    """Tell whether a template has a placeholder."""
    return any(name in placeholders(_group(entry)) for entry in template)


def fill(template: Template, values: Mapping[str, str | None]) -> list[str]:
    """Return the arguments. Values are not searched for placeholders: a prompt may contain "{cwd}"."""
    arguments: list[str] = []
    for entry in template:
        group = _group(entry)
        if all(values.get(name) is not None for name in placeholders(group)):
            arguments += [_filled(part, values) for part in group]
    return arguments


def _filled(part: str, values: Mapping[str, str | None]) -> str:
    """Fill in one argument. Only an argument that begins with a dash in the template may be an option."""
    text = _PLACEHOLDER.sub(lambda found: values[found[1]] or "", part)
    begins = _PLACEHOLDER.match(part)
    if begins is None or not text.startswith("-"):
        return text
    if begins[1] in _WORDS:
        return f" {text}"
    raise InvalidInputError(
        f"{{{begins[1]}}} is {text!r} here, which the command line would take for an option: it must not begin with '-'"
    )


def _group(entry: Any) -> tuple[Any, ...]:
    return entry if isinstance(entry, tuple) else (entry,)


def placeholders(parts: Iterable[str]) -> list[str]:
    """Return the names of the placeholders."""
    return [name for part in parts for name in _PLACEHOLDER.findall(part)]
