"""`[quotas]` of `duly.toml`: limits for the tokens of persons and projects, for all of them and for some by name."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Any

from duly.errors import ConfigError
from duly.planning.quotas import Quota, Quotas

_OWNER = re.compile(r"(?:user|project):[\w.@+-]{1,100}")
_LENGTH = re.compile(r"(\d{1,9})\s*(s|m|h|d)")
_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86_400}
_LARGEST = 1_000_000_000
_NAMES = ("schedules", "min_interval", "size", "runs_per_day", "cost_per_day")


def read_quotas(table: Any) -> Quotas:
    """The quotas of a `[quotas]` table; false takes a limit away, what is not said stays as it is for all owners."""
    if not isinstance(table, Mapping):
        raise ConfigError("quotas", f"must be a table, [quotas], got {table!r}")
    everybody = _changed(Quota(), {name: value for name, value in table.items() if name in _NAMES}, "quotas.")
    owners = {}
    for name, value in table.items():
        if name in _NAMES:
            continue
        if not _OWNER.fullmatch(name):
            raise ConfigError(
                f"quotas.{name}",
                f'is unknown: [quotas] takes {", ".join(_NAMES)}, and tables such as [quotas."user:ana"] or '
                f'[quotas."project:blog"]',
            )
        if not isinstance(value, Mapping):
            raise ConfigError(f"quotas.{name}", f'must be a table, [quotas."{name}"], got {value!r}')
        owners[name] = _changed(everybody, value, f"quotas.{name}.")
    return Quotas(everybody=everybody, owners=owners)


def _changed(quota: Quota, table: Mapping[str, Any], where: str) -> Quota:
    if unknown := sorted(set(table) - set(_NAMES)):
        raise ConfigError(f"{where}{unknown[0]}", f"is unknown: a quota takes {', '.join(_NAMES)}")
    return replace(quota, **{name: _limit(name, value, f"{where}{name}") for name, value in table.items()})


def _limit(name: str, value: Any, key: str) -> Any:
    if value is False:
        return None
    if name == "min_interval":
        return _interval(value, key)
    kinds = (int, float) if name == "cost_per_day" else (int,)
    if isinstance(value, bool) or not isinstance(value, kinds) or not 0 <= value <= _LARGEST:
        number = "a number of US dollars" if name == "cost_per_day" else "a whole number"
        raise ConfigError(key, f"must be {number}, or false for no limit, got {value!r}")
    return float(value) if name == "cost_per_day" else value


def _interval(value: Any, key: str) -> timedelta:
    found = _LENGTH.fullmatch(value.strip()) if isinstance(value, str) and len(value) < 20 else None
    seconds = int(found[1]) * _UNITS[found[2]] if found else value
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not 0 <= seconds <= _LARGEST:
        raise ConfigError(key, f'must be seconds or text such as "30s" or "5m", or false for no limit, got {value!r}')
    return timedelta(seconds=seconds)
