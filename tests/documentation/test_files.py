"""Each `duly.toml` of the documentation is one that duly takes as it is written, and each JSON is JSON."""

from __future__ import annotations

import json
import shutil
from functools import partial
from pathlib import Path

import pytest

from duly.config.reading import load
from tests.documentation.blocks import ROOT, Block, blocks
from tests.integration.engine_support.waiting import eventually
from tests.integration.faces.test_first_minute import ENVIRONMENT, duly, health, up

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


def test_the_example_starts_where_it_lies_once_it_is_trusted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As for a reader: in a checkout, with nothing set, and not as a data directory, which would need no trust."""
    checkout, home = tmp_path / "checkout", tmp_path / "home"
    shutil.copytree(BUTLER, checkout)
    (checkout / ".git").mkdir()
    home.mkdir()
    monkeypatch.setitem(ENVIRONMENT, "HOME", str(home))
    for name in ("DULY_DATA_DIR", "DULY_CONFIG", "XDG_DATA_HOME"):
        monkeypatch.delitem(ENVIRONMENT, name, raising=False)
    assert "is trusted as it is now" in duly(checkout, "trust", is_data=False)
    with up(checkout, is_data=False) as (_, url):
        eventually(lambda: health(url), "the daemon")
        schedules = json.loads(duly(checkout, "list", "--json", is_data=False))["items"]
        assert [each["name"] for each in schedules] == ["morning", "nightly"]
        duly(checkout, "schedule", "trigger", "nightly", is_data=False)
        done = partial(duly, checkout, "schedule", "history", "nightly", is_data=False)
        eventually(lambda: "copied to tape" in done(), "the job")
    assert (home / ".duly-butler" / "schedules.db").exists()
