"""The jobs, executors, spawners, projects and gates that a process can use.

A name that the settings do not have is refused. Code, folders and programs that are missing at the moment are not: the
schedules that need them rest until they are back.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from duly.agents import PRESETS, Projects, PromptDispatcher, PromptRules, profile_from
from duly.agents.budget import no_quota
from duly.agents.dispatcher import admit_all
from duly.agents.elsewhere import TASK, HandsOver
from duly.agents.execution import Emit
from duly.agents.folders import agents_folder
from duly.agents.programs import program_job
from duly.clock import Clock
from duly.config.reading import telling_lines
from duly.config.settings import Settings
from duly.engine.settings import EngineSettings
from duly.errors import ConfigError, InvalidInputError, NotFoundError
from duly.jobs.dispatcher import JobRegistry
from duly.jobs.functions import Stamp, forget_folder, load_again, load_function, stamp_of
from duly.model.action import Action, Job, Prompt
from duly.outbound.secrets import resolve
from duly.ports.executor_settings import ExecutorKind, ExecutorSettings
from duly.ports.store import FullStore
from duly.runtime.executors import ConfiguredExecutors
from duly.runtime.own_address import own_address
from duly.sealed import seal, unseal
from duly.service.access.grants import DEFAULT_SPAWNER, EVERY, Configured, GrantKind, grant, split
from duly.stores import is_server

if TYPE_CHECKING:
    from duly.service.access.quotas import QuotaKeeper
    from duly.service.schedules.sync import Sync, SyncReport

_log = logging.getLogger("duly")


class Capabilities:
    """The jobs, executors, spawners, projects and gates of one set of settings."""

    def __init__(
        self, settings: Settings, clock: Clock, environment: Mapping[str, str], port: int | None = None
    ) -> None:
        """Raise for a fault in the settings. A job that cannot be loaded is noted, and loaded later.

        `port` is the one on which this process listens, where it is known.
        """
        use_seal(settings)  # before the first module is imported
        self._clock = clock
        self.jobs = JobRegistry(clock)
        self.rules = rules_of(settings, environment)
        self.executors = ConfiguredExecutors(
            settings.executors,
            lambda where: lambda text: resolve(text, environment, where, settings.folder),
            callback=own_address(settings, port),
        )
        _check_listed(settings, self.rules)
        _check_handing(self.rules.handing(), settings.executors)
        self.configured = Configured(
            default_spawner=self.rules.profile(DEFAULT_SPAWNER).name,
            spawners=settings.project_spawners,
            gates=settings.project_gates,
            executors=settings.project_executors,
            handing=self.rules.handing(),
        )
        """The spawners, gates and executors that the settings give to the tokens of projects."""
        self._settings = settings
        self._places: dict[str, str | tuple[str, ...]] = {**settings.jobs, **settings.programs}
        self._environment = environment
        self._folder = settings.folder
        self._unloaded: dict[str, tuple[str, Stamp]] = {}
        """Jobs that could not be loaded: the reason, and the state of the file at that try."""
        self._served = frozenset[str]()
        self.present = frozenset[str]()
        """The spawners, projects and gates that were here at the last look; the node announces them to the others."""
        for name, place in self._places.items():
            self._load(name, place, first=True)

    def _load(self, name: str, place: str | tuple[str, ...], *, first: bool) -> None:
        _, stamp = self._unloaded.get(name, ("", None))
        try:
            if isinstance(place, tuple):
                folder = self._folder or Path.cwd()
                function = program_job(name, place, folder, self._environment, self._clock)
            else:
                function = load_function(place, self._folder) if first else load_again(place, stamp, self._folder)
            self.jobs.register(function, name)
        except InvalidInputError as error:
            self._unloaded[name] = (f"jobs.{name}: {error}", None if isinstance(place, tuple) else stamp_of(place))
        else:
            self._unloaded.pop(name, None)

    def look_again(self) -> tuple[bool, bool]:
        """Load missing jobs and look what is here. Gives whether that changed, and whether something went missing."""
        for name in list(self._unloaded):
            self._load(name, self._places[name], first=False)
        before = {*self._served, *self.present}
        self._served = frozenset([*self.jobs.serves(), *(each.handler for each in self.executors.settings.values())])
        self.present = self.rules.capabilities()
        after = {*self._served, *self.present}
        return after != before, not before <= after

    def close(self) -> None:
        """Close the jobs and the connections to executors, and remove the folder of the jobs from the module path."""
        self.jobs.close()
        self.executors.close()
        if self._folder is not None:
            forget_folder(self._folder)
            unseal(self._folder)

    async def sync_butler(self, store: FullStore, *, zone: str, dry_run: bool = False) -> SyncReport | None:
        """Make the butler's schedules in the store equal to those of the file; None without a butler."""
        butler = self._settings.butler
        if butler is None:
            return None
        with telling_lines(self._settings):
            return await self.sync(store, zone).sync_schedules(
                butler.namespace, butler.schedules, spawner=butler.spawner, dry_run=dry_run
            )

    def sync(self, store: FullStore, zone: str) -> Sync:
        """Make what brings the entries of a file, or of another scheduler, into a store."""
        from duly.service.schedules.sync import Sync  # late: short commands do not sync
        from duly.service.schedules.times import ZoneRule

        zones = ZoneRule(store.people, zone, self._settings.cron_timezone)
        return Sync(store, self._clock, zones, self.check_known_job, self.check_known)

    # schedules of other schedulers

    def job_named(self, words: tuple[str, ...]) -> str | None:
        """Give the job of the settings that starts a program with these arguments."""
        found = (name for name, listed in self._settings.programs.items() if _is_same_command(listed, words))
        return next(found, None)

    def job_at(self, place: str) -> str | None:
        """Give the job of the settings that is `module:function`."""
        return next((name for name, known in self._settings.jobs.items() if known == place), None)

    # rights

    def check_grants(self, grants: Collection[str]) -> None:
        """Refuse grants that name nothing in the settings, and `prompts:default`, whose meaning can change."""
        check_grants(self.rules, self.executors.settings, grants)
        default = self.configured.default_spawner
        if default != DEFAULT_SPAWNER and f"{GrantKind.PROMPTS}:{DEFAULT_SPAWNER}" in grants:
            raise InvalidInputError(
                f"grant prompts:{DEFAULT_SPAWNER} names no spawner: the default is {default} at present, write "
                f"prompts:{default}"
            )

    # agents

    def make_prompts(
        self,
        store: FullStore,
        clock: Clock,
        emit: Emit,
        quotas: QuotaKeeper | None = None,
        hands_over: HandsOver | None = None,
    ) -> PromptDispatcher:
        """Make the dispatcher of prompts; without quotas, none hold."""
        return PromptDispatcher(
            store.targets,
            clock,
            self.rules,
            hidden=hidden_from_agents(self._settings, store.url),
            emit=emit,
            processes=self._settings.max_prompts,
            owner_share=self._settings.owner_share,
            budget_of=no_quota if quotas is None else quotas.budget_of,
            history=store.history,
            data_dir=self._settings.data_dir,
            hands_over=hands_over,
            admit=admit_all if quotas is None else quotas.admit,
        )

    async def check_agents(self, prompts: PromptDispatcher) -> None:
        """Raise if this machine cannot confine agents as the settings say; warn of projects that contain our data."""
        if self.rules.confined():
            with telling_lines(self._settings):
                await asyncio.to_thread(prompts.check_confinement, self.rules)  # starts programs
        for line in self.rules.projects.exposing(self._settings.data_dir):
            _log.warning("%s", line)

    # before something is stored

    def check_job(self, job: Job, retries: bool = False) -> None:
        """Refuse a job that is unknown, cannot be loaded, or does not take its arguments."""
        if job.executor is not None:
            self.executors.check(job, retries=retries)
            return
        if job.name in self._unloaded:
            raise NotFoundError(self._unloaded[job.name][0])
        self.jobs.get(job.name).check(job.args)

    def check_known_job(self, job: Job, retries: bool = False) -> None:
        """Refuse as `check_job`, except for a job that the settings name and that cannot be loaded at the moment."""
        if job.executor is not None or job.name not in self._unloaded:
            self.check_job(job, retries)

    def check(self, action: Action, retries: bool = False) -> None:
        """Refuse an action that cannot be carried out now, or that both duly and an executor would try again."""
        if isinstance(action, Job):
            self.check_job(action, retries)
        elif isinstance(action, Prompt):
            self.rules.check(action)
            self.rules.find(action)
            self._check_handed(action)

    def check_known(self, action: Action, retries: bool = False) -> None:
        """Refuse an action whose names the settings do not have. If something is missing now, its schedule rests."""
        if isinstance(action, Job):
            self.check_known_job(action, retries)
        elif isinstance(action, Prompt):
            self.rules.check(action)
            self._check_handed(action)

    def _check_handed(self, prompt: Prompt) -> None:
        if (job := self.rules.handed(prompt)) is not None:
            self.executors.check(job)

    # while it is planned

    def missing(self, action: Action) -> str | None:
        """Give the reason why an action cannot be carried out now; None when it can."""
        try:
            if isinstance(action, Job) and action.executor is not None:
                self.executors.check_known(action)  # its app need not be here
            elif isinstance(action, Job):
                self.check_job(action)
            else:
                self.check_known(action)
        except (InvalidInputError, NotFoundError) as error:
            return str(error)
        return self.rules.missing(action) if isinstance(action, Prompt) else None

    def needs(self, action: Action) -> frozenset[str]:
        """Give the handlers and capabilities that a node must have for an action."""
        return self.rules.needs(action) if isinstance(action, Prompt) else frozenset([action.handler])


def _is_same_command(listed: tuple[str, ...], words: tuple[str, ...]) -> bool:
    """Compare commands; a relative program of the settings was written in full when they were read."""
    return listed == words or (
        listed[1:] == words[1:] and "/" in words[0] and listed[0].endswith(words[0].lstrip("./"))
    )


def use_seal(settings: Settings) -> None:
    """Import and start from the folder of a file only what was trusted with it; all of it where no trust is needed."""
    if settings.file is not None and settings.sealed is not None:
        seal(settings.file.parent, settings.sealed)
    elif settings.file is not None:
        unseal(settings.file.parent)


def engine_settings(settings: Settings, *, threads: bool) -> EngineSettings:
    """Give the engine's part of the settings."""
    return EngineSettings(
        max_concurrency=settings.max_concurrency,
        max_prompts=settings.max_prompts,
        max_messages=settings.max_messages,
        owner_share=settings.owner_share,
        retention=timedelta(days=settings.retention_days),
        audit_retention=timedelta(days=settings.audit_retention_days),
        threads=threads,
    )


def check_served(action: Action, served: Collection[str] | None) -> None:
    """Refuse an action that this process could carry out, but the running daemon cannot. None: there is no daemon."""
    if served is not None and action.handler not in served:
        what = action.handler.replace(":", " ", 1)
        raise NotFoundError(
            f"{what} is known here, but not to the running daemon: its log says what it could not load. It takes "
            f"up changes of duly.toml within seconds; other code needs a restart"
        )


def rules_of(settings: Settings, environment: Mapping[str, str]) -> PromptRules:
    """Make the rules of prompts of some settings."""
    profiles = {name: profile_from(name, table, PRESETS, settings.folder) for name, table in settings.spawners.items()}
    butler = None if settings.butler is None else settings.butler.spawner
    return PromptRules(
        list({**PRESETS, **profiles}.values()),
        default=settings.default_spawner or butler or "claude",
        projects=Projects(settings.projects),
        gates=settings.gates,
        environ=environment,
        state_dir=agents_folder(settings.data_dir),
    )


def _check_handing(handing: Mapping[str, str], executors: Mapping[str, ExecutorSettings]) -> None:
    """Refuse spawners whose executor is none that could carry prompts out."""
    for spawner, name in handing.items():
        key = f"spawners.{spawner}.executor"
        found = executors.get(name)
        if found is None:
            known = ", ".join(sorted(executors)) or "none"
            raise ConfigError(key, f"names the unknown executor {name!r}: configured are {known}")
        if found.kind is not ExecutorKind.CELERY:
            raise ConfigError(
                key, f"must be of kind 'celery', and {name!r} is of kind '{found.kind}': see docs/spawners.md"
            )
        if not found.reports:
            raise ConfigError(
                key, f"{name!r} has reports = false, so that an agent could be started twice: install duly.celery"
            )
        if not found.allows(TASK):
            raise ConfigError(key, f'{name!r} may not run {TASK}: add "{TASK}" to tasks of [executors.{name}]')


_GRANTS = {"spawners": GrantKind.PROMPTS, "gates": GrantKind.GATES, "executors": GrantKind.EXECUTORS}


def _check_listed(settings: Settings, rules: PromptRules) -> None:
    """Refuse what projects list and the settings do not have."""
    for key, kind in _GRANTS.items():
        for project, names in getattr(settings, f"project_{key}").items():
            with _naming(f"projects.{project}.{key}"):
                check_grants(rules, settings.executors, [grant(kind, name) for name in names])


@contextmanager
def _naming(key: str) -> Iterator[None]:
    try:
        yield
    except InvalidInputError as error:
        raise ConfigError(key, str(error)) from error


def check_grants(rules: PromptRules, executors: Collection[str], grants: Iterable[str]) -> None:
    """Refuse grants that name nothing of the settings: they would be spelling mistakes."""
    for kind, name in map(split, grants):
        if kind is GrantKind.PROMPTS and name != EVERY:
            rules.profile(name)
        elif kind is GrantKind.GATES and name not in rules.gates:
            known = ", ".join(sorted(rules.gates)) or "none"
            raise InvalidInputError(f"unknown gate {name!r}: configured are {known}")
        elif kind is GrantKind.PROJECTS and name not in rules.projects:
            known = ", ".join(sorted(rules.projects)) or "none"
            raise InvalidInputError(f"unknown project {name!r}: configured are {known}")
        elif kind is GrantKind.EXECUTORS and name not in executors:
            known = ", ".join(sorted(executors)) or "none"
            raise InvalidInputError(f"unknown executor {name!r}: configured are {known}")


def hidden_from_agents(settings: Settings, store: str) -> list[Path]:
    """List what agents in a sandbox must not see: the data directory, the store and the configuration file."""
    files = [] if is_server(store) else [Path(f"{store}{end}") for end in ("", "-wal", "-shm")]
    return [settings.data_dir, *files, *([] if settings.file is None else [settings.file])]
