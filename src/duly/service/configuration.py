"""The configuration for callers with a scope: how the schedules of duly.toml differ from those that are stored."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from duly.errors import AccessDeniedError
from duly.service.access.scopes import Caller

if TYPE_CHECKING:
    from duly.ports.process import Process


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigDiff:
    """What `duly sync` would do: the names of schedules by what happens to them."""

    has_file: bool
    """False when no configuration file has schedules."""
    created: list[str] = field(default_factory=list)
    updated: list[str] = field(default_factory=list)
    enabled: list[str] = field(default_factory=list)
    disabled: list[str] = field(default_factory=list)
    taken_over: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    differences: dict[str, dict[str, tuple[Any, Any]]] = field(default_factory=dict)
    """By schedule: the fields that differ, with the values before and after."""

    @property
    def differs(self) -> bool:
        """Whether a sync would change anything."""
        return any((self.created, self.updated, self.enabled, self.disabled, self.taken_over))


class ConfigUseCases:
    """Compares the configuration with the store."""

    def __init__(self, process: Process) -> None:
        self._process = process

    async def diff(self, caller: Caller) -> ConfigDiff:
        """Say what `duly sync --dry-run` says; for admins."""
        if not caller.scope.is_admin:
            raise AccessDeniedError("cannot compare the configuration: access denied, it is for admins")
        report = await self._process.sync_schedules(dry_run=True)
        if report is None:
            return ConfigDiff(has_file=False)
        return ConfigDiff(
            has_file=True,
            created=report.created,
            updated=report.updated,
            enabled=report.enabled,
            disabled=report.disabled,
            taken_over=report.taken_over,
            unchanged=report.unchanged,
            differences=report.differences,
        )
