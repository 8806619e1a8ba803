"""Tokens that were made for a name become tokens of that person; those of unknown names end."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import apsw
import psycopg
import pytest

from duly.stores import queries
from duly.stores.sqlite.file import connect
from duly.stores.sqlite.rows import micros
from tests.conformance.stores.builders import START
from tests.postgres_server import server

BEFORE = 14
TOKENS = {
    "tok_name": "user:Ada",
    "tok_look": "user:Ada:ro",
    "tok_id": "user:usr_1",
    "tok_local": "user:local",
    "tok_gone": "user:Eve",
    "tok_project": "project:Ada",
    "tok_admin": "admin",
}
SCHEDULES = {"sched_000001": "user:Ada", "sched_000002": "user:usr_1", "sched_000003": "user:Eve"}
Ask = Callable[[str, Sequence[Any]], list[tuple[Any, ...]]]


def _migrated(kind: str, script: Callable[[str], object], ask: Ask, moment: Callable[[datetime], Any]) -> None:
    """A store of the version before with some rows, then raised by one."""
    migrations = dict(queries.migrations(kind))
    for number in range(1, BEFORE + 1):
        script(migrations[number])
    at = moment(START)
    ask("INSERT INTO users (id, name, created_at) VALUES (?, ?, ?)", ("usr_1", "Ada", at))
    for token_id, scope in TOKENS.items():
        row = (token_id, "x", token_id, scope, at)
        ask("INSERT INTO tokens (id, name, hash, scope, created_at) VALUES (?, ?, ?, ?, ?)", row)
    for schedule_id, namespace in SCHEDULES.items():
        values = (schedule_id, namespace, "plants", "{}", "{}", "{}", "message", at, at)
        columns = "id, namespace, name, trigger, action, policy, handler, created_at, updated_at"
        ask(f"INSERT INTO schedules ({columns}) VALUES ({', '.join('?' * 9)})", values)  # noqa: S608  fixed names
    script(migrations[BEFORE + 1])


@pytest.fixture(params=["sqlite", "postgres"])
def ask(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Ask]:
    """Asks a store that was raised from the version before."""
    if request.param == "sqlite":
        made: apsw.Connection = connect(tmp_path / "duly.db")
        look: Ask = lambda statement, values: list(made.execute(statement, tuple(values)))  # noqa: E731
        _migrated("sqlite", made.execute, look, micros)
        yield look
        made.close()
        return
    with server().database(migrated=False) as url, psycopg.connect(url, autocommit=True) as connection:

        def fetch(statement: str, values: Sequence[Any]) -> list[tuple[Any, ...]]:
            cursor = connection.execute(statement.replace("?", "%s").encode(), tuple(values))
            return cursor.fetchall() if cursor.description else []

        _migrated("postgres", lambda text: connection.execute(text.encode()), fetch, lambda at: at)
        yield fetch


def test_tokens_of_a_name_become_those_of_the_person_and_others_end(ask: Ask) -> None:
    found = {row[0]: row[1:] for row in ask("SELECT id, scope, revoked_at IS NOT NULL, grants FROM tokens", ())}
    assert {token_id: scope for token_id, (scope, _, _) in found.items()} == {
        **TOKENS,
        "tok_name": "user:usr_1",
        "tok_look": "user:usr_1:ro",
    }
    assert [token_id for token_id, (_, revoked, _) in found.items() if revoked] == ["tok_gone"]
    assert {grants for _, _, grants in found.values()} == {"[]"}


def test_schedules_of_a_name_lie_where_the_person_sees_them_and_keep_their_names_apart(ask: Ask) -> None:
    rows = ask("SELECT id, namespace, name FROM schedules ORDER BY id", ())
    assert rows == [
        ("sched_000001", "user:usr_1", "plants-000001"),
        ("sched_000002", "user:usr_1", "plants"),
        ("sched_000003", "user:Eve", "plants"),
    ]
