"""`docs/cli.md` has every command, verb and option."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from duly.cli.app import COMMANDS
from tests.unit.cli.conftest import Duly

PAGE = (Path(__file__).parents[3] / "docs" / "cli.md").read_text(encoding="utf-8")
_EVERYWHERE = {"--help", "--config", "--data-dir", "--json"}


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_and_every_option_is_documented(duly: Duly, name: str) -> None:
    assert re.search(rf"duly {name}\b|`{name}`", PAGE)
    told = duly(name, "--help").out
    options = set(re.findall(r"--[a-z][a-z-]+", told)) - _EVERYWHERE
    assert {option for option in options if not re.search(rf"{option}\b", PAGE)} == set()


def test_every_verb_of_schedule_is_documented(duly: Duly) -> None:
    verbs = re.findall(r"(?m)^  ([a-z]+) ", duly("schedule", "--help").out)
    assert len(verbs) > 10
    assert [verb for verb in verbs if f"`{verb}" not in PAGE] == []
