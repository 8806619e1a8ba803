"""A table of cron facts, collected from the test suites of other projects and checked by hand and machine."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from duly.cron import Cron, is_valid
from duly.errors import CronCalculationError, InvalidCronExpressionError

TABLE = Path(__file__).parents[2] / "data" / "cron_cases.json"
CASES: list[dict[str, Any]] = json.loads(TABLE.read_text(encoding="utf-8"))["cases"]
POLICIES = {"wallclock": "wallclock", "vixie": "once"}  # their name for ours; "cronos" is not offered


def _fires() -> list[Any]:
    """Each case once for every day rule and DST policy we offer under which it holds."""
    return [
        pytest.param(case, day, POLICIES[dst], id=f"{case['id']}-{day}-{POLICIES[dst]}")
        for case in CASES
        if case["kind"] in ("next", "prev")
        for day in ("or", "and")
        for dst in POLICIES
        if day in case["semantics"]["day"] and dst in case["semantics"]["dst"]
    ]


FIRES = _fires()
VALIDITY = [pytest.param(case, id=case["id"]) for case in CASES if case["kind"] in ("valid", "invalid")]


def test_the_table_is_all_there() -> None:
    assert len(CASES) == 508
    assert len(VALIDITY) == 113
    assert len(FIRES) == 1448
    assert len({id(param.values[0]) for param in FIRES}) == 388  # of 395: seven hold under other people's policies only


@pytest.mark.parametrize("case", VALIDITY)
def test_validity(case: dict[str, Any]) -> None:
    assert is_valid(case["expr"], dialect=case["dialect"]) is not case["error"]


@pytest.mark.parametrize(("case", "day_match", "dst"), FIRES)
def test_fire(case: dict[str, Any], day_match: str, dst: str) -> None:
    try:
        cron = Cron(case["expr"], dialect=case["dialect"], tz=case["tz"], dst=dst, day_match=day_match)
        found = getattr(cron, case["kind"])(datetime.fromisoformat(case["from"]))
    except (InvalidCronExpressionError, CronCalculationError):
        assert case["expected"] is None
    else:
        assert found.isoformat() == case["expected"]
