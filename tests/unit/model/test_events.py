"""The catalogue of events: each kind once, with a meaning, and made with exactly the fields it lists."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import duly
from duly.model import events
from duly.model.events import CATALOGUE, EventKind

KINDS = {name: value for name, value in vars(events).items() if isinstance(value, EventKind)}
SOURCES = sorted(Path(str(duly.__file__)).parent.rglob("*.py"))


def test_every_kind_is_in_the_catalogue_once() -> None:
    assert sorted(kind.name for kind in KINDS.values()) == sorted(CATALOGUE)
    assert len(KINDS) == len(CATALOGUE)
    assert all(CATALOGUE[kind.name] is kind for kind in KINDS.values())


@pytest.mark.parametrize("kind", KINDS.values(), ids=lambda kind: kind.name)
def test_a_kind_has_a_name_and_a_meaning(kind: EventKind) -> None:
    # Those of the declarative scheduler have the names of its specification.
    assert re.fullmatch(r"[a-z]+\.[a-z_]+|(Scheduler|Polling|Task)[A-Za-z]+", kind.name)
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", kind.name)
    assert KINDS[words.upper().replace(".", "_")] is kind
    assert kind.meaning
    assert not kind.meaning.endswith(".")
    assert kind.level in ("debug", "info", "warning", "error")
    assert len(set(kind.fields)) == len(kind.fields)
    assert all(re.fullmatch(r"[a-z_]+", field) for field in kind.fields)


def test_events_that_must_not_get_lost_are_durable() -> None:
    lasting = {name for name, kind in CATALOGUE.items() if kind.durable}
    assert lasting >= {"run.missed", "run.skipped", "run.failed", "run.dead", "run.rescued", "node.lost"}
    assert lasting >= {name for name in CATALOGUE if name.startswith("schedule.")}
    # one of these for each run would be one more row for each run, and the run says the same
    assert not lasting & {"run.started", "run.succeeded"}


def told() -> Iterator[tuple[str, int, EventKind, set[str]]]:
    """Find every place in duly that makes an event with literal data."""
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call) or getattr(node.func, "id", None) != "Event" or not node.args:
                continue
            kind = KINDS.get(getattr(node.args[0], "id", ""))
            data = next((keyword.value for keyword in node.keywords if keyword.arg == "data"), None)
            positional = len(node.args) > 5 or any(isinstance(arg, ast.Starred) for arg in node.args)
            data = data or (node.args[-1] if positional else None)
            if kind is not None and (data is None or isinstance(data, ast.Dict)):
                keys = data.keys if isinstance(data, ast.Dict) else []
                named = {str(key.value) for key in keys if isinstance(key, ast.Constant)}
                if None in keys and "by" in kind.fields:  # `**asked`, which says who asked
                    named.add("by")
                yield path.name, node.lineno, kind, named


def test_events_carry_the_fields_they_list() -> None:
    found = list(told())
    assert len(found) > 5
    wrong = [(file, line, kind.name, named) for file, line, kind, named in found if named != set(kind.fields)]
    assert wrong == []


def test_the_documentation_lists_every_kind_of_the_catalogue() -> None:
    page = (Path(__file__).parents[3] / "docs" / "engine.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| `([a-z]+\.[a-z_]+)` \| (\w+) \| (yes|audit)? ?\| (.+) \|$", page, re.MULTILINE)
    own = [kind for kind in CATALOGUE.values() if kind.name.islower()]
    kept = {kind.name: "yes" if kind.durable else "audit" if kind.audited else "" for kind in own}
    assert listed == [(kind.name, kind.level, kept[kind.name], kind.meaning) for kind in own]
