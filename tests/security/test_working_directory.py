"""A folder that came from a stranger executes nothing, imports nothing and configures nothing until it is trusted."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from duly.cli import app
from duly.config.reading import load, load_with, trust, trusted_files
from duly.config.settings import Settings
from duly.errors import ConfigError, UntrustedFileError
from duly.model.action import Job
from duly.runtime.config_reload import ConfigReloader
from duly.runtime.runtime import Runtime
from duly.testing import VirtualClock
from tests.unit.cli.command_line import NOON

_TRACE = "import pathlib; pathlib.Path({trace!r}).touch()\n"
_TOML = """
[jobs]
harmless = "stranger:work"

[spawners.helper]
kind = "callable"
call = "stranger:work"
"""


class Repository:
    """A cloned folder whose every module leaves a trace when it is imported."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "clone"
        self.folder.mkdir()
        self.trace = folder / "executed"
        self.share = folder / "share"
        for name in ("tzdata", "stranger", "apsw", "tomllib", "sitecustomize"):
            code = _TRACE.format(trace=str(self.trace)) + "def work(**_): return 'ran'\n"
            (self.folder / f"{name}.py").write_text(code, encoding="utf-8")
        self.file = self.folder / "duly.toml"
        self.file.write_text(_TOML, encoding="utf-8")

    def duly(self, *words: str, module: bool = False) -> subprocess.CompletedProcess[str]:
        """Run a command in the folder, as its own process."""
        start = [sys.executable, "-m", "duly"] if module else [str(Path(sys.executable).with_name("duly"))]
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.share),
            "XDG_DATA_HOME": str(self.share),
            "TZ": "UTC",
        }
        return subprocess.run(
            [*start, *words], cwd=self.folder, env=environment, capture_output=True, text=True, check=False, input=""
        )


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    made = Repository(tmp_path)
    monkeypatch.setenv("XDG_DATA_HOME", str(made.share))
    monkeypatch.delenv("DULY_DATA_DIR", raising=False)
    monkeypatch.delenv("DULY_CONFIG", raising=False)
    monkeypatch.chdir(made.folder)
    return made


@pytest.mark.parametrize("module", [False, True], ids=["script", "python -m"])
def test_a_command_in_a_strangers_folder_runs_none_of_its_files(repository: Repository, module: bool) -> None:
    done = repository.duly("list", "--json", module=module)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["items"] == []
    assert done.stderr.count("duly trust duly.toml") == 1
    assert not repository.trace.exists()


def test_mcp_in_a_strangers_folder_serves_the_users_own_settings(repository: Repository) -> None:
    done = repository.duly("mcp")
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    assert "duly.toml: is not trusted" in done.stderr
    assert not repository.trace.exists()


def test_the_daemon_refuses_to_start_beside_an_untrusted_file(repository: Repository) -> None:
    done = repository.duly("up", "--port", "0")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "duly: duly.toml: is not trusted, and it could start any program of its choice. "
        "Read it, then run: duly trust duly.toml\n"
    )
    assert not repository.trace.exists()


def test_trust_ends_with_the_next_change(repository: Repository, capsys: pytest.CaptureFixture[str]) -> None:
    assert load({}).untrusted == repository.file
    assert app.run(["trust"]) == 0
    assert "jobs: harmless" in capsys.readouterr().out
    assert not repository.trace.exists()  # to trust is not yet to run
    assert load({}).file == repository.file
    repository.file.write_text(_TOML + "# one more word\n", encoding="utf-8")
    assert load({}).untrusted == repository.file
    assert app.run(["list"]) == 0
    assert "has changed since you trusted it" in capsys.readouterr().err
    assert app.run(["trust", "--list"]) == 0
    assert "changed or gone" in capsys.readouterr().out
    assert app.run(["trust", "."]) == 0
    assert load({}).file == repository.file
    assert app.run(["trust", "--revoke"]) == 0
    assert load({}).untrusted == repository.file
    assert app.run(["trust", "--revoke"]) == 2


def test_a_link_to_a_trusted_file_is_that_file_and_a_copy_is_not(repository: Repository, tmp_path: Path) -> None:
    trust(repository.file)
    linked, copied = tmp_path / "linked", tmp_path / "copied"
    linked.mkdir()
    copied.mkdir()
    (linked / "duly.toml").symlink_to(repository.file)
    (copied / "duly.toml").write_text(_TOML, encoding="utf-8")
    assert load({}, here=linked).file == repository.file
    assert load({}, here=copied).untrusted == copied / "duly.toml"


def test_a_file_with_a_fault_is_not_trusted(repository: Repository, capsys: pytest.CaptureFixture[str]) -> None:
    repository.file.write_text("[jobs]\nbroken = 1\n", encoding="utf-8")
    assert app.run(["trust"]) == 2
    assert "duly.toml:2: jobs.broken" in capsys.readouterr().err
    assert trusted_files().all() == {}


def test_a_pipe_in_the_place_of_the_file_stops_nothing(repository: Repository) -> None:
    repository.file.unlink()
    os.mkfifo(repository.file)
    with pytest.raises(ConfigError, match="is not a file"):
        load_with({}, repository.file)
    assert load({}).file is None


def test_a_damaged_list_trusts_nothing_and_says_so(repository: Repository, capsys: pytest.CaptureFixture[str]) -> None:
    (repository.share / "duly").mkdir(parents=True)
    (repository.share / "duly" / "trusted.json").write_text('{"x": 1}', encoding="utf-8")
    assert app.run(["list"]) == 2
    assert "the list of trusted files cannot be read" in capsys.readouterr().err


def test_the_list_is_for_the_users_eyes_only(repository: Repository) -> None:
    assert app.run(["trust", "--json"]) == 0
    assert (repository.share / "duly" / "trusted.json").stat().st_mode & 0o077 == 0


async def test_a_module_beside_a_trusted_file_never_replaces_an_installed_one(repository: Repository) -> None:
    path = list(sys.path)
    runtime = Runtime(load({}, config="duly.toml"), clock=VirtualClock(NOON))
    await runtime.open()
    try:
        assert sys.path == path
        runtime.capabilities.check_job(Job("harmless"))
        assert sys.path == [*path, str(repository.folder)]
        assert sys.modules["apsw"].__file__ != str(repository.folder / "apsw.py")
    finally:
        await runtime.close()
        sys.modules.pop("stranger", None)
    assert sys.path == path


async def test_a_running_daemon_waits_for_trust_before_it_takes_up_a_change(repository: Repository) -> None:
    trust(repository.file)
    settings = load({}, data_dir=str(repository.share / "data"))
    assert settings.needs_trust
    runtime = Runtime(settings, clock=VirtualClock(NOON))
    await runtime.open()
    try:
        watch = ConfigReloader(runtime, lambda _file: _again(repository))
        changed = _TOML.replace("harmless", "another")
        repository.file.write_text(changed, encoding="utf-8")
        for _ in range(3):
            await watch.look()
        assert list(runtime.settings.jobs) == ["harmless"]
        assert runtime.config_fault is not None
        assert "has changed since you trusted it" in runtime.config_fault
        trust(repository.file)
        await watch.look()
        assert list(runtime.settings.jobs) == ["another"]
        assert runtime.config_fault is None
    finally:
        await runtime.close()
        sys.modules.pop("stranger", None)


def _again(repository: Repository) -> Settings:
    """As a daemon reads the file that it found in the working directory."""
    return load_with({}, repository.file, data_dir=str(repository.share / "data"), needs_trust=True)


def test_a_command_never_reads_a_changed_file_that_the_daemon_had_trusted(repository: Repository) -> None:
    with pytest.raises(UntrustedFileError, match="is not trusted"):
        _again(repository)
