"""Edit: the form without script, its faults at their places, the preview, two people who save, and reminders."""

from __future__ import annotations

import html
import json
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from duly.service.access.scopes import ADMIN, Caller, Face
from tests.integration.web.browsing import HOSTILE, Browser, browsing, schedule, text_of

SPRING = datetime(2027, 3, 26, 13, 32, tzinfo=UTC)
NEW = {
    "what": "prompt",
    "name": "night-audit",
    "prompt": "look",
    "way": "words",
    "words": "every night at half past two",
}


def fields_of(page: str) -> dict[str, str]:
    """Give what a browser would post: the values of the form as it stands."""
    [form] = re.findall(r'<form id="edit".*?</form>', page, re.DOTALL)
    found: dict[str, str] = {}
    for tag in re.findall(r"<input\b[^>]*>", form):
        named = dict(re.findall(r'([\w-]+)="([^"]*)"', tag))
        if named.get("type") in ("radio", "checkbox") and " checked" not in tag:
            continue
        found[named["name"]] = html.unescape(named.get("value", ""))
    for name, text in re.findall(r'<textarea[^>]*name="(\w+)"[^>]*>\n?(.*?)</textarea>', form, re.DOTALL):
        found[name] = html.unescape(text)
    for name, options in re.findall(r'<select[^>]*name="(\w+)"[^>]*>(.*?)</select>', form, re.DOTALL):
        chosen = re.search(r"<option(?: value=\"([^\"]*)\")? selected>([^<]*)", options)
        if chosen is not None:
            found[name] = chosen[1] or chosen[2]
    return {name: value for name, value in found.items() if name != "csrf"}


async def stored(browser: Browser, schedule_id: str) -> Any:
    return await browser.here.runtime.services.schedules.schedule_get(Caller(ADMIN, face=Face.GUI), schedule_id)


def free(browser: Browser) -> None:
    """Let prompts be made although no agent is installed here."""
    browser.here.runtime.check_action = lambda *_: None  # type: ignore[method-assign]


async def test_a_schedule_is_made_without_script(tmp_path: Path) -> None:
    async with browsing(tmp_path, start=SPRING) as browser:
        free(browser)
        page = await browser.get("/schedules/new?when=every+night+at+half+past+two")
        said = text_of(page)
        assert "Sunday 28 March: 02:30 does not exist." in said
        assert "Sunday 31 October: 02:30 happens twice." in said
        assert "212 ordinary times" in said
        assert "30 2 * * *" in said
        given = (
            fields_of(page)
            | NEW
            | {"attempts": "3", "delay": "30 s", "timeout": "15 min", "max_cost_per_run": "$ 0.50"}
        )
        made = text_of(await browser.pressed("/schedules/new", **given))
        assert "night-audit made" in made
        assert "It is stopped after 15 min" in made
        assert "waits 30 s, then 1 min" in made
        assert "One run may cost $0.50." in made


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ({"words": "every banana"}, "'banana' was not understood"),
        ({"words": "every mnday at 7"}, "Take “every monday at 7”"),
        ({"way": "cron", "cron": "0 9 * * mon,fry"}, "Take “0 9 * * mon,fri”"),
        ({"way": "cron", "cron": "0 9 * *"}, "has 4 fields"),
        ({"zone": "Mars/Olympus"}, "Mars/Olympus"),
        ({"name": ""}, "Give it a name."),
        ({"prompt": "  "}, "Say what it should do."),
        ({"timeout": "soon"}, "soon"),
        ({"attempts": "many"}, "many"),
        ({"what": "job", "job_name": ""}, "Which job?"),
        ({"what": "job", "job_name": "nothing-like-it"}, "nothing-like-it"),
    ],
)
async def test_a_fault_is_told_and_nothing_typed_is_lost(tmp_path: Path, typed: dict[str, str], said: str) -> None:
    async with browsing(tmp_path) as browser:
        free(browser)
        answer = await browser.post("/schedules/new", **{**NEW, "description": "kept as typed", **typed})
        assert answer.status_code == 422
        assert said in text_of(answer.text)
        assert "kept as typed" in answer.text
        for value in typed.values():
            assert html.escape(value, quote=True).replace("&#x27;", "&#39;") in answer.text
        assert "Nothing is scheduled yet" in await browser.get("/schedules")


async def test_what_would_be_right_is_taken_with_one_press(tmp_path: Path) -> None:
    async with browsing(tmp_path) as browser:
        answer = await browser.post("/schedules/new", **{**NEW, "words": "weekdys at 7", "take": "weekdays at 7"})
        assert 'name="words" value="weekdays at 7"' in answer.text
        assert "every weekday at 07:00" in text_of(answer.text)


@pytest.mark.parametrize(
    ("typed", "cron"),
    [
        (
            {"way": "builder", "unit": "weeks", "number": "1", "times": "08:00 17:00", "days": ["0", "4"]},
            "0 8,17 * * 1,5",
        ),
        ({"way": "builder", "unit": "days", "number": "1", "times": "02:30"}, "30 2 * * *"),
        ({"way": "builder", "unit": "months", "number": "1", "times": "10:00", "month_day": "-1"}, "0 10 L * *"),
        ({"way": "cron", "cron": "*/15 7-20 * * 1-5"}, "*/15 7-20 * * 1-5"),
    ],
)
async def test_the_three_ways_are_one_value(tmp_path: Path, typed: dict[str, Any], cron: str) -> None:
    async with browsing(tmp_path) as browser:
        answer = await browser.post("/ui/edit/preview", **{**NEW, **typed})
        assert answer.status_code == 200
        assert f'data-cron="{cron}"' in answer.text
        assert 'id="preview"' in answer.text


async def test_only_what_was_changed_is_saved_and_can_be_undone(tmp_path: Path) -> None:
    async with browsing(tmp_path) as browser:
        found = await schedule(browser.here, timeout="15m", targets=["blog"], retry={"max_attempts": 3, "delay": "30s"})
        page = await browser.get(f"/schedules/{found}/edit")
        assert "No changes" in page
        before = await stored(browser, found)
        done = await browser.pressed(f"/schedules/{found}/edit", **{**fields_of(page), "prompt": "look twice"})
        assert "review changed" in text_of(done)
        assert 'action="/ui/undo"' in done
        after = await stored(browser, found)
        assert after.prompt == "look twice"
        for name in ("when", "timeout", "retry", "targets", "overlap_behavior", "next_run_at", "session_behavior"):
            assert getattr(after, name) == getattr(before, name), name
        again = fields_of(await browser.get(f"/schedules/{found}/edit"))
        await browser.pressed(f"/schedules/{found}/edit", **{**again, "timeout": "", "words": "every day at 9"})
        last = await stored(browser, found)
        assert last.timeout is None
        assert last.when == "every day at 09:00 (Europe/Berlin)"


async def test_two_people_save_and_the_second_sees_both_versions(tmp_path: Path) -> None:
    async with browsing(tmp_path) as browser:
        found = await schedule(browser.here)
        mine = fields_of(await browser.get(f"/schedules/{found}/edit"))
        theirs = {**mine, "prompt": "theirs", "timeout": "5m"}
        await browser.pressed(f"/schedules/{found}/edit", **theirs)
        answer = await browser.post(f"/schedules/{found}/edit", **{**mine, "prompt": "mine", "attempts": "4"})
        assert answer.status_code == 409
        said = text_of(answer.text)
        assert "It was changed meanwhile" in said
        assert "Also changed by them, and kept: Stop after — → 5m" in said
        assert (await stored(browser, found)).prompt == "theirs"
        merged = fields_of(answer.text)
        assert merged["timeout"] == "5m"
        await browser.pressed(f"/schedules/{found}/edit", **merged)
        kept = await stored(browser, found)
        assert (kept.prompt, kept.timeout, kept.retry["max_attempts"]) == ("mine", 300, 4)


async def test_theirs_can_be_taken_in_a_conflict(tmp_path: Path) -> None:
    async with browsing(tmp_path) as browser:
        found = await schedule(browser.here)
        mine = fields_of(await browser.get(f"/schedules/{found}/edit"))
        await browser.pressed(f"/schedules/{found}/edit", **{**mine, "prompt": "theirs"})
        answer = await browser.post(f"/schedules/{found}/edit", **{**mine, "prompt": "mine", "name": "renamed"})
        merged = fields_of(answer.text) | {"take:prompt": "theirs"}
        await browser.pressed(f"/schedules/{found}/edit", **merged)
        kept = await stored(browser, found)
        assert (kept.prompt, kept.name) == ("theirs", "renamed")


async def test_a_reminder_is_made_and_changed(tmp_path: Path) -> None:
    async with browsing(tmp_path) as browser:
        given = {"what": "message", "name": "tablet", "message": "Take it", "ack_prompt": "Did you?", "way": "words"}
        made = await browser.pressed("/schedules/new", **{**given, "words": "every day at 14:05", "priority": "high"})
        assert "tablet made" in text_of(made)
        [found] = re.findall(r'href="/schedules/(sched_\w+)/edit"', made)[:1]
        page = await browser.get(f"/schedules/{found}/edit")
        assert fields_of(page)["ack_prompt"] == "Did you?"
        await browser.pressed(f"/schedules/{found}/edit", **{**fields_of(page), "message": "Take two"})
        view = await stored(browser, found)
        assert (view.message, view.when) == ("Take two", "every day at 14:05 (Europe/Berlin)")
        assert "Undone: tablet changed" in text_of(await browser.pressed("/ui/undo"))
        assert (await stored(browser, found)).message == "Take it"


async def test_two_people_save_a_reminder_and_the_second_sees_both_versions(tmp_path: Path) -> None:
    async with browsing(tmp_path) as browser:
        given = {
            "what": "message",
            "name": "tablet",
            "message": "Take it",
            "way": "words",
            "words": "every day at 14:05",
        }
        made = await browser.pressed("/schedules/new", **given, priority="high")
        [found] = re.findall(r'href="/schedules/(sched_\w+)/edit"', made)[:1]
        mine = fields_of(await browser.get(f"/schedules/{found}/edit"))
        await browser.pressed(f"/schedules/{found}/edit", **{**mine, "message": "Theirs", "priority": "low"})
        answer = await browser.post(f"/schedules/{found}/edit", **{**mine, "message": "Mine", "ack_prompt": "Taken?"})
        assert answer.status_code == 409
        said = text_of(answer.text)
        assert "It was changed meanwhile" in said
        assert "Theirs" in said
        merged = fields_of(answer.text)
        assert (merged["message"], merged["ack_prompt"], merged["priority"]) == ("Mine", "Taken?", "low")
        assert (await stored(browser, found)).message == "Theirs"
        await browser.pressed(f"/schedules/{found}/edit", **merged)
        assert (await stored(browser, found)).message == "Mine"


async def test_markup_stays_text_in_every_field(tmp_path: Path) -> None:
    async with browsing(tmp_path) as browser:
        page = await browser.get("/schedules/new")
        hostile = {name: HOSTILE for name in fields_of(page) if name not in ("what", "way", "base")}
        for way in ("words", "cron", "builder"):
            for what in ("prompt", "job", "message"):
                answer = await browser.post("/schedules/new", **{**hostile, "what": what, "way": way})
                assert answer.status_code == 422
                assert "<img" not in answer.text
                assert "<script>" not in answer.text
        answer = await browser.post("/ui/edit/preview", **{**hostile, "base": json.dumps(hostile)})
        assert "<img" not in answer.text


@pytest.mark.parametrize("scope", ["project:blog:ro", "admin:ro"])
async def test_who_may_only_look_gets_no_form(tmp_path: Path, scope: str) -> None:
    async with browsing(tmp_path, scope) as browser:
        found = await schedule(browser.here, targets=["blog"])
        page = await browser.get(f"/schedules/{found}/edit")
        assert 'id="edit"' not in page
        assert "may look at it, not change it" in text_of(page)


@pytest.mark.parametrize("scope", ["project:blog", "user:ana", "project:blog:ro"])
async def test_the_form_offers_only_what_a_token_may_have_done(tmp_path: Path, scope: str) -> None:
    async with browsing(tmp_path, scope) as browser:
        if scope.endswith(":ro"):
            assert "may only look" in text_of(await browser.get("/schedules/new", 403))
            return
        page = await browser.get("/schedules/new")
        assert 'name="what" value="job"' not in page
        assert ('name="what" value="message"' in page) == (scope == "user:ana")
