"""What a spawned process finds in its environment: what it was allowed, and who it runs for. Secrets stay outside."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from duly.errors import InvalidInputError

HARMLESS = (
    *("PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "LC_*", "TZ", "TMPDIR", "TERM", "XDG_*"),
    *("SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE"),
    *("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "no_proxy", "all_proxy"),
)
"""Handed on to everything that is spawned."""

_OURS = "DULY_"
_SECRET = re.compile(r"KEY|TOKEN|SECRET|PASSWORD")
_SHORTEST_SECRET = 8
"""What is shorter is found in too many words that have nothing to do with it."""


def allowed(environ: Mapping[str, str], names: Iterable[str]) -> dict[str, str]:
    """The variables that may be handed on; a name that ends in * stands for all that begin so, but never for ours."""
    exact = {name for name in (*HARMLESS, *names) if not name.endswith("*")}
    beginnings = tuple(name[:-1] for name in (*HARMLESS, *names) if name.endswith("*"))
    meant = {name for name in environ if name.startswith(beginnings) and not name.startswith(_OURS)}
    return {name: value for name, value in environ.items() if name in exact or name in meant}


def fetch(reference: str, environ: Mapping[str, str], key: str) -> str:
    """The text a setting stands for: `env:NAME` and `file:PATH` are looked up, anything else is itself."""
    kind, _, where = reference.partition(":")
    if kind == "env":
        if not environ.get(where):
            raise InvalidInputError(f"{key} names the variable {where}, which is not set")
        return environ[where]
    if kind == "file":
        try:
            text = Path(where).expanduser().read_text(encoding="utf-8").strip()
        except OSError as error:
            raise InvalidInputError(f"{key} names the file {where}, which cannot be read: {error.strerror}") from None
        except UnicodeDecodeError:
            raise InvalidInputError(f"{key} names the file {where}, which is no text in UTF-8") from None
        if not text:
            raise InvalidInputError(f"{key} names the file {where}, which is empty")
        return text
    return reference


def secrets_among(handed_on: Mapping[str, str], variables: Mapping[str, str]) -> list[str]:
    """The values that must not be repeated to anybody: those that were fetched, and those whose name tells it."""
    fetched = {name for name, value in variables.items() if value.startswith(("env:", "file:"))}
    found = {value for name, value in handed_on.items() if name in fetched or _SECRET.search(name)}
    return sorted((value for value in found if len(value) >= _SHORTEST_SECRET), key=len, reverse=True)


def without(secrets: Iterable[str], text: str) -> str:
    """A text in which nobody finds them: what a tool says is stored, logged, and shown."""
    for secret in secrets:
        text = text.replace(secret, "[secret]")
    return text
