"""Each command that the documentation shows works, in the order of its page, for a reader who types it.

A page has one reader with an empty home, a daemon that runs, and agents that call no model. What stands for something
of the reader's own is replaced: an id by the newest one of its kind that was printed, the port by the daemon's.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from duly.testing import fake_cli
from tests.documentation.blocks import Block, blocks
from tests.forked_duly import ForkedDuly, run
from tests.integration.engine_support.waiting import eventually

_PATIENCE = 120
_AGENTS = ("claude", "codex", "gemini", "opencode")
_ID = re.compile(r"\b(tok|run|sched|cal|user|failed|missed)([_-])[0-9a-f]*…?(?![\w])")
_KINDS = {"tok": "tok", "run": "run", "sched": "sched", "cal": "cal", "user": "user"}
_ENDLESS = re.compile(r"^(duly (up|dashboard|mcp)|make |PATH=\S+ duly up|.*--follow|.*curl -N)")
_NOT_THE_READERS = ("PYTHON", "COV_", "DULY_", "XDG_")
_NEEDS_A_SHELL = re.compile(r"[$|;&><~]")
_ANSWER = re.compile(r"^duly (ack|snooze|dismiss)\b(?!.*--data-dir)")
_SETTINGS = """
timezone = "Europe/Berlin"
[projects.blog]
path = "blog"
[projects.home]
path = "home"
[projects.shop]
path = "shop"
[spawners.careful]
preset = "claude"
[gates]
drafts = ["true"]
[jobs]
prune_history = "chores:prune_history"
tidy = ["tidy", "--all"]
[channels.telegram]
token = "file:local.token"
base_url = "http://127.0.0.1:9"
"""


@dataclass(frozen=True, slots=True)
class Session:
    """One command of a page, what the reader types into it, and what the page shows for it."""

    block: Block
    command: str
    typed: str
    shown: str

    @property
    def is_whole(self) -> bool:
        """Tell whether the page shows all that the command prints, to the letter."""
        ours = self.block.language == "console" and self.command.startswith("duly ")
        return ours and bool(self.shown.strip()) and "…" not in self.shown


def _sessions(block: Block) -> Iterator[Session]:
    if block.before is not None:
        yield Session(block, block.before, "", "")
    for text in re.split(r"(?m)^\$ ", block.text)[1:]:
        command, _, shown = re.sub(r"\\\n\s*", "", text).partition("\n")
        typed = "".join(f"{line}\n" for line in re.findall(r"(?m)^> (.*)$", shown))
        yield Session(block, command, typed, shown)


def _pages() -> dict[Path, list[Session]]:
    found: dict[Path, list[Session]] = {}
    for block in blocks("console", ""):
        if block.reason is None:
            found.setdefault(block.page, []).extend(_sessions(block))
    return {page: some for page, some in found.items() if not all(_ENDLESS.match(each.command) for each in some)}


PAGES = _pages()


@pytest.mark.parametrize("block", [each for each in blocks("") if each.reason is None], ids=str)
def test_a_command_has_a_prompt(block: Block) -> None:
    """Without one it could not be told from what a command prints."""
    assert "$ " in block.text or not re.search(r"(?m)^(duly|curl|make|cp|docker|sudo) ", block.text)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_commands_of_a_page_work(page: Path, tmp_path: Path) -> None:
    reader = _Reader(tmp_path)
    with reader.daemon():
        wrong = [said for session in PAGES[page] if (said := reader.types(session)) is not None]
    assert not wrong, "\n".join(wrong)


class _Reader:
    """Somebody who reads a page and types its commands."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._data = folder / ".local" / "share" / "duly"
        for each in ("blog", "home", "shop"):
            (self._data / each).mkdir(parents=True)
        (self._data / "duly.toml").write_text(_SETTINGS, encoding="utf-8")
        (self._data / "chores.py").write_text("def prune_history(keep_days): ...\n", encoding="utf-8")
        programs = fake_cli.install(folder / "programs")
        for name in _AGENTS:  # their own subcommands, which the fakes do not have
            kept = (programs / name).rename(programs / f".{name}")
            (programs / name).write_text(f'#!/bin/sh\n[ "$1" = mcp ] && exit 0\nexec {kept} "$@"\n', encoding="utf-8")
            (programs / name).chmod(0o755)
        (programs / "duly").write_text(f'#!/bin/sh\nexec {sys.executable} -m duly "$@"\n', encoding="utf-8")
        (programs / "duly").chmod(0o755)
        self._environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith(_NOT_THE_READERS)},
            "HOME": str(folder),
            "TMPDIR": str(folder),
            "TZ": "America/New_York",
            "PATH": os.pathsep.join([str(programs), str(Path(sys.executable).parent), os.environ["PATH"]]),
            "PYTHONUNBUFFERED": "1",
        }
        self._port = "8765"
        self._ids: dict[str, str] = {}

    @contextmanager
    def daemon(self) -> Iterator[None]:
        words = ["up", "--port", "0"]
        with (self._folder / "daemon.log").open("w", encoding="utf-8") as log:
            process = ForkedDuly(words, env=self._environment, cwd=self._folder, stdout=subprocess.PIPE, stderr=log)
        assert process.stdout is not None
        try:
            lines = iter(process.stdout.readline, "")
            self._port = next(found[1] for line in lines if (found := re.search(r"mcp +http://[\d.]+:(\d+)", line)))
            eventually(lambda: (self._data / "local.token").is_file(), "the token of the local user")
            yield
        finally:
            process.kill()
            process.wait(_PATIENCE)
            process.stdout.close()

    def types(self, session: Session) -> str | None:
        """Run a command; gives what is wrong with it, or None."""
        if _ENDLESS.match(session.command):
            return None
        if _ANSWER.match(session.command):
            self._waits_for_a_reminder(re.findall(r"--user \w+", session.command))
        command = _ID.sub(self._own_id, session.command).replace("127.0.0.1:8765", f"127.0.0.1:{self._port}")
        if "…" in command:  # the id of something that has not happened here
            return None
        done = self._shell(command, session.typed)
        for kind, joint, rest in re.findall(
            r"\b(tok|run|sched|cal|user|failed|missed)([_-])([0-9a-f]{8,})", done.stdout
        ):
            self._ids[kind] = f"{kind}{joint}{rest}"
        said = (done.stdout + done.stderr).strip()
        expected_to_fail = session.shown.startswith("duly: ")
        if (done.returncode == 0) is not expected_to_fail and (not session.is_whole or said == session.shown.strip()):
            return None
        return f"{session.block}: $ {command}: exit {done.returncode}: {done.stdout[-300:]}{done.stderr[-500:]}"

    def _waits_for_a_reminder(self, user: list[str]) -> None:
        """Let the time pass until a reminder has come that can be answered; another one, so that it is short."""
        whose = " ".join(user)
        self._shell(f"duly remind 'take medicine' in 1s --ack {whose}")
        inbox = f"duly inbox --json {whose}"
        eventually(lambda: json.loads(self._shell(inbox).stdout)["waiting"], "a reminder that waits")

    def _shell(self, command: str, typed: str = "") -> subprocess.CompletedProcess[str]:
        if command.startswith("duly ") and not typed and not _NEEDS_A_SHELL.search(command):  # the same, only quicker
            words = shlex.split(command, comments=True)[1:]
            return run(words, env=self._environment, cwd=self._folder, timeout=_PATIENCE)
        tokens = "TOKEN=$(cat ~/.local/share/duly/local.token); DULY_TOKEN=$TOKEN"
        return subprocess.run(
            ["bash", "-c", f"{tokens}; {command}"],
            input=typed,
            capture_output=True,
            text=True,
            encoding="utf-8",
            env=self._environment,
            cwd=self._folder,
            timeout=_PATIENCE,
            check=False,
        )

    def _own_id(self, found: re.Match[str]) -> str:
        return self._ids.get(found[1], found[0])
