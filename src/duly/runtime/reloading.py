"""The running daemon takes up changes of its file: what it can at once, and it says what needs a restart.

Only the file that was found at the start is looked at; without one, `duly.toml` of the data directory, which is its
owner's. A fault in it is told, and everything goes on as before.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from duly.channels import INBOUND_KEYS
from duly.config.reading import FILE_NAME
from duly.config.settings import Settings
from duly.errors import DulyError, InvalidInputError, StoreError, UntrustedFileError
from duly.model.events import CONFIG_REFUSED, CONFIG_RELOADED, Event, EventKind
from duly.ports.channels import ProactiveDelivery
from duly.runtime.capabilities import Capabilities
from duly.runtime.runtime import Runtime

LOOK_EVERY = 1.0
_AT_START = {
    "data_dir": "data_dir",
    "store": "store",
    "timezone": "timezone",
    "cron_timezone": "cron_timezone",
    "public_url": "public_url",
    "host": "server.host",
    "port": "server.port",
    "limits": "server",
}
"""Settings that are read when the daemon starts, and their keys in the file."""
_NOT_SETTINGS = ("file", "text", "needs_trust", "untrusted")
_log = logging.getLogger("duly")

Reread = Callable[[Path], Settings]
"""The settings that hold with this file, read as at the start."""
_Stamp = tuple[int, int, int] | None


class Reloading:
    """Looks at one file."""

    def __init__(self, runtime: Runtime, reread: Reread, taken: Callable[[Path], None] = lambda _file: None) -> None:
        """`taken` is told of the file once it holds: at the start there may have been none."""
        self._runtime = runtime
        self._reread = reread
        self._taken = taken
        self.file = runtime.settings.file or runtime.settings.data_dir / FILE_NAME
        self._seen = _stamp(self.file)
        self._judged: _Stamp = None
        self._told_to_restart: set[str] = set()

    async def run(self) -> None:
        """Look again and again, for as long as this is not cancelled."""
        while True:
            await self._runtime.clock.sleep(LOOK_EVERY)
            try:
                await self.look()
            except StoreError:
                self._judged = None  # try again; the engine meets it too, and says so
            except Exception:
                _log.exception("taking up %s failed", self.file)

    async def look(self) -> None:
        """Take the file up if it has changed. One that is just being written is left alone until the next look."""
        seen, self._seen = self._seen, _stamp(self.file)
        if self._seen != seen or self._seen == self._judged:
            return
        self._judged = self._seen
        if self._seen is None and self._runtime.settings.file is None:
            return
        try:
            await self._take_up(self._reread(self.file))
        except UntrustedFileError as error:
            self._judged = None  # `duly trust` changes nothing about the file: look again each time
            await self._refuse(error)
        except InvalidInputError as error:
            await self._refuse(error)

    async def _refuse(self, error: DulyError) -> None:
        if str(error) != self._runtime.config_fault:
            self._runtime.config_fault = str(error)
            await self._tell(CONFIG_REFUSED, file=str(self.file), error=str(error))

    async def _take_up(self, wanted: Settings) -> None:
        settings, changed, restart = separate(self._runtime.settings, wanted)
        if changed:
            await take_up(self._runtime, settings)
        else:
            self._runtime.settings = settings  # other words for the same
        repaired = self._runtime.config_fault is not None
        self._runtime.config_fault = None
        self._taken(self.file)
        news = [key for key in restart if key not in self._told_to_restart]
        self._told_to_restart = set(restart)
        if changed or news or repaired:
            await self._tell(CONFIG_RELOADED, by="file", file=str(self.file), changed=changed, needs_restart=news)
        if news:
            _log.warning("needs a restart: %s", ", ".join(news))

    async def _tell(self, kind: EventKind, **data: Any) -> None:
        event = Event(kind, self._runtime.clock.now(), data=data)
        try:
            await self._runtime.store.record([event])
        except StoreError:  # then the log has it at least
            self._runtime.log(event)


async def take_up(runtime: Runtime, settings: Settings) -> None:
    """Let a runtime go on with other settings. What is wrong in them is refused, and then nothing has changed."""
    capabilities, channels = runtime.capabilities_of(settings), runtime.channels_of(settings)
    await capabilities.check_agents(runtime.prompts)
    await runtime.sync_with(settings, capabilities)  # checks all of it before anything is written
    _exchange(runtime, capabilities, channels)
    runtime.settings = settings
    runtime.quotas.rules = settings.quotas
    if "engine" in runtime.__dict__:
        runtime.engine.settings = runtime.engine_settings()
        runtime.prompts.set_places(settings.max_prompts, settings.owner_share)
    runtime.reviews.look_at_all_soon()
    runtime.wake()


def _exchange(runtime: Runtime, capabilities: Capabilities, channels: dict[str, ProactiveDelivery]) -> None:
    """Everything that was handed out stays the same object, and knows the new settings from now on."""
    jobs = runtime.capabilities.jobs
    jobs.take_up(capabilities.jobs)
    capabilities.jobs = jobs
    runtime.capabilities = capabilities
    runtime.prompts.rules = capabilities.rules
    runtime.retired += [each for name, each in runtime.channels.items() if channels.get(name) is not each]
    for known, now in ((runtime.channels, channels), (runtime.channel_names, dict.fromkeys(("inbox", *channels)))):
        known.clear()
        known.update(now)  # type: ignore[arg-type]  # each of them is of one kind


def separate(now: Settings, wanted: Settings) -> tuple[Settings, list[str], list[str]]:
    """What can be taken up at once: the settings for it, the keys that change, and those that need a restart."""
    held, restart = dict[str, Any](), list[str]()
    for name, key in _AT_START.items():
        if getattr(now, name) != getattr(wanted, name):
            held[name] = getattr(now, name)
            restart.append(key)
    channels = dict(wanted.channels)
    for name in INBOUND_KEYS:  # the ways in for answers are opened at the start
        if now.channels.get(name) != wanted.channels.get(name):
            restart.append(f"channels.{name}")
            channels.pop(name, None)
            channels |= {name: now.channels[name]} if name in now.channels else {}
    if _name(now) != _name(wanted):
        restart.append("butler.name" if now.butler and wanted.butler else "butler")
        held["butler"] = now.butler
    settings = replace(wanted, **held, channels=channels)
    names = (each.name for each in fields(Settings) if each.name not in _NOT_SETTINGS)
    return settings, [name for name in names if getattr(now, name) != getattr(settings, name)], restart


def _name(settings: Settings) -> str | None:
    """Of the butler: its schedules and its callers are at home under it."""
    return None if settings.butler is None else settings.butler.name


def _stamp(file: Path) -> _Stamp:
    try:
        found = file.stat()
    except OSError:
        return None
    return (found.st_mtime_ns, found.st_size, found.st_ino)
