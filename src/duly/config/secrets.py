"""Secrets are named in configuration, never written there: `env:NAME` or `file:PATH`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from duly.errors import ConfigError


def resolve(text: str, environment: Mapping[str, str], where: str, base: Path = Path()) -> str:
    """The value a setting stands for; text without a prefix stands for itself. Relative paths start from `base`."""
    kind, _, name = text.partition(":")
    if kind == "env":
        if not environment.get(name):
            raise ConfigError(where, f"the environment variable {name} is not set")
        return environment[name]
    if kind == "file":
        try:
            return (base / Path(name).expanduser()).read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigError(where, f"cannot read the file {name}: {error}") from error
    return text
