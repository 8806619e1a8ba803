"""What a user's program may write, as a type checker sees it: options by name, plain calls, the fields of a run."""

import ast
import inspect
import re
from dataclasses import fields
from pathlib import Path
from typing import get_args

import pytest
from mypy import api

from duly import Backoff, CatchUp, Duly, Message, Overlap, Policy, Priority, Prompt, Retry, SessionBehavior, Status
from duly.app import SyncDuly
from duly.model import action, policy, run
from duly.model.schedule import ScheduleOptions
from duly.service.schedules.drafts import Draft

HEAD = """\
from datetime import UTC, datetime, timedelta
from typing import assert_type

from duly import Duly, Message, Policy, Prompt, Retry, Run, Status, every
from duly.engine.health import Health
from duly.model.policy import CatchUp, Overlap
from duly.service.schedules.drafts import Draft
from duly.service.schedules.schedules import ScheduleInfo

app = Duly("schedules.db")
noon = datetime(2026, 11, 15, 12, tzinfo=UTC)
hourly = every(1).hours()
"""

ACCEPTED = """\
policy = Policy(overlap="queue", catch_up="skip", retry=Retry(backoff="constant"))
assert_type(policy.overlap, Overlap)
assert_type(policy.catch_up, CatchUp)
Prompt(text="go", session_behavior="new")
Message(text="hi", priority="high")
assert_type(app.sync.schedule("a", hourly, job="note", args={"text": "x"}, until_at=noon, enabled=False), ScheduleInfo)
assert_type(app.sync.schedule_many([app.sync.draft("a", hourly, job="note", max_runs=3)]), list[ScheduleInfo])
assert_type(app.sync.dispatch("note", lambda recurring: recurring.run_now(), policy=policy), ScheduleInfo)
assert_type(app.sync.history("a", statuses=("failed", Status.DEAD), limit=5), list[Run])
assert_type(app.sync.trigger("a").fire_at, datetime)
assert_type(app.sync.preview(hourly, 3), list[datetime])
assert_type(app.sync.tick(noon), int)
assert_type(app.sync.health(), Health)
assert_type(app.draft("a", hourly, job="note", description="every hour", timezone="Europe/Berlin"), Draft)
"""

REFUSED = """\
Policy(overlap="sometimes")
Policy(overlap=3)
Policy(catch_up="twice")
Retry(backoff="linear")
Message(text="hi", priority="urgent")
app.sync.schedule("a", hourly, job="note", until="tomorrow")
app.sync.schedule("a", hourly, job="note", until_at="tomorrow")
app.sync.schedule("a", hourly, job="note", enabled="yes")
app.sync.schedule(hourly)
app.sync.history("a", statuses=("ended",))
app.sync.pause()
app.sync.nothing()
app.draft("a", hourly, job="note", max_run=3)
app.draft("a", lambda recurring: None, job="note")
"""


@pytest.fixture(scope="module")
def complaints(tmp_path_factory: pytest.TempPathFactory) -> dict[int, str]:
    """The lines that mypy objects to, and what it says."""
    folder = tmp_path_factory.mktemp("typing")
    program = folder / "program.py"
    program.write_text(HEAD + ACCEPTED + REFUSED)
    report, errors, _ = api.run(["--strict", "--no-error-summary", f"--cache-dir={folder / 'cache'}", str(program)])
    assert not errors
    return {int(line): text for line, text in re.findall(r"program\.py:(\d+): error: (.*)", report)}


def _numbered(text: str, before: str) -> list[tuple[int, str]]:
    return list(enumerate(text.splitlines(), before.count("\n") + 1))


@pytest.mark.parametrize(("line", "code"), _numbered(HEAD + ACCEPTED, ""))
def test_the_type_checker_accepts_correct_programs(complaints: dict[int, str], line: int, code: str) -> None:
    assert line not in complaints, code


@pytest.mark.parametrize(("line", "code"), _numbered(REFUSED, HEAD + ACCEPTED))
def test_the_type_checker_refuses_wrong_programs(complaints: dict[int, str], line: int, code: str) -> None:
    assert line in complaints, code


@pytest.mark.parametrize(
    ("names", "enum"),
    [
        (policy.OverlapName, Overlap),
        (policy.CatchUpName, CatchUp),
        (policy.BackoffName, Backoff),
        (action.SessionBehaviorName, SessionBehavior),
        (action.PriorityName, Priority),
        (run.StatusName, Status),
    ],
)
def test_the_literal_types_name_every_option(names: object, enum: type[Overlap]) -> None:
    assert set(get_args(names)) == {each.value for each in enum}


@pytest.mark.parametrize("cls", [Policy, Retry, Prompt, Message])
def test_a_declared_constructor_takes_every_field(cls: type) -> None:
    """Type checkers read it instead of the one that is generated, so that nothing else would find a forgotten field."""
    tree = ast.parse(Path(inspect.getfile(cls)).read_text(encoding="utf-8"))
    (body,) = (node.body for node in tree.body if isinstance(node, ast.ClassDef) and node.name == cls.__name__)
    (declared,) = (
        inner for node in body if isinstance(node, ast.If) for inner in node.body if isinstance(inner, ast.FunctionDef)
    )
    names = [argument.arg for argument in declared.args.kwonlyargs]
    assert names == [field.name for field in fields(cls)]


def test_every_method_is_a_plain_call() -> None:
    """`job` registers, `start`, `stop` and `sync` are what makes plain calls possible: these stay where they are."""
    methods = {name for name, each in vars(Duly).items() if inspect.isfunction(each) and not name.startswith("_")}
    assert {name for name in vars(SyncDuly) if not name.startswith("_")} == methods - {"job", "start", "stop"}


def test_options_are_fields_of_a_draft() -> None:
    named = {field.name for field in fields(Draft)}
    assert set(ScheduleOptions.__annotations__) <= named
