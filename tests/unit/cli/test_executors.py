"""`duly executors`: what it shows, its exit code, and what it refuses; and jobs of executors from the command line."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from duly.ports.executor_settings import ExecutorKind
from duly.ports.executors import ExecutorStanding, QueueStanding
from duly.runtime import executors
from tests.configured_executor import MADE, ConfiguredExecutor
from tests.unit.cli.command_line import CommandLine, command_line

__all__ = ["command_line"]

HEAVY = '[executors.heavy]\nkind = "celery"\nbroker = "env:BROKER"\ntasks = ["proj.*"]\n'
ANSWERS: list[ExecutorStanding] = []


class Answering(ConfiguredExecutor):
    """Answers as the test says."""

    def standing(self) -> ExecutorStanding:
        return ANSWERS[-1]


@pytest.fixture
def duly(command_line: CommandLine, monkeypatch: pytest.MonkeyPatch) -> Iterator[CommandLine]:
    monkeypatch.setitem(executors.CLASSES, ExecutorKind.CELERY, (__name__, "Answering"))
    command_line.configure(HEAVY)
    ANSWERS[:] = [
        ExecutorStanding(
            reachable=True, queues=(QueueStanding(name="slow", depth=3, workers=2),), workers=("celery@a", "celery@b")
        )
    ]
    yield command_line
    MADE.clear()


def test_a_table_of_all(duly: CommandLine) -> None:
    heading, row = duly.say("executors").splitlines()
    assert heading.split() == ["executor", "kind", "state", "queues", "workers", "waiting", "begun"]
    assert row.split() == ["heavy", "celery", "ok", "slow", "3", "2", "0", "0"]
    [one] = duly.read("executors")["items"]
    assert (one["name"], one["reachable"]) == ("heavy", True)
    assert duly.read("executors", "heavy") == {**one, "looked_at": one["looked_at"]}


def test_a_check_says_everything_and_its_exit_code_says_whether_all_is_well(duly: CommandLine) -> None:
    said = duly.say("executors", "heavy", "--check").splitlines()
    assert said[0] == "✓ executor heavy can be reached"
    assert said[-1] == "heavy: all is well"
    ANSWERS.append(ExecutorStanding(reachable=False, error="connection refused"))
    done = duly.run("executors", "heavy", "--check")
    assert done.code == 1
    assert done.out.splitlines()[:2] == [
        "! executor heavy cannot be reached: connection refused",
        "    start its broker, or correct broker of [executors.heavy]; its runs wait until then",
    ]
    assert done.out.splitlines()[-1] == "heavy: 1 thing needs a look"
    assert "! executor heavy cannot be reached" in duly.say("executors")  # a list is no check


def test_what_is_refused(duly: CommandLine) -> None:
    assert duly.fail("executors", "--check", code=2).startswith("--check is about one executor: duly executors NAME")
    assert "there is no executor 'heavi': configured are heavy. did you mean heavy?" in duly.fail(
        "executors", "heavi", code=1
    )
    duly.configure("")
    assert duly.say("executors").startswith("no executor is configured: say in duly.toml")


def test_a_job_of_an_executor_is_made_shown_and_changed(duly: CommandLine) -> None:
    words = ("schedule", "create", "report", "--cron", "0 3 * * *", "--job", "proj.report", "--executor", "heavy")
    made = duly.read(*words, "--queue", "slow", "--task-priority", "7", "--positional", '["a", 1]', "--arg", "to=tape")
    wanted = {
        "job_name": "proj.report",
        "executor": "heavy",
        "queue": "slow",
        "task_priority": 7,
        "positional": ["a", 1],
    }
    assert {name: made[name] for name in wanted} == wanted
    assert made["job_args"] == {"to": "tape"}
    changed = duly.read("schedule", "update", "report", "--clear", "queue", "--clear", "positional")
    assert ("queue" in changed, "positional" in changed) == (False, False)
    assert "is not allowed for executor 'heavy'" in duly.fail(
        "schedule", "update", "report", "--job", "os.system", code=2
    )
