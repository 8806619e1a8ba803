"""Secrets: where they are read from.

The configuration names a secret and never holds it: `env:NAME` is a variable of the environment, `file:PATH` is a file.
A relative path starts from the folder of the configuration file, for every setting that takes a secret.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from urllib.parse import unquote, urlsplit

from duly.errors import ConfigError

SHORTEST_SECRET = 8
"""Characters of the shortest text that is looked for in what is shown: many others have a shorter one in them."""


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


def passwords_of(url: str) -> set[str]:
    """Return the password in a URL, percent-encoded as it stands there and decoded."""
    try:
        password = urlsplit(url).password or ""
    except ValueError:
        return set()
    return {password, unquote(password)}


def secrets_in_urls(urls: str) -> set[str]:
    """Return what must not be shown of some URLs, between which semicolons stand: the passwords in them.

    A short one is looked for together with its user only.
    """
    found = set[str]()
    for url in urls.split(";"):
        found |= {each for each in passwords_of(url) if len(each) >= SHORTEST_SECRET}
        if "" not in passwords_of(url):
            found.add(urlsplit(url).netloc.rpartition("@")[0] + "@")
    return found
