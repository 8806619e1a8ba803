"""The executors of one set of settings: which jobs they may get, and the connections to them, made late."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING

from duly.errors import ConfigError, InvalidInputError, NotFoundError, StoreError
from duly.model.checks import suggestion
from duly.ports.executor_settings import ExecutorKind, ExecutorSettings

if TYPE_CHECKING:
    from duly.model.action import Job
    from duly.ports.executors import Executor
    from duly.runtime.runtime import Runtime
    from duly.service.executors.judging import Look

LOOK_EVERY = 60.0
_SOON = 1.0
_log = logging.getLogger("duly")
ResolverOf = Callable[[str], Callable[[str], str]]
"""Gives, for a section of the settings, the function that resolves the secrets it names."""
CLASSES = {
    ExecutorKind.CELERY: ("duly.executors.celery", "CeleryExecutor"),
    ExecutorKind.HTTP: ("duly.executors.http", "HttpExecutor"),
}
"""Where the class of each kind is: imported only for an executor of that kind."""


class ConfiguredExecutors:
    """The executors that the settings name."""

    def __init__(
        self, settings: Mapping[str, ExecutorSettings], resolver: ResolverOf, *, callback: str | None = None
    ) -> None:
        """`callback` is the address of this daemon, for executors that name none."""
        self.settings = {
            name: each if each.callback is not None else replace(each, callback=callback)
            for name, each in settings.items()
        }
        self._resolver = resolver
        self.looks: dict[str, Look] = {}
        """How each was at the last look."""
        self._made: dict[str, Executor] = {}
        self._retired: list[Executor] = []

    def __contains__(self, name: object) -> bool:
        return name in self.settings

    def __iter__(self) -> Iterator[str]:
        return iter(self.settings)

    def get(self, name: str) -> Executor:
        """Give an executor by its name, made when it is first asked for."""
        settings = self._known(name)
        if name not in self._made:
            self._made[name] = _make(settings, self._resolver(f"executors.{name}"))
        return self._made[name]

    def check_known(self, job: Job) -> None:
        """Refuse a job whose executor the settings do not name, or whose task they do not allow."""
        settings = self._known(job.executor or "")
        if not settings.allows(job.name):
            raise InvalidInputError(
                f"task {job.name!r} is not allowed for executor {settings.name!r}: it takes "
                f"{', '.join(settings.tasks)}; add it to tasks of [executors.{settings.name}] in duly.toml"
            )

    def check(self, job: Job, *, retries: bool = False) -> None:
        """Refuse also what the executor could not carry out, as far as that can be known here.

        `retries` says that duly tries its runs again.
        """
        self.check_known(job)
        # A command may not have the secrets that the daemon has, whose health says what it lacks.
        with suppress(ConfigError):
            executor = self.get(job.executor or "")
            executor.check(job.name, job.args, job.positional, job.queue, retries=retries)

    def take_over(self, before: ConfiguredExecutors) -> None:
        """Keep the connections of earlier settings, where their section did not change; the others close at the end."""
        self.looks = {
            name: look for name, look in before.looks.items() if self.settings.get(name) == before.settings[name]
        }
        for name, each in before._made.items():
            if self.settings.get(name) == before.settings[name] and name not in self._made:
                self._made[name] = each
            elif self._made.get(name) is not each:
                self._retired.append(each)
        self._retired += before._retired
        before._made = {}
        before._retired = []

    def close(self) -> None:
        """Close every connection."""
        for each in (*self._made.values(), *self._retired):
            each.close()
        self._made = {}
        self._retired = []

    def _known(self, name: str) -> ExecutorSettings:
        if name not in self.settings:
            known = f"configured are {', '.join(self.settings)}" if self.settings else "none is configured"
            raise NotFoundError(
                " ".join(
                    filter(
                        None,
                        (
                            f"unknown executor {name!r}: {known}.",
                            suggestion(name, self.settings),
                            f"Say in duly.toml what it is: [executors.{name}]",
                        ),
                    )
                )
            )
        return self.settings[name]


async def look_at_executors(runtime: Runtime) -> None:
    """Look at every executor now and then while the engine of this process runs, so that health knows how they are."""
    from duly.service.executors.executors import ExecutorUseCases

    looking = ExecutorUseCases(runtime)
    while True:
        runs = runtime.has_made("engine") and runtime.engine.running
        try:
            if runs and runtime.settings.executors:
                await looking.look()
        except StoreError:
            pass  # the engine meets the same error and logs it
        except Exception:
            _log.exception("looking at the executors failed")
        await runtime.clock.sleep(LOOK_EVERY if runs else _SOON)


def _make(settings: ExecutorSettings, resolve: Callable[[str], str]) -> Executor:
    place, name = CLASSES[settings.kind]
    try:
        made: Executor = getattr(import_module(place), name)(settings, resolve)
    except ImportError as error:
        raise ConfigError(
            f"executors.{settings.name}.kind",
            f"{str(settings.kind)!r} needs what is not installed: pip install 'duly[{settings.kind}]' ({error})",
        ) from error
    return made
