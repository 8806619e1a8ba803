"""What the documentation shows is what happens: every `>>>` in it runs."""

import doctest
import importlib
import importlib.util
import pkgutil
import re
from pathlib import Path

import pytest

import duly

ROOT = Path(__file__).parents[2]
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").glob("*.md")])
MODULES = [
    module.name for module in pkgutil.walk_packages(duly.__path__, "duly.") if not module.name.endswith("__main__")
]


def _has_examples(module: str) -> bool:
    source = importlib.util.find_spec(module)
    return source is not None and ">>> " in Path(str(source.origin)).read_text(encoding="utf-8")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_examples_of_a_page_work(page: Path) -> None:
    text = re.sub(r"(?m)^```.*$", "", page.read_text(encoding="utf-8"))  # a fence is not part of the output
    example = doctest.DocTestParser().get_doctest(text, {}, page.name, str(page), 0)
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    assert runner.run(example).failed == 0


def test_every_promise_names_tests_that_exist() -> None:
    named = re.findall(r"`((?:tests|bench)/[\w/.]+)`", (ROOT / "docs" / "promises.md").read_text(encoding="utf-8"))
    assert len(named) > 20
    assert [path for path in named if not (ROOT / path).exists()] == []


@pytest.mark.parametrize("name", [each for each in MODULES if _has_examples(each)])
def test_the_examples_in_docstrings_work(name: str) -> None:
    outcome = doctest.testmod(importlib.import_module(name), optionflags=doctest.NORMALIZE_WHITESPACE)
    assert outcome.failed == 0


def test_every_module_can_be_imported() -> None:
    for name in MODULES:
        importlib.import_module(name)
