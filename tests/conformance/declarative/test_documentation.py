"""The page about the scheduler names only tests, events and errors that exist, and leaves none of the latter out."""

from __future__ import annotations

import re
from pathlib import Path

from duly import declarative
from duly.model.events import CATALOGUE

HERE = Path(__file__).parent
PAGE = (HERE.parents[2] / "docs" / "declarative.md").read_text(encoding="utf-8")


def test_every_test_on_the_page_exists() -> None:
    there = {name for file in HERE.glob("*.py") for name in re.findall(r"test_\w+", file.read_text(encoding="utf-8"))}
    named = set(re.findall(r"`(test_\w+)`", PAGE))
    assert len(named) > 80
    assert named <= there


def test_every_event_and_what_it_carries_is_on_the_page() -> None:
    for name, kind in CATALOGUE.items():
        if name[0].isupper():
            [line] = [line for line in PAGE.splitlines() if line.startswith("|") and f"`{name}`" in line.split("|")[1]]
            assert all(f"`{field}`" in line for field in kind.fields if field != "scheduler"), line


def test_every_error_is_on_the_page() -> None:
    errors = [name for name in declarative.__all__ if name.endswith("Error")]
    assert [name for name in errors if f"`{name}`" not in PAGE] == []
