"""The jobs of this butler."""

from __future__ import annotations


def backup(to: str) -> str:
    """Say where the copies went; here you would make them."""
    return f"copied to {to}"
