"""Small files that only their owner can read."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path


def secret_file(path: Path, make: Callable[[], str]) -> str:
    """The content of such a file; made when it is not there. Of several who make it at once, one wins for all."""
    with suppress(FileNotFoundError):
        return path.read_text(encoding="utf-8").strip()
    draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(f"{make()}\n")
        with suppress(FileExistsError):
            os.link(draft, path)  # whole or not at all, and never over another's
    finally:
        draft.unlink()
    return path.read_text(encoding="utf-8").strip()
