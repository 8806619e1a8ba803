"""Attention: a table of facts about a schedule and the concerns that follow from them."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from duly.planning.attention import BEHIND, NO_DAEMON, NO_REASON, ConcernKind, EndedToken, Subject, concerns

NOW = datetime(2026, 11, 16, 9, 30, tzinfo=UTC)
FAILING, OVERDUE, UNSERVED = ConcernKind.FAILING, ConcernKind.OVERDUE, ConcernKind.UNSERVED
QUARANTINED, RESTING, UNAUTHORIZED = ConcernKind.QUARANTINED, ConcernKind.RESTING, ConcernKind.UNAUTHORIZED
FAILS = {"failures": 4, "failing_since": NOW - timedelta(minutes=18), "last_run_at": NOW, "last_error": "ValueError: 5"}
FINISHED = {"enabled": False, "disabled_by": "finished"}
PAUSED = {"enabled": False, "disabled_by": "person"}


REVOKED = EndedToken(id="tok_1", changed=False, expired=False, since=NOW - timedelta(minutes=3))


def ago(**length: float) -> datetime:
    return NOW - timedelta(**length)


def judged(*, served: tuple[str, ...] = ("job:backup",), engine_runs: bool = True, **fields: Any) -> list[Any]:
    """What is made of a schedule: kind, since and reason of each concern."""
    known = {"id": "sched_1", "namespace": "default", "name": "backup", "handler": "job:backup", "enabled": True}
    about = Subject(**{**known, **fields})
    found = concerns(about, now=NOW, served=served, engine_runs=engine_runs)
    assert all((each.schedule_id, each.namespace, each.name) == ("sched_1", "default", "backup") for each in found)
    return [(each.kind, each.since, each.reason) for each in found]


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        pytest.param({}, [], id="nothing is known against it"),
        pytest.param({"next_run_at": NOW + timedelta(hours=1)}, [], id="it comes in an hour"),
        pytest.param({"next_run_at": ago(seconds=60)}, [], id="late within the grace time"),
        pytest.param(FAILS, [(FAILING, ago(minutes=18), "ValueError: 5")], id="fails"),
        pytest.param({**FAILS, "last_error": "two\nlines"}, [(FAILING, ago(minutes=18), "two lines")], id="one line"),
        pytest.param({**FAILS, "last_error": None}, [(FAILING, ago(minutes=18), NO_REASON)], id="fails, no reason"),
        pytest.param({**FAILS, **PAUSED}, [], id="failed, and a person paused it"),
        pytest.param({**FAILS, **FINISHED}, [(FAILING, ago(minutes=18), "ValueError: 5")], id="its end failed"),
        pytest.param({**FAILS, **FINISHED, "last_run_at": ago(hours=25)}, [], id="its end failed long ago"),
        pytest.param(
            {"ended_token": REVOKED},
            [(UNAUTHORIZED, ago(minutes=3), "the token that made it (tok_1) was revoked")],
            id="its creator's token was revoked",
        ),
        pytest.param(
            {**FAILS, "ended_token": replace(REVOKED, changed=True, expired=True)},
            [
                (UNAUTHORIZED, ago(minutes=3), "the token that last changed it (tok_1) has expired"),
                (FAILING, ago(minutes=18), "ValueError: 5"),
            ],
            id="the token that last changed it has expired",
        ),
        pytest.param({**PAUSED, "ended_token": REVOKED}, [], id="its token was revoked, and a person paused it"),
        pytest.param({"next_run_at": ago(minutes=9)}, [(OVERDUE, ago(minutes=9), BEHIND)], id="overdue"),
        pytest.param({"next_run_at": ago(minutes=9), "grace": timedelta(minutes=10)}, [], id="it has a longer grace"),
        pytest.param(
            {"next_run_at": NOW + timedelta(hours=1), "held_up_since": ago(minutes=9)},
            [(OVERDUE, ago(minutes=9), BEHIND)],
            id="its run waits",
        ),
        pytest.param(
            {"next_run_at": ago(minutes=5), "held_up_since": ago(minutes=9)},
            [(OVERDUE, ago(minutes=9), BEHIND)],
            id="the older of both counts",
        ),
        pytest.param({**PAUSED, "held_up_since": ago(minutes=9)}, [(OVERDUE, ago(minutes=9), BEHIND)], id="by hand"),
        pytest.param(
            {"next_run_at": ago(minutes=9), "engine_runs": False, "served": ()},
            [(OVERDUE, ago(minutes=9), NO_DAEMON)],
            id="overdue, and nothing runs",
        ),
        pytest.param(
            {"next_run_at": NOW + timedelta(hours=1), "engine_runs": False, "served": ()},
            [],
            id="nothing runs, and it is not due",
        ),
        pytest.param(
            {"next_run_at": NOW + timedelta(hours=1), "served": ("message",)},
            [(UNSERVED, None, "job backup is not registered anywhere")],
            id="a job that was removed",
        ),
        pytest.param(
            {"held_up_since": ago(minutes=9), "served": ()},
            [(UNSERVED, ago(minutes=9), "job backup is not registered anywhere")],
            id="a job that was removed, and its run waits",
        ),
        pytest.param(
            {"next_run_at": NOW + timedelta(hours=1), "handler": "prompt:codex"},
            [(UNSERVED, None, "no running engine has the spawner codex")],
            id="a spawner that was removed",
        ),
        pytest.param(
            {"next_run_at": NOW + timedelta(hours=1), "handler": "message"},
            [(UNSERVED, None, "no running engine delivers messages")],
            id="only a program with jobs runs",
        ),
        pytest.param({"served": (), **PAUSED}, [], id="unserved, and paused"),
        pytest.param(
            {**FAILS, "next_run_at": ago(minutes=9)},
            [(FAILING, ago(minutes=18), "ValueError: 5"), (OVERDUE, ago(minutes=9), BEHIND)],
            id="fails and is overdue",
        ),
        pytest.param({**FAILS, "quarantine": "not JSON"}, [(QUARANTINED, None, "not JSON")], id="unreadable"),
        pytest.param(
            {"resting": "the folder /blog is missing", "resting_since": ago(hours=2), "served": ()},
            [(RESTING, ago(hours=2), "the folder /blog is missing")],
            id="rests",
        ),
        pytest.param({"resting": "the folder is missing", **PAUSED}, [], id="rests, and a person paused it"),
    ],
)
def test_each_fact_about_a_schedule_has_its_concerns(fields: dict[str, Any], expected: list[Any]) -> None:
    assert judged(**fields) == expected


@pytest.mark.parametrize(
    ("fields", "remedy"),
    [
        (FAILS, "duly schedule history 'back up' --status failed --status dead"),
        ({"next_run_at": ago(hours=1), "engine_runs": False}, "duly up"),
        ({"next_run_at": ago(hours=1)}, "duly health"),
        ({"quarantine": "?"}, "save it again under its name, or: duly schedule delete 'back up'"),
        ({"resting": "?"}, "it goes on by itself once that is back; or: duly schedule pause 'back up'"),
        (
            {"next_run_at": NOW, "handler": "job:x"},
            (
                "start the program that registers x, or name it under [jobs] in duly.toml and restart duly up; "
                "or: duly schedule delete 'back up'"
            ),
        ),
        (
            {"next_run_at": NOW, "handler": "prompt:x"},
            "add [spawners.x] to duly.toml and restart duly up; or: duly schedule delete 'back up'",
        ),
        ({"next_run_at": NOW, "handler": "message"}, "duly up"),
    ],
)
def test_a_remedy_is_a_command_that_can_be_typed(fields: dict[str, Any], remedy: str) -> None:
    known = {"id": "sched_1", "namespace": "default", "name": "back up", "handler": "job:a", "enabled": True}
    runs = fields.get("engine_runs", True)
    about = Subject(**{**known, **{name: value for name, value in fields.items() if name != "engine_runs"}})
    (found,) = concerns(about, now=NOW, served=("job:a",), engine_runs=runs)
    assert found.remedy == remedy
