"""`duly trust` covers what runs: the file, the Python beside it and relative programs, by content, at every load."""

from __future__ import annotations

import asyncio
import json
import os
import py_compile
import random
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from duly.cli import app
from duly.config import coverage
from duly.config.reading import is_unchanged, load, load_with, trust, trusted_files, untrusted
from duly.config.settings import Settings
from duly.errors import ConfigError, DulyError, UntrustedFileError
from duly.model.action import Job, Prompt
from duly.runtime.config_reload import ConfigReloader
from duly.runtime.runtime import Runtime
from duly.sealed import BrokenSealError, check_command
from duly.testing import VirtualClock
from tests.unit.cli.command_line import NOON

_TOML = """
[jobs]
nightly = "clone_chores:work"
packed = "clone_tools.deep.chores:work"

[spawners.helper]
new = ["./bin/agent"]

[gates]
ready = ["sh", "-e", "scripts/ready.sh"]
checks = ["python3", "-m", "checks.all"]
found = ["grep", "-rl", "draft", "posts"]
"""
_FILES = {
    "clone_chores.py": "import clone_helpers\ndef work(): return clone_helpers.WORD\n",
    "clone_helpers.py": "from clone_parts import inner\nWORD = inner.WORD\n",
    "clone_unused.py": "",
    "clone_parts/inner.py": "WORD = 'trusted'\n",  # a namespace package
    "clone_parts/other.py": "",
    "clone_tools/__init__.py": "",
    "clone_tools/deep/__init__.py": "from . import chores\n",
    "clone_tools/deep/chores.py": "from ..near import work\n",
    "clone_tools/near.py": "def work(): return 'near'\n",
    "bin/agent": "#!/bin/sh\necho trusted\n",
    "scripts/ready.sh": "echo trusted\n",
    "checks/all.py": "print('trusted')\n",
}
_OTHERS = ("README.md", "posts/draft.md", "elsewhere/clone_far.py", "node_modules/x/setup.py")
"""Files that a change of which needs no new trust."""


class Clone:
    """A cloned repository with a file, modules and programs."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "clone"
        self.share = folder / "share"
        for name in (*_FILES, *_OTHERS):
            (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / name).write_text(_FILES.get(name, ""), encoding="utf-8")
        (self.folder / "bin/agent").chmod(0o755)
        self.file = self.folder / "duly.toml"
        self.file.write_text(_TOML, encoding="utf-8")

    def change(self, name: str, text: str = "\n# changed\n") -> None:
        with (self.folder / name).open("a", encoding="utf-8") as file:
            file.write(text)

    def settings(self) -> Settings:
        """As a daemon reads the file that it found in the working directory."""
        return load_with({}, self.file, data_dir=str(self.share / "data"), needs_trust=True)


@pytest.fixture
def clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Clone]:
    made = Clone(tmp_path)
    monkeypatch.setenv("XDG_DATA_HOME", str(made.share))
    for name in ("DULY_DATA_DIR", "DULY_CONFIG"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(made.folder)
    yield made
    for name in [each for each in sys.modules if each.startswith("clone_")]:
        del sys.modules[name]


# what is covered


@pytest.mark.parametrize("name", sorted(_FILES))
def test_a_change_of_anything_that_runs_ends_the_trust(clone: Clone, name: str) -> None:
    assert app.run(["trust"]) == 0
    assert load({}).file == clone.file
    clone.change(name)
    assert load({}).untrusted == clone.file
    with pytest.raises(UntrustedFileError, match=f"{name} has changed since you trusted it"):
        clone.settings()
    assert not is_unchanged(clone.file)
    trust(clone.file)
    assert load({}).file == clone.file


def test_a_program_elsewhere_in_the_repository_of_the_file_is_covered(clone: Clone) -> None:
    subprocess.run(["git", "init", "-q", str(clone.folder)], check=True)
    file = clone.folder / "config" / "duly.toml"
    file.parent.mkdir()
    file.write_text('[spawners.helper]\nnew = ["../tools/agent.sh"]\n', encoding="utf-8")
    program = clone.folder / "tools" / "agent.sh"
    beside = clone.folder / "tools" / "words.sh"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n. ../tools/words.sh\n", encoding="utf-8")
    program.chmod(0o755)
    beside.write_text("echo trusted\n", encoding="utf-8")
    for changed in (program, beside):
        trust(file)
        load_with({}, file, data_dir=str(clone.share / "data"), needs_trust=True)
        clone.change(f"tools/{changed.name}", "echo evil\n")
        with pytest.raises(UntrustedFileError, match=f"tools/{changed.name} has changed since you trusted it"):
            load_with({}, file, data_dir=str(clone.share / "data"), needs_trust=True)


def test_what_does_not_run_may_change(clone: Clone) -> None:
    trust(clone.file)
    for name in _OTHERS:
        clone.change(name)
    assert load({}).file == clone.file


@pytest.mark.parametrize("name", ["clone_late.py", "clone_tools/late.py", "clone_parts/late.py"])
def test_a_new_module_beside_the_others_ends_the_trust(clone: Clone, name: str) -> None:
    trust(clone.file)
    (clone.folder / name).write_text("", encoding="utf-8")
    assert load({}).untrusted == clone.file


@pytest.mark.parametrize("name", sorted(_FILES))
def test_what_was_missing_and_comes_later_was_not_trusted(clone: Clone, name: str) -> None:
    (clone.folder / name).unlink()
    trust(clone.file)
    assert load({}).file == clone.file
    (clone.folder / name).write_text(_FILES[name], encoding="utf-8")
    assert load({}).untrusted == clone.file


def test_the_daemon_refuses_to_start_and_the_list_says_so(clone: Clone, capsys: pytest.CaptureFixture[str]) -> None:
    assert app.run(["trust"]) == 0
    said = capsys.readouterr().out
    assert f"spawners.helper.new starts: {clone.folder}/bin/agent" in said
    assert "gates.found starts: grep -rl draft posts" in said
    assert "clone_chores.py" in said
    assert "not with it: other files that these programs open by themselves" in said
    clone.change("clone_chores.py")
    assert app.run(["up", "--port", "0"]) == 2
    assert "clone_chores.py has changed since you trusted it" in capsys.readouterr().err
    assert app.run(["trust", "--list"]) == 0
    assert "changed or gone" in capsys.readouterr().out


def test_trust_from_before_covered_only_the_file_and_is_asked_for_again(clone: Clone) -> None:
    (clone.share / "duly").mkdir(parents=True)
    (clone.share / "duly" / "trusted.json").write_text(json.dumps({str(clone.file): "0" * 64}), encoding="utf-8")
    assert load({}).untrusted == clone.file


@pytest.mark.parametrize(("most_files", "most_bytes"), [(5, 10**9), (10**9, 200)])
def test_what_is_read_is_bounded(
    clone: Clone, monkeypatch: pytest.MonkeyPatch, most_files: int, most_bytes: int
) -> None:
    monkeypatch.setattr(coverage, "MOST_FILES", most_files)
    monkeypatch.setattr(coverage, "MOST_BYTES", most_bytes)
    with pytest.raises(ConfigError, match="Put its modules into a folder of their own"):
        trust(clone.file)
    assert trusted_files().all() == {}


def test_links_in_circles_are_followed_once(clone: Clone) -> None:
    (clone.folder / "clone_parts" / "round").symlink_to(clone.folder, target_is_directory=True)
    clone.change("clone_helpers.py", "import clone_parts.round.clone_parts.round.clone_chores\n")
    trust(clone.file)
    assert load({}).file == clone.file


def test_a_path_with_relative_folders_is_refused(clone: Clone) -> None:
    clone.file.write_text('[spawners.x]\nnew = ["tool"]\nvariables = { PATH = "/usr/bin:bin" }\n', encoding="utf-8")
    with pytest.raises(ConfigError, match=r"variables.PATH: names the relative folder 'bin'"):
        trust(clone.file)


# what is loaded is what was checked


async def _opened(settings: Settings) -> Runtime:
    runtime = Runtime(settings, clock=VirtualClock(NOON))
    await runtime.open()
    return runtime


async def test_trusted_modules_and_packages_are_loaded(clone: Clone) -> None:
    trust(clone.file)
    runtime = await _opened(clone.settings())
    try:
        jobs = runtime.capabilities.jobs
        assert (jobs.get("nightly").function(), jobs.get("packed").function()) == ("trusted", "near")
    finally:
        await runtime.close()
    assert not [each for each in sys.path_hooks if each.__module__ == "duly.sealed"]


def _as_source(clone: Clone, name: str) -> None:
    clone.change(name, "raise SystemExit('untrusted code ran')\n")


def _as_cache(clone: Clone, name: str) -> None:
    """A compiled cache that fits the unchanged source, by its time and size, and has other code in it."""
    source = clone.folder / name
    before = source.read_bytes()
    times = (source.stat().st_atime_ns, source.stat().st_mtime_ns)
    evil = b"raise SystemExit('untrusted code ran')"
    source.write_bytes(evil + b"#" * max(0, len(before) - len(evil)))
    os.utime(source, ns=times)
    py_compile.compile(str(source), doraise=True)
    source.write_bytes(before)
    os.utime(source, ns=times)


def _as_link(clone: Clone, name: str) -> None:
    other = clone.folder.parent / "other.py"
    other.write_text("raise SystemExit('untrusted code ran')\n", encoding="utf-8")
    (clone.folder / name).unlink()
    (clone.folder / name).symlink_to(other)


def _as_package(clone: Clone, name: str) -> None:
    """A package goes before the module of its name."""
    package = (clone.folder / name).with_suffix("")
    package.mkdir(exist_ok=True)
    (package / "__init__.py").write_text("raise SystemExit('untrusted code ran')\n", encoding="utf-8")


WAYS = {"source": _as_source, "cache": _as_cache, "link": _as_link, "package": _as_package}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    "name", [each for each in sorted(_FILES) if each.startswith("clone_") and "unused" not in each]
)
async def test_a_change_between_the_check_and_the_load_is_not_loaded(clone: Clone, name: str, way: str) -> None:
    if name == "clone_parts/other.py":
        clone.change("clone_parts/inner.py", "from clone_parts import other\n")
    trust(clone.file)
    settings = clone.settings()  # checked here
    WAYS[way](clone, name)
    runtime = await _opened(settings)  # and loaded here
    try:
        for job in ("nightly", "packed"):
            refused = ""
            try:
                runtime.capabilities.check_job(Job(job))
            except DulyError as error:
                refused = str(error)
            assert "untrusted code ran" not in refused
            assert "trusted" in refused or runtime.capabilities.jobs.get(job).function() in ("trusted", "near")
    finally:
        await runtime.close()


def test_random_changes_between_check_and_load(clone: Clone) -> None:
    """Whatever is changed, and however: no line that was not trusted is carried out."""
    draw = random.Random(27)
    names = [each for each in sorted(_FILES) if each.startswith("clone_")]
    whole = clone.folder.parent / "whole"
    shutil.copytree(clone.folder, whole)

    async def go() -> None:
        runtime = await _opened(settings)
        try:
            ran = [runtime.capabilities.jobs.get(job).function() for job in ("nightly", "packed")]
        except DulyError:
            ran = []
        finally:
            await runtime.close()
        assert set(ran) <= {"trusted", "near"}

    for _ in range(25):
        shutil.rmtree(clone.folder)
        shutil.copytree(whole, clone.folder)
        os.chdir(clone.folder)
        trust(clone.file)
        settings = clone.settings()
        for name in draw.sample(names, draw.randint(1, 4)):
            draw.choice(list(WAYS.values()))(clone, name)
        for loaded in [each for each in sys.modules if each.startswith("clone_")]:
            del sys.modules[loaded]
        asyncio.run(go())


async def test_a_module_elsewhere_on_the_path_is_not_sealed(clone: Clone, monkeypatch: pytest.MonkeyPatch) -> None:
    """A virtual environment inside the folder is what the user installed."""
    site = clone.folder / ".venv" / "site-packages"
    site.mkdir(parents=True)
    (site / "clone_installed.py").write_text("WORD = 'installed'\n", encoding="utf-8")
    monkeypatch.syspath_prepend(str(site))
    clone.change("clone_chores.py", "import clone_installed\n")
    trust(clone.file)
    runtime = await _opened(clone.settings())
    try:
        runtime.capabilities.check_job(Job("nightly"))
        assert sys.modules["clone_installed"].WORD == "installed"
    finally:
        await runtime.close()


# what a script reads from its folder

_SCRIPTS = {
    "python": (["python3", "tools/check.py"], "tools"),
    "options": (["env", "X=1", "python3", "-u", "tools/check.py"], "tools"),
    "folder": (["python3", "tools"], "tools"),
    "module": (["python3", "-m", "tools.check"], "."),
    "program": (["tools/check.py"], "tools"),
    "shebang": (["tools/check"], "tools"),
}


def _scripts(clone: Clone, words: list[str]) -> None:
    shutil.rmtree(clone.folder)
    tools = clone.folder / "tools"
    for place in (tools, clone.folder):
        (place / "pkg" / "deep").mkdir(parents=True)
        for name in ("pkg/__init__.py", "pkg/deep/__init__.py", "pkg/deep/late.py"):
            (place / name).write_text("WORD = 'trusted'\n", encoding="utf-8")
    code = "#!/usr/bin/env python3\nimport json, pkg\nprint(json.dumps(pkg.WORD))\n"
    for name in ("check.py", "check", "__main__.py"):
        (tools / name).write_text(code, encoding="utf-8")
        (tools / name).chmod(0o755)
    clone.file.write_text(f"[gates]\na = {json.dumps(words)}\n", encoding="utf-8")
    os.chdir(clone.folder)


@pytest.mark.parametrize("kind", _SCRIPTS)
@pytest.mark.parametrize(
    "name", ["json.py", "json/__init__.py", "pkg/__init__.py", "pkg/deep/late.py", "pkg/new.py", "json.so", "json.pyc"]
)
async def test_what_a_script_imports_from_its_folder_is_covered(clone: Clone, kind: str, name: str) -> None:
    words, root = _SCRIPTS[kind]
    _scripts(clone, words)
    trust(clone.file)
    runtime = await _opened(clone.settings())
    _ = runtime.capabilities
    try:
        assert check_command(words, clone.folder)
        path = clone.folder / root / name
        path.parent.mkdir(exist_ok=True)
        with path.open("a", encoding="utf-8") as file:
            file.write("raise SystemExit('untrusted code ran')\n")
        with pytest.raises(BrokenSealError, match=r"since you trusted it|was not among the files"):
            check_command(words, clone.folder)
        assert not is_unchanged(clone.file)
    finally:
        await runtime.close()


@pytest.mark.parametrize("words", [["sh", "tools/go.sh"], ["tools/go.sh"], ["node", "tools/go.js"]])
def test_files_with_the_ending_of_a_script_are_covered_with_it(clone: Clone, words: list[str]) -> None:
    _scripts(clone, words)
    script = clone.folder / words[-1]
    script.write_text("", encoding="utf-8")
    (script.parent / f"lib{script.suffix}").write_text("", encoding="utf-8")
    trust(clone.file)
    clone.change("tools/pkg/__init__.py")
    assert is_unchanged(clone.file)
    clone.change(f"tools/lib{script.suffix}")
    assert not is_unchanged(clone.file)
    trust(clone.file)
    clone.change(f"tools/late{script.suffix}")
    assert not is_unchanged(clone.file)


# a running daemon


async def test_a_running_daemon_is_yellow_and_loads_nothing_new_until_it_is_trusted(clone: Clone) -> None:
    (clone.folder / "clone_chores.py").unlink()
    trust(clone.file)
    runtime = await _opened(clone.settings())
    _ = runtime.engine
    try:
        watch = ConfigReloader(runtime, lambda _file: clone.settings())
        (clone.folder / "clone_chores.py").write_text("def work(): return 'new'\n", encoding="utf-8")
        runtime.capabilities.look_again()
        with pytest.raises(DulyError, match="was not among the files that you trusted"):
            runtime.capabilities.check_job(Job("nightly"))
        clone.change("clone_helpers.py")
        for _ in range(3):
            await watch.look()
        assert "clone_chores.py and 1 more have changed since you trusted it" in str(runtime.config_fault)
        assert str((await runtime.health()).light) == "yellow"
        trust(clone.file)
        await watch.look()
        assert runtime.config_fault is None
        runtime.capabilities.look_again()
        assert runtime.capabilities.jobs.get("nightly").function() == "new"
    finally:
        await runtime.close()


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("bin/agent", ["{clone}/bin/agent", "do it"]),
        ("scripts/ready.sh", ["sh", "-e", "scripts/ready.sh"]),
        ("checks/all.py", ["python3", "-m", "checks.all"]),
    ],
)
async def test_a_changed_program_is_not_started(clone: Clone, name: str, words: list[str]) -> None:
    trust(clone.file)
    runtime = await _opened(clone.settings())
    _ = runtime.capabilities
    command = [word.format(clone=clone.folder) for word in words]
    try:
        check_command(command, clone.folder)
        clone.change(name)
        with pytest.raises(BrokenSealError, match="has changed since you trusted it"):
            check_command(command, clone.folder)
        check_command(["sh", "-c", "echo fine"], clone.folder)
        check_command(["grep", "-rl", "draft", "posts"], clone.folder)
        with pytest.raises(BrokenSealError, match="was not among the files"):
            check_command(["sh", "README.md"], clone.folder)
    finally:
        await runtime.close()


async def test_a_prompt_runs_the_program_beside_the_file_and_no_other(clone: Clone) -> None:
    trust(clone.file)
    runtime = await _opened(clone.settings())
    try:
        profile = runtime.capabilities.rules.profile("helper")
        assert profile.new[0] == str(clone.folder / "bin" / "agent")
        assert runtime.capabilities.rules.missing(Prompt(text="x", spawner="helper")) is None
    finally:
        await runtime.close()


# files and folders that others could have written


def _open(path: Path, mode: int) -> None:
    path.chmod(mode)


@pytest.mark.parametrize(
    ("key", "change", "reason"),
    [
        ("DULY_CONFIG", lambda own: _open(own / "duly.toml", 0o666), "can be written by other users"),
        ("DULY_CONFIG", lambda own: _open(own, 0o777), "can be written by other users"),
        ("DULY_DATA_DIR", lambda own: _open(own, 0o777), "can be written by other users"),
        ("DULY_DATA_DIR", lambda own: _open(own, 0o1777), "can be written by other users"),
        ("DULY_CONFIG", lambda own: os.chown(own / "duly.toml", 4711, -1), "belongs to user 4711"),
        ("DULY_DATA_DIR", lambda own: os.chown(own, 4711, -1), "belongs to user 4711"),
    ],
)
def test_what_others_could_have_written_is_refused(
    clone: Clone, tmp_path: Path, key: str, change: Callable[[Path], None], reason: str
) -> None:
    own = tmp_path / "own"
    own.mkdir(mode=0o755)
    (own / "duly.toml").write_text("", encoding="utf-8")
    value = str(own / "duly.toml") if key == "DULY_CONFIG" else str(own)
    assert load({key: value}).file == own / "duly.toml"
    change(own)
    with pytest.raises(ConfigError, match=f"{key}: cannot be used: .* {reason}"):
        load({key: value})


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda own: os.chown(own, 4711, -1), "belongs to user 4711"),
        (lambda own: os.chown(own / "duly.toml", 4711, -1), "belongs to user 4711"),
        (lambda own: _open(own, 0o777), "can be written by other users"),
        (lambda own: _open(own / "duly.toml", 0o666), "can be written by other users"),
    ],
)
@pytest.mark.parametrize("command", [["up", "--port", "0"], ["sync"]])
def test_the_file_in_a_data_directory_of_others_is_refused_and_the_data_is_used(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    command: list[str],
    change: Callable[[Path], None],
    reason: str,
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "share"))
    monkeypatch.chdir(tmp_path)
    theirs = tmp_path / "theirs"
    theirs.mkdir(mode=0o755)
    (theirs / "evilmod.py").write_text("raise SystemExit('their code ran')\n", encoding="utf-8")
    (theirs / "duly.toml").write_text("[jobs]\nx = 'evilmod:run'\n", encoding="utf-8")
    change(theirs)
    assert app.run([*command, "--data-dir", str(theirs)]) == 2
    said = capsys.readouterr().err
    assert "their code ran" not in said
    assert reason in said
    assert "--config FILE" in said
    with pytest.raises(ConfigError, match=reason):  # as a file that a record of a daemon names
        load_with({}, theirs / "duly.toml", data_dir=str(theirs))
    (tmp_path / "own.toml").write_text("", encoding="utf-8")
    assert load({}, config=str(tmp_path / "own.toml"), data_dir=str(theirs)).data_dir == theirs
    (theirs / "duly.toml").unlink()
    assert load({}, data_dir=str(theirs)).data_dir == theirs


def test_a_file_in_a_folder_like_tmp_may_be_named(clone: Clone, tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o1777)
    (shared / "duly.toml").write_text("", encoding="utf-8")
    assert load({}, config=str(shared / "duly.toml")).file == shared / "duly.toml"


# data directories inside repositories


def test_a_data_directory_inside_a_repository_needs_trust(clone: Clone, capsys: pytest.CaptureFixture[str]) -> None:
    subprocess.run(["git", "init", "-q", str(clone.folder)], check=True)
    state = clone.folder / "state"
    state.mkdir()
    (state / "duly.toml").write_text("[jobs]\nplanted = 'clone_chores:work'\n", encoding="utf-8")
    for environment, option in (({"DULY_DATA_DIR": str(state)}, None), ({}, str(state))):
        with pytest.raises(UntrustedFileError, match="lies in the git work tree"):
            load(environment, data_dir=option)
    assert app.run(["list", "--data-dir", "state"]) == 2
    assert "duly trust --data-dir" in capsys.readouterr().err
    assert app.run(["trust", "--data-dir", "state"]) == 0
    assert list(load({}, data_dir=str(state)).jobs) == ["planted"]
    (state / "duly.toml").write_text("[jobs]\nother = 'clone_chores:work'\n", encoding="utf-8")
    with pytest.raises(UntrustedFileError, match="has changed since you trusted it"):
        load({}, data_dir=str(state))
    assert app.run(["trust", "--revoke", "--data-dir", "state"]) == 0
    with pytest.raises(UntrustedFileError, match="lies in the git work tree"):
        load({}, data_dir=str(state))


def test_a_store_that_a_trusted_file_puts_into_the_repository_needs_trust_too(clone: Clone) -> None:
    subprocess.run(["git", "init", "-q", str(clone.folder)], check=True)
    clone.file.write_text('data_dir = "state"\n', encoding="utf-8")
    trust(clone.file)
    assert load({}).untrusted == clone.file
    with pytest.raises(UntrustedFileError, match=r"state: lies in the git work tree .* duly trust --data-dir"):
        raise untrusted(clone.file)
    with pytest.raises(UntrustedFileError, match="duly trust --data-dir"):
        load({}, config=str(clone.file))
    trusted_files().add(clone.folder / "state", {})
    assert load({}).data_dir == clone.folder / "state"


def test_the_user_s_own_directory_needs_none_whatever_is_around_it(clone: Clone) -> None:
    (clone.share / ".git").mkdir(parents=True)
    assert load({}, here=clone.share).data_dir == clone.share / "duly"
    assert load({}, data_dir=str(clone.share / "duly")).data_dir == clone.share / "duly"
