"""Every face promises what its golden file says: whoever changes a promise changes the file, and says why."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.golden import GOLDEN


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.name)
def test_a_face_promises_what_its_file_says(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DULY_SERVER", "DULY_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    assert path.read_text(encoding="utf-8") == GOLDEN[path](), (
        "read what changed (python -m tests.golden writes it anew; git diff), and say it in CHANGELOG.md"
    )
