"""In place of Celery's beat: `celery -A proj beat -S duly.celery:Scheduler`.

The process that was beat is a daemon of duly from then on, with its store, its dashboard and its API. The entries of
`beat_schedule` are schedules in the namespace `celery-beat`, and the workers of the application carry them out. What
the application has changed in the meantime is taken up at the next start.
"""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from celery.beat import Scheduler

from duly.config.reading import load
from duly.errors import ConfigError, DulyError
from duly.ports.executor_settings import ExecutorKind, ExecutorSettings
from duly.service.foreign.celery_beat import read_app

if TYPE_CHECKING:
    from celery import Celery

    from duly.config.settings import Settings
    from duly.runtime.runtime import Runtime

NAMESPACE = "celery-beat"
EXECUTOR = "celery"
"""The executor of the application, where duly.toml names none for it."""
_STAND_BY = 5.0
"""Seconds between two looks whether the beat that uses the same data directory has ended."""
_log = logging.getLogger("duly")


class DulyScheduler(Scheduler):  # type: ignore[misc]  # Celery has no types
    """Celery's beat asks it when to tick; it serves instead, until the process is asked to stop."""

    def setup_schedule(self) -> None:
        """Read the entries: what is wrong with them is said before anything starts."""
        self.install_default_entries(self.app.conf.beat_schedule)
        _ = self.settings

    @cached_property
    def settings(self) -> Settings:
        """The settings of duly for the application."""
        return settings_for(self.app)

    def update_from_dict(self, entries: Mapping[str, Any]) -> None:
        """Keep what Celery adds by itself, such as the cleaning of the result backend."""
        self.app.conf.beat_schedule = {**entries, **(self.app.conf.beat_schedule or {})}

    def tick(self, *_args: Any, **_more: Any) -> float:
        """Serve until the process is asked to stop."""
        try:
            asyncio.run(self._serve())
        except DulyError as error:
            _log.critical("%s", error)
            raise SystemExit(1) from error
        raise SystemExit(0)

    async def _serve(self) -> None:
        from duly.server.daemon import serve

        while (fault := _used_by_another(self.settings)) is not None:
            _log.warning("this beat stands by, and takes over when the other one ends: %s", fault)
            await asyncio.sleep(_STAND_BY)
        await serve(
            self.settings,
            auth=True,
            say=lambda line: _log.info("%s", line),
            says_link=False,
            prepare=lambda runtime: take_over(runtime, self.app),
        )

    def sync(self) -> None:
        """Nothing is kept beside duly's store."""

    def close(self) -> None:
        """Nothing is open beside the daemon, which has ended."""

    @property
    def info(self) -> str:
        """What beat prints when it starts."""
        return f"    . duly -> {self.settings.store}"


def _used_by_another(settings: Settings) -> str | None:
    """Say which daemon uses the data directory; None when none does."""
    from duly.runtime.daemon_lock import DaemonLock

    try:
        DaemonLock(settings.data_dir).refuse_second()
    except ConfigError as error:
        return str(error)
    return None


def settings_for(app: Celery) -> Settings:
    """Give the settings of duly for an application: those of duly.toml, with an executor for its workers."""
    settings = load(os.environ)
    if any(each.kind is ExecutorKind.CELERY for each in settings.executors.values()):
        return settings
    tasks = sorted({str(entry["task"]) for entry in (app.conf.beat_schedule or {}).values() if "task" in entry})
    executor = ExecutorSettings(
        name=EXECUTOR,
        kind=ExecutorKind.CELERY,
        folder=Path.cwd(),
        app=place_of(app),
        tasks=tuple(tasks) or ("*",),
    )
    return replace(settings, executors={**settings.executors, EXECUTOR: executor})


def place_of(app: Celery) -> str:
    """Give `module:name` of an application that was imported."""
    real = app._get_current_object() if hasattr(app, "_get_current_object") else app  # noqa: SLF001  how a proxy tells
    for module_name, module in list(sys.modules.items()):
        if module_name.partition(".")[0] in ("celery", "duly", "__main__"):
            continue
        for name, value in vars(module).items() if hasattr(module, "__dict__") else ():
            if value is app or value is real:
                return f"{module_name}:{name}"
    raise ConfigError(
        "executors", f"the Celery app {app.main!r} is in no module: name it in duly.toml, [executors.celery] with app"
    )


async def take_over(runtime: Runtime, app: Celery) -> None:
    """Make the schedules of the namespace equal to the entries of the application; tell what cannot be carried over."""
    executor = next(name for name, each in runtime.settings.executors.items() if each.kind is ExecutorKind.CELERY)
    entries = read_app(app, executor)
    forms = [{"name": each.name, "when": each.trigger, **each.fields} for each in entries if each.trigger is not None]
    refused: dict[int, Any] = {}
    sync = runtime.capabilities.sync(runtime.store, runtime.zone)
    report = await sync.sync_schedules(NAMESPACE, forms, refused=refused)
    reasons = {str(forms[number]["name"]): error.reason for number, error in refused.items()}
    reasons |= {each.name: each.refusal for each in entries if each.refusal is not None}
    for name, reason in reasons.items():
        _tell(runtime, f"the entry {name!r} of beat_schedule is not carried out: {reason}")
    for each in entries:
        for loss in each.losses:
            _log.warning("the entry %r of beat_schedule loses %s", each.name, loss)
    _log.info(
        "beat_schedule: %d entries, %d new, %d changed, %d gone",
        len(entries),
        len(report.created),
        len(report.updated) + len(report.taken_over) + len(report.enabled),
        len(report.disabled),
    )


def _tell(runtime: Runtime, text: str) -> None:
    _log.error("%s", text)
    runtime.notes.append(text)
