"""The forms of reminders and people without script: every field has its value, its fault and its place in the store."""

from __future__ import annotations

import html
import re
from pathlib import Path
from typing import Any

import httpx
from hypothesis import given, settings
from hypothesis import strategies as st

from duly.web import edit_reminder
from tests.web.test_sign_in import HTML, csrf, play, sign_in
from tests.world import World


async def send(here: World, path: str, **fields: str) -> httpx.Response:
    """Open a form as a browser does, change what is given, and press Save."""
    page = (await here.http.get(path, headers=HTML)).text
    form = {name: html.unescape(value) for name, value in re.findall(r'<input[^>]*name="(\w+)" value="([^"]*)"', page)}
    radios = dict(re.findall(r'name="(\w+)" value="(\w+)" checked', page))
    chosen = re.findall(r'<select class="in" name="(\w+)">.*?<option value="(\w*)" selected', page)
    texts = re.findall(r'<textarea[^>]*name="(\w+)"[^>]*>\n?(.*?)</textarea>', page, re.DOTALL)
    typed = {**form, **radios, **dict(chosen), **{name: html.unescape(text) for name, text in texts}, **fields}
    typed["csrf"] = await csrf(here, path)
    typed.pop("look", None)
    return await here.http.post(path, data=typed, headers=HTML)


def test_every_field_of_a_reminder_can_be_set_changed_and_emptied(tmp_path: Path) -> None:
    async def scenario(here: World) -> None:
        await sign_in(here)
        fields = {"what": "message", "name": "pills", "message": "Take them", "words": "every day at 9", "way": "words"}
        wanted = {
            "ack_prompt": "Did you?",
            "lead_minutes": "1 day, 1h",
            "nag_minutes": "20 min",
            "snooze_allowed": "no",
        }
        made = await send(here, "/schedules/new", **fields, **wanted, max_ack_reminders="5")
        assert made.status_code == 303, made.text
        found = await here.runtime.services.reminder_service.get("local", "pills")
        assert (found.lead_minutes, found.nag_minutes, found.max_ack_reminders) == ((1440, 60), 20, 5)
        assert not found.snooze_allowed

        edit = f"/schedules/{found.id}/edit"
        page = (await here.http.get(edit, headers=HTML)).text
        for name, value in (("lead_minutes", "1d, 1h"), ("nag_minutes", "20m"), ("max_ack_reminders", "5")):
            assert re.search(rf'name="{name}" value="{value}"', page), name
        saved = await send(here, edit, lead_minutes="", nag_minutes="", snooze_allowed="yes")
        assert saved.status_code == 303, saved.text
        found = await here.runtime.services.reminder_service.get("local", "pills")
        assert (found.lead_minutes, found.nag_minutes, found.max_ack_reminders) == ((), 10, 5)
        assert found.snooze_allowed

        for name, value, said in (
            ("nag_minutes", "banana", "&#39;banana&#39; was not understood: write a length such as 10m, 2h or 3d."),
            ("nag_minutes", "2d", "Asks again after must not exceed 1440, got 2880"),
            ("lead_minutes", "1h, soon", "&#39;soon&#39; was not understood"),
            ("lead_minutes", "1m,2m,3m,4m,5m,6m", "Announce ahead takes at most 5 times, got 6"),
            ("max_ack_reminders", "often", "How often must be"),
            ("again_after_minutes", "3d", "again_after_minutes"),  # the service: it is for one time
        ):
            refused = await send(here, edit, **{name: value})
            assert refused.status_code == 422, (name, value)
            fault = re.search(rf'id="{name}-fault">([^<]+)<', refused.text)
            assert fault is not None, (name, value)
            assert said in fault[1], fault[1]
            assert html.escape(value, quote=True) in refused.text  # nothing typed is lost
        asks_nothing = await send(here, edit, ack_prompt="", nag_minutes="30m")
        assert "has no effect without require_ack" in html.unescape(asks_nothing.text)

        bob = await here.person("Bob")
        shared = await send(here, edit, shared_with="Bob", answered_by="everyone")
        assert shared.status_code == 303, shared.text
        found = await here.runtime.services.reminder_service.get("local", "pills")
        assert (found.shared_with, found.answered_by) == ((bob,), "everyone")
        page = (await here.http.get(edit, headers=HTML)).text
        assert re.search(r'name="shared_with" value="Bob"', page)
        unknown = await send(here, edit, shared_with="Bob, Zoe")
        assert unknown.status_code == 422
        assert "there is no user &#39;Zoe&#39;" in unknown.text
        emptied = await send(here, edit, shared_with="", answered_by="first")
        assert emptied.status_code == 303, emptied.text
        assert (await here.runtime.services.reminder_service.get("local", "pills")).shared_with == ()

        once = {**fields, "name": "gutter", "words": "tomorrow at 9", "ack_prompt": "Is it clean?"}
        assert (await send(here, "/schedules/new", **once, again_after_minutes="3 days")).status_code == 303
        assert (await here.runtime.services.reminder_service.get("local", "gutter")).again_after_minutes == 3 * 1440

    play(tmp_path, scenario)


def test_a_person_has_own_snoozes_and_parts_of_the_day(tmp_path: Path) -> None:
    async def scenario(here: World) -> None:
        await sign_in(here)
        page = (await here.http.get("/people/local", headers=HTML)).text
        assert 'placeholder="10m, 1h, evening, tomorrow"' in page
        saved = await send(here, "/people/local", snoozes="5m,30m,tomorrow", day_parts="evening=18:30")
        assert saved.status_code == 303, saved.text
        user = (await here.runtime.services.reminder_service.people.get("local")).user
        assert (user.snoozes, user.day_parts) == ("5m, 30m, tomorrow", "evening=18:30")
        for name, value in (("snoozes", "sometimes"), ("day_parts", "dawn=05:00")):
            refused = await send(here, "/people/local", **{name: value})
            assert refused.status_code == 422
            assert re.search(rf'id="{name}-fault">{name} ', refused.text), name
            assert f'value="{value}"' in refused.text
        assert (await send(here, "/people/local", snoozes="", day_parts="")).status_code == 303
        user = (await here.runtime.services.reminder_service.people.get("local")).user
        assert (user.snoozes, user.day_parts) == (None, None)

    play(tmp_path, scenario)


@settings(max_examples=30)
@given(st.integers(1, 60 * 24 * 60))
def test_a_length_is_read_as_it_is_written(minutes: int) -> None:
    written: Any = edit_reminder._length(minutes)
    typed = {**edit_reminder.EMPTY, "nag_minutes": written, "lead_minutes": f"{written}, {minutes}"}
    assert edit_reminder.raw(typed)["nag_minutes"] == minutes
    assert edit_reminder.raw(typed)["lead_minutes"] == [minutes, minutes]
