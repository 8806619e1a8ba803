"""The rules of a schedule: who is told which answers, what counts as nothing to tell, and what a message says."""

from __future__ import annotations

from typing import Any

from duly.errors import ChannelTemporaryError
from duly.model.action import Prompt, Target
from duly.model.events import NOTICE_FAILED
from duly.model.notice import NoticeStatus
from tests.conformance.notices.harness import FULL, NoticeHarness, with_notices

HOURLY = "every hour"


def answered(*texts: str, cost: float | None = None) -> dict[str, Any]:
    """The result of a prompt, as the dispatcher of agents makes it."""
    targets = [
        {
            "project_id": f"p{number}",
            "workspace_id": None,
            "status": "succeeded",
            "session_id": f"s{number}",
            "text": text,
        }
        for number, text in enumerate(texts, start=1)
    ]
    return {"targets": targets, "cost_usd": cost}


PROMPT = Prompt(text="look", targets=(Target("p1"), Target("p2")))


@with_notices
async def test_an_answer_is_told_with_its_cost_session_and_link(harness: NoticeHarness) -> None:
    harness.link = lambda run_id: f"https://duly.example.org/runs/{run_id[:4]}"
    made = await harness.schedule("morning", HOURLY, "always", action=PROMPT)
    harness.jobs.outcomes["morning"] = answered("Two drafts are new.", cost=0.034)
    await harness.minutes(61)
    assert harness.chat.texts == [
        "✓ morning\nTwo drafts are new.\nCost: $0.03 · Session: s1\nhttps://duly.example.org/runs/run_"
    ]
    assert await harness.sends(made) == [("chat", "sent")]


@with_notices
async def test_every_success_is_told_and_failures_as_ever(harness: NoticeHarness) -> None:
    await harness.schedule("count", HOURLY, "always")
    harness.jobs.outcomes["count"] = 7
    await harness.minutes(125)
    assert harness.chat.texts == ["✓ count\n7"] * 2
    harness.jobs.outcomes["count"] = FULL
    await harness.minutes(180)
    assert [text.splitlines()[0] for text in harness.chat.texts[2:]] == ["✗ count failed at 16:00: OSError: disk full"]


@with_notices
async def test_targets_are_told_in_one_message_and_silence_is_told_too(harness: NoticeHarness) -> None:
    await harness.schedule("look", HOURLY, "success", action=PROMPT)
    harness.jobs.outcomes["look"] = answered("All is well.", "")
    await harness.minutes(61)
    assert harness.chat.texts == [
        "✓ look\np1: All is well.\np2: It ended without an answer.\nSession: s1 · Session: s2"
    ]


@with_notices
async def test_nothing_to_report_is_not_told(harness: NoticeHarness) -> None:
    made = await harness.schedule("look", HOURLY, "always", action=PROMPT)
    harness.jobs.outcomes["look"] = answered("**Nothing to report.**", "nothing  to report")
    await harness.minutes(61)
    harness.jobs.outcomes["look"] = answered("Nothing to report.", "The disk is full.")
    await harness.minutes(60)
    assert harness.chat.texts == ["✓ look\nThe disk is full.\nSession: s2"]
    first, _second = await harness.notices(made)
    assert (first.status, first.error) == (NoticeStatus.SILENT, "it had nothing to report")


@with_notices
async def test_a_schedule_may_have_its_own_quiet_word(harness: NoticeHarness) -> None:
    await harness.schedule("look", HOURLY, "always", quiet_word="ništa novo")
    harness.jobs.outcomes["look"] = "Ništa novo!"
    await harness.minutes(61)
    harness.jobs.outcomes["look"] = "nothing to report"
    await harness.minutes(60)
    assert harness.chat.texts == ["✓ look\nnothing to report"]


@with_notices
async def test_only_a_changed_answer_is_told(harness: NoticeHarness) -> None:
    made = await harness.schedule("price", HOURLY, ("change", "success to Root"))
    for answer in ("10", "10", " 10 ", "11", "11", "10"):
        harness.jobs.outcomes["price"] = answer
        await harness.minutes(60.1)
    assert harness.chat.texts == ["✓ price\n10", "✓ price\n11", "✓ price\n10"]
    assert len(harness.pager.texts) == 6
    silent = [each for each in await harness.notices(made) if each.status is NoticeStatus.SILENT]
    assert {each.error for each in silent} == {"its answer has not changed"}


@with_notices
async def test_a_change_that_could_not_be_told_is_told_the_next_time(harness: NoticeHarness) -> None:
    await harness.store.people.remove_channel(harness.ana, "mail", "ana@example.org")
    await harness.schedule("price", "every day at 12:30", "change")
    harness.jobs.outcomes["price"] = "10"
    harness.chat.otherwise = ConnectionError("down")
    await harness.clock.travel(hours=20)
    assert harness.chat.tries == 4
    harness.chat.otherwise = None
    await harness.clock.travel(hours=24)
    assert harness.chat.texts == ["✓ price\n10"]


@with_notices
async def test_a_long_answer_is_shortened(harness: NoticeHarness) -> None:
    await harness.schedule("long", HOURLY, "success")
    harness.jobs.outcomes["long"] = "x" * 2000
    await harness.minutes(61)
    assert harness.chat.texts == ["✓ long\n" + "x" * 1500 + "\n… 500 more characters"]


@with_notices
async def test_a_person_a_channel_and_a_webhook_are_told(harness: NoticeHarness) -> None:
    rules = ("success to Root", "success via mail", "success to inbox", "success to https://example.org/hook")
    await harness.schedule("look", HOURLY, rules)
    harness.jobs.outcomes["look"] = "done"
    await harness.minutes(61)
    told = ["✓ look\ndone"]
    assert (harness.pager.texts, harness.mail.texts, harness.chat.texts) == (told, told, [])
    assert await harness.inbox() == told
    [posted] = harness.webhook.arrived
    assert (posted.address, posted.outgoing.text) == ("https://example.org/hook", "✓ look\ndone")
    assert "example.org" not in posted.outgoing.key


@with_notices
async def test_what_a_webhook_does_not_take_is_in_the_inbox_of_the_owner(harness: NoticeHarness) -> None:
    await harness.schedule("look", "every day at 12:30", "success to https://example.org/hook?key=secret")
    harness.jobs.outcomes["look"] = "done"
    harness.webhook.otherwise = ChannelTemporaryError("webhook: example.org did not take the message (HTTP 500)")
    await harness.clock.travel(hours=20)
    assert harness.webhook.tries == 4
    assert await harness.inbox() == ["✓ look\ndone\nexample.org did not take this message, so it is here."]
    assert [(event.kind, event.data["error"]) for event in harness.told] == [
        (NOTICE_FAILED, "webhook: example.org did not take the message (HTTP 500)")
    ]


@with_notices
async def test_critical_notices_do_not_wait_for_the_morning(harness: NoticeHarness) -> None:
    await harness.change_ana(quiet_from="13:00", quiet_to="23:00")
    await harness.schedule("look", HOURLY, ("success", "failure critical"))
    harness.jobs.outcomes["look"] = FULL
    await harness.minutes(70)
    assert [text.splitlines()[0] for text in harness.chat.texts] == ["✗ look failed at 14:00: OSError: disk full"]
    harness.jobs.outcomes["look"] = "fine"
    await harness.minutes(60)
    assert harness.chat.texts[1:] == ["✓ look works again."]
    await harness.clock.travel(hours=10)
    assert "✓ look\nfine" in harness.chat.texts


@with_notices
async def test_failures_go_to_those_who_are_named_instead_of_the_owner(harness: NoticeHarness) -> None:
    await harness.schedule("look", HOURLY, "failure to Root")
    harness.jobs.outcomes["look"] = FULL
    await harness.minutes(70)
    assert (len(harness.pager.texts), harness.chat.texts) == (1, [])


@with_notices
async def test_a_rule_for_successes_leaves_failures_to_the_owner(harness: NoticeHarness) -> None:
    await harness.schedule("look", HOURLY, "success to Root")
    harness.jobs.outcomes["look"] = FULL
    await harness.minutes(70)
    assert (harness.pager.texts, len(harness.chat.texts)) == ([], 1)


@with_notices
async def test_what_a_person_says_to_a_notice_answers_no_reminder(harness: NoticeHarness) -> None:
    made = await harness.schedule("look", HOURLY, "success")
    harness.jobs.outcomes["look"] = "fine"
    await harness.minutes(61)
    [sent] = harness.chat.arrived
    assert await harness.sends(made) == [("chat", "sent")]
    handled = await harness.service.handle_message(harness.ana, "chat", "done", quoted=sent.message_id)
    assert handled.answered is None
