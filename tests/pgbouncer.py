"""A real PgBouncer for the tests, before a server of the tests. `DULY_TEST_PGBOUNCER` names another program than the
one on the PATH, with its arguments.
"""

from __future__ import annotations

import atexit
import os
import pwd
import shlex
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, Self

from psycopg.conninfo import conninfo_to_dict

from tests.leaks import lasting
from tests.postgres_server import PREFIX, ROOM, OwnServer, free_port, server, unprivileged

PLAIN = "plain"
"""A user whom every pooler of the tests lets in, beside the superuser; who needs it makes it on the server."""
_PATIENCE = 60.0


class PgBouncer:
    """A pooler of our own: `size` connections to the server for each database, lent as `mode` says."""

    def __init__(
        self, server: OwnServer, *, mode: str = "transaction", size: int = 2, certificate: Path | None = None
    ) -> None:
        """With a certificate, and its key in the same file, nobody is heard who does not speak TLS."""
        self._program = program()
        self._user = unprivileged()
        self.folder = Path(tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}-bouncer-", dir=ROOM))
        self.folder.chmod(0o755)
        self.port = free_port()
        self._own: dict[str, str | int] = {
            "listen_addr": "127.0.0.1",
            "listen_port": self.port,
            "unix_socket_dir": "",
            "auth_type": "trust",
            "auth_file": str(self.folder / "users"),
            "pool_mode": mode,
            "default_pool_size": size,
            "max_client_conn": 500,
            "server_login_retry": 1,
        }
        if certificate is not None:
            shutil.copy(certificate, self.folder / "pem")
            pem = str(self.folder / "pem")
            self._own |= {"client_tls_sslmode": "require", "client_tls_key_file": pem, "client_tls_cert_file": pem}
        (self.folder / "users").write_text(f'"postgres" ""\n"{PLAIN}" ""\n', encoding="utf-8")
        self._point_at(server)
        if self._user is not None:
            for path in (self.folder, *self.folder.iterdir()):
                shutil.chown(path, self._user)
        self._log = (self.folder / "log").open("w", encoding="utf-8")
        self._process = self._started()

    def url(self, url: str, *, user: str = "postgres") -> str:
        """The same database, through this pooler."""
        return f"postgresql://{user}@127.0.0.1:{self.port}/{conninfo_to_dict(url)['dbname']}"

    def turn_to(self, server: OwnServer, **settings: str | int) -> None:
        """Lend connections to another server from now on, or in another way."""
        self._own.update(settings)
        self._point_at(server)
        self._process.send_signal(signal.SIGHUP)

    @property
    def log(self) -> str:
        return (self.folder / "log").read_text(encoding="utf-8", errors="replace")

    def processor_time(self) -> float:
        """Seconds of the processor that it has used so far."""
        fields = Path(f"/proc/{self._process.pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def close(self) -> None:
        """End it, and leave nothing behind. Idempotent."""
        with suppress(ProcessLookupError):
            self._process.kill()
        self._process.wait(_PATIENCE)
        self._log.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _point_at(self, server: OwnServer) -> None:
        lines = ["[databases]", f"* = host={server.folder} port={server.port}", "[pgbouncer]"]
        lines += [f"{name} = {value}" for name, value in self._own.items()]
        (self.folder / "ini").write_text("\n".join(lines) + "\n", encoding="utf-8")

    def _started(self) -> subprocess.Popen[bytes]:
        who: dict[str, Any] = {}
        if self._user is not None:
            who = {"user": self._user, "group": pwd.getpwnam(self._user).pw_gid, "extra_groups": []}
        process = subprocess.Popen(
            [*self._program, str(self.folder / "ini")],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=self._log,
            cwd=self.folder,
            **who,
        )
        begun = time.monotonic()
        while True:
            with suppress(OSError), socket.create_connection(("127.0.0.1", self.port)):
                return process
            if process.poll() is not None or time.monotonic() - begun > _PATIENCE:
                process.kill()
                process.wait(_PATIENCE)
                raise RuntimeError(f"PgBouncer does not start:\n{self.log}")
            time.sleep(0.01)


def pooled(url: str) -> str:
    """An address of the tests' server, or the one through a pooler where `DULY_TEST_POOLED` asks for it."""
    return shared().url(url) if os.environ.get("DULY_TEST_POOLED") else url


@cache
def shared() -> PgBouncer:
    """The pooler of this test process, ended with it."""
    running = server()
    assert isinstance(running, OwnServer), "a pooler needs a server of the tests"
    with lasting():
        made = PgBouncer(running)
    atexit.register(made.close)
    return made


def program() -> list[str]:
    """The words that start PgBouncer."""
    named = shlex.split(os.environ.get("DULY_TEST_PGBOUNCER", ""))
    found = shutil.which("pgbouncer", path=f"{os.environ.get('PATH', os.defpath)}:/usr/sbin")
    if not named and found is None:
        raise RuntimeError("no PgBouncer: make test installs it; on Debian, as root: apt-get install pgbouncer")
    return named or [str(found)]
