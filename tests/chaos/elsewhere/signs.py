"""What workers wrote down: what their tasks did, and what duly answered them. A line each, whole or not at all.

Nothing of duly is used here. Times are monotonic, which all processes of a machine share, and those of the wall, which
the store has.
"""

from __future__ import annotations

import os
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tests.chaos.witness import append, lines_of

BROKER, FOLDER, PROCESS = "CHAOS_BROKER", "CHAOS_FOLDER", "CHAOS_PROCESS"
"""The variables that tell a worker where the broker is, where to write, and the name of its present life."""
SIGNS = "signs.jsonl"
OK, UNREACHABLE = "ok", "unreachable"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sign:
    """Code of the task began (`enter`), came to its end (`exit`) or did not (`left`); or its worker asked for leave
    (`begin`), gave a sign of life (`beat`) or reported (`end`)."""

    what: str
    run: str
    number: int
    at: float
    """When it was over: a report was answered."""
    wall: float
    pid: int = 0
    process: str = ""
    nonce: str = ""
    """Different each time that code of a task begins; its result has it."""
    retries: int = 0
    """How often Celery has tried this handover before."""
    sent: float = 0.0
    sent_wall: float = 0.0
    """When a report left."""
    answer: str = ""
    """`ok`, a refusal, or `unreachable`."""
    state: str = ""
    """Of the outcome that was reported."""


def write_sign(folder: Path, process: str, what: str, run: str, number: int, **facts: Any) -> None:
    """Write down a sign of this process, now."""
    sign = Sign(
        what=what,
        run=run,
        number=number,
        at=time.monotonic(),
        wall=time.time(),
        pid=os.getpid(),
        process=process,
        **facts,
    )
    append(folder / SIGNS, asdict(sign))


def read_signs(folder: Path) -> list[Sign]:
    """What all workers wrote down, in order of time."""
    return sorted((Sign(**line) for line in lines_of(folder / SIGNS)), key=lambda sign: sign.at)
