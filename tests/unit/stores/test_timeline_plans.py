"""Views over many schedules cost by what is asked: each statement of SQLite goes by an index."""

from __future__ import annotations

import re
from collections.abc import Iterator

import apsw
import pytest

from duly.stores import queries
from duly.stores.sqlite.file import connect

INDEXES = {
    "list_schedules": "schedules_name",
    "list_few_schedules": "SEARCH schedules USING PRIMARY KEY (id=?)",
    "list_resting_schedules": "schedules_resting_by_name ((namespace,name)>(?,?) AND namespace<?)",
    "list_switched_off_schedules": "schedules_paused ((namespace,name)>(?,?) AND namespace<?)",
    "ids_of_project": "schedule_targets_project (project_id=?)",
    "ids_of_token": "schedules_changed_by (changed_by=?)",
    "ids_of_unreadable": "schedules_quarantined",
    "ids_of_switched_off": "schedules_over",
    "ids_of_switched_on": "COVERING INDEX schedules_due",
    "list_runs": "SEARCH r USING PRIMARY KEY (id<?)",
    "list_runs_of_schedule": "runs_fire (schedule_id=?)",
    "within": "schedule_targets_project",
    "reached": "schedules_name",
    "find_runs": "PRIMARY KEY (id>? AND id<?)",
    "find_runs_of": "runs_fire (schedule_id=?)",
    "count_found_runs": "PRIMARY KEY (id>? AND id<?)",
    "count_found_runs_of": "runs_fire (schedule_id=?)",
    "search_runs": "PRIMARY KEY (id>? AND id<?)",
    "size_of_runs": "PRIMARY KEY (id>? AND id<?)",
    "search_schedules": "schedules_name ((namespace,name)>(?,?) AND namespace<?)",
    "size_of_namespace": "schedules_name (namespace>? AND namespace<?)",
    "of_any_namespace": "SEARCH s USING INDEX schedules_name (namespace=? AND name=?)",
    "schedules_between": "schedules_name ((namespace,name)>(?,?) AND (namespace,name)<(?,?))",
    "count_running": "runs_active",
    "still_open": "runs_active",
    "marks": "runs_fire (schedule_id=? AND fire_at>? AND fire_at<?)",
    "costs": "runs_fire (schedule_id=? AND fire_at>?)",
    "spent_between": "PRIMARY KEY (run_id>? AND run_id<?)",
    "spent_between_of": "runs_fire (schedule_id=?)",
    "planned": "schedules_due (next_run_at>? AND next_run_at<?)",
    "planned_of": "PRIMARY KEY (id=?)",
    "doing": "runs_active (schedule_id=?)",
    "under_way": "runs_owned",
    "awaited": "reminders_open",
    "runs_by_id": "PRIMARY KEY (id=?)",
    "tally_runs": "PRIMARY KEY (id>? AND id<?)",
    "stretches": "runs_fire (schedule_id=? AND fire_at>? AND fire_at<?)",
    "last_marks": "runs_fire (schedule_id=?)",
    "come_forward": "runs_active (schedule_id=?)",
    "ranked_of": "SEARCH s USING PRIMARY KEY (id=?)",
    "listed_by_name": "schedules_name ((namespace,name)>(?,?) AND namespace<?)",
    "paused_by_name": "schedules_paused ((namespace,name)>(?,?) AND namespace<?)",
    "over_by_name": "schedules_over ((namespace,name)>(?,?) AND namespace<?)",
    "listed_by_time": "schedules_due ((next_run_at,id)>(?,?))",
    "owned_by_time": "schedules_name (namespace=?)",
    "without_next_run": "schedules_unplanned ((namespace,name)>(?,?) AND namespace<?)",
    "failing_by_name": "schedules_failing_by_name ((namespace,name)>(?,?) AND namespace<?)",
    "resting_by_name": "schedules_resting_by_name ((namespace,name)>(?,?) AND namespace<?)",
    "count_switched_on": "COVERING INDEX schedules_due",
    "switched_on_by_name": "SEARCH schedules USING INDEX schedules_due",
    "disowned": "SEARCH s USING INDEX schedules_created_by (created_by=?)",
}


@pytest.fixture(scope="module")
def connection(tmp_path_factory: pytest.TempPathFactory) -> Iterator[apsw.Connection]:
    made = connect(tmp_path_factory.mktemp("plans") / "duly.db")
    for _, script in queries.migrations("sqlite"):
        made.execute(script)
    yield made
    made.close()


@pytest.mark.parametrize(("name", "index"), INDEXES.items())
def test_a_statement_goes_by_its_index(connection: apsw.Connection, name: str, index: str) -> None:
    statement = getattr(queries.load("sqlite"), name)
    values = dict.fromkeys(re.findall(r":(\w+)", statement), 1)
    plan = "\n".join(str(row[3]) for row in connection.execute(f"EXPLAIN QUERY PLAN {statement}", values))
    assert index in plan
    assert not re.search(r"SCAN (schedules|runs|reminders|r|m|t|own|gone)\b(?! USING)", plan), plan


LISTS = {
    "list_schedules": {"schedules_name"},
    "list_resting_schedules": {"schedules_resting_by_name"},
    "listed_by_name": {"schedules_name"},
    "paused_by_name": {"schedules_paused"},
    "over_by_name": {"schedules_over"},
    "off_by_name": {"schedules_off_by_name"},
    "failing_by_name": {"schedules_failing_by_name"},
    "resting_by_name": {"schedules_resting_by_name"},
    "listed_by_time": {"schedules_due"},
    "without_next_run": {"schedules_unplanned", "schedules_paused", "schedules_over"},
}


@pytest.mark.parametrize(("name", "indexes"), LISTS.items())
def test_a_list_is_in_the_order_of_its_index(connection: apsw.Connection, name: str, indexes: set[str]) -> None:
    """It looks for the next rows, and puts nothing in order but what is on the page."""
    statement = getattr(queries.load("sqlite"), name)
    values = dict.fromkeys(re.findall(r":(\w+)", statement), 1)
    steps = [str(row[3]) for row in connection.execute(f"EXPLAIN QUERY PLAN {statement}", values)]
    reads = [each for each in steps if "schedules" in each]
    assert {found[1] for each in reads if (found := re.match(r"SEARCH schedules USING INDEX (\w+)", each))} == indexes
    sorts = [number for number, each in enumerate(steps) if each == "USE TEMP B-TREE FOR ORDER BY"]
    assert all(steps[number - 1].startswith("SCAN ") for number in sorts)  # of a part that has the page's length


def test_a_statement_is_planned_once_for_all_values(connection: apsw.Connection) -> None:
    planned: list[int] = []

    def authorize(operation: int, *_names: str | None) -> int:
        planned.append(operation)
        return apsw.SQLITE_OK

    statement = queries.load("sqlite").previous_reminder
    connection.authorizer = authorize
    selects = []
    for number in range(3):
        list(connection.execute(statement, {"run_id": number, "schedule_id": number, "user_id": number}))
        selects.append(planned.count(apsw.SQLITE_SELECT))
    connection.authorizer = None
    assert selects == [selects[0]] * 3
