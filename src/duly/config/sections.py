"""The sections of `duly.toml` as settings. Every fault names the key, the value and what to write instead."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

from duly.config.settings import DEFAULT_HOST, DEFAULT_PORT, Butler, ServerLimits, Settings
from duly.errors import ConfigError, UnknownTimezoneError
from duly.planning.quotas import Quota, Quotas
from duly.zones import Zone

_PROJECT = re.compile(r"[\w.@+-]{1,100}")
_TOP = {
    "data_dir",
    "store",
    "timezone",
    "cron_timezone",
    "public_url",
    "server",
    "engine",
    "projects",
    "spawners",
    "default_spawner",
    "gates",
    "jobs",
    "channels",
    "quotas",
    "butler",
}

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
    "max_sessions": ("sessions", 1, 100_000),
    "max_sessions_per_token": ("sessions_per_token", 1, 100_000),
    "session_idle_timeout": ("session_idle_timeout", 10, 86_400),
}
"""Limits of the HTTP server by key of `[server]`: field, smallest and largest value."""
_OWNER = re.compile(r"(?:user|project):[\w.@+-]{1,100}")
_LENGTH = re.compile(r"(\d{1,9})\s*(s|m|h|d)")
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86_400}
_LARGEST_QUOTA = 1_000_000_000
_QUOTA_NAMES = ("schedules", "min_interval", "size", "runs_per_day", "cost_per_day")


def read_settings(document: Mapping[str, Any], file: Path | None, base: Path, directory: Path) -> Settings:
    _known(document, _TOP, "")
    server = _table(document, "server", {"host", "port", *LIMITS})
    return Settings(
        file=file,
        data_dir=directory,
        store=_store(document, base, directory),
        host=_text(server, "host", DEFAULT_HOST, "server."),
        port=_number(server, "port", DEFAULT_PORT, 0, 65_535, "server."),
        limits=_limits(server),
        timezone=_zone(document, "timezone"),
        cron_timezone=_zone(document, "cron_timezone"),
        public_url=optional_text(document, "public_url"),
        **_engine(_table(document, "engine", {"owner_share", *ENGINE})),
        projects=_projects(document, base),
        project_spawners=_names_of_projects(document, "spawners"),
        project_gates=_names_of_projects(document, "gates"),
        spawners=_tables(document, "spawners"),
        default_spawner=optional_text(document, "default_spawner"),
        gates=_gates(document),
        jobs=_jobs(document),
        channels=_tables(document, "channels"),
        quotas=read_quotas(document.get("quotas", {})),
        butler=_butler(document),
    )


def _engine(table: Mapping[str, Any]) -> dict[str, Any]:
    """Read the settings of `[engine]` that are there."""
    chosen: dict[str, Any] = {
        key: _number(table, key, 0, low, high, "engine.") for key, (low, high) in ENGINE.items() if key in table
    }
    return chosen if "owner_share" not in table else {**chosen, "owner_share": _share(table["owner_share"])}


def _limits(server: Mapping[str, Any]) -> ServerLimits:
    chosen = {
        field: _number(server, key, 0, low, high, "server.")
        for key, (field, low, high) in LIMITS.items()
        if key in server
    }
    return ServerLimits(**chosen)


def _store(document: Mapping[str, Any], base: Path, directory: Path) -> str:
    text = optional_text(document, "store")
    if text is None:
        return str(directory / "schedules.db")
    return text if "://" in text or text.startswith(("env:", "file:")) else str(resolve_path(text, base))


def _projects(document: Mapping[str, Any], base: Path) -> dict[str, Path]:
    found = {}
    for name, table in _tables(document, "projects").items():
        if not _PROJECT.fullmatch(name):
            raise ConfigError(
                f"projects.{name}", f"an id is letters, digits, and any of . _ @ + -: tokens name it, got {name!r}"
            )
        _known(table, {"path", "spawners", "gates"}, f"projects.{name}.")
        found[name] = resolve_path(_text(table, "path", None, f"projects.{name}."), base)
    return found


def _names_of_projects(document: Mapping[str, Any], key: str) -> dict[str, tuple[str, ...]]:
    """Read the names that each project lists under a key; projects without the key are left out."""
    found = {}
    for name, table in _tables(document, "projects").items():
        if key not in table:
            continue
        names = table[key]
        if not isinstance(names, list) or not all(isinstance(each, str) and each.strip() for each in names):
            raise ConfigError(f"projects.{name}.{key}", f'must be a list of names such as ["claude"], got {names!r}')
        found[name] = tuple(names)
    return found


def _gates(document: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    gates = _table(document, "gates", None)
    for name, argv in gates.items():
        if not isinstance(argv, list) or not argv or not all(isinstance(word, str) and word for word in argv):
            raise ConfigError(
                f"gates.{name}", f'must be a list of words such as ["grep", "-rl", "draft", "posts"], got {argv!r}'
            )
    return {name: tuple(argv) for name, argv in gates.items()}


def _jobs(document: Mapping[str, Any]) -> dict[str, str]:
    jobs = _table(document, "jobs", None)
    for name, place in jobs.items():
        if not isinstance(place, str) or place.count(":") != 1 or place.startswith(":") or place.endswith(":"):
            raise ConfigError(f"jobs.{name}", f'must be "module:function", got {place!r}')
    return dict(jobs)


def _butler(document: Mapping[str, Any]) -> Butler | None:
    if "butler" not in document:
        return None
    table = _table(document, "butler", {"name", "spawner", "schedule"})
    entries = table.get("schedule", [])
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise ConfigError("butler.schedule", "write each schedule as a [[butler.schedule]] table")
    names: list[str] = []
    for number, entry in enumerate(entries):
        written = entry.get("name")
        if not isinstance(written, str) or not (name := written.strip()):
            raise ConfigError(f"butler.schedule[{number}].name", f"must be a text that is not empty, got {written!r}")
        names.append(name)
        if name in names[:number]:
            raise ConfigError(f"butler.schedule[{number}].name", f"{name!r} is there twice: names are unique")
    return Butler(
        name=_text(table, "name", None, "butler."),
        spawner=optional_text(table, "spawner", "butler."),
        schedules=tuple(entries),
    )


def _known(table: Mapping[str, Any], names: set[str], where: str) -> None:
    unknown = sorted(set(table) - names)
    if unknown:
        place = where.rstrip(".") or "the file"
        raise ConfigError(f"{where}{unknown[0]}", f"is unknown: {place} takes {', '.join(sorted(names))}")


def _table(document: Mapping[str, Any], name: str, names: set[str] | None) -> dict[str, Any]:
    table = document.get(name, {})
    if not isinstance(table, dict):
        raise ConfigError(name, f"must be a table, [{name}], got {table!r}")
    if names is not None:
        _known(table, names, f"{name}.")
    return table


def _tables(document: Mapping[str, Any], name: str) -> dict[str, dict[str, Any]]:
    tables = _table(document, name, None)
    for key, value in tables.items():
        if not isinstance(value, dict):
            raise ConfigError(f"{name}.{key}", f"must be a table, [{name}.{key}], got {value!r}")
    return tables


def _text(table: Mapping[str, Any], name: str, default: str | None, where: str = "") -> str:
    value = table.get(name, default)
    if not isinstance(value, str) or (not value.strip() and value != default):
        raise ConfigError(f"{where}{name}", f"must be a text that is not empty, got {value!r}")
    return value


def optional_text(table: Mapping[str, Any], name: str, where: str = "") -> str | None:
    return _text(table, name, None, where) if name in table else None


def _zone(document: Mapping[str, Any], name: str) -> str | None:
    text = optional_text(document, name)
    try:
        return None if text is None else Zone.of(text).name
    except UnknownTimezoneError as error:
        raise ConfigError(name, str(error)) from error


def _number(table: Mapping[str, Any], name: str, default: int, low: int, high: int, where: str) -> int:
    value = table.get(name, default)
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise ConfigError(f"{where}{name}", f"must be a whole number from {low} to {high}, got {value!r}")
    return value


def _share(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= 1:
        raise ConfigError("engine.owner_share", f"must be a number greater than 0 and at most 1, got {value!r}")
    return float(value)


def resolve_path(text: str, base: Path) -> Path:
    path = Path(text).expanduser()
    return path if path.is_absolute() else (base / path).resolve()


# [quotas]


def read_quotas(table: Any) -> Quotas:
    """Read a `[quotas]` table: false removes a limit; limits that an owner's table lacks are those of all owners."""
    if not isinstance(table, Mapping):
        raise ConfigError("quotas", f"must be a table, [quotas], got {table!r}")
    everybody = _quota(Quota(), {name: value for name, value in table.items() if name in _QUOTA_NAMES}, "quotas.")
    owners = {}
    for name, value in table.items():
        if name in _QUOTA_NAMES:
            continue
        if not _OWNER.fullmatch(name):
            raise ConfigError(
                f"quotas.{name}",
                f'is unknown: [quotas] takes {", ".join(_QUOTA_NAMES)}, and tables such as [quotas."user:ana"] or '
                f'[quotas."project:blog"]',
            )
        if not isinstance(value, Mapping):
            raise ConfigError(f"quotas.{name}", f'must be a table, [quotas."{name}"], got {value!r}')
        owners[name] = _quota(everybody, value, f"quotas.{name}.")
    return Quotas(everybody=everybody, owners=owners)


def _quota(quota: Quota, table: Mapping[str, Any], where: str) -> Quota:
    if unknown := sorted(set(table) - set(_QUOTA_NAMES)):
        raise ConfigError(f"{where}{unknown[0]}", f"is unknown: a quota takes {', '.join(_QUOTA_NAMES)}")
    return replace(quota, **{name: _limit(name, value, f"{where}{name}") for name, value in table.items()})


def _limit(name: str, value: Any, key: str) -> Any:
    if value is False:
        return None
    if name == "min_interval":
        return _interval(value, key)
    kinds = (int, float) if name == "cost_per_day" else (int,)
    if isinstance(value, bool) or not isinstance(value, kinds) or not 0 <= value <= _LARGEST_QUOTA:
        number = "a number of US dollars" if name == "cost_per_day" else "a whole number"
        raise ConfigError(key, f"must be {number}, or false for no limit, got {value!r}")
    return float(value) if name == "cost_per_day" else value


def _interval(value: Any, key: str) -> timedelta:
    found = _LENGTH.fullmatch(value.strip()) if isinstance(value, str) and len(value) < 20 else None
    seconds = int(found[1]) * _SECONDS[found[2]] if found else value
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not 0 <= seconds <= _LARGEST_QUOTA:
        raise ConfigError(key, f'must be seconds or text such as "30s" or "5m", or false for no limit, got {value!r}')
    return timedelta(seconds=seconds)
