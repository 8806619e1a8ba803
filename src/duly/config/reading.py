"""From `duly.toml` to settings. Every fault names the key, the value and what would do."""

from __future__ import annotations

import re
import shlex
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from platformdirs import user_data_path

from duly.config.sections import read_quotas
from duly.config.settings import DEFAULT_HOST, DEFAULT_PORT, Butler, ServerLimits, Settings
from duly.config.toml_lines import find_line, first_key
from duly.config.trust import TrustedFiles
from duly.errors import ConfigError, EntryError, InvalidInputError, UnknownTimezoneError, UntrustedFileError
from duly.zones import Zone

FILE_NAME = "duly.toml"
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

_ENGINE = {
    "max_concurrency",
    "max_prompts",
    "max_messages",
    "owner_share",
    "retention_days",
    "audit_retention_days",
}

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
"""Limits of the HTTP server: key in `[server]`, its field, the least and the most."""


def load(
    environment: Mapping[str, str], *, config: str | None = None, data_dir: str | None = None, here: Path | None = None
) -> Settings:
    """Settings from a file and the environment. A data directory given on the command line beats `DULY_DATA_DIR`,
    which beats `data_dir` in the file; without any it is the user's.

    The file is the one named, else `DULY_CONFIG`, else `duly.toml` here if the user trusts it, else the one in the
    data directory, else none. Paths in the file start from the file, all others from here.
    """
    here = here or Path.cwd()
    directory = _told(environment, data_dir, here)
    if named := config or environment.get("DULY_CONFIG"):
        file = _path(named, here)
        if not file.is_file():
            raise ConfigError(named, "there is no such file")
        return _load(file.resolve(), directory, here)
    if (found := _strangers(directory, here)) is not None:
        with suppress(UntrustedFileError):
            return _load(found, directory, here, needs_trust=True)
    owners = (place / FILE_NAME for place in ([] if directory is None else [directory]) + [_users()])
    own = next((file.resolve() for file in owners if file.is_file()), None)
    return replace(_load(own, directory, here), untrusted=found)


def load_with(
    environment: Mapping[str, str], file: Path | None, *, data_dir: str | None = None, needs_trust: bool = False
) -> Settings:
    """The same with this file, or with none: nothing is looked for."""
    here = Path.cwd()
    return _load(file, _told(environment, data_dir, here), here, needs_trust=needs_trust)


def trusted_files() -> TrustedFiles:
    """The list of the user who runs this process."""
    return TrustedFiles(_users())


def read_text(file: Path) -> str:
    """The text of a configuration file."""
    if file.exists() and not file.is_file():  # to open a pipe would wait for someone who writes to it
        raise ConfigError("", "is not a file", _shown(file))
    try:
        return file.read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise ConfigError(str(file), "there is no such file") from error
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError("", f"cannot be read: {error}", _shown(file)) from error


def untrusted(file: Path) -> UntrustedFileError:
    """Why a file is not used, and what to do."""
    reason = "has changed since you trusted it" if trusted_files().knows(file) else "is not trusted"
    return UntrustedFileError(
        "",
        f"{reason}, and it could start any program of its choice. Read it, then run: "
        f"duly trust {shlex.quote(_shown(file))}",
        _shown(file),
    )


def _strangers(directory: Path | None, here: Path) -> Path | None:
    """The file of the working directory, unless that is the user's own directory."""
    file = here / FILE_NAME
    owners = [_users(), *([] if directory is None else [directory])]
    if not file.is_file() or here.resolve() in (place.resolve() for place in owners):
        return None
    return file.resolve()


def data_directory(environment: Mapping[str, str], data_dir: str | None) -> Path:
    """Where the data is, whatever a file says."""
    return _told(environment, data_dir, Path.cwd()) or _users()


def _told(environment: Mapping[str, str], data_dir: str | None, here: Path) -> Path | None:
    told = data_dir or environment.get("DULY_DATA_DIR")
    return None if not told else _path(told, here)


def _load(file: Path | None, directory: Path | None, here: Path, *, needs_trust: bool = False) -> Settings:
    if file is None:
        return _settings({}, file, here, directory or _users())
    text = read_text(file)
    if needs_trust and not trusted_files().covers(file, text):
        raise untrusted(file)
    document = _parse(file, text)
    try:
        written = _optional(document, "data_dir")
        if directory is None:
            directory = _users() if written is None else _path(written, file.parent)
        return replace(_settings(document, file, file.parent, directory), text=text, needs_trust=needs_trust)
    except ConfigError as error:
        raise located(error, file, text) from error


def located(error: InvalidInputError, file: Path | None, text: str) -> InvalidInputError:
    """The same fault with the file and the line it is on."""
    if file is None or (isinstance(error, ConfigError) and error.file is not None):
        return error
    if isinstance(error, ConfigError):
        return ConfigError(error.key, error.reason, _shown(file), find_line(text, error.key))
    key = first_key(text, str(error))
    return ConfigError("", str(error), _shown(file), None if key is None else find_line(text, key))


def _shown(file: Path) -> str:
    """A file as people name it from where they are: one in the current directory by its name."""
    return file.name if file.parent == Path.cwd() else str(file)


def _users() -> Path:
    return user_data_path("duly", appauthor=False)


def _parse(file: Path, text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        found = re.search(r"line (\d+)", str(error))
        line = text.count("\n") + 1 if found is None else int(found[1])  # without a number it is the end of the file
        raise ConfigError("", f"cannot be read: {error}", _shown(file), line) from error


def _settings(document: Mapping[str, Any], file: Path | None, base: Path, directory: Path) -> Settings:
    _known(document, _TOP, "")
    server = _table(document, "server", {"host", "port", *LIMITS})
    engine = _table(document, "engine", _ENGINE)
    return Settings(
        file=file,
        data_dir=directory,
        store=_store(document, base, directory),
        host=_text(server, "host", DEFAULT_HOST, "server."),
        port=_number(server, "port", DEFAULT_PORT, 0, 65_535, "server."),
        limits=_limits(server),
        timezone=_zone(document, "timezone"),
        cron_timezone=_zone(document, "cron_timezone"),
        public_url=_optional(document, "public_url"),
        max_concurrency=_number(engine, "max_concurrency", 100, 1, 10_000, "engine."),
        max_prompts=_number(engine, "max_prompts", 8, 1, 10_000, "engine."),
        max_messages=_number(engine, "max_messages", 100, 1, 10_000, "engine."),
        owner_share=_share(engine, "owner_share", 0.5, "engine."),
        retention_days=_number(engine, "retention_days", 90, 1, 36_500, "engine."),
        audit_retention_days=_number(engine, "audit_retention_days", 365, 1, 36_500, "engine."),
        projects=_projects(document, base),
        project_spawners=_names_of_projects(document, "spawners"),
        project_gates=_names_of_projects(document, "gates"),
        spawners=_tables(document, "spawners"),
        default_spawner=_optional(document, "default_spawner"),
        gates=_gates(document),
        jobs=_jobs(document),
        channels=_tables(document, "channels"),
        quotas=read_quotas(document.get("quotas", {})),
        butler=_butler(document),
    )


def _limits(server: Mapping[str, Any]) -> ServerLimits:
    chosen = {
        field: _number(server, key, 0, low, high, "server.")
        for key, (field, low, high) in LIMITS.items()
        if key in server
    }
    return ServerLimits(**chosen)


def _store(document: Mapping[str, Any], base: Path, directory: Path) -> str:
    text = _optional(document, "store")
    if text is None:
        return str(directory / "schedules.db")
    return text if "://" in text or text.startswith(("env:", "file:")) else str(_path(text, base))


def _projects(document: Mapping[str, Any], base: Path) -> dict[str, Path]:
    found = {}
    for name, table in _tables(document, "projects").items():
        if not _PROJECT.fullmatch(name):
            raise ConfigError(
                f"projects.{name}", f"an id is letters, digits, and any of . _ @ + -: tokens name it, got {name!r}"
            )
        _known(table, {"path", "spawners", "gates"}, f"projects.{name}.")
        found[name] = _path(_text(table, "path", None, f"projects.{name}."), base)
    return found


def _names_of_projects(document: Mapping[str, Any], key: str) -> dict[str, tuple[str, ...]]:
    """What each project lists under a key, for the projects that have it."""
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
        spawner=_optional(table, "spawner", "butler."),
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


def _optional(table: Mapping[str, Any], name: str, where: str = "") -> str | None:
    return _text(table, name, None, where) if name in table else None


def _zone(document: Mapping[str, Any], name: str) -> str | None:
    text = _optional(document, name)
    try:
        return None if text is None else Zone.of(text).name
    except UnknownTimezoneError as error:
        raise ConfigError(name, str(error)) from error


def _number(table: Mapping[str, Any], name: str, default: int, low: int, high: int, where: str) -> int:
    value = table.get(name, default)
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise ConfigError(f"{where}{name}", f"must be a whole number from {low} to {high}, got {value!r}")
    return value


def _share(table: Mapping[str, Any], name: str, default: float, where: str) -> float:
    value = table.get(name, default)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= 1:
        raise ConfigError(f"{where}{name}", f"must be a number greater than 0 and at most 1, got {value!r}")
    return float(value)


def _path(text: str, base: Path) -> Path:
    path = Path(text).expanduser()
    return path if path.is_absolute() else (base / path).resolve()


@contextmanager
def telling_lines(settings: Settings) -> Iterator[None]:
    """What goes wrong in the block is the fault of the file of these settings: it is told with its line."""
    try:
        yield
    except EntryError as error:
        if settings.file is None:
            raise
        key = f"butler.schedule[{error.number}]" + ("" if error.field is None else f".{error.field}")
        raise located(ConfigError(key, error.reason), settings.file, settings.text) from error
    except InvalidInputError as error:
        raise located(error, settings.file, settings.text) from error
