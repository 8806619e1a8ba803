"""What a chat keeps between two messages survives writing and reading, also as the version before wrote it."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

from duly.model.codec import from_plain, to_plain
from duly.service.chat.questions import ChatOption, ChatQuestion, ChatStep, make_question
from duly.service.chat.topics import ChatTopic

NOW = datetime(2026, 11, 16, 12, 0, 0, 250_000, tzinfo=UTC)
STEP = ChatStep(do="remind", text="stretch", original="stretch at 9", people=("user_1",), options={"lead_minutes": [5]})


def _again(question: ChatQuestion) -> ChatQuestion:
    return from_plain(ChatQuestion, json.loads(json.dumps(to_plain(question))), "question")


def test_a_question_comes_back_as_it_was() -> None:
    for question in (
        make_question(
            NOW, (ChatOption(label="Stretch", step=STEP), ChatOption(label="No", step=ChatStep(do="nothing")))
        ),
        make_question(NOW, wants_time=STEP, is_yes_or_no=True),
    ):
        assert _again(question) == question


def test_a_question_of_the_version_before_is_read() -> None:
    step: dict[str, Any] = {"do": "skip", "schedule_id": "sched_1", "text": "", "trigger": None, "until": "2026-11-17"}
    step |= {"original": "skip it", "people": [], "options": {}}
    kept = {"id": "q", "options": [{"label": "A", "step": step}], "wants_time": None, "is_yes_or_no": False}
    kept |= {"expires_at": "2026-11-16T13:00:00.250000+00:00", "message_id": None}
    assert from_plain(ChatQuestion, kept, "question") == ChatQuestion(
        id="q",
        options=(ChatOption(label="A", step=ChatStep(do="skip", schedule_id="sched_1", until="2026-11-17",
                                                     original="skip it")),),
        expires_at=NOW + timedelta(hours=1),
    )  # fmt: skip


def test_a_topic_is_read_as_it_was_and_is_written() -> None:
    topic = ChatTopic(ids=("sched_1", "sched_2"), at=NOW)
    assert from_plain(ChatTopic, {"ids": [*topic.ids], "at": NOW.isoformat()}, "topic") == topic
    assert from_plain(ChatTopic, json.loads(json.dumps(to_plain(topic))), "topic") == topic
