"""The output of an agent's process becomes no option, carries no secrets on, and does not fill the log."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from duly import Duly, Event, Policy, Retry, run_now
from duly.agents import PRESETS, PromptDispatcher, PromptError, SpawnerProfile
from duly.agents.profile import Parse, SessionNaming
from duly.agents.rules import PromptRules
from duly.agents.templates import Template, fill
from duly.errors import InvalidInputError, RunSkippedError
from duly.model.action import Prompt
from duly.ports.store import FullStore
from duly.recurrence import every
from tests.integration.engine_support.waiting import eventually
from tests.integration.prompts.support import Bench
from tests.security.lesser_user import as_lesser_user

SECRET = "sk-0123456789abcdef"  # noqa: S105  made up
TEMPLATES = [
    pytest.param(getattr(preset, way), id=f"{name} {way}")
    for name, preset in PRESETS.items()
    for way in ("new", "resume", "fork")
    if getattr(preset, way)
]


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    made = Bench(tmp_path)
    try:
        yield made
    finally:
        made.close()


# the daemon's memory

_LOOK = """
import sys
from pathlib import Path
for name in ("environ", "mem"):
    try:
        with Path(f"/proc/{sys.argv[1]}/{name}").open("rb") as file:
            print(name, "open", b"hidden-from-agents" in (file.read(100_000) if name == "environ" else b""))
    except PermissionError:
        print(name, "closed")
"""


def looks_into(pid: int) -> list[str]:
    """What a program of the same user, as every agent is, can open of a process."""
    looker = as_lesser_user(sys.executable, "-c", _LOOK, str(pid))
    return subprocess.run(looker, capture_output=True, text=True, check=True).stdout.splitlines()


@contextmanager
def started(words: list[str], folder: Path, **more: Any) -> Iterator[subprocess.Popen[str]]:
    """A command of duly as a lesser user, with a secret in its environment."""
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "TZ": "UTC",
        "TELEGRAM_TOKEN": "hidden-from-agents",
    }
    process = subprocess.Popen(as_lesser_user(*words), env=environment, cwd=folder, text=True, **more)
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


@pytest.mark.parametrize("verb", ["up", "mcp"])
def test_an_agent_cannot_read_the_environment_and_the_memory_of_the_daemon(tmp_path: Path, verb: str) -> None:
    log = tmp_path / "log"
    options = ["--port", "0"] if verb == "up" else []
    words = [sys.executable, "-m", "duly", verb, *options, "--data-dir", str(tmp_path / "data")]
    with log.open("w") as output, started(words, tmp_path, stdout=output, stderr=output, stdin=subprocess.PIPE) as duly:
        eventually(lambda: "node.started" in log.read_text(encoding="utf-8") or duly.poll() is not None, "the engine")
        assert duly.poll() is None, log.read_text(encoding="utf-8")
        assert looks_into(duly.pid) == ["environ closed", "mem closed"]
    waiting = [sys.executable, "-c", "print(flush=True); input()"]  # a program that keeps nothing closed
    with started(waiting, tmp_path, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        other.stdout.readline()
        assert looks_into(other.pid) == ["environ open True", "mem open False"]


# placeholders


@pytest.mark.parametrize("place", ["prompt", "name"])
def test_text_that_begins_with_a_dash_is_placed_as_text(place: str) -> None:
    assert fill(("tool", f"{{{place}}}"), {place: "--yolo"}) == ["tool", " --yolo"]
    assert fill(("tool", f"{{{place}}}!"), {place: "-y"}) == ["tool", " -y!"]
    assert fill(("tool", f"--title={{{place}}}"), {place: "--yolo"}) == ["tool", "--title=--yolo"]


@pytest.mark.parametrize("place", ["session_id", "cwd", "state_dir", "prompt_file", "model", "max_cost"])
def test_any_other_value_that_would_be_an_option_is_refused(place: str) -> None:
    with pytest.raises(InvalidInputError, match=r"\{" + place + r"\} is '--yolo' here.* must not begin with '-'"):
        fill(("tool", (f"{{{place}}}",)), {place: "--yolo"})


@pytest.mark.parametrize("template", TEMPLATES)
def test_no_value_becomes_an_option_of_a_preset(template: Template) -> None:
    places = ("prompt", "prompt_file", "session_id", "cwd", "name", "state_dir", "model", "max_cost")
    harmless = dict.fromkeys(places, "x")
    for place in places:
        options = [word.partition("=")[0] for word in fill(template, harmless) if word.startswith("-")]
        try:
            filled = fill(template, {**harmless, place: "--yolo"})
        except InvalidInputError:
            continue
        assert [word.partition("=")[0] for word in filled if word.startswith("-")] == options


async def test_a_schedule_whose_name_is_an_option_runs_without_it(bench: Bench) -> None:
    echo = SpawnerProfile(name="echo", new=("sh", "-c", 'printf "%s|" "$@"', "sh", "{name}"))
    result = await bench.run(Prompt(text="go"), dispatcher=bench.dispatcher(echo), name="--yolo")
    assert result["targets"][0]["text"] == "--yolo|"  # the blank before it was stripped from the answer
    ran = SpawnerProfile(name="ran", new=("sh", "-c", 'test "$1" = " --yolo"', "sh", "{name}"), text_path="()")
    with pytest.raises(PromptError, match="ended without an answer"):  # and not: exit code 1
        await bench.run(Prompt(text="go"), dispatcher=bench.dispatcher(ran), name="--yolo", run_id="run_2")


# masking


def talkative(script: str) -> SpawnerProfile:
    """A tool that answers in JSON with what a shell script prints; it is given a secret."""
    return SpawnerProfile(
        name="talkative",
        new=("sh", "-c", script),
        resume=("sh", "-c", script, "{session_id}"),
        session=SessionNaming.PARSED,
        parse=Parse.JSONL,
        session_path="session",
        text_path="text",
        usage_path="usage",
        error_path="error",
        variables={"VENDOR": "env:SOURCE"},
    )


def everything(bench: Bench) -> str:
    """All that was written down or told."""
    told = [{"kind": event.kind.name, **event.data} for event in bench.events]
    return f"{bench.memory.written} {bench.memory.rows} {bench.memory.sessions} {json.dumps(told)}"


async def test_a_secret_is_masked_wherever_an_answer_is_kept(bench: Bench) -> None:
    bench.environ["SOURCE"] = SECRET
    script = (
        """printf '{"session": "s-%s"}\n' $VENDOR; """
        """printf '{"text": "I have %s", "usage": {"%s": 1, "models": [{"key": "%s"}]}}\n' $VENDOR $VENDOR $VENDOR"""
    )
    result = await bench.run(Prompt(text="go"), dispatcher=bench.dispatcher(talkative(script)))
    [target] = result["targets"]
    assert target["text"] == "I have [secret]"
    assert target["usage"] == {"[secret]": 1, "models": [{"key": "[secret]"}]}
    assert target["session_id"] is None  # what is masked could not be gone on with
    assert SECRET not in everything(bench)


async def test_a_secret_is_masked_in_what_a_failure_leaves_behind(bench: Bench) -> None:
    bench.environ["SOURCE"] = SECRET
    script = """printf '{"session": "%s", "error": "refused: %s"}\n' $VENDOR $VENDOR; echo $VENDOR >&2; exit 3"""
    with pytest.raises(PromptError, match=r"refused: \[secret\] \(exit code 3\)") as failed:
        await bench.run(Prompt(text="go"), dispatcher=bench.dispatcher(talkative(script)))
    assert SECRET not in f"{failed.value} {failed.value.session_id} {everything(bench)}"


async def test_a_number_can_be_a_secret_too(bench: Bench) -> None:
    bench.environ["SOURCE"] = "1234567890"
    script = """printf '{"text": "x", "usage": {"pin": %s}}\n' $VENDOR"""
    result = await bench.run(Prompt(text="go"), dispatcher=bench.dispatcher(talkative(script)))
    assert result["targets"][0]["usage"] == {"pin": "[secret]"}


async def test_the_password_of_a_proxy_is_masked_in_agents_and_gates(bench: Bench) -> None:
    bench.environ |= {"https_proxy": "http://me:hunter%232hunter2@proxy:3128", "SOURCE": SECRET}
    script = """printf '{"text": "%s"}\n' "$https_proxy" """
    result = await bench.run(Prompt(text="go"), dispatcher=bench.dispatcher(talkative(script)))
    assert result["targets"][0]["text"] == "http://me:[secret]@proxy:3128"
    dispatcher = bench.dispatcher(talkative(script), gates={"news": ["sh", "-c", "echo $https_proxy; exit 1"]})
    with pytest.raises(RunSkippedError, match=r"nothing to do \(exit code 1\): http://me:\[secret\]@proxy"):
        await bench.run(Prompt(text="go", gate="news"), dispatcher=dispatcher, run_id="run_2")


# the log

WORDS = "the-agents-own-words"
SPEAKS = SpawnerProfile(
    name="speaks",
    new=("sh", "-c", f"""echo '{{"id": "s-2", "text": "{WORDS}"}}'"""),
    resume=("sh", "-c", f"echo no such session {WORDS} >&2; exit 1", "{session_id}"),
    session=SessionNaming.PARSED,
    parse=Parse.JSON,
    text_path="text",
    session_path="id",
    gone="no such session",
)
FAILS = SpawnerProfile(
    name="fails",
    new=("sh", "-c", f"""echo '{{"id": "s-3"}}'; echo {WORDS} >&2; exit 3"""),
    resume=("sh", "-c", "exit 3", "{session_id}"),
    session=SessionNaming.PARSED,
    parse=Parse.JSON,
    text_path="text",
    session_path="id",
)


async def lives_through(folder: Path) -> None:
    """Let agents answer, fail, fail again and lose a session, and a gate find nothing to do."""
    heard: list[Event] = []
    news = asyncio.Event()

    def hear(event: Event) -> None:
        heard.append(event)
        news.set()

    def prompts(store: FullStore, clock: Any) -> PromptDispatcher:
        return PromptDispatcher(
            store.targets,
            clock,
            PromptRules(
                [SPEAKS, FAILS],
                default="speaks",
                state_dir=folder / "agents",
                gates={"no": ["sh", "-c", f"echo {WORDS}; exit 1"]},
            ),
            emit=lambda event: app.engine.emit(event),  # the application is made after its dispatchers
        )

    again = Policy(retry=Retry(max_attempts=2, delay=timedelta(milliseconds=10)))
    app = Duly(str(folder / "schedules.db"), on_event=hear, dispatchers=[prompts])
    async with app, asyncio.timeout(60):
        made = await app.schedule("talk", every(1).hours(), prompt="go")
        await app._store.targets.pin_session(made.id, "", "", "s-1")
        await app.trigger("talk")
        await app.schedule("break", run_now(), prompt=Prompt(text="go", spawner="fails"), policy=again)
        await app.schedule("skip", run_now(), prompt=Prompt(text="go", gate="no"))
        awaited = {"session.lost", "target.succeeded", "run.retrying", "run.failed", "run.skipped"}
        while not awaited <= {event.kind.name for event in heard}:
            news.clear()
            await news.wait()


def test_at_info_the_log_has_no_word_of_an_agent(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, logger="duly"):
        asyncio.run(lives_through(tmp_path))
    told = [(record.getMessage(), record.__dict__.get("duly_facts")) for record in caplog.records]
    assert WORDS not in str(told)
    lines = {line.partition(" ")[0]: line for line, _ in told}
    assert "name=talk" in lines["target.succeeded"]
    assert "session=s-2" in lines["target.succeeded"]
    assert "seconds=" in lines["target.succeeded"]
    assert "session=s-3" in lines["target.failed"]
    assert 'error="exit code 3"' in lines["target.failed"]
    assert 'reason="the tool does not know its session any more"' in lines["session.lost"]
    assert 'error="PromptError: exit code 3" retry_at=' in lines["run.retrying"]
    assert 'error="PromptError: exit code 3" attempt=2' in lines["run.failed"]
    assert "reason=\"gate 'no' found nothing to do (exit code 1)\"" in lines["run.skipped"]


def test_at_debug_the_log_has_all_of_it(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG, logger="duly"):
        asyncio.run(lives_through(tmp_path))
    for name in ("target.succeeded", "session.lost", "run.retrying", "run.failed", "run.skipped"):
        assert [WORDS in line for line in caplog.messages if line.startswith(f"{name} ")] == [True]
