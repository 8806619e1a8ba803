"""Frames of the WebSocket, answered without a connection."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from duly.errors import StoreUnavailableError
from duly.service.access.scopes import Caller, Face, Scope
from duly.ws.frames import Conversation, Listeners
from tests.world import World, world


async def ask(here: World, scope: str, method: str, **params: Any) -> dict[str, Any]:
    conversation = Conversation(here.runtime.services, Caller(Scope.parse(scope), "tok_1", Face.API))
    return await conversation.answer(json.dumps({"id": 1, "method": method, "params": params}))


async def test_every_option_of_a_reminder_can_be_set_and_changed(tmp_path: Path) -> None:
    async with world(tmp_path) as here:
        ana = await here.person("Ana")
        options = {
            "priority": "high",
            "require_ack": True,
            "ack_prompt": "Did you?",
            "snooze_allowed": False,
            "max_retries": 5,
            "max_ack_reminders": 2,
            "channel": "inbox",
        }
        schedule = {"type": "weekly", "time": "07:30", "days": ["weekdays"]}
        made = await ask(here, f"user:{ana}", "cron.add", name="work", schedule=schedule, action="Wake up!", **options)
        job = made["payload"]["job"]
        assert {name: job[name] for name in options} == options
        assert (job["time_of_day"], job["days_of_week"], job["user_id"]) == ("07:30", "1,2,3,4,5", ana)
        changes = {"message": "Get up!", "enabled": False, "require_ack": False, "name": "up"}
        changed = await ask(here, f"user:{ana}", "cron.update", id="work", **changes)
        job = changed["payload"]["job"]
        assert {name: job[name] for name in changes} == changes
        listed = await ask(here, f"user:{ana}", "cron.list", enabled=True)
        assert listed["payload"] == {"jobs": []}
        assert (await ask(here, f"user:{ana}", "cron.list", enabled=False))["payload"]["jobs"][0]["name"] == "up"


async def test_smart_keeps_the_words_and_every_page_is_listed(tmp_path: Path) -> None:
    async with world(tmp_path) as here:
        smart = {"type": "smart", "text": "workdays at 8, weekends at 10"}
        made = await ask(here, "admin", "cron.add", name="up", schedule=smart, message="m")
        job = made["payload"]["job"]
        assert (job["schedule_type"], job["next_run_at"]) == ("smart", "2026-11-17T07:00:00Z")
        assert job["original_text"] == "workdays at 8, weekends at 10"
        for number in range(120):
            await here.remind("local", name=f"n{number}")
        first = (await ask(here, "admin", "cron.list"))["payload"]
        rest = (await ask(here, "admin", "cron.list", cursor=first["next_cursor"]))["payload"]
        assert (len(first["jobs"]), len(rest["jobs"]), "next_cursor" in rest) == (100, 21, False)


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"schedule": {"type": "daily", "time": "08:00"}}, "message must be a text"),
    ({"message": "m"}, "schedule is required"),
    ({"message": "m", "schedule": "daily"}, "schedule must be"),
    ({"message": "m", "schedule": {"type": "monthly"}}, "schedule.type must be one of once"),
    ({"message": "m", "schedule": {"type": "daily"}}, "schedule.time is missing"),
    ({"message": "m", "schedule": {"type": "daily", "time": "25:00"}}, "schedule.time must be HH:MM"),
    ({"message": "m", "schedule": {"type": "once", "at": "2020-01-01T00:00"}}, "in the past"),
    ({"message": "m", "schedule": {"type": "cron", "expr": "0 0 31 2 *"}}, "cron"),
    ({"message": "m", "schedule": {"type": "smart", "text": "whenever"}}, "whenever"),
    ({"message": "m", "schedule": {"type": "daily", "time": "08:00", "timezone": "Mars/Base"}}, "Mars/Base"),
    ({"message": "", "schedule": {"type": "once", "at": "5m"}}, "message must be a text"),
    ({"message": "a\0b", "schedule": {"type": "once", "at": "5m"}}, "cannot be stored"),
    ({"message": "m", "action": "m", "schedule": {"type": "once", "at": "5m"}}, "give one of them"),
    ({"message": "m", "schedule": {"type": "once", "at": "5m"}, "priority": "huge"}, "priority"),
    ({"message": "m", "schedule": {"type": "once", "at": "5m"}, "require_ack": "yes"}, "require_ack"),
    ({"message": "m", "schedule": {"type": "once", "at": "5m"}, "max_retries": -1}, "max_retries"),
    ({"message": "m", "schedule": {"type": "once", "at": "5m"}, "require_ak": True}, "require_ak"),
    ({"message": "m", "schedule": {"type": "once", "at": "5m"}, "user": 7}, "user must be"),
    ({"message": "m", "schedule": {"type": "once", "at": "5m"}, "enabled": False}, "does not take 'enabled'"),
    ({"message": "m", "schedule": {"type": "once", "at": "5m"}, "name": " "}, "name must be a text that is not empty"),
    ({"message": "m", "schedule": {"type": "once", "at": "5m"}, "max_retries": True}, "max_retries must be a whole"),
    ({"message": "m", "schedule": {"type": "once", "at": "5m"}, "ack_prompt": "Did you?"}, "without require_ack"),
    ({"message": "m", "schedule": {"type": "once", "at": "5m"}, "max_ack_reminders": 1}, "without require_ack"),
    ({"message": "m", "schedule": {"type": "daily", "time": "08:00", "timezone": ""}}, "schedule.timezone must be"),
    ({"message": "m", "schedule": {"type": "daily", "time": "08:00", "at": "5m"}}, "schedule.at does not go with"),
    ({"action": {"message": "m", "text": "n"}, "schedule": {"type": "once", "at": "5m"}}, "action must be a text"),
    ({"action": {"message": "m", "prio": 1}, "schedule": {"type": "once", "at": "5m"}}, "action must be a text"),
]


async def test_an_invalid_frame_is_answered_with_the_reason(tmp_path: Path) -> None:
    async with world(tmp_path) as here:
        for params, says in WRONG:
            answer = await ask(here, "admin", "cron.add", **params)
            assert answer["ok"] is False
            assert answer["error"]["code"] == "INVALID_PARAMS"
            assert says in answer["error"]["message"]
        assert (await ask(here, "admin", "cron.list"))["payload"] == {"jobs": []}


async def test_a_frame_with_a_misspelt_key_is_refused(tmp_path: Path) -> None:
    async with world(tmp_path) as here:
        conversation = Conversation(here.runtime.services, Caller(face=Face.API))
        answer = await conversation.answer('{"id": 7, "method": "cron.list", "parms": {"enabled": false}}')
        told = "a frame has id, method and params, not 'parms'"
        assert answer == {"id": 7, "ok": False, "error": {"code": "INVALID_PARAMS", "message": told}}


async def test_a_change_of_nothing_is_refused_and_one_that_fails_changes_nothing(tmp_path: Path) -> None:
    async with world(tmp_path) as here:
        made = await here.remind("local", name="pills")
        nothing = await ask(here, "admin", "cron.update", id="pills")
        assert "nothing to change in 'pills'" in nothing["error"]["message"]
        await here.clock.travel(minutes=6)
        ended = await ask(here, "admin", "cron.update", id="pills", message="other", enabled=True)
        assert "has ended" in ended["error"]["message"]
        (job,) = (await ask(here, "admin", "cron.list"))["payload"]["jobs"]
        assert (job["id"], job["message"]) == (made.id, "Take it")


async def test_words_and_cron_mean_the_persons_zone_and_answers_show_it(tmp_path: Path) -> None:
    async with world(tmp_path) as here:
        ana = await here.person("Ana", timezone="Asia/Tokyo")
        smart, cron = {"type": "smart", "text": "every day at 9"}, {"type": "cron", "expr": "0 9 * * *"}
        for schedule in (smart, cron, {"type": "smart", "text": "0 9 * * *"}):
            made = (await ask(here, f"user:{ana}", "cron.add", message="m", schedule=schedule))["payload"]["job"]
            shown = (made["next_run_at"], made["next_run_local"], made["timezone"])
            assert shown == ("2026-11-17T00:00:00Z", "2026-11-17T09:00:00+09:00", "Asia/Tokyo")
            assert made.get("original_text") == schedule.get("text")
        once = await ask(here, f"user:{ana}", "cron.add", message="m", schedule={"type": "once", "at": "5m"})
        assert once["payload"]["job"]["original_text"] == "5m"


async def test_names_are_trimmed_and_found_with_white_space_around_them(tmp_path: Path) -> None:
    async with world(tmp_path) as here:
        schedule = {"type": "daily", "time": "08:00"}
        made = await ask(here, "admin", "cron.add", message="m", name=" pills ", schedule=schedule)
        assert made["payload"]["job"]["name"] == "pills"
        changed = await ask(here, "admin", "cron.update", id=" pills ", name="vitamins\t")
        assert changed["payload"]["job"]["name"] == "vitamins"
        assert (await ask(here, "admin", "cron.remove", id="vitamins "))["ok"] is True


async def test_error_codes_tell_denied_access_from_unknown_jobs(tmp_path: Path) -> None:
    async with world(tmp_path) as here:
        await here.person("Ana")
        assert (await ask(here, "user:Ghost", "cron.list"))["error"]["code"] == "NOT_FOUND"
        assert (await ask(here, "user:Ana", "cron.ack"))["error"]["code"] == "NOT_FOUND"
        assert (await ask(here, "project:blog", "cron.list"))["error"]["code"] == "UNAUTHORIZED"
        assert (await ask(here, "user:Ana:ro", "cron.list"))["ok"] is True
        assert (await ask(here, "user:Ana:ro", "cron.remove", id="x"))["error"]["code"] == "UNAUTHORIZED"
        assert (await ask(here, "user:Ana", "cron.remove"))["error"]["code"] == "INVALID_PARAMS"


async def test_internal_errors_show_no_details(tmp_path: Path) -> None:
    async with world(tmp_path) as here:

        async def broken(*_: Any, **__: Any) -> Any:
            raise faults.pop()

        here.runtime.services.reminder_service.lists.page = broken  # type: ignore[method-assign]
        faults: list[Exception] = [KeyError("secret detail"), StoreUnavailableError("the disk is full")]
        answer = await ask(here, "admin", "cron.list")
        assert answer["error"] == {"code": "INTERNAL", "message": "the disk is full"}
        answer = await ask(here, "admin", "cron.list")
        assert answer["error"]["code"] == "INTERNAL"
        assert "secret" not in answer["error"]["message"]


async def test_a_client_that_does_not_read_loses_the_oldest_frames(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("duly.ws.frames._MOST_WAITING", 10)
    async with world(tmp_path) as here:
        ana = await here.person("Ana")
        listeners = Listeners(here.runtime.services.reminder_service.lists)
        here.runtime.engine._sinks.append(listeners.hear)
        of_ana = listeners.join(ana)
        of_another = listeners.join("user_0")
        of_all = listeners.join(None)
        await here.runtime.services.reminder_service.create(ana, {"type": "interval", "every": "1m"}, "m")
        await here.clock.travel(timedelta(minutes=15))
        assert (of_ana.qsize(), of_another.qsize(), of_all.qsize()) == (10, 0, 10)
        first = of_ana.get_nowait()["payload"]
        assert first["fired_at"] == "2026-11-16T12:06:00Z"
        listeners.leave(of_ana)
        await here.clock.travel(timedelta(minutes=1))
        assert of_ana.qsize() == 9
