"""The page about the WebSocket shows the frames that the server sends."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from duly.service.access.scopes import ADMIN, Caller, Face
from duly.ws.frames import Conversation, Listeners
from duly.ws.live_line import LiveLine
from tests.world import world

PAGE = (Path(__file__).parents[3] / "docs" / "websocket.md").read_text(encoding="utf-8")


def agrees(shown: Any, real: Any) -> bool:
    """Whether everything that is shown is there; a text that ends in … goes on."""
    if isinstance(shown, dict):
        return isinstance(real, dict) and all(key in real and agrees(value, real[key]) for key, value in shown.items())
    if isinstance(shown, list):
        return len(shown) == len(real) and all(map(agrees, shown, real))
    if isinstance(shown, str) and shown.endswith("…"):
        return isinstance(real, str) and real.startswith(shown[:-1])
    return bool(shown == real)


async def test_the_frames_shown_are_the_frames_sent(tmp_path: Path) -> None:
    exchanges = re.findall(r"(?m)^→ (.*)\n← (.*)$", PAGE)
    assert len(exchanges) == 5
    async with world(tmp_path) as here:
        conversation = Conversation(here.runtime.services, Caller(ADMIN, face=Face.API))
        for sent, shown in exchanges:
            answer = await conversation.answer(sent)
            assert agrees(json.loads(shown), answer), answer
        methods = set(re.findall(r"`(cron\.[a-z]+)`", PAGE))
        unknown = await conversation.answer('{"id": 1, "method": "cron.unknown"}')
        assert methods == set(re.findall(r"cron\.[a-z]+", unknown["error"]["message"])) - {"cron.unknown"}


async def test_the_pushed_frame_has_the_fields_shown(tmp_path: Path) -> None:
    [shown, _] = re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)
    async with world(tmp_path) as here:
        listeners = Listeners(here.runtime.services.reminder_service.lists)
        here.runtime.engine._sinks.append(listeners.hear)
        queue = listeners.join(None)
        await here.remind(await here.person("Ana"), "Take them")
        await here.clock.travel(minutes=5)
        assert queue.get_nowait()["payload"].keys() == json.loads(shown)["payload"].keys()


async def test_the_pushed_live_events_have_the_fields_shown(tmp_path: Path) -> None:
    [_, text] = re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)
    [shown] = json.loads(text)["payload"]["events"]
    pushed: list[dict[str, Any]] = []

    async def push(frame: dict[str, Any]) -> None:
        pushed.append(frame)

    async with world(tmp_path) as here:
        line = LiveLine(here.app.state.live, push)
        conversation = Conversation(here.runtime.services, Caller(ADMIN, face=Face.API), line)
        await conversation.answer('{"id": 1, "method": "subscribe", "params": {"topics": ["run"]}}')
        await here.remind(await here.person("Ana"), "Take them", name="pills")
        await here.clock.travel(minutes=5, seconds=1)
        await line.close()
    assert {frame["event"] for frame in pushed} == {"live"}
    told = {event["kind"]: event for frame in pushed for event in frame["payload"]["events"]}
    started = told["run.started"]
    assert started.keys() == shown.keys()
    assert agrees({name: shown[name] for name in ("topic", "kind", "at", "data")}, started)
