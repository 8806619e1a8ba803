"""The file of a store is deleted, replaced or overwritten while it is open: noticed at once, and nothing is lost."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable
from pathlib import Path

import apsw
import pytest

from duly.errors import StoreReplacedError, StoreUnavailableError
from duly.ports.records import ScheduleFilter, StoredSchedule
from duly.stores.sqlite import checkpoints
from duly.stores.sqlite.file import StoreFile
from duly.stores.sqlite.store import SqliteStore
from duly.testing.clock import VirtualClock
from tests.conformance.stores.builders import START, names, schedule
from tests.unit.stores.test_sqlite_faults import BOTH, is_whole, opened, take, writing

SECONDS_UNTOUCHED = 2.0
"""Longer than a file that was put in place has to stay as it is before it is opened."""


def copy(path: Path) -> Path:
    """A complete copy of a database that is in use."""
    made = path.with_name("copy.db")
    made.unlink(missing_ok=True)
    connection, target = apsw.Connection(str(path)), apsw.Connection(str(made))
    with target.backup("main", connection, "main") as backup:
        backup.step()
    target.close()
    connection.close()
    return made


def stamp_of(path: Path) -> int:
    """Return the stamp in the header of the file itself, without the log."""
    return int.from_bytes(path.read_bytes()[60:64], "big")


def move_over(copy: Path, path: Path) -> None:
    copy.replace(path)


def without_log(copy: Path, path: Path) -> None:
    """As the manual says: the log of the old file goes first."""
    for ending in ("-wal", "-shm"):
        path.with_name(path.name + ending).unlink(missing_ok=True)
    copy.replace(path)


def copy_over(copy: Path, path: Path) -> None:
    """As `cp` does it: the same file with another content."""
    shutil.copyfile(copy, path)


def delete_and_copy(copy: Path, path: Path) -> None:
    path.unlink()
    shutil.copyfile(copy, path)


def empty(path: Path) -> None:
    """As `: > schedules.db` does it."""
    path.write_bytes(b"")


def cut_off(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:50])


def scribble(path: Path) -> None:
    path.write_bytes(b"no database at all" * 1000)


def take_a_foreign_one(path: Path) -> None:
    foreign = apsw.Connection(str(path.with_name("foreign.db")))
    foreign.execute("CREATE TABLE notes (text); INSERT INTO notes VALUES ('mine')")
    foreign.close()
    path.with_name("foreign.db").replace(path)


PUT_BACK = pytest.mark.parametrize("put_back", [move_over, without_log, copy_over, delete_and_copy])


async def reopened(store: SqliteStore, clock: VirtualClock) -> list[str]:
    """The names of the schedules, once the store has opened the file that is there now."""
    with pytest.raises(StoreReplacedError):
        await store.schedules(ScheduleFilter())
    clock.advance(SECONDS_UNTOUCHED)
    return names(await store.schedules(ScheduleFilter()))


@PUT_BACK
@BOTH
async def test_a_copy_that_is_put_back_is_noticed_at_the_next_call_and_opened(
    tmp_path: Path, inline: bool, put_back: Callable[[Path, Path], None]
) -> None:
    path, clock, told = tmp_path / "duly.db", VirtualClock(START), list[str]()
    store = SqliteStore(path, clock, inline=inline)
    await store.open()
    store.on_replaced(told.append)
    await store.save([schedule("before")], take)
    backup = copy(path)
    await store.save([schedule("after")], take)
    put_back(backup, path)
    with pytest.raises(StoreReplacedError, match=r"duly\.db: .* while this process used it"):
        await store.save([schedule("never")], take)
    assert len(told) == 1
    assert await reopened(store, clock) == ["before"]
    await store.save([schedule("later")], take)
    assert len(told) == 1
    await store.close()
    assert is_whole(path)
    async with opened(path) as again:
        assert names(await again.schedules(ScheduleFilter())) == ["before", "later"]


@PUT_BACK
@BOTH
async def test_a_store_that_is_closed_after_it_was_replaced_leaves_no_log_to_the_copy(
    tmp_path: Path, inline: bool, put_back: Callable[[Path, Path], None], caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "duly.db"
    async with opened(path, inline=inline) as store:
        await store.save([schedule("before")], take)
        backup = copy(path)
        await store.save([schedule("after")], take)
        put_back(backup, path)
    assert "while this process used it" in caplog.text
    async with opened(path) as again:
        assert names(await again.schedules(ScheduleFilter())) == ["before"]
    assert is_whole(path)


@BOTH
async def test_a_deleted_file_is_never_made_anew_and_what_it_held_is_kept_beside_it(
    tmp_path: Path, inline: bool
) -> None:
    path, clock = tmp_path / "duly.db", VirtualClock(START)
    store = SqliteStore(path, clock, inline=inline)
    await store.open()
    await store.save([schedule("kept")], take)
    path.unlink()
    for attempt in range(3):
        with pytest.raises(StoreReplacedError, match=r"it was deleted .* mv .*duly\.db\.saved"):
            await store.save([schedule(f"never {attempt}")], take)
        clock.advance(SECONDS_UNTOUCHED)
        assert not path.exists()
    saved = tmp_path / "duly.db.saved"
    assert saved.stat().st_mode & 0o777 == 0o600
    saved.rename(path)
    assert "kept" in await reopened(store, clock)
    await store.close()
    assert is_whole(path)


@BOTH
async def test_a_new_store_in_the_place_of_the_old_one_is_not_taken_for_it(tmp_path: Path, inline: bool) -> None:
    """As when the disk was unmounted, and a command that knows of no daemon has made an empty store there."""
    path, clock = tmp_path / "duly.db", VirtualClock(START)
    store = SqliteStore(path, clock, inline=inline)
    await store.open()
    await store.save([schedule("kept")], take)
    path.unlink()
    with pytest.raises(StoreReplacedError):
        await store.schedules(ScheduleFilter())
    async with opened(path, inline=True) as stranger:
        await stranger.save([schedule("another")], take)
    for _ in range(3):
        clock.advance(SECONDS_UNTOUCHED)
        with pytest.raises(StoreUnavailableError):
            await store.schedules(ScheduleFilter())
    with pytest.raises(StoreUnavailableError, match=r"another store than the one .*duly\.db\.saved.* or restart"):
        await store.schedules(ScheduleFilter())
    for ending in ("", "-wal", "-shm"):
        path.with_name(path.name + ending).unlink(missing_ok=True)
    path.with_name("duly.db.saved").rename(path)
    for _ in range(2):
        clock.advance(SECONDS_UNTOUCHED)
        try:
            found = names(await store.schedules(ScheduleFilter()))
        except StoreUnavailableError:
            continue
    assert found == ["kept"]
    await store.close()


@BOTH
async def test_a_file_that_was_moved_away_takes_everything_with_it(tmp_path: Path, inline: bool) -> None:
    path, elsewhere = tmp_path / "duly.db", tmp_path / "elsewhere.db"
    async with opened(path, inline=inline) as store:
        await store.save([schedule("kept")], take)
        path.rename(elsewhere)
        with pytest.raises(StoreReplacedError):
            await store.schedules(ScheduleFilter())
        assert not path.with_name("duly.db-wal").exists(), "its log would be taken for that of the next file"
    async with opened(elsewhere) as store:
        assert names(await store.schedules(ScheduleFilter())) == ["kept"]


@pytest.mark.parametrize("ending", ["-wal", "-shm"])
@BOTH
async def test_a_log_that_was_deleted_is_written_into_the_file_and_begun_anew(
    tmp_path: Path, inline: bool, ending: str
) -> None:
    path, clock = tmp_path / "duly.db", VirtualClock(START)
    store = SqliteStore(path, clock, inline=inline)
    await store.open()
    await store.save([schedule("kept")], take)
    path.with_name(f"duly.db{ending}").unlink()
    with pytest.raises(StoreReplacedError, match=f"duly.db{ending} was deleted or replaced"):
        await store.save([schedule("perhaps")], take)
    assert "kept" in await reopened(store, clock)
    await store.save([schedule("later")], take)
    await store.close()
    assert is_whole(path)


@BOTH
async def test_an_empty_file_or_one_of_another_program_is_not_taken_for_the_store(tmp_path: Path, inline: bool) -> None:
    path, clock = tmp_path / "duly.db", VirtualClock(START)
    store = SqliteStore(path, clock, inline=inline)
    await store.open()
    backup = copy(path)
    path.unlink()
    for content in (b"", b"no database at all" * 100):
        path.write_bytes(content)
        for _ in range(3):
            with pytest.raises(StoreUnavailableError, match=r"duly\.db"):
                await store.schedules(ScheduleFilter())
            clock.advance(SECONDS_UNTOUCHED)
    backup.replace(path)
    assert await reopened(store, clock) == []
    await store.close()


@pytest.mark.parametrize("ruin", [empty, cut_off, scribble, take_a_foreign_one])
@BOTH
async def test_a_file_that_is_no_store_any_more_is_noticed_and_left_alone(
    tmp_path: Path, inline: bool, ruin: Callable[[Path], None]
) -> None:
    path, clock = tmp_path / "duly.db", VirtualClock(START)
    store = SqliteStore(path, clock, inline=inline)
    await store.open()
    await store.save([schedule("kept")], take)
    backup = copy(path)
    ruin(path)
    ruined = path.read_bytes()
    for _ in range(3):
        with pytest.raises(StoreUnavailableError, match=r"duly\.db"):
            await store.save([schedule("never")], take)
        clock.advance(SECONDS_UNTOUCHED)
    assert path.read_bytes() == ruined
    copy_over(backup, path)
    assert await reopened(store, clock) == ["kept"]
    await store.close()
    assert is_whole(path)


@BOTH
async def test_a_directory_that_vanishes_and_comes_back_is_like_a_file_that_does(tmp_path: Path, inline: bool) -> None:
    """As when a disk is unmounted."""
    (folder := tmp_path / "disk").mkdir()
    path, clock = folder / "duly.db", VirtualClock(START)
    store = SqliteStore(path, clock, inline=inline)
    await store.open()
    await store.save([schedule("kept")], take)
    folder.rename(tmp_path / "away")
    for _ in range(2):
        with pytest.raises(StoreReplacedError, match="it was deleted or moved away"):
            await store.save([schedule("never")], take)
        clock.advance(SECONDS_UNTOUCHED)
    assert not folder.exists()
    (tmp_path / "away").rename(folder)
    assert "kept" in await reopened(store, clock)
    await store.close()
    assert is_whole(path)


async def test_a_copy_that_is_still_being_written_is_not_opened(tmp_path: Path) -> None:
    path, clock = tmp_path / "duly.db", VirtualClock(START)
    store = SqliteStore(path, clock, inline=True)
    await store.open()
    await store.save([schedule("a")], take)
    content = copy(path).read_bytes()
    path.unlink()
    with path.open("wb") as file:
        for start in range(0, len(content), 4096):
            file.write(content[start : start + 4096])
            file.flush()
            with pytest.raises(StoreReplacedError):
                await store.schedules(ScheduleFilter())
            clock.advance(0.5)
    assert await reopened(store, clock) == ["a"]
    await store.close()


@BOTH
async def test_checkpoints_and_other_processes_are_not_taken_for_a_replaced_file(
    tmp_path: Path, inline: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checkpoints, "_PAGES", 20)
    monkeypatch.setattr(checkpoints, "_MORE_PAGES", 5)
    path = tmp_path / "duly.db"
    async with opened(path, inline=inline) as store, opened(path, inline=inline) as other:
        for number in range(100):
            await (store if number % 3 else other).save([schedule(f"s{number}", description="x" * 3000)], take)
            assert await store.get("nothing") is None
        stamp = writing(store).execute("PRAGMA user_version").get
        writing(other).execute("VACUUM; PRAGMA wal_checkpoint(TRUNCATE)")
        assert len(await store.schedules(ScheduleFilter(limit=1000))) == 100
    assert stamp > 5
    assert is_whole(path)


@BOTH
async def test_a_checkpoint_belongs_to_a_transaction_that_was_committed(
    tmp_path: Path, inline: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_before: StoredSchedule | None, _row: StoredSchedule) -> StoredSchedule:
        raise ValueError("no")

    path = tmp_path / "duly.db"
    async with opened(path, inline=inline) as store:
        stamp = stamp_of(path)
        assert stamp == 1, "a new store can be told from its copies"
        await store.save([schedule("a")], take)
        assert stamp_of(path) == 1, "none is due"
        monkeypatch.setattr(checkpoints, "_SECONDS", 0.0)
        with pytest.raises(ValueError, match="no"):
            await store.save([schedule("b")], fail)
        assert stamp_of(path) == 1
        await store.save([schedule("b")], take)
        assert stamp_of(path) == 2


async def test_an_older_copy_of_the_file_alone_gives_itself_away_by_its_stamp(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The header of such a copy differs from ours in nothing but the stamp."""
    path = tmp_path / "duly.db"
    async with opened(path, inline=True) as store:
        await store.save([schedule("a", description="x" * 100)], take)
        writing(store).execute("PRAGMA wal_checkpoint")
        await store.get("nothing")
        older = path.read_bytes()
        monkeypatch.setattr(checkpoints, "_SECONDS", 0.0)  # a checkpoint with every commit
        await store.save([schedule("b")], take)
        await store.save([schedule("c")], take)
        path.write_bytes(older)
        with pytest.raises(StoreReplacedError, match="another program wrote over it"):
            await store.save([schedule("d")], take)
    assert path.read_bytes() == older, "what was put there was not touched"


async def test_a_heartbeat_into_a_replaced_file_does_not_count(tmp_path: Path) -> None:
    path = tmp_path / "duly.db"
    async with opened(path) as store:
        pulse = store.pulse()
        assert not pulse.beat("nobody")
        path.unlink()
        with pytest.raises(StoreReplacedError):
            pulse.beat("nobody")
        with pytest.raises(StoreReplacedError):
            pulse.beat("nobody")
        pulse.close()
        assert not path.exists()


async def test_a_file_is_watched_between_calls_too(tmp_path: Path) -> None:
    path, told = tmp_path / "duly.db", asyncio.get_running_loop().create_future()
    async with opened(path) as store:
        store.on_change(lambda: None)
        store.on_replaced(told.set_result)
        path.unlink()
        assert "it was deleted" in await asyncio.wait_for(told, 60)


async def test_a_missing_store_is_not_made_by_a_caller_that_expects_one(tmp_path: Path) -> None:
    path = tmp_path / "duly.db"
    store = SqliteStore(path, VirtualClock(START))
    with pytest.raises(StoreUnavailableError, match="there is no such file"):
        await store.open(create=False)
    path.touch()
    with pytest.raises(StoreUnavailableError, match="it is not a store of duly"):
        await store.open(create=False)
    async with opened(path):
        pass
    await store.open(create=False)
    await store.close()


def test_a_file_that_no_connection_needs_is_let_go_of(tmp_path: Path) -> None:
    path = tmp_path / "duly.db"
    file = StoreFile(path)
    for connection in [file.connect(), file.connect()]:
        file.let_go(connection)
    file.close()
    links = [str(each.readlink()) for each in Path("/proc/self/fd").iterdir() if each.is_symlink()]
    assert not [each for each in links if each.startswith(str(tmp_path))]


@pytest.mark.parametrize("most", [1, 100_000])
async def test_long_checkpoints_are_made_beside_the_thread_that_writes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    """Where much is left to move, that thread waits for it only when the log has become very long."""
    for name, pages in (("_PAGES", 20), ("_MORE_PAGES", 5), ("_LONG", 1), ("_REST", 0)):
        monkeypatch.setattr(checkpoints, name, pages)
    begun = 0
    begin = checkpoints.CheckpointThread.begin

    def count(beside: checkpoints.CheckpointThread) -> None:
        nonlocal begun
        begun += 1
        begin(beside)
        beside.close()  # waits for it

    monkeypatch.setattr(checkpoints.CheckpointThread, "begin", count)
    waited: list[str] = []
    checkpoint = checkpoints.Checkpoints._checkpoint

    def wait(own: checkpoints.Checkpoints, how: str) -> None:
        waited.append(how)
        checkpoint(own, how)

    monkeypatch.setattr(checkpoints.Checkpoints, "_checkpoint", wait)
    monkeypatch.setattr(checkpoints, "_MOST_PAGES", most)
    path = tmp_path / "duly.db"
    async with opened(path, inline=False) as store, opened(path, inline=False) as other:
        for number in range(60):
            await (store if number % 3 else other).save([schedule(f"s{number}", description="x" * 3000)], take)
        assert len(await store.schedules(ScheduleFilter(limit=1000))) == 60
    assert begun
    assert ("PASSIVE" in waited) is (most == 1)
    assert is_whole(path)


async def test_the_thread_that_writes_moves_the_little_that_a_checkpoint_beside_it_has_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The log begins anew then; without that it would grow, because commits never stop for as long as a checkpoint."""
    for name, pages in (("_PAGES", 20), ("_MORE_PAGES", 1000), ("_LONG", 1)):
        monkeypatch.setattr(checkpoints, name, pages)
    begin = checkpoints.CheckpointThread.begin
    begun: list[checkpoints.CheckpointThread] = []

    def wait(beside: checkpoints.CheckpointThread) -> None:
        begin(beside)
        beside.close()  # waits for it
        begun.append(beside)

    monkeypatch.setattr(checkpoints.CheckpointThread, "begin", wait)
    synced: list[StoreFile] = []
    monkeypatch.setattr(StoreFile, "sync", lambda file: synced.append(file))
    path = tmp_path / "duly.db"
    in_log: list[int] = []
    async with opened(path, inline=False) as store:
        await store.save([schedule("first")], take)
        reader = apsw.Connection(str(path))
        reader.execute("BEGIN; SELECT name FROM schedules").fetchall()  # what comes after that cannot be moved yet
        while not begun:
            in_log.append(await saved(store, in_log))
        assert begun[0].moved < in_log[-1]
        assert synced, "the thread that writes waits for the disk to take the rest, and not for all of it"
        reader.close()
        for _ in range(2):
            in_log.append(await saved(store, in_log))
    assert in_log[-1] < in_log[-2]
    assert is_whole(path)


async def saved(store: SqliteStore, before: list[int]) -> int:
    """Save a schedule; returns how many pages are in the log then."""
    await store.save([schedule(f"s{len(before)}", description="x" * 3000)], take)
    assert store._file is not None
    assert store._file.executor is not None
    return store._file.executor.writer.checkpoints._pages
