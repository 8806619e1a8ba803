"""A module that can be imported by a scheduler, but not by the process of a job."""

from __future__ import annotations

import multiprocessing

if multiprocessing.current_process().name != "MainProcess":
    raise RuntimeError("not here")


def hello() -> None:
    """Never comes that far."""
