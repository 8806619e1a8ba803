"""Functions by the names of their modules: loaded, or refused with the reason, even if the import fails or exits."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from duly.config.settings import Settings
from duly.errors import InvalidInputError, NotFoundError
from duly.jobs.functions import load_again, load_function, stamp_of
from duly.model.action import Job
from duly.runtime.runtime import Runtime

GOOD = """
class Desk:
    def ask(self, x):
        return x

desk = Desk()
answer = 42

def job():
    return "done"
"""


@pytest.fixture
def modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.syspath_prepend(str(tmp_path))
    texts = {"good": GOOD, "raises": "1 / 0", "leaves": "raise SystemExit(3)", "no_python": "def f(:"}
    for name, text in texts.items():
        (tmp_path / f"loading_{name}.py").write_text(text, encoding="utf-8")
    return tmp_path


@pytest.mark.usefixtures("modules")
def test_a_function_and_a_method_are_found() -> None:
    assert load_function("loading_good:job")() == "done"
    assert load_function("loading_good:desk.ask")(3) == 3


BAD = [
    ("loading_good:none", "cannot load 'loading_good:none': module 'loading_good' has no attribute 'none'"),
    ("loading_good:desk.none", "'Desk' object has no attribute 'none'"),
    ("loading_good:answer", "'loading_good:answer' is not a function"),
    ("loading_none:job", "cannot load 'loading_none:job': No module named 'loading_none'"),
    ("loading_raises:job", "cannot load 'loading_raises:job': ZeroDivisionError: division by zero"),
    ("loading_leaves:job", "cannot load 'loading_leaves:job': SystemExit: 3"),
    ("loading_no_python:job", "cannot load 'loading_no_python:job': SyntaxError: invalid syntax"),
]


@pytest.mark.usefixtures("modules")
@pytest.mark.parametrize(("place", "words"), BAD)
def test_a_function_that_cannot_be_loaded_is_refused_with_the_reason(place: str, words: str) -> None:
    with pytest.raises(InvalidInputError) as refused:
        load_function(place)
    assert words in str(refused.value)


@pytest.mark.parametrize(("place", "words"), [*BAD, ("time:sleep", "does not tell what it takes")])
def test_a_job_of_the_configuration_that_cannot_be_loaded_is_missing(modules: Path, place: str, words: str) -> None:
    runtime = Runtime(Settings(data_dir=modules, store=str(modules / "s.db"), jobs={"nightly": place}))
    told = runtime.capabilities.missing(Job("nightly"))
    assert told is not None
    assert told.startswith("jobs.nightly: ")
    assert words in told
    runtime.capabilities.check_known(Job("nightly"))  # a configuration may name it
    with pytest.raises(NotFoundError, match=r"jobs\.nightly"):
        runtime.capabilities.check(Job("nightly"))


def test_a_module_is_read_again_only_when_its_file_has_changed(modules: Path) -> None:
    file = modules / "loading_grows.py"
    file.write_text("import sys\nsys.loading_grows = getattr(sys, 'loading_grows', 0) + 1\n", encoding="utf-8")
    place = "loading_grows:job"
    with pytest.raises(InvalidInputError, match="has no attribute 'job'"):
        load_function(place)
    before = stamp_of(place)
    with pytest.raises(InvalidInputError, match="has no attribute 'job'"):
        load_again(place, before)
    assert vars(sys).pop("loading_grows") == 1
    file.write_text("def job():\n    return 'here now'\n", encoding="utf-8")
    assert load_again(place, before)() == "here now"


def test_a_module_that_was_missing_is_found_once_it_exists(modules: Path) -> None:
    with pytest.raises(InvalidInputError, match="No module named 'loading_late'"):
        load_function("loading_late:job")
    (modules / "loading_late.py").write_text(GOOD, encoding="utf-8")
    assert load_again("loading_late:job", stamp_of("loading_late:job"))() == "done"
