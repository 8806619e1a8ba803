"""A PostgreSQL database that a test is done with, made as it was before: to empty one is quicker than to make one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import psycopg
from psycopg import sql

_OURS = "nspname NOT LIKE 'pg\\_%' AND nspname <> 'information_schema'"
_SHAPE = f"""
    SELECT array_agg(part ORDER BY part) FROM (
        SELECT concat_ws(' ', 'class', nspname, relname, relkind, relacl, reloptions, relowner, reltuples) AS part
            FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace WHERE {_OURS}
        UNION ALL
        SELECT concat_ws(' ', 'column', nspname, relname, attnum, attname, atttypid, attnotnull, attidentity)
            FROM pg_attribute JOIN pg_class c ON c.oid = attrelid JOIN pg_namespace n ON n.oid = relnamespace
            WHERE attnum > 0 AND {_OURS}
        UNION ALL
        SELECT concat_ws(' ', 'index', indexrelid::regclass, indisvalid, indkey)
            FROM pg_index JOIN pg_class c ON c.oid = indrelid JOIN pg_namespace n ON n.oid = relnamespace WHERE {_OURS}
        UNION ALL
        SELECT concat_ws(' ', 'constraint', nspname, conname, convalidated)
            FROM pg_constraint JOIN pg_namespace n ON n.oid = connamespace WHERE {_OURS}
        UNION ALL
        SELECT concat_ws(' ', 'trigger', tgrelid::regclass, tgname, tgenabled) FROM pg_trigger WHERE NOT tgisinternal
        UNION ALL
        SELECT concat_ws(' ', 'function', nspname, proname, md5(prosrc), proconfig)
            FROM pg_proc JOIN pg_namespace n ON n.oid = pronamespace WHERE {_OURS}
        UNION ALL
        SELECT concat_ws(' ', 'schema', nspname, nspacl) FROM pg_namespace WHERE {_OURS}
        UNION ALL
        SELECT concat_ws(' ', 'setting', setrole, setconfig) FROM pg_db_role_setting JOIN pg_database d
            ON d.oid = setdatabase WHERE datname = current_database()
        UNION ALL
        SELECT concat_ws(' ', 'database', datacl, datconnlimit) FROM pg_database WHERE datname = current_database()
    ) AS parts
"""  # noqa: S608  a condition of ours
"""Everything about a database that a test may change, except its rows.

With `reltuples`, which changes when its planner has counted them: a test may expect one that knows nothing yet.
"""
_ALONE = """
    SELECT count(pg_terminate_backend(pid, 60000)) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'
"""
_TABLES = """
    SELECT format('%I.%I', schemaname, tablename) FROM pg_tables
    WHERE schemaname NOT LIKE 'pg\\_%' AND schemaname <> 'information_schema'
"""
_SEQUENCES = """
    SELECT format('SELECT setval(%L, %s, %L)', format('%I.%I', schemaname, sequencename),
        coalesce(last_value, start_value), last_value IS NOT NULL) FROM pg_sequences
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Blank:
    """What a database with the tables in place looks like before a test has it."""

    shape: list[str]
    emptying: bytes
    """The statements that leave it with the rows it had, and its sequences where they were."""

    @classmethod
    def read(cls, connection: psycopg.Connection[Any]) -> Blank:
        statements = ["SET LOCAL session_replication_role = replica"]  # without triggers: some forbid to delete
        tables = [str(name) for (name,) in connection.execute(_TABLES)]
        for name in tables:
            rows = _one(connection, f"SELECT json_agg(each)::text FROM {name} AS each")  # noqa: S608  a name of ours
            statements += [f"DELETE FROM {name}"] if rows is None else _only(connection, name, rows)  # noqa: S608  as above
        statements += [str(statement) for (statement,) in connection.execute(_SEQUENCES)]
        return cls(shape=_one(connection, _SHAPE), emptying=";".join(statements).encode())

    def restore(self, connection: psycopg.Connection[Any]) -> bool:
        """Make a database blank again; False if more than its rows was changed."""
        connection.execute(_ALONE.encode())
        if _one(connection, _SHAPE) != self.shape:
            return False
        with connection.transaction():
            connection.execute(self.emptying)
        return True


def _one(connection: psycopg.Connection[Any], question: str) -> Any:
    row = connection.execute(question.encode(), prepare=True).fetchone()
    return None if row is None else row[0]


def _only(connection: psycopg.Connection[Any], table: str, rows: str) -> list[str]:
    """Give the statements that leave a table with some rows, and touch none of them that is as it was."""
    wanted = f"json_populate_recordset(NULL::{table}, {sql.Literal(rows).as_string(connection)}) AS one"
    rest = f"to_jsonb(each) NOT IN (SELECT to_jsonb(one) FROM {wanted})"  # noqa: S608  a name of ours, and rows
    missing = f"to_jsonb(one) NOT IN (SELECT to_jsonb(each) FROM {table} AS each)"  # noqa: S608  as above
    return [
        f"DELETE FROM {table} AS each WHERE {rest}",  # noqa: S608  as above
        f"INSERT INTO {table} OVERRIDING SYSTEM VALUE SELECT one.* FROM {wanted} WHERE {missing}",  # noqa: S608  as above
    ]
