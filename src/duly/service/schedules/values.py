"""Readers of the values that people and agents write: lengths of time, moments, JSON inside text, targets.

Each takes a value and the name of its field, and raises `InvalidInputError` for a value that the field cannot have.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import fields
from datetime import UTC, datetime, timedelta
from typing import Any

from duly.errors import InvalidInputError, NaiveDatetimeError, UnknownTimezoneError
from duly.model import checks
from duly.model.action import Target
from duly.model.notice import NotifyRule
from duly.model.policy import Retry
from duly.service.limits import check_given
from duly.zones import Zone

_LONGEST = timedelta(days=3660)


def duration(value: Any, name: str) -> timedelta:
    """Read a length of time: seconds as a number, or text such as 90s, 5m, 2h, 1d, 1h30m."""
    if isinstance(value, timedelta):
        return value
    seconds = checks.seconds_in(value)
    if seconds is None or seconds < 0 or seconds > _LONGEST.total_seconds():
        raise InvalidInputError(
            f'{name} must be a number of seconds or text like "90s", "5m", "2h", "1d", got {value!r:.200}'
        )
    return timedelta(seconds=seconds)


def moment(value: Any, name: str) -> datetime:
    """Read an instant: ISO 8601 with an offset."""
    if isinstance(value, str):
        value = _written_moment(value.strip(), name)
    if not isinstance(value, datetime):
        raise InvalidInputError(f"{name} must be a time in ISO 8601 with an offset, got {value!r}")
    return instant(value, name)


def optional_moment(value: Any, name: str) -> datetime | None:
    """Read an instant that may be left out."""
    return None if value is None else moment(value, name)


def instant(value: Any, name: str) -> datetime:
    """Check that a datetime names an instant which can be stored."""
    if not isinstance(value, datetime):
        raise InvalidInputError(f"{name} must be a datetime, got {value!r}")
    if value.utcoffset() is None:
        raise NaiveDatetimeError(name, value)
    try:
        value.astimezone(UTC)
    except OverflowError:
        raise InvalidInputError(f"{name} {value.isoformat()} lies outside the years 1 to 9999 in UTC") from None
    return value


def _written_moment(text: str, name: str) -> datetime:
    try:
        read = datetime.fromisoformat(text)
    except ValueError:
        raise InvalidInputError(
            f"{name} must be a time in ISO 8601 with an offset, such as 2026-11-16T09:00:00Z, got {text!r}"
        ) from None
    if read.utcoffset() is None:
        raise InvalidInputError(
            f"{name} {text!r} has no offset, so it names no instant: must be timezone-aware, "
            f"such as {read.isoformat()}Z for UTC or {read.isoformat()}+01:00"
        )
    return read


def structure(value: Any, name: str) -> Any:
    """Read a list or an object; agents sometimes send one as JSON text."""
    if not isinstance(value, str):
        return value
    try:
        read = json.loads(value)
    except (ValueError, RecursionError) as error:
        raise InvalidInputError(
            f"{name} must be a list or an object, got text that is not JSON: {value!r:.200}"
        ) from error
    check_given({name: read})
    return read


def mapping(value: Any, name: str) -> dict[str, Any]:
    """Read an object, maybe as JSON text."""
    read = structure(value, name)
    if not isinstance(read, dict) or not all(isinstance(key, str) for key in read):
        raise InvalidInputError(f"{name} must be an object, got {value!r}")
    return read


def listed(value: Any, name: str) -> tuple[Any, ...]:
    """Read a list of any values, maybe as JSON text."""
    read = structure(value, name)
    if not isinstance(read, list | tuple):
        raise InvalidInputError(f'{name} must be a list such as ["a", 1], got {value!r:.200}')
    return tuple(read)


def text(value: Any, name: str) -> str:
    """Read a text that is not empty."""
    if not isinstance(value, str) or not value.strip():
        raise InvalidInputError(f"{name} must be a text that is not empty, got {value!r}")
    return storable(value, name)


def name(value: Any, what: str) -> str:
    """Read a name, without the white space around it, which copied text brings along invisibly."""
    return text(value, what).strip()


def zone(value: Any, name: str) -> str:
    """Read the name of a time zone; the error names the field."""
    written = text(value, name).strip()
    try:
        return Zone.of(written).name
    except UnknownTimezoneError as error:
        raise InvalidInputError(f"{name}: {error}") from error


def storable(value: Any, name: str) -> str:
    """Check that every store can keep a text: no NUL, no half characters."""
    if not isinstance(value, str):
        raise InvalidInputError(f"{name} must be text, got {value!r}")
    if "\0" in value or (not value.isascii() and any("\ud800" <= letter <= "\udfff" for letter in value)):
        raise InvalidInputError(f"{name} has a character that cannot be stored (NUL, or half of one): {value[:80]!r}")
    return value


def whole(value: Any, name: str) -> int:
    """Read a whole number that a store can keep."""
    if isinstance(value, bool) or not isinstance(value, int) or abs(value) > checks.LARGEST:
        raise InvalidInputError(f"{name} must be a whole number, at most {checks.LARGEST}, got {value!r}")
    return value


def numbers(value: Any, name: str) -> list[int]:
    """Read a list of whole numbers."""
    if not isinstance(value, list):
        raise InvalidInputError(f"{name} must be a list of whole numbers, got {value!r:.100}")
    return [whole(each, name) for each in value]


def texts(value: Any, name: str) -> list[str]:
    """Read a list of texts."""
    if not isinstance(value, list):
        raise InvalidInputError(f"{name} must be a list of texts, got {value!r:.100}")
    return [text(each, name) for each in value]


def flag(value: Any, name: str) -> bool:
    """Read true or false."""
    checks.yes_or_no(name, value)
    return bool(value)


def amount(value: Any, name: str) -> float:
    """Read a sum of money in US dollars."""
    checks.amount(name, value, below=1e9)
    return float(value)


def targets(given: Any, what: str) -> tuple[Target, ...]:
    """Read targets: plain names, "blog" or "shop/main", or objects with a project_id."""
    listed = given if isinstance(given, list | tuple) else structure(given, what)
    if not isinstance(listed, list | tuple):
        raise InvalidInputError(f'{what} must be a list such as ["blog", "shop/main"], got {given!r}')
    return tuple(_target(each) for each in listed)


def _target(given: Any) -> Target:
    if isinstance(given, Target):
        return given
    if isinstance(given, str):
        return _named_target(given)
    if not isinstance(given, Mapping) or set(given) - {"project_id", "workspace_id"} or "project_id" not in given:
        raise InvalidInputError(
            f'a target is a name such as "blog" or "shop/main", or an object with project_id and maybe workspace_id, '
            f"got {given!r}"
        )
    workspace = given.get("workspace_id")
    if not isinstance(workspace, str | None):
        raise InvalidInputError(f"workspace_id must be a text, got {workspace!r}")
    return Target(name(given["project_id"], "project_id"), storable(workspace or "", "workspace_id").strip())


def _named_target(text: str) -> Target:
    """Read `PROJECT` or `PROJECT/WORKSPACE`; the id of a project has no slash."""
    project, slash, workspace = text.partition("/")
    if slash and not workspace.strip():
        raise InvalidInputError(f"target {text!r} names no workspace after the slash: say one, or leave the slash out")
    return Target(name(project, "project_id"), storable(workspace, "workspace_id").strip())


def retry(given: Any, what: str) -> Retry:
    """Read how a failed run is tried again."""
    if isinstance(given, Retry):
        return given
    options = dict(mapping(given, what))
    checks.refuse_unknown(options, [each.name for each in fields(Retry)], what, f"{what}.")
    for each in {"delay", "cap"} & set(options):
        options[each] = duration(options[each], f"{what}.{each}")
    return Retry(**options)


def notify(given: Any, what: str) -> tuple[NotifyRule, ...]:
    """Read rules: texts such as "always to ana", in a list or separated by semicolons, or objects with the same."""
    listed = given
    if isinstance(given, str):
        lines = re.split(r"[;\n]", given)
        listed = structure(given, what) if given.lstrip().startswith(("[", "{")) else [*filter(str.strip, lines)]
    if isinstance(listed, Mapping):
        listed = [listed]
    if not isinstance(listed, list | tuple):
        raise InvalidInputError(f'{what} must be a list such as ["always to ana"], got {given!r:.200}')
    return tuple(dict.fromkeys(_rule(each, what) for each in listed))


def _rule(given: Any, what: str) -> NotifyRule:
    if isinstance(given, NotifyRule):
        return given
    if isinstance(given, str):
        return NotifyRule.parse(storable(given, what))
    if not isinstance(given, Mapping) or "on" not in given:
        raise InvalidInputError(
            f'a rule of {what} is a text such as "always to ana", or an object with on and maybe to, channel and '
            f"priority, got {given!r:.200}"
        )
    checks.refuse_unknown(given, [each.name for each in fields(NotifyRule)], what, f"{what}.")
    options: dict[str, Any] = {
        key: storable(value, f"{what}.{key}") for key, value in given.items() if value is not None
    }
    return NotifyRule(**options)
