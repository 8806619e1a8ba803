"""The store that the settings name, and what makes backups of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from duly.clock import Clock, SystemClock
from duly.config.reading import telling_lines
from duly.errors import ConfigError, InvalidInputError
from duly.outbound.secrets import resolve
from duly.stores import open_store

if TYPE_CHECKING:
    from duly.config.settings import Settings
    from duly.ports.store import FullStore
    from duly.runtime.runtime import Runtime
    from duly.service.backups import Backups


def make_store(settings: Settings, clock: Clock, environment: Mapping[str, str]) -> FullStore:
    """Make the store, not open; a fault is shown with the line of the setting."""
    with telling_lines(settings):
        url = resolve(settings.store, environment, "store", settings.folder)
        second = settings.store_direct
        direct = None if second is None else resolve(second, environment, "store_direct", settings.folder)
        try:
            return open_store(url, clock, direct=direct, inline=not isinstance(clock, SystemClock))
        except (ImportError, InvalidInputError) as error:  # the PostgreSQL driver is an optional dependency
            raise ConfigError("store", str(error)) from error


def make_backups(runtime: Runtime) -> Backups:
    """Make what makes backups: past a pooler where an address is given, because each is one long transaction."""
    from duly.service.backups import Backups

    return Backups(
        lambda: runtime.resolver("store")(runtime.settings.store_direct or runtime.settings.store),
        lambda: runtime.settings,
        runtime.clock,
        runtime.tell,
    )
