"""What is another's stays closed: sessions by their ids, and calendar links after a token was rotated."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from duly.service.access.scopes import ADMIN, Caller
from tests.integration.faces.test_rest import api
from tests.integration.web.browsing import browsing
from tests.world import World, world

OTHERS = "0f8f2c9e-71d4-4b1c-9d55-5d1f0c77ab00"


async def _with_session(here: World) -> None:
    """Make a schedule for the project shop whose next run continues a session."""
    here.runtime.check_action = lambda *_: None  # type: ignore[method-assign]  # no project has a folder here
    made = await here.runtime.services.use_cases.schedule_create(
        Caller(ADMIN), {"name": "theirs", "cron": "0 7 * * *", "prompt": "look", "targets": ["shop"]}
    )
    await here.runtime.store.targets.pin_session(made.id, "shop", "", OTHERS)


@pytest.mark.parametrize(("scope", "status"), [("project:blog", 404), ("project:shop", 201), ("admin", 201)])
async def test_the_session_of_anothers_schedule_is_refused_by_its_id(tmp_path: Path, scope: str, status: int) -> None:
    async with world(tmp_path) as here:
        await _with_session(here)
        grants = () if scope == "admin" else ("prompts:*",)
        token = (await here.runtime.services.tokens.create(Caller(ADMIN), "t", scope, grants=grants)).secret
        headers = {"Authorization": f"Bearer {token}"}
        where = [scope.partition(":")[2] or "blog"]
        body: dict[str, Any] = {"name": "mine", "cron": "0 8 * * *", "prompt": "go on", "targets": where}
        asked = await here.http.post("/api/v1/schedules", json={**body, "session": OTHERS}, headers=headers)
        assert asked.status_code == status, asked.text
        if status == 404:
            assert "there is no session" in asked.json()["detail"]
            assert (await here.http.post("/api/v1/schedules", json=body, headers=headers)).status_code == 201
            changed = await here.http.patch("/api/v1/schedules/mine", json={"session": OTHERS}, headers=headers)
            assert changed.status_code == 404
        new = {**body, "name": "new", "session": "0f8f-that-duly-never-met"}
        assert (await here.http.post("/api/v1/schedules", json=new, headers=headers)).status_code == 201


async def test_rotating_a_token_names_its_calendar_links_and_can_end_them(tmp_path: Path) -> None:
    async with api(tmp_path) as ask:
        made = await ask.done("POST", "/tokens", {"name": "phone", "scope": "user:local"})
        own = {"Authorization": f"Bearer {made['secret']}"}
        link = (await ask.here.http.post("/api/v1/calendar/links", json={"name": "home"}, headers=own)).json()
        feed = link["path"]
        assert (await ask.here.http.get(feed)).status_code == 200

        rotated = await ask.done("POST", f"/tokens/{made['id']}/rotate")
        assert rotated["calendar_links"] == [{"id": link["link"]["id"], "name": "home", "ended": False}]
        assert (await ask.here.http.get(feed)).status_code == 200

        rotated = await ask.done("POST", f"/tokens/{made['id']}/rotate", {"end_calendar_links": True})
        assert [each["ended"] for each in rotated["calendar_links"]] == [True]
        assert (await ask.here.http.get(feed)).status_code == 404
        assert not (await ask.done("POST", f"/tokens/{made['id']}/rotate")).get("calendar_links")


async def test_the_dashboard_names_the_links_of_a_rotated_token_and_ends_them(tmp_path: Path) -> None:
    async with browsing(tmp_path, "admin") as browser:
        here = browser.here
        made = await here.runtime.services.tokens.create(Caller(ADMIN), "phone", "user:local")
        own = {"Authorization": f"Bearer {made.secret}"}
        link = (await here.http.post("/api/v1/calendar/links", json={"name": "home"}, headers=own)).json()
        page = (await browser.post(f"/tokens/{made.record.id}/rotate")).text
        assert "stay open: home" in page
        page = (await browser.post(f"/tokens/{made.record.id}/rotate", links="end")).text
        assert "were ended: home" in page
        assert (await here.http.get(link["path"])).status_code == 404
