"""Backups of real stores: consistent while others write, whole after the way back, and never half of anything."""

from __future__ import annotations

import asyncio
import errno
import json
import os
import re
import subprocess
import sys
import threading
import zipfile
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from stat import S_IMODE
from typing import Any

import pytest

from duly.errors import BackupError, StoreUnavailableError
from duly.ports.records import RunFilter, ScheduleFilter, StoredSchedule
from duly.stores import backup, open_store, queries
from duly.stores.backup import archive, of_postgres, of_sqlite, writing
from duly.testing.clock import VirtualClock
from tests.conformance.stores.builders import START, due_schedule, new_run, schedule
from tests.conformance.stores.harness import StoreHarness, conformant, make_harness
from tests.postgres_server import Server, postgres_server, server
from tests.sqlite_template import prepare

__all__ = ["postgres_server"]

Found = dict[str, list[str]]
PATIENCE = 60.0
ROOT = Path(__file__).parents[3]


def unheard(_text: str) -> None:
    """Listen to no progress."""


@contextmanager
def another_place(like: str, folder: Path) -> Iterator[str]:
    """Give the address of a place for a store of the same kind, where nothing is."""
    if "://" not in like:
        yield str(folder / "moved" / "schedules.db")
        return
    with server().database(migrated=False) as url:
        yield url


async def content(url: str) -> Found:
    """Read a store: the runs by the name of their schedule."""
    store = open_store(url, VirtualClock(START))
    await store.open()
    try:
        rows = await store.schedules(ScheduleFilter(limit=100_000))
        runs = await store.runs(RunFilter(limit=100_000))
    finally:
        await store.close()
    of = defaultdict[str, list[str]](list)
    for run in runs:
        of[run.fire.schedule_id].append(run.id)
    return {row.name: sorted(of[row.id]) for row in rows}


async def one_schedule(url: str) -> StoredSchedule:
    """Give the one schedule of a store, which is made if there is none."""
    store = open_store(url, VirtualClock(START))
    await store.open()
    try:
        if not await store.schedules(ScheduleFilter()):
            await store.save([due_schedule("a", 86_400 * 40)], lambda _before, new: new)
        [row] = await store.schedules(ScheduleFilter())
        return row
    finally:
        await store.close()


async def make(harness: StoreHarness, file: Path, heard: backup.Telling = unheard) -> backup.Backup:
    return await asyncio.to_thread(backup.make, harness.address, file, START, heard)


async def put_back(url: str, file: Path, *, force: bool = False) -> Path | None:
    _, kept = await asyncio.to_thread(lambda: backup.restore(url, file, unheard, force=force))
    return kept


async def write(harness: StoreHarness, number: int) -> None:
    await harness.add(row := schedule(f"s{number:04}"))
    await harness.put(new_run(row))


@conformant
async def test_what_was_written_comes_back(shared_harness: StoreHarness, tmp_path: Path) -> None:
    for number in range(20):
        await write(shared_harness, number)
    file = tmp_path / "a.backup"
    made = await make(shared_harness, file)
    assert S_IMODE(file.stat().st_mode) == 0o600
    assert (made.tables["schedules"], made.tables["runs"]) == (20, 20)
    assert await asyncio.to_thread(archive.check, file, unheard) == made
    with another_place(shared_harness.address, tmp_path) as url:
        await put_back(url, file)
        assert await content(url) == await content(shared_harness.address)
        again = await asyncio.to_thread(backup.make, url, tmp_path / "b.backup", START, unheard)
        assert again.tables["events"] == made.tables["events"]
        store = open_store(url, VirtualClock(START))
        await store.open()
        await store.save([schedule("new")], lambda _before, new: new)  # numbers go on where they were
        await store.close()


@conformant
async def test_a_backup_is_one_moment_however_much_is_written_meanwhile(
    shared_harness: StoreHarness, tmp_path: Path
) -> None:
    for number in range(30):
        await write(shared_harness, number)
    began, wrote = asyncio.Event(), threading.Event()
    loop = asyncio.get_running_loop()

    def heard(_text: str) -> None:
        loop.call_soon_threadsafe(began.set)
        assert wrote.wait(PATIENCE)

    async def writer() -> None:
        await began.wait()
        for number in range(30, 130):
            await write(shared_harness, number)
        wrote.set()

    made, _ = await asyncio.gather(make(shared_harness, tmp_path / "a.backup", heard), writer())
    assert (made.tables["schedules"], made.tables["runs"]) == (30, 30)
    with another_place(shared_harness.address, tmp_path) as url:
        await put_back(url, made.file)
        found = await content(url)
    assert list(found) == [f"s{number:04}" for number in range(30)]
    assert all(len(runs) == 1 for runs in found.values())
    assert len(await content(shared_harness.address)) == 130


@conformant
async def test_backups_under_a_writer_have_each_run_with_its_schedule(
    shared_harness: StoreHarness, tmp_path: Path
) -> None:
    written = 0
    ended = asyncio.Event()

    async def writer() -> None:
        nonlocal written
        while not ended.is_set():
            await write(shared_harness, written)
            written += 1

    writing_on = asyncio.create_task(writer())
    for number in range(5):
        made = await make(shared_harness, tmp_path / f"{number}.backup")
        assert 0 <= made.tables["schedules"] - made.tables["runs"] <= 1
        assert made.tables["runs"] <= written
    ended.set()
    await writing_on
    with another_place(shared_harness.address, tmp_path) as url:
        await put_back(url, made.file)
        found = await content(url)
    assert list(found) == [f"s{number:04}" for number in range(len(found))]
    assert sum(map(len, found.values())) == made.tables["runs"]


@conformant
async def test_a_store_with_schedules_is_replaced_only_by_force(shared_harness: StoreHarness, tmp_path: Path) -> None:
    await write(shared_harness, 1)
    await make(shared_harness, file := tmp_path / "a.backup")
    await write(shared_harness, 2)
    before = await content(shared_harness.address)
    with pytest.raises(BackupError, match=r"holds 2 schedules.*--force"):
        await put_back(shared_harness.address, file)
    assert await content(shared_harness.address) == before
    await shared_harness.store.close()
    kept = await put_back(shared_harness.address, file, force=True)
    assert list(await content(shared_harness.address)) == ["s0001"]
    if kept is not None:
        assert await content(str(kept)) == before


@conformant
async def test_a_restore_that_breaks_off_changes_nothing(
    shared_harness: StoreHarness, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await write(shared_harness, 1)
    await make(shared_harness, file := tmp_path / "a.backup")
    await write(shared_harness, 2)
    before = await content(shared_harness.address)
    await shared_harness.store.close()
    set_aside, read_table = of_sqlite._set_aside, of_postgres._read_table

    def broken_off(*given: Any) -> None:
        if len(given) == 1:
            set_aside(*given)
            raise OSError(errno.ENOSPC, "No space left on device")
        read_table(*given)
        if given[2] == "schedules":
            raise BackupError(file, "cannot be read: No space left on device")

    monkeypatch.setattr(of_sqlite, "_set_aside", broken_off)
    monkeypatch.setattr(of_postgres, "_read_table", broken_off)
    with pytest.raises(BackupError, match="No space left on device"):
        await put_back(shared_harness.address, file, force=True)
    assert await content(shared_harness.address) == before
    monkeypatch.undo()
    await put_back(shared_harness.address, file, force=True)
    assert list(await content(shared_harness.address)) == ["s0001"]


def altered(file: Path, change: Callable[[dict[str, bytes]], object]) -> Path:
    """Write a changed copy of a backup."""
    with zipfile.ZipFile(file) as source:
        members = {name: source.read(name) for name in source.namelist()}
    change(members)
    with zipfile.ZipFile(changed := file.with_suffix(".changed"), "w") as into:
        for name, data in members.items():
            into.writestr(name, data)
    return changed


def left_over(folder: Path) -> list[Path]:
    """Give what duly made for itself and did not remove."""
    return list(folder.glob(".*"))


def manifest(members: dict[str, bytes], **values: object) -> None:
    members["manifest.json"] = json.dumps({**json.loads(members["manifest.json"]), **values}).encode()


def last_member(members: dict[str, bytes]) -> str:
    return next(name for name in members if name.startswith(("store", "tables/schedules")))


def cut(file: Path, to: int) -> Path:
    (short := file.with_suffix(".cut")).write_bytes(file.read_bytes()[:to])
    return short


FAULTS: dict[str, tuple[Callable[[Path], Path], str]] = {
    "cut": (lambda file: cut(file, file.stat().st_size // 2), "is cut or damaged"),
    "empty": (lambda file: cut(file, 0), "is no backup of duly"),
    "text": (lambda file: _text(file), "is no backup of duly"),
    "missing": (lambda file: file.with_suffix(".none"), "cannot be read: No such file"),
    "another archive": (lambda file: altered(file, lambda them: them.pop("manifest.json")), "it has no manifest.json"),
    "odd manifest": (lambda file: altered(file, lambda them: them.update({"manifest.json": b"[]"})), "cannot be read"),
    "newer schema": (lambda file: altered(file, lambda them: manifest(them, schema=999)), "newer duly.*Upgrade duly"),
    "newer format": (lambda file: altered(file, lambda them: manifest(them, format=2)), "newer duly.*Upgrade duly"),
    "a byte more": (
        lambda file: altered(file, lambda them: them.update({last_member(them): them[last_member(them)] + b"x"})),
        "checksum",
    ),
    "a member less": (lambda file: altered(file, lambda them: them.pop(last_member(them))), "is missing from it"),
}


def _text(file: Path) -> Path:
    (odd := file.with_suffix(".text")).write_text("a letter")
    return odd


@pytest.mark.parametrize("fault", FAULTS)
@conformant
async def test_a_bad_file_says_so_and_the_store_stays(shared_harness: StoreHarness, tmp_path: Path, fault: str) -> None:
    await write(shared_harness, 1)
    await make(shared_harness, file := tmp_path / "a.backup")
    spoil, said = FAULTS[fault]
    bad = spoil(file)
    before = await content(shared_harness.address)
    await shared_harness.store.close()
    with pytest.raises(BackupError, match=said):
        archive.check(bad, unheard)
    with pytest.raises(BackupError, match=said):
        await put_back(shared_harness.address, bad, force=True)
    assert await content(shared_harness.address) == before
    assert not left_over(tmp_path)


@conformant
async def test_a_full_disk_leaves_nothing_behind(
    shared_harness: StoreHarness, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await write(shared_harness, 1)

    def full(_path: Path) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(writing, "sync", full)
    (folder := tmp_path / "full").mkdir()
    with pytest.raises(BackupError, match=r"cannot be written: No space left on device; free some space"):
        await make(shared_harness, folder / "a.backup")
    assert not list(folder.iterdir())
    with pytest.raises(BackupError, match="make its folder first"):
        await make(shared_harness, folder / "none" / "a.backup")


def test_a_server_that_is_away_leaves_nothing_behind(tmp_path: Path) -> None:
    with pytest.raises(StoreUnavailableError, match=r"cannot use postgresql://x@127\.0\.0\.1:1/x"):
        backup.make("postgresql://x@127.0.0.1:1/x", tmp_path / "a.backup", START, unheard)
    assert not list(tmp_path.iterdir())


def test_a_disk_that_is_full_in_truth_leaves_nothing_behind(tmp_path: Path) -> None:
    """A limit on the size of files stands for the disk; each size stops it at another place."""
    prepare(tmp_path / "duly.db")
    (folder := tmp_path / "full").mkdir()
    for size in (40_000, 300_000, 470_000):
        done = subprocess.run(
            [sys.executable, "-c", LIMITED, str(size), str(tmp_path / "duly.db"), str(folder / "a.backup")],
            capture_output=True,
            text=True,
            check=False,
            cwd=ROOT,
        )
        made = size > 462_848
        assert done.stdout.startswith("made" if made else "BackupError"), done.stdout + done.stderr
        assert "room" in done.stdout or made
        assert [each.name for each in folder.iterdir()] == ["a.backup"] * made


LIMITED = """
import resource, sys
from datetime import UTC, datetime
from pathlib import Path
from duly.errors import BackupError, StoreUnavailableError
from duly.stores import backup
size = int(sys.argv[1])
resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
try:
    backup.make(sys.argv[2], Path(sys.argv[3]), datetime.now(UTC), lambda text: None)
    print("made")
except BackupError as error:
    print("BackupError", error)
"""


async def test_a_file_that_another_process_uses_is_not_replaced(tmp_path: Path) -> None:
    with make_harness("sqlite", tmp_path) as harness:
        async with harness:
            await write(harness, 1)
            await make(harness, file := tmp_path / "a.backup")
            with pytest.raises(BackupError, match="is used by another process of duly"):
                await put_back(harness.address, file, force=True)
            await write(harness, 2)
            assert len(await content(harness.address)) == 2


def test_an_owner_who_is_no_superuser_may_do_it_all(tmp_path: Path, postgres_server: Server) -> None:
    role = f"plain_{os.getpid()}"
    with ExitStack() as stack:
        admin = stack.enter_context(postgres_server.admin())
        admin.execute(f"CREATE ROLE {role} LOGIN PASSWORD 'secret'".encode())
        stack.callback(admin.execute, f"DROP ROLE {role}".encode())
        urls = []
        for _ in range(2):
            url = stack.enter_context(postgres_server.database(migrated=False))
            database = url.split("@/")[1].partition("?")[0]
            admin.execute(f"ALTER DATABASE {database} OWNER TO {role}".encode())
            stack.callback(admin.execute, f"ALTER DATABASE {database} OWNER TO CURRENT_USER".encode())
            urls.append(re.sub("://[^@]*@", f"://{role}:secret@", url))
        admin.execute(f"ALTER ROLE {role} SET DateStyle = 'SQL, DMY'".encode())
        row = asyncio.run(one_schedule(urls[0]))
        made = backup.make(urls[0], tmp_path / "a.backup", START, unheard)
        admin.execute(f"ALTER ROLE {role} SET DateStyle = 'SQL, MDY'".encode())
        backup.restore(urls[1], made.file, unheard)
        backup.restore(urls[1], made.file, unheard, force=True)
        assert asyncio.run(one_schedule(urls[1])) == row


@conformant
async def test_nothing_is_overwritten(shared_harness: StoreHarness, tmp_path: Path) -> None:
    (file := tmp_path / "letter").write_text("dear")
    with pytest.raises(BackupError, match="exists already"):
        await make(shared_harness, file)
    assert file.read_text() == "dear"


@conformant
async def test_the_other_database_is_refused(shared_harness: StoreHarness, tmp_path: Path) -> None:
    await make(shared_harness, file := tmp_path / "a.backup")
    other = "postgresql://x@127.0.0.1:1/x" if "://" not in shared_harness.address else str(tmp_path / "other.db")
    with pytest.raises(BackupError, match="holds a store of"):
        await put_back(other, file)


def test_all_tables_of_postgres_are_in_a_backup(postgres_server: Server) -> None:
    from duly.stores.backup.of_postgres import tables

    with postgres_server.database() as url, postgres_server.admin(url.split("@/")[1].partition("?")[0]) as connection:
        there = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'").fetchall()
    assert {name for (name,) in there} <= set(tables())


def test_an_older_schema_of_postgres_is_put_back_and_upgraded(tmp_path: Path, postgres_server: Server) -> None:
    older = queries.newest_migration("postgres") - 1
    with postgres_server.database(migrated=False) as url:
        with postgres_server.admin(url.split("@/")[1].partition("?")[0]) as connection:
            connection.execute("CREATE TABLE schema_version (version INTEGER NOT NULL)")
            for number, script in queries.migrations("postgres")[:older]:
                connection.execute(script.encode())
                connection.execute("INSERT INTO schema_version VALUES (%s)", [number])
        made = backup.make(url, tmp_path / "old.backup", START, unheard)
    assert made.schema == older
    with postgres_server.database(migrated=False) as url:
        backup.restore(url, made.file, unheard)
        assert asyncio.run(content(url)) == {}
