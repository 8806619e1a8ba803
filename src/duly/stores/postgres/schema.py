"""The schema of a database: its version, and raising it to the version that this code knows."""

from __future__ import annotations

from functools import partial

from duly import failpoints
from duly.errors import StoreUnavailableError, StoreVersionError
from duly.stores import queries
from duly.stores.postgres.connection import Session

MIGRATION = 0x6475_6C79_0000  # "duly", and a number: the advisory lock of the process that changes the schema


async def migrate(session: Session, url: str, *, create: bool = True) -> None:
    """Bring the schema up to date, one step per transaction, one process at a time.

    Without `create` a database that has no schema of ours is left alone.
    """
    newest = queries.newest_migration("postgres")
    if not create and await _version(session) == 0:
        raise StoreUnavailableError(f"cannot use {url}: there is no store of duly in it; put a copy of it back")
    while (found := await _version(session)) < newest:
        _, script = queries.migrations("postgres")[found]
        await session.transaction(partial(_step, version=found + 1, script=script))
    if found > newest:
        raise StoreVersionError(url, found, newest)


async def is_behind(session: Session) -> bool:
    """Tell whether there is a step to do."""
    return await _version(session) < queries.newest_migration("postgres")


async def _version(session: Session) -> int:
    if await session.value("SELECT to_regclass('schema_version')") is None:
        return 0
    return int(await session.value("SELECT coalesce(max(version), 0) FROM schema_version"))


async def _step(session: Session, version: int, script: str) -> None:
    await session.run("SET LOCAL statement_timeout = 0")
    await session.fetch("SELECT pg_advisory_xact_lock(%(key)s)", {"key": MIGRATION})
    await session.run("CREATE TABLE IF NOT EXISTS schema_version (version INTEGER NOT NULL)")
    if await _version(session) < version:  # otherwise another process did it while this one waited for the lock
        await session.run(script)
        failpoints.hit("migration.step")
        await session.fetch("INSERT INTO schema_version VALUES (%(version)s)", {"version": version})
