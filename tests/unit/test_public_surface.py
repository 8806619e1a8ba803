"""The public surface is one list; nothing on it is missing, nothing public is off it."""

import ast
import importlib
import subprocess
import sys
from pathlib import Path

import pytest

import duly
from duly import errors


@pytest.mark.parametrize("name", duly.__all__)
def test_every_listed_name_exists(name: str) -> None:
    assert getattr(duly, name) is not None


def test_the_list_of_names_is_sorted_and_has_no_duplicates() -> None:
    assert duly.__all__ == sorted(set(duly.__all__))


def test_type_checkers_see_the_same_names() -> None:
    tree = ast.parse(Path(str(duly.__file__)).read_text(encoding="utf-8"))
    guarded = next(node for node in tree.body if isinstance(node, ast.If))
    seen = {alias.name for node in guarded.body if isinstance(node, ast.ImportFrom) for alias in node.names}
    assert seen | {"__version__"} == set(duly.__all__)


def test_every_error_is_public() -> None:
    raised = {
        name for name, value in vars(errors).items() if isinstance(value, type) and issubclass(value, errors.DulyError)
    }
    assert raised <= set(duly.__all__)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'Corn'"):
        _ = duly.Corn


def test_star_import_and_dir_give_the_same_names() -> None:
    assert dir(importlib.import_module("duly")) == duly.__all__


def test_importing_duly_loads_no_slow_module() -> None:
    heavy = ["asyncio", "typer", "rich", "zoneinfo", "duly.cron", "duly.recurrence"]
    code = f"import duly, sys; print([name for name in {heavy} if name in sys.modules])"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert loaded.stdout.strip() == "[]"
