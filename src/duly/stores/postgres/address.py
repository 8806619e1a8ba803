"""The address of the server: parameters for the driver, a form to show to people, and errors of the driver.

No password leaves this module: not in the shown address, not in a message.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

import psycopg
from psycopg.conninfo import conninfo_to_dict

from duly.errors import InvalidInputError, StoreUnavailableError

# A server that vanished without a word is noticed within half a minute; what the URL says goes before.
_DEFAULTS = {
    "application_name": "duly",
    "connect_timeout": 5,
    "keepalives": 1,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 15_000,
}
_UNAVAILABLE = (psycopg.OperationalError, psycopg.InterfaceError, psycopg.InternalError)


class Address:
    """A parsed URL."""

    def __init__(self, url: str) -> None:
        given = _parsed(url)
        self._password = str(given.get("password") or "")
        self.parameters: dict[str, Any] = {**_DEFAULTS, **given, "client_encoding": "UTF8"}
        self.shown = _shown(given)

    def unavailable(self, error: BaseException) -> StoreUnavailableError:
        """Turn an error of the driver into the one that the engine waits out."""
        return StoreUnavailableError(f"cannot use {self.shown}: {self._reason(error)}")

    def translated(self, error: Exception) -> Exception:
        """Turn an error of the driver into one of ours; other errors are returned unchanged."""
        if isinstance(error, _UNAVAILABLE):
            return self.unavailable(error)
        if isinstance(error, psycopg.errors.UndefinedTable | psycopg.errors.InvalidSchemaName):
            return StoreUnavailableError(
                f"cannot use {self.shown}: tables of duly are gone ({self._reason(error)}); put a copy of the database "
                f"back, or restart this process to begin with an empty one"
            )
        if isinstance(error, psycopg.DataError | UnicodeEncodeError):
            return InvalidInputError(f"PostgreSQL cannot store this: {self._reason(error)}")
        return error

    def _reason(self, error: BaseException) -> str:
        words = f"{type(error).__name__}: {' '.join(str(error).split())}"
        return words.replace(self._password, "***") if self._password else words


def _parsed(url: str) -> dict[str, Any]:
    try:
        given = conninfo_to_dict(url)
    except psycopg.Error:
        given = {"port": "unreadable"}
    ports = str(given.get("port") or "5432").split(",")
    torn = "@" in str(given.get("dbname") or "") or "@" in str(given.get("host") or "")[1:]  # @name is a socket
    if torn or not all(port.isdigit() for port in ports if port):
        # Nothing is quoted: in a URL that is split in the wrong places, every piece may be the password.
        raise InvalidInputError(
            "cannot read the PostgreSQL URL: expected postgresql://user:password@host:port/database, "
            "with special characters in user and password percent-encoded"
        ) from None
    return given


def _shown(given: dict[str, Any]) -> str:
    user = f"{quote(str(given['user']), safe='')}@" if given.get("user") else ""
    host = str(given.get("host") or given.get("hostaddr") or "")
    port = str(given.get("port") or "")
    host = f"[{host}]" if host.count(":") > 1 else host
    where = host if not port or host.startswith("/") or "," in host else f"{host}:{port}"
    database = quote(str(given.get("dbname") or given.get("user") or ""), safe="")
    if host.startswith("/"):
        return f"postgresql://{user}/{database}?host={host}" + (f"&port={port}" if port else "")
    return f"postgresql://{user}{where}/{database}"
