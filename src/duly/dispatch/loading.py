"""Functions that configuration names as `module:function`; a method of something in the module will do as well."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from importlib import import_module
from typing import Any

from duly.errors import InvalidInputError


def load_function(place: str) -> Callable[..., Any]:
    """The function of a place. Whatever its module does while it is imported is that place's fault, not our end."""
    module, _, path = place.partition(":")
    try:
        found: Any = reduce(getattr, path.split("."), import_module(module))
    except (Exception, SystemExit) as error:
        told = str(error) if isinstance(error, ImportError | AttributeError) else f"{type(error).__name__}: {error}"
        raise InvalidInputError(f"cannot load {place!r}: {told}") from error
    if not callable(found):
        raise InvalidInputError(f"{place!r} is not a function")
    function: Callable[..., Any] = found
    return function
