"""The sections of `duly.toml` as settings. Every fault names the key, the value and what to write instead."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from duly.config.backup import read_backup
from duly.config.executors import read_executors
from duly.config.monitoring import read_monitoring
from duly.config.notify import read_notify
from duly.config.settings import DEFAULT_HOST, DEFAULT_PORT, Butler, ServerLimits, Settings
from duly.config_section import ConfigSection, is_number, located_command, matches
from duly.errors import InvalidInputError, UnknownTimezoneError
from duly.outbound.secrets import is_reference
from duly.planning.presets import read_presets, written_presets
from duly.planning.quotas import Quota, Quotas
from duly.planning.reach import read_digest_time
from duly.zones import Zone

_PROJECT = re.compile(r"[\w.@+-]{1,100}")

ENGINE = {
    "max_concurrency": (1, 10_000),
    "max_prompts": (1, 10_000),
    "max_messages": (1, 10_000),
    "retention_days": (1, 36_500),
    "audit_retention_days": (1, 36_500),
}
"""Whole numbers of `[engine]`: smallest and largest value. Their defaults are those of `Settings`."""

LIMITS = {
    "head_timeout": ("head_timeout", 1, 3600),
    "body_timeout": ("body_timeout", 1, 3600),
    "max_connections": ("connections", 10, 100_000),
    "max_strangers": ("strangers", 1, 100_000),
    "max_connections_per_token": ("connections_per_token", 1, 100_000),
    "max_sockets_per_token": ("sockets_per_token", 0, 100_000),
    "max_streams": ("streams", 0, 100_000),
    "max_streams_per_token": ("streams_per_token", 0, 100_000),
    "max_sessions": ("sessions", 1, 100_000),
    "max_sessions_per_token": ("sessions_per_token", 1, 100_000),
    "session_idle_timeout": ("session_idle_timeout", 10, 86_400),
    "requests_per_minute": ("requests_per_minute", 1, 10_000_000),
}
"""Limits of the HTTP server by key of `[server]`: field, smallest and largest value."""
_OWNER = re.compile(r"(?:user|project):[\w.@+-]{1,100}")
_LARGEST_QUOTA = 1_000_000_000
_QUOTA_NAMES = ("schedules", "min_interval", "size", "runs_per_day", "wakes_per_day", "cost_per_day")
_NO_LIMIT = ", or false for no limit"


def read_settings(document: ConfigSection, file: Path | None, base: Path, directory: Path) -> Settings:
    """Read the whole file. `base` is where its paths start from, `directory` the data directory."""
    server = document.table("server")
    settings = Settings(
        file=file,
        data_dir=directory,
        store=_store(document, base, directory),
        store_direct=document.optional_text("store_direct"),
        host=server.text("host", DEFAULT_HOST),
        port=server.whole("port", DEFAULT_PORT, low=0, high=65_535),
        limits=_limits(server),
        timezone=_zone(document, "timezone"),
        cron_timezone=_zone(document, "cron_timezone"),
        public_url=document.optional_text("public_url"),
        **_reminders(document.table("reminders")),
        **_engine(document.table("engine")),
        **_projects(document, base),
        spawners={name: each.values for name, each in document.tables("spawners").items()},
        default_spawner=document.optional_text("default_spawner"),
        gates=_gates(document.table("gates"), base),
        **_jobs(document.table("jobs"), base),
        executors=read_executors(document, None if file is None else file.parent),
        channels={name: each.values for name, each in document.tables("channels").items()},
        quotas=_quotas(document.table("quotas")),
        notify=read_notify(document),
        butler=_butler(document.table("butler")) if "butler" in document.values else None,
        monitoring=read_monitoring(document),
        backup=read_backup(document, base),
    )
    document.finish(also=("butler", "data_dir", "backup"))
    return settings


def _engine(engine: ConfigSection) -> dict[str, Any]:
    """Read the settings of `[engine]` that are there."""
    chosen: dict[str, Any] = {
        key: engine.whole(key, low=low, high=high) for key, (low, high) in ENGINE.items() if key in engine.values
    }
    if "owner_share" in engine.values:
        chosen["owner_share"] = engine.number("owner_share", at_most=1)
    engine.finish(also=("owner_share", *ENGINE))
    return chosen


def _limits(server: ConfigSection) -> ServerLimits:
    chosen = {
        field: server.whole(key, low=low, high=high)
        for key, (field, low, high) in LIMITS.items()
        if key in server.values
    }
    server.finish(also=LIMITS)
    return ServerLimits(**chosen)


def _reminders(reminders: ConfigSection) -> dict[str, Any]:
    """Read the snoozes that `[reminders]` offers, and the time of digests."""
    readers: dict[str, Callable[[str], str | None]] = {
        "snoozes": lambda text: written_presets(read_presets(text)),
        "digest_at": read_digest_time,
    }
    found: dict[str, Any] = {}
    for name, read in readers.items():
        given = reminders.optional_text(name)
        try:
            found[name] = None if given is None else read(given)
        except InvalidInputError as error:
            raise reminders.fault(name, str(error)) from error
    reminders.finish()
    return found


def _store(document: ConfigSection, base: Path, directory: Path) -> str:
    text = document.optional_text("store")
    if text is None:
        return str(directory / "schedules.db")
    return text if "://" in text or is_reference(text) else str(resolve_path(text, base))


def _projects(document: ConfigSection, base: Path) -> dict[str, Any]:
    """Read the folders of the projects, and the spawners, gates and executors of those that list them."""
    folders: dict[str, Path] = {}
    listed: dict[str, dict[str, tuple[str, ...]]] = {"spawners": {}, "gates": {}, "executors": {}}
    for name, project in document.tables("projects").items():
        if not _PROJECT.fullmatch(name):
            raise document.fault(
                f"projects.{name}", f"an id is letters, digits, and any of . _ @ + -: tokens name it, got {name!r}"
            )
        folders[name] = resolve_path(project.text("path"), base)
        for key, found in listed.items():
            if project.get(key) is not None:
                found[name] = project.texts(key, 'a list of names such as ["claude"]')
        project.finish()
    return {"projects": folders, **{f"project_{key}": found for key, found in listed.items()}}


def _gates(gates: ConfigSection, base: Path) -> dict[str, tuple[str, ...]]:
    must_be = 'a list of words such as ["grep", "-rl", "draft", "posts"]'
    found = {name: gates.texts(name, must_be, each=r"[^\0]+", at_least=1) for name in gates.values}
    return {name: located_command(words, base) for name, words in found.items()}


def _jobs(jobs: ConfigSection, base: Path) -> dict[str, Any]:
    """Read the jobs: functions, and programs as lists of words."""
    must_be = '"module:function", or a list of words such as ["backup", "--all"]'
    programs = {name for name, given in jobs.values.items() if isinstance(given, list)}
    return {
        "jobs": {
            name: jobs.checked(name, must_be, partial(matches, "[^:]+:[^:]+"))
            for name in jobs.values
            if name not in programs
        },
        "programs": {
            name: located_command(jobs.texts(name, must_be, each=r"[^\0]+", at_least=1), base)
            for name in jobs.values
            if name in programs
        },
    }


def _butler(butler: ConfigSection) -> Butler:
    entries = butler.checked("schedule", "a list of tables", lambda _given: True, [])
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise butler.fault("schedule", "write each schedule as a [[butler.schedule]] table")
    names: set[str] = set()
    for number, values in enumerate(entries):
        entry = ConfigSection(butler.key(f"schedule[{number}]"), values)
        name = entry.text("name").strip()
        if name in names:
            raise entry.fault("name", f"{name!r} is there twice: names are unique")
        names.add(name)
    found = Butler(name=butler.text("name"), spawner=butler.optional_text("spawner"), schedules=tuple(entries))
    butler.finish()
    return found


def _zone(document: ConfigSection, name: str) -> str | None:
    text = document.optional_text(name)
    try:
        return None if text is None else Zone.of(text).name
    except UnknownTimezoneError as error:
        raise document.fault(name, str(error)) from error


def resolve_path(text: str, base: Path) -> Path:
    """Give the path that a text names; a relative one starts from `base`."""
    path = Path(text).expanduser()
    return path if path.is_absolute() else (base / path).resolve()


# [quotas]


def _quotas(section: ConfigSection) -> Quotas:
    """Read `[quotas]`: false removes a limit; limits that an owner's table lacks are those of all owners."""
    everybody = _quota(Quota(), section)
    owners = {name: section.table(name) for name in section.values if _OWNER.fullmatch(name)}
    section.finish(hint=', and tables such as [quotas."user:ana"] or [quotas."project:blog"]')
    quotas = Quotas(everybody=everybody, owners={name: _quota(everybody, each) for name, each in owners.items()})
    for each in owners.values():
        each.finish()
    return quotas


def _quota(quota: Quota, section: ConfigSection) -> Quota:
    given = {name: _limit(section, name) for name in _QUOTA_NAMES if section.get(name) is not None}
    return replace(quota, **given)


def _limit(section: ConfigSection, name: str) -> Any:
    if section.get(name) is False:
        return None
    if name == "min_interval":
        return section.length(name, at_most=_LARGEST_QUOTA, hint=_NO_LIMIT)
    kind = float if name == "cost_per_day" else int
    must_be = f"{'a number of US dollars' if kind is float else 'a whole number'}{_NO_LIMIT}"
    return kind(section.checked(name, must_be, lambda value: is_number(value, kind) and 0 <= value <= _LARGEST_QUOTA))
