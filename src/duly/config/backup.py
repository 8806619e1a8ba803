"""Backups that duly makes by itself: `[backup]` of `duly.toml`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from duly.config_section import ConfigSection, matches

_TIME = re.compile(r"([01]?\d|2[0-3]):[0-5]\d")


@dataclass(frozen=True, slots=True, kw_only=True)
class BackupSettings:
    """Where backups go, when they are made, and how many stay."""

    folder: Path
    at: str = "03:30"
    """The time of day, in the zone of duly."""
    keep: int = 7


def read_backup(document: ConfigSection, base: Path) -> BackupSettings | None:
    """Read `[backup]`; None where there is none."""
    if "backup" not in document.values:
        return None
    section = document.table("backup")
    settings = BackupSettings(
        folder=base / Path(section.text("folder")).expanduser(),
        at=section.checked("at", 'a time of day such as "03:30"', lambda value: matches(_TIME.pattern, value), "03:30"),
        keep=section.whole("keep", 7, low=1, high=1000),
    )
    section.finish()
    return settings
