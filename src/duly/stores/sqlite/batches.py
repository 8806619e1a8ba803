"""One statement for many rows.

A driver lets other threads run with every step it takes and then waits for its turn, so a statement per row costs most
when the process is busiest. A statement with many rows is one step.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from itertools import chain
from typing import Any

import apsw

_ROW = re.compile(r"VALUES (\(\?(?:, \?)*\))")
_LONGEST = 16_000  # characters of a statement that the driver keeps prepared
_SIZES = (400, 200, 100, 50, 20, 10, 5, 2, 1)


def run_many(connection: apsw.Connection, statement: str, rows: Sequence[Sequence[Any]]) -> list[Any]:
    """Run a statement that has the values of one row after `VALUES` for all of them; gives what it answers."""
    if len(rows) == 1:
        return list(connection.execute(statement, rows[0]))
    answers: list[Any] = []
    start = 0
    for size, widened in _sizes(statement):
        while len(rows) - start >= size:
            values = tuple(chain.from_iterable(rows[start : start + size]))
            answers += connection.execute(widened, values)
            start += size
    return answers


def update_many(connection: apsw.Connection, statement: str, rows: Sequence[Sequence[Any]]) -> None:
    """The same for an `UPDATE` by the id in the first column; of rows with the same id every one counts, in order."""
    if len({row[0] for row in rows}) == len(rows):
        run_many(connection, statement, rows)
    else:
        connection.executemany(statement, rows)


@cache
def _sizes(statement: str) -> list[tuple[int, str]]:
    """The statement for so many rows that any number of them takes few, as far as it can be kept."""
    row = _ROW.search(statement)
    if row is None:
        raise ValueError(f"no row of values in {statement!r}")
    before, after = statement[: row.start(1)], statement[row.end(1) :]
    values = row[1].replace(" ", "")
    most = (_LONGEST - len(statement)) // len(f"{values},")
    return [(number, before + ",".join([values] * number) + after) for number in _SIZES if number <= most]
