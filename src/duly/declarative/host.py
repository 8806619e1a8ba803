"""The zone of the machine, by its name: an offset alone would not know about clock changes."""

from __future__ import annotations

import logging
from zoneinfo import ZoneInfoNotFoundError

import tzlocal

_UNKNOWN = "UTC"
_log = logging.getLogger("duly")


def host_zone() -> str:
    """The IANA name of the zone the host is in; UTC, with a warning, when it does not say."""
    try:
        name = tzlocal.get_localzone_name()
    except (ZoneInfoNotFoundError, LookupError, ValueError) as error:
        name, reason = None, str(error)
    else:
        reason = "it has no name"
    if not name:
        _log.warning("the host's time zone is unknown (%s), using %s: pass tz=", reason, _UNKNOWN)
        return _UNKNOWN
    return str(name)
