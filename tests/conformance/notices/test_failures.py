"""A schedule that fails, and one that works again, reach the owner: once each, grouped, in their language."""

from __future__ import annotations

from datetime import timedelta

from duly.agents.assignment import LimitTooLongError, PromptError
from duly.config.notify import NotifySettings
from duly.errors import ChannelPermanentError, ChannelTemporaryError
from duly.model.action import Message
from duly.model.events import NOTICE_FAILED
from duly.model.notice import NoticeKind, NoticeStatus
from duly.planning import lifecycle
from duly.ports.channels import Receipt, ReceiptStatus
from tests.conformance.notices.harness import FULL, NoticeHarness, with_notices

FAILED = "✗ backup failed at 13:01: OSError: disk full\nNext attempt at 13:02."
WORKS = "✓ backup works again."


@with_notices
async def test_a_schedule_that_fails_every_minute_is_told_once_and_its_recovery_once(harness: NoticeHarness) -> None:
    harness.settings = NotifySettings(gather=timedelta(seconds=30))
    made = await harness.schedule()
    harness.jobs.outcomes["backup"] = FULL
    await harness.minutes(60)
    assert harness.chat.texts == [FAILED]
    harness.jobs.outcomes["backup"] = None
    await harness.minutes(60)
    assert harness.chat.texts[1:] == [WORKS]
    assert await harness.sends(made) == [("chat", "sent"), ("chat", "sent")]
    assert [(each.kind, each.status) for each in await harness.notices(made)] == [
        (NoticeKind.FAILURE, NoticeStatus.SENT),
        (NoticeKind.RECOVERY, NoticeStatus.SENT),
    ]


@with_notices
async def test_while_all_goes_well_nothing_is_written_and_nothing_told(harness: NoticeHarness) -> None:
    made = await harness.schedule()
    await harness.minutes(30)
    assert await harness.notices(made) == []
    assert harness.chat.tries == 0
    assert await harness.store.notices.next_due() is None


@with_notices
async def test_a_single_failure_tells_the_reason_the_time_and_the_next_attempt(harness: NoticeHarness) -> None:
    await harness.schedule(when="every day at 12:30")
    harness.jobs.outcomes["backup"] = FULL
    harness.link = lambda run_id: f"https://duly.example.org/runs/{run_id[:4]}"
    await harness.minutes(32)
    assert harness.chat.texts == [
        "✗ backup failed at 13:30: OSError: disk full\nNext attempt tomorrow at 13:30.\nhttps://duly.example.org/runs/run_"
    ]


@with_notices
async def test_what_an_agent_did_is_said_in_the_words_of_the_person(harness: NoticeHarness) -> None:
    await harness.change_ana(language="de")
    limit = "blog: the limit resets at 2026-12-24T18:00:00Z, and a run waits for it 1 day, 0:00:00 at most (x)"
    for name, error in (
        ("limit", LimitTooLongError(limit, "x")),
        (
            "spent",
            LimitTooLongError(
                "blog: claude's limit is reached, and a run waits for it 1 day, 0:00:00 at most (x)", "x"
            ),
        ),
        ("empty", PromptError("blog: ended without an answer")),
        ("other", PromptError("blog: closed until 2026-12-24T18:00:00Z")),
    ):
        await harness.schedule(name, "every day at 12:30")
        harness.jobs.outcomes[name] = error
    await harness.minutes(32)
    said = sorted(line for text in harness.chat.texts for line in text.splitlines() if line.startswith("✗"))
    when = "am Donnerstag, den 24. Dezember um 19:00"
    limited = "das Nutzungslimit des Agenten ist erreicht"
    assert said == [
        "✗ empty ist um 13:30 fehlgeschlagen: der Agent hat nicht geantwortet",
        f"✗ limit ist um 13:30 fehlgeschlagen: {limited}, er arbeitet {when} wieder",
        f"✗ other ist um 13:30 fehlgeschlagen: blog: closed until {when}",
        f"✗ spent ist um 13:30 fehlgeschlagen: {limited}, und er sagt nicht, wie lange noch",
    ]


@with_notices
async def test_many_schedules_that_fail_for_one_reason_are_one_message(harness: NoticeHarness) -> None:
    harness.settings = NotifySettings(gather=timedelta(seconds=90))
    for number in range(14):
        name = f"copy-{number:02}"
        await harness.schedule(name, "every day at 12:30" if number % 2 else "every day at 12:31")
        harness.jobs.outcomes[name] = FULL
    await harness.schedule("report", "every day at 12:30")
    harness.jobs.outcomes["report"] = ValueError("no figures")
    await harness.minutes(40)
    [message] = harness.chat.texts
    many, report = message.split("\n\n") if message.startswith("✗ 14") else reversed(message.split("\n\n"))
    assert many.splitlines()[0] == "✗ 14 schedules failed: OSError: disk full"
    assert many.endswith("and 4 more")
    assert report == "✗ report failed at 13:30: ValueError: no figures\nNext attempt tomorrow at 13:30."
    for name in harness.jobs.outcomes:
        harness.jobs.outcomes[name] = None
    await harness.clock.travel(days=1)
    [recovered] = harness.chat.texts[1:]
    assert recovered.startswith("✓ 15 schedules work again: ")


@with_notices
async def test_one_that_fails_and_works_in_turn_is_told_at_most_twice_an_hour(harness: NoticeHarness) -> None:
    turns = iter(range(10_000))
    await harness.schedule()

    def in_turn(_run: object) -> None:
        if next(turns) % 2:
            raise FULL

    harness.jobs.outcomes["backup"] = in_turn
    await harness.clock.travel(hours=6)
    assert 6 <= len(harness.chat.texts) <= 14


@with_notices
async def test_a_failure_that_is_over_when_it_is_told_says_so(harness: NoticeHarness) -> None:
    harness.settings = NotifySettings(gather=timedelta(seconds=90))
    made = await harness.schedule()
    harness.jobs.outcomes["backup"] = FULL
    await harness.clock.travel(seconds=61)
    harness.jobs.outcomes["backup"] = None
    await harness.minutes(10)
    assert harness.chat.texts == ["✗ backup failed at 13:01, and works again: OSError: disk full"]
    [notice] = await harness.notices(made)
    assert not notice.is_open


@with_notices
async def test_quiet_hours_hold_notices_back_until_the_morning(harness: NoticeHarness) -> None:
    await harness.change_ana(quiet_from="13:00", quiet_to="15:00")
    for name in ("one", "two"):
        await harness.schedule(name, "every hour")
        harness.jobs.outcomes[name] = FULL
    await harness.minutes(119)
    assert harness.chat.tries == 0
    await harness.minutes(5)
    assert harness.chat.texts == ["✗ 2 schedules failed: OSError: disk full\none, two"]


@with_notices
async def test_it_is_told_in_the_language_of_the_person(harness: NoticeHarness) -> None:
    await harness.change_ana(language="de")
    await harness.schedule(when="every day at 12:30")
    harness.jobs.outcomes["backup"] = FULL
    await harness.minutes(32)
    assert harness.chat.texts == [
        "✗ backup ist um 13:30 fehlgeschlagen: OSError: disk full\nNächster Versuch morgen um 13:30."
    ]


@with_notices
async def test_the_next_channel_takes_what_the_first_refuses(harness: NoticeHarness) -> None:
    made = await harness.schedule(when="every day at 12:30")
    harness.jobs.outcomes["backup"] = FULL
    harness.chat.otherwise = ChannelPermanentError("blocked")
    harness.mail.otherwise = Receipt(ReceiptStatus.DELIVERED, "m1")
    await harness.minutes(35)
    assert await harness.sends(made) == [("chat", "failed"), ("mail", "delivered")]
    [notice] = await harness.notices(made)
    assert notice.status is NoticeStatus.DELIVERED


@with_notices
async def test_a_notice_that_fails_is_kept_in_the_inbox_and_causes_no_other(harness: NoticeHarness) -> None:
    made = await harness.schedule(when="every day at 12:30")
    harness.jobs.outcomes["backup"] = FULL
    for channel in (harness.chat, harness.mail):
        channel.otherwise = ChannelTemporaryError("503")
    await harness.clock.travel(hours=23)
    assert (harness.chat.tries, harness.mail.tries) == (4, 4)
    [kept] = await harness.inbox()
    assert kept.startswith("✗ backup failed")
    [notice] = await harness.notices(made)
    assert (notice.status, notice.due_at) == (NoticeStatus.FAILED, None)
    assert [event.kind for event in harness.told] == [NOTICE_FAILED]
    assert harness.pager.tries == 0


@with_notices
async def test_schedules_without_another_owner_are_the_local_users(harness: NoticeHarness) -> None:
    await harness.schedule(when="every day at 12:30", namespace="default")
    harness.jobs.outcomes["backup"] = FULL
    await harness.minutes(35)
    assert harness.chat.tries == 0
    [message] = await harness.inbox("local")
    assert message.startswith("✗ backup failed at 12:30: OSError")


@with_notices
async def test_a_reminder_that_fails_is_escalated_and_not_told_besides(harness: NoticeHarness) -> None:
    made = await harness.schedule("pill", "every hour", action=Message(text="Take it"))
    harness.jobs.outcomes["pill"] = FULL
    await harness.minutes(70)
    assert await harness.notices(made) == []


@with_notices
async def test_never_is_silent_and_so_is_a_file_that_wants_no_failures(harness: NoticeHarness) -> None:
    await harness.schedule("one", notify="never")
    harness.jobs.outcomes["one"] = FULL
    await harness.minutes(10)
    harness.settings = NotifySettings(failures=False)
    await harness.schedule("two")
    await harness.schedule("three", notify="failure")
    harness.jobs.outcomes |= {"two": FULL, "three": FULL}
    await harness.minutes(10)
    [told] = harness.chat.texts
    assert told.startswith("✗ three failed")


@with_notices
async def test_a_deleted_schedule_is_told_no_more(harness: NoticeHarness) -> None:
    made = await harness.schedule()
    harness.jobs.outcomes["backup"] = FULL
    await harness.minutes(5)
    await harness.store.edit([made], lambda row: lifecycle.delete(row, harness.clock.now()))
    await harness.minutes(5)
    assert len(harness.chat.texts) == 1
    assert not any(each.is_open for each in await harness.notices(made))


@with_notices
async def test_what_ended_while_nothing_told_it_is_told_later(harness: NoticeHarness) -> None:
    await harness.loop.stop()
    await harness.schedule(when="every day at 12:30")
    harness.jobs.outcomes["backup"] = FULL
    await harness.clock.travel(hours=5)
    await harness.loop.begin()
    await harness.minutes(2)
    assert harness.chat.texts == ["✗ backup failed at 13:30: OSError: disk full\nNext attempt tomorrow at 13:30."]
