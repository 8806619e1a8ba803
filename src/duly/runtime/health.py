"""The health of a process: what its engine says, and what is wrong with how the process is set up."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from duly.engine.health import Light
from duly.errors import StoreError
from duly.runtime.secret_files import blame_open_folder
from duly.service.schedules.attention import health_of_store

if TYPE_CHECKING:
    from duly.engine.health import Health
    from duly.runtime.runtime import Runtime


async def judge_health(runtime: Runtime) -> Health:
    """Judge the health: by the engine of the process; without one, by the store alone."""
    judged = await (runtime.engine.health() if runtime.has_made("engine") else health_of_store(runtime))
    if runtime.config_fault is not None:
        refused = "a change of duly.toml was refused"
        judged.blame(Light.YELLOW, refused, f"{refused}: {runtime.config_fault}", for_admins=True)
    for note in runtime.notes:
        judged.blame(Light.YELLOW, "a setting needs a look", note, for_admins=True)
    for fault in runtime.store.faults:
        judged.blame(Light.YELLOW, "the second address of the store needs a look", fault, for_admins=True)
    await _blame_emptied_audit(runtime, judged)
    await _blame_executors(runtime, judged)
    blame_open_folder(judged, runtime.settings.data_dir)
    if runtime.has_made("backups") and (cause := runtime.backups.fault) is not None:
        failed = "the last backup failed"
        judged.blame(Light.RED, failed, f"{failed}: {cause}. It is tried again every hour", for_admins=True)
    return judged


async def _blame_executors(runtime: Runtime, judged: Health) -> None:
    """Warn of executors that need a look: by the last looks of this process, and by what waits in the store."""
    if not runtime.settings.executors or judged.overview is None or not runtime.has_made("capabilities"):
        return  # a command that only shows imports no modules of the user; the daemon says it
    with suppress(StoreError):  # a store that is away is red already
        for fault in await runtime.services.executors.faults():
            reason = fault.said if fault.cure is None else f"{fault.said}. {fault.cure[:1].upper()}{fault.cure[1:]}"
            judged.blame(Light.YELLOW, "an executor needs a look", reason, for_admins=True)


async def _blame_emptied_audit(runtime: Runtime, judged: Health) -> None:
    """Warn when the audit says nothing of schedules that are there: making one is always an entry."""
    if judged.overview is None or not judged.overview.schedules:
        return
    with suppress(StoreError):  # a store that is away is red already
        if await runtime.store.audit.is_cut_short():
            emptied = "entries of the audit are missing"
            judged.blame(
                Light.YELLOW,
                emptied,
                f"{emptied}: they were removed by hand, not by pruning. duly audit --verify says from where on it is "
                f"whole; a copy of the store has the rest",
                for_admins=True,
            )
