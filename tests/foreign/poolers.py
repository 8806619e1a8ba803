"""The tests of stores and engines on other PostgreSQL servers, and through other versions of PgBouncer.

`python -m tests.foreign.poolers [KEYWORD]`: PostgreSQL 18 of the wheel and those that are installed, PgBouncer of this
Debian and of the next one. With a keyword, only what its name holds.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.foreign import debian_packages
from tests.foreign.environments import ROOT
from tests.pgbouncer import program
from tests.postgres_server import ROOM

_SERVERS = Path("/usr/lib/postgresql")
GET_SERVER = "apt-get update && apt-get install -y --no-install-recommends postgresql"
_NEXT = "trixie"
_PACKAGES = ("pgbouncer", "libcares2", "libevent-2.1-7t64", "libpam0g", "libssl3t64", "libsystemd0", "libc6", "libcap2")
_MORE_PACKAGES = ("libaudit1", "libcap-ng0", "libzstd1", "zlib1g")
_STORES = ("tests/conformance/stores", "-k", "postgres")
_POOLED = ("tests/integration/test_store_poolers.py", "tests/integration/test_engine_poolers.py")
_MIGRATIONS = ("tests/migration/test_postgres.py",)


def main(keyword: str) -> int:
    """Run every combination; gives the number of those that failed."""
    faults = 0
    with tempfile.TemporaryDirectory(prefix="duly-poolers-", dir=ROOM) as name:
        Path(name).chmod(0o755)  # the servers run under another user
        poolers = {_version(words): words for words in (program(), _next_pooler(Path(name)))}
        for server, binaries in _servers().items():
            faults += keyword in server and _failed(f"{server}, direct", binaries, None, *_MIGRATIONS, *_STORES)
            for version, words in poolers.items():
                what = f"{server}, {version}"
                if keyword in what:
                    faults += _failed(f"{what}: engines", binaries, words, *_POOLED)
                    faults += _failed(f"{what}: stores", binaries, words, *_STORES, DULY_TEST_POOLED="1")
    return faults


def _servers() -> dict[str, str]:
    """The folders with the programs of each server; none for the wheel's."""
    found = sorted(_SERVERS.glob("*/bin/initdb"))
    if not found and os.geteuid() == 0 and shutil.which("apt-get"):
        print(f"installing PostgreSQL: {GET_SERVER}", flush=True)
        subprocess.run(["sh", "-c", GET_SERVER], check=False, env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"})
        found = sorted(_SERVERS.glob("*/bin/initdb"))
    if not found:
        raise SystemExit(f"there is no PostgreSQL in {_SERVERS}. On Debian, as root: {GET_SERVER}")
    return {"PostgreSQL of the wheel": "", **{f"PostgreSQL {each.parts[-3]}": str(each.parent) for each in found}}


def _next_pooler(folder: Path) -> list[str]:
    if (fault := debian_packages.missing()) is not None:
        raise SystemExit(fault)
    root = debian_packages.unpack(folder, _NEXT, *_PACKAGES, *_MORE_PACKAGES)
    loader = root / "usr/lib64/ld-linux-x86-64.so.2"
    return [str(loader), "--library-path", str(root / "usr/lib/x86_64-linux-gnu"), str(root / "usr/sbin/pgbouncer")]


def _version(words: list[str]) -> str:
    said = subprocess.run([*words, "--version"], check=True, capture_output=True, text=True)
    return said.stdout.splitlines()[0]


def _failed(what: str, binaries: str, words: list[str] | None, *tests: str, **environment: str) -> bool:
    print(f"== {what}", flush=True)
    chosen = {**environment, **({"DULY_TEST_POSTGRES_PROGRAMS": binaries} if binaries else {})}
    if words is not None:
        chosen["DULY_TEST_PGBOUNCER"] = " ".join(words)
    command = [sys.executable, "-m", "pytest", "-q", "-n", "2", *tests]
    return subprocess.run(command, cwd=ROOT, env={**os.environ, **chosen}, check=False).returncode != 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:2] or [""]))
