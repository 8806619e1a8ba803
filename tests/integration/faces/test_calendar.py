"""`/calendar/<secret>.ics`: what a link shows, to whom, and when it ends; and the import of calendar files."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import icalendar
import pytest

from duly.errors import AccessDeniedError, InvalidInputError, NotFoundError
from duly.ports.records import RunFilter, ScheduleFilter
from duly.runtime import notice_loop, review_loop
from duly.service.access.scopes import Caller, Face
from duly.service.calendar.calendar import CalendarUseCases
from tests.world import World, world

FILE = b"""BEGIN:VCALENDAR
VERSION:2.0
PRODID:test
BEGIN:VEVENT
UID:gym@cal
SUMMARY:Gym
DTSTART;TZID=Europe/Berlin:20261117T180000
DTEND;TZID=Europe/Berlin:20261117T190000
RRULE:FREQ=WEEKLY;BYDAY=TU,TH
END:VEVENT
BEGIN:VTODO
UID:tax@cal
SUMMARY:Taxes
DUE:20261130T120000Z
END:VTODO
BEGIN:VEVENT
UID:old@cal
SUMMARY:Long ago
DTSTART:20201130T120000Z
END:VEVENT
END:VCALENDAR
"""


def use_cases(here: World) -> CalendarUseCases:
    return here.runtime.services.calendar


async def caller(here: World, scope: str) -> Caller:
    found = await here.runtime.services.tokens.caller(await here.token(scope), Face.API)
    assert found is not None
    return found


async def events(here: World, path: str) -> list[Any]:
    answer = await here.http.get(path)
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "text/calendar; charset=utf-8"
    return list(icalendar.Calendar.from_ical(answer.content).walk("VEVENT"))


async def test_a_link_shows_coming_fires_and_past_runs(tmp_path: Path) -> None:
    async with world(tmp_path) as here:
        user = await here.person("ana", timezone="Europe/Berlin")
        await here.runtime.services.reminder_service.create(user, {"type": "daily", "time": "13:05"}, "Walk")
        made = await use_cases(here).link(await caller(here, "user:ana"), "Ana's")
        [coming] = await events(here, made.path)
        assert (str(coming["SUMMARY"]), coming["RRULE"].to_ical()) == ("Walk", b"FREQ=DAILY")
        await here.clock.travel(minutes=10)
        coming, past = await events(here, made.path)
        assert coming["DTSTART"].dt.isoformat() == "2026-11-17T13:05:00+01:00"
        assert (str(past["SUMMARY"]), str(past["STATUS"])) == ("✓ Walk", "CONFIRMED")


async def test_an_unchanged_calendar_is_not_sent_again(tmp_path: Path) -> None:
    async with world(tmp_path) as here:
        user = await here.person("ana")
        await here.remind(user, at="3h")
        made = await use_cases(here).link(here.runtime.local(Face.CLI))
        first = await here.http.get(made.path)
        for tag in (first.headers["etag"], f"W/{first.headers['etag']}", f'"x", {first.headers["etag"]}'):
            again = await here.http.get(made.path, headers={"If-None-Match": tag})
            assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", first.headers["etag"])
        await here.remind(user, at="4h")
        changed = await here.http.get(made.path, headers={"If-None-Match": first.headers["etag"]})
        assert changed.status_code == 200
        assert first.headers["cache-control"] == "private, no-cache"


async def test_a_link_shows_what_its_token_may_see_and_ends_with_it(tmp_path: Path) -> None:
    async with world(tmp_path) as here:
        for name in ("ana", "ben"):
            await here.remind(await here.person(name), f"for {name}", at="2h")
        ana, admin = await caller(here, "user:ana"), here.runtime.local(Face.CLI)
        mine, all_of_it = await use_cases(here).link(ana), await use_cases(here).link(admin)
        assert [str(each["SUMMARY"]) for each in await events(here, mine.path)] == ["for ana"]
        assert {str(each["SUMMARY"]) for each in await events(here, all_of_it.path)} == {"for ana", "for ben"}
        await here.runtime.services.tokens.revoke(admin, str(ana.token_id))
        assert (await here.http.get(mine.path)).status_code == 404


async def test_links_are_listed_rotated_and_revoked(tmp_path: Path) -> None:
    async with world(tmp_path) as here:
        await here.person("ana")
        await here.person("ben")
        calendars = use_cases(here)
        ana, ben, admin = await caller(here, "user:ana"), await caller(here, "user:ben"), here.runtime.local(Face.CLI)
        made = await calendars.link(ana, "phone")
        assert [each.name for each in await calendars.links(ana)] == ["phone"]
        assert await calendars.links(ben) == []
        assert [each.id for each in await calendars.links(admin)] == [made.link.id]
        for stranger in (ben, await caller(here, "project:blog")):
            with pytest.raises(NotFoundError):
                await calendars.revoke(stranger, made.link.id)
        with pytest.raises(AccessDeniedError):
            await calendars.revoke(await caller(here, "admin:ro"), made.link.id)
        new = await calendars.rotate(ana, made.link.id)
        assert (await here.http.get(made.path)).status_code == 404
        assert (await here.http.get(new.path)).status_code == 200
        [seen] = await calendars.links(ana)
        assert seen.last_used_at == here.clock.now()
        await calendars.revoke(ana, made.link.id)
        assert (await here.http.get(new.path)).status_code == 404
        assert await calendars.links(admin) == []
        for name in ("", "x" * 101, "a\nb"):
            with pytest.raises(InvalidInputError):
                await calendars.link(ana, name)


async def test_the_calendar_has_the_runs_that_each_schedule_has_by_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for loop in (notice_loop, review_loop):  # three days are long when both look twice a minute
        monkeypatch.setattr(loop, "LOOK_EVERY", 3600.0)
    async with world(tmp_path) as here:
        user = await here.person("ana")
        for number, every in enumerate(("1h", "2h", "90m", "1d")):
            await here.runtime.services.reminder_service.create(
                user, {"type": "interval", "every": every}, f"every {number}"
            )
        await here.remind(user, at="3h")
        await here.remind(user, at="40d")
        for _ in range(4):
            await here.clock.travel(hours=18)
        runs_of = {
            row.id: await here.runtime.store.runs(RunFilter(schedule_id=row.id, limit=50))
            for row in await here.runtime.store.schedules(ScheduleFilter())
        }
        expected = [f"{run.id}@duly" for runs in runs_of.values() for run in runs if run.status.final]
        found = icalendar.Calendar.from_ical(await use_cases(here).export(here.runtime.local(Face.CLI)))
        shown = [str(each["UID"]) for each in found.walk("VEVENT") if str(each["UID"]).startswith("run_")]
        assert len(shown) > 100  # the hourly one has more runs than are shown
        assert shown == expected


def contents(folder: Path) -> bytes:
    return b"".join(each.read_bytes() for each in folder.glob("duly.db*"))


async def test_the_secret_is_stored_nowhere(tmp_path: Path) -> None:
    async with world(tmp_path) as here:
        made = await use_cases(here).link(here.runtime.local(Face.CLI))
        stored = contents(tmp_path)
        assert made.secret.encode() not in stored
        assert made.link.id.encode() in stored


async def test_a_file_becomes_reminders_and_again_nothing_new(tmp_path: Path) -> None:
    async with world(tmp_path) as here:
        user = await here.person("ana", timezone="Europe/Berlin")
        calendars, ana = use_cases(here), await caller(here, "user:ana")

        async def run(data: bytes = FILE, *, dry_run: bool = False) -> list[str]:
            report = await calendars.import_ics(ana, data, dry_run=dry_run)
            return [each.action for each in report.items]

        assert await run(dry_run=True) == ["created", "created", "refused"]
        assert [
            each
            async for each in here.runtime.services.reminder_service.lists.rows(
                (await here.runtime.services.reminder_service.people.get(user)).user
            )
        ] in ([], [[]])
        assert await run() == ["created", "created", "refused"]
        assert await run() == ["unchanged", "unchanged", "refused"]
        moved = FILE.replace(b"T180000", b"T193000").replace(b"SUMMARY:Taxes", b"SUMMARY:Taxes!")
        assert await run(moved, dry_run=True) == ["updated", "updated", "refused"]
        assert await run(moved) == ["updated", "updated", "refused"]
        gym = await here.runtime.services.reminder_service.get(user, "gym")
        assert (gym.message, gym.next_run_local) == ("Gym", "2026-11-17T19:30:00+01:00")
        assert (await here.runtime.services.reminder_service.get(user, "taxes")).message == "Taxes!"


async def test_an_imported_event_is_exported_under_its_own_id(tmp_path: Path) -> None:
    async with world(tmp_path) as here:
        await here.person("ana", timezone="Europe/Berlin")
        calendars, ana = use_cases(here), await caller(here, "user:ana")
        await calendars.import_ics(ana, FILE)
        out = icalendar.Calendar.from_ical(await calendars.export(ana))
        found: dict[str, Any] = {str(each["UID"]): each for each in out.walk("VEVENT")}
        assert set(found) == {"gym@cal", "tax@cal"}
        assert found["gym@cal"]["RRULE"].to_ical() == b"FREQ=WEEKLY;BYDAY=TU,TH"
        assert found["gym@cal"]["DURATION"].dt == timedelta(hours=1)
        assert [each.action for each in (await calendars.import_ics(ana, out.to_ical())).items if each.uid == "gym@cal"]


@pytest.mark.parametrize("scope", ["project:blog", "user:ana:ro"])
async def test_who_may_not_make_reminders_may_not_import(tmp_path: Path, scope: str) -> None:
    async with world(tmp_path) as here:
        await here.person("ana")
        with pytest.raises(AccessDeniedError):
            await use_cases(here).import_ics(await caller(here, scope), FILE)


async def test_a_person_imports_for_themselves_only(tmp_path: Path) -> None:
    async with world(tmp_path) as here:
        await here.person("ana")
        ben = await here.person("ben")
        with pytest.raises(AccessDeniedError):
            await use_cases(here).import_ics(await caller(here, "user:ana"), FILE, user="ben")
        report = await use_cases(here).import_ics(here.runtime.local(Face.CLI), FILE, user="ben")
        assert report.count("created") == 2
        assert (await here.runtime.services.reminder_service.get(ben, "gym")).message == "Gym"
