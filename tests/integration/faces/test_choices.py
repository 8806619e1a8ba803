"""What a schedule may name is listed as far as the caller may use it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest

from duly.client import AsyncClient
from duly.ports.executor_settings import ExecutorKind, ExecutorSettings
from duly.service.access.scopes import ADMIN, Caller
from tests.world import World, world

HEAVY = ExecutorSettings(
    name="heavy", kind=ExecutorKind.CELERY, tasks=("shop.tasks.*",), broker="redis://127.0.0.1:1/0"
)
SPAWNERS = {"echo": {"new": ["cat"]}}


@asynccontextmanager
async def _client(here: World, scope: str, *grants: str) -> AsyncIterator[AsyncClient]:
    made = await here.runtime.services.tokens.create(Caller(ADMIN), "test", scope, grants=grants)
    async with AsyncClient("http://127.0.0.1:8765", made.secret, transport=httpx.ASGITransport(here.app)) as client:
        yield client


@pytest.mark.parametrize(
    ("scope", "grants", "expected"),
    [
        (
            "admin",
            (),
            {"jobs": ["shop.tasks.*"], "spawners": ["echo"], "gates": ["mail"], "projects": ["blog", "shop"]},
        ),
        ("project:shop", (), {"jobs": [], "spawners": ["echo"], "gates": [], "projects": ["shop"]}),
        ("user:local", (), {"jobs": [], "spawners": [], "gates": [], "projects": []}),
        (
            "user:local",
            ("executors:heavy", "prompts:echo", "gates:mail", "projects:blog"),
            {"jobs": ["shop.tasks.*"], "spawners": ["echo"], "gates": ["mail"], "projects": ["blog"]},
        ),
    ],
)
async def test_a_caller_sees_what_they_may_name(
    tmp_path: Path, scope: str, grants: tuple[str, ...], expected: dict[str, list[str]]
) -> None:
    async with (
        world(
            tmp_path,
            spawners=SPAWNERS,
            executors={"heavy": HEAVY},
            gates={"mail": ("true",)},
            projects=["blog", "shop"],
        ) as here,
        _client(here, scope, *grants) as client,
    ):
        assert {
            "jobs": [each.name async for each in client.list_jobs()],
            "spawners": [each.name async for each in client.list_spawners()],
            "gates": [each.name async for each in client.list_gates()],
            "projects": [each.id async for each in client.list_projects()],
        } == expected


async def test_only_admins_see_where_a_project_is(tmp_path: Path) -> None:
    async with world(tmp_path, projects=["shop"]) as here:
        for scope, sees in (("admin", True), ("project:shop", False)):
            async with _client(here, scope) as client:
                [found] = [each async for each in client.list_projects()]
                assert (found.path is not None) is sees
