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


def load_function(place: str, folder: Path | None = None) -> Callable[..., Any]:
    """The function of a place. Whatever its module does while it is imported is that place's fault, not our end.

    `folder` is where modules of the user's own lie. It joins the module path only now, and at its end: a file of it
    never takes the place of a module that Python or duly needs.
    """
    module, _, path = place.partition(":")
    if folder is not None and str(folder) not in sys.path:
        sys.path.append(str(folder))
    try:
        found: Any = reduce(getattr, path.split("."), importlib.import_module(module))
    except (Exception, SystemExit) as error:
        told = str(error) if isinstance(error, ImportError | AttributeError) else f"{type(error).__name__}: {error}"
        raise InvalidInputError(f"cannot load {place!r}: {told}") from error
    if not callable(found):
        raise InvalidInputError(f"{place!r} is not a function")
    function: Callable[..., Any] = found
    return function


def forget_folder(folder: Path) -> None:
    """Take the folder from the module path again; what was imported stays imported."""
    if str(folder) in sys.path:
        sys.path.remove(str(folder))


def load_again(place: str, stamp: Stamp, folder: Path | None = None) -> Callable[..., Any]:
    """The same for a function that was missing at `stamp`: its module may have been written, or changed, since.

    A module that was imported without the function is imported anew only if its file has changed: whatever it does
    while it is imported is done once more then.
    """
    importlib.invalidate_caches()
    name = place.partition(":")[0]
    if name in sys.modules and stamp_of(place) != stamp:
        with suppress(Exception, SystemExit):  # `load_function` says what is missing now
            importlib.reload(sys.modules[name])
    return load_function(place, folder)


def stamp_of(place: str) -> Stamp:
    """The state of the file of a place."""
    file = getattr(sys.modules.get(place.partition(":")[0]), "__file__", None)
    if file is None:
        return None
    with suppress(OSError):
        found = Path(file).stat()
        return (found.st_mtime_ns, found.st_size)
    return None
