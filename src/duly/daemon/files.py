"""Small files that only their owner can read."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path


def secret_file(path: Path, make: Callable[[], str]) -> str:
    """The content of such a file; made when it is not there."""
    try:
        return path.read_text(encoding="utf-8").strip()
    except FileNotFoundError:
        secret = make()
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(f"{secret}\n")
        return secret
