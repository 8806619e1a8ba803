"""The Python of the documentation runs as a reader copies it, and a strict type checker accepts it.

The blocks of a page, one below the other, are one program, or one file of tests where the page shows tests.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.documentation.blocks import PAGES, ROOT, Block, blocks, has_a_reason
from tests.world import served_in_thread

_PATIENCE = 120
_LOOK_EVERY = 0.05
_RUN = ("python", "pycon", "toml", "json", "console", "yaml", "")
_OTHERS = sorted([*(ROOT / "src").rglob("*.py"), *(ROOT / "examples").rglob("*.toml")])
_TERM = 1 << (signal.SIGTERM - 1)
_BLOCKS = [each for each in blocks("python") if ">>> " not in each.text]


def _programs() -> dict[Path, str]:
    found: dict[Path, list[str]] = {}
    for block in _BLOCKS:
        if block.reason is None:
            found.setdefault(block.page, []).append(block.text)
    return {page: "\n\n".join(texts) for page, texts in found.items()}


PROGRAMS = _programs()


@pytest.mark.parametrize("block", blocks(), ids=str)
def test_what_is_not_run_says_why(block: Block) -> None:
    assert has_a_reason(block)
    assert block.language in _RUN or block.reason is not None


@pytest.mark.parametrize("place", [*PAGES, *_OTHERS], ids=lambda place: place.name)
def test_duly_is_not_installed_from_an_index_that_does_not_have_it(place: Path) -> None:
    """Extras are named by what they install, which is true before duly is published and after."""
    text = place.read_text(encoding="utf-8")
    assert not re.search(r"\b(pip|pipx|uvx?)\b[^\n`]*[ '\"]duly\b", text)


@pytest.mark.parametrize("page", PROGRAMS, ids=lambda page: page.name)
def test_the_program_of_a_page_runs_to_its_end(page: Path, tmp_path: Path) -> None:
    text = PROGRAMS[page]
    (tmp_path / "daemon").mkdir()
    with served_in_thread(tmp_path / "daemon") as place:
        program = tmp_path / ("test_page.py" if "\ndef test_" in text else "program.py")
        program.write_text(text.replace("http://127.0.0.1:8765", place.url).replace("duly_…", place.token), "utf-8")
        words = ["-m", "pytest", "-q", "-p", "no:randomly", "-p", "no:cacheprovider", f"--basetemp={tmp_path}/pytest"]
        start = words if program.name.startswith("test_") else []
        with _running([*start, str(program)], tmp_path) as process:
            for _ in range(text.count(".run_forever()")):
                _stop_when_it_asks_for_signals(process)
            said, _ = process.communicate(timeout=_PATIENCE)
        assert process.returncode == 0, said


@contextmanager
def _running(words: list[str], folder: Path) -> Iterator[subprocess.Popen[str]]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "COV_"))}
    process = subprocess.Popen(
        [sys.executable, *words],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def _stop_when_it_asks_for_signals(process: subprocess.Popen[str]) -> None:
    """Send SIGTERM once the program handles it, as a service manager would that waits until it is up."""
    status = Path(f"/proc/{process.pid}/status")
    for _ in range(int(_PATIENCE / _LOOK_EVERY)):
        handled = re.search(r"SigCgt:\s*([0-9a-f]+)", status.read_text(encoding="utf-8"))
        if handled is not None and int(handled[1], 16) & _TERM:
            process.send_signal(signal.SIGTERM)
            return
        try:
            process.wait(_LOOK_EVERY)
        except subprocess.TimeoutExpired:
            continue
        return


def test_a_strict_type_checker_accepts_the_programs(tmp_path: Path) -> None:
    files = []
    for page, text in PROGRAMS.items():
        if "\ndef test_" not in text:  # tests take fixtures, whose types nobody writes
            files.append(tmp_path / f"{page.stem.lower()}_program.py")
            files[-1].write_text(text, encoding="utf-8")
    words = [sys.executable, "-m", "mypy", "--strict", f"--cache-dir={tmp_path / 'cache'}", *map(str, files)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=_PATIENCE * 5, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
