"""Functions that the configuration names: loaded from `module:function`, and their arguments checked.

A method of an object in the module is a function here, too. Arguments come as JSON. Only what is certainly wrong is
refused: text for a number, a number for a list. JSON has no form for a date or a class of the user's own, so a
parameter of such a type takes every value.
"""

from __future__ import annotations

import importlib
import sys
import types
from collections.abc import Callable, Hashable, Mapping
from contextlib import suppress
from functools import reduce
from inspect import Parameter, Signature
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from duly.errors import InvalidInputError

Stamp = tuple[int, int] | None
"""When the file of an imported module was last written, and its size; None for a module that is not imported."""

_SIMPLE: dict[Any, tuple[type, ...]] = {
    type(None): (type(None),),
    bool: (bool,),
    str: (str,),
    int: (int,),
    float: (int, float),
}
_NESTED: dict[Any, tuple[type, ...]] = {list: (list, tuple), dict: (dict,)}


def load_function(place: str, folder: Path | None = None) -> Callable[..., Any]:
    """Return the function at a place, as `load_object` does."""
    found = load_object(place, folder)
    if not callable(found):
        raise InvalidInputError(f"{place!r} is not a function")
    function: Callable[..., Any] = found
    return function


def load_object(place: str, folder: Path | None = None) -> Any:
    """Return what is at a place. An error or exit of its module while it is imported becomes `InvalidInputError`.

    `folder` is where modules of the user lie. It joins the module path only now, and at its end: a file in it never
    takes the place of a module that Python or duly needs.
    """
    module, _, path = place.partition(":")
    if folder is not None and str(folder) not in sys.path:
        sys.path.append(str(folder))
    try:
        return reduce(getattr, path.split("."), importlib.import_module(module))
    except (Exception, SystemExit) as error:
        reason = str(error) if isinstance(error, ImportError | AttributeError) else f"{type(error).__name__}: {error}"
        raise InvalidInputError(f"cannot load {place!r}: {reason}") from error


def forget_folder(folder: Path) -> None:
    """Remove a folder from the module path; modules that were imported from it stay imported."""
    if str(folder) in sys.path:
        sys.path.remove(str(folder))


def load_again(place: str, stamp: Stamp, folder: Path | None = None) -> Callable[..., Any]:
    """Return a function that was missing at `stamp`: its module may have been written, or changed, since.

    A module that was imported without the function is imported again only if its file has changed, because an import
    repeats every effect that the module has.
    """
    importlib.invalidate_caches()
    name = place.partition(":")[0]
    if name in sys.modules and stamp_of(place) != stamp:
        with suppress(Exception, SystemExit):  # `load_function` says what is missing now
            importlib.reload(sys.modules[name])
    return load_function(place, folder)


def stamp_of(place: str) -> Stamp:
    """Return the state of the file of a place."""
    file = getattr(sys.modules.get(place.partition(":")[0]), "__file__", None)
    if file is None:
        return None
    with suppress(OSError):
        found = Path(file).stat()
        return (found.st_mtime_ns, found.st_size)
    return None


def misfit(function: Callable[..., Any], signature: Signature, args: Mapping[str, Any]) -> str | None:
    """Say what is wrong with the first argument that contradicts its annotation; None when none does."""
    hints = _hints(function) if args else {}  # reading annotations takes a while
    for name, value in args.items():
        parameter = signature.parameters.get(name)
        if parameter is None or name not in hints or _is_default(parameter, value):
            continue
        if not _fits(value, hints[name]):
            return f"{name} must be {_in_words(hints[name])}, got {value!r}"
    return None


def _hints(function: Callable[..., Any]) -> dict[str, Any]:
    try:
        return get_type_hints(function)
    except Exception:  # names that exist for type checkers only, and callables without any annotations
        return {}


def _is_default(parameter: Parameter, value: Any) -> bool:
    """Accept the default itself: many functions are written `x: int = None`."""
    return type(parameter.default) is type(value) and parameter.default == value


def _fits(value: Any, hint: Any) -> bool:
    if not isinstance(hint, Hashable):
        return True
    origin = get_origin(hint)
    inner = get_args(hint)
    if origin in (Union, types.UnionType):
        return any(_fits(value, each) for each in inner)
    if origin is Literal:
        return value in inner
    if hint in _SIMPLE:
        # bool is an int in Python, but true is no number in JSON
        return isinstance(value, _SIMPLE[hint]) and (hint is bool or not isinstance(value, bool))
    kind = _NESTED.get(origin or hint)
    if kind is None:
        return True
    items = value.values() if isinstance(value, dict) else value
    return isinstance(value, kind) and (not inner or all(_fits(item, inner[-1]) for item in items))


def _in_words(hint: Any) -> str:
    return hint.__name__ if isinstance(hint, type) and not get_args(hint) else str(hint).replace("typing.", "")
