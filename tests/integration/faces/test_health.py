"""The daemon's /health: the state for every caller, names only for callers with a token, and warnings in tools."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import apsw
import pytest
from mcp import Client

from duly.mcp.server import make_server
from duly.service.access.scopes import Face
from duly.service.schedules.attention import NOTHING_RUNS
from tests.world import World, world

FIELDS = {"cron": "0 * * * *", "prompt": "tidy up"}


async def asked(here: World, token: str | None = None) -> tuple[int, dict[str, Any]]:
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    answer = await here.http.get("/health", headers=headers)
    return answer.status_code, answer.json()


async def test_health_is_green_while_all_is_well(tmp_path: Path) -> None:
    async with world(tmp_path) as here:
        well = {"light": "green", "state": "green"}
        assert await asked(here) == (200, {**well, "reasons": []})
        counted = {**well, "lag_seconds": 0.0, "attention_total": 0}
        assert await asked(here, await here.token("admin")) == (200, counted)
        assert (await here.http.get("/healthz")).json() == {"status": "ok"}
        assert (await here.http.get("/readyz")).json() == {"status": "ready"}


async def test_a_schedule_that_no_node_serves_turns_health_yellow_and_names_are_for_holders_of_tokens(
    tmp_path: Path,
) -> None:
    async with world(tmp_path) as here:
        await here.person("ana")
        admin, person = await here.token("admin"), await here.token("user:ana")
        made = await here.runtime.services.use_cases.schedule_create(
            here.runtime.local(Face.CLI), {"name": "tidy", **FIELDS}
        )
        await here.runtime.store.edit([made.id], lambda row: replace(row, handler="prompt:robot"))  # of another machine
        code, seen = await asked(here)
        words = ["schedules are served by no node"]
        assert (code, seen) == (200, {"light": "yellow", "state": "yellow", "reasons": words})
        code, seen = await asked(here, admin)
        assert seen["reasons"] == ["1 schedule is served by no node: no running engine has the spawner robot"]
        assert (code, [each["name"] for each in seen["attention"]]) == (200, ["tidy"])
        code, seen = await asked(here, person)
        assert (code, seen["attention_total"], seen.get("attention")) == (200, 0, None)
        assert (await asked(here, "no such token"))[1]["reasons"] == words


async def test_an_engine_that_was_stopped_turns_health_red_once_something_is_due(tmp_path: Path) -> None:
    async with world(tmp_path) as here:
        user = await here.person("ana")
        await here.remind(user)
        await here.runtime.stop_engine()
        assert (await asked(here))[1]["state"] == "yellow"
        here.clock.suspend(timedelta(days=4))  # a walk through all of it would take a minute
        code, seen = await asked(here)
        assert (code, seen["state"]) == (503, "red")
        assert seen["reasons"] == ["no engine runs on this store, and fires are due"]
        assert "has waited" in (await asked(here, await here.token("admin")))[1]["reasons"][0]


async def test_tools_warn_when_the_engine_of_their_process_was_stopped(tmp_path: Path) -> None:
    async with world(tmp_path) as here:
        local = here.runtime.local(Face.MCP)
        server = make_server(here.runtime.services, lambda _request: local)
        async with Client(server) as client:
            for stopped in (False, True):
                if stopped:
                    await here.runtime.stop_engine()
                answer = await client.call_tool("schedule_list", {})
                assert answer.structured_content is not None
                assert answer.structured_content.get("warning") == (NOTHING_RUNS if stopped else None)


_EMPTIED = {
    "both": "DELETE FROM audit; DELETE FROM audit_links",
    "entries": "DELETE FROM audit",
    "links": "DELETE FROM audit_links",
    "the first": "DELETE FROM audit WHERE link = 1",
    "the last": "DELETE FROM audit WHERE link = (SELECT max(number) FROM audit_links)",
    "the head, too": "DELETE FROM audit; DELETE FROM audit_links; DELETE FROM audit_head",
}


@pytest.mark.parametrize("what", _EMPTIED)
async def test_an_audit_that_was_emptied_by_hand_turns_health_yellow(tmp_path: Path, what: str) -> None:
    async with world(tmp_path) as here:
        admin = await here.token("admin")
        await here.runtime.services.use_cases.schedule_create(here.runtime.local(Face.CLI), {"name": "tidy", **FIELDS})
        assert "entries of the audit are missing" not in str(await asked(here))
        past_duly = apsw.Connection(str(tmp_path / "duly.db"))
        for trigger in ("audit_kept", "audit_links_kept", "audit_head_kept"):
            past_duly.execute(f"DROP TRIGGER {trigger}")
        past_duly.execute(_EMPTIED[what])
        past_duly.close()
        code, seen = await asked(here, admin)
        assert (code, seen["light"]) == (200, "yellow")
        [reason] = [each for each in seen["reasons"] if "audit" in each]
        assert reason.startswith(
            "entries of the audit are missing: they were removed by hand, not by pruning. duly audit"
        )
        assert (await asked(here))[1]["reasons"] == ["entries of the audit are missing"]
        await here.token("admin")  # while the head is there, another entry does not hide that the beginning is missing
        hidden = what in ("the last", "the head, too")
        assert ("entries of the audit are missing" in str(await asked(here))) is not hidden
