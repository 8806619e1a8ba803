"""Log lines of long-running commands: to standard error, so that output stays output."""

from __future__ import annotations

import logging
import sys


def show_logs() -> None:
    """One line per event, with the time."""
    logging.basicConfig(
        level=logging.INFO, stream=sys.stderr, format="%(asctime)s %(levelname)s %(message)s", datefmt="%H:%M:%S"
    )
    for noisy in ("httpx", "httpcore", "mcp", "uvicorn"):
        logging.getLogger(noisy).setLevel(logging.WARNING)
