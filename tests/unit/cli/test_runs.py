"""`duly run show`: attempts and output of one run, and following it to its end."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.unit.cli.command_line import CommandLine, command_line

__all__ = ["command_line"]

_SPAWNERS = """
[spawners.echo]
new = ["cat"]
[spawners.broken]
new = ["false"]
[projects.shop]
path = "shop"
[projects.blog]
path = "blog"
"""


@pytest.fixture
def agents(command_line: CommandLine) -> CommandLine:
    """Where an agent repeats its prompt, and another one fails."""
    command_line.configure(_SPAWNERS)
    return command_line


def run_of(agents: CommandLine, name: str) -> str:
    [run, *_] = agents.read("schedule", "history", name)["items"]
    return str(run["id"])


def hourly(agents: CommandLine, name: str, *more: str) -> str:
    agents.say("schedule", "create", name, "--cron", "0 * * * *", *more)
    agents.clock.advance(3600)
    agents.run("tick")
    return run_of(agents, name)


def test_a_run_is_shown_with_its_attempts_and_its_output(agents: CommandLine) -> None:
    run = hourly(agents, "plants", "--prompt", "water them\nwarning: not the cactus", "--spawner", "echo")
    said = agents.say("run", "show", run)
    assert "status          succeeded\n" in said
    assert "ATTEMPT  STATUS     BEGAN (Europe/Berlin)  ENDED     WAITED  NODE  ERROR\n" in said
    assert "1        succeeded  14:00:00" in said
    assert said.endswith("14:00:00  echo, cat\n14:00:00  water them\n14:00:00  warning: not the cactus\n")
    told = agents.read("run", "show", run)
    assert (told["run"]["id"], told["prompt"], len(told["attempts"])) == (run, "water them\nwarning: not the cactus", 1)


def test_a_failure_says_why(agents: CommandLine) -> None:
    run = hourly(agents, "plants", "--prompt", "water them", "--spawner", "broken")
    said = agents.say("run", "show", run)
    assert "1        failed  14:00:00" in said
    assert "exit code 1 and no output" in said


def test_following_ends_with_the_run(agents: CommandLine) -> None:
    run = hourly(agents, "plants", "--prompt", "water them", "--spawner", "echo")
    assert agents.say("run", "show", run, "--follow") == "14:00:00  echo, cat\n14:00:00  water them\nsucceeded\n"
    lines = [json.loads(line) for line in agents.say("run", "show", run, "-f", "--json").splitlines()]
    assert lines[1] == {"attempt": 1, "at": lines[1]["at"], "kind": "text", "text": "water them"}


def test_of_several_targets_one_is_chosen(agents: CommandLine, tmp_path: Path) -> None:
    for name in ("shop", "blog"):
        (tmp_path / name).mkdir()
    chosen = ("--target", "shop", "--target", "blog")
    run = hourly(agents, "plants", "--prompt", "water them", "--spawner", "echo", *chosen)
    assert agents.say("run", "show", run).endswith("output of: blog, shop; --target NAME shows one\n")
    assert agents.say("run", "show", run, "--target", "blog").endswith("14:00:00  water them\n")
    refused = agents.fail("run", "show", run, "--follow", code=2)
    assert refused == "the run has several targets: say which with --target: blog, shop"


def test_mistakes(agents: CommandLine) -> None:
    assert agents.fail("run", "sow", code=2).startswith("no such verb: duly run sow; there are show")
    assert agents.fail("run", "show", "run_x", "--follow", "--attempt", "1", code=2).startswith("--follow goes on with")
    assert agents.fail("run", "show", "run_x", code=1) == "there is no run 'run_x'"
    assert "show" in agents.say("run", "--help")
