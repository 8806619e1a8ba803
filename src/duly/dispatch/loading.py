"""Functions that configuration names as `module:function`; a method of something in the module will do as well."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import reduce
from pathlib import Path
from typing import Any

from duly.errors import InvalidInputError

Stamp = tuple[int, int] | None
"""When the file of an imported module was last written, and its size; None for one that is not imported."""


def load_function(place: str) -> Callable[..., Any]:
    """The function of a place. Whatever its module does while it is imported is that place's fault, not our end."""
    module, _, path = place.partition(":")
    try:
        found: Any = reduce(getattr, path.split("."), importlib.import_module(module))
    except (Exception, SystemExit) as error:
        told = str(error) if isinstance(error, ImportError | AttributeError) else f"{type(error).__name__}: {error}"
        raise InvalidInputError(f"cannot load {place!r}: {told}") from error
    if not callable(found):
        raise InvalidInputError(f"{place!r} is not a function")
    function: Callable[..., Any] = found
    return function


def load_again(place: str, stamp: Stamp) -> Callable[..., Any]:
    """The same for a function that was missing at `stamp`: its module may have been written, or changed, since.

    A module that was imported without the function is imported anew only if its file has changed: whatever it does
    while it is imported is done once more then.
    """
    importlib.invalidate_caches()
    name = place.partition(":")[0]
    if name in sys.modules and stamp_of(place) != stamp:
        with suppress(Exception, SystemExit):  # `load_function` says what is missing now
            importlib.reload(sys.modules[name])
    return load_function(place)


def stamp_of(place: str) -> Stamp:
    """The state of the file of a place."""
    file = getattr(sys.modules.get(place.partition(":")[0]), "__file__", None)
    if file is None:
        return None
    with suppress(OSError):
        found = Path(file).stat()
        return (found.st_mtime_ns, found.st_size)
    return None
