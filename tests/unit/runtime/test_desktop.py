"""Messages of the local user on the desktop: where there is one, once each, and as plain text."""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from pathlib import Path

from duly.config.notify import NotifySettings
from duly.config.settings import Settings
from duly.model.events import DELIVERY_ENDED, Event
from duly.ports.reminders import InboxItem
from duly.runtime.desktop import Desktop, desktop_command, shown_on_desktop
from duly.runtime.runtime import Runtime
from duly.testing import VirtualClock


def program(folder: Path, name: str, text: str = "#!/bin/sh\n") -> str:
    path = folder / name
    path.write_text(text)
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


def test_there_is_a_command_only_where_there_is_a_desktop(tmp_path: Path) -> None:
    sends = program(tmp_path, "notify-send")
    script = program(tmp_path, "osascript")
    path = {"PATH": str(tmp_path)}
    assert desktop_command("linux", {**path, "DISPLAY": ":0"}) == (sends, "--app-name=duly", "--")
    assert desktop_command("linux", {**path, "WAYLAND_DISPLAY": "w"}) == (sends, "--app-name=duly", "--")
    assert desktop_command("linux", path) is None
    assert desktop_command("linux", {"PATH": str(tmp_path / "none"), "DISPLAY": ":0"}) is None
    assert desktop_command("win32", {**path, "DISPLAY": ":0"}) is None
    mac = desktop_command("darwin", path)
    assert mac is not None
    assert (mac[0], mac[1::2][:3]) == (script, ("-e",) * 3)


async def put(runtime: Runtime, *texts: str) -> None:
    for text in texts:
        item = InboxItem(user_id="local", key=f"k{text}", text=text, created_at=runtime.clock.now())
        await runtime.store.reminders.put(item)


async def test_each_new_message_is_shown_once(tmp_path: Path) -> None:
    runtime = Runtime(Settings(data_dir=tmp_path, store=str(tmp_path / "a.db")), clock=VirtualClock(), environment={})
    await runtime.open()
    shown = list[Sequence[str]]()

    async def show(command: Sequence[str]) -> None:
        shown.append(command)

    try:
        await put(runtime, "old")
        desktop = Desktop(runtime, ("send", "--"), show)
        await desktop.begin()
        await put(runtime, "<b>one</b>\x1b", "two\nlines")
        for _ in range(2):
            await desktop.look()
        assert shown == [["send", "--", "duly", "&lt;b&gt;one&lt;/b&gt; "], ["send", "--", "duly", "two\nlines"]]
        await put(runtime, *"abcde")
        await desktop.look()
        assert shown[2:] == [["send", "--", "duly", "5 new messages: duly inbox"]]
        runtime.settings = Settings(
            data_dir=tmp_path, store=str(tmp_path / "a.db"), notify=NotifySettings(desktop=False)
        )
        await put(runtime, "off")
        await desktop.look()
        assert len(shown) == 3
    finally:
        await runtime.close()


async def test_the_program_gets_the_words_as_arguments(tmp_path: Path) -> None:
    told = tmp_path / "told"
    program(tmp_path, "notify-send", f'#!/bin/sh\nprintf "%s\\n" "$@" > {told}.new\nmv {told}.new {told}\n')
    environment = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "DISPLAY": ":0"}
    runtime = Runtime(Settings(data_dir=tmp_path, store=str(tmp_path / "a.db")), environment=environment)
    await runtime.open()
    try:
        command = desktop_command("linux", environment)
        assert command is not None
        desktop = Desktop(runtime, command)
        await desktop.begin()
        await put(runtime, "hello; rm -rf $HOME")
        await desktop.look()
        assert told.read_text().splitlines() == ["--app-name=duly", "--", "duly", "hello; rm -rf $HOME"]
    finally:
        await runtime.close()


async def test_without_a_desktop_nothing_listens(tmp_path: Path) -> None:
    runtime = Runtime(Settings(data_dir=tmp_path, store=str(tmp_path / "a.db")), clock=VirtualClock(), environment={})
    before = len(runtime.listeners)
    async with shown_on_desktop(runtime):
        assert len(runtime.listeners) == before
    desktop = Desktop(runtime, ("x",))
    desktop.hear(Event(DELIVERY_ENDED, runtime.clock.now(), data={"channel": "inbox"}))
