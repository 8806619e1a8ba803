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


_READ_ONLY = (
    "this server takes no writes: it is a standby, or was made one; name all servers in the URL, as in "
    "postgresql://user@one,two/database, and duly finds the one that does"
)
STATEMENT_POOLING = (
    "its pooler lends connections by the statement, so no transaction is whole: set its pool_mode to transaction, or "
    "name the server itself"
)
_NO_OPTIONS = "a pooler takes no options in the URL: write them to the user, as in ALTER ROLE … SET search_path = …"


class Address:
    """A parsed URL. Of several servers the one that takes writes is meant, unless the URL says otherwise."""

    def __init__(self, url: str) -> None:
        given = _parsed(url)
        self._password = str(given.get("password") or "")
        self.parameters: dict[str, Any] = {**_DEFAULTS, **given, "client_encoding": "UTF8"}
        if "," in str(given.get("host") or given.get("hostaddr") or ""):
            self.parameters.setdefault("target_session_attrs", "read-write")
        self.shown = _shown(given)
        self.seems_pooled = False
        """A statement that had been prepared was not there: a pooler that gives itself out as the server."""

    def unavailable(self, error: BaseException) -> StoreUnavailableError:
        """Turn an error of the driver into the one that the engine waits out."""
        cure = _cure(error)
        return StoreUnavailableError(f"cannot use {self.shown}: {self._reason(error)}{cure and f'; {cure}'}")

    def translated(self, error: Exception) -> Exception:
        """Turn an error of the driver into one of ours; other errors are returned unchanged."""
        if isinstance(error, _UNAVAILABLE) or tells_of_pooler(error):
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


def tells_of_pooler(error: BaseException) -> bool:
    """Tell whether a statement was prepared on another connection than the one that answered."""
    return isinstance(error, psycopg.errors.InvalidSqlStatementName | psycopg.errors.DuplicatePreparedStatement)


def refuses_transactions(error: BaseException) -> bool:
    """Tell whether a pooler lends connections by the statement."""
    return "statement pooling" in str(error)


def _cure(error: BaseException) -> str:
    if isinstance(error, psycopg.errors.ReadOnlySqlTransaction):
        return _READ_ONLY
    if refuses_transactions(error):
        return STATEMENT_POOLING
    return _NO_OPTIONS if "unsupported startup parameter" in str(error) else ""


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
    where = _places(host.split(","), port.split(","))
    database = quote(str(given.get("dbname") or given.get("user") or ""), safe="")
    if host.startswith("/"):
        return f"postgresql://{user}/{database}?host={host}" + (f"&port={port}" if port else "")
    return f"postgresql://{user}{where}/{database}"


def _places(hosts: list[str], ports: list[str]) -> str:
    """Show hosts with their ports: as many, or one for all."""
    each = ports * len(hosts) if len(ports) == 1 else ports
    named = [f"[{host}]" if ":" in host else host for host in hosts]
    return ",".join(f"{host}:{port}" if port else host for host, port in zip(named, each, strict=False))
