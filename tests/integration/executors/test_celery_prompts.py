"""Prompts on a real worker of Celery: it starts the agent by its own duly.toml, and reports what it printed."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from typing import Any

import pytest

from duly.agents.elsewhere import TASK
from duly.executors.celery import CeleryExecutor
from duly.model.handover import HandoverState
from duly.ports.executors import WorkOrder
from duly.processes import pid_started
from duly.testing.fake_cli import install
from tests.integration.executors.conftest import World
from tests.integration.executors.door import Known
from tests.leaks import lasting

Send = Callable[..., WorkOrder]


@pytest.fixture
def send(world: World, executor: Callable[..., CeleryExecutor]) -> Send:
    """Hands a prompt over to a worker whose file has other spawners and folders than any daemon."""
    folder = world.folder / "agents"
    if "agents" not in world.workers:
        (folder / "api").mkdir(parents=True)
        (folder / "duly.toml").write_text(
            f"""
            data_dir = "data"
            [spawners.far]
            preset = "claude"
            executor = "heavy"            # the daemon may read the same file
            timeout = 1500
            [spawners.gone]
            new = ["no-such-program"]
            [projects.api]
            path = "{folder}/api"
            """,
            encoding="utf-8",
        )
        environment = {
            "PATH": f"{install(folder / 'bin')}{os.pathsep}{os.environ['PATH']}",
            "HOME": str(folder),
            "XDG_CACHE_HOME": str(folder / "cache"),
            "DULY_TEST_PROMPTS": str(folder / "duly.toml"),
        }
        with lasting():
            world.worker("agents", "-P", "prefork", "-c", "2", environment=environment)
    celery = executor(tasks=(TASK,), queue="agents")

    def handed(run: str, text: str, *, lease_seconds: float = 60.0, **names: Any) -> WorkOrder:
        args = {"prompt": text, "spawner": "far", **names}
        order = world.door.order(run, TASK, args=args, lease_seconds=lease_seconds)
        assert celery.hand_over([order])[0].error is None
        return order

    return handed


def result_of(known: Known) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(known.handover.result or "{}")
    return found


def test_the_agent_works_in_the_folder_of_the_worker_and_its_answer_comes_back(world: World, send: Send) -> None:
    known = world.door.wait_for_end(send("run_ask", "look around", project="api", model="opus").key)
    assert known.handover.state is HandoverState.SUCCEEDED
    found = result_of(known)
    assert found["text"] == "claude heard 'look around' in api, turn 1"
    assert found["cost_usd"] > 0
    assert found["session_id"]
    assert known.lines[0] == "far, claude, opus"
    assert any("heard 'look around'" in each for each in known.lines)


def test_the_agent_gets_its_run_and_nothing_of_the_message(world: World, send: Send) -> None:
    order = send("run_env", "[[env]]")
    environment = json.loads(result_of(world.door.wait_for_end(order.key))["text"])
    assert (environment["DULY_RUN_ID"], environment["DULY_SCHEDULE"]) == ("run_env", "nightly")
    assert not any(order.token in value or world.redis.url in value for value in environment.values())


def test_a_failure_comes_back_with_the_words_of_the_tool(world: World, send: Send) -> None:
    known = world.door.wait_for_end(send("run_exit", "[[exit=7]]").key)
    assert known.handover.state is HandoverState.FAILED
    assert "exit code 7" in (known.handover.error or "")
    assert result_of(known).keys() == {"session_id", "cost_usd", "model"}


@pytest.mark.parametrize(
    ("names", "reason"),
    [
        ({"spawner": "claude --dangerous"}, "unknown spawner 'claude --dangerous'"),
        ({"spawner": "gone"}, "no-such-program"),
        ({"project": "web"}, "unknown project 'web'"),
        ({"project": "api", "workspace": "../.."}, "without '..'"),
        ({"model": "--resume"}, "model must be the name of a model"),
    ],
)
def test_what_the_worker_does_not_have_is_refused_there(
    world: World, send: Send, names: dict[str, str], reason: str
) -> None:
    known = world.door.wait_for_end(send(f"run_prompt_{len(world.door.known)}", "look", **names).key)
    assert known.handover.state is HandoverState.FAILED
    assert reason in (known.handover.error or "")


def test_a_cancelled_run_ends_its_agent(world: World, send: Send) -> None:
    order = send("run_hang", "[[family]]", project="api", lease_seconds=2.0)
    family = world.folder / "agents" / "api" / "family"
    world.wait_until(family.exists)
    world.door.cancel(order.key)
    world.wait_until(lambda: not any(pid_started(int(pid)) for pid in family.read_text().split()))


def test_without_leave_of_duly_no_agent_starts(world: World, send: Send) -> None:
    order = send("run_first", "look")
    world.door.wait_for_end(order.key)
    args = {"prompt": "look", "spawner": "far"}
    with lasting():  # the connection to the results
        answer = world.app.send_task(TASK, kwargs=args, queue="agents", serializer="json")
        with pytest.raises(Exception, match="only where duly has handed it over"):
            answer.get(timeout=60)
