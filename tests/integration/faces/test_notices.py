"""The daemon tells how runs ended: to a chat by the vendor's wire format, to a program as a signed request."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from duly.service.access.scopes import Face
from tests.channels.fakes.receiver import FakeReceiver
from tests.channels.fakes.secrets import TELEGRAM_TOKEN, WEBHOOK_SECRET
from tests.channels.fakes.telegram import FakeTelegram
from tests.world import until, world

ENVIRONMENT = {"T": TELEGRAM_TOKEN, "W": WEBHOOK_SECRET}


async def test_an_answer_and_a_failure_reach_a_chat_and_a_webhook(tmp_path: Path) -> None:
    outcomes: list[Any] = ["Two drafts are new.", OSError("disk full"), "fine"]

    async def work(**_given: Any) -> Any:
        outcome = outcomes.pop(0)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    async with FakeTelegram() as chat, FakeReceiver() as program:
        channels: dict[str, dict[str, Any]] = {
            "telegram": {"token": "env:T", "base_url": chat.url},
            "webhook": {"secret": "env:W", "allow": ["127.0.0.0/8"]},
        }
        async with world(tmp_path, channels, ENVIRONMENT, public_url="https://duly.example.org") as here:
            await here.person("Ana", ("telegram", "17"), language="en")
            runtime = here.runtime
            runtime.jobs.register(work, "work")
            runtime.engine.serves_more()
            caller = runtime.local(Face.CLI)
            rules = ["success to Ana", "failure to Ana", f"success to {program.url}/hook?key=secret"]
            form = {"name": "look", "cron": "0 * * * *", "job_name": "work", "notify": rules}
            made = await runtime.services.use_cases.schedule_create(caller, form)
            await here.clock.travel(minutes=61)
            await until(lambda: len(chat.messages) == 1 and len(program.taken) == 1, "the answer")
            [run] = (await runtime.services.schedules.schedule_history(caller, made.id))[0]
            said = f"✓ look\nTwo drafts are new.\nhttps://duly.example.org/runs/{run.id}"
            assert [each["text"] for each in chat.messages.values()] == [said]
            [(key, body)] = program.taken.items()
            assert (body["text"], body["type"]) == (said, "message")
            assert "secret" not in key
            assert "x-duly-signature" in program.seen[0].headers
            detail = await runtime.services.schedules.runs.get(caller, run.id)
            assert {(each.kind, each.channel) for each in detail.deliveries} == {
                ("notice", "telegram"),
                ("notice", "webhook"),
            }
            await here.clock.travel(minutes=62)
            await until(lambda: len(chat.messages) == 2, "the failure")
            failure = [each["text"] for each in chat.messages.values()][1]
            assert failure.startswith("✗ look failed at 15:00: OSError: disk full\nNext attempt at 16:00.")
