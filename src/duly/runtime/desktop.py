"""Messages of the local user on the desktop of this machine, where there is one.

The inbox is what the local user has when no other channel is bound: what arrives there is shown, once, by the program
of the desktop. Without a display, and with `desktop = false` in `[notify]`, nothing is shown.
"""

from __future__ import annotations

import asyncio
import html
import logging
import shutil
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING

from duly.errors import StoreError
from duly.model.events import DELIVERY_ENDED, Event
from duly.planning.reach import INBOX
from duly.ports.people import LOCAL_USER

if TYPE_CHECKING:
    from duly.runtime.runtime import Runtime

_MOST = 3
"""Messages shown one by one; of more, their number."""
_LONGEST = 300
_PATIENCE = 5.0  # seconds for the program of the desktop
_KEPT_VARIABLES = (
    "PATH",
    "HOME",
    "LANG",
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "XAUTHORITY",
    "XDG_RUNTIME_DIR",
    "DBUS_SESSION_BUS_ADDRESS",
)
_APPLESCRIPT = ("on run argv", "display notification (item 2 of argv) with title (item 1 of argv)", "end run")
_log = logging.getLogger("duly")

Show = Callable[[Sequence[str]], Awaitable[None]]
"""Runs a command that shows something."""


def desktop_command(platform: str, environment: Mapping[str, str]) -> tuple[str, ...] | None:
    """Give the beginning of the command that shows a title and a text; None where there is no desktop."""
    path = environment.get("PATH")
    if platform == "darwin":
        program = shutil.which("osascript", path=path)
        return None if program is None else (program, *(word for line in _APPLESCRIPT for word in ("-e", line)))
    has_display = environment.get("DISPLAY") or environment.get("WAYLAND_DISPLAY")
    program = shutil.which("notify-send", path=path) if platform.startswith("linux") and has_display else None
    return None if program is None else (program, "--app-name=duly", "--")


class Desktop:
    """Shows what arrives in the inbox of the local user."""

    def __init__(self, runtime: Runtime, command: Sequence[str], show: Show | None = None) -> None:
        self._runtime = runtime
        self._command = command
        self._show = show or self._run
        self._news = asyncio.Event()
        self._seen = 0

    def hear(self, event: Event) -> None:
        """Look into the inbox soon: a message arrived there."""
        if event.kind is DELIVERY_ENDED and event.data.get("channel") == INBOX:
            self._news.set()

    async def begin(self) -> None:
        """Leave out what is in the inbox already."""
        latest = await self._runtime.store.reminders.inbox(LOCAL_USER, unread=False, limit=1)
        self._seen = max((each.id or 0 for each in latest), default=0)

    async def run(self) -> None:
        """Show what arrives, until cancelled."""
        await self.begin()
        while True:
            await self._news.wait()
            self._news.clear()
            with suppress(StoreError):  # the engine meets the same error and logs it
                await self.look()

    async def look(self) -> None:
        """Show what is new."""
        found = await self._runtime.store.reminders.inbox(LOCAL_USER, unread=True, limit=100, longest=_LONGEST)
        new = [each for each in reversed(found) if (each.id or 0) > self._seen]
        if not new or not self._runtime.settings.notify.desktop:
            return
        self._seen = max(each.id or 0 for each in new)
        texts = [each.text for each in new] if len(new) <= _MOST else [f"{len(new)} new messages: duly inbox"]
        for text in texts:
            await self._show([*self._command, "duly", self._shown(text)])

    def _shown(self, text: str) -> str:
        """Write a text for the desktop: no control characters, and on Linux no markup."""
        plain = "".join(letter if letter.isprintable() or letter == "\n" else " " for letter in text)
        return plain if self._command[-1] != "--" else html.escape(plain, quote=False)

    async def _run(self, command: Sequence[str]) -> None:
        kept = {name: value for name, value in self._runtime.environment.items() if name in _KEPT_VARIABLES}
        nowhere = asyncio.subprocess.DEVNULL
        try:
            program = await asyncio.create_subprocess_exec(
                *command, stdin=nowhere, stdout=nowhere, stderr=nowhere, env=kept
            )
        except OSError as error:
            _log.warning("nothing is shown on the desktop: %s", error)
            return
        try:
            await asyncio.wait_for(program.wait(), _PATIENCE)
        except TimeoutError:
            program.kill()
            await program.wait()


@asynccontextmanager
async def shown_on_desktop(runtime: Runtime) -> AsyncIterator[None]:
    """Show messages of the local user during the block, where there is a desktop."""
    command = desktop_command(sys.platform, runtime.environment)
    if command is None:
        yield
        return
    desktop = Desktop(runtime, command)
    runtime.hear(desktop.hear)
    task = asyncio.create_task(desktop.run(), name="duly-desktop")
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
