"""What a spawned process finds in its environment: what it was allowed, and who it runs for. Secrets stay outside."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from duly.agents.folders import Account
from duly.errors import InvalidInputError

HARMLESS = (
    *("PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "LC_*", "TZ", "TMPDIR", "TERM", "XDG_*"),
    *("SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE"),
    *("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "no_proxy", "all_proxy"),
)
"""Handed on to everything that is spawned."""
_PERSONAL = frozenset({"HOME", "USER", "LOGNAME", "SHELL", "TMPDIR", "XDG_*"})
"""Of these, what means the user who runs duly: no other one can use it."""

_OURS = "DULY_"
_SECRET = re.compile(r"KEY|TOKEN|SECRET|PASSW|PASSPHRASE", re.IGNORECASE)
_PROXY = re.compile(r".+_PROXY", re.IGNORECASE)
_OWN_TOKEN = re.compile(r"\bduly_[\w-]{43}")
"""A token of duly's own, which an agent may have found in a file."""
_SHORTEST_SECRET = 8
"""What is shorter is found in too many words that have nothing to do with it."""


def allowed(environ: Mapping[str, str], names: Iterable[str], account: Account | None = None) -> dict[str, str]:
    """The variables that may be handed on; a name that ends in * stands for all that begin so, but never for ours.

    Another user has a home and a name of their own.
    """
    harmless = [name for name in HARMLESS if account is None or name not in _PERSONAL]
    exact = {name for name in (*harmless, *names) if not name.endswith("*")}
    beginnings = tuple(name[:-1] for name in (*harmless, *names) if name.endswith("*"))
    meant = {name for name in environ if name.startswith(beginnings) and not name.startswith(_OURS)}
    own = {} if account is None else _of(account)
    return own | {name: value for name, value in environ.items() if name in exact or name in meant}


def _of(account: Account) -> dict[str, str]:
    return {"HOME": account.home, "USER": account.name, "LOGNAME": account.name, "SHELL": account.shell}


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
    for name, value in handed_on.items():
        if _PROXY.fullmatch(name):
            found |= _password_of(value)
    return sorted((value for value in found if len(value) >= _SHORTEST_SECRET), key=len, reverse=True)


def _password_of(proxy: str) -> set[str]:
    """The password in the address of a proxy, as it is written there and as it is meant."""
    try:
        password = urlsplit(proxy).password or ""
    except ValueError:
        return set()
    return {password, unquote(password)}


def without(secrets: Iterable[str], text: str) -> str:
    """A text in which nobody finds them: what a tool says is stored, logged, and shown."""
    for secret in secrets:
        text = text.replace(secret, "[secret]")
    return _OWN_TOKEN.sub("[secret]", text)


def without_any(secrets: Iterable[str], value: Any) -> Any:
    """The same for what a tool says in objects and lists, such as its usage; numbers too can repeat a secret."""
    secrets = tuple(secrets)
    if isinstance(value, Mapping):
        return {without(secrets, str(key)): without_any(secrets, item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [without_any(secrets, item) for item in value]
    if isinstance(value, str):
        return without(secrets, value)
    is_one = isinstance(value, int | float) and any(secret in str(value) for secret in secrets)
    return "[secret]" if is_one else value


def harmless_session(secrets: Iterable[str], session_id: str | None) -> str | None:
    """A session that a tool has named, unless a secret is in its name: then it cannot be gone on with."""
    return None if session_id is None or any(secret in session_id for secret in secrets) else session_id
