"""The runtime stays tidy: small modules, small functions, one place that reads the clock."""

import ast
import re
from pathlib import Path

import pytest

import duly

ROOT = Path(str(duly.__file__)).parent
SOURCES = sorted(ROOT.rglob("*.py"))
MAX_LINES = 400
MAX_LINES_OF_A_LANGUAGE = 450  # tables of words: all that duly knows about a language is in one file
MAX_FUNCTION = 60


def _name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("path", SOURCES, ids=_name)
def test_a_module_is_small_and_says_what_it_is(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text)
    is_language = path.parent == ROOT / "language" / "languages"
    assert text.count("\n") <= (MAX_LINES_OF_A_LANGUAGE if is_language else MAX_LINES)
    assert ast.get_docstring(tree), "a module opens with what lives here"
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            assert (node.end_lineno or 0) - node.lineno <= MAX_FUNCTION, f"{node.name} is too long"


@pytest.mark.parametrize("path", SOURCES, ids=_name)
def test_only_the_clock_reads_the_clock(path: Path) -> None:
    reads = re.findall(r"datetime\.(?:now|utcnow|today)\(|time\.(?:time|monotonic)\(", path.read_text(encoding="utf-8"))
    assert not reads or _name(path) in {"clock.py", "daemon.py"}
