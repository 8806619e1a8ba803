"""Which tests `make coverage` measures, and where it switches coverage off.

To measure takes half as long again on Python 3.11, so `make test` does without. It answers one question: which lines of
duly does no test reach? For that it is enough to go each way once. Tests that go the ways of others once more run like
all others, but they are not measured: they are listed here, with the reason. The report says half a point less than it
would with them.

pytest-cov has a marker for this, `no_cover`. It leaves out a test, but not its fixtures, which often do more than the
test. Here coverage stays off from the first test that is not measured to the next one that is. Threads that are under
way keep what they began with. All test processes import the same modules, so only the first of them is measured while
it does.
"""

from __future__ import annotations

import os
from typing import Any

import pytest

_MANY_CASES = (
    "conformance/declarative/test_state_machine.py",
    "conformance/reminders/test_escalation.py",
    "conformance/reminders/test_week.py",
    "sim/test_checker.py",
    "unit/cron/test_cronexpr.py",
    "unit/cron/test_croniter.py",
    "unit/cron/test_cronsim.py",
    "unit/cron/test_laws.py",
    "unit/cron/test_oracle.py",
    "unit/cron/test_sweep.py",
    "unit/cron/test_zones.py",
    "unit/cron_words/test_describe.py",
    "unit/engine/test_pruning.py",
    "unit/language/test_laws.py",
    "unit/language_replies/test_laws.py",
    "unit/recurrence/test_cascade.py",
    "unit/recurrence/test_laws.py",
    "unit/recurrence/test_oracle.py",
    "unit/recurrence/test_skip.py",
)
"""These pass over the same lines thousands of times, which doubles their time. `make quick` leaves them out."""
_MANY_QUICK_CASES = (
    "conformance/declarative/test_cron_language.py",
    "conformance/overview/test_fires.py",
    "conformance/stores/test_state_machine.py",
    "integration/chat/test_laws.py",
    "integration/faces/test_fuzz.py",
    "unit/agents/test_output.py",
    "unit/cron/test_cases.py",
    "unit/cron/test_fuzz.py",
    "unit/cron/test_never.py",
    "unit/cron_words/test_surprises.py",
    "unit/delivery/test_messages.py",
    "unit/language_replies/test_blind.py",
    "unit/planning/test_lifecycle.py",
    "unit/planning/test_overlap.py",
    "unit/planning/test_places.py",
    "unit/planning/test_retry_deaths.py",
    "unit/recurrence/test_calendar.py",
)
"""So do these, but they take no seconds."""
_OTHER_PROCESSES = (
    "tests/chaos/",
    "tests/conformance/declarative/test_crash.py",
    "tests/conformance/stores/test_concurrency.py",
    "tests/integration/agents/test_killed.py",
    "tests/integration/prompts/test_engine.py",
    "tests/integration/prompts/test_presets.py",
    "tests/integration/test_engine_disk_full.py",
    "tests/integration/test_engine_failpoints.py",
    "tests/integration/test_engine_isolation.py",
    "tests/integration/test_engine_lease.py",
    "tests/integration/test_engine_partition.py",
    "tests/integration/test_engine_poison.py",
    "tests/integration/test_engine_replaced_file.py",
    "tests/integration/test_engine_stopping.py",
    "tests/migration/test_postgres.py",
    "tests/unit/stores/test_sqlite_write_lock.py",
)
"""Here other processes do the work, which are not measured, and the test waits for them."""
_SAME_WAYS = (
    "tests/browser/",
    "tests/conformance/notices/test_failures.py",
    "tests/conformance/reminders/test_postgres.py",
    "tests/conformance/schedules/test_arguments.py",
    "tests/conformance/schedules/test_attention.py",
    "tests/conformance/schedules/test_firing.py",
    "tests/conformance/schedules/test_tick.py",
    "tests/conformance/schedules/test_zones.py",
    "tests/integration/faces/test_websocket_page.py",
    "tests/integration/test_wake_ups.py::test_an_agent_cannot_wake_itself_for_ever",
    "tests/security/test_access_first.py",
    "tests/security/test_api_document.py",
    "tests/security/test_authorization_matrix.py",
    "tests/security/test_fuzz_routes.py",
    "tests/security/test_lists.py",
    "tests/security/test_starvation.py",
    "tests/sim/",
    "tests/unit/stores/test_sqlite_claiming.py",
    "tests/unit/stores/test_sqlite_faults.py",
    "tests/unit/stores/test_sqlite_io_errors.py",
    "tests/unit/test_conventions.py",
    "tests/web/test_far_dates.py",
    "tests/web/test_scopes.py",
)
_SAME_WAYS_WITH = {
    "tests/conformance/declarative/": ("postgres",),
    "tests/conformance/overview/": ("postgres",),
    "tests/conformance/schedules/": ("postgres",),
    "tests/conformance/stores/": ("memory", "sqlite-inline"),
    "tests/security/": ("postgres",),
}
"""Other tests go the same ways through duly. The stores are measured by their own tests, on each database."""


def is_measured(item: pytest.Item) -> bool:
    """Tell whether coverage is on in a test."""
    if item.path.as_posix().endswith((*_MANY_CASES, *_MANY_QUICK_CASES)):
        return False
    if item.nodeid.startswith((*_OTHER_PROCESSES, *_SAME_WAYS)):
        return False
    case = item.name.partition("[")[2]
    return not any(
        item.nodeid.startswith(folder) and any(store in case for store in stores)
        for folder, stores in _SAME_WAYS_WITH.items()
    )


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark tests with many cases as slow."""
    for item in items:
        if item.path.as_posix().endswith(_MANY_CASES):
            item.add_marker(pytest.mark.slow)


@pytest.hookimpl(trylast=True)
def pytest_sessionstart(session: pytest.Session) -> None:
    """Measure in one process only what is imported with the tests."""
    if os.environ.get("PYTEST_XDIST_WORKER", "gw0") != "gw0":
        _switch(session.config, on=False)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> None:
    """Switch coverage on or off before a test and its fixtures, unless it is as it should be."""
    _switch(item.config, on=is_measured(item))


def _switch(config: pytest.Config, *, on: bool) -> None:
    plugin: Any = config.pluginmanager.getplugin("_cov")
    controller = None if plugin is None else plugin.cov_controller
    if controller is not None and controller.started != on:
        (controller.resume if on else controller.pause)()
