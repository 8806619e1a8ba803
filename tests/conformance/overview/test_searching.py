"""A search for a text: a part at a time, with its progress, and in the end all that a list would give."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from duly.errors import InvalidInputError
from duly.model.run import Status
from duly.service import searching
from duly.service.pages import cursor_of
from duly.service.schedules import listing
from duly.service.searching import SearchProgress, SearchSizes, progress_of
from duly.testing.clock import VirtualClock
from tests.conformance.overview.conftest import ADMIN, START, Desk, scoped, seated

_NUMBER = 11


@pytest.fixture(autouse=True)
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two rows for a statement, and time for one statement in a call: as with very many rows."""
    for name, value in {"_FIRST_ROWS": 2, "_MOST_ROWS": 2, "LONGEST": 0.0}.items():
        monkeypatch.setattr(searching, name, value)


async def _everything(ask: Any, **asked: Any) -> tuple[list[Any], list[SearchProgress]]:
    """Ask page by page to the end; gives all items, and the progress after each page."""
    found: list[Any] = []
    progress: list[SearchProgress] = []
    cursor = None
    while True:
        items, cursor = await ask(cursor=cursor, **asked)
        found += items
        if cursor is None:
            return found, progress
        come = progress_of(cursor)
        assert come is not None
        progress.append(come)


@seated
async def test_schedules_are_searched_a_part_at_a_time(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(_NUMBER):
        even = number % 2 == 0
        await desk.add(f"s{number:02}", prompt="ÄPFEL" if even else "pears", namespace=f"user:{'a' if even else 'b'}")
    apples = [f"s{number:02}" for number in range(0, _NUMBER, 2)]

    async def names(**asked: Any) -> list[str]:
        async def ask(**more: Any) -> Any:
            return await desk.services.schedules.schedule_list(ADMIN, limit=3, **more)

        found, progress = await _everything(ask, **asked)
        assert [each.searched for each in progress] == sorted(each.searched for each in progress)
        assert {each.total for each in progress} <= {_NUMBER}
        return [view.name for view in found]

    assert await names(text="äpfel") == apples
    assert await names(text="nowhere") == []
    assert await names(text="äpfel", kind="job", sort="attention") == []
    monkeypatch.setattr(listing, "LARGE", 3)
    for sort in listing.SORTS:  # so many schedules are searched by name
        assert await names(text="äpfel", sort=sort) == apples
    assert await names(text="äpfel", state="ok") == apples
    assert await names(text="äpfel", state="paused") == []


@seated
async def test_a_person_hears_only_of_their_own_schedules(desk: Desk) -> None:
    for number in range(_NUMBER):
        await desk.add(f"s{number:02}", namespace="user:ada" if number < 5 else "user:eve")
    items, cursor = await desk.services.schedules.schedule_list(scoped("user:ada"), text="nowhere")
    assert (items, progress_of(cursor)) == ([], SearchProgress(2, 5))
    for caller in (scoped("project:shop"), scoped("user:bob")):
        assert await desk.services.schedules.schedule_list(caller, text="nowhere") == ([], None)


@seated
async def test_runs_are_searched_a_part_at_a_time(desk: Desk) -> None:
    schedule_id = await desk.add("backup", job_name="backup")
    for number in range(_NUMBER):
        failed = number % 3 == 0
        status, error = (Status.FAILED, "disk 100% full") if failed else (Status.SUCCEEDED, None)
        await desk.ran(schedule_id, START.replace(minute=number), status, error=error)

    async def ask(**asked: Any) -> Any:
        return await desk.overview.runs(ADMIN, limit=3, **asked)

    found, progress = await _everything(ask, text="100% F")
    assert [run.status for run in found] == ["failed"] * 4
    assert [run.id for run in found] == sorted((run.id for run in found), reverse=True)
    assert progress[0].total == _NUMBER
    assert [each.searched for each in progress] == sorted({each.searched for each in progress})
    assert len((await _everything(ask, text="BACK"))[0]) == _NUMBER

    counts = await desk.overview.run_counts(ADMIN, text="back")
    assert (counts.total, counts.searched, counts.searched_of) == (2, 2, _NUMBER)
    assert (await desk.overview.run_counts(ADMIN)).searched is None


@seated
async def test_a_cursor_of_another_search_is_refused(desk: Desk) -> None:
    for number in range(3):
        await desk.add(f"s{number}")
    _, cursor = await desk.services.schedules.schedule_list(ADMIN, text="nowhere")
    assert progress_of(cursor) is not None
    with pytest.raises(InvalidInputError, match="not one of ours"):
        await desk.overview.runs(ADMIN, text="nowhere", cursor=cursor)


def test_progress_is_read_from_the_cursor_of_a_search_only() -> None:
    assert str(SearchProgress(63_000, 1_000_000)) == "searched 63,000 of 1,000,000"
    assert progress_of("run_1") is None
    assert progress_of(None) is None
    assert progress_of(cursor_of("search", "1", "x", "a", "b")) is None


async def test_a_size_is_counted_once_in_a_while() -> None:
    clock = VirtualClock(START)
    sizes = SearchSizes(clock)
    counted: list[int] = []

    async def count() -> int:
        counted.append(1)
        return len(counted)

    assert [await sizes.of("a", count), await sizes.of("a", count), await sizes.of("b", count)] == [1, 1, 2]
    clock.advance(timedelta(minutes=5))
    assert await sizes.of("a", count) == 3


@seated
async def test_a_rare_kind_among_many_is_looked_for_by_name(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """In parts, as a text is: no index has the schedules of a kind."""
    monkeypatch.setattr(listing, "LARGE", 20)
    monkeypatch.setattr(listing, "_LOOKED_AT", 300)
    for number in range(24):
        await desk.add(f"job-{number:02}", job_name="work")
    await desk.add("zebra")
    calls = 0

    async def names(**wanted: Any) -> list[str]:
        nonlocal calls
        found: list[str] = []
        cursor: str | None = None
        calls = 0
        while calls == 0 or cursor is not None:
            shown, cursor = await desk.runtime.services.schedules.schedule_list(ADMIN, cursor=cursor, limit=5, **wanted)
            found += [view.name for view in shown]
            calls += 1
        return found

    for sort in listing.SORTS:
        assert await names(kind="agent", sort=sort) == ["zebra"]
        assert calls > 1
        assert await names(kind="agent", sort=sort, state="ok") == ["zebra"]
        assert await names(kind="agent", sort=sort, state="failing") == []
        assert sorted(await names(kind="job", sort=sort)) == [f"job-{number:02}" for number in range(24)]
        assert calls == 5  # whole pages
