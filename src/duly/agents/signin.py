"""Whether a command line of an agent is signed in, as far as that shows without running it.

A key in the environment or a file of credentials says that a sign-in is there, not that the vendor still takes it. Only
names are looked at: no value is read. Of a tool whose place for credentials is not known, or not to be seen from here,
nothing is said.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from duly.agents.environment import allowed
from duly.agents.profile import SpawnerKind, SpawnerProfile

_PREFIX = "signin:"


class SignIn(StrEnum):
    """How a tool is signed in, as far as it shows."""

    KEY = "key"
    FILE = "file"
    NONE = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Marks:
    """What a tool leaves, or takes, when it is signed in."""

    keys: tuple[str, ...]
    """Variables; a leading * stands for any beginning."""
    files: tuple[tuple[str, str, str], ...] = ()
    """For each file of credentials: the variable that names its folder, the folder below home without it, its name."""


_ANY_KEY = ("*_API_KEY",)
_MARKS = {
    "claude": _Marks(
        keys=("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"),
        files=(("CLAUDE_CONFIG_DIR", ".claude", ".credentials.json"),),
    ),
    "codex": _Marks(keys=("CODEX_API_KEY", "OPENAI_API_KEY"), files=(("CODEX_HOME", ".codex", "auth.json"),)),
    "gemini": _Marks(
        keys=("GEMINI_API_KEY", "GOOGLE_API_KEY"), files=(("GEMINI_CONFIG_DIR", ".gemini", "oauth_creds.json"),)
    ),
    "opencode": _Marks(keys=_ANY_KEY, files=(("XDG_DATA_HOME", ".local/share", "opencode/auth.json"),)),
    "aider": _Marks(keys=_ANY_KEY),
}
_ELSEWHERE = {"darwin": ("claude",)}
"""Tools that keep their credentials where no file shows: the keychain of macOS."""


def sign_in_of(profile: SpawnerProfile, environ: Mapping[str, str], platform: str = sys.platform) -> SignIn | None:
    """Look whether the tool of a profile is signed in; None where that does not show from here."""
    if profile.kind is not SpawnerKind.COMMAND or not profile.new or profile.run_as is not None:
        return None
    tool = Path(str(profile.new[0])).name
    marks = _MARKS.get(tool)
    if marks is None:
        return None
    given = {**allowed(environ, profile.env), **profile.variables}
    if any(value and _is_key(name, marks.keys) for name, value in given.items()):
        return SignIn.KEY
    if any(_file(each, given).is_file() for each in marks.files if "HOME" in given):
        return SignIn.FILE
    return None if "HOME" not in given or tool in _ELSEWHERE.get(platform, ()) else SignIn.NONE


def _is_key(name: str, keys: tuple[str, ...]) -> bool:
    return any(name.endswith(key[1:]) if key.startswith("*") else name == key for key in keys)


def _file(place: tuple[str, str, str], given: Mapping[str, str]) -> Path:
    variable, below_home, name = place
    return Path(given.get(variable) or Path(given["HOME"]) / below_home) / name


def announced(spawner: str, found: SignIn) -> str:
    """Write a sign-in as nodes announce it to each other."""
    return f"{_PREFIX}{found}:{spawner}"


def is_announced(handler: str) -> bool:
    """Tell a sign-in from the handlers of a node."""
    return handler.startswith(_PREFIX)


def read_announced(handlers: Iterable[str]) -> dict[str, str]:
    """Read from what a node announces how each spawner is signed in."""
    parts = (each.removeprefix(_PREFIX).partition(":") for each in handlers if is_announced(each))
    return {spawner: found for found, _, spawner in parts}
