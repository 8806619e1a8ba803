"""The installed `duly`, as a shell would run it."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import sysconfig
from importlib.metadata import version
from pathlib import Path

import pytest

import duly
from duly import Cron, Duly
from duly import __main__ as console
from duly.cli import BROKEN_PIPE, FAILED, INTERRUPTED, app
from duly.model.schedule import DEFAULT_NAMESPACE

SCRIPT = Path(sysconfig.get_path("scripts")) / "duly"
DOCS = Path(__file__).parents[2] / "docs"
# A terminal's settings must not decide what a program sees.
ENVIRONMENT = {
    **{name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "COV_"))},
    "TZ": "America/New_York",
}


def _run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [SCRIPT, *arguments], capture_output=True, text=True, encoding="utf-8", env=ENVIRONMENT, timeout=60, check=False
    )


def _shell(command: str) -> subprocess.CompletedProcess[str]:
    path = f"{SCRIPT.parent}{os.pathsep}{ENVIRONMENT['PATH']}"
    return subprocess.run(
        ["bash", "-c", command],
        capture_output=True,
        text=True,
        encoding="utf-8",
        env={**ENVIRONMENT, "PATH": path},
        timeout=60,
        check=False,
    )


def test_version_is_printed() -> None:
    assert version("duly") == duly.__version__
    for flag in ("--version", "-V"):
        outcome = _run(flag)
        assert (outcome.returncode, outcome.stdout, outcome.stderr) == (0, f"duly {duly.__version__}\n", "")


def test_next_shows_fires_in_the_time_zone_of_the_machine() -> None:
    outcome = _run("next", "0 9 * * *", "--from", "2026-11-15T08:00Z", "-n", "1")
    assert (outcome.returncode, outcome.stderr) == (0, "")
    assert outcome.stdout == (
        "every day at 09:00 (America/New_York)\n"
        "\n"
        "UTC                   local: America/New_York\n"
        "Sun 2026-11-15 14:00  Sun 2026-11-15 09:00 -05:00  in 6 h\n"
    )


def test_next_starts_from_now_by_default() -> None:
    answer = json.loads(_run("next", "* * * * *", "--json").stdout)
    assert len(answer["next"]) == 5
    assert 0 < answer["next"][0]["in_seconds"] <= 60


def test_the_json_option_prints_json() -> None:
    answer = json.loads(_run("explain", "30 2 * * *", "--tz", "Europe/Berlin", "--from", "2027-01-01", "--json").stdout)
    assert [surprise["kind"] for surprise in answer["surprises"]] == ["moved", "once"]


def test_a_mistake_is_shown_with_a_caret() -> None:
    outcome = _run("next", "0 25 * * *")
    assert (outcome.returncode, outcome.stdout) == (2, "")
    assert outcome.stderr == (
        'duly: Invalid cron expression "0 25 * * *": hour field value 25 is out of range 0-23\n  0 25 * * *\n    ^\n'
    )


def test_an_expression_needs_no_quotes() -> None:
    outcome = _shell("set -f; duly next 0 9 * * 1-5 --tz UTC")
    assert outcome.stdout.startswith("every weekday at 09:00\n")


def test_a_closed_pipe_ends_the_command_without_a_traceback() -> None:
    outcome = _shell('duly next -n 10000 "* * * * *" | head -1; exit "${PIPESTATUS[0]}"')
    assert (outcome.stdout, outcome.stderr) == ("every minute (America/New_York)\n", "")
    assert outcome.returncode == BROKEN_PIPE


@pytest.mark.parametrize("arguments", ["--version", "next @daily"])
def test_a_full_disk_is_reported(arguments: str) -> None:
    outcome = _shell(f"duly {arguments} > /dev/full")
    assert outcome.returncode == FAILED
    assert outcome.stderr.startswith("duly: ")
    assert outcome.stderr.count("\n") == 1


def test_closed_output_ends_the_command_without_a_traceback() -> None:
    for command in ("duly --version >&-", "duly next @daily --tz UTC >&-", "duly --version 2>&-"):
        outcome = _shell(command)
        assert (outcome.returncode, outcome.stderr) == (0, "")


def test_characters_that_the_output_cannot_encode_are_escaped() -> None:
    folder = '--data-dir "$(mktemp -d)"'
    said = _shell(f"PYTHONIOENCODING=ascii duly remind é😀 in 5m {folder}").stdout
    assert said.startswith("\\u2713 \\u00e9\\ud83d\\ude00: once, today ")
    made = _shell(f"PYTHONIOENCODING=ascii duly remind é😀 in 5m --json {folder}").stdout
    assert made.isascii()
    assert json.loads(made)["message"] == "é😀"


def test_ctrl_c_ends_a_command_without_a_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(_arguments: list[str]) -> int:
        signal.raise_signal(signal.SIGINT)
        raise AssertionError("the signal arrived")

    monkeypatch.setattr(sys, "argv", ["duly", "next", "@daily"])
    monkeypatch.setattr(app, "run", interrupted)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # tests in the background are born deaf to it
    try:
        assert console.main() == INTERRUPTED
    finally:
        signal.signal(signal.SIGINT, before)
    assert capsys.readouterr() == ("", "")


def test_nothing_heavy_is_imported_before_it_is_needed() -> None:
    heavy = {"asyncio", "typer", "click", "rich", "pydantic", "argparse", "tzlocal", "json", "logging", "zoneinfo"}
    assert _loaded() & heavy == set()
    assert _loaded("next", "@daily", "--tz", "UTC") & heavy == {"argparse", "zoneinfo"}


NOT_FOR_A_LIST = {
    # other people's libraries
    *(
        "cryptography",
        "dateutil",
        "fastapi",
        "httpx",
        "icalendar",
        "jinja2",
        "mcp",
        "opentelemetry",
        "prometheus_client",
    ),
    *("psycopg", "pydantic", "starlette", "tomllib", "uvicorn", "websockets"),
    # what changes schedules, fires them, or reads words
    *("duly.engine", "duly.language", "duly.phrases", "duly.planning.fire", "duly.planning.lifecycle"),
    *("duly.recurrence.builder", "duly.recurrence.task", "duly.service.schedules.drafts"),
    *("duly.service.schedules.use_cases", "duly.stores.sqlite.reconcile", "duly.stores.sqlite.repair"),
    # records of other tables, and views of other lists
    *("duly.model.audit", "duly.ports.audit", "duly.ports.remembered", "duly.ports.notices", "duly.ports.quotas"),
    *("duly.ports.reminders", "duly.ports.run_history", "duly.ports.targets", "duly.service.access.quotas"),
    *("duly.service.access.tokens", "duly.service.journal", "duly.service.overview.views", "duly.service.reminders"),
    *("duly.service.schedules.run_views", "duly.stores.crud.reminders"),
}


def test_a_list_of_schedules_loads_nothing_that_it_does_not_show(tmp_path: Path) -> None:
    asyncio.run(_with_a_schedule(tmp_path / "schedules.db"))
    assert _loaded("list", "--data-dir", str(tmp_path)) & NOT_FOR_A_LIST == set()


async def _with_a_schedule(store: Path) -> None:
    app = Duly(store, namespace=DEFAULT_NAMESPACE)

    @app.job
    async def noop() -> None:
        raise AssertionError("no engine runs here")

    await app.open()
    await app.schedule("cleanup", Cron("0 9 * * *"), job=noop)
    await app.close()


def _loaded(*words: str) -> set[str]:
    """The modules of a process that has carried out a command, or only been started."""
    asked = f"sys.argv[1:] = {list(words)!r}; assert console.main() == 0" if words else "pass"
    program = f"import sys, duly.__main__ as console; {asked}; print(*sys.modules, file=sys.stderr)"
    outcome = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, env=ENVIRONMENT, timeout=60, check=True
    )
    return set(outcome.stderr.split())


def test_python_dash_m_duly_is_the_same_command() -> None:
    command = [sys.executable, "-m", "duly", "--version"]
    outcome = subprocess.run(command, capture_output=True, text=True, env=ENVIRONMENT, timeout=60, check=True)
    assert outcome.stdout == f"duly {duly.__version__}\n"


def test_the_tour_runs_to_its_end() -> None:
    outcome = _shell(f"sh {DOCS / 'tour.sh'}")
    assert (outcome.returncode, outcome.stderr) == (0, "")
    assert "docs/cli.md" in outcome.stdout.splitlines()[-1]
