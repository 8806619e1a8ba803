"""Configuration reload: a running process takes up changes of its file, and says which of them need a restart.

It watches only the file that was found at the start; without one, `duly.toml` of the data directory, which belongs to
the same user. If the file has a fault, the process reports it and keeps the settings it has.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from duly.channels.kinds import INBOUND_KEYS
from duly.config.reading import FILE_NAME
from duly.config.settings import Settings
from duly.errors import DulyError, InvalidInputError, StoreError, UntrustedFileError
from duly.model.events import CONFIG_REFUSED, CONFIG_RELOADED, Event, EventKind
from duly.ports.channels import ProactiveDelivery
from duly.runtime.capabilities import Capabilities, use_seal
from duly.runtime.runtime import Runtime
from duly.sealed import SOURCE

LOOK_EVERY = 1.0
_AT_START = {
    "data_dir": "data_dir",
    "store": "store",
    "store_direct": "store_direct",
    "timezone": "timezone",
    "cron_timezone": "cron_timezone",
    "public_url": "public_url",
    "host": "server.host",
    "port": "server.port",
    "limits": "server",
    "monitoring": "metrics, log, heartbeat or telemetry",
}
"""Settings that take effect only at a start, and their keys in the file."""
_NOT_SETTINGS = ("file", "text", "needs_trust", "sealed", "untrusted")
_log = logging.getLogger("duly")

Reread = Callable[[Path], Settings]
"""Reads a file as at the start, and gives its settings."""
_Stamp = tuple[tuple[int, int, int] | None, ...]


class ConfigReloader:
    """Watches one file and takes up its changes."""

    def __init__(self, runtime: Runtime, reread: Reread, taken: Callable[[Path], None] = lambda _file: None) -> None:
        """`taken` is called with the file whenever it was taken up: at the start there may have been none."""
        self._runtime = runtime
        self._reread = reread
        self._taken = taken
        self.file = runtime.settings.file or runtime.settings.data_dir / FILE_NAME
        self._seen = self._look()
        self._judged: _Stamp | None = None
        self._told_to_restart: set[str] = set()

    async def run(self) -> None:
        """Look every second, until cancelled."""
        while True:
            await self._runtime.clock.sleep(LOOK_EVERY)
            try:
                await self.look()
            except StoreError:
                self._judged = None  # try again; the engine meets the same error and logs it
            except Exception:
                _log.exception("taking up %s failed", self.file)

    async def look(self) -> None:
        """Take the file up if it has changed, and has stayed the same for one look: an editor may be writing it."""
        before = self._seen
        self._seen = self._look()
        if self._seen != before or self._seen == self._judged:
            return
        self._judged = self._seen
        if self._seen[0] is None and self._runtime.settings.file is None:
            return
        try:
            await self._take_up(self._reread(self.file))
        except UntrustedFileError as error:
            self._judged = None  # `duly trust` does not change the file: look again each time
            await self._refuse(error)
        except InvalidInputError as error:
            await self._refuse(error)

    def _look(self) -> _Stamp:
        """Look at the file, and at all files that were trusted with it."""
        trusted = self._runtime.settings.sealed
        return (_stamp(self.file), *map(_stamp, map(Path, () if trusted is None else trusted.digests)))

    async def _refuse(self, error: DulyError) -> None:
        if str(error) != self._runtime.config_fault:
            self._runtime.config_fault = str(error)
            await self._tell(CONFIG_REFUSED, file=str(self.file), error=str(error))

    async def _take_up(self, wanted: Settings) -> None:
        before = self._runtime.settings
        settings, changed, restart = separate(self._runtime.settings, wanted)
        if changed:
            await take_up(self._runtime, settings)
        else:
            use_seal(settings)
            self._runtime.settings = settings  # another text with the same meaning
        if _imported_anew(before, settings):
            restart.append("modules beside the file")
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
        except StoreError:  # the store would have passed it to the log
            self._runtime.log(event)


@asynccontextmanager
async def reloading(
    runtime: Runtime, reread: Reread | None, taken: Callable[[Path], None] = lambda _file: None
) -> AsyncIterator[None]:
    """Take up changes of the file during the block; none without `reread`."""
    if reread is None:
        yield
        return
    async with beside(ConfigReloader(runtime, reread, taken).run()):
        yield


@asynccontextmanager
async def beside(work: Coroutine[Any, Any, None]) -> AsyncIterator[None]:
    """Run a coroutine during the block, and cancel it at the end."""
    task = asyncio.create_task(work)
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def take_up(runtime: Runtime, settings: Settings) -> None:
    """Exchange the settings of a runtime. A fault in them raises before anything has changed."""
    capabilities = runtime.capabilities_of(settings)
    channels = runtime.channels_of(settings)
    await capabilities.check_agents(runtime.prompts)
    await capabilities.sync_butler(runtime.store, zone=runtime.zone)  # checks every entry before it writes the first
    _exchange(runtime, capabilities, channels)
    runtime.settings = settings
    runtime.services.quotas.rules = settings.quotas
    await runtime.services.quotas.warn_of_unknown_owners(settings.projects)
    if runtime.has_made("engine"):
        runtime.engine.settings = runtime.engine_settings()
        runtime.prompts.set_places(settings.max_prompts, settings.owner_share)
    runtime.reviews.look_at_all_soon()
    runtime.wake()


def _exchange(runtime: Runtime, capabilities: Capabilities, channels: dict[str, ProactiveDelivery]) -> None:
    """Update in place what other parts hold: jobs, connections to executors, prompt rules, channels and their names."""
    capabilities.executors.take_over(runtime.capabilities.executors)
    jobs = runtime.capabilities.jobs
    jobs.take_up(capabilities.jobs)
    capabilities.jobs = jobs
    runtime.capabilities = capabilities
    runtime.prompts.rules = capabilities.rules
    runtime.retired += [each for name, each in runtime.channels.items() if channels.get(name) is not each]
    runtime.channels.clear()
    runtime.channels.update(channels)
    runtime.channel_names.clear()
    runtime.channel_names.update(dict.fromkeys(("inbox", *channels)))


def separate(now: Settings, wanted: Settings) -> tuple[Settings, list[str], list[str]]:
    """Give the settings that can be taken up at once, the fields they change, and the keys that need a restart."""
    held = dict[str, Any]()
    restart = list[str]()
    for name, key in _AT_START.items():
        if getattr(now, name) != getattr(wanted, name):
            held[name] = getattr(now, name)
            restart.append(key)
    channels = dict(wanted.channels)
    for name in INBOUND_KEYS:  # the routes for answers are made at the start
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
    """Give the name of the butler: it is the namespace of its schedules and of local callers."""
    return None if settings.butler is None else settings.butler.name


def _imported_anew(before: Settings, now: Settings) -> bool:
    """Whether Python files that were trusted with the file are others now: what is imported stays as it was."""
    seals = [() if each.sealed is None else each.sealed.digests.items() for each in (before, now)]
    old, new = ({path: digest for path, digest in seal if path.endswith(SOURCE)} for seal in seals)
    return bool(old) and old != new


def _stamp(file: Path) -> tuple[int, int, int] | None:
    try:
        found = file.stat()
    except OSError:
        return None
    return (found.st_mtime_ns, found.st_size, found.st_ino)
