"""The text of an entry of the audit: the hash covers it, so every way to write it gives the same bytes."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duly.model.audit import data_text
from duly.model.events import SCHEDULE_CREATED, Event
from duly.model.run import Status

NOW = datetime(2026, 1, 1, tzinfo=UTC)
ANY_TEXT = st.text(st.characters(codec=None, exclude_categories=()))


def written(data: dict[str, object]) -> str:
    return json.dumps(data, sort_keys=True, separators=(",", ":"), default=str)


@given(st.dictionaries(ANY_TEXT, ANY_TEXT))
def test_texts_are_written_as_json_with_sorted_names(data: dict[str, object]) -> None:
    assert data_text(Event(SCHEDULE_CREATED, NOW, data=data)) == written(data)


@pytest.mark.parametrize("value", [1, 1.5, True, None, ["a", {"b": 2}], {"z": 1, "a": [2]}, Status.FAILED, NOW])
def test_other_values_are_written_as_json_as_well(value: object) -> None:
    data = {"name": "daily", "by": "library", "value": value}
    assert data_text(Event(SCHEDULE_CREATED, NOW, data=data)) == written(data)
