"""Message and time in one sentence through every face, and `POST /messages` as a face of the chat."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from duly.service.access.scopes import Caller, Face, Scope
from duly.ws.frames import Conversation
from tests.world import World, world

SENTENCE = "call mom tomorrow at 5pm"


async def test_rest_makes_a_reminder_of_a_sentence(tmp_path: Path) -> None:
    async with world(tmp_path) as here:
        ana = await here.person("Ana", timezone="Europe/Zagreb")
        headers = {"Authorization": f"Bearer {await here.token(f'user:{ana}')}"}
        made = await here.http.post("/api/v1/reminders", json={"text": SENTENCE, "require_ack": True}, headers=headers)
        assert made.status_code == 201
        view = made.json()
        assert (view["message"], view["name"], view["require_ack"]) == ("call mom", "call-mom", True)
        assert (view["next_run_local"], view["original_text"]) == ("2026-11-17T17:00:00+01:00", SENTENCE)
        for body in ({"text": "call mom"}, {"text": SENTENCE, "message": "m"}, {"message": "m"}, {}):
            refused = await here.http.post("/api/v1/reminders", json=body, headers=headers)
            assert refused.status_code == 422, body


async def test_a_doubtful_time_is_taken_and_its_other_reading_is_said(tmp_path: Path) -> None:
    async with world(tmp_path) as here:
        ana = await here.person("Ana", timezone="Europe/Zagreb")
        headers = {"Authorization": f"Bearer {await here.token(f'user:{ana}')}"}
        words = {"type": "smart", "text": "tomorrow at 5"}
        for body in ({"text": "call mom tomorrow at 5"}, {"schedule": words, "message": "call mom"}):
            view = (await here.http.post("/api/v1/reminders", json=body, headers=headers)).json()
            assert view["next_run_local"] == "2026-11-17T05:00:00+01:00"
            assert view["note"] == "If you meant tomorrow at 17:00, write that instead."
        job = (await _add(here, ana, text="call mom tomorrow at 5"))["payload"]["job"]
        assert job["note"] == "If you meant tomorrow at 17:00, write that instead."


async def test_the_websocket_makes_a_reminder_of_a_sentence(tmp_path: Path) -> None:
    async with world(tmp_path) as here:
        ana = await here.person("Ana", timezone="Europe/Zagreb")
        made = await _add(here, ana, text=SENTENCE, priority="high")
        job = made["payload"]["job"]
        assert (job["message"], job["priority"], job["next_run_at"]) == ("call mom", "high", "2026-11-17T16:00:00Z")
        assert (await _add(here, ana, text="call mom"))["error"]["code"] == "INVALID_PARAMS"
        assert "leave out message" in (await _add(here, ana, text=SENTENCE, message="m"))["error"]["message"]


async def _add(here: World, user: str, **params: Any) -> dict[str, Any]:
    caller = Caller(Scope.parse(f"user:{user}"), "tok_1", Face.API)
    conversation = Conversation(here.runtime.services, caller)
    return await conversation.answer(json.dumps({"id": 1, "method": "cron.add", "params": params}))


async def test_any_chat_pipeline_can_hand_requests_in(tmp_path: Path) -> None:
    async with world(tmp_path) as here:
        ana = await here.person("Ana", timezone="Europe/Zagreb", language="en")
        headers = {"Authorization": f"Bearer {await here.token(f'user:{ana}')}"}

        async def said(**body: Any) -> dict[str, Any]:
            answer = await here.http.post("/messages", json={"channel": "irc", **body}, headers=headers)
            assert answer.status_code == 200
            found: dict[str, Any] = answer.json()
            return found

        made = await said(text="remind me to call mom tomorrow at 9am", message_id="1")
        assert made == {
            "consumed": True,
            "reply": "⏰ I will remind you tomorrow at 09:00 (Europe/Zagreb): call mom",
        }
        assert await said(text="remind me to call mom tomorrow at 9am", message_id="1") == {
            "consumed": True,
            "reply": None,
        }
        await said(text="remind me to call dad tomorrow at 9am")
        asked = await said(text="cancel call")
        assert [each["label"] for each in asked["buttons"]] == [
            "call dad (tomorrow at 09:00)",
            "call mom (tomorrow at 09:00)",
        ]
        assert (await said(button=asked["buttons"][0]["button"]))["reply"].startswith("✗ Removed: call dad")
        passed_on = await said(text="what's the weather like?")
        assert (passed_on["consumed"], passed_on["reply"]) == (False, None)
        assert passed_on["fallback"].startswith("Sorry, I did not understand that.")
