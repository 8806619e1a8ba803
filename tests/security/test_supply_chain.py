"""What duly installs: bounded versions, and for development a lock with hashes that names no package index."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

_ROOT = Path(__file__).parents[2]
_PROJECT = tomllib.loads((_ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
_LOCK = (_ROOT / "requirements-dev.lock").read_text(encoding="utf-8")
_PINNED = re.compile(r"^([\w.-]+)(?:\[[\w,-]+\])?==([^ ;]+)(.*?)(?=^\S|\Z)", re.MULTILINE | re.DOTALL)
_CALENDAR_VERSIONS = {"tzdata"}
"""Data numbered by its year: a new number never means another interface."""

_SHIPPED = [
    *_PROJECT["dependencies"],
    *(each for extra in ("postgres", "celery", "apprise", "otel") for each in _PROJECT["optional-dependencies"][extra]),
]


def _pins() -> dict[str, tuple[str, str]]:
    return {canonicalize_name(name): (version, rest) for name, version, rest in _PINNED.findall(_LOCK)}


@pytest.mark.parametrize("text", _SHIPPED)
def test_a_dependency_that_users_get_has_an_upper_bound(text: str) -> None:
    requirement = Requirement(text)
    bounds = {each.operator for each in requirement.specifier}
    assert bounds >= {">=", "<"} or requirement.name in _CALENDAR_VERSIONS, text


@pytest.mark.parametrize("extra", ["dependencies", "dev", "postgres"])
def test_the_lock_pins_an_allowed_version_of_each_dependency(extra: str) -> None:
    wanted = _PROJECT["dependencies"] if extra == "dependencies" else _PROJECT["optional-dependencies"][extra]
    pins = _pins()
    for requirement in map(Requirement, wanted):
        version, _ = pins[canonicalize_name(requirement.name)]
        assert requirement.specifier.contains(Version(version)), (
            f"{requirement} is locked at {version}: run `make lock`"
        )


def test_each_pin_has_a_hash() -> None:
    assert [name for name, (_, rest) in _pins().items() if "--hash=sha256:" not in rest] == []


def test_the_lock_names_no_package_index() -> None:
    assert not re.search(r"://|--index-url|--extra-index-url|--find-links|--trusted-host", _LOCK)
