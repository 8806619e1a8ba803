"""The leak guard: a test that leaves something behind in its process fails itself, not the test after it.

What counts as left behind: threads, child processes, sockets and entries of the temporary folder that were not there
before the test; a changed environment, working directory, module path, log level or set of log handlers; an armed
failpoint.

The guard is a function-scoped autouse fixture, so pytest sets it up after every fixture of a wider scope and before
every other fixture of the test, and tears it down in reverse: what a module or a session keeps is in the first
snapshot already. What a test starts for the rest of the session (a server, a process that forks workers) it announces
with `lasting()`.
"""

from __future__ import annotations

import logging
import os
import stat
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from duly import failpoints

PATIENCE = 60.0
"""Seconds that threads which are about to end are given. Only a test that fails anyway ever waits this long."""

_LOGGERS = {name: logging.getLogger(name) for name in ("", "duly")}
_PYTEST_OWN = b"PYTEST_CURRENT_TEST"  # pytest rewrites it in every phase of a test
_TASKS = Path("/proc/self/task")
_DESCRIPTORS = "/dev/fd"

Handlers = dict[str, tuple[logging.Handler, ...]]


def _is_ours(entry: str) -> bool:
    """Tell whether an entry of the temporary folder may be of this process: servers carry the number of theirs."""
    prefix, _, rest = entry.partition("duly-pg-")
    return bool(prefix) or not rest or rest.startswith(f"{os.getpid()}-")


@dataclass(frozen=True, slots=True, kw_only=True)
class Resources:
    """What exists in this process and has to be given back."""

    threads: frozenset[threading.Thread]
    children: frozenset[int]
    sockets: frozenset[int]
    """Inodes: a descriptor's number is used again, a socket's inode is its own."""
    temporary: frozenset[str]

    @classmethod
    def now(cls) -> Resources:
        return cls(
            threads=frozenset(threading.enumerate()),
            children=frozenset(_children()),
            sockets=frozenset(_sockets()),
            temporary=frozenset(filter(_is_ours, os.listdir(tempfile.gettempdir()))),  # noqa: PTH208  called twice
        )

    def __or__(self, other: Resources) -> Resources:
        return Resources(
            threads=self.threads | other.threads,
            children=self.children | other.children,
            sockets=self.sockets | other.sockets,
            temporary=self.temporary | other.temporary,
        )

    def __sub__(self, other: Resources) -> Resources:
        return Resources(
            threads=self.threads - other.threads,
            children=self.children - other.children,
            sockets=self.sockets - other.sockets,
            temporary=self.temporary - other.temporary,
        )

    def __and__(self, other: Resources) -> Resources:
        return self - (self - other)

    def describe(self) -> Iterator[str]:
        """One line for each of them."""
        for thread in self.threads:
            yield f"thread {thread.name!r} is still running{_where(thread)}"
        for child in self.children:
            yield f"child process {child} was not waited for: {_command(child)}"
        for inode in self.sockets:
            yield f"socket {inode} is still open{_ends(inode)}"
        for name in self.temporary:
            yield f"{Path(tempfile.gettempdir(), name)} was not removed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What belongs to the whole process and has to be as it was."""

    environment: Mapping[bytes, bytes]
    directory: str
    module_path: tuple[str, ...]
    handlers: Handlers
    levels: Mapping[str, int]
    failpoints: Mapping[str, tuple[str, int]]

    @classmethod
    def now(cls) -> Settings:
        return cls(
            environment=_environment(),
            directory=_directory(),
            module_path=tuple(sys.path),
            handlers={name: tuple(logger.handlers) for name, logger in _LOGGERS.items()},
            levels={name: logger.level for name, logger in _LOGGERS.items()},
            failpoints=dict(failpoints._armed),
        )

    def changes(self, now: Settings) -> Iterator[str]:
        """One line for each difference."""
        for variable in sorted({*self.environment, *now.environment}):
            before, after = (_text(each.environment.get(variable)) for each in (self, now))
            if before != after:
                yield f"the environment variable {_text(variable)} was {before!r} and is {after!r}"
        if self.directory != now.directory:
            yield f"the working directory was {self.directory} and is {now.directory}"
        if self.module_path != now.module_path:
            yield f"sys.path was {list(self.module_path)} and is {list(now.module_path)}"
        for name in _LOGGERS:
            if self.handlers[name] != now.handlers[name]:
                what = f"the handlers of the logger {name or 'root'!r}"
                yield f"{what} were {list(self.handlers[name])} and are {list(now.handlers[name])}"
            if self.levels[name] != now.levels[name]:
                yield f"the level of the logger {name or 'root'!r} was {self.levels[name]} and is {now.levels[name]}"
        if self.failpoints != now.failpoints:
            yield f"failpoints are still armed: {dict(now.failpoints)}"

    def restore(self) -> None:
        """Put everything back, so that the tests after this one are not hurt."""
        for variable in os.environb.keys() - self.environment.keys() - {_PYTEST_OWN}:
            del os.environb[variable]
        os.environb.update(self.environment)
        os.chdir(self.directory)
        sys.path[:] = self.module_path
        for name, logger in _LOGGERS.items():
            logger.handlers[:] = self.handlers[name]
            logger.setLevel(self.levels[name])
        failpoints.disarm()
        failpoints._armed.update(self.failpoints)


_NOTHING = Resources(threads=frozenset(), children=frozenset(), sockets=frozenset(), temporary=frozenset())


class Register:
    """What was started during a test and stays after it, on purpose: for the session, or as long as a fixture."""

    def __init__(self) -> None:
        self._for_ever = _NOTHING
        self._of_fixtures: dict[pytest.FixtureDef[Any], Resources] = {}

    @contextmanager
    def lasting(self) -> Iterator[None]:
        before = Resources.now()
        try:
            yield
        finally:
            self._for_ever |= Resources.now() - before

    @contextmanager
    def making(self, fixture: pytest.FixtureDef[Any]) -> Iterator[None]:
        """What is started in this block belongs to a fixture of a wider scope."""
        before = Resources.now()
        try:
            yield
        finally:
            self._of_fixtures[fixture] = Resources.now() - before - self._for_ever

    def forget(self, fixture: pytest.FixtureDef[Any]) -> Resources:
        """The fixture has ended; gives what it left behind."""
        made = self._of_fixtures.pop(fixture, _NOTHING)
        return _NOTHING if made == _NOTHING else _settled(lambda: Resources.now() & made)

    def left_since(self, before: Resources) -> Resources:
        """What is there, was not before, and was not announced."""
        expected = before | self._for_ever
        for made in self._of_fixtures.values():
            expected |= made
        return _settled(lambda: Resources.now() - expected)


_register = Register()


def lasting() -> AbstractContextManager[None]:
    """What is started in this block stays until the session ends; the test that happens to start it is not blamed."""
    return _register.lasting()


@pytest.fixture(scope="session", autouse=True)
def _private_temporary_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A temporary folder of our own: in the shared one other programs come and go."""
    folder = tmp_path_factory.mktemp("tmp", numbered=False)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TMPDIR", str(folder))
        patch.setattr(tempfile, "tempdir", None)
        yield


@pytest.fixture(autouse=True)
def _leak_guard(_private_temporary_folder: None) -> Iterator[None]:
    """Fail the test that leaves something behind."""
    resources, settings, modules = Resources.now(), Settings.now(), len(sys.modules)
    yield
    if len(sys.modules) != modules:
        _forget_modules()
    found = [*_register.left_since(resources).describe()]
    now = Settings.now()
    if now != settings:
        found += settings.changes(now)
        settings.restore()
    if found:
        pytest.fail("the test left behind:\n- " + "\n- ".join(found), pytrace=False)


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(fixturedef: pytest.FixtureDef[Any]) -> Generator[None, object, object]:
    """A fixture of a wider scope that is first asked for in the middle of a test outlives it, with all it started."""
    if fixturedef.scope == "function":
        return (yield)
    with _register.making(fixturedef):
        return (yield)


def pytest_fixture_post_finalizer(fixturedef: pytest.FixtureDef[Any]) -> None:
    """Such a fixture gives back what it started when its scope ends."""
    if found := [*_register.forget(fixturedef).describe()]:
        pytest.fail(f"the fixture {fixturedef.argname} left behind:\n- " + "\n- ".join(found), pytrace=False)


def _forget_modules() -> None:
    """Modules that a test wrote and imported: the next test may write others under the same names."""
    base = f"{Path(tempfile.gettempdir()).parent}{os.sep}"
    for name, module in list(sys.modules.items()):
        if (getattr(module, "__file__", None) or "").startswith(base):
            del sys.modules[name]


def _settled(look: Callable[[], Resources]) -> Resources:
    """What is left over once threads that are about to end have ended.

    A thread may hold the other resources, so they are looked at again after it is gone.
    """
    deadline = time.monotonic() + PATIENCE
    while True:
        left = look()
        if not left.threads or time.monotonic() > deadline:
            return left
        for thread in left.threads:
            thread.join(max(0.0, deadline - time.monotonic()))


def _children() -> Iterator[int]:
    """Processes whose parent is this one, dead ones that were not waited for among them."""
    with suppress(FileNotFoundError):  # no Linux, or a kernel without this file: nothing is known
        for task in os.listdir(_TASKS):  # noqa: PTH208  called twice for every test
            with suppress(FileNotFoundError, ProcessLookupError):  # the thread has ended meanwhile
                file = os.open(f"{_TASKS}/{task}/children", os.O_RDONLY)
                try:
                    yield from (pid for pid in map(int, os.read(file, 65536).split()) if pid != _tracker())
                finally:
                    os.close(file)


def _tracker() -> int | None:
    """The process with which `multiprocessing` tidies up at the end; its first user starts it, for good."""
    module = sys.modules.get("multiprocessing.resource_tracker")
    return None if module is None else module._resource_tracker._pid


def _sockets() -> Iterator[int]:
    with suppress(FileNotFoundError):
        for name in os.listdir(_DESCRIPTORS):  # noqa: PTH208  called twice for every test
            with suppress(OSError):  # the descriptor of the listing itself is closed by now
                status = os.fstat(int(name))
                if stat.S_ISSOCK(status.st_mode):
                    yield status.st_ino


def _environment() -> dict[bytes, bytes]:
    """The variables as they are kept: to read them through `os.environ` took as long as all else the guard looks at."""
    found: dict[bytes, bytes] = {**vars(os.environ)["_data"]}
    found.pop(_PYTEST_OWN, None)
    return found


def _text(raw: bytes | None) -> str | None:
    return None if raw is None else os.fsdecode(raw)


def _directory() -> str:
    try:
        return os.getcwd()  # noqa: PTH109  called twice for every test
    except FileNotFoundError:
        return "a folder that was removed"


def _where(thread: threading.Thread) -> str:
    """The innermost frame of a thread."""
    frame = sys._current_frames().get(thread.ident or 0)
    return "" if frame is None else f", in {frame.f_code.co_filename}:{frame.f_lineno} ({frame.f_code.co_name})"


def _command(pid: int) -> str:
    """The words of a process. One that has just begun another program has none for a moment, and is asked again."""
    place = Path(f"/proc/{pid}")
    try:
        while True:
            has_ended = place.joinpath("stat").read_bytes().rpartition(b") ")[2].startswith((b"Z", b"X"))
            words = place.joinpath("cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()
            if words or has_ended:
                return words or "it has ended"
            time.sleep(0.001)
    except OSError:
        return "gone meanwhile"


def _ends(inode: int) -> str:
    """The addresses of a TCP socket, as the kernel knows them."""
    for table in ("tcp", "tcp6"):
        with suppress(OSError):
            for line in Path(f"/proc/self/net/{table}").read_text(encoding="ascii").splitlines()[1:]:
                words = line.split()
                if words[9] == str(inode):
                    return ", " + " to ".join(f"port {int(end.rpartition(':')[2], 16)}" for end in words[1:3])
    return ""
