"""What the pages about agents and butlers show is what there is."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from duly.config.reading import load
from duly.service.access import Scope
from tests.conformance.schedules.scene import Scene, scenario, shared_server
from tests.support import run

DOCS = Path(__file__).parents[3] / "docs"
AGENTS = (DOCS / "agents.md").read_text(encoding="utf-8")
BUTLERS = (DOCS / "butlers.md").read_text(encoding="utf-8")


def _blocks(page: str, language: str) -> list[str]:
    return re.findall(rf"(?ms)^```{language}\n(.*?)^```$", page)


@run
async def test_every_tool_is_described() -> None:
    section = AGENTS.partition("## Tools")[2].partition("\n## ")[0]
    described = re.findall(r"(?m)^\| `([a-z_]+)` \|", section)
    assert sorted(described) == sorted(tool.name for tool in await shared_server().list_tools())


@scenario
async def test_the_example_can_be_made(agent: Scene) -> None:
    wish, answer = (json.loads(block) for block in _blocks(AGENTS, "json"))
    wish["targets"] = [{"project_id": "a"}]
    made = await agent.create(wish.pop("name"), **{**wish, "max_cost_per_day": None})
    assert set(answer) <= set(made)
    assert made["when"] == answer["when"]


def test_the_scopes_are_scopes() -> None:
    for scope in re.findall(r"(?m)^\| `((?:admin|project|user)[^`]*)` \|", AGENTS):
        Scope.parse(scope.replace("ID", "x"))


def test_the_file_can_be_read(tmp_path: Path) -> None:
    (block,) = _blocks(BUTLERS, "toml")
    file = tmp_path / "duly.toml"
    file.write_text(block, encoding="utf-8")
    settings = load({}, config=str(file))
    assert settings.butler is not None
    assert settings.butler.namespace == "butler:home"
    assert settings.data_dir == tmp_path / "state"
    assert settings.gates == {"drafts": ("grep", "-rl", "^draft: true", "posts")}


@scenario
async def test_the_schedules_of_the_file_can_be_synced(butler: Scene) -> None:
    (block,) = _blocks(BUTLERS, "toml")
    entries: list[dict[str, Any]] = tomllib.loads(block)["butler"]["schedule"]
    report = await butler.sync_file(*entries)
    assert report.created == [entry["name"] for entry in entries]


@pytest.mark.parametrize("link", sorted(set(re.findall(r"\]\(([a-z_]+\.md)\)", AGENTS + BUTLERS))))
def test_links_lead_somewhere(link: str) -> None:
    assert (DOCS / link).is_file()
