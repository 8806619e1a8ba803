"""The conventions of the source that no linter checks: sizes, names and plain English.

The lists of exceptions hold what the source contained when a rule was added. A test also fails when an exception is
no longer needed, so the lists can only become shorter.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

import duly

ROOT = Path(str(duly.__file__)).parent
SOURCES = sorted(ROOT.rglob("*.py"))
MAX_LINES = 400
MAX_LINES_OF_A_LANGUAGE = 450  # tables of words: all that duly knows about a language is in one file
MAX_FUNCTION = 60
RIDDLES = re.compile(r"\b(?:nobody|somebody|whoever|whatever)\b", re.IGNORECASE)

CLASS_NAMES_USED_TWICE: frozenset[str] = frozenset(
    {
        "Answer",
        "Draft",
        "Fire",
        "Prompt",
        "Reader",
        "Settings",
        "Standing",
        "_Answer",
    }
)
"""Class names that still occur in more than one module."""

RIDDLES_BY_MODULE: dict[str, int] = {
    "__main__.py": 1,
    "channels/links.py": 1,
    "channels/ntfy.py": 1,
    "channels/settings.py": 2,
    "channels/slack.py": 2,
    "channels/transport.py": 1,
    "cli/app.py": 1,
    "cli/common.py": 1,
    "cli/exit_codes.py": 1,
    "cli/naming.py": 2,
    "cli/parser.py": 1,
    "cli/people.py": 3,
    "cli/schedule_lines.py": 1,
    "cli/schedules.py": 1,
    "config/lines.py": 1,
    "config/reading.py": 1,
    "cron/surprises.py": 3,
    "delivery/buttons.py": 1,
    "delivery/case.py": 1,
    "delivery/dispatcher.py": 6,
    "delivery/sending.py": 1,
    "mcp/prompts.py": 1,
    "mcp/reminder_tools.py": 1,
    "mcp/server.py": 3,
    "mcp/watching.py": 2,
    "model/action.py": 1,
    "model/calendar.py": 1,
    "model/events.py": 2,
    "planning/delivery.py": 9,
    "planning/routes.py": 2,
    "planning/snooze.py": 1,
    "recurrence/__init__.py": 1,
    "recurrence/coerce.py": 1,
    "recurrence/dated.py": 1,
    "recurrence/fields.py": 1,
    "recurrence/union.py": 1,
    "runtime/capabilities.py": 1,
    "runtime/files.py": 2,
    "runtime/identity.py": 2,
    "runtime/links.py": 1,
    "runtime/presence.py": 2,
    "runtime/runtime.py": 2,
    "server/following.py": 1,
    "server/http.py": 2,
    "server/mcp_door.py": 4,
    "server/mcp_sessions.py": 2,
    "server/polling.py": 2,
    "server/protocols.py": 2,
    "server/serving.py": 5,
    "service/access/audit.py": 3,
    "service/access/grants.py": 1,
    "service/access/rights.py": 2,
    "service/access/tokens.py": 1,
    "service/journal.py": 1,
    "service/pages.py": 2,
    "service/people/channel_names.py": 1,
    "service/people/people.py": 9,
    "service/reminders/answers.py": 2,
    "service/reminders/intake.py": 9,
    "service/reminders/reminder_views.py": 1,
    "service/reminders/reminders.py": 3,
    "service/schedules/attention.py": 1,
    "service/schedules/clock_notes.py": 1,
    "service/schedules/drafts.py": 2,
    "service/schedules/use_cases.py": 1,
    "service/schedules/views.py": 1,
    "telemetry/tracing.py": 1,
    "ws/conversation.py": 1,
    "ws/pushing.py": 1,
}
"""How many riddles a module may still contain."""

PARALLEL_ASSIGNMENTS_BY_MODULE: dict[str, int] = {
    "channels/discord_inbound.py": 3,
    "channels/links.py": 1,
    "channels/make.py": 1,
    "channels/slack_inbound.py": 1,
    "channels/telegram_inbound.py": 2,
    "channels/transport.py": 1,
    "channels/whatsapp_inbound.py": 2,
    "cli/answering.py": 2,
    "cli/audit.py": 1,
    "cli/following.py": 1,
    "cli/naming.py": 1,
    "cli/parser.py": 1,
    "cli/reminder_lines.py": 1,
    "cli/reminders.py": 2,
    "cli/schedule_lines.py": 1,
    "cli/schedules.py": 3,
    "cli/settings.py": 1,
    "config/lines.py": 1,
    "cron/expression.py": 1,
    "cron/fields.py": 3,
    "cron/spec.py": 4,
    "cron/surprises.py": 3,
    "cron/timeline.py": 1,
    "delivery/case.py": 1,
    "delivery/dispatcher.py": 8,
    "mcp/watching.py": 1,
    "model/events.py": 1,
    "model/ids.py": 1,
    "planning/delivery.py": 3,
    "planning/quiet.py": 4,
    "recurrence/cascade.py": 2,
    "recurrence/clockface.py": 1,
    "recurrence/dated.py": 2,
    "recurrence/draft.py": 2,
    "recurrence/skip.py": 4,
    "recurrence/slots.py": 4,
    "recurrence/task.py": 1,
    "recurrence/window.py": 1,
    "runtime/capabilities.py": 1,
    "runtime/links.py": 1,
    "runtime/presence.py": 2,
    "runtime/reloading.py": 3,
    "runtime/reviewing.py": 2,
    "runtime/runtime.py": 1,
    "server/awaiting.py": 1,
    "server/bodies.py": 1,
    "server/connections.py": 1,
    "server/hooks.py": 1,
    "server/mcp_door.py": 2,
    "server/mcp_sessions.py": 1,
    "service/access/failed_logins.py": 1,
    "service/access/quotas.py": 3,
    "service/access/tokens.py": 4,
    "service/limits.py": 1,
    "service/pages.py": 3,
    "service/people/channel_names.py": 1,
    "service/reminders/answers.py": 3,
    "service/reminders/intake.py": 2,
    "service/reminders/reminder_views.py": 1,
    "service/reminders/reminders.py": 3,
    "service/schedules/attention.py": 1,
    "service/schedules/forms.py": 1,
    "service/schedules/use_cases.py": 8,
    "service/schedules/values.py": 1,
    "service/schedules/views.py": 3,
    "stores/postgres/executor.py": 1,
    "stores/postgres/listener.py": 1,
    "stores/postgres/pulse.py": 1,
    "stores/postgres/store.py": 1,
    "stores/sqlite/file.py": 1,
    "stores/sqlite/reopening.py": 1,
    "stores/sqlite/store.py": 1,
    "telemetry/log.py": 2,
    "ws/conversation.py": 1,
}
"""How many parallel assignments a module may still contain."""


def _name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", SOURCES, ids=_name)
def test_modules_and_functions_are_short(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    is_language = path.parent == ROOT / "language" / "languages"
    assert text.count("\n") <= (MAX_LINES_OF_A_LANGUAGE if is_language else MAX_LINES)
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            assert (node.end_lineno or 0) - node.lineno <= MAX_FUNCTION, f"{node.name} is too long"


def test_no_two_classes_have_the_same_name() -> None:
    names = Counter(node.name for path in SOURCES for node in ast.walk(_tree(path)) if isinstance(node, ast.ClassDef))
    assert {name for name, times in names.items() if times > 1} == CLASS_NAMES_USED_TWICE


def test_the_source_says_who_acts() -> None:
    """Docstrings, comments and messages name the actor instead of nobody, somebody, whoever or whatever."""
    found = {_name(path): len(RIDDLES.findall(path.read_text(encoding="utf-8"))) for path in SOURCES}
    assert {name: times for name, times in found.items() if times} == RIDDLES_BY_MODULE


def test_each_assignment_sets_one_thing() -> None:
    """`a, b = x, y` hides two assignments in one line; only a swap needs it."""
    found = {_name(path): len(list(_parallel_assignments(_tree(path)))) for path in SOURCES}
    assert {name: times for name, times in found.items() if times} == PARALLEL_ASSIGNMENTS_BY_MODULE


def _parallel_assignments(tree: ast.Module) -> Iterator[ast.Assign]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Tuple):
            for target in node.targets:
                if isinstance(target, ast.Tuple) and not _is_swap(target, node.value):
                    yield node


def _is_swap(target: ast.Tuple, value: ast.Tuple) -> bool:
    """Whether both sides name the same things in another order."""
    return sorted(map(ast.unparse, target.elts)) == sorted(map(ast.unparse, value.elts))
