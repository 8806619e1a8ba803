"""Reminders made on the dashboard: they count for the quota of their maker, who is named in the audit."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from duly.planning.quotas import Quota, Quotas
from duly.service.access.scopes import ADMIN, Caller
from tests.integration.web.browsing import browsing, text_of

FORM = {"what": "message", "message": "Take it", "way": "words", "words": "every day at 14:05", "priority": "normal"}
DOORS = {
    "the form": ("/schedules/new", {**FORM, "name": "tablet"}),
    "the palette": ("/ui/make", {"q": "stretch tomorrow at 9"}),
    "the first start": ("/ui/first-reminder", {}),
}


@pytest.mark.parametrize("door", DOORS)
async def test_a_reminder_counts_for_the_quota_of_the_person(tmp_path: Path, door: str) -> None:
    async with browsing(tmp_path, "user:ana") as browser:
        here = browser.here
        here.runtime.services.quotas.rules = Quotas(everybody=replace(Quota(), schedules=1))
        ana = (await here.runtime.services.reminder_service.people.get("ana")).user.id
        await here.remind(ana)
        path, fields = DOORS[door]
        refused = await browser.post(path, **fields)
        page = await browser.get(refused.headers["location"]) if refused.status_code == 303 else refused.text
        assert "over quota: schedules" in text_of(page)
        found, _ = await here.runtime.services.reminder_service.lists.page(ana)
        assert len(found) == 1


@pytest.mark.parametrize("door", DOORS)
async def test_the_audit_names_who_made_a_reminder(tmp_path: Path, door: str) -> None:
    async with browsing(tmp_path, "user:ana") as browser:
        here = browser.here
        path, fields = DOORS[door]
        assert (await browser.post(path, **fields)).status_code == 303
        [token] = (await here.runtime.services.tokens.page(Caller(ADMIN)))[0]
        entries, _ = await here.runtime.services.audit.entries(Caller(ADMIN), kinds=["schedule.created"])
        assert [(each.actor, each.face) for each in entries] == [(token.id, "gui")]
