"""The settings: all values of a configuration, with their defaults."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from duly.config.backup import BackupSettings
from duly.config.monitoring import Monitoring
from duly.config.notify import NotifySettings
from duly.planning.places import DEFAULT_JOBS
from duly.planning.quotas import Quotas
from duly.ports.executor_settings import ExecutorSettings
from duly.sealed import Seal

DEFAULT_HOST = "127.0.0.1"
DEFAULT_PORT = 8765


@dataclass(frozen=True, slots=True, kw_only=True)
class Butler:
    """A named agent profile and the schedules its file declares, as forms."""

    name: str
    spawner: str | None = None
    schedules: tuple[Mapping[str, Any], ...] = ()

    @property
    def namespace(self) -> str:
        return f"butler:{self.name}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerLimits:
    """The limits of the HTTP server: `[server]` in the file."""

    head_timeout: float = 10
    """Seconds for the head of a request, from the first byte or from the beginning of the connection."""
    body_timeout: float = 30
    """Seconds for its body."""
    connections: int = 2000
    """Open connections in total."""
    strangers: int = 100
    """Open connections of clients that have shown no token."""
    connections_per_token: int = 100
    sockets_per_token: int = 20
    """WebSockets among them."""
    streams: int = 1000
    """Streams of events among all connections: the rest stays free for requests."""
    streams_per_token: int = 50
    sessions: int = 1000
    """MCP sessions in total."""
    sessions_per_token: int = 50
    session_idle_timeout: float = 600
    """Seconds without a request after which an MCP session ends."""
    requests_per_minute: int = 6000
    """Requests to the API that one token may send."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """All settings of a process. Without a file every field has a default that works."""

    file: Path | None = None
    text: str = field(default="", repr=False, compare=False)
    """The text of the file, to find the line of a fault."""
    needs_trust: bool = field(default=False, compare=False)
    """Whether the file may have come from elsewhere: the user must trust each change of it and of what it runs."""
    sealed: Seal | None = field(default=None, repr=False, compare=False)
    """What the user trusted with the file; None where the file needs no trust."""
    untrusted: Path | None = field(default=None, compare=False)
    """A file in the working directory that was not used, because the user has not trusted it."""
    data_dir: Path
    store: str
    """A path for SQLite, or a `postgresql://` address; may be `env:NAME`."""
    store_direct: str | None = None
    """A second address of the same PostgreSQL database, past a pooler; may be `env:NAME`."""
    host: str = DEFAULT_HOST
    port: int = DEFAULT_PORT
    limits: ServerLimits = ServerLimits()
    """How many connections and sessions the HTTP server takes, and how long it waits for a request."""
    timezone: str | None = None
    """The zone of times that name none; None is the machine's."""
    cron_timezone: str | None = None
    """The zone of cron that names none, in the schedule_* tools and in the file; None is UTC."""
    snoozes: str | None = None
    """The lengths of a snooze that are offered to people who have chosen none; None is as usual."""
    digest_at: str | None = None
    """When people who have chosen no time get what has a low priority as one message; None is at once, each apart."""
    public_url: str | None = None
    """The address at which others reach this daemon: for links in messages."""
    max_concurrency: int = DEFAULT_JOBS
    max_prompts: int = 8
    max_messages: int = 100
    owner_share: float = 0.5
    retention_days: int = 90
    audit_retention_days: int = 365
    projects: Mapping[str, Path] = field(default_factory=dict)
    project_spawners: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The spawners that a project's tokens may use; a project that lists none has the default spawner."""
    project_gates: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The gates that a project's tokens may use."""
    project_executors: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The executors that a project's tokens may have jobs at."""
    spawners: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    default_spawner: str | None = None
    gates: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    jobs: Mapping[str, str] = field(default_factory=dict)
    """Names of jobs and where they live, as `module:function`."""
    programs: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Names of jobs that are programs, each an argument list."""
    executors: Mapping[str, ExecutorSettings] = field(default_factory=dict)
    """Who carries out jobs elsewhere."""
    channels: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    quotas: Quotas = field(default_factory=Quotas)
    """Limits for the tokens of persons and projects."""
    notify: NotifySettings = field(default_factory=NotifySettings)
    """How people hear of runs."""
    butler: Butler | None = None
    monitoring: Monitoring = field(default_factory=Monitoring)
    """Metrics, the format of the log, the heartbeat URL and OpenTelemetry."""
    backup: BackupSettings | None = None
    """The backups that a daemon makes by itself; None is none."""

    @property
    def folder(self) -> Path | None:
        """Where the modules of jobs and of spawners lie: beside the file that names them."""
        return None if self.file is None else self.file.parent


def client_file(data_dir: Path, client: str) -> Path:
    """Give the path of the token file that `duly connect` writes for a client, and its `duly mcp` reads."""
    return data_dir / "clients" / f"{client}.token"
