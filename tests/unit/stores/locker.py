"""A process that holds the write lock of a SQLite file until its input ends."""

from __future__ import annotations

import sys

import apsw

if __name__ == "__main__":
    connection = apsw.Connection(sys.argv[1])
    connection.execute("BEGIN IMMEDIATE")
    print("locked", flush=True)
    sys.stdin.read()
    connection.execute("ROLLBACK")
