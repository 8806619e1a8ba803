"""The fixtures for users, loaded by pytest in a run of its own."""

import subprocess
import sys
from pathlib import Path

EXAMPLE = Path(__file__).parents[3] / "docs" / "testing.md"


def test_the_documented_test_passes_as_it_stands(tmp_path: Path) -> None:
    example = EXAMPLE.read_text(encoding="utf-8").split("```python\n")[1].split("```")[0]
    (tmp_path / "test_example.py").write_text(example, encoding="utf-8")
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "--basetemp",
        str(tmp_path / "base"),
        str(tmp_path),
    ]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert "1 passed" in done.stdout, done.stdout + done.stderr
