"""The first start: every screen says what it is for, and offers a command that works when it is pasted."""

from __future__ import annotations

import html
import re
import shlex
from pathlib import Path

import pytest

from duly.cli.app import COMMANDS, run
from duly.service.access.scopes import ADMIN
from duly.web.frame import make_navigation
from tests.web.test_sign_in import HTML, play, sign_in
from tests.world import World

_CODE = re.compile(r"<code[^>]*>(duly [^<]+)</code>")
_TOUCHES_THE_MACHINE = ("up", "connect", "dashboard", "mcp")
"""Commands that start a daemon or write the settings of other programs: only their names are checked."""


def _commands(folder: Path) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}

    async def look(here: World) -> None:
        await sign_in(here)
        for item in make_navigation(ADMIN):
            page = await here.http.get(item.path, headers=HTML)
            assert page.status_code == 200, item.path
            commands = [html.unescape(each) for each in _CODE.findall(page.text)]
            assert commands or 'class="empty"' not in page.text, f"{item.path} is empty and offers nothing"
            found[item.path] = commands

    play(folder, look)
    return found


def test_every_empty_screen_offers_a_command_that_works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "daemon").mkdir()
    found = _commands(tmp_path / "daemon")
    assert sum(map(len, found.values())) > 8
    assert found["/people"]
    fresh = tmp_path / "shell"
    fresh.mkdir()
    monkeypatch.chdir(fresh)
    monkeypatch.setenv("DULY_DATA_DIR", str(fresh / "data"))
    for command in sorted({each for commands in found.values() for each in commands}):
        name, *rest = shlex.split(command)[1:]
        if name == "--server":  # the same command, carried out by the daemon of the page
            name, *rest = rest[1:]
        assert name in COMMANDS, command
        if name not in _TOUCHES_THE_MACHINE:
            assert run([name, *rest]) == 0, f"{command}: {capsys.readouterr().err}"
