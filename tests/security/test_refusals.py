"""What is refused with its reason, and was not before.

A store that cannot be, a fire of a resting schedule, an end that has passed; and what is taken: an empty stagger key.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from duly.config.reading import load_with
from duly.entropy import random_bits
from duly.errors import ConfigError, InvalidInputError
from duly.model.action import Job
from duly.model.policy import Policy
from duly.ports.codec import decode_policy, encode_json
from duly.recurrence import DayInterval, RecurringTask
from duly.runtime.runtime import Runtime
from duly.service.access.scopes import ADMIN, Caller, Face
from duly.service.reminders.requests import no_job
from duly.service.schedules.drafts import Draft, to_row
from tests.bare_process import services_over
from tests.conformance.stores.harness import StoreHarness, full, make_harness
from tests.world import world

BOSS = Caller(ADMIN, None, Face.MCP)
DAILY = {"name": "s", "cron": "0 9 * * *", "prompt": "water the plants"}


@pytest.fixture(params=["sqlite", "postgres"])
def shared(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[StoreHarness]:
    with make_harness(request.param, tmp_path) as made:
        yield made


@pytest.mark.parametrize("store", ["mysql://x/y", "env:DULY_NOWHERE_TO_BE_FOUND"])
def test_a_store_that_cannot_be_is_told_with_its_line(tmp_path: Path, store: str) -> None:
    file = tmp_path / "duly.toml"
    file.write_text(f'timezone = "UTC"\nstore = {json.dumps(store)}\n', encoding="utf-8")
    settings = load_with({}, file, data_dir=str(tmp_path))
    with pytest.raises(ConfigError) as refused:
        Runtime(settings, environment={})
    assert (refused.value.key, refused.value.line) == ("store", 2)


async def test_a_schedule_that_rests_is_not_fired_by_hand(shared: StoreHarness) -> None:
    async with shared:
        store = full(shared.store)
        services = services_over(store, shared.clock)
        reads = services.schedules
        use_cases = services.use_cases
        await use_cases.schedule_create(BOSS, DAILY)
        row = await store.find("default", "s")
        assert row is not None
        await store.edit([row.id], lambda each: replace(each, resting="the folder /x is missing", next_run_at=None))
        shared.clock.advance(timedelta(days=2))
        says = "cannot fire 's': it rests because the folder /x is missing. It goes on by itself when that is back"
        with pytest.raises(InvalidInputError, match=says):
            await use_cases.schedule_trigger(BOSS, "s")
        with pytest.raises(InvalidInputError, match=says):
            await use_cases.schedule_backfill(BOSS, "s", shared.now - timedelta(days=1), shared.now)
        assert (await reads.schedule_history(BOSS, "s"))[0] == []
        await use_cases.skip_next(BOSS, "s")
        assert (await reads.schedule_get(BOSS, "s")).next_runs == []


async def test_an_empty_stagger_key_is_none_at_every_door(shared: StoreHarness) -> None:
    async with shared:
        store = full(shared.store)
        services = services_over(store, shared.clock)
        reads = services.schedules
        use_cases = services.use_cases
        made = await use_cases.schedule_create(BOSS, {**DAILY, "stagger_key": ""})
        assert (made.stagger_key, made.next_runs[0].utc) == (None, made.next_run_at)
        await use_cases.update(BOSS, "s", {"stagger_key": "team"})
        assert (await reads.schedule_get(BOSS, "s")).stagger_key == "team"
        await use_cases.update(BOSS, "s", {"stagger_key": ""})
        assert (await reads.schedule_get(BOSS, "s")).stagger_key is None
        with pytest.raises(InvalidInputError, match="max_stagger_seconds 5 has no effect without a stagger_key"):
            await use_cases.update(BOSS, "s", {"stagger_key": "", "max_stagger_seconds": 5})
        with pytest.raises(InvalidInputError, match="stagger_key must be a text that is not empty, got '  '"):
            await use_cases.schedule_create(BOSS, {**DAILY, "name": "other", "stagger_key": "  "})
        assert Policy(stagger_key="") == Policy()
        assert decode_policy(encode_json({"stagger_key": ""}, "policy")) == Policy()


async def test_an_end_that_has_passed_is_refused_by_its_name(shared: StoreHarness) -> None:
    async with shared:
        past = shared.now - timedelta(days=1)
        for more in ({}, {"max_runs": 3}, {"specific_run_time": past}):
            task = RecurringTask(day_interval=DayInterval(), run_until=past, **more)
            draft = Draft(name="s", namespace="default", trigger=task, action=Job("backup"))
            with pytest.raises(InvalidInputError, match="run_until must not be in the past, got ") as refusal:
                to_row(draft, shared.now, no_job, random_bits)
            assert "until_at" not in str(refusal.value)


@pytest.mark.parametrize("path", ["/api/v1/me", "/mcp", "/messages"])
async def test_a_token_that_is_not_valid_is_told_from_none_and_no_more_is_said(tmp_path: Path, path: str) -> None:
    async with world(tmp_path) as here:
        revoked = await here.runtime.services.tokens.create(Caller(), "gone", "admin")
        await here.runtime.services.tokens.revoke(Caller(), revoked.record.id)
        said = [
            (await here.http.post(path, json={}, headers={"Authorization": f"Bearer {secret}"})).text
            for secret in (revoked.secret, "duly_never")
        ]
        assert "the token sent is not valid" in said[0]
        assert said[0] == said[1]
        none = await here.http.post(path, json={})
        assert none.status_code == 401
        assert "the token sent" not in none.text
