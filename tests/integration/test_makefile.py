"""`make run` and `make test` on machines that are not like ours: an old Python, a stale environment, no browser.

The Pythons of these tests are scripts: an old one, and new ones whose `-m venv` makes an environment that only writes
down what it is asked to do. Nothing is installed.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

_OLD = """#!/bin/sh
case "$1" in
  --version) echo "Python 3.9.2";;
  *) exit 1;;
esac
"""

_NEW = """#!/bin/sh
# Python 3.{minor}, which makes environments that write down what they are asked to do.
case "$*" in
  --version) echo "Python 3.{minor}.0";;
  "-m venv "*)
    mkdir -p "$3/bin" && cp "$0" "$3/bin/python" && echo "venv 3.{minor}" >> "$LOG";;
  "-m "*) echo "$*" >> "$LOG";;
  "-c import sys; print(sys.version_info[:2])") echo "(3, {minor})";;
  "-c "*) exit 0;;
esac
"""


_TOOL = """#!/bin/sh
echo "$*" >> "$LOG"
case "$*" in --num-workers*) exit {code};; esac
"""


class Machine:
    """A clone with a Makefile, and the Pythons that a machine has."""

    def __init__(self, folder: Path) -> None:
        self.clone, self._bin, self._log = folder / "clone", folder / "bin", folder / "log"
        for made in (self.clone, self._bin):
            made.mkdir()
        for name in ("Makefile", "pyproject.toml", "requirements-dev.lock"):
            shutil.copy(ROOT / name, self.clone)
        for tool in ("sh", "make", "grep", "sed", "mkdir", "cp", "touch", "rm", "test"):
            (self._bin / tool).symlink_to(shutil.which(tool) or sys.exit(f"{tool} is missing"))

    def add(self, name: str, text: str) -> None:
        path = self._bin / name
        path.write_text(text, encoding="utf-8")
        path.chmod(0o755)

    def add_tool(self, name: str, text: str) -> None:
        """Add a program to the environment of the clone."""
        self.add(name, text)
        (self._bin / name).rename(self.clone / ".venv" / "bin" / name)

    def make(self, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
        """`make`, as a person would type it; nothing of our own `make test` reaches it."""
        env = {"PATH": str(self._bin), "HOME": os.environ.get("HOME", "/"), "LOG": str(self._log), **environment}
        return subprocess.run(
            ["make", *words], cwd=self.clone, env=env, capture_output=True, text=True, check=False, timeout=60
        )

    def done(self) -> list[str]:
        """What the environments were asked to do since the last time."""
        if not self._log.exists():
            return []
        lines = self._log.read_text(encoding="utf-8").splitlines()
        self._log.unlink()
        return [line.replace("--disable-pip-version-check --no-compile ", "") for line in lines]


_ID = """#!/bin/sh
echo {number}
"""
_APT = """#!/bin/sh
echo "apt-get $*" >> "$LOG"
[ "$1" = update ] || cp "$0" "${0%/*}/chromium"
"""
INSTALL = "apt-get update && apt-get install -y chromium"

RUNTIME = ["-m pip install -e .", "-m duly up"]


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_make_run_installs_the_runtime_requirements_once(machine: Machine) -> None:
    machine.add("python3", _NEW.format(minor=12))
    assert machine.make("run").returncode == 0
    assert machine.done() == ["venv 3.12", *RUNTIME]
    assert machine.make("run", "PORT=9000", "HOST=127.0.0.2").returncode == 0
    assert machine.done() == ["-m duly up --host=127.0.0.2 --port=9000"]
    assert machine.make("run", HOST="of-the-shell", PORT="80").returncode == 0
    assert machine.done() == ["-m duly up"]


def test_the_command_suggested_for_an_old_python_works(machine: Machine) -> None:
    machine.add("python3", _OLD)
    machine.add("python3.13", _NEW.format(minor=13))
    refused = machine.make("run", "PORT=9000")
    assert refused.returncode != 0
    told, advice = refused.stderr.splitlines()[:2]
    assert told == "duly needs Python 3.11 or newer; python3 is Python 3.9.2."
    assert advice == "Try: make run PORT=9000 PYTHON=python3.13"
    make, *words = shlex.split(advice.removeprefix("Try: "))
    assert (make, machine.make(*words).returncode) == ("make", 0)
    assert machine.done() == ["venv 3.13", *RUNTIME[:-1], "-m duly up --port=9000"]
    assert machine.make("run").returncode == 0, "the environment exists, so python3 does not matter"
    assert machine.done() == ["-m duly up"]


def test_make_without_a_python_says_what_to_do(machine: Machine) -> None:
    refused = machine.make("run")
    assert refused.stderr.splitlines()[:2] == [
        "duly needs Python 3.11 or newer; python3 is not installed.",
        "Install one, then name it: make run PYTHON=/path/to/python3",
    ]


@pytest.mark.parametrize("stale", ["removed", "too old", "another than asked for"])
def test_a_broken_environment_is_created_again(machine: Machine, stale: str) -> None:
    machine.add("python3", _NEW.format(minor=12))
    machine.add("python3.13", _NEW.format(minor=13))
    assert machine.make("run").returncode == 0
    machine.done()
    inside = machine.clone / ".venv" / "bin" / "python"
    inside.unlink()
    if stale == "removed":
        inside.symlink_to("/nowhere/python3")
    else:
        inside.write_text(_OLD if stale == "too old" else _NEW.format(minor=12), encoding="utf-8")
        inside.chmod(0o755)
    words = ["PYTHON=python3.13"] if stale == "another than asked for" else []
    made = machine.make("run", *words)
    assert "making it anew" in made.stdout
    assert machine.done() == [f"venv 3.{13 if words else 12}", *RUNTIME]


def test_an_unknown_order_is_refused(machine: Machine) -> None:
    machine.add("python3", _NEW.format(minor=12))
    refused = machine.make("test", "ORDER=alphabetical")
    assert refused.returncode != 0
    assert "ORDER=alphabetical is unknown: write ORDER=random" in refused.stderr


def test_the_order_the_seed_and_the_workers_reach_pytest(machine: Machine) -> None:
    machine.add("python3", _NEW.format(minor=12))
    shown = machine.make("-n", "test", "WORKERS=4", "ORDER=random", "SEED=7").stdout.splitlines()[-1]
    assert "pytest -n 4 --dist worksteal -p randomly --randomly-seed=7" in shown
    assert "randomly" not in machine.make("-n", "test").stdout


def test_only_make_coverage_measures(machine: Machine) -> None:
    machine.add("python3", _NEW.format(minor=12))
    assert "--cov" not in machine.make("-n", "test").stdout
    shown = machine.make("-n", "coverage", "ORDER=random").stdout.splitlines()[-1]
    assert "pytest -n 3 --dist worksteal -p randomly --cov --cov-report=term" in " ".join(shown.split())


@pytest.mark.parametrize("name", ["chromium", "chromium-browser", "google-chrome"])
def test_a_browser_that_is_there_is_enough(machine: Machine, name: str) -> None:
    machine.add("id", _ID.format(number=0))
    machine.add("apt-get", _APT)
    machine.add(name, "#!/bin/sh\n")
    assert machine.make("browser").returncode == 0
    assert machine.done() == []


def test_root_gets_the_browser_installed_once(machine: Machine) -> None:
    machine.add("id", _ID.format(number=0))
    machine.add("apt-get", _APT)
    made = machine.make("browser")
    assert made.returncode == 0
    assert INSTALL in made.stdout
    assert machine.done() == ["apt-get update", "apt-get install -y chromium"]
    assert machine.make("browser").returncode == 0
    assert machine.done() == []


@pytest.mark.parametrize(("number", "has_apt"), [(1000, True), (0, False)])
def test_without_a_browser_the_tests_fail_at_once_with_the_command(
    machine: Machine, number: int, has_apt: bool
) -> None:
    machine.add("python3", _NEW.format(minor=12))
    machine.add("id", _ID.format(number=number))
    if has_apt:
        machine.add("apt-get", _APT)
    refused = machine.make("test")
    assert refused.returncode != 0
    assert refused.stderr.splitlines()[:2] == [
        "make test needs Chromium, and none of chromium chromium-browser google-chrome is on the PATH.",
        f"On Debian, as root: {INSTALL}",
    ]
    assert machine.done() == [], "nothing was installed before"


def test_an_installation_that_fails_ends_the_tests(machine: Machine) -> None:
    machine.add("id", _ID.format(number=0))
    machine.add("apt-get", "#!/bin/sh\nexit 100\n")
    assert machine.make("test").returncode != 0
    assert machine.done() == []


def test_the_quick_tests_need_no_browser_and_no_pooler(machine: Machine) -> None:
    machine.add("python3", _NEW.format(minor=12))
    said = machine.make("-n", "quick").stdout
    assert "chromium" not in said
    assert "pgbouncer" not in said


NO_OTHER = "POOLERS=pgbouncer"
"""Not the one that the machine of the tests may have in a folder that is not on the PATH."""
GET_POOLER = "apt-get update && apt-get install -y --no-install-recommends pgbouncer"


def test_root_gets_the_pooler_installed_once(machine: Machine) -> None:
    machine.add("id", _ID.format(number=0))
    machine.add("apt-get", _APT.replace("chromium", "pgbouncer"))
    made = machine.make("pooler", NO_OTHER)
    assert made.returncode == 0
    assert GET_POOLER in made.stdout
    assert machine.done() == ["apt-get update", "apt-get install -y --no-install-recommends pgbouncer"]
    assert machine.make("pooler", NO_OTHER).returncode == 0
    assert machine.done() == []


def test_without_a_pooler_the_tests_fail_at_once_with_the_command(machine: Machine) -> None:
    machine.add("chromium", "#!/bin/sh\n")
    machine.add("id", _ID.format(number=1000))
    machine.add("apt-get", _APT)
    refused = machine.make("test", NO_OTHER)
    assert refused.returncode != 0
    assert refused.stderr.splitlines()[:2] == [
        "make test needs PgBouncer, and there is none of pgbouncer.",
        f"On Debian, as root: {GET_POOLER}",
    ]
    assert machine.done() == [], "nothing was installed before"


@pytest.mark.parametrize(
    ("code", "is_well", "asked"),
    [(0, True, ["--num-workers 2"]), (1, False, ["--num-workers 2"]), (2, True, ["--num-workers 2", ""])],
)
def test_types_are_checked_by_one_process_if_the_workers_do_not_start(
    machine: Machine, code: int, is_well: bool, asked: list[str]
) -> None:
    machine.add("python3", _NEW.format(minor=12))
    machine.make("run")
    machine.add_tool("mypy", _TOOL.format(code=code))
    for name in ("ruff", "lint-imports"):
        machine.add_tool(name, "#!/bin/sh\n")
    machine.done()
    assert (machine.make("check").returncode == 0) is is_well
    assert machine.done()[2:] == asked  # after the installation


def test_locked_packages_are_installed_without_looking_for_newer_ones(machine: Machine) -> None:
    machine.add("python3", _NEW.format(minor=12))
    machine.make("run")
    machine.done()
    machine.make("check")
    install, check = machine.done()[:2]
    assert install.endswith("--require-hashes --no-deps -r requirements-dev.lock")
    assert check.startswith("-m pip check"), "a lock that lacks a package is noticed"
