"""What the pages about agents and butlers show is what there is."""

from __future__ import annotations

import json
import re
import tomllib
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from duly.config.reading import load
from duly.mcp.schedule_tools import RunPage, SchedulePage
from duly.service.access.scopes import Scope
from duly.service.schedules.fields import ScheduleView
from duly.service.schedules.run_views import RunView, TargetRunView
from duly.service.schedules.view_parts import FireView, TargetView
from duly.service.schedules.views import PreviewView
from tests.conformance.schedules.harness import ScheduleHarness, scenario, shared_server

DOCS = Path(__file__).parents[3] / "docs"
AGENTS = (DOCS / "agents.md").read_text(encoding="utf-8")
BUTLERS = (DOCS / "butlers.md").read_text(encoding="utf-8")


def _blocks(page: str, language: str) -> list[str]:
    return re.findall(rf"(?ms)^```{language}\n(.*?)^```$", page)


async def test_every_tool_is_described() -> None:
    section = AGENTS.partition("## Tools")[2].partition("\n## ")[0]
    described = re.findall(r"(?m)^\| `([a-z_]+)` \|", section)
    assert sorted(described) == sorted(tool.name for tool in await shared_server().list_tools())


@scenario
async def test_the_example_can_be_made(agent: ScheduleHarness) -> None:
    wish, answer, *_ = (json.loads(block) for block in _blocks(AGENTS, "json"))
    wish["targets"] = [{"project_id": "a"}]
    made = await agent.create(wish.pop("name"), **{**wish, "max_cost_per_day": None})
    assert set(answer) <= set(made)
    assert made["when"] == answer["when"]


def _fields_in(*headings: str) -> list[str]:
    """The names in the column of a table under a heading; several in a cell count each."""
    found: list[str] = []
    for heading in headings:
        table = AGENTS.partition(f"{heading} | what it is |\n")[2].partition("\n\n")[0]
        cells = [line.split("|")[-3] for line in table.splitlines()[1:]]
        found += [name for cell in cells for name in re.findall(r"`([a-z_]+)`", cell)]
    return found


@pytest.mark.parametrize(
    ("heading", "views"),
    [
        ("| page | field", (SchedulePage, RunPage)),
        ("| field of a schedule", (ScheduleView,)),
        ("| field of a run", (RunView,)),
    ],
)
def test_every_field_of_an_answer_is_in_its_table(heading: str, views: tuple[type, ...]) -> None:
    assert sorted(_fields_in(heading)) == sorted(each.name for view in views for each in fields(view))


def test_every_field_inside_an_answer_is_told() -> None:
    section = AGENTS.partition("## What answers have")[2].partition("\n## ")[0]
    for view in (FireView, TargetView, TargetRunView, PreviewView):
        assert [each.name for each in fields(view) if f"`{each.name}`" not in section] == []


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
    assert settings.data_dir == Path.home() / ".duly-butler"
    assert settings.gates == {"drafts": ("grep", "-rl", "^draft: true", "posts")}


@scenario
async def test_the_schedules_of_the_file_can_be_synced(butler: ScheduleHarness) -> None:
    (block,) = _blocks(BUTLERS, "toml")
    entries: list[dict[str, Any]] = tomllib.loads(block)["butler"]["schedule"]
    report = await butler.sync_file(*entries)
    assert report.created == [entry["name"] for entry in entries]


@pytest.mark.parametrize("link", sorted(set(re.findall(r"\]\(([a-z_]+\.md)\)", AGENTS + BUTLERS))))
def test_links_lead_somewhere(link: str) -> None:
    assert (DOCS / link).is_file()
