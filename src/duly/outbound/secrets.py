"""Secrets: where they are read from, and how they are kept out of everything that is stored, logged or shown.

The configuration names a secret and never holds it: `env:NAME` is a variable of the environment, `file:PATH` is a file.
A relative path starts from the folder of the configuration file, for every setting that takes a secret.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from duly.errors import ConfigError

REDACTED = "[secret]"
_OWN_TOKEN = re.compile(r"\bduly_[\w-]{43}")
"""A token of duly itself, which an agent may have found in a file."""


def is_reference(text: str) -> bool:
    """Tell whether a setting names a secret instead of being a plain text."""
    return text.startswith(("env:", "file:"))


def resolve(text: str, environment: Mapping[str, str], key: str, folder: Path | None = None) -> str:
    """Return the secret that a setting names; a text that names none is returned as it is.

    `key` names the setting in errors. `folder` is the folder of the configuration file; without one, relative paths
    start from the working directory.
    """
    kind, _, where = text.partition(":")
    if kind == "env":
        if not environment.get(where):
            raise ConfigError(key, f"the environment variable {where} is not set")
        return environment[where]
    if kind == "file":
        return _read(Path() if folder is None else folder, where, key)
    return text


def _read(folder: Path, name: str, key: str) -> str:
    path = folder / Path(name).expanduser()
    try:
        secret = path.read_text(encoding="utf-8").strip()
    except OSError as error:
        raise ConfigError(key, f"cannot read the file {path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise ConfigError(key, f"cannot read the file {path}: it is no text in UTF-8") from None
    if not secret:  # an empty key would sign requests that every sender could forge
        raise ConfigError(key, f"the file {path} is empty")
    return secret


def redact(secrets: Iterable[str], text: str) -> str:
    """Replace secrets in a text, and tokens of duly as well.

    Longer secrets come first: if one is the beginning of another, the rest of the longer one would stay.
    """
    for secret in sorted(filter(None, secrets), key=len, reverse=True):
        text = text.replace(secret, REDACTED)
    return _OWN_TOKEN.sub(REDACTED, text)


def redact_all(secrets: Iterable[str], value: Any) -> Any:
    """Replace secrets in objects and lists, in their keys too; a number that contains a secret is replaced as well."""
    secrets = tuple(secrets)
    if isinstance(value, Mapping):
        return {redact(secrets, str(key)): redact_all(secrets, item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [redact_all(secrets, item) for item in value]
    if isinstance(value, str):
        return redact(secrets, value)
    is_secret = isinstance(value, int | float) and any(secret in str(value) for secret in secrets)
    return REDACTED if is_secret else value
