"""The environment of a spawned process: an allow-list of variables. Secrets that it gets are known by their values."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from duly.agents.folders import UnixUser
from duly.outbound.secrets import SHORTEST_SECRET, is_reference, passwords_of

HARMLESS = (
    *("PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "LC_*", "TZ", "TMPDIR", "TERM", "XDG_*"),
    *("SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE"),
    *("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "no_proxy", "all_proxy"),
)
"""Variables that every spawned process gets."""
_PERSONAL = frozenset({"HOME", "USER", "LOGNAME", "SHELL", "TMPDIR", "XDG_*"})
"""Those of them that belong to the user who runs duly: a process of another user does not get them."""

_OURS = "DULY_"
_SECRET = re.compile(r"KEY|TOKEN|SECRET|PASSW|PASSPHRASE", re.IGNORECASE)
_PROXY = re.compile(r".+_PROXY", re.IGNORECASE)


def allowed(environ: Mapping[str, str], names: Iterable[str], user: UnixUser | None = None) -> dict[str, str]:
    """Return the variables for a process: the harmless ones, and those of `names`.

    A name that ends in * stands for every variable that begins so, except for those of duly. A process of another user
    gets the home and the name of that user.
    """
    harmless = [name for name in HARMLESS if user is None or name not in _PERSONAL]
    exact = {name for name in (*harmless, *names) if not name.endswith("*")}
    beginnings = tuple(name[:-1] for name in (*harmless, *names) if name.endswith("*"))
    matching = {name for name in environ if name.startswith(beginnings) and not name.startswith(_OURS)}
    own = {} if user is None else _of(user)
    return own | {name: value for name, value in environ.items() if name in exact or name in matching}


def _of(user: UnixUser) -> dict[str, str]:
    return {"HOME": user.home, "USER": user.name, "LOGNAME": user.name, "SHELL": user.shell}


def secrets_among(handed_on: Mapping[str, str], variables: Mapping[str, str]) -> set[str]:
    """Return the values among variables that must not be shown.

    Those are the values that `variables` takes from a secret, those whose name says that they are secret, and passwords
    of proxies.
    """
    fetched = {name for name, value in variables.items() if is_reference(value)}
    found = {value for name, value in handed_on.items() if name in fetched or _SECRET.search(name)}
    for name, value in handed_on.items():
        if _PROXY.fullmatch(name):
            found |= passwords_of(value)
    return {value for value in found if len(value) >= SHORTEST_SECRET}
