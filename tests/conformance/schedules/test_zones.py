"""In which zone a time is meant that names none, and that every answer shows zone, local time and UTC."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from mcp import Client

from duly.language.plan import CronPlan
from duly.phrases import parse
from duly.service.access.scopes import ADMIN, Caller, Face
from duly.service.schedules.times import ZoneRule, Zones, is_cron
from tests.conformance.schedules.harness import BUTLER, LEGACY, ScheduleHarness, scenario, shared_server, utc

PROMPT = {"prompt": "water the plants"}
NINE_IN_BERLIN = {"utc": utc(2026, 1, 1, 8), "local": "2026-01-01T09:00:00+01:00"}
NINE_IN_UTC = {"utc": utc(2026, 1, 1, 9), "local": "2026-01-01T10:00:00+01:00"}


async def _in_berlin(harness: ScheduleHarness) -> ScheduleHarness:
    """The person who asks lives in Berlin, in any zone of the machine."""
    await harness.reminders.people.get("local")
    await harness.reminders.people.update("local", timezone="Europe/Berlin")
    return harness


@pytest.mark.parametrize(
    ("when", "first"),
    [
        ({"when": "every day at 9"}, NINE_IN_BERLIN),
        ({"when": "0 9 * * *"}, NINE_IN_UTC),
        ({"when": "cron 0 9 * * *"}, NINE_IN_UTC),
        ({"cron": "0 9 * * *"}, NINE_IN_UTC),
        ({"cron": "0 9 * * *", "cron_timezone": "Europe/Berlin"}, NINE_IN_BERLIN),
        ({"when": "0 9 * * *", "cron_timezone": "Europe/Berlin"}, NINE_IN_BERLIN),
        ({"when": "0 9 * * * (Europe/Berlin)"}, NINE_IN_BERLIN),
    ],
    ids=lambda given: " ".join(map(str, given.values())),
)
@scenario
async def test_words_mean_the_persons_zone_and_cron_utc_in_the_tools(
    harness: ScheduleHarness, when: dict[str, str], first: dict[str, str]
) -> None:
    await _in_berlin(harness)
    seen = await harness.ask("schedule_preview", **when, count=1)
    assert (seen["next_runs"], seen["timezone"]) == ([first], "Europe/Berlin")
    made = await harness.create(**PROMPT, **when)
    assert (made["next_runs"][0], made["next_run_at"], made["zone"]) == (first, first["utc"], "Europe/Berlin")
    assert (await harness.get("plants"))["next_runs"] == made["next_runs"]
    (listed,) = (await harness.ask("schedule_list"))["items"]
    assert (listed["next_runs"], listed["zone"]) == ([first], "Europe/Berlin")
    other = await harness.create("other", **PROMPT, when="every hour")
    assert other["next_runs"][0] != first
    assert (await harness.update("other", **when))["next_runs"][0] == first


@pytest.mark.parametrize("when", [{"when": "every day at 9"}, {"cron": "0 9 * * *"}, {"when": "0 9 * * *"}])
@scenario
async def test_on_the_command_line_cron_means_the_persons_zone_too(
    butler: ScheduleHarness, when: dict[str, str]
) -> None:
    await _in_berlin(butler)
    butler.caller = Caller(ADMIN, None, Face.CLI)
    assert (await butler.ask("schedule_preview", **when, count=1))["next_runs"] == [NINE_IN_BERLIN]
    assert (await butler.create(**PROMPT, **when))["next_runs"][0] == NINE_IN_BERLIN
    assert (await butler.update("plants", **when))["next_runs"][0] == NINE_IN_BERLIN


@scenario
async def test_a_zone_can_be_configured_for_cron_in_tools_and_file_but_not_for_words(butler: ScheduleHarness) -> None:
    await _in_berlin(butler)
    butler.read_cases.zones = ZoneRule(butler.store.people, "UTC", "Asia/Tokyo")
    made = await butler.create(**PROMPT, cron="0 9 * * *")
    assert (made["cron_timezone"], made["next_run_at"]) == ("Asia/Tokyo", utc(2026, 1, 2))
    assert (await butler.create("words", **PROMPT, when="every day at 9"))["next_runs"][0] == NINE_IN_BERLIN
    butler.caller = Caller(ADMIN, None, Face.CLI)
    assert (await butler.create("typed", **PROMPT, cron="0 9 * * *"))["next_runs"][0] == NINE_IN_BERLIN


@scenario
async def test_a_token_of_a_person_names_them_and_one_of_a_project_names_no_person(harness: ScheduleHarness) -> None:
    await _in_berlin(harness)
    ana = (await harness.reminders.people.add("Ana", timezone="Asia/Tokyo")).user
    await harness.as_holder("user:Ana", "prompts:butler")
    assert harness.caller.scope.subject == ana.id
    made = await harness.create(**PROMPT, when="every day at 9")
    assert (made["next_run_at"], made["zone"]) == (utc(2026, 1, 2), "Asia/Tokyo")
    harness.as_scope("project:a")
    made = await harness.create(**PROMPT, when="every day at 9", targets=["a"])
    assert (made["next_run_at"], made["zone"], made["when"]) == (utc(2026, 1, 1, 9), "UTC", "every day at 09:00 UTC")


@scenario
async def test_new_cron_keeps_the_zone_of_a_schedule_and_new_words_mean_the_person_again(
    harness: ScheduleHarness,
) -> None:
    await _in_berlin(harness)
    await harness.create(**PROMPT, cron="0 9 * * *", cron_timezone="Asia/Tokyo")
    assert (await harness.update("plants", cron="0 10 * * *"))["cron_timezone"] == "Asia/Tokyo"
    assert (await harness.update("plants", when="every day at 9"))["next_runs"][0] == NINE_IN_BERLIN
    assert (await harness.update("plants", cron="0 9 * * *"))["next_runs"][0] == NINE_IN_UTC


@scenario
async def test_runs_show_their_time_in_utc_and_on_the_clocks_of_their_schedule(harness: ScheduleHarness) -> None:
    await _in_berlin(harness)
    await harness.create(**PROMPT, when="every day at 9")
    await harness.tick(hours=9)
    (run,) = await harness.history("plants")
    shown = (run["fire_at"], run["fire_at_local"], run["zone"])
    assert shown == (NINE_IN_BERLIN["utc"], NINE_IN_BERLIN["local"], "Europe/Berlin")


@scenario
async def test_words_are_kept_as_they_were_said_until_others_or_cron_replace_them(harness: ScheduleHarness) -> None:
    await harness.create(**PROMPT, when=" every day at 9 ")
    assert (await harness.get("plants"))["original_text"] == "every day at 9"
    assert (await harness.update("plants", description="x"))["original_text"] == "every day at 9"
    assert (await harness.update("plants", when="jeden Tag um 8"))["original_text"] == "jeden Tag um 8"
    assert "original_text" not in await harness.update("plants", cron="0 9 * * *")
    assert "original_text" not in await harness.create("cron", **PROMPT, cron="0 9 * * *")


@scenario
async def test_words_of_a_file_mean_the_owners_zone_and_its_cron_utc(butler: ScheduleHarness) -> None:
    await _in_berlin(butler)
    words = {"name": "words", "when": "every day at 9", **PROMPT}
    await butler.sync_file(words, {"name": "cron", "cron": "0 9 * * *", **PROMPT})
    butler.caller = Caller(ADMIN, None, Face.MCP, home=BUTLER)
    made = await butler.get("words")
    assert (made["next_runs"][0], made["original_text"]) == (NINE_IN_BERLIN, "every day at 9 (Europe/Berlin)")
    assert (await butler.get("cron"))["next_runs"][0] == NINE_IN_UTC


@pytest.mark.parametrize(
    ("words", "here", "there"),
    [
        ("tomorrow at 9", utc(2026, 1, 2, 8), utc(2026, 1, 2, 8)),
        ("every day at 9", utc(2026, 1, 1, 8), utc(2026, 1, 2)),
        ("every 2 days at 9", utc(2026, 1, 1, 8), utc(2026, 1, 3)),
    ],
)
@scenario
async def test_words_of_a_file_move_along_with_their_owner_but_a_moment_stays(
    butler: ScheduleHarness, words: str, here: str, there: str
) -> None:
    await _in_berlin(butler)
    entry = {"name": "plants", "when": words, **PROMPT}
    await butler.sync_file(entry)
    butler.caller = Caller(ADMIN, None, Face.MCP, home=BUTLER)
    assert (await butler.get("plants"))["next_run_at"] == here
    await butler.tick(hours=10)
    await butler.reminders.people.update("local", timezone="Asia/Tokyo")
    await butler.sync_file(entry)
    assert (await butler.get("plants"))["next_run_at"] == there
    assert (await butler.sync_file(entry)).unchanged == ["plants"]


@scenario
async def test_agents_are_told_the_zones_when_they_connect(agent: ScheduleHarness) -> None:
    await _in_berlin(agent)
    mode: dict[str, Any] = {"mode": "legacy"} if agent.way == LEGACY else {}
    async with Client(shared_server(), **mode) as client:
        told = client.instructions or ""
    assert "The person's time zone is Europe/Berlin" in told
    assert "Cron in schedule_* tools means UTC" in told
    agent.as_scope(f"user:{(await agent.reminders.people.add('Ana', timezone='Asia/Tokyo')).user.id}")
    async with Client(shared_server(), **mode) as client:
        assert "The person's time zone is Asia/Tokyo" in (client.instructions or "")


@pytest.mark.parametrize(
    "phrase",
    [
        "0 9 * * *",
        "cron 0 9 * * *",
        "Cron: 0 9 * * 1-5",
        " @daily",
        "@daily (Asia/Tokyo)",
        "0 9 * * MON",
        "*/5 * * * *",
    ],
)
def test_a_phrase_is_cron_where_the_parser_reads_it_as_cron(phrase: str) -> None:
    assert isinstance(parse(phrase, now=datetime(2026, 1, 1, tzinfo=UTC), tz="UTC").plan, CronPlan)
    assert is_cron(phrase)
    assert Zones(words="Europe/Berlin", cron="UTC").of(phrase) == "UTC"


@pytest.mark.parametrize("phrase", ["every day at 9", "tomorrow", "2026-05-01T09:00", "in 5 minutes", "cron", ""])
def test_other_words_are_not_cron(phrase: str) -> None:
    assert not is_cron(phrase)
