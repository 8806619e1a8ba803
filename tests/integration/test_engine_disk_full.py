"""No space left: work pauses and says so, reads go on, and once there is space it resumes by itself."""

from __future__ import annotations

import os
import re
import resource
import subprocess
import sys
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest

from duly import StoreUnavailableError
from tests.integration.engine_support.process_cluster import ProcessCluster, Worker
from tests.integration.engine_support.waiting import PATIENCE, eventually


class Trouble(ABC):
    """A way to make a worker's writes fail, and to undo it."""

    @abstractmethod
    def begin(self, worker: Worker) -> None: ...

    @abstractmethod
    def end(self, worker: Worker) -> None: ...


class FullDisk(Trouble):
    """A disk of a few megabytes, filled to the last byte."""

    def __init__(self, folder: Path) -> None:
        self._ballast = folder / "ballast"

    def begin(self, worker: Worker) -> None:  # noqa: ARG002  it hits everybody
        self.fill()

    def fill(self) -> None:
        file = os.open(self._ballast, os.O_CREAT | os.O_WRONLY | os.O_APPEND)
        with suppress(OSError):
            while os.write(file, b"\0" * 4096):
                pass
        os.close(file)

    def end(self, worker: Worker) -> None:  # noqa: ARG002
        self._ballast.unlink()


class FilesTooLarge(Trouble):
    """The operating system lets the files of one process grow no further: an I/O error, and needs no privilege."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def begin(self, worker: Worker) -> None:
        [log] = self._folder.glob("*-wal")
        self._limit(worker, log.stat().st_size)

    def end(self, worker: Worker) -> None:
        self._limit(worker, resource.RLIM_INFINITY)

    def _limit(self, worker: Worker, size: int) -> None:
        if worker.exit_code is None:
            resource.prlimit(worker.pid, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))


@pytest.fixture(params=["full", "too large"])
def trouble(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Trouble]:
    """Trouble for a store in `tmp_path / "disk"`. Where mounting is not allowed, the size of files is limited."""
    disk = tmp_path / "disk"
    disk.mkdir()
    with ExitStack() as stack:
        if request.param == "full" and _mount(disk):
            stack.callback(subprocess.run, ["umount", "--lazy", str(disk)], check=True)
            yield FullDisk(disk)
        else:
            yield FilesTooLarge(disk)


def _mount(disk: Path) -> bool:
    """A file system of four megabytes, if we are allowed to."""
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=4m", "duly", str(disk)], capture_output=True, check=False
    )
    return done.returncode == 0


@pytest.fixture
def cluster(trouble: Trouble, tmp_path: Path) -> Iterator[ProcessCluster]:
    made = ProcessCluster(str(tmp_path / "disk" / "schedules.db"), tmp_path)
    try:
        yield made
    finally:
        made.close()


def test_an_engine_pauses_on_a_full_disk_and_resumes_by_itself(cluster: ProcessCluster, trouble: Trouble) -> None:
    worker = cluster.start(lease=30.0)
    cluster.add(cluster.once("held", "hold", until=cluster.path("go")), cluster.once("before"))
    cluster.entered("held")
    cluster.ended("before")
    cluster.add(*(cluster.once(f"due-{number}", after=0.5 + number * 0.1) for number in range(20)))
    trouble.begin(worker)
    fault = worker.saw("store.unavailable")
    assert "cannot use" in fault["data"]["error"]
    cluster.touch("go")  # done now, but it cannot be written down yet
    eventually(lambda: cluster.entries("held", "exit"), "the end of the handler")

    assert {run.name for run in cluster.ask(lambda app: app.history())} >= {"held", "before"}, "reads go on"
    assert cluster.run("held").status == "running"
    if isinstance(trouble, FullDisk):
        with pytest.raises(StoreUnavailableError):
            cluster.add(cluster.once("refused"))

    trouble.end(worker)
    worker.saw("store.recovered")
    cluster.settled()
    worker.stop()
    assert {run.attempt for run in cluster.check()} == {1}, "no worker lost a lease"
    assert {run.status for run in cluster.books.runs()} == {"succeeded"}
    assert len(cluster.books.runs()) == 22
    assert cluster.books.integrity() == "ok"


def test_an_engine_stops_on_a_full_disk_and_the_next_one_goes_on(cluster: ProcessCluster, trouble: Trouble) -> None:
    worker = cluster.start(lease=30.0)
    cluster.add(cluster.once("held", "hold", until=cluster.path("go-{attempt}")), cluster.once("before"))
    cluster.entered("held")
    cluster.ended("before")
    cluster.add(cluster.once("due", after=0.5))
    trouble.begin(worker)
    worker.saw("store.unavailable")
    cluster.touch("go-1")
    worker.stop()
    trouble.end(worker)
    cluster.touch("go-2")
    cluster.start(lease=30.0)
    cluster.settled()
    assert {run.status for run in cluster.check()} == {"succeeded"}
    assert cluster.books.integrity() == "ok"


def test_a_disk_full_for_longer_than_a_lease_costs_the_lease_and_the_engine_joins_again(
    cluster: ProcessCluster, trouble: Trouble
) -> None:
    """It could not renew its lease, so it has to assume that others rescued its runs."""
    worker = cluster.start(lease=1.0)
    cluster.add(cluster.once("held", "hold", until=cluster.path("go-{attempt}")))
    cluster.entered("held")
    trouble.begin(worker)
    assert worker.saw("run.lease_lost")["data"]["reason"].endswith("could not renew its lease")
    eventually(lambda: cluster.entries("held", "left"), "the handler to stop")
    trouble.end(worker)
    cluster.touch("go-2")
    held = cluster.ended("held")
    assert (held.status, held.attempt) == ("succeeded", 2)
    worker.stop()
    cluster.check()
    assert cluster.books.integrity() == "ok"
    assert {node.state for node in cluster.books.nodes()} == {"lost", "stopped"}


# starting on such a disk


def duly(folder: Path, *words: str, largest_file: int = resource.RLIM_INFINITY) -> subprocess.CompletedProcess[str]:
    """Run a command on a data directory; none of its files may grow larger than this."""
    command = [sys.executable, "-m", "duly", *words, "--data-dir", str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (largest_file, resource.RLIM_INFINITY))
        said, complaints = process.communicate(timeout=PATIENCE)
    return subprocess.CompletedProcess(command, process.returncode, said, complaints)


@pytest.mark.parametrize("known", [False, True], ids=["new", "known"])
def test_a_daemon_that_cannot_start_on_a_full_disk_names_the_file_and_the_cure(
    trouble: Trouble, tmp_path: Path, known: bool
) -> None:
    folder = tmp_path / "disk" / "data"
    if known:
        assert duly(folder, "remind", "stretch", "tomorrow at 9").returncode == 0
    if isinstance(trouble, FullDisk):
        trouble.fill()
        done = duly(folder, "up", "--port", "0")
        assert "No space left on device; free some space on that disk" in done.stderr
    else:
        done = duly(folder, "up", "--port", "0", largest_file=0)
    assert done.returncode == 1
    assert re.match(rf"duly: cannot (use|write) {re.escape(str(folder))}/\S+: ", done.stderr)
    assert done.stderr.count("\n") == 1


def test_a_daemon_that_may_not_write_names_the_file_and_the_cure(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    with ExitStack() as stack:
        if _mount(disk):
            stack.callback(subprocess.run, ["umount", "--lazy", str(disk)], check=True)
        folder = disk / "data"
        assert duly(folder, "remind", "stretch", "tomorrow at 9").returncode == 0
        if disk.is_mount():
            subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
        else:  # without the right to mount, the permissions count
            folder.chmod(0o500)
            stack.callback(folder.chmod, 0o700)
        done = duly(folder, "up", "--port", "0")
        assert done.returncode == 1
        assert done.stderr.startswith(f"duly: cannot write {folder}/daemon.lock: ")
        assert "let this user write there, or name another directory with --data-dir" in done.stderr
