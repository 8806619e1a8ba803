"""A process that holds the write lock of a SQLite file until its input ends, and a block during which it does."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw

_ROOT = Path(__file__).parents[3]


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Another process holds the write lock meanwhile."""
    command = [sys.executable, "-m", "tests.unit.stores.locker", str(path)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=_ROOT)
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "locked\n"
        yield
    finally:
        process.communicate(timeout=60)
    assert process.returncode == 0


if __name__ == "__main__":
    connection = apsw.Connection(sys.argv[1])
    connection.execute("BEGIN IMMEDIATE")
    print("locked", flush=True)
    sys.stdin.read()
    connection.execute("ROLLBACK")
