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
MAX_IMPORTS = 20
"""Modules of duly that a module may need: one that needs more has more than one idea, however short it is."""
MAX_FUNCTION = 60
RIDDLES = re.compile(r"\b(?:nobody|somebody|whoever|whatever|told)\b", re.IGNORECASE)

CLASS_NAMES_USED_TWICE: frozenset[str] = frozenset({})
"""Class names that still occur in more than one module."""

NAMES_USED_TWICE = frozenset(
    """
    Action Address Admit After Answers Attempt Cancel Count Cursor Days Decide Elapsed Emit Form Frame ItemPath Json Keep
    Kind Length Minutes Needs OnStart Outcome Plan Reader Resolve Response Said Scope Session Start Statuses Step Stream
    Target Template Text Then When Whole Work
    """.split()
)
"""Names of aliases that still mean something else, or the same again, in another module."""

RIDDLES_BY_MODULE: dict[str, int] = {}
"""How many riddles a module may still contain."""

IMPORTS_BY_MODULE: dict[str, int] = {
    "agents/dispatcher.py": 30,
    "app.py": 30,
    "cli/reminders.py": 23,
    "delivery/dispatcher.py": 22,
    "engine/engine.py": 23,
    "language/requests/doubts.py": 23,
    "runtime/capabilities.py": 25,
    "server/daemon.py": 21,
    "service/actions.py": 23,
    "service/chat/doing.py": 29,
    "service/chat/talk.py": 25,
    "service/notices/sending.py": 23,
    "service/reminders/answers.py": 28,
    "service/reminders/lists.py": 25,
    "service/reminders/reminders.py": 35,
    "service/reminders/replies.py": 21,
    "service/reminders/requests.py": 26,
    "service/reminders/timing.py": 22,
    "service/reminders/views.py": 21,
    "service/runs/details.py": 25,
    "service/schedules/sync.py": 21,
    "service/schedules/use_cases.py": 28,
    "service/services.py": 32,
    "web/screens.py": 23,
}
"""How many modules of duly those may need that needed more when the rule was written."""

MAX_PARTS = 5
"""Arguments of a constructor, besides `self`: one that needs more takes an object that has them."""
CONSTRUCTING_ROOMS = ("service", "runtime", "mcp", "rest", "ws", "web", "server")

PARTS_BY_CLASS: dict[str, int] = {}
"""How many arguments the constructors of these classes may still take."""

PROTOCOLS_ELSEWHERE = frozenset(
    [
        "agents/elsewhere.py HandsOver",
        "agents/execution.py Agent",
        "channels/inbound.py Memory",
        "cli/asking.py AnyDuly",
        "cli/journal.py NumberedView",
        "clock.py Clock",
        "clock.py CorrectableClock",
        "clock.py JumpingClock",
        "executors/calling.py Calling",
        "executors/terms.py Executors",
        "executors/terms.py Terms",
        "model/trigger.py Trigger",
        "operations/ask.py Asker",
        "stores/crud/database.py Database",
        "telemetry/metrics.py MeterSink",
        "web/marks.py Drawn",
    ]
)
"""Protocols that still stand outside of the ports, by module and name: none of a use case."""

PARALLEL_ASSIGNMENTS_BY_MODULE: dict[str, int] = {
    "channels/transport.py": 1,
    "stores/postgres/executor.py": 1,
    "stores/postgres/pulse.py": 1,
    "stores/postgres/store.py": 1,
    "stores/sqlite/file.py": 1,
    "stores/sqlite/reopening.py": 1,
    "stores/sqlite/store.py": 1,
}
"""How many parallel assignments a module may still contain."""


def _name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", SOURCES, ids=_name)
def test_functions_are_short(path: Path) -> None:
    for node in ast.walk(_tree(path)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            assert (node.end_lineno or 0) - node.lineno <= MAX_FUNCTION, f"{node.name} is too long"


def test_a_module_needs_few_others() -> None:
    needed = {_name(path): len(set(_needed(_tree(path)))) for path in SOURCES}
    assert {name: count for name, count in needed.items() if count > IMPORTS_BY_MODULE.get(name, MAX_IMPORTS)} == {}
    assert all(needed[name] > MAX_IMPORTS for name in IMPORTS_BY_MODULE)


def _needed(node: ast.AST) -> Iterator[str]:
    """Give the modules of duly that are imported, but for types alone. The catalogue of operations counts as one."""
    for each in ast.iter_child_nodes(node):
        if isinstance(each, ast.If) and isinstance(each.test, ast.Name) and each.test.id == "TYPE_CHECKING":
            continue
        if isinstance(each, ast.ImportFrom) and (each.module or "").split(".")[0] == "duly":
            yield "duly.operations" if str(each.module).startswith("duly.operations.") else str(each.module)
        elif isinstance(each, ast.Import):
            yield from (name.name for name in each.names if name.name.split(".")[0] == "duly")
        yield from _needed(each)


def test_no_two_classes_have_the_same_name() -> None:
    names = Counter(node.name for path in SOURCES for node in ast.walk(_tree(path)) if isinstance(node, ast.ClassDef))
    assert {name for name, times in names.items() if times > 1} == CLASS_NAMES_USED_TWICE


def test_constructors_take_few_parts() -> None:
    found = {
        f"{_name(path)} {made.name}": _arguments(init)
        for path in SOURCES
        if _name(path).startswith(tuple(f"{room}/" for room in CONSTRUCTING_ROOMS))
        for made in ast.walk(_tree(path))
        if isinstance(made, ast.ClassDef)
        for init in made.body
        if isinstance(init, ast.FunctionDef) and init.name == "__init__"
    }
    assert {name: count for name, count in found.items() if count > MAX_PARTS} == PARTS_BY_CLASS


def _arguments(function: ast.FunctionDef) -> int:
    given = function.args
    return len([*given.posonlyargs, *given.args, *given.kwonlyargs]) - 1


def test_protocols_stand_in_the_ports() -> None:
    """A class that has one implementation is named as it is: only what has several, or is a port, is a protocol."""
    found = {
        f"{_name(path)} {made.name}"
        for path in SOURCES
        if not _name(path).startswith("ports/")
        for made in ast.walk(_tree(path))
        if isinstance(made, ast.ClassDef) and any(_is_protocol(base) for base in made.bases)
    }
    assert found == PROTOCOLS_ELSEWHERE


def _is_protocol(base: ast.expr) -> bool:
    return ast.unparse(base).partition("[")[0] in ("Protocol", "typing.Protocol")


def test_no_alias_has_the_name_of_another_or_of_a_class() -> None:
    names = Counter(name for path in SOURCES for name in _named(_tree(path)))
    assert {name for name, times in names.items() if times > 1} == NAMES_USED_TWICE


def _named(tree: ast.Module) -> Iterator[str]:
    """Give the names of classes and of aliases of types."""
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and not _is_variable(node.value):
            name = node.targets[0].id
            if name[0].isupper() and not name.isupper():
                yield name


def _is_variable(value: ast.expr) -> bool:
    return (
        isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id in ("TypeVar", "ParamSpec")
    )


def test_the_source_says_who_acts() -> None:
    """Docstrings, comments and messages name the actor: no nobody, somebody, whoever, whatever, told."""
    own = [
        path for path in SOURCES if not _name(path).startswith(("language/replies/words/", "language/replies/claims/"))
    ]  # those are people's words
    found = {_name(path): len(RIDDLES.findall(path.read_text(encoding="utf-8"))) for path in own}
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
