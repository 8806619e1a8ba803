"""`duly connect` hands an agent a command that works wherever the agent starts it."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path

import pytest

from tests.unit.cli.conftest import Duly


@pytest.fixture(autouse=True)
def _called_duly(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Started as the script, in a directory of its own, with nothing set."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "share"))
    monkeypatch.setattr(sys, "argv", ["/opt/bin/duly"])
    for name in ("DULY_CONFIG", "DULY_DATA_DIR"):
        monkeypatch.delenv(name, raising=False)


def _pinned(data: Path, agent: str) -> list[str]:
    """Give the options with which the agent finds the user's data from any folder, and its own token."""
    return ["--data-dir", str(data), "--token-file", str(data / "clients" / f"{agent}.token")]


def _shown(duly: Duly, *words: str) -> list[str]:
    done = duly("connect", *words, "--dry-run")
    assert (done.code, done.err) == (0, "")
    return shlex.split(done.out.splitlines()[-1].removeprefix("$ "))


@pytest.mark.parametrize(
    ("agent", "command"),
    [
        ("claude", "claude mcp add -s user duly -- /opt/bin/duly mcp"),
        ("codex", "codex mcp add duly -- /opt/bin/duly mcp"),
        ("gemini", "gemini mcp add -s user duly /opt/bin/duly mcp"),
    ],
)
def test_each_agent_is_told_in_its_own_words(duly: Duly, tmp_path: Path, agent: str, command: str) -> None:
    assert _shown(duly, agent) == [*command.split(), *_pinned(tmp_path / "data", agent)]


def test_opencode_is_told_in_a_file(duly: Duly, tmp_path: Path) -> None:
    entry = json.loads(duly("connect", "opencode").out.partition("opencode.json:\n")[2])
    command = ["/opt/bin/duly", "mcp", *_pinned(tmp_path / "data", "opencode")]
    assert entry == {"mcp": {"duly": {"type": "local", "command": command}}}


def test_places_hold_wherever_the_agent_starts(duly: Duly, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "duly.toml").write_text("", encoding="utf-8")
    told = _shown(duly, "codex", "--data-dir", "my data", "--config", "duly.toml")
    assert told[-6:] == ["--config", str(tmp_path / "duly.toml"), *_pinned(tmp_path / "my data", "codex")]
    monkeypatch.setenv("DULY_DATA_DIR", "elsewhere")
    assert _shown(duly, "codex")[-5:] == ["mcp", *_pinned(tmp_path / "elsewhere", "codex")]
    (tmp_path / "elsewhere").mkdir()
    owners = tmp_path / "elsewhere" / "duly.toml"
    owners.write_text("", encoding="utf-8")
    assert _shown(duly, "codex")[-6:] == ["--config", str(owners), *_pinned(tmp_path / "elsewhere", "codex")]


def test_as_a_module_it_is_started_as_a_module_that_ignores_the_agents_folder(
    duly: Duly, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", ["/lib/duly/__main__.py"])
    assert _shown(duly, "codex")[-9:-4] == [sys.executable, "-P", "-m", "duly", "mcp"]


def test_an_agent_that_is_not_installed_yet_gets_its_token_and_a_command_that_works(
    duly: Duly, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The command is run later by the person, so the file that it names has to be there."""
    monkeypatch.setenv("PATH", str(tmp_path))
    done = duly("connect", "codex")
    assert (done.code, done.err) == (0, "")
    shown = shlex.join(
        ["codex", "mcp", "add", "duly", "--", "/opt/bin/duly", "mcp", *_pinned(tmp_path / "data", "codex")]
    )
    assert done.out.endswith(f"codex is not installed here; once it is, run this as the same user:\n$ {shown}\n")
    _holds_a_token_of_the_local_user(duly, tmp_path / "data" / "clients" / "codex.token")


@pytest.mark.parametrize(("words", "name", "said"), [(["cursor"], "cursor", "cursor"), ([], "client", "your client")])
def test_any_client_gets_what_it_needs_printed(
    duly: Duly, tmp_path: Path, words: list[str], name: str, said: str
) -> None:
    done = duly("connect", *words, "--print")
    entry = json.loads(done.out.partition(f"MCP settings of {said}:\n")[2])
    server = {"command": "/opt/bin/duly", "args": ["mcp", *_pinned(tmp_path / "data", name)]}
    assert entry == {"mcpServers": {"duly": server}}
    _holds_a_token_of_the_local_user(duly, tmp_path / "data" / "clients" / f"{name}.token")


def test_what_is_printed_for_a_known_agent_is_its_command_which_is_not_run(
    duly: Duly, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "codex"
    program.write_text(f"#!/bin/sh\necho called > {tmp_path / 'called'}\n", encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert shlex.split(duly("connect", "codex", "--print").out.splitlines()[-1])[:4] == ["$", "codex", "mcp", "add"]
    assert not (tmp_path / "called").exists()


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["claud"], "did you mean claude?"),
        (["zed"], "duly connect zed --print"),
        (["../up", "--print"], "is no name of a client"),
        (["Cursor", "--print"], "is no name of a client"),
    ],
)
def test_a_name_that_duly_cannot_use_is_refused_and_nothing_is_made(
    duly: Duly, tmp_path: Path, words: list[str], reason: str
) -> None:
    done = duly("connect", *words)
    assert (done.code, done.out) == (2, "")
    assert reason in done.err
    assert not (tmp_path / "data" / "clients").exists()


def _holds_a_token_of_the_local_user(duly: Duly, file: Path) -> None:
    tokens = json.loads(duly("token", "list", "--json").out)["items"]
    assert [(each["name"], each["scope"]) for each in tokens] == [(f"connect {file.stem}", "user:local")]
    assert file.read_text(encoding="utf-8").strip()


def test_an_agent_that_refuses_and_one_that_is_told(
    duly: Duly, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    program = tmp_path / "codex"
    program.write_text("#!/bin/sh\necho no such option >&2; exit 3\n", encoding="utf-8")
    program.chmod(0o755)
    assert duly("connect", "codex").err == "duly: codex refused: no such option\n"
    program.write_text('#!/bin/sh\necho "added $3"\n', encoding="utf-8")
    assert duly("connect", "codex").out.endswith("added duly\n✓ codex knows duly now\n")


def test_an_earlier_entry_of_duly_is_replaced(duly: Duly, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The old entry may make the agent the local admin."""
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    program = tmp_path / "codex"
    asked = tmp_path / "asked"
    program.write_text(
        f'#!/bin/sh\necho "$2" >> {asked}\n'
        f'[ "$2" = add ] && [ "$(grep -c add {asked})" = 1 ] && {{ echo duly already exists >&2; exit 1; }}\nexit 0\n',
        encoding="utf-8",
    )
    program.chmod(0o755)
    assert duly("connect", "codex").out.endswith("✓ codex knows duly now\n")
    assert asked.read_text(encoding="utf-8").split() == ["add", "remove", "add"]
