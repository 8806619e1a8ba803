"""Each `duly.toml` of the documentation is one that duly takes as it is written, and each JSON is JSON."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from duly.config.reading import load
from tests.documentation.blocks import ROOT, Block, blocks
from tests.integration.engine_support.waiting import eventually
from tests.integration.faces.test_first_minute import duly, health, up

BUTLER = ROOT / "examples" / "butler"
FILES = [block for block in blocks("toml") if block.reason is None]


@pytest.mark.parametrize("block", FILES, ids=str)
def test_a_file_is_taken(block: Block, tmp_path: Path) -> None:
    file = tmp_path / "duly.toml"
    file.write_text(block.text, encoding="utf-8")
    load({}, config=str(file))


@pytest.mark.parametrize("block", [each for each in blocks("json") if each.reason is None], ids=str)
def test_json_is_json(block: Block) -> None:
    json.loads(block.text)


def test_the_file_with_everything_is_the_example() -> None:
    [block] = [each for each in FILES if each.page.name == "butlers.md"]
    assert block.text == (BUTLER / "duly.toml").read_text(encoding="utf-8")


def test_the_example_starts_with_nothing_set_and_has_its_schedules(tmp_path: Path) -> None:
    data = tmp_path / "data"
    shutil.copytree(BUTLER, data)
    with up(data) as (_, url):
        eventually(lambda: health(url), "the daemon")
        schedules = json.loads(duly(data, "list", "--json"))["items"]
        assert [each["name"] for each in schedules] == ["morning", "nightly"]
        duly(data, "schedule", "trigger", "nightly")
        eventually(lambda: "copied to tape" in duly(data, "schedule", "history", "nightly"), "the job")
