"""Functions by their place: found, or refused with the reason, whatever their module does."""

from __future__ import annotations

from pathlib import Path

import pytest

from duly.config.settings import Settings
from duly.daemon.house import House
from duly.dispatch.loading import load_function
from duly.errors import ConfigError, InvalidInputError

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
def test_what_cannot_be_loaded_is_told(place: str, words: str) -> None:
    with pytest.raises(InvalidInputError) as refused:
        load_function(place)
    assert words in str(refused.value)


@pytest.mark.parametrize(("place", "words"), [*BAD, ("time:sleep", "does not tell what it takes")])
def test_a_job_of_the_configuration_is_refused_by_its_key(modules: Path, place: str, words: str) -> None:
    house = House(Settings(data_dir=modules, store=str(modules / "s.db"), jobs={"nightly": place}))
    with pytest.raises(ConfigError) as refused:
        _ = house.jobs
    assert "jobs.nightly" in str(refused.value)
    assert words in str(refused.value)
