"""The leak guard, in a run of its own: every kind of leak is planted, and the test after it must not be blamed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests import leaks

ROOT = Path(leaks.__file__).parents[1]

_PLANTED = """
import asyncio, logging, os, socket, subprocess, sys, tempfile, threading
import pytest
from duly import failpoints
from tests import leaks

for_ever = threading.Event()
kept = []


def started(work=for_ever.wait):
    thread = threading.Thread(target=work, name="planted", daemon=True)
    thread.start()
    return thread


def test_a_thread():
    leaks.PATIENCE = 0.0
    started()


def test_a_thread_of_an_async_test():
    leaks.PATIENCE = 0.0

    async def main():
        started()

    asyncio.run(main())


def test_a_thread_of_a_fixture(careless):
    leaks.PATIENCE = 0.0


def test_a_child():
    kept.append(subprocess.Popen(["sleep", "60"]))


def test_a_child_that_ended_and_was_not_waited_for():
    reading, writing = os.pipe()
    kept.append(subprocess.Popen(["true"], pass_fds=[writing]))
    os.close(writing)
    os.read(reading, 1)  # ends when the child does
    os.close(reading)


def test_a_socket():
    kept.append(socket.create_server(("127.0.0.1", 0)))


def test_a_socket_pair_of_a_loop():
    kept.append(asyncio.new_event_loop())


def test_a_folder():
    tempfile.mkdtemp(prefix="planted-")


def test_a_variable():
    os.environ["PLANTED"] = "yes"


def test_a_variable_that_is_gone():
    del os.environ["HOME"]


def test_a_working_directory(tmp_path):
    os.chdir(tmp_path)


def test_a_module_path():
    sys.path.append("/planted")


@pytest.mark.parametrize("name", ["", "duly"])
def test_a_handler(name):
    logging.getLogger(name).addHandler(logging.NullHandler())


def test_a_failpoint():
    failpoints.arm("engine.joined")


def test_a_fixture_of_the_module_that_tidies_up(request):
    request.getfixturevalue("tidy")


class TestThatHasAFixture:
    @pytest.mark.usefixtures("untidy")
    def test_that_does_not_tidy_up(self):
        pass


def test_a_thread_that_is_about_to_end():
    leaks.PATIENCE = 60.0
    threading.Timer(0.2, lambda: None).start()


def test_what_lasts():
    with leaks.lasting():
        started()


def test_a_module_of_the_temporary_folder(tmp_path):
    (tmp_path / "planted.py").write_text("")
    sys.path.insert(0, str(tmp_path))
    import planted
    sys.path.remove(str(tmp_path))
"""

_CONFTEST = """
import logging, os, socket, sys, threading
import pytest
from duly import failpoints

pytest_plugins = ["tests.leaks"]
for_ever, kept = threading.Event(), []


@pytest.fixture
def careless():
    threading.Thread(target=for_ever.wait, name="planted", daemon=True).start()


@pytest.fixture(scope="module")
def tidy():
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server


@pytest.fixture(scope="class")
def untidy():
    kept.append(socket.create_server(("127.0.0.1", 0)))


def pytest_collection_modifyitems(items):
    "After every planted test comes one that finds nothing of what it changed."
    here = os.getcwd()

    def check():
        assert "PLANTED" not in os.environ
        assert "HOME" in os.environ
        assert os.getcwd() == here
        assert "/planted" not in sys.path
        handlers = [each for name in ("", "duly") for each in logging.getLogger(name).handlers]
        assert logging.NullHandler not in map(type, handlers)
        assert not failpoints._armed
        assert "planted" not in sys.modules

    items[:] = [
        each
        for item in items
        for each in (item, pytest.Function.from_parent(item.parent, name=f"after_{item.name}", callobj=check))
    ]
"""

_BLAMED = {
    "test_a_thread": "thread 'planted' is still running",
    "test_a_thread_of_an_async_test": "thread 'planted' is still running",
    "test_a_thread_of_a_fixture": "thread 'planted' is still running",
    "test_a_child": "was not waited for: sleep 60",
    "test_a_child_that_ended_and_was_not_waited_for": "was not waited for: it has ended",
    "test_a_socket": "is still open, port",
    "test_a_socket_pair_of_a_loop": "is still open",
    "test_a_folder": "was not removed",
    "test_a_variable": "the environment variable PLANTED was None and is 'yes'",
    "test_a_variable_that_is_gone": "the environment variable HOME was '",
    "test_a_working_directory": "the working directory was ",
    "test_a_module_path": "/planted",
    "test_a_handler[]": "the handlers of the logger 'root'",
    "test_a_handler[duly]": "the handlers of the logger 'duly'",
    "test_a_failpoint": "failpoints are still armed: {'engine.joined': ('raise', 1)}",
    "after_test_that_does_not_tidy_up": "the fixture untidy left behind:",
}
_NOT_BLAMED = {
    "test_a_fixture_of_the_module_that_tidies_up",
    "test_that_does_not_tidy_up",
    "test_a_thread_that_is_about_to_end",
    "test_what_lasts",
    "test_a_module_of_the_temporary_folder",
}


@pytest.fixture(scope="module")
def faults(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What the planted run says about each of its tests; nothing about those that passed."""
    folder = tmp_path_factory.mktemp("planted")
    (folder / "test_planted.py").write_text(_PLANTED, encoding="utf-8")
    (folder / "conftest.py").write_text(_CONFTEST, encoding="utf-8")
    report = folder / "report.xml"
    options = ("-p", "no:cacheprovider", "-p", "no:randomly", "-p", "no:xdist", "-p", "no:cov")
    words = [sys.executable, "-m", "pytest", *options, f"--basetemp={folder / 'base'}", f"--junitxml={report}"]
    done = subprocess.run(
        [*words, str(folder)],
        capture_output=True,
        text=True,
        cwd=folder,
        env={"HOME": str(folder), **os.environ, "PYTHONPATH": str(ROOT)},
        check=False,
    )
    assert report.exists(), done.stdout + done.stderr
    return {
        case.attrib["name"]: " ".join(f"{fault.get('message')}\n{fault.text}" for fault in case)
        for case in ElementTree.parse(report).iter("testcase")  # noqa: S314  we have just written it
    }


def test_the_planted_run_has_the_expected_tests(faults: dict[str, str]) -> None:
    assert {name for name in faults if name.startswith("test_")} == {
        name for name in {*_BLAMED, *_NOT_BLAMED} if name.startswith("test_")
    }


@pytest.mark.parametrize("name", _BLAMED)
def test_a_test_that_leaks_fails(faults: dict[str, str], name: str) -> None:
    assert _BLAMED[name] in faults[name]


@pytest.mark.parametrize("name", sorted(_NOT_BLAMED))
def test_a_test_without_a_leak_passes(faults: dict[str, str], name: str) -> None:
    assert faults[name] == ""


def test_tests_after_a_leak_pass(faults: dict[str, str]) -> None:
    innocent = {name: said for name, said in faults.items() if name.startswith("after_") and name not in _BLAMED}
    assert len(innocent) > 15
    assert set(innocent.values()) == {""}
