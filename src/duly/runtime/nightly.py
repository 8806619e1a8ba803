"""The backups that a daemon makes by itself: one after each time of `[backup]` at which there is none yet.

What counts is what lies in the folder. So a daemon that was down at that time makes the backup when it is up again, and
one that could not make it tries again, also after a restart.
"""

from __future__ import annotations

import logging
from datetime import timedelta
from typing import TYPE_CHECKING

from duly.cron import Cron
from duly.errors import DulyError
from duly.service.backups import newest_in

if TYPE_CHECKING:
    from datetime import datetime

    from duly.config.backup import BackupSettings
    from duly.runtime.runtime import Runtime

LOOK_EVERY = 30.0
AGAIN_AFTER = timedelta(hours=1)
_log = logging.getLogger("duly")


async def back_up_nightly(runtime: Runtime) -> None:
    """Make backups when they are due, until cancelled."""
    nightly = NightlyBackup(runtime)
    while True:
        try:
            await nightly.look()
        except Exception:
            _log.exception("looking after the backups failed")
        await runtime.clock.sleep(LOOK_EVERY)


class NightlyBackup:
    """Looks whether a backup is due, and makes it."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._failed_at: datetime | None = None
        self._wanted: BackupSettings | None = None

    async def look(self) -> None:
        """Make a backup if none was begun since the last time for one."""
        now = self._runtime.clock.now()
        wanted = self._runtime.settings.backup
        backups = self._runtime.backups
        if wanted != self._wanted:  # the cure of a failure may be another folder
            self._wanted = wanted
            self._failed_at = None
        if wanted is None:
            backups.fault = None
            return
        newest = newest_in(wanted.folder)
        if newest is not None and newest >= _last_time(wanted, self._runtime.zone, now):
            self._failed_at = backups.fault = None
            return
        if self._failed_at is not None and abs(now - self._failed_at) < AGAIN_AFTER:
            return
        try:
            await backups.make_in_folder(wanted)
        except DulyError:  # it is an event, and red
            self._failed_at = now


def _last_time(wanted: BackupSettings, zone: str, now: datetime) -> datetime:
    hour, minute = wanted.at.split(":")
    return Cron(f"{int(minute)} {int(hour)} * * *", tz=zone).prev(now + timedelta(seconds=1))
