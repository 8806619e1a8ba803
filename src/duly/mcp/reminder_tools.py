"""Tools for messages to people."""

from __future__ import annotations

from typing import Any


def register(_server: Any, _desk: Any) -> None:
    """Offer the tools."""
