"""Agents work away from duly's data, and where that is asked for as another user or in a sandbox."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from duly.agents import Projects, PromptDispatcher, PromptError, SpawnerProfile
from duly.agents.confinement import fault_of
from duly.agents.environment import HARMLESS
from duly.agents.folders import Folders, UnixUser, agents_folder
from duly.agents.profile import Sandbox, SessionNaming
from duly.agents.run_processes import processes_of
from duly.clock import SystemClock
from duly.config.reading import load
from duly.errors import ConfigError, DulyError, InvalidInputError, RunSkippedError, RunTimeoutError
from duly.model.action import Prompt, SessionBehavior
from duly.runtime.runtime import Runtime
from tests.integration.engine_support.waiting import PATIENCE, eventually
from tests.integration.prompts.support import Bench, Hourglass, at, own
from tests.security.lesser_user import CHOWN, DAC_OVERRIDE, KILL, SETGID, SETUID, as_lesser_user

OPEN_TO_ALL = Path("/var/tmp") / f"duly-tests-{own('project')}"  # noqa: S108  where another user can go
LEAVES = "mkdir -p deep/down; touch deep/down/file; ln -s / deep/link; chmod 500 deep/down; exit 3"
LOOK = "pwd -P; stat -c %a .; ls -A | wc -l"


def shell(script: str, **more: Any) -> SpawnerProfile:
    """An agent that is a shell script, and answers with what it prints."""
    return SpawnerProfile(name="sh", new=("sh", "-c", script), **more)


async def answer(bench: Bench, dispatcher: PromptDispatcher, *targets: str, **more: Any) -> list[str]:
    """The lines that an agent has to say."""
    result = await bench.run(Prompt(text="go", targets=at(*targets)), dispatcher=dispatcher, **more)
    return str(result["targets"][0]["text"]).splitlines()


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    made = Bench(tmp_path)
    try:
        yield made
    finally:
        made.close()
        states = (made.state, tmp_path / "killed" / "state")
        for folder in (*(Folders(state, SystemClock()).roots[1] for state in states), OPEN_TO_ALL):
            shutil.rmtree(folder, ignore_errors=True)


# the working directory


async def test_an_agent_without_a_project_works_in_an_empty_folder_that_is_gone_afterwards(bench: Bench) -> None:
    folder, mode, entries = await answer(bench, bench.dispatcher(shell(LOOK)))
    assert Path(folder).parent == bench.state.resolve()
    assert (mode, entries) == ("700", "0")
    assert Path(folder).name not in os.listdir(bench.state)  # noqa: PTH208  in a coroutine
    with pytest.raises(PromptError, match="exit code 3"):
        await answer(bench, bench.dispatcher(shell(LEAVES)), run_id="run_2")
    assert [path for path in bench.state.iterdir() if path.name != "state"] == []


async def test_a_gate_without_a_project_works_in_such_a_folder_too(bench: Bench) -> None:
    dispatcher = bench.dispatcher(shell("true"), gates={"where": ["sh", "-c", f"{LOOK}; exit 1"]})
    with pytest.raises(RunSkippedError, match=rf"{bench.state.resolve()}/once-\S+\n700\n0"):
        await bench.run(Prompt(text="go", gate="where"), dispatcher=dispatcher)


async def test_a_session_goes_on_in_the_folder_where_it_began(bench: Bench) -> None:
    script = f"{LOOK}; touch note"
    profile = SpawnerProfile(
        name="sh",
        new=("sh", "-c", script, "{session_id}"),
        resume=("sh", "-c", script, "{session_id}"),
        session=SessionNaming.ASSIGNED,
    )
    prompt = Prompt(text="go", session_behavior=SessionBehavior.RESUME)
    dispatcher = bench.dispatcher(profile)
    told = [
        (await bench.run(prompt, dispatcher=dispatcher, run_id=f"run_{number}"))["targets"][0]["text"].split()
        for number in range(2)
    ]
    assert told[0][0] == told[1][0]
    assert (told[0][2], told[1][2]) == ("0", "1")


def test_what_a_killed_duly_left_behind_is_removed_and_so_is_what_was_not_used_for_long(bench: Bench) -> None:
    folders = Folders(bench.state, SystemClock())
    with folders.scratch("sched_1", None) as kept, folders.scratch(None, None) as busy:
        dead = bench.state / "once-4194304.1-x"
        (dead / "deeper").mkdir(parents=True)
        old = bench.state / "kept-0123456789abcdef"
        old.mkdir()
        os.utime(old, (0, 0))
        with folders.scratch(None, None) as another:
            assert {kept.name, busy.name, another.name} == {path.name for path in bench.state.iterdir()}


@pytest.mark.parametrize("account", ["own", "shared"])
def test_a_folder_that_another_user_has_put_there_is_refused(tmp_path: Path, account: str) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / account).symlink_to(tmp_path / "elsewhere")
    folders = Folders(tmp_path / "own", SystemClock(), tmp_path / "shared")
    with pytest.raises(DulyError, match=r"belongs to another user\. Find out why it is there, and remove it"):
        folders.state(None if account == "own" else _account())
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_the_folder_of_agents_is_never_in_the_data_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = tmp_path / "data"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    usual = agents_folder(data)
    assert usual.parent == tmp_path / "cache" / "duly" / "agents"
    assert usual != agents_folder(tmp_path / "other")
    monkeypatch.setenv("CACHE_DIRECTORY", str(tmp_path / "service"))  # as systemd says it
    assert agents_folder(data).parent == tmp_path / "service" / "agents"
    monkeypatch.delenv("CACHE_DIRECTORY")
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    (tmp_path / "file").touch()
    for hopeless in (data / "cache", tmp_path / "file"):
        monkeypatch.setenv("XDG_CACHE_HOME", str(hopeless))
        assert agents_folder(data).parent == tmp_path
    assert not data.exists()  # to ask is not to make it


class Daemon:
    """The parts of a daemon, from a file."""

    def __init__(self, folder: Path, text: str, **environment: str) -> None:
        self.folder = folder
        self.data = folder / "data"
        (folder / "duly.toml").write_text(text, encoding="utf-8")
        settings = load({}, config=str(folder / "duly.toml"), data_dir=str(self.data))
        self.runtime = Runtime(settings, environment={**os.environ, **environment})

    async def __aenter__(self) -> Runtime:
        await self.runtime.open()
        return self.runtime

    async def __aexit__(self, *_: object) -> None:
        await self.runtime.close()


SHELL = '[spawners.sh]\nnew = ["sh", "-c", "pwd -P; env"]\nenv = ["*"]\n'


@contextmanager
def agents_of(runtime: Runtime, bench: Bench) -> Iterator[PromptDispatcher]:
    """What carries out the prompts of a daemon, for runs that its store does not know."""
    known: Any = SimpleNamespace(targets=bench.memory, url=runtime.store.url, history=runtime.store.history)
    prompts = runtime.capabilities.make_prompts(known, runtime.clock, bench.events.append)
    try:
        yield prompts
    finally:
        prompts.close()


async def says(runtime: Runtime, bench: Bench) -> list[str]:
    with agents_of(runtime, bench) as prompts:
        result = await bench.run(Prompt(text="go", spawner="sh"), dispatcher=prompts)
    return str(result["targets"][0]["text"]).splitlines()


async def test_the_agents_of_a_daemon_run_away_from_its_data_and_without_its_variables(bench: Bench) -> None:
    ours = {"DULY_TOKEN": "t", "DULY_DATA_DIR": "d", "TELEGRAM_TOKEN": "hush", "PATH": os.environ["PATH"]}
    closed = SHELL.replace('env = ["*"]\n', "")
    async with Daemon(bench.folder, closed, **ours) as runtime:
        folder, *variables = await says(runtime, bench)
        assert not Path(folder).is_relative_to(bench.folder / "data")
    known = {name for name in HARMLESS if not name.endswith("*")}
    told = {"DULY_RUN_ID", "DULY_TARGET", "DULY_OWNER", "DULY_SCHEDULE", "DULY_TRIGGER_SOURCE", "PWD"} | {
        "DULY_DATA_DIR"  # where `duly wake-me` finds the store; agents that are confined are not told
    }
    names = {line.partition("=")[0] for line in variables} - known - told
    assert [name for name in names if not name.startswith(("LC_", "XDG_", "_", "SHLVL", "OLDPWD"))] == []


async def test_even_a_star_hands_on_no_variable_of_dulys_own(bench: Bench) -> None:
    ours = {"DULY_TOKEN": "t", "DULY_DATA_DIR": "d", "DULY_CONFIG": "c"}
    async with Daemon(bench.folder, SHELL, **ours) as runtime:
        said = await says(runtime, bench)
        names = {line.partition("=")[0] for line in said}
        assert names & set(ours) == {"DULY_DATA_DIR"}  # the folder of this daemon, which `duly wake-me` needs
        assert "DULY_DATA_DIR=d" not in said


def test_projects_beside_the_data_are_warned_of(tmp_path: Path) -> None:
    data = tmp_path / "home" / "data"
    projects = {"in": data / "work", "around": tmp_path / "home", "same": data, "apart": tmp_path / "work"}
    told = Projects(projects).exposing(data)
    assert [line.partition(" ")[0] for line in told] == ["projects.in:", "projects.around:", "projects.same:"]
    assert "lies in duly's data directory" in told[0]
    assert "below its working directory" in told[1]


async def test_a_daemon_says_so_in_its_log(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async with Daemon(tmp_path, '[projects.blog]\npath = "data/blog"\n') as runtime:
        with caplog.at_level(logging.WARNING, logger="duly"):
            await runtime.capabilities.check_agents(runtime.prompts)
    assert "projects.blog: " in caplog.text
    assert "Move the project elsewhere" in caplog.text


# another user


def _account() -> UnixUser:
    return UnixUser(name="nobody", uid=os.getuid(), gid=os.getgid(), home="/", shell="/bin/sh")  # noqa: S604


WHO = "id -u; id -G; echo $HOME $USER; grep -E '^(CapEff|NoNewPrivs)' /proc/self/status; pwd -P; echo > /dev/stdout"
NOBODY = 65534


def is_root() -> bool:
    return os.geteuid() == 0


async def test_an_agent_runs_as_another_user_without_any_right(bench: Bench) -> None:
    profile = shell(f"touch mine && {WHO} && cat {bench.home}/x", run_as="nobody")
    (bench.home / "x").touch()
    if not is_root():
        assert "duly has to run as root, or with CAP_CHOWN" in str(fault_of(profile, bench.environ))
        return
    with pytest.raises(PromptError, match=r"Permission denied \(exit code 1\)"):  # of a file of ours, by way of it
        await answer(bench, bench.dispatcher(profile))
    told = await answer(bench, bench.dispatcher(shell(WHO, run_as="nobody")), run_id="run_2")
    assert told[:3] == [str(NOBODY), str(NOBODY), "/nonexistent nobody"]
    assert [line.split() for line in told[3:5]] == [["CapEff:", "0" * 16], ["NoNewPrivs:", "1"]]
    assert Path(told[5]).name.startswith("once-")


async def test_a_prompt_file_and_the_state_of_another_user_are_theirs(bench: Bench) -> None:
    script = 'cat "$1"; echo; stat -c %u "$1" "$2"; echo more > "$2/note"'
    profile = SpawnerProfile(
        name="sh",
        new=("sh", "-c", script, "sh", "{prompt_file}", "{state_dir}"),
        stdin="none",  # type: ignore[arg-type]
        run_as="nobody",
    )
    if not is_root():
        assert "duly has to run as root" in str(fault_of(profile, bench.environ))
        return
    assert await answer(bench, bench.dispatcher(profile)) == ["go", str(NOBODY), str(NOBODY)]


async def test_another_user_does_not_enter_a_folder_that_is_closed_to_them(bench: Bench) -> None:
    if not is_root():
        assert fault_of(shell("true", run_as="nobody"), bench.environ) is not None
        return
    bench.projects["api"].chmod(0o700)
    with pytest.raises(PromptError, match=rf"cannot work in .*/api as user {NOBODY}:\d+: Permission denied"):
        await answer(bench, bench.dispatcher(shell("true", run_as="nobody")), "api")


@pytest.mark.parametrize(
    ("user", "words"),
    [
        ("no-such-user", "there is no user 'no-such-user' on this machine. Make one"),
        ("root", "'root' is root, who may do everything. Name a user without rights"),
    ],
)
def test_a_user_that_would_not_do_is_refused(user: str, words: str) -> None:
    assert words in str(fault_of(shell("true", run_as=user), {}))


_ASK = """
import asyncio, json, sys
from pathlib import Path
from duly.agents import SpawnerProfile
from duly.agents.confinement import fault_of
from tests.integration.prompts.support import Bench
from duly.model.action import Prompt

profile = SpawnerProfile(name="sh", new=("sh", "-c", sys.argv[2]), run_as=sys.argv[3] or None)
fault = fault_of(profile, {})
if fault is None:
    bench = Bench(Path(sys.argv[1]))
    try:
        told = asyncio.run(bench.run(Prompt(text="go"), dispatcher=bench.dispatcher(profile)))
    finally:
        bench.close()
    fault = told["targets"][0]["text"]
print(json.dumps(fault))
"""


def ask_as_lesser_user(folder: Path, *keeping: int, run_as: str = "nobody") -> str:
    """What a duly that is not root, with some capabilities, makes of a spawner with `run_as`."""
    words = as_lesser_user(sys.executable, "-c", _ASK, str(folder), WHO, run_as, keeping=keeping)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "HOME": str(folder)}
    told = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
    assert told.returncode == 0, told.stderr
    return str(json.loads(told.stdout))


def test_a_daemon_without_the_rights_says_which_are_missing(tmp_path: Path) -> None:
    told = ask_as_lesser_user(tmp_path / "place", DAC_OVERRIDE)
    assert told.startswith(
        "spawners.sh.run_as: to start agents as 'nobody', duly has to run as root, or with CAP_CHOWN, "
    )
    assert "CAP_KILL, CAP_SETGID, CAP_SETUID besides what it has (it runs as uid" in told


def test_agents_that_are_not_kept_apart_inherit_none_of_the_rights(tmp_path: Path) -> None:
    told = ask_as_lesser_user(tmp_path / "place", DAC_OVERRIDE, CHOWN, KILL, SETGID, SETUID, run_as="").splitlines()
    assert told[3].split() == ["CapEff:", "0" * 16]


def test_a_daemon_with_the_rights_passes_none_of_them_on(tmp_path: Path) -> None:
    told = ask_as_lesser_user(tmp_path / "place", DAC_OVERRIDE, CHOWN, KILL, SETGID, SETUID)
    if not is_root():  # then there was no way to get them
        assert "duly has to run as root" in told
        return
    lines = told.splitlines()
    shutil.rmtree(Path(lines[5]).parent)
    assert [line.split() for line in lines[3:5]] == [["CapEff:", "0" * 16], ["NoNewPrivs:", "1"]]


# the sandbox


def works_in_a_sandbox(bench: Bench) -> bool:
    """Whether this machine can make one; where it cannot, the refusal is what duly has to show."""
    dispatcher = bench.dispatcher(shell("true", sandbox=Sandbox.BWRAP))
    try:
        dispatcher.check_confinement(dispatcher.rules)
    except InvalidInputError as error:
        said = str(error)
    else:
        return True
    assert "install the package bubblewrap" in said or "bwrap cannot make a sandbox here" in said
    return False


def in_sandbox(bench: Bench, script: str, **more: Any) -> PromptDispatcher:
    hidden = [bench.folder / "data", bench.folder / "store.db"]
    return bench.dispatcher(shell(script, sandbox=Sandbox.BWRAP, **more), hidden=hidden)


def sees(bench: Bench, script: str, *targets: str, run_id: str = "run_1", **more: Any) -> list[str]:
    return asyncio.run(answer(bench, in_sandbox(bench, script, **more), *targets, run_id=run_id))


def test_a_sandbox_hides_the_data_and_lets_the_agent_write_in_its_workspace_alone(bench: Bench) -> None:
    if not works_in_a_sandbox(bench):
        return
    inner = bench.folder / "data"
    inner.mkdir()
    (inner / "local.token").write_text("hush", encoding="utf-8")
    (bench.folder / "store.db").write_text("hush", encoding="utf-8")
    (bench.folder / "other").write_text("plain", encoding="utf-8")
    bench.projects = {"around": bench.folder}  # the data lies in the project, which is the worst case
    script = (
        "ls -A data | wc -l; cat store.db; cat other; echo; touch made && echo here; "
        "test -r /etc/passwd && echo read; touch /etc/made 2>/dev/null || echo closed; "
        "ls -A /run/user 2>/dev/null | grep -c .; umount $PWD/data 2>/dev/null || echo stays; "
        "grep CapEff /proc/self/status | tr -s '\\t' ' '"
    )
    told = sees(bench, script, "around")
    assert told == ["0", "plain", "here", "read", "closed", "0", "stays", "CapEff: " + "0" * 16]
    assert (bench.folder / "made").exists()


def test_a_sandbox_shows_no_other_process(bench: Bench) -> None:
    if works_in_a_sandbox(bench):
        count, alive = sees(bench, "ls -d /proc/[0-9]* | wc -l; kill -0 ${DULY_OWNER%%:*} 2>/dev/null || echo nobody")
        assert (int(count) < 10, alive) == (True, "nobody")


def test_a_project_inside_the_data_directory_is_seen_and_one_that_is_the_same_is_not(bench: Bench) -> None:
    if not works_in_a_sandbox(bench):
        return
    inner = bench.folder / "data" / "blog"
    inner.mkdir(parents=True)
    (bench.folder / "data" / "local.token").write_text("hush", encoding="utf-8")
    bench.projects = {"same": inner.parent, "inside": inner}
    assert sees(bench, "ls -A ..; touch made && echo written", "inside", run_id="run_2") == ["blog", "written"]
    assert sees(bench, "ls -A; echo nothing", "same") == ["nothing"]


def test_a_sandbox_has_no_network_where_it_is_told_so_and_writes_where_it_may(bench: Bench) -> None:
    if not works_in_a_sandbox(bench):
        return
    (bench.home / ".agent").mkdir()
    told = sees(bench, "tail -n +3 /proc/net/dev | wc -l; touch ~/.agent/x", network=False, writable=("~/.agent",))
    assert told == ["1"]  # the loopback alone
    assert (bench.home / ".agent" / "x").exists()


async def ended_by_its_time(bench: Bench, profile: SpawnerProfile) -> None:
    """Let a prompt run out of time once it has begun, and see that nothing of it is left."""
    clock, ready = Hourglass(), bench.projects["api"] / "ready"
    dispatcher = bench.dispatcher(profile, clock=clock)
    going = asyncio.ensure_future(bench.run(Prompt(text="go", targets=at("api")), dispatcher=dispatcher))
    await asyncio.to_thread(eventually, lambda: ready.exists() or going.done(), "the agent to begin")
    # A process that just becomes another program has no environment for a moment, and is not found.
    found = partial(processes_of, own("run_1"), "api")
    await asyncio.to_thread(eventually, lambda: len(found()) > 2 or going.done(), "its family to begin")
    clock.turn()
    with pytest.raises(RunTimeoutError):
        await going
    assert found() == []


RUNAWAY = "setsid sh -c 'sleep 3600' & touch ready; while :; do sleep 0.05; done"
TIDY = f"trap 'echo tidied > note; exit 0' TERM; {RUNAWAY}"  # before it is ready: it is asked to end from then on


@pytest.mark.parametrize("run_as", [None, "nobody"])
def test_a_sandboxed_agent_is_asked_to_end_and_its_family_is_gone(
    bench: Bench, run_as: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not works_in_a_sandbox(bench) or (run_as is not None and not is_root()):
        return
    monkeypatch.setattr("duly.agents.command.GRACE", PATIENCE)
    open_to_all(bench)
    asyncio.run(ended_by_its_time(bench, shell(TIDY, sandbox=Sandbox.BWRAP, run_as=run_as)))
    assert (bench.projects["api"] / "note").read_text(encoding="ascii") == "tidied\n"


def test_an_agent_of_another_user_is_asked_to_end_and_its_family_is_gone(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not is_root():
        assert fault_of(shell(TIDY, run_as="nobody"), bench.environ) is not None
        return
    monkeypatch.setattr("duly.agents.command.GRACE", PATIENCE)
    open_to_all(bench)
    asyncio.run(ended_by_its_time(bench, shell(TIDY, run_as="nobody")))
    assert (bench.projects["api"] / "note").read_text(encoding="ascii") == "tidied\n"


_GO_ON = """
import asyncio, sys
from pathlib import Path
from duly.agents import SpawnerProfile
from duly.model.action import Prompt
from tests.integration.prompts.support import Bench, at

bench = Bench(Path(sys.argv[1]))
bench.projects["api"] = Path(sys.argv[2])
way = {sys.argv[3]: sys.argv[4]}
dispatcher = bench.dispatcher(SpawnerProfile(name="sh", new=("sh", "-c", sys.argv[5]), **way))
asyncio.run(bench.run(Prompt(text="go", targets=at("api")), dispatcher=dispatcher))
"""


@pytest.mark.parametrize("way", [("run_as", "nobody"), ("sandbox", "bwrap")], ids=["run_as", "sandbox"])
def test_nothing_of_a_confined_agent_outlives_a_duly_that_is_killed(bench: Bench, way: tuple[str, str]) -> None:
    if not (is_root() if way[0] == "run_as" else works_in_a_sandbox(bench)):
        return
    open_to_all(bench)
    project = bench.projects["api"]
    words = [sys.executable, "-c", _GO_ON, bench.path("killed"), str(project), *way, TIDY]
    duly = subprocess.Popen(words, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})
    try:
        eventually(lambda: (project / "ready").exists() or duly.poll() is not None, "the agent to begin")
        assert processes_of(f"run_1_{duly.pid}", "api")
    finally:
        duly.kill()
        duly.wait()
    eventually(lambda: not processes_of(f"run_1_{duly.pid}", "api"), "the end of the agent")


async def test_an_agent_of_another_user_cannot_end_its_guardian(bench: Bench) -> None:
    ends = shell("kill -9 $PPID 2>/dev/null || echo alive", run_as="nobody")
    if is_root():
        assert await answer(bench, bench.dispatcher(ends)) == ["alive"]
    else:
        assert fault_of(ends, bench.environ) is not None


@pytest.mark.parametrize("way", [{"run_as": "nobody"}, {"sandbox": Sandbox.BWRAP}], ids=["run_as", "sandbox"])
def test_an_agent_that_ignores_the_request_to_end_is_killed(
    bench: Bench, way: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    if not (works_in_a_sandbox(bench) if "sandbox" in way else is_root()):
        return
    monkeypatch.setattr("duly.agents.command.GRACE", 0.2)
    open_to_all(bench)
    asyncio.run(ended_by_its_time(bench, shell(f"trap '' TERM; {RUNAWAY}", **way)))


def open_to_all(bench: Bench) -> None:
    """Let another user come to the project: on the way there, tests are closed to others."""
    if is_root():
        shutil.move(bench.projects["api"], OPEN_TO_ALL)
        OPEN_TO_ALL.chmod(0o777)
        bench.projects["api"] = OPEN_TO_ALL


def test_a_missing_bwrap_is_refused_with_the_package_to_install(bench: Bench) -> None:
    dispatcher = bench.dispatcher(shell("true", sandbox=Sandbox.BWRAP), environ={"PATH": bench.path("empty")})
    with pytest.raises(InvalidInputError, match=r"^spawners\.sh\.sandbox needs the program 'bwrap'.*bubblewrap"):
        dispatcher.check_confinement(dispatcher.rules)


async def test_a_machine_that_forbids_sandboxes_is_told_of_before_anything_runs(tmp_path: Path) -> None:
    forbids = tmp_path / "bin" / "bwrap"
    forbids.parent.mkdir()
    forbids.write_text("#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2; exit 1\n")
    forbids.chmod(0o755)
    path = f"{forbids.parent}{os.pathsep}{os.environ['PATH']}"
    async with Daemon(tmp_path, f'{SHELL}sandbox = "bwrap"\n', PATH=path) as runtime:
        with pytest.raises(
            ConfigError, match=r"duly\.toml:4: spawners\.sh\.sandbox: bwrap cannot make a sandbox"
        ) as told:
            await runtime.capabilities.check_agents(runtime.prompts)
        assert "(bwrap: No permissions to create new namespace)" in str(told.value)


async def test_a_daemon_does_not_start_when_it_cannot_keep_its_agents_apart(tmp_path: Path) -> None:
    async with Daemon(tmp_path, f'{SHELL}run_as = "no-such-user"\n') as runtime:
        with pytest.raises(ConfigError, match=r"duly\.toml:4: spawners\.sh\.run_as: there is no user 'no-such-user'"):
            await runtime.capabilities.check_agents(runtime.prompts)
        assert runtime.capabilities.missing(Prompt(text="go", spawner="sh")) is not None
